"""A person at the terminal: answers that grow, Ctrl-C, and what comes between."""

import asyncio
import io
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console

from bot.terminal.screen import LiveScreen
from bot.texts import texts_in
from memory.records import Actor, Choice, Place, Role
from tests.bot.terminal.seat import USER, NoInbox, Pipe, Seat, seat
from tests.fakes.conversing import Echo, Writer

ENGLISH = texts_in("en")
ME, HERE = Actor.person(USER), Place("terminal", USER)


def presses_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


async def stopped(ours: Seat) -> None:
    """Wait for what is said when an answer was stopped."""
    await ours.sees(ENGLISH.stopped)


async def test_an_answer_grows_before_the_eyes_and_is_shown_whole_in_the_end(tmp_path: Path):
    writer = Writer()
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, writer, live=True) as ours:
            running = asyncio.create_task(ours.run())
            pipe.types("go\n")
            writer.writes("I am thin")
            await ours.sees("I am thin")
            writer.calls_a_tool()
            writer.writes("Now I kn")
            await ours.sees("Now I kn")
            writer.finishes("Now I know")
            await ours.sees("Now I know")
            pipe.ends()
            await running


@pytest.mark.parametrize("chosen", [True, False])
async def test_whoever_wants_no_growing_answers_sees_none(tmp_path: Path, chosen: bool):
    writer = Writer()
    writer.writes("I am thin")
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, writer, live=True, streams=chosen) as ours:
            if chosen:
                await ours.memory.choices.set(ME, Choice.STREAMING, "off")
            running = asyncio.create_task(ours.run())
            pipe.types("go\n")
            await ours.sees("typing…")
            while not writer.taken:
                await asyncio.sleep(0.01)
            writer.finishes("Now I know")
            await ours.sees("Now I know")
            pipe.ends()
            await running
    assert "thin" not in ours.shown


async def test_what_was_written_of_a_stopped_answer_stays_and_is_on_record(tmp_path: Path):
    writer = Writer()
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, writer, live=True) as ours:
            running = asyncio.create_task(ours.run())
            pipe.types("tell me everything\n")
            writer.writes("It **began** wh")
            while not writer.taken:
                await asyncio.sleep(0.01)
            presses_ctrl_c()
            await stopped(ours)
            history = await ours.memory.talk.recall(ME, HERE, "", None)
            pipe.types("go on\n")
            writer.finishes("Sure.")
            await ours.sees("bot: Sure.")
            pipe.ends()
            await running
    after = ours.shown.rpartition("bot: It began wh\n")[2]
    assert after.index("[1] Continue") < after.index(f"bot: {ENGLISH.stopped}")
    assert [(line.role, line.text) for line in history.messages] == [
        (Role.USER, "tell me everything"),
        (Role.ASSISTANT, "It **began** wh"),
    ]


async def test_a_stopped_line_is_not_answered_at_the_next_start(tmp_path: Path):
    echo = Echo()
    echo.hold("never mind")
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, echo, live=True) as ours:
            running = asyncio.create_task(ours.run())
            pipe.types("never mind\n")
            while not echo.heard:
                await asyncio.sleep(0.01)
            presses_ctrl_c()
            await stopped(ours)
            pipe.ends()
            await running
    assert echo.cancelled == ["never mind"]
    async with seat(b"", tmp_path) as ours:
        await ours.run()
        assert ours.shown == ""


class SlowInbox(NoInbox):
    """An inbox that takes its time to erase."""

    def __init__(self) -> None:
        self.erasing, self.go_on = asyncio.Event(), asyncio.Event()

    async def erase(self, chat_id: int, before: int) -> None:
        self.erasing.set()
        await self.go_on.wait()


async def test_a_command_is_not_stopped_half_way(tmp_path: Path):
    inbox = SlowInbox()
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, live=True, inbox=inbox) as ours:
            running = asyncio.create_task(ours.run())
            pipe.types("/remember I live in Oslo\n/forget all\n1\n")
            await inbox.erasing.wait()
            presses_ctrl_c()
            await asyncio.sleep(0.05)
            inbox.go_on.set()
            await ours.sees(ENGLISH.forget_all_done)
            pipe.ends()
            await running
            assert await ours.memory.known.records(ME) == []


async def test_a_second_ctrl_c_waits_for_nothing(tmp_path: Path):
    never = asyncio.Event()
    async with seat(b"hello\n", tmp_path, live=True, settling=never) as ours:

        async def hurry() -> None:
            await ours.sees("saving…")
            presses_ctrl_c()

        hurrying = asyncio.create_task(hurry())
        with pytest.raises(KeyboardInterrupt):
            await ours.terminal.run()
        await hurrying


async def test_a_person_does_not_wait_until_all_is_saved(tmp_path: Path):
    saved = asyncio.Event()
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path, live=True, settling=saved) as ours:
            running = asyncio.create_task(ours.run())
            for word in ("one", "two"):
                pipe.types(f"{word}\n")
                await ours.sees(f"you said: {word}")
            saved.set()
            pipe.ends()
            await running


# -- the screen ---------------------------------------------------------------------------------


def shown(text: str, *buttons: str, unfinished: str | None = None, width: int = 80) -> str:
    out = io.StringIO()
    screen = LiveScreen(Console(file=out, width=width), "Mordecai")
    screen.show(text, buttons, unfinished=unfinished)
    return out.getvalue()


def test_the_bots_own_sentences_are_shown_as_they_are():
    text = "[bold]x[/bold] **y** <b>z</b> :smile:"
    assert shown(text, "[1] [red]Yes") == f"bot: {text}\n  [1] [red]Yes\n"


def test_what_comes_while_typing_leaves_the_unfinished_line_in_place():
    assert shown("by the way", unfinished="half a li") == "\r\x1b[Kbot: by the way\nyou: half a li"


def test_what_comes_while_typing_several_rows_takes_the_place_of_them_all():
    line = "x" * 30
    assert shown("oh", unfinished=line, width=20) == f"\r\x1b[1A\x1b[Jbot: oh\nyou: {line}"
    assert shown("oh", unfinished="a\nb\nc") == "\r\x1b[2A\x1b[Jbot: oh\nyou: a\nb\nc"


def test_of_an_answer_higher_than_the_screen_the_end_is_seen_growing():
    out = io.StringIO()
    console = Console(file=out, width=40, height=6, force_terminal=True)
    screen = LiveScreen(console, "Mordecai")
    screen.show_progress("typing…", "\n".join(f"line {number}" for number in range(20)))
    screen.stop_progress()
    assert "line 19" in out.getvalue()
    assert "line 9" not in out.getvalue()
