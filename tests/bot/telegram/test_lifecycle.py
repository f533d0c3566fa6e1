"""From start to stop and over restarts: nothing received is lost, nothing is answered twice."""

import asyncio
import io
import json
import sqlite3
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.telegram.intake.receiving import RejectedToken
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage, tell
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.files import inbox_in

HASTY = ChannelOptions(stop_seconds=0.05, poll_seconds=5)


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message["text"] for message in server.sent(chat_id)]


# -- restarts -------------------------------------------------------------------------------------


async def test_what_was_not_answered_is_answered_after_a_restart_and_merged(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("one")
    async with stage(server, tmp_path, conversation=echo, options=HASTY) as on:
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard)
        await server.user(1001).says("two")
        await server.user(1002).says("three")
        await server.replies_to(1002, 1)
        await server.wait_for(lambda: on.inbox.open_count == 2)
    assert server.world.waiting == 0, "Telegram has forgotten them"
    assert texts(server, 1001) == []
    async with stage(server, tmp_path) as on:
        assert await server.replies_to(1001, 1) == ["you said: one\ntwo"]
        await on.channel.settle()
    assert texts(server, 1002) == ["you said: three"]


async def test_what_was_not_answered_comes_before_what_is_new(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("one")
    async with stage(server, tmp_path, conversation=echo, options=HASTY):
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard)
    await server.user(1001).says("two")
    async with stage(server, tmp_path) as on:
        await server.wait_for(lambda: "two" in "".join(texts(server, 1001)))
        await on.channel.settle()
        assert "\n".join(texts(server, 1001)).replace("you said: ", "") == "one\ntwo"


async def test_a_reply_that_was_made_is_delivered_after_a_restart_without_asking_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", retry_after=60)
    async with stage(server, tmp_path, options=HASTY):
        await server.user(1001).says("one")
        await server.wait_for(lambda: server.calls_of("sendMessage"))
    async with stage(server, tmp_path) as on:
        assert await server.replies_to(1001, 1) == ["you said: one"]
        assert on.echo.heard == []
        await server.user(1001).says("two")
        assert (await server.replies_to(1001, 2))[1] == "you said: two"


async def test_a_restart_answers_nothing_twice(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("two")
        await server.replies_to(1001, 2)
        await on.channel.settle()
        assert texts(server, 1001) == ["you said: one", "you said: two"]


async def test_an_update_that_telegram_sends_again_is_dropped(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        message = await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        server.world.redeliver(700_000_001, "message", message)
        await server.user(1001).says("two")
        await server.replies_to(1001, 2)
        await on.channel.settle()
    server.world.redeliver(700_000_001, "message", message)
    async with stage(server, tmp_path):
        await server.user(1001).says("three")
        await server.wait_for(lambda: "you said: three" in texts(server, 1001))
    assert texts(server, 1001) == ["you said: one", "you said: two", "you said: three"]


async def test_what_waited_too_long_gets_one_apology_a_chat(
    server: BotApiServer, tmp_path: Path
) -> None:
    long_ago = int(time.time()) - 3 * 3600
    for text in ("one", "/forget all", "three"):
        await server.user(1001).says(text, date=long_ago)
    await server.user(1002).says("four", date=long_ago)
    await server.user(1003).says("five")
    async with stage(server, tmp_path) as on:
        for user_id in (1001, 1002):
            [apology] = await server.replies_to(user_id, 1)
            assert apology.startswith("Sorry, I was away for a while")
        assert await server.replies_to(1003, 1) == ["you said: five"]
        await on.channel.settle()
        assert len(texts(server, 1001)) == 1
        await server.user(1001).says("six")
        assert (await server.replies_to(1001, 2))[1] == "you said: six"
        assert {inbound.text for inbound in on.echo.heard} == {"five", "six"}


async def test_a_reply_that_was_made_is_delivered_however_long_it_waited(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", retry_after=60)
    async with stage(server, tmp_path, options=HASTY):
        await server.user(1001).says("one", date=int(time.time()) - 10)
        await server.wait_for(lambda: server.calls_of("sendMessage"))
    impatient = ChannelOptions(stop_seconds=5, poll_seconds=5, stale=timedelta(0))
    async with stage(server, tmp_path, options=impatient) as on:
        assert await server.replies_to(1001, 1) == ["you said: one"]
        await on.channel.settle()
        assert on.echo.heard == []
    assert texts(server, 1001) == ["you said: one"]


async def test_what_is_said_while_the_bot_is_up_is_never_too_old(
    server: BotApiServer, tmp_path: Path
) -> None:
    impatient = ChannelOptions(stop_seconds=5, poll_seconds=5, stale=timedelta(0))
    async with stage(server, tmp_path, options=impatient):
        await server.user(1001).says("one")
        assert await server.replies_to(1001, 1) == ["you said: one"]


async def test_nothing_is_acknowledged_before_it_is_on_the_disk(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        await on.channel.settle()
        with closing(sqlite3.connect(tmp_path / "inbox.sqlite")) as db:
            db.execute("ALTER TABLE inbound RENAME TO broken_disk")
            polls = len(server.calls_of("getUpdates"))
            await server.user(1001).says("two")
            await server.wait_for(lambda: len(server.calls_of("getUpdates")) > polls)
            assert server.world.waiting == 1, "Telegram still has it"
            assert texts(server, 1001) == ["you said: one"]
            db.execute("ALTER TABLE broken_disk RENAME TO inbound")
        assert (await server.replies_to(1001, 2))[1] == "you said: two"


async def test_an_update_that_can_not_be_read_does_not_block_the_others(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.world.offer("message", {"nonsense": True})
    server.world.offer("message", {"message_id": "x", "date": [], "chat": 5})
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await on.channel.settle()


async def test_a_stored_update_that_can_not_be_read_does_not_keep_the_bot_from_starting(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unreadable = {"update_id": 5, "message": {"message_id": "x", "date": [], "chat": 5}}
    with ThreadPoolExecutor(1) as pool:
        async with inbox_in(tmp_path / "inbox.sqlite", pool, "telegram", server.token) as inbox:
            await inbox.store([unreadable])
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await on.channel.settle()
        assert on.inbox.open_count == 0
    assert "unreadable_update" in capsys.readouterr().out


async def test_settling_waits_until_everything_is_answered(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        for user_id in range(1001, 1006):
            for number in range(3):
                await server.user(user_id).says(f"message {number}")
        await server.wait_for(lambda: server.world.waiting == 0)
        await on.channel.settle()
        assert on.inbox.open_count == 0
        for user_id in range(1001, 1006):
            assert "message 2" in texts(server, user_id)[-1]


async def test_a_notice_comes_after_the_reply_under_way(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo) as on:
        await tell(on, "I live in Oslo")
        await server.user(1001).says("slow")
        await server.wait_for(lambda: echo.heard)
        await on.memory.talk.end(Actor.person(1001), Place("telegram", 1001), "idle")
        await on.memory.settle()
        release.set()
        await server.replies_to(1001, 2)
        noted = ENGLISH.change_noted.format(text="I live in Oslo")
        assert texts(server, 1001) == ["you said: slow", f"{ENGLISH.saved}\n\n{noted}"]


# -- stopping -------------------------------------------------------------------------------------


async def test_stopping_lets_the_reply_under_way_and_what_waits_be_finished(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard)
        await server.user(1001).says("two")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        on.stop.set()
        release.set()
        await on.running
        assert texts(server, 1001) == ["you said: one", "you said: two"]


async def test_what_takes_longer_than_the_bound_is_cut_off_and_kept(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("endless")
    async with stage(server, tmp_path, conversation=echo, options=HASTY) as on:
        await server.user(1001).says("endless")
        await server.wait_for(lambda: echo.heard)
        await on.end()
        assert echo.cancelled == ["endless"]
        assert on.inbox.open_count == 1


async def test_a_reply_that_is_being_sent_when_the_time_is_over_is_not_sent_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", chat_id=1001, late=0.5)
    async with stage(server, tmp_path, options=HASTY) as on:
        await server.user(1001).says("hi")
        await server.replies_to(1001, 1)
        await on.end()
        assert on.inbox.open_count == 0
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("still there?")
        await server.replies_to(1001, 2)
        await on.channel.settle()
        assert texts(server, 1001) == ["you said: hi", "you said: still there?"]


async def test_a_reply_that_waits_out_a_limit_when_the_time_is_over_is_sent_after_the_restart(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", chat_id=1001, retry_after=1000)
    async with stage(server, tmp_path, options=HASTY) as on:
        await server.user(1001).says("hi")
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        async with asyncio.timeout(10):
            await on.end()
    async with stage(server, tmp_path) as on:
        await server.replies_to(1001, 1)
        await on.channel.settle()
        assert texts(server, 1001) == ["you said: hi"]
        assert on.echo.heard == [], "not written again"


# -- access over the wire -------------------------------------------------------------------------


async def test_the_first_with_the_code_owns_the_bot_and_strangers_are_told_once(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"))
    async with stage(server, tmp_path, access=access) as on:
        stranger, owner = server.user(666), server.user(1001)
        for text in ("let me in", "/memory", "please"):
            await stranger.says(text)
        await server.replies_to(666, 1)
        assert "without an owner yet" in texts(server, 666)[0]
        code = access.pairing_code or ""
        assert code in capsys.readouterr().out
        await owner.says(code)
        assert (await server.replies_to(1001, 1))[0].startswith("Welcome!")
        await owner.says("hi")
        assert (await server.replies_to(1001, 2))[1] == "you said: hi"
        for text in ("and now?", "hello?"):
            await stranger.says(text)
        await server.user(667).says("and me?")
        assert "/approve" in (await server.replies_to(667, 1))[0]
        await on.channel.settle()
        assert ["/approve" in text for text in texts(server, 666)] == [False, True]
        assert [inbound.text for inbound in on.echo.heard] == ["hi"]
    await server.user(1001).says("still me")
    async with stage(
        server,
        tmp_path,
        access=Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json")),
    ):
        await server.wait_for(lambda: "you said: still me" in texts(server, 1001))


async def test_an_error_before_the_lane_is_told_and_logged_as_well(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "gone" / "access.json"))
    (tmp_path / "gone").touch()
    async with stage(server, tmp_path, access=access) as on:
        await server.user(1001).says(access.pairing_code or "")
        [sentence] = await server.replies_to(1001, 1)
        assert sentence.startswith("Something went wrong on my side.")
        assert sentence.rpartition("error ")[2].rstrip(")") in capsys.readouterr().out
        await on.channel.settle()
        assert on.echo.heard == []


async def test_a_strangers_click_does_nothing(server: BotApiServer, tmp_path: Path) -> None:
    access = Access(AccessMode.ALLOWLIST, allowed=[1001])
    async with stage(server, tmp_path, access=access):
        await server.user(1001).says("/forget all")
        await server.replies_to(1001, 1)
        query = await server.user(666).clicks(server.sent(1001)[0], "forget_all:666:yes")
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert "Only the person who asked" in server.world.answered_queries[query]["text"]


# -- Telegram itself ------------------------------------------------------------------------------


async def test_a_rejected_token_is_the_operators_matter_and_is_not_shown(
    server: BotApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "424242:AAnotTheRightSecret"
    async with stage(server, tmp_path, token=wrong) as on:
        with pytest.raises(RejectedToken, match="TELEGRAM_BOT_TOKEN") as failure:
            await on.running
    shown = "".join(traceback.format_exception(failure.value))
    assert "AAnotTheRightSecret" not in shown
    assert "AAnotTheRightSecret" not in caplog.text


async def test_a_token_that_is_revoked_ends_the_bot(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        await server.replies_to(1001, 1)
        server.token = "424242:anewone"
        await server.user(1001).says("are you there?")
        with pytest.raises(RejectedToken):
            await on.running


async def test_an_unreachable_telegram_is_waited_for(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("getMe", drop="before")
    server.fail("deleteWebhook", status=502)
    async with stage(server, tmp_path):
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


async def test_stopping_does_not_wait_for_an_unreachable_telegram(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("getMe", times=1000, drop="before")
    async with stage(server, tmp_path) as on:
        await server.wait_for(lambda: server.calls_of("getMe"))
        await on.end()


async def test_polling_survives_errors(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("getUpdates", status=502, description="Bad Gateway")
    server.fail("getUpdates", drop="before")
    async with stage(server, tmp_path):
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


async def test_only_what_is_handled_is_asked_for_and_nothing_is_dropped_at_start(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        poll = server.calls_of("getUpdates")[0]
        assert json.loads(poll.parameters["allowed_updates"]) == [
            "message",
            "edited_message",
            "callback_query",
            "my_chat_member",
        ]
        [bootstrap] = server.calls_of("deleteWebhook")
        assert bootstrap.parameters.get("drop_pending_updates") in (None, "false")


async def test_the_token_is_in_no_line_of_the_log_whatever_goes_wrong(
    server: BotApiServer, tmp_path: Path, everything_logged: io.StringIO
) -> None:
    server.fail("getUpdates", drop="before")
    server.fail("sendMessage", status=500)
    server.fail("sendChatAction", status=500)
    async with stage(server, tmp_path, conversation=Echo(lambda _: ZeroDivisionError())):
        await server.user(1001).says("hi")
        await server.wait_for(lambda: server.calls_of("sendMessage"))
    assert "update_failed" in everything_logged.getvalue()
    assert "ZeroDivisionError" in everything_logged.getvalue()
    secret = server.token.partition(":")[2]
    assert secret not in everything_logged.getvalue()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not any(secret.encode() in file.read_bytes() for file in files)


async def test_no_word_of_a_message_is_logged(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with stage(server, tmp_path) as on:
        for text in ("swordfish", "/name Swordfish", "/swordfish"):
            await server.user(1001).says(text)
        await server.replies_to(1001, 3)
        await on.channel.settle()
    assert "swordfish" not in "".join(capsys.readouterr()).lower()
