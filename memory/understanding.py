"""What the memory needs that understands language, as small protocols, and what these exchange.
Nothing in this module knows a word of any language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Protocol

from memory.records import Basis, Evidence, Kind, Record, Turn


class Relation(StrEnum):
    """How a proposal relates to a known record."""

    NEW = "new"
    #: It says the same: the record gains evidence.
    SAME = "same"
    #: The record's statement is replaced.
    CHANGED = "changed"
    #: The record is no longer true, and nothing takes its place.
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A record that an extractor proposes: a self-contained statement in the first person, in the
    user's language, with its evidence in the user's own words. `known` is the id of the record that
    it relates to, and `reason` says why, in a few words. The dates and `about` are as in Record.
    Only the notebook's rules name a `slot`."""

    kind: Kind
    text: str
    evidence: tuple[Evidence, ...]
    slot: str | None = None
    importance: int = 5
    event_date: str | None = None
    recurrence: str | None = None
    true_since: str | None = None
    true_until: str | None = None
    about: tuple[str, ...] = ()
    basis: Basis = Basis.VOLUNTEERED
    relation: Relation = Relation.NEW
    known: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extractor reads: the turns of a session, oldest first, and the actor's current
    records related to them, or all of them if it `knows_all`. Days are those of `zone`."""

    turns: tuple[Turn, ...]
    known: tuple[Record, ...] = ()
    zone: tzinfo = UTC
    knows_all: bool = False


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a check refused a proposal, in a sentence for the model that made it."""

    proposal: Proposal
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a review says of a proposal: the evidence says it, the user says it of themselves or of
    somebody they know and name (not as somebody else's words), it was meant seriously, the dates
    are right. A statement passes even if only its relation to a known record is wrong: then
    `relation_right` is False."""

    supported: bool = True
    right_person: bool = True
    serious: bool = True
    date_right: bool = True
    relation_right: bool = True

    @property
    def passes(self) -> bool:
        return self.supported and self.right_person and self.serious and self.date_right


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in a session. An empty one means "nothing worth keeping", never "it
    failed": failures are raised. Without `needs_review` no model corrects or reviews the proposals:
    rules found them where a model can never read the session."""

    proposals: tuple[Proposal, ...] = ()
    summary: str | None = None
    topics: tuple[str, ...] = ()
    needs_review: bool = True


class ExtractionFailed(Exception):
    """The extractor gave no usable answer. The session is kept and retried."""


class Extractor(Protocol):
    """Proposes what of a session is worth keeping; code decides what is stored."""

    async def extract(self, reading: Reading) -> Extraction:
        """Read a session beside what is known. Raises ExtractionFailed."""
        ...


class Corrector(Protocol):
    """Mends proposals."""

    async def correct(
        self, reading: Reading, objections: Sequence[Objection]
    ) -> Sequence[Proposal]:
        """Propose again what failed a check, in the light of the objections; once per session.
        Raises ExtractionFailed."""
        ...


class Reviewer(Protocol):
    """Judges what only understanding can tell of a proposal."""

    async def review(self, reading: Reading, proposals: Sequence[Proposal]) -> Sequence[Verdict]:
        """One verdict for each proposal, in order. Raises ExtractionFailed."""
        ...


class Summarizer(Protocol):
    """Sums up turns that leave the window in a few sentences."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """A summary of the turns that continues an earlier one. Raises ExtractionFailed."""
        ...


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


class EmbeddingFailed(Exception):
    """The embedder gave no vectors. Search continues by words alone."""


class Embedder(Protocol):
    """Turns texts into vectors of one length. Optional: search works without."""

    #: Names the model: vectors of one name can be compared, those of another are remade.
    name: str

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """One vector for each text, in order; `query` for texts that are searched with. Raises
        EmbeddingFailed."""
        ...
