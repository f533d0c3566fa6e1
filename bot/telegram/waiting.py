"""What waits in the inbox's file: its layout, and how a row of it is read."""

from dataclasses import dataclass
from typing import Any

from bot.assistant.events import Reply
from bot.telegram.delivery import kept
from bot.telegram.delivery.progress import NO_PROGRESS, Progress
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.intake.raw import stored_update
from memory.stores.sqlite.migrations import Layout, Migration, Row
from memory.stores.sqlite.notes import NOTES
from memory.stores.values import first, text_of, text_or_none, whole

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
    ),
    Migration("notes", (NOTES,)),
)


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
    update_id, body, reply, preview, progress = row
    update, shown = stored_update(update_id, body), Shown.load(preview)
    return update_id, Waiting(update, kept.load(reply), shown, Progress.load(progress))


def _read_inbound(row: Row) -> Row:
    """See Layout. An update is not set aside for its reply: it is answered again."""
    right = {
        "reply": first(text_or_none, row.get("reply"), None),
        "preview": Shown.load(row.get("preview")).dump(),
        "progress": first(text_or_none, row.get("progress"), None),
    }
    if row["body"] is not None:
        stored_update(whole(row["update_id"]), text_of(row["body"]))
    return row | {name: value for name, value in right.items() if name in row}


LAYOUT = Layout(MIGRATIONS, {"inbound": _read_inbound})
