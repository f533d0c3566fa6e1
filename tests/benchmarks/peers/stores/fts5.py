"""SQLite's full-text search as it comes: what a store must beat to be worth installing."""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.peers.peer import Embedder, Said

_WORD = re.compile(r"\w+")


class Bare:
    """A table a person, words stemmed by `porter`, ranked by FTS5's own bm25."""

    def __init__(self, directory: Path, embedder: Embedder | None = None) -> None:
        """A store in one file of the directory. It has no use for vectors."""
        self._connection = sqlite3.connect(directory / "fts5.sqlite")
        self._tables: dict[str, str] = {}

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer."""
        table = self._tables.setdefault(person, f"person{len(self._tables)}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {table} USING "
            "fts5(id UNINDEXED, text, tokenize='porter unicode61')"
        )
        self._connection.executemany(
            f"INSERT INTO {table} (id, text) VALUES (?, ?)",
            [(turn.id, self._text(turn)) for turn in turns],
        )
        self._connection.commit()

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer. Any word of the query may match."""
        table = self._tables[person]
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(query))
        if not words:
            return []
        rows = self._connection.execute(
            f"SELECT id FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?", (words, k)
        )
        return [name for (name,) in rows]

    def close(self) -> None:
        """See Peer."""
        self._connection.close()

    def _text(self, turn: Said) -> str:
        return turn.text


class Attributed(Bare):
    """The same with the speaker's name before each turn."""

    def _text(self, turn: Said) -> str:
        return turn.attributed
