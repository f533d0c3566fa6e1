"""What a killed process had to say is said by the next one: never less, and twice unmarked only
where that does no harm."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.people import QuotaLimits
from bot.texts import ENGLISH
from memory.records import Actor
from tests.bot.telegram.stage import Stage, ask, stage
from tests.bot.telegram.streaming import CURSOR, options, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer
from tests.fakes.temporary_store import TemporaryStore

ANNA, GROUP = 1001, -1000500
AGAIN = ENGLISH.sent_again
HASTY: dict[str, Any] = {"stop_seconds": 0.01}
#: Telegram has carried out the request or not, and the process dies before it answers.
ON_ITS_WAY: list[dict[str, Any]] = [{"delay": 3600.0}, {"late": 3600.0}]
PARTS = ["word " * 800 + name for name in ("one", "two", "three")]
LONG = "\n\n".join(PARTS)


async def killed(on: Stage, folder: Path) -> Path:
    """End the process; the files are those of this moment, as after SIGKILL."""
    left = folder / "left"
    shutil.copytree(folder, left)
    await on.end()
    return left


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
@pytest.mark.parametrize("chat", [ANNA, GROUP])
async def test_an_answer_that_was_being_sent_is_sent_marked(
    server: BotApiServer, tmp_path: Path, chat: int, trouble: dict[str, Any]
) -> None:
    group = server.group(GROUP) if chat == GROUP else None
    fault = server.fail("sendMessage", **trouble)
    async with stage(server, tmp_path, options=options(**HASTY)) as on:
        await server.user(ANNA).says("/ask hi", group=group)
        await server.wait_for(lambda: not fault.times)
        await server.replies_to(chat, int("late" in trouble))
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options()) as on:
        await server.wait_for(lambda: AGAIN in "".join(texts(server, chat)))
        await on.channel.settle()
        assert on.echo.heard == [], "not asked again"
    unmarked = ["you said: hi"] if "late" in trouble else []
    assert texts(server, chat) == [*unmarked, f"{AGAIN}\nyou said: hi"]


@pytest.mark.parametrize("trouble", [{"retry_after": 1000}, {"status": 502}])
async def test_an_answer_that_surely_was_not_sent_is_sent_unmarked(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    server.fail("sendMessage", times=1000, **trouble)
    async with stage(server, tmp_path, options=options(**HASTY)) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: server.calls_of("sendMessage"))
        await on.end()
    server.faults.clear()
    async with stage(server, tmp_path, options=options()) as on:
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        assert texts(server) == ["you said: hi"]
        assert on.echo.heard == []


async def test_a_doubt_outlives_the_process(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("sendMessage", times=1, drop="before")
    server.fail("sendMessage", times=1000, status=502)
    async with stage(server, tmp_path, options=options(**HASTY)) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: len(server.calls_of("sendMessage")) >= 3)
        await on.end()
    server.faults.clear()
    async with stage(server, tmp_path, options=options()):
        assert await server.replies_to(ANNA, 1) == [f"{AGAIN}\nyou said: hi"]


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
async def test_the_parts_that_arrived_are_not_sent_again(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    fault = server.fail("sendMessage", skip=1, **trouble)
    conversation = Echo(lambda _: LONG)
    async with stage(server, tmp_path, conversation=conversation, options=options(**HASTY)) as on:
        await server.user(ANNA).says("tell me")
        await server.wait_for(lambda: not fault.times)
        await server.replies_to(ANNA, 1 + int("late" in trouble))
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options()) as on:
        await server.replies_to(ANNA, 3 + int("late" in trouble))
        await on.channel.settle()
        assert on.echo.heard == []
    twice = ["two"] if "late" in trouble else []
    assert [text.split()[-1] for text in texts(server)] == ["one", *twice, "two", "three"]
    assert [text.startswith(AGAIN) for text in texts(server)[-2:]] == [True, False]


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
async def test_an_answer_with_a_preview_is_completed_there_unmarked(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options(**HASTY)) as on:
        await server.user(ANNA).says("a story")
        writer.writes("Once")
        await shows(server, f"Once{CURSOR}")
        fault = server.fail("editMessageText", **trouble)
        writer.finishes("Once upon a time.")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options()) as on:
        await server.wait_for(lambda: on.channel.listening)
        await shows(server, "Once upon a time.")
        await on.channel.settle()
        assert on.echo.heard == []
    assert texts(server) == ["Once upon a time."]


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
async def test_a_command_is_not_carried_out_again_and_its_reply_has_its_buttons(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, options=options(**HASTY), store=store) as on:
        await ask(server, "/remember I live in Oslo")
        fault = server.fail("sendMessage", **trouble)
        await server.user(ANNA).says("/edit f1 I live in Bergen")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    before = await on.memory.known.records(Actor.person(ANNA))
    async with stage(server, left, options=options(), store=store) as on:
        await server.replies_to(ANNA, 2 + int("late" in trouble))
        await on.channel.settle()
        assert await on.memory.known.records(Actor.person(ANNA)) == before
    _, *replies = server.sent(ANNA)
    assert len({reply["text"] for reply in replies}) == 1
    assert all(reply["reply_markup"]["inline_keyboard"] for reply in replies)
    assert AGAIN not in replies[-1]["text"]


async def test_a_press_is_not_carried_out_again_and_its_reply_replaces_the_question(
    server: BotApiServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, options=options(**HASTY), store=store) as on:
        await ask(server, "/remember I live in Oslo")
        await ask(server, "/forget all")
        fault = server.fail("editMessageText", delay=3600)
        question = dict(server.sent(ANNA)[-1])
        [[yes], _] = question["reply_markup"]["inline_keyboard"]
        await server.user(ANNA).clicks(question, yes["callback_data"])
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options(), store=store) as on:
        await on.memory.known.remember(Actor.person(ANNA), "I live in Bergen")
        await server.wait_for(lambda: server.sent(ANNA)[-1]["text"] != question["text"])
        await on.channel.settle()
        assert len(await on.memory.known.records(Actor.person(ANNA))) == 1, "not forgotten again"
    assert server.sent(ANNA)[-1]["message_id"] == question["message_id"]
    assert "reply_markup" not in server.sent(ANNA)[-1]


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
async def test_a_refusal_is_said(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    access = Access(
        AccessMode.ALLOWLIST, guests=FileGuestBook(tmp_path / "access.json"), allowed=[7]
    )
    fault = server.fail("sendMessage", **trouble)
    async with stage(server, tmp_path, options=options(**HASTY), access=access) as on:
        await server.user(ANNA).says("let me in")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    access = Access(AccessMode.ALLOWLIST, guests=FileGuestBook(left / "access.json"), allowed=[7])
    async with stage(server, left, options=options(), access=access) as on:
        await server.replies_to(ANNA, 1 + int("late" in trouble))
        await on.channel.settle()
        assert len(set(texts(server))) == 1


async def test_a_limit_that_was_reached_is_said_and_not_counted_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    spent = QuotaLimits(tokens_per_day=0)
    fault = server.fail("sendMessage", delay=3600)
    async with stage(server, tmp_path, options=options(**HASTY), quotas=spent) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options()) as on:
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        assert texts(server) == [ENGLISH.limit_day]
        assert on.echo.heard == []


@pytest.mark.parametrize("trouble", ON_ITS_WAY)
async def test_of_an_export_the_file_that_arrived_is_not_sent_again(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, Any]
) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, options=options(**HASTY), store=store) as on:
        await ask(server, "/remember I live in Oslo")
        fault = server.fail("sendDocument", skip=1, **trouble)
        await server.user(ANNA).says("/export")
        await server.wait_for(lambda: not fault.times)
        await server.replies_to(ANNA, 2 + int("late" in trouble))
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options(), store=store) as on:
        await server.replies_to(ANNA, 3 + int("late" in trouble))
        await on.channel.settle()
    files = [m["document"]["file_name"] for m in server.sent(ANNA) if "document" in m]
    assert len(files) == 2 + int("late" in trouble)
    assert len(set(files)) == 2
    assert files.count(files[0]) == 1


async def test_a_question_that_the_next_process_asks_can_be_answered_by_typing(
    server: BotApiServer, tmp_path: Path
) -> None:
    store, anna = TemporaryStore(), Actor.person(ANNA)
    async with stage(server, tmp_path, options=options(**HASTY), store=store) as on:
        await on.memory.known.remember(anna, "I live in Oslo")
        fault = server.fail("sendMessage", delay=3600)
        await server.user(ANNA).says("/forget all")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    async with stage(server, left, options=options(), store=store) as on:
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        await server.user(ANNA).says("yes")
        await server.wait_for(lambda: texts(server) == [ENGLISH.forget_all_done])
        await on.channel.settle()
        assert await on.memory.known.records(anna) == []
        assert on.echo.heard == []


async def test_whoever_was_removed_meanwhile_gets_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    fault = server.fail("sendMessage", delay=3600)
    async with stage(server, tmp_path, options=options(**HASTY)) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    nobody = Access(AccessMode.ALLOWLIST, allowed=[7])
    async with stage(server, left, options=options(), access=nobody) as on:
        await server.wait_for(lambda: on.channel.listening)
        await on.channel.settle()
    assert texts(server) == []


async def test_stopping_does_not_wait_for_what_can_not_be_sent(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", times=1000, drop="before")
    how = options(stop_seconds=1000)
    async with stage(server, tmp_path, options=how) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: len(server.calls_of("sendMessage")) >= 2)
        began = how.clock.now()
        await on.end()
        assert how.clock.now() - began < 100
        assert on.inbox.open_count == 1
    server.faults.clear()
    async with stage(server, tmp_path, options=options()):
        assert await server.replies_to(ANNA, 1) == [f"{AGAIN}\nyou said: hi"]


@pytest.mark.parametrize("command", ["/memory", "/forget Julia", "/settings"])
async def test_the_buttons_of_a_reply_that_the_next_process_sends_work(
    server: BotApiServer, tmp_path: Path, command: str
) -> None:
    store, anna = TemporaryStore(), Actor.person(ANNA)
    fault = server.fail("sendMessage", delay=3600.0)
    async with stage(server, tmp_path, store=store, options=options(**HASTY)) as on:
        await on.memory.known.remember(anna, "Julia lives in Oslo")
        await server.user(ANNA).says(command)
        await server.wait_for(lambda: not fault.times)
        left = await killed(on, tmp_path)
    async with stage(server, left, store=store, options=options()) as on:
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        shown = server.sent(ANNA)[-1]
        before, [[button, *_], *_] = shown["text"], shown["reply_markup"]["inline_keyboard"]
        await server.user(ANNA).presses(shown, button["text"])
        await server.wait_for(lambda: shown["text"] != before)
        await on.channel.settle()
        assert ENGLISH.buttons_stale not in shown["text"]
        assert bool(await on.memory.known.records(anna)) is (command != "/forget Julia")


async def test_what_waits_behind_a_reply_that_can_not_be_sent_keeps_its_place(
    server: BotApiServer, tmp_path: Path
) -> None:
    fault = server.fail("sendMessage", times=1000, status=502)
    async with stage(server, tmp_path, options=options(stop_seconds=1000)) as on:
        await server.user(ANNA).says("one")
        await server.wait_for(lambda: len(server.calls_of("sendMessage")) >= 4)
        await server.user(ANNA).says("two")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        fault.times = 1  # the last try fails, and a further one would not
        await on.end()
    async with stage(server, tmp_path, options=options()) as on:
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert texts(server) == ["you said: one", "you said: two"]


async def test_the_last_try_before_the_end_may_succeed(
    server: BotApiServer, tmp_path: Path
) -> None:
    fault, how = server.fail("sendMessage", times=1000, status=502), options(stop_seconds=1000)
    async with stage(server, tmp_path, options=how) as on:
        await server.user(ANNA).says("one")
        await server.wait_for(lambda: len(server.calls_of("sendMessage")) >= 6)
        await how.clock.sleep(2)  # Now it waits.
        fault.times = 0
        await on.end()
        assert texts(server) == ["you said: one"]
        assert on.inbox.open_count == 0


async def test_a_note_at_a_button_is_tried_again(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, options=options()):
        await ask(server, "/forget all")
        server.fail("answerCallbackQuery", status=502)
        server.fail("answerCallbackQuery", drop="before")
        question = server.sent(ANNA)[-1]
        query = await server.user(ANNA).clicks(question, "nonsense")
        await server.wait_for(lambda: query in server.world.answered_queries)
