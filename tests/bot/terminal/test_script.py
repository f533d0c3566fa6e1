"""The terminal for scripts: lines in, replies out, nothing lost and nothing crossed."""

import asyncio
import io
import os
from pathlib import Path

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import BadRequest
from telegram.ext import ContextTypes

from bot.terminal import Terminal
from tests.bot.terminal.echo import Handler, converse, script

Context = ContextTypes.DEFAULT_TYPE


async def test_every_line_is_one_message_and_gets_its_reply_in_order(tmp_path: Path):
    terminal, out = script(b"one\ntwo\r\n  three \nlast without an end", tmp_path)
    heard = await converse(terminal)
    assert heard.texts == ["one", "two", "three", "last without an end"]
    assert out.getvalue() == "bot: one\nbot: two\nbot: three\nbot: last without an end\n"


@pytest.mark.parametrize("word", ["quit", "exit", "EXIT", ":q", "/quit"])
async def test_a_person_leaves_by_a_word_and_a_script_only_by_its_end(tmp_path: Path, word: str):
    lines = f"help\n{word}\nmore\n".encode()
    for interactive, heard in ((True, ["/help"]), (False, ["/help", word, "more"])):
        terminal = Terminal(7, tmp_path, io.BytesIO(lines), io.StringIO(), interactive=interactive)
        assert (await converse(terminal)).texts == heard


async def test_no_input_is_no_output(tmp_path: Path):
    terminal, out = script(b"", tmp_path)
    assert (await converse(terminal)).updates == []
    assert out.getvalue() == ""


async def test_a_line_is_read_only_after_the_one_before_is_answered(tmp_path: Path):
    events: list[str] = []

    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        events.append(f"start {update.message.text}")
        await asyncio.sleep(0.02)
        await update.message.reply_text("done")
        events.append(f"end {update.message.text}")

    terminal, _ = script(b"a\nb\nc\n", tmp_path)
    await converse(terminal, answer)
    assert events == [f"{step} {line}" for line in "abc" for step in ("start", "end")]


@pytest.mark.parametrize("line", [b"", b"   ", b"\t \r"])
async def test_an_empty_line_is_answered_and_goes_nowhere(tmp_path: Path, line: bytes):
    terminal, out = script(line + b"\n", tmp_path)
    assert (await converse(terminal)).updates == []
    assert out.getvalue().startswith("bot: That message is empty")


async def test_a_line_that_is_not_utf8_is_answered_and_goes_nowhere(tmp_path: Path):
    terminal, out = script(b"caf\xe9\n\xff\xfe\nstill here\n", tmp_path)
    heard = await converse(terminal)
    assert heard.texts == ["still here"]
    assert out.getvalue().count("not valid UTF-8") == 2


async def test_a_byte_order_mark_is_dropped_at_the_start_only(tmp_path: Path):
    terminal, _ = script(b"\xef\xbb\xbf/start\n", tmp_path)
    heard = await converse(terminal)
    assert heard.texts == ["/start"]


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "a\x00b", "\u202eright to left", "אני גר בחיפה", "😀" * 4096, "<b>*_`["]
)
async def test_any_text_reaches_the_handlers_whole(tmp_path: Path, text: str):
    terminal, _ = script(text.encode() + b"\n", tmp_path)
    heard = await converse(terminal, _silent)
    assert heard.texts == [text]


async def test_a_line_without_end_is_cut_off_before_it_fills_the_memory(tmp_path: Path):
    terminal, _ = script(b"x" * 3_000_000 + b"\nnext\n", tmp_path)
    heard = await converse(terminal, _silent)
    assert [len(text) for text in heard.texts] == [1_000_000, 4]


async def test_control_characters_of_a_reply_do_not_reach_the_terminal(tmp_path: Path):
    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        await update.message.reply_text("red \x1b[31m, nul \x00, tab \t, line\nend")

    terminal, out = script(b"go\n", tmp_path)
    await converse(terminal, answer)
    assert out.getvalue() == "bot: red \ufffd[31m, nul \ufffd, tab \t, line\nend\n"


async def test_an_edited_reply_appears_once_with_its_last_text(tmp_path: Path):
    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        sent = await update.message.reply_text("thi")
        await sent.edit_text("thinking")
        await sent.edit_text("<b>thought</b> &lt;through&gt;", parse_mode="HTML")
        gone = await update.message.reply_text("never mind")
        await gone.delete()

    terminal, out = script(b"go\n", tmp_path)
    await converse(terminal, answer)
    assert out.getvalue() == "bot: thought <through>\n"


async def test_a_message_changed_after_it_was_seen_is_shown_again(tmp_path: Path):
    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        assert context.chat_data is not None
        if update.message.text == "first":
            context.chat_data["sent"] = await update.message.reply_text("old")
        else:
            await context.chat_data["sent"].edit_text("new")

    terminal, out = script(b"first\nsecond\n", tmp_path)
    await converse(terminal, answer)
    assert out.getvalue() == "bot: old\nbot: new\n"


def _asking(options: list[str], pressed: list[str]) -> Handler:
    async def answer(update: Update, context: Context) -> None:
        if query := update.callback_query:
            await query.answer()
            pressed.append(str(query.data))
            await query.edit_message_text(f"You chose {query.data}.")
        elif update.message and update.message.text == "ask":
            rows = [[InlineKeyboardButton(option, callback_data=option)] for option in options]
            await update.message.reply_text("Which?", reply_markup=InlineKeyboardMarkup(rows))
        elif update.message:
            await update.message.reply_text(f"text {update.message.text}")

    return answer


async def test_buttons_are_numbered_and_a_number_presses_one(tmp_path: Path):
    pressed: list[str] = []
    terminal, out = script(b"ask\n2\n2\n", tmp_path)
    await converse(terminal, _asking(["Yes", "No"], pressed))
    assert pressed == ["No"]
    assert out.getvalue() == ("bot: Which?\n[1] Yes\n[2] No\nbot: You chose No.\nbot: text 2\n")


@pytest.mark.parametrize("line", ["3", "0", "01", "-1", "two", "2 ", "²", "1" * 5000])
async def test_only_the_number_of_a_shown_button_presses_it(tmp_path: Path, line: str):
    pressed: list[str] = []
    terminal, _ = script(f"ask\n{line}\n".encode(), tmp_path)
    await converse(terminal, _asking(["Yes", "No"], pressed))
    assert pressed == (["No"] if line.strip() == "2" else [])


@pytest.mark.parametrize("number", ["0", "3", "99"])
async def test_a_number_that_no_button_has_leaves_the_choice_open(tmp_path: Path, number: str):
    pressed: list[str] = []
    terminal, out = script(f"ask\n{number}\n2\n".encode(), tmp_path)
    await converse(terminal, _asking(["Yes", "No"], pressed))
    assert "from 1 to 2" in out.getvalue()
    assert pressed == ["No"]


async def test_another_message_closes_the_choice(tmp_path: Path):
    pressed: list[str] = []
    terminal, out = script(b"ask\nhello\n1\n", tmp_path)
    await converse(terminal, _asking(["Yes"], pressed))
    assert pressed == []
    assert out.getvalue().endswith("bot: text hello\nbot: text 1\n")


async def test_a_document_is_saved_for_the_owner_alone_and_never_over_another(tmp_path: Path):
    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        name = str(update.message.text)
        sent = await update.message.reply_document(name.encode(), filename=name, caption="Here.")
        assert sent.document is not None
        assert sent.caption == "Here."

    terminal, out = script(b"a.json\na.json\n../../b.json\n", tmp_path)
    await converse(terminal, answer)
    exports = tmp_path / "exports"
    assert sorted(p.name for p in exports.iterdir()) == ["a-2.json", "a.json", "b.json"]
    assert (exports / "a.json").read_text() == "a.json"
    assert (exports / "a.json").stat().st_mode & 0o077 == 0
    first, second = out.getvalue().splitlines()[:2]
    assert first == "bot: Here."
    assert second.endswith(str(exports / "a.json"))


async def test_updates_are_numbered_from_the_given_number_on(tmp_path: Path):
    terminal, _ = script(b"a\nb\n", tmp_path, first_update_id=41)
    heard = await converse(terminal)
    assert [update.update_id for update in heard.updates] == [41, 42]
    ids = [u.message.message_id for u in heard.updates if u.message]
    assert ids[0] < ids[1]


async def test_the_person_is_the_given_id_in_a_private_chat(tmp_path: Path):
    terminal, _ = script(b"hello /new\n", tmp_path)
    (update,) = (await converse(terminal)).updates
    assert update.message is not None
    assert update.effective_user is not None
    assert update.effective_chat is not None
    assert (update.effective_user.id, update.effective_chat.id) == (7, 7)
    assert update.effective_chat.type == "private"


async def test_what_is_said_between_lines_is_shown_at_once(tmp_path: Path):
    read, write = os.pipe()
    out = io.StringIO()
    later: list[asyncio.Task[object]] = []

    async def answer(update: Update, context: Context) -> None:
        async def notice() -> None:
            while "bot: heard" not in out.getvalue():
                await asyncio.sleep(0.01)
            await context.bot.send_message(7, "and by the way")

        assert update.message is not None
        await update.message.reply_text("heard")
        later.append(asyncio.create_task(notice()))

    async def end() -> None:
        while "by the way" not in out.getvalue():
            await asyncio.sleep(0.01)
        os.close(write)

    with open(read, "rb") as stdin:  # noqa: ASYNC230, PTH123 - a pipe
        terminal = Terminal(7, tmp_path, stdin, out, interactive=False)
        os.write(write, b"hello\n")
        async with asyncio.timeout(30):
            await asyncio.gather(converse(terminal, answer), end())
    assert out.getvalue() == "bot: heard\nbot: and by the way\n"


class Closed(io.StringIO):
    """Standard output that nobody reads any more after its first line."""

    def write(self, text: str) -> int:
        if self.getvalue():
            raise BrokenPipeError
        return super().write(text)


async def test_it_ends_quietly_when_nobody_reads_the_output(tmp_path: Path):
    out = Closed()
    terminal = Terminal(7, tmp_path, io.BytesIO(b"a\nb\nc\nd\n"), out, interactive=False)
    heard = await converse(terminal)
    assert heard.texts == ["a", "b"]


async def test_a_reply_that_is_too_long_is_refused_as_telegram_would(tmp_path: Path):
    refusals: list[str] = []

    async def answer(update: Update, context: Context) -> None:
        assert update.message is not None
        for text in ("😀" * 2049, " \n"):
            with pytest.raises(BadRequest) as caught:
                await update.message.reply_text(text)
            refusals.append(str(caught.value))
        await update.message.reply_text("😀" * 2048)

    terminal, out = script(b"go\n", tmp_path)
    await converse(terminal, answer)
    assert refusals == ["Message is too long", "Message text is empty"]
    assert out.getvalue() == "bot: " + "😀" * 2048 + "\n"


async def _silent(update: Update, context: Context) -> None:
    pass
