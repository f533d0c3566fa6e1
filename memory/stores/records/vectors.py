"""The vectors in a person's tables, and exact search among them.

Needs numpy, which comes with the extras for embedders. A vector is kept as signed bytes, scaled to
its largest number: a quarter of the size of floats, and what search finds stays the same. They are
read for each search instead of held: 1,000 take about a millisecond, and nothing has to be kept in
step with what other processes write."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.records import Kind
from memory.search.fusion import Nearness
from memory.stores.database import Connection

#: No more of a record is embedded, in characters: models read 128 to 512 tokens.
MAX_EMBEDDED_CHARS = 1_000

#: Of how many records the likeness is looked at, best first, beside those found by words.
NEAREST = 200

_STEPS = 127
#: Vectors compared at once: these fit into the processor's cache, more take twice as long.
_CHUNK = 512

_TEXT = (
    "substr(CASE WHEN speaker IS NULL THEN '' ELSE speaker || ': ' END || text, 1, "
    f"{MAX_EMBEDDED_CHARS})"
)


@dataclass(frozen=True, slots=True)
class VectorTable:
    """The vectors by the embedder of this name."""

    embedder: str

    def rows_without_vector(self, connection: Connection, limit: int) -> dict[int, str]:
        """Rows of current records that have no such vector, newest first, with their texts."""
        number = self._number(connection)
        (absent,) = connection.execute(
            "SELECT (SELECT sum(records) FROM shelf) "
            "- (SELECT count(*) FROM vector WHERE embedder = ?)",
            (number,),
        ).fetchone()
        # With the number known, the search for them ends at the last one, not at the first record.
        return dict(
            connection.execute(
                f"SELECT row, {_TEXT} FROM record WHERE superseded_at IS NULL AND NOT EXISTS "
                "(SELECT 1 FROM vector WHERE vector.row = record.row AND +embedder = ?) "
                "ORDER BY row DESC LIMIT ?",
                (number, max(0, min(limit, int(absent or 0)))),
            ).fetchall()
        )

    def add(
        self,
        connection: Connection,
        texts: Mapping[int, str],
        vectors: Sequence[Sequence[float]],
    ) -> None:
        """Keep the vectors of these texts, in order, within a transaction of the caller. A row that
        no longer says its text gets none: it was forgotten meanwhile."""
        if not self._number(connection):
            connection.execute("INSERT INTO embedder (name) VALUES (?)", (self.embedder,))
        number = self._number(connection)
        # Those by another embedder.
        rows = json.dumps(list(texts))
        connection.execute(
            "DELETE FROM vector WHERE row IN (SELECT value FROM json_each(?))", (rows,)
        )
        connection.executemany(
            "INSERT INTO vector (row, embedder, kind, numbers) SELECT row, ?, kind, ? FROM record "
            f"WHERE row = ? AND superseded_at IS NULL AND {_TEXT} = ?",
            [
                (number, numbers, row, text)
                for (row, text), numbers in zip(texts.items(), map(_pack, vectors), strict=True)
            ],
        )

    def nearest(
        self,
        connection: Connection,
        kinds: Sequence[Kind],
        query: Sequence[float],
        also: Collection[int],
    ) -> Nearness:
        """How near to the query the nearest records of these kinds are, and those of `also`."""
        asked = np.nan_to_num(np.asarray(query, dtype=np.float32))
        rows, cosines = self._cosines(connection, kinds, asked)
        if not rows.size:
            return Nearness({}, 0.0)
        best = np.argpartition(-cosines, NEAREST)[:NEAREST] if len(rows) > NEAREST else slice(None)
        near = dict(zip(rows[best].tolist(), cosines[best].tolist(), strict=True))
        place = np.searchsorted(rows, sorted(also))
        for row, index in zip(sorted(also), place.tolist(), strict=True):
            if index < len(rows) and rows[index] == row:
                near[row] = float(cosines[index])
        return Nearness(near, float(cosines.min()))

    def _cosines(
        self, connection: Connection, kinds: Sequence[Kind], query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The rows of these kinds, ascending, and the cosine of each."""
        rows: list[int] = []
        parts = [np.empty(0, dtype=np.float32)]
        length = float(np.linalg.norm(query)) or 1.0
        for some, numbers in self._chunks(connection, kinds, query.size):
            rows += some
            matrix = np.frombuffer(numbers, dtype=np.int8).reshape(len(some), -1)
            vectors = matrix.astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            parts.append(vectors @ query / (length * np.maximum(lengths, 1.0)))
        return np.array(rows, dtype=np.int64), np.concatenate(parts)

    def _chunks(
        self, connection: Connection, kinds: Sequence[Kind], size: int
    ) -> Iterator[tuple[tuple[int, ...], bytes]]:
        marks = ", ".join("?" * len(kinds))
        found = connection.execute(
            "SELECT row, numbers FROM vector WHERE +embedder = ? AND length(numbers) = ? "
            f"AND kind IN ({marks}) ORDER BY row",
            (self._number(connection), size, *kinds),
        )
        remaining = iter(found)
        while chunk := list(islice(remaining, _CHUNK)):
            rows, numbers = zip(*chunk, strict=True)
            yield rows, b"".join(numbers)

    def _number(self, connection: Connection) -> int:
        """What the tables call this embedder; 0 if it does not know it yet."""
        found: tuple[Any, ...] | None = connection.execute(
            "SELECT id FROM embedder WHERE name = ?", (self.embedder,)
        ).fetchone()
        return int(found[0]) if found else 0


def _pack(vector: Sequence[float]) -> bytes:
    numbers = np.nan_to_num(np.asarray(vector, dtype=np.float64))
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0
    return np.rint(numbers / largest * _STEPS).astype(np.int8).tobytes()
