"""Random contents of data directories, and what stands in them."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

from bot.people.accounts import USAGE_LAYOUT
from bot.telegram.waiting import INBOX_LAYOUT
from memory.ports import Store
from memory.records import LEARNED_KINDS, Actor, Choice, Kind
from memory.stores.agentcore.events.layout import OUTBOX_LAYOUT
from memory.stores.files import make_directory
from memory.stores.journal.journal import JOURNAL_LAYOUT
from memory.stores.layout import Layout
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.sqlite.migrations import migrate
from memory.stores.sqlite.store import SqliteStore
from memory.stores.transfer.files import DataFiles, FileContents
from memory.stores.transfer.sections import Table, tables_of
from tests.contracts.long_term_memory import NOON, draft, turn
from tests.fakes.embedders import WordEmbedder

LAYOUTS = (JOURNAL_LAYOUT, INBOX_LAYOUT, USAGE_LAYOUT, OUTBOX_LAYOUT)
AT = "2026-03-01T12:00:00.000000+00:00"
_TEXTS = (
    "I have a dog",
    "naïve 🦊 \u202e حُبّ 中文",
    "it's \"quoted\" \\ %s ? {} '; DROP TABLE turn --",
    "two\nlines\tand a tab\r\n",
    "\\N",
    "x" * 3_000,
    "with a \0 in it",
)
_TURN = {
    "messages": [{"role": "user", "text": _TEXTS[2], "at": AT, "speaker": None}],
    "tools": [],
    "kept": True,
}

Make = Callable[[Random, int], object]

#: What a column has to hold for its row to be readable; others hold anything of their type.
_COLUMNS: dict[str, Make] = {
    "actor": lambda rnd, n: rnd.choice(["u1", "u2", "g3"]),
    "state": lambda rnd, n: rnd.choice(["waiting", "sent", "refused"]),
    "trace": lambda rnd, n: None,
    "id": lambda rnd, n: f"id{n}",
    "row": lambda rnd, n: 2 * n + 1,
    "position": lambda rnd, n: n,
    "turns": lambda rnd, n: json.dumps([f"id{n}"]),
    "oldest": lambda rnd, n: AT,
    "newest": lambda rnd, n: AT,
    "update_id": lambda rnd, n: n + 1,
    "shown": lambda rnd, n: rnd.choice([None, "[[7], []]"]),
    "holder": lambda rnd, n: None,
    "leased_until": lambda rnd, n: None,
    "evicted": lambda rnd, n: rnd.choice([0, 1]),
}
_BODIES: dict[str, Make] = {
    "turn": lambda rnd, n: json.dumps(_TURN, ensure_ascii=False),
    "inbound": lambda rnd, n: rnd.choice([None, json.dumps({"update_id": n + 1})]),
    "event": lambda rnd, n: rnd.choice([None, json.dumps({"text": rnd.choice(_TEXTS)})]),
}


def random_data(directory: Path, rnd: Random, *, people: int = 2) -> DataFiles:
    """A data directory with something in each table."""
    make_directory(directory)
    for layout in LAYOUTS:
        fill(directory / f"{layout.name}.sqlite", layout, rnd)
    asyncio.run(_live(directory / "memory", rnd, people))
    return DataFiles(directory, LAYOUTS, PERSON_LAYOUT)


async def _live(directory: Path, rnd: Random, people: int) -> None:
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(directory, pool, embedder=WordEmbedder())
        for number in range(people):
            await live(store, Actor(f"{rnd.choice('ug')}{number}"), rnd)
        await store.settle()
        await store.aclose()


async def live(store: Store, actor: Actor, rnd: Random) -> None:
    """Let somebody say things, choose, and forget some of it."""
    for number in range(rnd.randint(1, 4)):
        await store.add_turn(actor, turn(f"t{number}", f"{rnd.choice(_TEXTS)} {number}"))
        kind = rnd.choice([Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY])
        (written,) = await store.commit(actor, [draft(f"{rnd.choice(_TEXTS)} {number}", kind)])
        if rnd.random() < 0.3:
            await store.commit(actor, [draft("I moved", kind, supersedes=written.id, minutes=9)])
    await store.choices.set(actor, Choice.AGENT_NAME, rnd.choice(_TEXTS[:3]), NOON)
    kinds = (*LEARNED_KINDS, Kind.MESSAGE)
    there = await store.records(actor, kinds=kinds, include_superseded=True)
    # Also the newest: its number is not given again.
    forgotten = [record.id for record in there if rnd.random() < 0.3] + [there[-1].id]
    await store.delete(actor, forgotten)


def fill(path: Path, layout: Layout, rnd: Random) -> None:
    """Write random rows into a file, and delete some again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, path, layout.migrations)
        for table in tables_of(layout):
            for number in range(rnd.randint(1, 5)):
                row = _row(table, rnd, number)
                if layout is JOURNAL_LAYOUT and "session" in row:
                    row["session"] = "id0"
                marks = ", ".join("?" * len(row))
                db.execute(
                    f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({marks})",
                    tuple(row.values()),
                )
            if table.number and rnd.random() < 0.5:
                # The last number is not given again.
                db.execute(f"DELETE FROM {table.name} WHERE {table.number} > 1")


def _row(table: Table, rnd: Random, number: int) -> dict[str, object]:
    row: dict[str, object] = {}
    for name, types in zip(table.columns, table.types, strict=True):
        if name == "body" and table.name in _BODIES:
            row[name] = _BODIES[table.name](rnd, number)
        elif name in _COLUMNS:
            row[name] = _COLUMNS[name](rnd, number)
        elif name.endswith(("_at", "_until", "_look", "_since")):
            row[name] = AT
        elif int in types:
            row[name] = rnd.choice([0, 1, 2**52, -5])
        else:
            row[name] = f"{rnd.choice(_TEXTS)}{number}"
    return row


def dump(files: DataFiles) -> dict[str, object]:
    """All that stands in a data directory, sorted, table by table."""
    found: dict[str, object] = {}
    for section in files.sections():
        path = files.path(section)
        with closing(sqlite3.connect(path)) as db:
            contents = FileContents(db)
            for table in tables_of(section.layout):
                found[f"{section.name} {table.name}"] = sorted(map(repr, contents.rows(table)))
                if table.number:
                    found[f"{section.name} {table.name} last"] = contents.last_number(table)
            assert contents.unreadable == 0
    return found
