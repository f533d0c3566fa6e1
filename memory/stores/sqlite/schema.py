"""The layout of one person's SQLite file, as named migrations in order.

Each runs once, in a transaction of its own, and is written down in the table `migration`. Names are
never changed and rows never reordered: a new layout is a new migration at the end."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory.errors import NewerStore


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the layout: its name for ever, and the SQL that takes it."""

    name: str
    statements: tuple[str, ...]


def _shelf(name: str) -> tuple[str, ...]:
    """The index of one shelf: the words by field, and views on which word is where."""
    return (
        # Words are cut and stemmed before they come here, so the tokeniser has to part them at
        # spaces only: `ascii` takes every non-ASCII letter, emoji too, for part of a word. Where in
        # a field a word is tells the ranking nothing: without it the index is a quarter smaller.
        "CREATE VIRTUAL TABLE "
        f"{name} USING fts5(own, reply, head, tokenize = 'ascii', detail = column)",
        f"CREATE VIRTUAL TABLE {name}_place USING fts5vocab({name}, instance)",
        f"CREATE VIRTUAL TABLE {name}_count USING fts5vocab({name}, row)",
        f"INSERT INTO shelf (name, records, words) VALUES ('{name}', 0, 0)",
    )


PERSON_LAYOUT = (
    Migration(
        "records",
        (
            """CREATE TABLE record (
                row INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                kind TEXT NOT NULL,
                created_at TEXT NOT NULL,
                session_id TEXT,
                turn_ids TEXT NOT NULL,
                slot TEXT,
                importance INTEGER NOT NULL,
                event_date TEXT,
                supersedes TEXT,
                superseded_at TEXT,
                role TEXT NOT NULL,
                speaker TEXT,
                moment REAL NOT NULL, -- created_at in seconds since 1970, for the ranking
                length INTEGER NOT NULL DEFAULT 0, -- in index words
                context INTEGER NOT NULL DEFAULT 0, -- the row where what was said before it begins
                text TEXT NOT NULL -- last: a long one spills into pages that others need not read
            )""",
            "CREATE INDEX record_kind ON record (kind)",
            "CREATE INDEX record_session ON record (session_id, row) WHERE kind = 'message'",
            # Ids are never used again, also after the last record of a kind is deleted.
            "CREATE TABLE counter (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID",
            # Stays when a turn's messages are deleted: a replayed journal must not bring them back.
            "CREATE TABLE turn (id TEXT PRIMARY KEY) WITHOUT ROWID",
        ),
    ),
    Migration(
        "word index",
        (
            "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            """CREATE TABLE shelf (
                name TEXT PRIMARY KEY, records INTEGER NOT NULL, words INTEGER NOT NULL
            ) WITHOUT ROWID""",
            *_shelf("learned"),
            *_shelf("said"),
        ),
    ),
    Migration(
        "vectors",
        (
            "CREATE TABLE embedder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            # Of current records only. `numbers` are signed bytes: see memory.stores.vectors. The
            # kind is the record's, so that a search need not look into the records for it.
            """CREATE TABLE vector (
                row INTEGER PRIMARY KEY,
                embedder INTEGER NOT NULL,
                kind TEXT NOT NULL,
                numbers BLOB NOT NULL
            )""",
            # For counting: whether any are missing is asked after every turn.
            "CREATE INDEX vector_embedder ON vector (embedder)",
        ),
    ),
    Migration(
        "places and topics",
        (
            # Of messages: where they were said, as a JSON list of channel, chat and topic.
            "ALTER TABLE record ADD COLUMN place TEXT",
            # Of summaries: what they are about, as a JSON list.
            "ALTER TABLE record ADD COLUMN topics TEXT",
        ),
    ),
    Migration(
        "places of what was deleted",
        # Of a record nothing else stays: who wants it back brings it along.
        ("CREATE TABLE deleted (id TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID",),
    ),
    Migration(
        "choices",
        (
            """CREATE TABLE choice (
                name TEXT PRIMARY KEY, value TEXT NOT NULL,
                moment REAL NOT NULL -- of the choice, in seconds since 1970
            ) WITHOUT ROWID""",
            # They were kept as preferences: I call you "Jarvis". The value is what is quoted.
            "CREATE TEMP TABLE chosen AS SELECT row, slot, moment, superseded_at, "
            """substr(text, instr(text, '"') + 1, length(text) - instr(text, '"') - 1) AS value """
            "FROM record WHERE kind = 'preference' AND ("
            """slot = 'agent_name' AND text LIKE 'I call you "%"' """
            """OR slot = 'language' AND text LIKE 'My language here is "%"' """
            """OR slot = 'time_zone' AND text LIKE 'My time zone is "%"' """
            """OR slot = 'reply_length' AND text LIKE 'The answers I want are "%"' """
            """OR slot = 'streaming' AND text LIKE 'While an answer is written I see it by "%"')""",
            "INSERT OR REPLACE INTO choice "
            "SELECT iif(slot = 'reply_length', 'answer_length', slot), value, moment "
            "FROM chosen WHERE superseded_at IS NULL ORDER BY row",
            "DELETE FROM vector WHERE row IN (SELECT row FROM chosen)",
            "DELETE FROM record WHERE row IN (SELECT row FROM chosen)",
            # Their words go when the index is made again, as it is for another way of cutting.
            "DELETE FROM setting WHERE name = 'tokeniser' AND EXISTS (SELECT 1 FROM chosen)",
            "DROP TABLE chosen",
        ),
    ),
)

_LEDGER = """CREATE TABLE IF NOT EXISTS migration (
    name TEXT PRIMARY KEY, applied_at TEXT NOT NULL
) WITHOUT ROWID"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything inside is written together, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # A full disk makes SQLite roll back on its own; there is nothing left to roll back then.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything read inside is of one moment, whatever other processes write; and the file is
    locked once instead of for every statement, which takes a tenth off a search."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # Damage found while reading may have ended it already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    migrations: tuple[Migration, ...] = PERSON_LAYOUT,
) -> None:
    """Bring a file to the newest layout. Raises NewerStore if it knows migrations we don't."""
    ledger = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migration'")
    if ledger.fetchone() is None:
        with transaction(connection):
            connection.execute(_LEDGER)
    if len(_applied(connection, path, migrations)) == len(migrations):
        return
    for migration in migrations:
        with transaction(connection):
            # Asked again inside: another process may have been faster.
            if migration.name in _applied(connection, path, migrations):
                continue
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?)",
                (migration.name, datetime.now(UTC).isoformat()),
            )


def _applied(
    connection: sqlite3.Connection, path: Path, migrations: tuple[Migration, ...]
) -> set[str]:
    """The names of the migrations the file has been through."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migration")}
    unknown = sorted(applied - {migration.name for migration in migrations})
    if unknown:
        raise NewerStore(
            f"{path}: written by a newer version (its layout has {len(applied)} migrations, among "
            f"them {', '.join(unknown)}; this program knows {len(migrations)}). Install the "
            f"version that wrote it or a later one, or start with another data directory."
        )
    return applied
