"""What was received is on the disk before Telegram may forget it."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.events import Button, Reply
from bot.telegram.delivery.progress import Progress
from bot.telegram.delivery.shown import Shown
from bot.telegram.intake.inbox import Inbox
from bot.telegram.waiting import INBOX_LAYOUT, MIGRATIONS
from memory.errors import NewerStore
from memory.stores.database import Databases
from tests.fakes.files import inbox_in

TOKEN = "42:secret"


@pytest.fixture
def pool() -> Any:
    with ThreadPoolExecutor(2) as pool:
        yield pool


class Inboxes:
    """Opens an inbox, again and again, as each start of the program does."""

    def __init__(self, databases: Databases) -> None:
        self.databases = databases

    def __call__(self, channel: str = "telegram", token: str = TOKEN) -> Inbox:
        return Inbox(self.databases.open(INBOX_LAYOUT), channel, token)


@pytest.fixture
def inboxes(databases: Databases) -> Inboxes:
    return Inboxes(databases)


@pytest.fixture
async def inbox(inboxes: Inboxes) -> AsyncIterator[Inbox]:
    async with inboxes() as inbox:
        yield inbox


def update(update_id: int, text: str = "hi", chat: int = 1001) -> dict[str, Any]:
    return {"update_id": update_id, "message": {"chat": {"id": chat}, "text": text}}


def bytes_on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_an_update_is_claimed_once(inbox: Inbox) -> None:
    await inbox.store([update(5)])
    assert inbox.claim(5)
    assert not inbox.claim(5)


async def test_an_update_whose_receiver_gave_up_is_claimed_when_it_comes_again(
    inbox: Inbox,
) -> None:
    storing = asyncio.create_task(inbox.store([update(5)]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    storing.cancel()
    await asyncio.gather(storing, return_exceptions=True)
    await inbox.store([update(5)])
    assert inbox.claim(5)


async def test_an_update_that_comes_again_is_known(inbox: Inbox) -> None:
    await inbox.store([update(5)])
    assert inbox.claim(5)
    await inbox.store([update(5), update(6)])
    assert not inbox.claim(5)
    assert inbox.claim(6)


async def test_an_update_is_known_after_it_is_done_and_after_a_restart(inboxes: Inboxes) -> None:
    for _ in range(2):
        async with inboxes() as inbox:
            await inbox.store([update(5)])
            inbox.claim(5)
            await inbox.done([5])
    async with inboxes() as inbox:
        await inbox.store([update(5)])
        assert not inbox.claim(5)
        assert await inbox.find_open() == []


async def test_what_was_not_done_waits_for_the_next_start_oldest_first(inboxes: Inboxes) -> None:
    async with inboxes() as inbox:
        await inbox.store([update(7, "late"), update(6, "early"), update(5)])
        await inbox.done([5])
    async with inboxes() as inbox:
        waiting = await inbox.find_open()
        assert [w.update["message"]["text"] for w in waiting] == ["early", "late"]
        assert inbox.claim(6)
        assert inbox.claim(7)


async def test_a_reply_that_was_made_is_kept_for_the_burst_it_answers(inboxes: Inboxes) -> None:
    rows = ((Button("Undo", "c:1"), Button("Edit", "c:2")), (Button("Back", "c:3"),))
    reply = Reply(
        "the *answer*", rows, markdown=True, private=True, footer="+ noted", reaction="👍"
    )
    async with inboxes() as inbox:
        await inbox.store([update(5), update(6)])
        await inbox.keep_reply([5, 6], reply, Progress((77,), unsure=True))
    async with inboxes() as inbox:
        [waiting] = await inbox.find_open()
        assert (waiting.update["update_id"], waiting.reply) == (5, reply)
        assert waiting.progress == Progress((77,), unsure=True)
        await inbox.note_progress(5, Progress((77, 78)))
    async with inboxes() as inbox:
        assert [w.progress for w in await inbox.find_open()] == [Progress((77, 78))]


async def test_an_answer_that_an_older_version_kept_is_still_there(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    path = tmp_path / "inbox.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for migration in MIGRATIONS[:2]:
            for statement in migration.statements:
                db.execute(statement)
        db.execute("CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at TEXT) WITHOUT ROWID")
        for migration in MIGRATIONS[:2]:
            db.execute("INSERT INTO migration VALUES (?, '2026-01-01')", (migration.name,))
        values = ("telegram:42", 5, 1001, json.dumps(update(5)), "an *answer*", "2026-01-01", 77)
        db.execute("INSERT INTO inbound VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    async with inbox_in(path, pool, "telegram", TOKEN) as inbox:
        [waiting] = await inbox.find_open()
        assert waiting.reply == Reply("an *answer*", markdown=True)
        assert (waiting.preview, waiting.progress) == (Shown((77,)), Progress(unsure=True))


async def test_nothing_of_what_was_said_stays_when_it_is_done(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    async with inbox_in(tmp_path / "inbox.sqlite", pool, "telegram", TOKEN) as inbox:
        await inbox.store([update(5, "sesame-open")])
        assert b"sesame-open" in bytes_on_disk(tmp_path)
        await inbox.keep_reply([5], Reply("cave-is-open"), Progress())
        await inbox.done([5])
        await inbox.erase(1001, before=99)
        assert b"sesame-open" not in bytes_on_disk(tmp_path)
        assert b"cave-is-open" not in bytes_on_disk(tmp_path)


async def test_erasing_takes_one_chat_and_only_what_came_before(
    inbox: Inbox, inboxes: Inboxes
) -> None:
    await inbox.store([update(5, "old"), update(6, "mine", chat=2002), update(8, "later")])
    await inbox.erase(1001, before=7)
    async with inboxes() as again:
        assert [w.update["message"]["text"] for w in await again.find_open()] == ["mine", "later"]


async def test_bots_and_channels_have_their_own_numbers(inbox: Inbox, inboxes: Inboxes) -> None:
    await inbox.store([update(5)])
    for channel, token in (("telegram", "43:other"), ("terminal", TOKEN)):
        async with inboxes(channel, token) as other:
            await other.store([update(5)])
            assert other.claim(5)


async def test_a_channel_that_counts_itself_goes_on_where_it_was(inboxes: Inboxes) -> None:
    async with inboxes("terminal", TOKEN) as inbox:
        assert await inbox.next_id() == 1
        await inbox.store([update(1), update(2)])
        await inbox.done([1, 2])
    async with inboxes("terminal", TOKEN) as inbox:
        assert await inbox.next_id() == 3


async def test_settling_waits_for_the_last_open_update(inbox: Inbox) -> None:
    await inbox.settle()
    await inbox.store([update(5), update(6)])
    await inbox.done([5])
    assert inbox.open_count == 1
    await inbox.done([6])
    await inbox.settle()


async def test_a_file_of_a_newer_program_is_refused(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    await inbox_in(tmp_path / "inbox.sqlite", pool, "telegram", TOKEN).aclose()
    with closing(sqlite3.connect(tmp_path / "inbox.sqlite", isolation_level=None)) as db:
        db.execute("INSERT INTO migration VALUES ('telepathy', '2030-01-01')")
    with pytest.raises(NewerStore, match="newer version"):
        inbox_in(tmp_path / "inbox.sqlite", pool, "telegram", TOKEN)


async def test_a_damaged_file_is_set_aside_whole(tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    path = tmp_path / "inbox.sqlite"
    path.write_bytes(b"this is no database" * 100)
    async with inbox_in(path, pool, "telegram", TOKEN) as inbox:
        assert await inbox.find_open() == []
    (aside,) = tmp_path.glob("inbox.sqlite.damaged-*")
    assert aside.read_bytes().startswith(b"this is no database")


async def test_where_a_reply_had_begun_is_known_after_a_restart(inboxes: Inboxes) -> None:
    async with inboxes() as inbox:
        await inbox.store([update(5), update(6)])
        await inbox.note_preview(5, Shown((77, 78), (79,)))
    async with inboxes() as inbox:
        previews = [item.preview for item in await inbox.find_open()]
        assert previews == [Shown((77, 78), (79,)), Shown()]


async def test_what_was_answered_two_days_ago_is_not_known_any_more(inboxes: Inboxes) -> None:
    async with inboxes() as inbox:
        await inbox.store([update(1), update(2), update(3)])
        await inbox.done([1, 2])
    db = inboxes.databases.open(INBOX_LAYOUT)
    await db.write("UPDATE inbound SET received_at = '2020-01-01' WHERE update_id != 2")
    newer = (
        "INSERT INTO inbound (source, update_id, received_at) "
        "SELECT source, ?, received_at FROM inbound WHERE update_id = 1"
    )
    rows = [(number,) for number in range(5, 1004)]
    await db.change(lambda connection: connection.executemany(newer, rows))
    async with inboxes() as inbox:
        await inbox.store([update(4)])
    kept = await db.rows("SELECT update_id FROM inbound ORDER BY update_id")
    await db.aclose()
    assert [number for (number,) in kept] == list(range(2, 1004)), (
        "of old ones the newest 1000, whatever the clock says"
    )
