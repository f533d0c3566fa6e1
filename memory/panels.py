"""What is kept of panels (messages with buttons), so that the buttons outlive a restart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.records import Actor, Kind, Record


@dataclass(frozen=True, slots=True)
class RecordRef:
    """A record without its words. The turns tell which message it is; other records have none."""

    short_id: str
    created_at: datetime
    turn_ids: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: Record) -> "RecordRef":
        turn_ids = record.turn_ids if record.kind is Kind.MESSAGE else ()
        return cls(record.short_id, record.created_at, turn_ids)


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A panel as it is kept. `state` is JSON of ids and numbers, never of anybody's words: what is
    forgotten must leave nothing here."""

    id: str
    actor: Actor
    owner: int
    opened_at: datetime
    state: str


class PanelRows(Protocol):
    """The panels that are kept. They go with everything else when the journal erases or moves an
    actor. Both methods raise StoreUnavailable."""

    async def find(self, panel_id: str) -> PanelRow | None:
        """The panel with this id."""
        ...

    async def save(self, rows: Sequence[PanelRow], expired: datetime) -> None:
        """Write these panels, and delete all that were opened before `expired`."""
        ...
