"""Until Telegram has a reply it is sent again: unmarked if it surely failed, marked if it may be
there already."""

import io
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.events import Reply
from bot.texts import ENGLISH, languages
from memory.records import Actor, Place
from tests.bot.telegram.stage import ask, stage, tell
from tests.bot.telegram.streaming import options, texts
from tests.bot.telegram.watched import Watched
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo

ANNA, BORIS, GROUP = 1001, 1002, -1000500
PAGE = "<html><h1>Bad Gateway</h1></html>"
AGAIN = ENGLISH.sent_again
PARTS = ["word " * 800 + name for name in ("one", "two", "three")]
LONG = "\n\n".join(PARTS)
#: Telegram, or a proxy before it, says that it failed.
FAILED: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 502, "description": "Bad Gateway"},
    {"status": 502, "page": PAGE},
    {"status": 504, "page": PAGE},
    {"status": 302, "page": PAGE},
    {"status": 400, "page": PAGE},
    {"status": 403, "page": PAGE},
    {"status": 404, "page": PAGE},
]
#: Nobody knows what became of it.
CUT: list[dict[str, Any]] = [{"drop": "before"}, {"drop": "after"}, {"page": PAGE}]


def names(messages: list[str]) -> list[str]:
    """What each message is: its first line if it is the mark, and its last word."""
    return [(AGAIN + " " if AGAIN in text else "") + text.split()[-1] for text in messages]


# -- what surely failed ---------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", FAILED)
@pytest.mark.parametrize("said", ["hi", "/help", "/nonsense"])
async def test_what_telegram_failed_to_do_is_done_again(
    server: BotApiServer, tmp_path: Path, said: str, trouble: dict[str, Any]
) -> None:
    async with stage(server, tmp_path, options=options()) as on:
        [expected] = [await ask(server, said, BORIS)]
        server.fail("sendMessage", chat_id=ANNA, times=3, **trouble)
        await server.user(ANNA).says(said)
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        assert texts(server, ANNA) == [expected]
        assert len(server.calls_of("sendMessage", ANNA)) == 4
        assert on.inbox.open_count == 0


async def test_a_page_of_a_proxy_is_a_line_in_the_log_and_no_traceback(
    server: BotApiServer, tmp_path: Path, everything_logged: io.StringIO
) -> None:
    server.fail("sendMessage", status=502, page=PAGE)
    server.fail("getUpdates", status=502, page=PAGE)
    async with stage(server, tmp_path, options=options()):
        assert await ask(server, "hi") == "you said: hi"
    log = everything_logged.getvalue()
    assert "delivery_delayed" in log
    assert "Traceback" not in log
    assert PAGE not in log


async def test_a_failure_between_the_parts_repeats_none(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", skip=1, times=2, status=500)
    async with stage(server, tmp_path, conversation=Echo(lambda _: LONG), options=options()) as on:
        await server.user(ANNA).says("tell me")
        await server.replies_to(ANNA, 3)
        await on.channel.settle()
        assert names(texts(server)) == ["one", "two", "three"]


async def test_a_file_that_failed_is_sent_again_and_the_one_before_it_is_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, options=options()) as on:
        await ask(server, "/remember I live in Oslo")
        server.fail("sendDocument", times=2, status=502, page=PAGE)
        server.fail("sendDocument", skip=1, drop="before")
        await server.user(ANNA).says("/export")
        await server.replies_to(ANNA, 3)
        await on.channel.settle()
        files = [m["document"]["file_name"] for m in server.sent(ANNA) if "document" in m]
        assert len(files) == len(set(files)) == 2


async def test_other_chats_do_not_wait_for_one_that_fails(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", chat_id=ANNA, times=1000, status=500)
    async with stage(server, tmp_path, options=options(stop_seconds=0.01)):
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: len(server.calls_of("sendMessage", ANNA)) >= 3)
        assert await ask(server, "me too", BORIS) == "you said: me too"


@pytest.mark.parametrize("trouble", [*FAILED, *CUT])
async def test_a_notice_is_sent_again(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    async with stage(server, tmp_path, options=options()) as on:
        await tell(on, "I live in Oslo")
        await ask(server, "hi")
        server.fail("sendMessage", **trouble)
        await on.memory.talk.end(Actor.person(ANNA), Place("telegram", ANNA), "idle")
        await on.memory.settle()
        await server.wait_for(lambda: ENGLISH.saved in texts(server)[-1])
        await on.channel.settle()
        assert AGAIN not in "".join(texts(server))


# -- what may have arrived ------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", CUT)
@pytest.mark.parametrize("chat", [ANNA, GROUP])
async def test_an_answer_that_may_have_arrived_is_sent_again_and_marked(
    server: BotApiServer, tmp_path: Path, chat: int, trouble: dict[str, Any]
) -> None:
    server.fail("sendMessage", times=2, **trouble)
    group, arrived = server.group(GROUP), 2 if trouble.get("drop") == "after" else 0
    async with stage(server, tmp_path, options=options()) as on:
        await server.user(ANNA).says("/ask hi", group=group if chat == GROUP else None)
        await server.replies_to(chat, 1 + arrived)
        await on.channel.settle()
        answers = texts(server, chat)
        assert answers[-1] == f"{AGAIN}\nyou said: hi"
        assert answers.count("you said: hi") == min(arrived, 1)
        assert on.inbox.open_count == 0


@pytest.mark.parametrize("language", languages())
async def test_the_mark_is_in_the_person_s_language(
    server: BotApiServer, tmp_path: Path, language: str
) -> None:
    server.user(ANNA).profile["language_code"] = language
    server.fail("sendMessage", drop="before")
    async with stage(server, tmp_path, options=options()):
        expected = f"{languages()[language].sent_again}\nyou said: hi"
        assert await ask(server, "hi") == expected


async def test_formatting_and_buttons_move_below_the_mark(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", drop="before")
    async with stage(
        server, tmp_path, conversation=Echo(lambda _: "```py\nx = 1\n```"), options=options()
    ):
        await ask(server, "code")
        [entity] = server.sent(ANNA)[0]["entities"]
        assert (entity["type"], entity["offset"]) == ("pre", len(AGAIN) + 1)


async def test_the_mark_of_a_message_that_is_full_stands_above_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    full = "x" * 4093
    server.fail("sendMessage", drop="before")
    async with stage(server, tmp_path, conversation=Echo(lambda _: full), options=options()) as on:
        await server.user(ANNA).says("a lot")
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert texts(server) == [AGAIN, full]


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("drop", ["before", "after"])
async def test_of_a_long_answer_the_part_in_doubt_alone_is_sent_again(
    server: BotApiServer, tmp_path: Path, part: int, drop: str
) -> None:
    server.fail("sendMessage", skip=part, drop=drop)
    async with stage(server, tmp_path, conversation=Echo(lambda _: LONG), options=options()) as on:
        await server.user(ANNA).says("tell me")
        await server.replies_to(ANNA, 3 + (drop == "after"))
        await on.channel.settle()
        expected = ["one", "two", "three"]
        doubtful = f"{AGAIN} {expected[part]}"
        expected[part : part + 1] = [expected[part], doubtful] if drop == "after" else [doubtful]
        assert names(texts(server)) == expected


@pytest.mark.parametrize("trouble", CUT)
@pytest.mark.parametrize("said", ["/help", "/nonsense"])
async def test_a_sentence_of_the_bot_itself_is_sent_again_at_once_and_unmarked(
    server: BotApiServer, tmp_path: Path, said: str, trouble: dict[str, Any]
) -> None:
    server.fail("sendMessage", chat_id=ANNA, **trouble)
    how = options()
    server.now = how.clock.now
    async with stage(server, tmp_path, options=how) as on:
        expected = await ask(server, said, BORIS)
        await server.user(ANNA).says(said)
        await server.wait_for(lambda: len(server.calls_of("sendMessage", ANNA)) == 2)
        await on.channel.settle()
        assert set(texts(server, ANNA)) == {expected}
        lost, sent = server.calls_of("sendMessage", ANNA)
        assert sent.at - lost.at < 4


async def test_the_reason_why_there_is_no_answer_is_no_less_sure(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", drop="before")
    failure = Reply("no model", failure="unreachable")
    async with stage(server, tmp_path, conversation=Echo(lambda _: failure), options=options()):
        assert await ask(server, "hi") == ENGLISH.failures["unreachable"]


async def test_an_answer_in_doubt_does_not_hold_up_what_waits_behind_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo, how = Echo(), options()
    server.now = how.clock.now
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo, options=how) as on:
        await server.user(ANNA).says("one")
        await server.wait_for(lambda: echo.heard)
        await server.user(ANNA).says("/remember I live in Oslo")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        server.fail("sendMessage", drop="after")
        release.set()
        await server.replies_to(ANNA, 3)
        lost, again, _ = server.calls_of("sendMessage", ANNA)
        assert again.at - lost.at < 4
        assert [text.split()[0] for text in texts(server)] == ["you", "(again,", "Remembered:"]


async def test_without_anything_behind_it_an_answer_in_doubt_takes_its_time(
    server: BotApiServer, tmp_path: Path
) -> None:
    how = options()
    server.now = how.clock.now
    server.fail("sendMessage", drop="after")
    async with stage(server, tmp_path, options=how):
        await server.user(ANNA).says("one")
        await server.replies_to(ANNA, 2)
        lost, again = server.calls_of("sendMessage", ANNA)
        assert again.at - lost.at >= 5


async def test_an_answer_that_telegram_does_not_confirm_in_time_is_sent_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    request = Watched(connection_pool_size=8, read_timeout=1)
    server.fail("sendMessage", drop="after", delay=3600)
    async with stage(server, tmp_path, request=request, options=options()) as on:
        await server.user(ANNA).says("one")
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert request.failures == [("sendMessage", "ReadTimeout")]
        assert texts(server) == ["you said: one", f"{AGAIN}\nyou said: one"]


async def test_whoever_blocks_the_bot_ends_the_tries(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("sendMessage", drop="before")
    async with stage(server, tmp_path, options=options()) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: server.calls_of("sendMessage"))
        server.user(ANNA).blocks()
        await on.channel.settle()
        assert len(server.calls_of("sendMessage")) == 2
        assert on.inbox.open_count == 0


async def test_the_file_of_a_very_long_answer_is_marked_in_its_caption(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendDocument", drop="after")
    answer = "\n\n".join("word " * 800 for _ in range(7))
    async with stage(
        server, tmp_path, conversation=Echo(lambda _: answer), options=options()
    ) as on:
        await server.user(ANNA).says("everything")
        await server.wait_for(lambda: len(server.calls_of("sendDocument")) == 2)
        await on.channel.settle()
        files = [message for message in server.sent(ANNA) if "document" in message]
        first, again = (file["caption"] for file in files)
        assert AGAIN not in first
        assert AGAIN in again
        assert first in again
        assert AGAIN not in "".join(texts(server))
