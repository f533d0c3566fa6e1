"""Who understands language for the memory: ports, with nothing behind them that knows a word."""

from dataclasses import dataclass
from typing import Protocol

from memory.ports import Extractor, Summarizer
from memory.records import Kind


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a person wants remembered: the text to keep, and what is understood of it.

    `kind` None: whatever the caller takes it for. `slot`: the question that it answers, if that has
    a single answer. `agent_name`: the name it gives the assistant; `only_names`: it says no more.
    `only_asks`: it states nothing."""

    text: str
    kind: Kind | None = None
    slot: str | None = None
    agent_name: str | None = None
    only_names: bool = False
    only_asks: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What a search for memories is about: records of `slots`, everything, the last conversations,
    or the assistant's name. With none of them, its words alone tell."""

    slots: tuple[str, ...] = ()
    everything: bool = False
    last_talks: bool = False
    agent_name: bool = False


class LanguageRules(Protocol):
    """What grammar alone tells of a text. Where a model understands it, `NO_RULES` stand here."""

    def meaning(self, text: str) -> Meaning:
        """What somebody wants remembered."""
        ...

    def question(self, query: str) -> SearchQuestion:
        """What somebody, or a model, searches the memory for."""
        ...

    def introduces_self(self, text: str, name: str) -> bool:
        """Whether `name` occurs in the text only as what the speaker says of themselves."""
        ...

    def is_off_record(self, text: str) -> bool:
        """Whether the message asks that it, or something that was said, is not kept."""
        ...

    def second_person(self, text: str) -> str:
        """A statement as one says it back to the person."""
        ...


class _NoRules:
    """Texts as they are written."""

    def meaning(self, text: str) -> Meaning:
        return Meaning(text)

    def question(self, query: str) -> SearchQuestion:
        return SearchQuestion()

    def introduces_self(self, text: str, name: str) -> bool:
        return False

    def is_off_record(self, text: str) -> bool:
        return False

    def second_person(self, text: str) -> str:
        return text


NO_RULES: LanguageRules = _NoRules()


@dataclass(frozen=True, slots=True)
class Understanding:
    """All that understands language for the memory."""

    extractor: Extractor
    summarizer: Summarizer
    rules: LanguageRules = NO_RULES
