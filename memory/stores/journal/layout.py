"""The layout of the journal's file, as named migrations in order."""

from memory.stores.sqlite.schema import Migration

JOURNAL_LAYOUT = (
    Migration(
        "sessions and turns",
        (
            """CREATE TABLE session (
                id TEXT PRIMARY KEY, actor TEXT NOT NULL, channel TEXT NOT NULL,
                chat INTEGER NOT NULL, topic INTEGER, opened_at TEXT NOT NULL,
                last_at TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
                ended_at TEXT, reason TEXT, attempts INTEGER NOT NULL DEFAULT 0, due_at TEXT,
                error TEXT
            )""",
            "CREATE INDEX session_actor ON session (actor)",
            "CREATE INDEX session_due ON session (due_at) WHERE ended_at IS NOT NULL",
            """CREATE TABLE turn (
                session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL,
                PRIMARY KEY (session, position)
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        "leases",
        (
            "ALTER TABLE session ADD COLUMN holder TEXT",
            "ALTER TABLE session ADD COLUMN leased_until TEXT",
            "ALTER TABLE session ADD COLUMN set_aside_at TEXT",
            "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        "running summaries",
        (
            "ALTER TABLE turn ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0",
            """CREATE TABLE running_summary (
                id TEXT PRIMARY KEY,
                session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                position INTEGER NOT NULL, -- of its first turn
                turns TEXT NOT NULL, oldest TEXT NOT NULL, newest TEXT NOT NULL,
                fallback INTEGER NOT NULL, base TEXT, base_turns INTEGER NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0,
                due_at TEXT NOT NULL DEFAULT '', -- at once
                text TEXT NOT NULL
            )""",
            "CREATE INDEX running_summary_session ON running_summary (session, position)",
            "CREATE INDEX running_summary_due ON running_summary (due_at) WHERE fallback",
        ),
    ),
    Migration(
        "private sessions",
        ("ALTER TABLE session ADD COLUMN private INTEGER NOT NULL DEFAULT 0",),
    ),
)
