"""What a tool gets besides the model's arguments. The actor comes only from here: no tool has a
parameter that selects whose memory it touches."""

from dataclasses import dataclass, field

from memory.memory import Memory
from memory.records import Actor, Change, Record, Turn


@dataclass(slots=True)
class TurnEffects:
    """What the tools of one turn changed, and what the person is asked to decide. The reply shows
    both: a tool never deletes anything itself."""

    changes: list[Change] = field(default_factory=list)
    to_forget: list[Record] = field(default_factory=list)
    #: The ids of what goes along if all of these do: see Meant.
    along: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One turn's identity and memory. `turns` are those still in the window and, last, the one
    being answered: a tool can check that it acts on the user's words and not on a recalled or
    imagined text. In a `private` session no tool changes the memory, nor where the journal could
    not say whether it is one (`unsure`)."""

    actor: Actor
    memory: Memory
    turns: tuple[Turn, ...]
    private: bool = False
    unsure: bool = False
    effects: TurnEffects = field(default_factory=TurnEffects)

    @property
    def said(self) -> str:
        """The user's own words in this turn."""
        return self.turns[-1].said

    @property
    def before(self) -> str:
        """The user's own words in the turns before."""
        return "\n".join(turn.said for turn in self.turns[:-1])


class ToolFailure(Exception):
    """The tool did nothing. The message goes back to the model, which may correct itself."""


def refuse_if_private(context: ToolContext, instead: str = "") -> None:
    """Raise ToolFailure in a private session; `instead` is what the user can do there."""
    if context.unsure:
        raise ToolFailure(
            "Nothing was changed: the memory does not answer right now. Tell the user to say it "
            "again later."
        )
    if context.private:
        what = instead or "To have it kept, they can end the private conversation with /private"
        raise ToolFailure(
            "This conversation is private: nothing of it is kept, so nothing was changed in the "
            f"memory. Tell the user so. {what}."
        )
