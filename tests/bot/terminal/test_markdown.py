"""The model's Markdown on a screen and in a pipe."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from bot.terminal.screen import LiveScreen, PlainScreen, printable

#: What UTF-8 input can hold: everything but lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def on_screen(source: str, console: Console | None = None) -> str:
    out = io.StringIO()
    console = console or Console(width=60)
    console.file = out
    LiveScreen(console, "Mordecai").show(source, markdown=True)
    return out.getvalue()


def in_pipe(source: str) -> str:
    out = io.StringIO()
    PlainScreen(out).show(source, markdown=True)
    return out.getvalue()


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("one\ntwo\n\n\nthree", ["bot: one", "two", "three"]),
        ("2 * 3 * 4 = 2*3*4, a_b_c, 1 < 2", ["bot: 2 * 3 * 4 = 2*3*4, a_b_c, 1 < 2"]),
        ("so \\(x^2\\) is $a_1$", ["bot: so \\(x^2\\) is $a_1$"]),
        ("**bold**\nand `List<T>`", ["bot: bold", "and List<T>"]),
        ("Use List<String> *here*", ["bot: Use List<String> here"]),
        ("# Title\n\ntext", ["bot: Title", "text"]),
        ("- one\n- two\n  - three", ["bot: • one", "• two", "  • three"]),
        ("3. one\n4. two", ["bot: 3. one", "4. two"]),
        ("<b>not html</b>\nat all", ["bot: <b>not html</b>", "at all"]),
        ("[*docs*](http://x)", ["bot: docs (http://x)"]),
        ("<http://x.y>, [http://x.y](http://x.y)", ["bot: http://x.y, http://x.y"]),
        ("![a cat](http://x/cat.png)", ["bot: a cat (http://x/cat.png)"]),
        ("```python\nif x:\n    y()\n```", ["bot: if x:", "    y()"]),
        ("one\n\n---\n\ntwo", ["bot: one", "———", "two"]),
        ("$$\nx = y\n$$", ["bot: $$", "x = y", "$$"]),
        ("> quoted\n> twice", ["bot: ▌ quoted", "▌ twice"]),
        ("**", ["bot: **"]),
        ("> " * 60 + "deep", ["bot: " + "> " * 60 + "deep"]),
    ],
)
def test_markdown_is_rendered_and_loses_no_word(source: str, lines: list[str]):
    wide = Console(width=400)
    for text in (on_screen(source, wide), in_pipe(source)):
        assert [line.rstrip() for line in text.splitlines() if line.strip()] == lines


def test_a_table_is_drawn():
    source = "| city | people |\n|---|--:|\n| Oslo<br>(N) | 717000 |\n| Bern | 134000 |"
    for text in (on_screen(source), in_pipe(source)):
        lines = text.removeprefix("bot:").splitlines()
        rows = [line.split() for line in lines if any(map(str.isalnum, line))]
        assert rows == [["city", "people"], ["Oslo", "717000"], ["(N)"], ["Bern", "134000"]]


def test_formatting_becomes_style():
    console = Console(force_terminal=True, color_system="standard", width=80)
    shown = on_screen("**bold** `code` [link](http://x)", console)
    assert "\x1b[1mbold\x1b[0m" in shown
    assert "http://x" in shown


def test_a_pipe_breaks_no_line_and_leaves_no_blanks_at_its_end():
    long = "word " * 2000
    shown = in_pipe(f"{long}\n\n> {long}\n\n```\ncode\n```\n")
    assert shown.splitlines()[0] == f"bot: {long.rstrip()}"
    assert not [line for line in shown.splitlines() if line.endswith(" ")]


def test_a_screen_breaks_lines_and_fills_none_up():
    lines = on_screen("word " * 40).splitlines()
    assert max(map(len, lines)) <= 60
    assert not [line for line in lines if line.endswith("  ")]


def test_nothing_in_an_answer_moves_the_cursor():
    for text in (on_screen("\x1b[2J `\x07` &#27;[31m"), in_pipe("\x1b[2J `\x07` &#27;[31m")):
        assert "\x1b" not in text
        assert "\x07" not in text


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "- > "])
def test_what_is_nested_too_deep_for_the_screen_is_shown_all_the_same(mark: str):
    assert "deep" in on_screen(mark * 12 + "deep", Console(width=20))


def test_a_table_too_wide_for_the_screen_loses_no_letter():
    source = "| extraordinary | people |\n|---|---|\n| Reykjavík | many |"
    shown = on_screen(source, Console(width=20))
    letters = "".join(character for character in shown if character.isalpha())
    assert sorted(letters) == sorted("botextraordinarypeopleReykjavíkmany")


def test_the_mark_of_a_private_conversation_breaks_no_formatting():
    out = io.StringIO()
    for screen in (PlainScreen(out), LiveScreen(Console(file=out, width=60), "Mordecai")):
        screen.show("- one\n- two", markdown=True, private=True)
    assert out.getvalue() == 2 * "bot: 🔒 • one\n• two\n"


@settings(deadline=None)
@given(TEXT)
def test_any_text_can_be_shown(text: str):
    on_screen(text)
    in_pipe(text)


@settings(deadline=None)
@given(TEXT)
def test_printable_text_keeps_its_length_and_has_no_control_but_tab_and_newline(text: str):
    shown = printable(text)
    assert len(shown) == len(text)
    assert not [c for c in shown if c not in "\n\t" and (c < " " or "\x7f" <= c <= "\x9f")]
