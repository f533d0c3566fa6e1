"""Formatted text, as Telegram reads it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.telegram.formatting.marked import Marked, Span, utf16_length
from bot.terminal.markup import (
    BadMarkup,
    from_entities,
    from_html,
    printable,
    with_addresses,
)

#: What UTF-8 input can hold: everything but lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("source", "text", "spans"),
    [
        ("plain &lt;b&gt; &amp; &quot;", 'plain <b> & "', ()),
        ("<b>a</b>c", "ac", (Span("bold", 0, 1),)),
        ("<i>a<b>b</b></i>", "ab", (Span("italic", 0, 2), Span("bold", 1, 2))),
        (
            '<a href="http://x/?a=1&amp;b=2">y</a>',
            "y",
            (Span("text_link", 0, 1, "http://x/?a=1&b=2"),),
        ),
        ('<pre><code class="language-py">x</code></pre>', "x", (Span("pre", 0, 1, "py"),)),
        ("<code>&lt;T&gt;</code>", "<T>", (Span("code", 0, 3),)),
        ("<blockquote expandable>q</blockquote>", "q", (Span("blockquote", 0, 1),)),
        ('<span class="tg-spoiler">s</span>', "s", (Span("spoiler", 0, 1),)),
        ("<b></b>x", "x", ()),
    ],
)
def test_html_becomes_text_and_spans(source: str, text: str, spans: tuple[Span, ...]):
    assert from_html(source) == Marked(text, spans)


@pytest.mark.parametrize("source", ["<b>open", "</b>", "<b><i>x</b></i>", "<script>x</script>"])
def test_html_that_telegram_would_refuse_is_refused(source: str):
    with pytest.raises(BadMarkup, match="can't parse entities"):
        from_html(source)


@settings(deadline=None)
@given(TEXT)
def test_escaped_text_comes_back_as_it_was(text: str):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert from_html(escaped) == Marked(text)


@settings(deadline=None)
@given(TEXT, st.data())
def test_spans_and_entities_say_the_same(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = Marked(text, (Span("bold", start, end), Span("pre", start, end, "py")))
    assert from_entities(text, marked.entities) == marked


def test_an_entity_inside_a_character_is_refused():
    with pytest.raises(BadMarkup):
        from_entities("😀", [{"type": "bold", "offset": 1, "length": 1}])


@settings(deadline=None)
@given(TEXT)
def test_length_counts_utf16_code_units(text: str):
    assert utf16_length(text) == len(text.encode("utf-16-le")) // 2


@settings(deadline=None)
@given(TEXT)
def test_printable_text_keeps_its_length_and_has_no_control_but_tab_and_newline(text: str):
    shown = printable(text)
    assert len(shown) == len(text)
    assert not [c for c in shown if c not in "\n\t" and (c < " " or "\x7f" <= c <= "\x9f")]


def test_the_address_of_a_link_stands_after_its_name():
    content = from_html('<b>see <a href="http://x">this</a></b>, <i>or</i> <a href="y">y</a>')
    shown = with_addresses(content)
    assert shown.text == "see this (http://x), or y"
    assert [(s.kind, shown.text[s.start : s.end]) for s in shown.spans] == [
        ("bold", "see this"),
        ("text_link", "this"),
        ("italic", "or"),
        ("text_link", "y"),
    ]
