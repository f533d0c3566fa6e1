"""Files of earlier layouts, as a bot finds them that was updated."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.telegram.waiting import INBOX_LAYOUT
from memory.stores.journal.journal import JOURNAL_LAYOUT
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.sqlite.migrations import migrate
from tests.benchmarks.killloop.words import statement

_INSERT = """INSERT INTO record (id, kind, created_at, turn_ids, importance, role, moment, text)
    VALUES (?, 'fact', '2026-03-15T12:00:00+00:00', '[]', 5, 'user', 0, ?)"""


def make_older(data: Path) -> None:
    """A data directory of the first layout, with nothing in it yet."""
    data.mkdir(mode=0o700)
    for name, layout in (("journal.sqlite", JOURNAL_LAYOUT), ("inbox.sqlite", INBOX_LAYOUT)):
        with closing(sqlite3.connect(data / name, isolation_level=None)) as db:
            migrate(db, data / name, layout.migrations[:1])


def make_person(data: Path, person: int, dice: random.Random) -> list[str]:
    """A person's file of some earlier layout with facts in it; their names."""
    path, told = data / "memory" / f"u{person}.sqlite", [statement(dice) for _ in range(3)]
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        known = PERSON_LAYOUT.migrations
        migrate(db, path, known[: dice.randrange(1, len(known))])
        for number, (fact, _) in enumerate(told, 1):
            db.execute(_INSERT, (f"f{number}", fact))
        db.execute("INSERT INTO counter VALUES ('fact', ?)", (len(told),))
    return [name for _, name in told]
