"""Ports of language understanding. Nothing in this module knows a word of any language."""

from dataclasses import dataclass
from typing import Protocol

from memory.ports import Corrector, Extractor, Reviewer, Summarizer
from memory.records import Kind


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a person wants remembered: the text to store, and what is understood of it.

    `kind` None: the caller decides. `slot`: the question that it answers, if that has a single
    answer. `agent_name`: the name it gives the assistant; `only_names`: it says nothing else.
    `only_asks`: it states nothing."""

    text: str
    kind: Kind | None = None
    slot: str | None = None
    agent_name: str | None = None
    only_names: bool = False
    only_asks: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What a search for memories asks for: records in `slots`, everything, the last conversations,
    or the assistant's name. If none is set, only its words count."""

    slots: tuple[str, ...] = ()
    everything: bool = False
    last_talks: bool = False
    agent_name: bool = False


class LanguageRules(Protocol):
    """What grammar alone says about a text. Where a model understands texts, `NO_RULES` is used."""

    def meaning(self, text: str) -> Meaning:
        """What a person wants remembered."""
        ...

    def question(self, query: str) -> SearchQuestion:
        """What a person or a model searches the memory for."""
        ...

    def introduces_self(self, text: str, name: str) -> bool:
        """True if `name` occurs in the text only as the speaker's own name."""
        ...

    def is_off_record(self, text: str) -> bool:
        """True if the message asks not to keep itself or something said before."""
        ...

    def second_person(self, text: str) -> str:
        """A statement as said back to the person."""
        ...


class _NoRules:
    """Leaves texts as they are."""

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
    """Everything that understands language for the memory. Without a `corrector`, what fails a
    check is dropped; without a `reviewer`, the checks decide alone."""

    extractor: Extractor
    summarizer: Summarizer
    rules: LanguageRules = NO_RULES
    corrector: Corrector | None = None
    reviewer: Reviewer | None = None
