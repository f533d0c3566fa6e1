"""How the outbox's file is laid out."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory.records import Actor
from memory.stores.agentcore.erased import Erasure, Trace
from memory.stores.layout import Layout, Migration, Row
from memory.stores.values import stamp

_MIGRATIONS = (
    # IF NOT EXISTS: files of before there were migrations have these.
    Migration(
        "events and erasures",
        (
            """CREATE TABLE IF NOT EXISTS event (
                row INTEGER PRIMARY KEY AUTOINCREMENT,
                actor TEXT NOT NULL,
                session TEXT NOT NULL,
                turn TEXT NOT NULL,
                part INTEGER NOT NULL,
                body TEXT,
                state TEXT NOT NULL DEFAULT 'waiting'
                    CHECK (state IN ('waiting', 'sent', 'refused')),
                changed_at TEXT NOT NULL,
                UNIQUE (actor, session, turn, part)
            )""",
            "CREATE INDEX IF NOT EXISTS event_waiting ON event (actor, session, row) "
            "WHERE state = 'waiting'",
            "CREATE TABLE IF NOT EXISTS erasure (actor TEXT PRIMARY KEY, asked_at TEXT NOT NULL) "
            "WITHOUT ROWID",
        ),
    ),
    Migration("ids of events", ("ALTER TABLE event ADD COLUMN event_id TEXT",)),
    Migration(
        "who learns from events", ("ALTER TABLE event ADD COLUMN ours INTEGER NOT NULL DEFAULT 0",)
    ),
    Migration(
        "what fails, and when to try again",
        (
            "ALTER TABLE event ADD COLUMN failing_since TEXT",
            "ALTER TABLE event ADD COLUMN why TEXT",
            "ALTER TABLE event ADD COLUMN due_at TEXT",
            # Many of these were refused only because the memory was not active.
            "UPDATE event SET state = 'waiting' WHERE state = 'refused'",
        ),
    ),
    Migration(
        "tries of extraction jobs",
        (
            "CREATE TABLE job (key TEXT PRIMARY KEY, tries INTEGER NOT NULL, "
            "next_at TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
    Migration(
        "what stays erased",
        (
            """CREATE TABLE erased (
                row INTEGER PRIMARY KEY AUTOINCREMENT,
                actor TEXT NOT NULL,
                asked_at TEXT NOT NULL,
                trace TEXT,
                looks INTEGER NOT NULL DEFAULT 0,
                next_look TEXT NOT NULL,
                pending INTEGER NOT NULL DEFAULT 1
            )""",
            "INSERT INTO erased (actor, asked_at, next_look) "
            "SELECT actor, asked_at, asked_at FROM erasure",
            "DROP TABLE erasure",
        ),
    ),
    Migration(
        "why an erasure does not end",
        (
            "ALTER TABLE erased ADD COLUMN failing_since TEXT",
            "ALTER TABLE erased ADD COLUMN why TEXT NOT NULL DEFAULT ''",
        ),
    ),
    # Counted every few seconds, among a year's events.
    Migration(
        "refused events",
        ("CREATE INDEX IF NOT EXISTS event_refused ON event (row) WHERE state = 'refused'",),
    ),
)


def _read_event(row: Row) -> Row:
    if row["body"] is not None:
        json.loads(row["body"])
    return row | {"failing_since": _moment(row["failing_since"]), "due_at": _moment(row["due_at"])}


def _moment(written: Any) -> str | None:
    try:
        return stamp(datetime.fromisoformat(written))
    except (TypeError, ValueError):
        return None


def read_erasure(row: Mapping[str, Any]) -> Erasure:
    return Erasure(
        Actor(row["actor"]),
        datetime.fromisoformat(row["asked_at"]),
        datetime.fromisoformat(row["next_look"]),
        Trace.load(row["trace"]) if row["trace"] else None,
        row["looks"],
        bool(row["pending"]),
        datetime.fromisoformat(row["failing_since"]) if row["failing_since"] else None,
        row["why"],
        row["row"],
    )


def _read_erasure(row: Row) -> Row:
    read_erasure(row)
    return row


def _read_job(row: Row) -> Row:
    datetime.fromisoformat(row["next_at"])
    return row | {"tries": int(row["tries"])}


OUTBOX_LAYOUT = Layout(
    "outbox", _MIGRATIONS, {"event": _read_event, "erased": _read_erasure, "job": _read_job}
)
