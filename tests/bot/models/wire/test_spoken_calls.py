"""Tool calls in a model's text: found, and never shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.wire.spoken_calls import CallScanner, Found, SpokenCall

NAMES = frozenset({"search_memory", "set_agent_name"})
CALL = '{"name": "search_memory", "arguments": {"query": "the {boat}", "memory_type": "all"}}'
WANTED = SpokenCall("search_memory", '{"query": "the {boat}", "memory_type": "all"}')


def scan(pieces: list[str], names: frozenset[str] = NAMES) -> list[Found]:
    """What a scanner finds, neighbouring texts joined."""
    scanner = CallScanner(names)
    found = [item for piece in pieces for item in scanner.feed(piece)] + scanner.finish()
    joined: list[Found] = []
    for item in found:
        if joined and isinstance(item, str) and isinstance(joined[-1], str):
            joined[-1] += item
        else:
            joined.append(item)
    return joined


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n  {CALL}\n",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"```json\n{CALL}",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"<tools>{CALL}</tools>",
        f"[{CALL}]",
        f"[TOOL_CALLS][{CALL}]",
        CALL.replace('"arguments"', '"parameters"'),
        f'{{"type": "function", "function": {CALL}}}',
        '{"name": "search_memory", "arguments": '
        + json.dumps('{"query": "the {boat}", "memory_type": "all"}')
        + "}",
    ],
)
def test_a_call_is_found_in_every_dress_and_leaves_no_text(text: str) -> None:
    assert [item for item in scan([text]) if not isinstance(item, str) or item.strip()] == [WANTED]
    assert scan(list(text))[0] == WANTED


def test_words_before_and_after_a_call_stay_words() -> None:
    assert scan([f"Let me look. ```json\n{CALL}\n``` Done?"]) == ["Let me look. ", WANTED, " Done?"]


def test_several_calls_are_several_calls() -> None:
    naming = '{"name": "set_agent_name", "arguments": {"name": "Max"}}'
    expected = [WANTED, SpokenCall("set_agent_name", '{"name": "Max"}')]
    assert scan([f"[{CALL}, {naming}]"]) == expected
    tags = f"<tool_call>{CALL}</tool_call>\n<tool_call>{naming}</tool_call>"
    assert [found for found in scan([tags]) if isinstance(found, SpokenCall)] == expected


@pytest.mark.parametrize(
    "text",
    [
        'A config: ```json\n{"name": "my-app", "version": "1.0"}\n```\nDone.',
        '{"name": "unknown_tool", "arguments": {}}',
        "```python\nd = {1: 2}\nprint(d)\n```",
        "a {b} [c] [ {d} ] ``e`` `f` <tool> <b> {",
        'Use {"query": "x"} as the body.',
        "[link](http://example.org) and [",
        "<tool_call> is a tag that some models write.",
        "``",
        "{}",
    ],
)
def test_what_is_no_call_is_shown_as_it_is(text: str) -> None:
    assert "".join(str(item) for item in scan([text])) == text
    assert "".join(str(item) for item in scan(list(text))) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "search_memory", "arguments": {"query": "bo',
        '```json\n{"name": "search_memory", "arguments": {query: 1}}\n```',
        '<tool_call>{"name": "search_memory", "arguments": }</tool_call>',
    ],
)
def test_a_broken_call_is_neither_made_nor_shown(text: str) -> None:
    assert scan(list(text)) == []


def test_a_recited_declaration_is_neither_a_call_nor_shown() -> None:
    function = {"name": "set_agent_name", "description": "Store it.", "parameters": {"type": "x"}}
    recited = json.dumps({"type": "function", "function": function})
    assert scan(list(recited + recited + " Well.")) == ["Well."]


def test_text_is_held_back_only_while_it_may_be_a_call() -> None:
    scanner = CallScanner(NAMES)
    assert scanner.feed("Hello `") == ["Hello "]
    assert scanner.feed("x` {") == ["`x` "]
    assert scanner.feed(" not json") == ["{", " not json"]
    assert scanner.feed(" ```js") == [" "]
    assert scanner.feed("\ncode") == ["```", "js\ncode"]
    assert scanner.feed('{"na') == []
    assert scanner.feed('tion": 1') == ["{", '"nation": 1']


@given(st.lists(st.text('ab {}[]"`<>/\n:,_', max_size=12), max_size=12))
def test_the_cutting_of_the_stream_changes_nothing(pieces: list[str]) -> None:
    assert scan(pieces) == scan(["".join(pieces)])


@given(st.text(), st.integers(1, 9))
def test_no_text_is_lost_or_changed_where_no_tool_is_named(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert "".join(str(item) for item in scan(pieces)) == text.lstrip()


@given(
    st.text("ab \n.,", max_size=30),
    st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=3),
)
def test_any_arguments_come_through(before: str, arguments: dict[str, str]) -> None:
    text = json.dumps({"name": "search_memory", "arguments": arguments})
    calls = [found for found in scan([*before, *text]) if isinstance(found, SpokenCall)]
    assert [json.loads(call.arguments) for call in calls] == [arguments]
