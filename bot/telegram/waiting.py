"""What waits in the inbox's file: its layout, and how its rows and the replies in them are read."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from bot.assistant.events import Button, Question, Reply
from bot.telegram.delivery.progress import NO_PROGRESS, Progress
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.intake.raw import stored_update
from memory.stores.database import Connection
from memory.stores.layout import Layout, Migration, Row
from memory.stores.notes import notes_table
from memory.stores.values import first, integer_of, text_of, text_or_none

_ACTORS = (
    "ALTER TABLE inbound ADD COLUMN actor TEXT",
    """UPDATE inbound SET actor = CASE WHEN chat > 0 THEN 'u' || chat
        WHEN chat < 0 THEN 'g' || (-chat) END WHERE body IS NOT NULL""",
)
# In the transaction that stores an update, see `Leases.wake_ups`. A longer payload is an error.
_WAKE_UPS = (
    "CREATE INDEX inbound_waiting ON inbound (source, actor) WHERE body IS NOT NULL",
    """CREATE FUNCTION wake_workers() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF to_regclass('held_lane') IS NOT NULL THEN
            PERFORM pg_notify(TG_TABLE_SCHEMA || '.wake_ups', left(string_agg(
                    DISTINCT stored.actor || coalesce('@' || holder, ''), ' '), 7900))
                FROM stored LEFT JOIN held_lane ON held_lane.actor = stored.actor;
        END IF;
        RETURN NULL; END $$""",
    """CREATE TRIGGER wake_workers AFTER INSERT ON inbound REFERENCING NEW TABLE AS stored
        FOR EACH STATEMENT EXECUTE FUNCTION wake_workers()""",
)

MIGRATIONS = (
    Migration(
        "updates",
        (
            """CREATE TABLE inbound (
                source TEXT NOT NULL, update_id INTEGER NOT NULL, chat INTEGER, body TEXT,
                reply TEXT, received_at TEXT NOT NULL, PRIMARY KEY (source, update_id)
            ) WITHOUT ROWID""",
            "CREATE INDEX inbound_open ON inbound (source, update_id) WHERE body IS NOT NULL",
        ),
    ),
    # What shows the beginning of the reply, see Shown.
    Migration("previews", ("ALTER TABLE inbound ADD COLUMN preview INTEGER",)),
    # How far a reply has come, and replies as JSON; before, only the text of an answer was kept.
    Migration(
        "progress",
        (
            "ALTER TABLE inbound ADD COLUMN progress TEXT",
            """UPDATE inbound SET progress = '{"unsure": true}', reply =
                json_object('text', reply, 'markdown', json('true')) WHERE reply IS NOT NULL""",
        ),
        postgres=("ALTER TABLE inbound ADD COLUMN progress TEXT",),
    ),
    Migration("notes", (notes_table("note"),), postgres=()),
    # The journal, which may be in the same database, has notes of its own.
    Migration(
        "notes of the inbox",
        ("ALTER TABLE note RENAME TO inbox_note",),
        postgres=(notes_table("inbox_note"),),
    ),
    Migration(
        "previews as text",
        (
            "ALTER TABLE inbound ADD COLUMN shown TEXT",
            "UPDATE inbound SET shown = CAST(preview AS TEXT)",
            "ALTER TABLE inbound DROP COLUMN preview",
        ),
    ),
    # Several workers share what waits: each takes that of the actors on whom it has the lease.
    Migration("actors", _ACTORS, (*_ACTORS, *_WAKE_UPS)),
)


#: What is not kept of a reply, see `can_keep`; its effects are in its text and buttons.
_LEFT_OUT = ("documents", "effects")
_KEPT = tuple(field.name for field in fields(Reply) if field.name not in _LEFT_OUT)


def can_keep(reply: Reply) -> bool:
    """False for a command's reply with documents, which are too large. Such a command only reads,
    and can be carried out again."""
    return not reply.documents


def dump_reply(reply: Reply) -> str:
    kept = {name: getattr(reply, name) for name in _KEPT}
    kept["buttons"] = [[asdict(button) for button in row] for row in reply.buttons]
    kept["question"] = asdict(reply.question) if reply.question else None
    return json.dumps(kept)


def load_reply(kept: str | None) -> Reply | None:
    """The reply; None if there is none, or none of this version."""
    try:
        values = {name: value for name, value in json.loads(kept or "").items() if name in _KEPT}
        rows, asked = values.pop("buttons", ()), values.pop("question", None)
        buttons = tuple(tuple(Button(**button) for button in row) for row in rows)
        question = Question(**asked | {"numbers": tuple(asked["numbers"])}) if asked else None
        return Reply(**values, buttons=buttons, question=question)
    except (ValueError, TypeError, AttributeError, KeyError):
        return None


@dataclass(frozen=True, slots=True)
class Waiting:
    """An update that an earlier process left open, its reply if there was one already, what its
    preview has shown, and how far the reply had come."""

    update: dict[str, Any]
    reply: Reply | None
    preview: Shown = NOTHING_SHOWN
    progress: Progress = NO_PROGRESS


def waiting_of(row: tuple[Any, ...]) -> tuple[int, Waiting]:
    """An open update by its number. Raises ValueError, TypeError, LookupError."""
    update_id, body, reply, shown, progress = row
    update = stored_update(update_id, body)
    return update_id, Waiting(update, load_reply(reply), Shown.load(shown), Progress.load(progress))


def _read_inbound(row: Row) -> Row:
    """See Layout. An update is not set aside for its reply: it is answered again."""
    right = {
        "reply": first(text_or_none, row.get("reply"), None),
        "shown": None if row.get("shown") is None else Shown.load(row["shown"]).dump(),
        "progress": first(text_or_none, row.get("progress"), None),
    }
    if row["body"] is not None:
        stored_update(integer_of(row["update_id"]), text_of(row["body"]))
    return row | {name: value for name, value in right.items() if name in row}


INBOX_LAYOUT = Layout("inbox", MIGRATIONS, {"inbound": _read_inbound})

INSERT = """INSERT INTO inbound (source, update_id, chat, actor, body, received_at)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source, update_id) DO NOTHING"""
FIND_OPEN = """SELECT update_id, body, reply, shown, progress FROM inbound
    WHERE source = ? AND body IS NOT NULL ORDER BY update_id"""
CLOSE = """UPDATE inbound SET body = NULL, reply = NULL, progress = NULL, chat = NULL
    WHERE source = ? AND update_id IN (SELECT value FROM json_each(?))"""
NOTE_PROGRESS = "UPDATE inbound SET progress = ? WHERE source = ? AND update_id = ?"
NOTE_SHOWN = "UPDATE inbound SET shown = ? WHERE source = ? AND update_id = ?"
KEEP_REPLY = "UPDATE inbound SET reply = ?, progress = ? WHERE source = ? AND update_id = ?"
ERASE = """UPDATE inbound SET body = NULL, reply = NULL, progress = NULL, chat = NULL
    WHERE chat = ? AND NOT (source = ? AND update_id >= ?)"""
# The newest numbers stay even if the clock leaps: only they can come again, and `next_id` continues
# from the largest.
PRUNE = """DELETE FROM inbound WHERE source = ?1 AND body IS NULL AND received_at < ?2
    AND update_id < (SELECT min(update_id) FROM (SELECT update_id FROM inbound
        WHERE source = ?1 ORDER BY update_id DESC LIMIT 1000) AS newest)"""


def insert(db: Connection, rows: Iterable[Sequence[Any]]) -> list[int]:
    """Write new updates; returns their numbers."""
    return [row[1] for row in rows if db.execute(INSERT, row).rowcount == 1]


def keep_reply(
    db: Connection, source: str, update_ids: Sequence[int], reply: str, progress: str
) -> None:
    """Keep the reply with the first update, and close the others."""
    first, *others = update_ids
    if others:
        db.execute(CLOSE, (source, json.dumps(others)))
    db.execute(KEEP_REPLY, (reply, progress, source, first))


def apply_edit(db: Connection, source: str, update_id: int) -> None:
    """Apply an edit to the open update that brought the original message, in the transaction under
    way."""
    sql = "SELECT chat, body FROM inbound WHERE source = ? AND update_id = ? AND body IS NOT NULL"
    for chat, body in db.execute(sql, (source, update_id)).fetchall():
        edited = stored_update(update_id, body).get("edited_message") or {}
        sql = (
            "SELECT update_id, body FROM inbound "
            "WHERE source = ? AND chat = ? AND body IS NOT NULL ORDER BY update_id"
        )
        for number, brought in db.execute(sql, (source, chat)).fetchall():
            update = stored_update(number, brought)
            message = update.get("message")
            if isinstance(message, dict) and message.get("message_id") == edited.get("message_id"):
                changed = json.dumps(update | {"message": edited}, ensure_ascii=True)
                sql = "UPDATE inbound SET body = ? WHERE source = ? AND update_id = ?"
                db.execute(sql, (changed, source, number))
