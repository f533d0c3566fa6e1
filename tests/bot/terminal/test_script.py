"""The terminal for scripts: lines in, replies out, nothing lost and nothing crossed."""

import asyncio
import io
import signal
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.events import Button, Document, Event, Reply
from bot.assistant.inbound import Message
from bot.texts import texts_in
from memory.errors import StoreUnavailable
from memory.records import Actor, Place
from tests.bot.terminal.seat import USER, NoInbox, Pipe, script, seat
from tests.fakes.conversing import Echo, Writer

ENGLISH = texts_in("en")
SAID = "bot: you said: "


def texts(echo: Echo) -> list[str]:
    return [message.text for message in echo.heard]


async def test_every_line_is_one_message_and_gets_its_reply_in_order(tmp_path: Path):
    lines = b"one\ntwo\r\n  three \nlast without an end"
    assert (await script(lines, tmp_path)).splitlines() == [
        f"{SAID}{said}" for said in ("one", "two", "three", "last without an end")
    ]


async def test_no_input_is_no_output(tmp_path: Path):
    assert await script(b"", tmp_path) == ""


@pytest.mark.parametrize("word", ["quit", "exit", "EXIT", ":q", "/quit"])
async def test_a_person_leaves_by_a_word_and_a_script_only_by_its_end(tmp_path: Path, word: str):
    lines = f"{word}\nmore\n".encode()
    for live, more in ((True, False), (False, True)):
        async with seat(lines, tmp_path, live=live) as ours:
            await ours.run()
        assert ("you said: more" in ours.shown) is more


@pytest.mark.parametrize("word", ["help", ":help", "HELP"])
async def test_the_bare_word_help_is_the_command(tmp_path: Path, word: str):
    assert "/remember" in await script(f"{word}\n".encode(), tmp_path)


async def test_a_line_is_read_only_after_the_one_before_is_answered_and_saved(tmp_path: Path):
    echo, saved = Echo(), asyncio.Event()
    async with seat(b"a\nb\n", tmp_path, echo, settling=saved) as ours:
        running = asyncio.create_task(ours.run())
        await ours.sees(f"{SAID}a")
        await asyncio.sleep(0.05)
        assert texts(echo) == ["a"]
        saved.set()
        await running
    assert texts(echo) == ["a", "b"]


@pytest.mark.parametrize("line", [b"", b"   ", b"\t \r"])
async def test_an_empty_line_is_answered_and_goes_nowhere(tmp_path: Path, line: bytes):
    echo = Echo()
    assert (await script(line + b"\n", tmp_path, echo)).startswith("bot: That message is empty")
    assert echo.heard == []


async def test_a_line_that_is_not_utf8_is_answered_and_goes_nowhere(tmp_path: Path):
    echo = Echo()
    shown = await script(b"caf\xe9\n\xff\xfe\nstill here\n", tmp_path, echo)
    assert texts(echo) == ["still here"]
    assert shown.count("not valid UTF-8") == 2


async def test_a_byte_order_mark_is_dropped_at_the_start_only(tmp_path: Path):
    echo = Echo()
    await script(b"\xef\xbb\xbfone\ntwo\n", tmp_path, echo)
    assert texts(echo) == ["one", "two"]


@pytest.mark.parametrize(
    "text", ["x" * 16_000, "\u202eright to left", "אני גר בחיפה", "😀" * 4096, "<b>*_`[", "a\tb"]
)
async def test_any_text_reaches_the_conversation_whole(tmp_path: Path, text: str):
    echo = Echo()
    await script(text.encode() + b"\n", tmp_path, echo)
    assert texts(echo) == [text]


async def test_control_characters_of_a_line_reach_nobody(tmp_path: Path):
    echo = Echo()
    await script(b"I work at Ac\x00me\x1b[31m\n", tmp_path, echo)
    assert texts(echo) == ["I work at Acme[31m"]


async def test_a_line_without_end_is_cut_off_before_it_fills_the_memory(tmp_path: Path):
    shown = await script(b"x" * 3_000_000 + b"\nnext\n", tmp_path)
    assert "1000000" in shown.replace(",", "")
    assert shown.endswith(f"{SAID}next\n")


async def test_control_characters_of_a_reply_do_not_reach_the_terminal(tmp_path: Path):
    echo = Echo(lambda _: Reply("red \x1b[31m, nul \x00, tab \t, line\nend"))
    shown = await script(b"go\n", tmp_path, echo)
    assert shown == "bot: red \ufffd[31m, nul \ufffd, tab \t, line\nend\n"


async def test_an_answer_of_any_length_is_shown_whole(tmp_path: Path):
    answer = " ".join(str(number) for number in range(20_000))
    assert await script(b"go\n", tmp_path, Echo(lambda _: answer)) == f"bot: {answer}\n"


async def test_a_growing_answer_appears_once_when_it_is_final(tmp_path: Path):
    writer = Writer()
    writer.writes("Let me see")
    writer.calls_a_tool()
    writer.writes("thin")
    writer.finishes("**thought** <through>")
    assert await script(b"go\n", tmp_path, writer) == "bot: thought <through>\n"


async def test_what_breaks_is_told_with_its_number_in_the_log_and_the_talk_goes_on(tmp_path: Path):
    echo = Echo(lambda said: ZeroDivisionError() if said.text == "break" else "fine")
    async with seat(b"break\ngo\n", tmp_path, echo) as ours:
        await ours.run()
    first, second = ours.shown.splitlines()
    assert first.startswith(f"bot: {ENGLISH.failed.partition('{')[0]}")
    assert second == "bot: fine"
    assert ours.assistant.health.errors == 1


# -- choices ------------------------------------------------------------------------------------


async def test_buttons_are_numbered_and_a_number_presses_one(tmp_path: Path):
    shown = await script(b"/remember I live in Oslo\n/forget all\n2\n2\n", tmp_path)
    assert shown.splitlines()[-4:] == [
        "[1] Yes, delete everything",
        "[2] No, keep it",
        f"bot: {ENGLISH.forget_all_kept}",
        f"{SAID}2",
    ]


@pytest.mark.parametrize("number", ["0", "3", "99"])
async def test_a_number_that_no_button_has_leaves_the_choice_open(tmp_path: Path, number: str):
    lines = f"/remember I live in Oslo\n/forget all\n{number}\n2\n".encode()
    shown = await script(lines, tmp_path)
    assert "bot: Please choose a number from 1 to 2" in shown
    assert shown.endswith(f"bot: {ENGLISH.forget_all_kept}\n")


async def test_another_message_closes_the_choice(tmp_path: Path):
    shown = await script(b"/remember I live in Oslo\n/forget all\nhello\n1\n", tmp_path)
    assert shown.endswith(f"{SAID}hello\n{SAID}1\n")


async def test_buttons_of_several_replies_have_numbers_of_their_own(tmp_path: Path):
    class Asking(Echo):
        async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
            yield Reply("One?", buttons=((Button("Yes", "a"), Button("No", "b")),))
            yield Reply("Two?", buttons=((Button("Yes", "c"),),))

    assert await script(b"go\n", tmp_path, Asking()) == (
        "bot: One?\n[1] Yes\n[2] No\nbot: Two?\n[3] Yes\n"
    )


# -- documents ----------------------------------------------------------------------------------


def handing_over(name: str, caption: str = "Here.") -> Echo:
    document = Document(name, name.encode(), caption)
    return Echo(lambda _: Reply("Done.", documents=(document,)))


async def test_a_document_is_saved_for_its_owner_alone_and_never_over_another(tmp_path: Path):
    exports = tmp_path / "exports"
    shown = await script(b"go\ngo\n", tmp_path, handing_over("a.json"))
    await script(b"go\n", tmp_path, handing_over("../../b.json"))
    assert sorted(p.name for p in exports.iterdir()) == ["a-2.json", "a.json", "b.json"]
    assert (exports / "a.json").read_text() == "a.json"
    assert (exports / "a.json").stat().st_mode & 0o077 == 0
    assert shown.splitlines()[:3] == [
        "bot: Done.",
        "bot: Here.",
        f"[document] saved as {exports / 'a.json'}",
    ]


async def test_a_document_that_cannot_be_written_is_told(tmp_path: Path):
    (tmp_path / "exports").write_text("in the way")
    shown = await script(b"go\n", tmp_path, handing_over("a.json", caption=""))
    assert "bot: [document] a.json could not be saved: File exists" in shown


async def test_everything_in_a_private_conversation_bears_the_mark(tmp_path: Path):
    echo = Echo(lambda _: Reply("**psst**", documents=(Document("a", b""),), markdown=True))
    shown = await script(b"/private\ngo\n", tmp_path, echo)
    assert f"\nbot: 🔒 psst\nbot: 🔒 [document] saved as {tmp_path}" in shown


# -- the channel --------------------------------------------------------------------------------


async def test_the_person_is_the_given_id_in_a_private_chat(tmp_path: Path):
    echo = Echo()
    await script(b"hello /new\n/ask and now?\n", tmp_path, echo)
    first, second = echo.heard
    assert first.origin.place == Place("terminal", USER)
    assert first.origin.actor == Actor.person(USER)
    assert first.origin.user_id == USER
    assert (first.text, second.text) == ("hello /new", "and now?")
    assert first.message_id < second.message_id
    assert first.id != second.id


async def test_message_numbers_grow_from_run_to_run(tmp_path: Path):
    echo = Echo()
    await script(b"a\n", tmp_path, echo)
    await script(b"b\n", tmp_path, echo)
    first, second = echo.heard
    assert (first.message_id, first.receipt) < (second.message_id, second.receipt)
    assert first.receipt < second.receipt


async def test_nobody_else_can_be_spoken_to(tmp_path: Path):
    async with seat(b"", tmp_path) as ours:
        assert not await ours.channel.say(Place("terminal", USER + 1), "psst")
        assert await ours.channel.say(Place("terminal", USER), "hello")
        assert ours.shown == "bot: hello\n"


async def test_only_a_person_is_offered_a_growing_answer(tmp_path: Path):
    me = Actor.person(USER)
    for live, streams, ways in (
        (True, True, ("edit", "off")),
        (True, False, ()),
        (False, True, ()),
    ):
        async with seat(b"", tmp_path, live=live, streams=streams) as ours:
            assert ours.channel.streaming_offered(me) == ways


async def test_what_is_said_unasked_is_shown_at_once_and_only_here(tmp_path: Path):
    with Pipe() as pipe:
        async with seat(pipe.stdin, tmp_path) as ours:
            running = asyncio.create_task(ours.run())
            pipe.types("hello\n")
            await ours.sees(f"{SAID}hello\n")
            notices = ours.assistant.people.notices
            notices.put_nowait((Place("terminal", USER + 1), lambda texts: Reply("not for you")))
            notices.put_nowait((Place("telegram", USER), lambda texts: Reply("not here")))
            notices.put_nowait((Place("terminal", USER), lambda texts: Reply("and by the way")))
            await ours.sees("bot: and by the way\n")
            pipe.ends()
            await running
    assert ours.shown == f"{SAID}hello\nbot: and by the way\n"


class Closed(io.StringIO):
    """Standard output that nobody reads any more after its first line."""

    def write(self, text: str) -> int:
        if self.getvalue():
            raise BrokenPipeError
        return super().write(text)


async def test_it_ends_quietly_when_nobody_reads_the_output(tmp_path: Path):
    echo = Echo()
    async with seat(b"a\nb\nc\nd\n", tmp_path, echo, out=Closed()) as ours:
        await ours.run()
    assert texts(echo) == ["a", "b"]


async def test_ctrl_c_ends_a_script_that_waits_for_its_next_line():
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bot.terminal.program",
        cwd=Path(__file__).resolve().parents[3],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(60):
        process.stdin.write(b"hello\n")
        assert await process.stdout.readline() == b"bot: heard hello\n"
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 130
    assert b"Fatal" not in err


# -- killed -------------------------------------------------------------------------------------


async def killed_over(line: str, folder: Path, *, recorded: str = "") -> Message:
    """Have the terminal end suddenly while it answers this line; maybe its turn is on record."""
    echo = Echo()
    echo.hold(line)
    with Pipe() as pipe:
        async with seat(pipe.stdin, folder, echo) as ours:
            running = asyncio.create_task(ours.terminal.run())
            pipe.types(f"{line}\n")
            while not echo.heard:
                await asyncio.sleep(0.01)
            if recorded:
                await ours.assistant.resuming.stopped_reply(echo.heard[0], recorded)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    return echo.heard[0]


async def test_a_line_that_the_process_was_killed_over_is_answered_at_the_next_start(
    tmp_path: Path,
):
    before, echo = await killed_over("never answered", tmp_path), Echo()
    shown = await script(b"next\n", tmp_path, echo)
    assert shown == f"{SAID}never answered\n{SAID}next\n"
    assert echo.heard[0].id == before.id
    assert await script(b"", tmp_path) == "", "once"


async def test_a_line_that_was_recorded_before_the_kill_is_not_asked_again(tmp_path: Path):
    await killed_over("hello", tmp_path, recorded="Hi there!")
    echo = Echo()
    assert await script(b"", tmp_path, echo) == "bot: Hi there!\n[1] Continue\n"
    assert echo.heard == []


async def test_a_press_that_the_process_was_killed_over_is_carried_out_at_the_next_start(
    tmp_path: Path,
):
    pressed = {
        "message_id": 5,
        "date": time.time(),
        "chat": {"id": USER},
        "pressed": f"forget_all:{USER}:yes",
    }
    async with seat(b"", tmp_path) as ours:
        await ours.channel.inbox.store([{"update_id": 1, "message": pressed}])
    assert await script(b"", tmp_path) == f"bot: {ENGLISH.forget_all_done}\n"


async def test_another_persons_line_waits_for_them(tmp_path: Path):
    line = {"message_id": 5, "date": time.time(), "chat": {"id": USER + 1}, "text": "psst"}
    async with seat(b"", tmp_path) as ours:
        await ours.channel.inbox.store([{"update_id": 1, "message": line}])
    assert await script(b"", tmp_path) == ""
    async with seat(b"", tmp_path) as ours:
        assert [
            waiting.update["update_id"] for waiting in await ours.channel.inbox.find_open()
        ] == [1]


class FullDisk(NoInbox):
    """An inbox that can't keep anything."""

    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None:
        raise StoreUnavailable("no space left")

    async def done(self, update_ids: Sequence[int]) -> None:
        raise StoreUnavailable("no space left")


async def test_a_line_is_answered_even_where_it_can_not_be_kept(tmp_path: Path):
    async with seat(b"hello\n", tmp_path, inbox=FullDisk()) as ours:
        await ours.run()
    assert ours.shown == f"{SAID}hello\n"
