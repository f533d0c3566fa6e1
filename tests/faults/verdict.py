"""What people have told and must find again, or never again; and what came of it."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Statement:
    """Something that somebody told, known by two words that nothing else has. What becomes of it
    and of its event: "kept", "gone", or "unsure" after a call that failed; None: there is none."""

    words: tuple[str, str]
    text: str
    fate: str | None = "kept"
    event: str | None = None
    #: Whether the bot, and not AWS, has written a record of it.
    explicit: bool = False
    #: The noun of a question that a later statement may answer otherwise.
    slot: str | None = None
    #: What the same message told.
    beside: "Statement | None" = field(default=None, repr=False)

    def is_in(self, text: str) -> bool:
        """Whether any of it is told there."""
        return any(word in text for word in self.words)

    def spoil(self) -> None:
        """The message was forgotten for something else: this may have gone with it."""
        if self.fate == "kept":
            self.fate = "unsure"
        if self.event == "kept":
            self.event = "unsure"

    def is_told_by(self, text: str) -> bool:
        """Whether all of it is told there."""
        return all(word in text for word in self.words)


@dataclass
class Verdict:
    """What went wrong, in words of its own; nothing, if all is well."""

    #: Turns that AWS never got.
    lost: list[str] = field(default_factory=list)
    #: What was forgotten and was seen again, or still stands at AWS.
    resurrected: list[str] = field(default_factory=list)
    #: What somebody saw of somebody else, or lost by what somebody else did.
    foreign: list[str] = field(default_factory=list)
    #: What should be known and is not.
    missing: list[str] = field(default_factory=list)
    turns: int = 0
    forgotten: int = 0
    calls: int = 0

    @property
    def faults(self) -> list[str]:
        """All of it."""
        kinds = ("lost", "resurrected", "foreign", "missing")
        return [f"{kind}: {each}" for kind in kinds for each in getattr(self, kind)]


def words() -> Iterator[str]:
    """Words alike to no other."""
    syllables = [c + v for c in "bdfgklmnprtvz" for v in "aou"]
    chance, told = random.Random(3), set[str]()
    while True:
        word = "".join(chance.choices(syllables, k=4))
        if word not in told:
            told.add(word)
            yield word
