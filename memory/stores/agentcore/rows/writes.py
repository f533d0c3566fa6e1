"""What we have written lately, because AWS's lists and searches may take minutes to show it."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

from memory.records import Actor, Kind
from memory.stores.agentcore.namespaces import belongs
from memory.stores.agentcore.rows.records import AwsRow

#: Entries of BatchUpdateMemoryRecords, each behind the row that it was made of: the row that it
#: changes, or the original of the copy that it changes.
Updates = list[tuple[AwsRow, AwsRow]]

#: The most rows that are kept: as many as a person has. The oldest go first.
_MOST = 5_000


class RecentWrites:
    """The rows written in the last `seconds`, as they were last written. They are in RAM: after a
    restart AWS has to show them."""

    def __init__(self, seconds: float, clock: Callable[[], datetime]) -> None:
        self._seconds, self.clock = seconds, clock
        #: By id, each with the moment until which it is kept, the earliest first.
        self._rows: dict[str, tuple[AwsRow, float]] = {}

    def note_created(
        self, entries: Iterable[AwsRow], ids: Mapping[str, str], begun_at: datetime
    ) -> None:
        """Note that AWS has created these entries, in a call begun then. `ids` are by label."""
        for entry in entries:
            id_ = ids[entry["requestIdentifier"]]
            self._keep({**entry, "memoryRecordId": id_, "createdAt": begun_at})

    def note_updates(self, changes: Updates) -> None:
        """Note that AWS has made these updates."""
        for row, entry in changes:
            id_ = entry["memoryRecordId"]
            before = row if row["memoryRecordId"] == id_ else self.get(id_)
            if before:
                self._keep({**before, **entry})

    def drop(self, record_ids: Iterable[str]) -> None:
        """Drop what was deleted."""
        for record_id in record_ids:
            self._rows.pop(record_id, None)

    def drop_actor(self, actor: Actor) -> None:
        """Drop all of the actor's: another worker may have written them since."""
        self.drop(row["memoryRecordId"] for row in self.unseen(actor, tuple(Kind), ()))

    def get(self, record_id: str) -> AwsRow | None:
        """The row with this id, whoever asks, if it was written lately."""
        row, until = self._rows.get(record_id, (None, 0.0))
        return row if until > _now() else None

    def renew(self, row: AwsRow) -> AwsRow:
        """A row that AWS shows, as we last wrote it: AWS may show an older version."""
        written = self.get(row["memoryRecordId"])
        shown = row.get("metadata") or {}
        if written is None or written["metadata"].items() <= shown.items():
            return row
        return {**row, "metadata": written["metadata"], "timestamp": written["timestamp"]}

    def unseen(self, actor: Actor, kinds: Collection[Kind], seen: Sequence[AwsRow]) -> list[AwsRow]:
        """The actor's rows of these kinds that are not among those AWS has shown."""
        now, shown = _now(), {row["memoryRecordId"] for row in seen}
        live = [row for id_, (row, until) in self._rows.items() if until > now and id_ not in shown]
        return [row for row in live if _is_one_of(row, actor, kinds)]

    def _keep(self, row: AwsRow) -> None:
        now, id_ = _now(), row["memoryRecordId"]
        self._rows.pop(id_, None)
        self._rows[id_] = row, now + self._seconds
        while self._rows:
            oldest = next(iter(self._rows))
            if self._rows[oldest][1] > now and len(self._rows) <= _MOST:
                break
            del self._rows[oldest]


def _is_one_of(row: AwsRow, actor: Actor, kinds: Collection[Kind]) -> bool:
    place = row["namespaces"][0]
    # Most rows are others'.
    home = belongs(place, actor) if f"/{actor.id}/" in place else None
    return home is not None and home[0] in kinds


def _now() -> float:
    return asyncio.get_running_loop().time()
