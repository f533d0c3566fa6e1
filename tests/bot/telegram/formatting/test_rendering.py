"""Markdown, as models write it, becomes messages that Telegram takes as they are."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.telegram.formatting.markdown import mark_up
from bot.telegram.formatting.marked import (
    LONGEST_MESSAGE,
    MOST_ENTITIES,
    Marked,
    clean,
    utf16_length,
)
from bot.telegram.formatting.rendering import CURSOR, preview, render
from memory.safety.escaping import is_blank
from tests.fakes.botapi.markup import checked


def spans(source: str) -> list[tuple[str, str]]:
    """Each span of some Markdown: what it is, and over which words."""
    content = mark_up(source)
    return [(span.kind, content.text[span.start : span.end]) for span in content.spans]


# -- what becomes of what -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text", "formatted"),
    [
        ("plain", "plain", []),
        (
            "**b** *i* _i_ ~~s~~ `c`",
            "b i i s c",
            ["bold", "italic", "italic", "strikethrough", "code"],
        ),
        ("***both***", "both", ["bold", "italic"]),
        ("# One\n## Two\ntext", "One\n\nTwo\n\ntext", ["bold", "bold"]),
        ("one\ntwo  \nthree", "one\ntwo\nthree", []),
        ("- a\n- b\n  - c\n    - d", "• a\n• b\n  ◦ c\n    ▪ d", []),
        ("3. a\n4. b", "3. a\n4. b", []),
        ("1. a\n   - b\n2. c", "1. a\n  ◦ b\n2. c", []),
        ("- [ ] open\n- [x] **done**", "☐ open\n☑ done", ["bold"]),
        ("> a\n> b\n>> c", "a\nb\n\nc", ["blockquote"]),
        ("a\n\n---\n\nb", "a\n\n———\n\nb", []),
        ("a\n---\nb", "a\n\n———\n\nb", []),
        ("[name](https://x.de/?a=1&b=2)", "name", ["text_link"]),
        ("[mail](mailto:a@b.de) [me](tg://user?id=1)", "mail me", ["text_link", "text_link"]),
        ("![a tree](https://x.de/t.png)", "a tree", ["text_link"]),
        ("<https://x.de>", "https://x.de", ["text_link"]),
        ("[](https://x.de)", "https://x.de", ["text_link"]),
        ("```python\nx = 1\n```", "x = 1", ["pre"]),
        ("```\n```", "", []),
        ("    indented", "indented", ["pre"]),
        ("**a `c` b**", "a c b", ["bold", "code", "bold"]),
        ("[`code`](https://x.de)", "code", ["text_link"]),
        ("Fish &amp; chips &lt;now&gt;", "Fish & chips <now>", []),
        (r"\*no\*", "*no*", []),
        ("**Total: 2*3*4 = 24**", "Total: 2*3*4 = 24", ["bold"]),
        ("*N*ational **A**eronautics", "National Aeronautics", ["italic", "bold"]),
        ("这是**重要**的, *x*y", "这是重要的, xy", ["bold", "italic"]),
        ("__bold__ and **2**x", "bold and 2x", ["bold", "bold"]),
    ],
)
def test_markdown_becomes_text_with_spans(source: str, text: str, formatted: list[str]) -> None:
    content = mark_up(source)
    assert content.text == text
    assert [span.kind for span in content.spans] == formatted


@pytest.mark.parametrize(
    "source",
    [
        "List<String> and Map<K, V>",
        "if x<y and y>z",
        "<b>not html</b>",
        "<!-- a comment -->",
        "a_b_c and 2 * 3 * 4",
        "unclosed ** and ` and [x](",
        "[x](y) and arr[i](x)",
        "[js](javascript:alert(1))",
        "[file](file:///etc/passwd)",
        "[1]: https://source.example",
        "see [1] and [text][1]",
        "snake_case __init__.py, __str__(x) and a.__name__",
        "2*3*4 = 24 and a*b*c and (a+b)*(c+d)*e",
        "2**3**4 and (a)**2**n",
        "$x_1 + y_2 * z_3 * 4$ and $$a_1 * b_2 * c$$",
        r"\(a_{1} * b * c\) and \[\frac{a}{b} * 1 * 2\]",
        "$$\na_1\n- b\n* c * d *\n$$",
        "costs $5 to $10 * 2 and 3 * $4",
        "www.example.com, @name, #tag, /start",
        "שלום עולם, нет, 漢字 ✓",
    ],
)
def test_what_is_no_markdown_stays_to_the_letter(source: str) -> None:
    assert mark_up(source) == Marked(source)


def test_a_code_block_has_its_language() -> None:
    [span] = mark_up("```c++ title=x\nint main();\n```").spans
    assert (span.kind, span.detail) == ("pre", "c++")
    [span] = mark_up("~~~\nx\n~~~").spans
    assert (span.kind, span.detail) == ("pre", None)


def test_a_fence_that_is_not_closed_is_code_to_the_end() -> None:
    assert spans("text\n```sh\nls -la") == [("pre", "ls -la")]


def test_a_list_within_a_quote_is_part_of_it() -> None:
    assert spans("> - a\n> - b\n\nc") == [("blockquote", "• a\n• b")]


def test_a_narrow_table_stands_in_columns() -> None:
    content = mark_up("| Name | Age |\n|---|--:|\n| Anna | 31 |\n| *Bo* | 7 |")
    assert content.text == "Name | Age\n-----+----\nAnna |  31\nBo   |   7"
    assert [span.kind for span in content.spans] == ["pre"]


@pytest.mark.parametrize(
    "cell", ["a fruit that everybody likes", "水果", "פרי", "[x](https://x.de) fruit"]
)
def test_another_table_is_read_row_by_row(cell: str) -> None:
    """Too wide, of letters that do not stand under each other, or with links to tap on."""
    source = (
        f"| Name | Description | Price |\n|---|---|---|\n| Apple | {cell} | 3 |\n| Pear | | 4 |"
    )
    seen = mark_up(cell).text
    assert mark_up(source).text == (
        f"Name: Apple\nDescription: {seen}\nPrice: 3\n\nName: Pear\nPrice: 4"
    )
    assert ("bold", "Name: Apple") in spans(source)


def test_a_line_break_within_a_table_is_one() -> None:
    source = "| What | How |\n|---|---|\n| A long enough thing | one<br>two<br/>three |"
    assert mark_up(source).text == "What: A long enough thing\nHow: one\ntwo\nthree"
    assert mark_up("| a |\n|---|\n| b<br>c |").text == "a\n---\nb c"
    assert mark_up("<br> is a tag").text == "<br> is a tag"


def test_quotes_deeper_than_anybody_writes_lose_nothing() -> None:
    assert "deep" in mark_up(">" * 400 + " deep").text
    assert "deep" in mark_up("- " * 400 + "deep").text


# -- whatever is written --------------------------------------------------------------------------

scripts = st.text(
    st.sampled_from("abz Ящנשعمहिँกำ漢字かな한👨‍👩‍👧🇩🇪e\u0301😀𝔘\u202e\u200b<&>$_*`~[]()|#-\n\\"),
    max_size=60,
)
marks = st.sampled_from(
    "#_ ##_ >_ >>_ -_ __-_ 1._ -_[_]_ -_[x]_ ** * ~~ ` ``` ```python/ /```/ / // | |_ |---|---|/ [ "
    "](http://x.de) ](y) ![ <http://x.de> $ $$ \\( \\) \\[ \\] ____ \\ &amp; ---/ <b> "
    "/|_a_|_b_|/|---|---|/|_c_|_d_|/".replace("/", "\n").split(" ")
).map(lambda mark: mark.replace("_", " "))
documents = st.lists(st.one_of(scripts, marks), max_size=40).map("".join)


@settings(deadline=None)
@given(st.one_of(documents, st.text(st.characters())), st.integers(1, 120))
@example("*" * 3000, 1)
@example("**a** " * 120, 30)
@example("[" * 300 + "](" * 300, 1)
def test_every_message_is_one_that_telegram_takes(source: str, times: int) -> None:
    messages = render(source * times).messages
    assert bool(messages) is not is_blank(clean(source))
    for message in messages:
        text, entities = message.text, message.entities
        assert 0 < utf16_length(text) <= LONGEST_MESSAGE
        assert len(entities) <= MOST_ENTITIES
        assert checked(text, None, entities)[0] == text


WORDS = ["word", "слово", "מילה", "शब्द", "漢字", "한국어", "คำ", "😀", "👨‍👩‍👧", "e\u0301t"]
TEMPLATES = [
    "{}",
    "**{}**",
    "# {}",
    "- {}\n- {}",
    "1. {}\n   1. {}",
    "> {}",
    "`{}`",
    "```python\n{}\n{}\n```",
    "[{}](https://x.de)",
    "| {} | {} |\n|---|---|\n| {} | {} |",
    "| {} |\n|---|\n| {} that is a good deal wider than a phone |",
    "- [x] {}\n  > {}",
    "*{} **{}** {}*",
    "$${}$$",
    "~~{}~~ {}",
]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TEMPLATES), st.lists(st.sampled_from(WORDS), min_size=4, max_size=4)
        )
    )
)
def test_no_word_is_lost_or_out_of_order(blocks: list[tuple[str, list[str]]]) -> None:
    sources = [template.format(*words) for template, words in blocks]
    rendered = render("\n\n".join(sources))
    text = "\n".join(message.text for message in rendered.messages)
    if rendered.document:
        text = rendered.document.decode()
    found = re.findall("|".join(map(re.escape, WORDS)), text)
    said = [w for s in sources for w in re.findall("|".join(map(re.escape, WORDS)), s)]
    if "---|" in "".join(sources):  # a table's heading may be said again in every row
        assert set(found) >= set(said)
    else:
        assert found == said


@settings(deadline=None, max_examples=40)
@given(documents, st.integers(1, 200), st.sampled_from(["", "🔎 Looking in my memory"]))
def test_every_message_of_a_preview_is_one_that_telegram_takes(
    written: str, times: int, below: str
) -> None:
    for mark in ("", "🔒"):
        shown = preview(written * times, mark, below)
        assert len(shown) <= 5
        assert not shown or shown[0].text.startswith(mark)
        for message in shown:
            assert utf16_length(message.text) <= LONGEST_MESSAGE
            assert not is_blank(message.text)
            assert len(message.entities) <= MOST_ENTITIES


def test_a_preview_ends_with_a_cursor_and_what_is_told_below() -> None:
    assert preview("") == ()
    [growing] = preview("This is **bold** and **bo")
    assert growing.text == f"This is bold and **bo{CURSOR}"
    assert [(span.start, span.end) for span in growing.spans] == [(8, 12)]
    [asked] = preview("Let me see.", "🔒", "Looking")
    assert asked.text == f"🔒 Let me see.\n\nLooking{CURSOR}"
    assert [message.text for message in preview("", "🔒", "Looking")] == [f"🔒 Looking{CURSOR}"]


def test_messages_of_a_long_answer_stay_as_they_grew() -> None:
    answer = "\n\n".join(f"# Part {n}\n\n{'some **more** words, ' * 60}" for n in range(30))
    whole = render(answer)
    assert len(whole.messages) == 5
    for end in range(500, len(answer), 900):
        *full, growing = preview(answer[:end])
        assert full == list(whole.messages[: len(full)])
        stays = growing.text.removesuffix(CURSOR).rpartition(" ")[0]
        assert whole.messages[len(full)].text.startswith(stays.rstrip("*"))


# -- long answers ---------------------------------------------------------------------------------


def test_five_messages_are_sent_as_messages() -> None:
    rendered = render("\n\n".join("word " * 700 for _ in range(5)))
    assert len(rendered.messages) == 5
    assert rendered.document is None


def test_of_a_longer_answer_five_full_messages_are_followed_by_a_file() -> None:
    answer = "# Title\n\n" + "\n\n".join("слово " * 700 for _ in range(6))
    rendered = render(answer)
    assert len(rendered.messages) == 5
    assert rendered.messages[0].text.startswith("Title\n\nслово слово")
    assert rendered.messages[-1].text.endswith("слово\n\n…")
    assert all(utf16_length(message.text) > 3400 for message in rendered.messages)
    assert rendered.document is not None
    assert rendered.document.decode() == answer


# -- marks ----------------------------------------------------------------------------------------


def test_a_mark_stands_before_the_first_message_alone() -> None:
    first, *others = render("\n\n".join("word " * 700 for _ in range(3)), "🔒").messages
    assert first.text.startswith("🔒 word")
    assert not any("🔒" in message.text for message in others)


def test_a_mark_stands_above_a_block() -> None:
    [message] = render("```python\nx = 1\n```", "🔒").messages
    assert message.text == "🔒\nx = 1"
    assert [(span.kind, span.start) for span in message.spans] == [("pre", 2)]


@settings(deadline=None)
@given(documents)
def test_a_mark_changes_nothing_else(source: str) -> None:
    plain, with_mark = render(source), render(source, "🔒")
    if len(plain.messages) == 1 and len(with_mark.messages) == 1 and plain.document is None:
        [before], [after] = plain.messages, with_mark.messages
        assert after.text[2:] == before.text
        moved = [(s.kind, s.start + 2, s.end + 2, s.detail) for s in before.spans]
        assert [(s.kind, s.start, s.end, s.detail) for s in after.spans] == moved
    assert with_mark.document == plain.document or len(plain.messages) == 5
