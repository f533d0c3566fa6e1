"""The layout of a person's memory."""

import sqlite3
from datetime import UTC, datetime

from memory.records import Kind
from memory.stores.layout import Layout, Migration, Row
from memory.stores.records.row import COLUMNS, record_of
from memory.stores.values import MOST, integer_of, moment, text_of


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


#: PostgreSQL: whose rows the transaction at hand may see. Without an actor it fails, or sees none.
_ACTOR = "current_setting('mordecai.actor')"


def _owned_table(name: str, key: str, *columns: str, view: str = "") -> tuple[str, ...]:
    """PostgreSQL: a table with everybody's rows, and a view with the actor's own, which is what all
    queries name. Row-level security keeps even a query that names the table to these rows, unless
    the user is a superuser."""
    names = ", ".join(column.split()[0] for column in columns)
    table = f"person_{name}"
    return (
        f"CREATE TABLE {table} (actor TEXT NOT NULL DEFAULT {_ACTOR} CHECK (actor <> ''), "
        f"{', '.join(columns)}, PRIMARY KEY (actor, {key}))",
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY own ON {table} USING (actor = {_ACTOR})",
        f"CREATE VIEW {view or name} AS SELECT {names} FROM {table} WHERE actor = {_ACTOR}",
    )


PERSON_MIGRATIONS = (
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
        (
            # Everybody who has data. It holds nothing else of theirs, so anybody may list it.
            """CREATE TABLE person (
                actor TEXT PRIMARY KEY,
                last_row INTEGER NOT NULL DEFAULT 0, -- the highest that was ever in their records
                tokeniser TEXT -- of their word index
            )""",
            *_owned_table(
                "record",
                "row",
                "row INTEGER NOT NULL",
                "id TEXT NOT NULL",
                "kind TEXT NOT NULL",
                "created_at TEXT NOT NULL",
                "session_id TEXT",
                "turn_ids TEXT NOT NULL",
                "slot TEXT",
                "importance INTEGER NOT NULL",
                "event_date TEXT",
                "supersedes TEXT",
                "superseded_at TEXT",
                "role TEXT NOT NULL",
                "speaker TEXT",
                "speaker_id INTEGER",
                "moment REAL NOT NULL",
                "length INTEGER NOT NULL DEFAULT 0",
                "context INTEGER NOT NULL DEFAULT 0",
                "place TEXT",
                "topics TEXT",
                "details TEXT",
                "text TEXT NOT NULL",
            ),
            "CREATE UNIQUE INDEX record_id ON person_record (actor, id)",
            "CREATE INDEX record_kind ON person_record (actor, kind)",
            "CREATE INDEX record_session ON person_record (actor, session_id, row) "
            "WHERE kind = 'message'",
            "CREATE INDEX record_turn ON person_record (actor, turn_ids) WHERE kind = 'message'",
            *_owned_table("counter", "kind", "kind TEXT NOT NULL", "last INTEGER NOT NULL"),
            # The journal has the name.
            *_owned_table("turn", "id", "id TEXT NOT NULL", view="archived_turn"),
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
        (
            *_owned_table(
                "shelf",
                "name",
                "name TEXT NOT NULL",
                "records INTEGER NOT NULL",
                "words INTEGER NOT NULL",
            ),
            # What FTS5 keeps: each record's words by field, and for each word its places. Those in
            # a block of rows are one array: a row a place would take thrice the disk.
            *_owned_table(
                "entry",
                "row",
                "row INTEGER NOT NULL",
                "own TEXT NOT NULL",
                "reply TEXT NOT NULL",
                "head TEXT NOT NULL",
            ),
            *_owned_table(
                "posting",
                "shelf, word, block",
                "shelf TEXT NOT NULL",
                "word TEXT NOT NULL",
                "block INTEGER NOT NULL",
                "places SMALLINT[] NOT NULL",
            ),
            # They grow in place.
            "ALTER TABLE person_posting SET (fillfactor = 75)",
        ),
    ),
    Migration(
        "vectors",
        (
            "CREATE TABLE embedder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            # Of current records only. `numbers` are signed bytes: see `records.vectors`. The
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
        (
            *_owned_table(
                "embedder",
                "id",
                "id INTEGER NOT NULL GENERATED BY DEFAULT AS IDENTITY",
                "name TEXT NOT NULL",
            ),
            *_owned_table(
                "vector",
                "row",
                "row INTEGER NOT NULL",
                "embedder INTEGER NOT NULL",
                "kind TEXT NOT NULL",
                "numbers BLOB NOT NULL",
            ),
            "CREATE INDEX vector_embedder ON person_vector (actor, embedder)",
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
        (),
    ),
    Migration(
        "places of what was deleted",
        # Of a record nothing else stays: who wants it back brings it along.
        ("CREATE TABLE deleted (id TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID",),
        _owned_table("deleted", "id", "id TEXT NOT NULL", "row INTEGER NOT NULL"),
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
        _owned_table(
            "choice",
            "name",
            "name TEXT NOT NULL",
            "value TEXT NOT NULL",
            "moment REAL NOT NULL",
        ),
    ),
    Migration(
        "details and speakers",
        (
            # A JSON object, see memory.stores.details; NULL for a record whose own text is its
            # evidence, as it was for all records before.
            "ALTER TABLE record ADD COLUMN details TEXT",
            "ALTER TABLE record ADD COLUMN speaker_id INTEGER",
        ),
        (),
    ),
)


def _read_record(row: Row) -> Row:
    """The row with what is computed of it as it has to be."""
    record = record_of([row.get(name) for name in COLUMNS.split(", ")])
    derived = {"length": 0, "context": 0}
    right = {name: row[name] if isinstance(row[name], int) else derived[name] for name in derived}
    right_row = {**row, **right, "moment": record.created_at.timestamp()}
    if any(isinstance(value, bytes) for value in right_row.values()):
        # JSON, in which a search reads rows, can't hold it.
        raise ValueError("bytes in place of a text")
    if not 0 < row["row"] < MOST:
        # It gets another place: after this one there would be none.
        del right_row["row"]
    return right_row


def _read_choice(row: Row) -> Row:
    text_of(row["name"]), text_of(row["value"])
    return {**row, "moment": float(row["moment"])}


def _read_count(row: Row) -> Row:
    return {**row, "kind": Kind(row["kind"]).value, "last": integer_of(row["last"])}


def _read_place(row: Row) -> Row:
    text_of(row["id"])
    return {**row, "row": integer_of(row["row"])}


def _read_vector(row: Row) -> Row:
    return {**row, "embedder": integer_of(row["embedder"]), "numbers": memoryview(row["numbers"])}


def _finish(connection: sqlite3.Connection, *, damaged: bool) -> None:
    # The words are indexed when the file is opened.
    connection.execute("DELETE FROM setting WHERE name = 'tokeniser'")
    connection.execute(
        "DELETE FROM vector WHERE row NOT IN (SELECT row FROM record WHERE superseded_at IS NULL)"
    )
    # No id is given twice, and no row that a deletion may be undone to.
    used = (
        "SELECT id FROM record UNION ALL SELECT id FROM deleted UNION ALL SELECT id FROM unreadable"
    )
    for kind in Kind:
        connection.execute(
            f"INSERT INTO counter SELECT ?1, max(CAST(substr(id, 2) AS INTEGER)) FROM ({used}) "
            "WHERE id GLOB ?2 HAVING count(*) "
            "ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
            (kind.value, f"{kind.value[0]}[0-9]*"),
        )
    connection.execute(
        "UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(row) FROM deleted), 0)) "
        "WHERE name = 'record'"
    )
    if damaged:
        connection.execute(
            "INSERT OR REPLACE INTO setting VALUES ('damaged_at', ?)", (moment(datetime.now(UTC)),)
        )


#: Each index holds the current records of its kinds, and no id can be given twice.
_AGREEMENTS = (
    *(
        f"(SELECT records = (SELECT count(*) FROM record WHERE {current}) "
        f"AND typeof(words) = 'integer' FROM shelf WHERE name = '{name}') "
        f"AND NOT EXISTS (SELECT row FROM record WHERE {current} EXCEPT SELECT rowid FROM {name})"
        for name, current in (
            ("learned", "superseded_at IS NULL AND kind != 'message'"),
            ("said", "superseded_at IS NULL AND kind = 'message'"),
        )
    ),
    "(SELECT coalesce(max(row), 0) FROM record) "
    "<= coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'record'), 0)",
    "NOT EXISTS (SELECT 1 FROM record WHERE CAST(substr(id, 2) AS INTEGER) > coalesce("
    "(SELECT max(last) FROM counter WHERE substr(kind, 1, 1) = substr(id, 1, 1)), 0))",
)

#: With pages of 4,096 bytes somebody who said one thing takes 112 KB instead of 32, and the log
#: beside an open file four times as much.
PERSON_LAYOUT = Layout(
    "person",
    PERSON_MIGRATIONS,
    {
        "record": _read_record,
        "choice": _read_choice,
        "counter": _read_count,
        "deleted": _read_place,
        "vector": _read_vector,
    },
    _finish,
    made=("shelf", "record.length", "record.context"),
    agree=f"SELECT {' AND '.join(_AGREEMENTS)}",
    page_size=1_024,
)
