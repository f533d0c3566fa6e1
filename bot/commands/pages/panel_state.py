"""What is kept of a panel: what its buttons act on, in ids and numbers."""

from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter

from memory.knowledge.knowledge import Knowledge
from memory.panels import RecordRef
from memory.records import Actor, Change, ChangeKind, Record


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change that a panel shows, and whether it was undone there."""

    change: Change
    undone: bool = False


@dataclass(frozen=True, slots=True)
class KeptChange:
    """A ShownChange without words. Of what ended, `ended_at` tells when, and `true_until` what the
    record said of that before."""

    kind: ChangeKind
    record: RecordRef
    before: RecordRef | None = None
    undone: bool = False
    ended_at: datetime | None = None
    true_until: str | None = None

    @classmethod
    def of(cls, shown: ShownChange) -> "KeptChange":
        change, before = shown.change, shown.change.before
        return cls(
            change.kind,
            RecordRef.of(change.record),
            RecordRef.of(before) if before else None,
            shown.undone,
            change.record.superseded_at if change.kind is ChangeKind.ENDED else None,
            before.true_until if before else None,
        )

    async def read(self, actor: Actor, known: Knowledge) -> ShownChange | None:
        """The change, with the words of its records; None if one of them is gone. Raises
        StoreUnavailable."""
        record = await known.find_ref(actor, self.record)
        if record is None:
            return None
        before = await self._read_before(record, actor, known) if self.before else None
        if self.before and before is None:
            return None
        if self.ended_at:
            record = replace(record, superseded_at=self.ended_at)
        return ShownChange(Change(self.kind, record, before), self.undone)

    async def _read_before(self, record: Record, actor: Actor, known: Knowledge) -> Record | None:
        if self.before == self.record:
            return replace(record, superseded_at=None, true_until=self.true_until, reason=None)
        return await known.find_ref(actor, self.before) if self.before else None


@dataclass(frozen=True, slots=True)
class PanelState:
    """What is kept of a panel besides its owner and age; see Panel."""

    changes: tuple[KeptChange | None, ...] = ()
    candidates: tuple[RecordRef | None, ...] = ()
    chosen: frozenset[int] = frozenset()
    along: tuple[str, ...] = ()
    under_answer: bool = False
    answer_id: int | None = None

    @property
    def json(self) -> str:
        return _STATE.dump_json(self, exclude_defaults=True).decode()

    @classmethod
    def from_json(cls, text: str) -> "PanelState":
        """Raises ValueError."""
        return _STATE.validate_json(text)


_STATE = TypeAdapter(PanelState)
