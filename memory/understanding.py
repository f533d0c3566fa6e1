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


class LanguageRules(Protocol):
    """What rules alone say about a text. Where a model understands texts, `NO_RULES` is used."""

    def meaning(self, text: str) -> Meaning:
        """What a person wants remembered."""
        ...

    def is_off_record(self, text: str) -> bool:
        """True if the message asks not to keep itself or something said before."""
        ...


class _NoRules:
    """Leaves texts as they are."""

    def meaning(self, text: str) -> Meaning:
        return Meaning(text)

    def is_off_record(self, text: str) -> bool:
        return False


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
