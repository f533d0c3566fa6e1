"""The export to read: everything is in it, and nothing that somebody wrote breaks it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory.knowledge.export import export_of
from memory.records import Actor, Choices, Evidence, Kind, Record, Role, Speaker
from memory.safety.escaping import one_line

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = Actor.person(1)
USAGE = {
    "day": "2026-11-21",
    "session": "s-1",
    "kind": "turn",
    "runs": 2,
    "requests": 3,
    "input_tokens": 1000,
    "output_tokens": 50,
    "cost": "0.01",
}


def record(id_: str, kind: Kind, text: str, minutes: int = 0, **more: Any) -> Record:
    at = NOON + timedelta(minutes=minutes)
    return Record(id_, kind, text, at, session_id=more.pop("session_id", "s-1"), **more)


def of(*records: Record) -> str:
    also = {"usage": [USAGE]}
    return export_of(ANN, Choices(agent_name="Max"), [*records], also, NOON).markdown.decode()


def structure(markdown: str) -> list[str]:
    """The kinds of all blocks and marks, without the texts."""
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown)
    inline = (child.type for token in tokens for child in token.children or ())
    return [token.type for token in tokens] + [
        kind for kind in inline if kind not in ("text", "text_special")
    ]


def words_of(markdown: str) -> str:
    """What somebody reads."""
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown)
    return " ".join(
        "".join(" " if child.type == "hardbreak" else child.content for child in token.children)
        for token in tokens
        if token.children
    )


def test_everything_is_in_it() -> None:
    text = of(
        record("f1", Kind.FACT, "I live in Oslo", superseded_at=NOON + timedelta(days=1)),
        record("f2", Kind.FACT, "I moved to Lima", event_date="2026-11-22"),
        record(
            "f3",
            Kind.FACT,
            "I swim on Fridays",
            recurrence="every Friday",
            true_since="2026-11",
            true_until="2027",
            reason="new club",
            evidence=(Evidence("t-1", "i *swim* fridays", NOON), Evidence("t-2", "")),
        ),
        record("p1", Kind.PREFERENCE, "Keep it short"),
        record("s1", Kind.SUMMARY, "We talked about Lima", topics=("Lima", "moving")),
        record("m1", Kind.MESSAGE, "Hello!\nI am moving.", role=Role.USER),
        record("m2", Kind.MESSAGE, "Where to?", 1, role=Role.ASSISTANT),
        record(
            "m3",
            Kind.MESSAGE,
            "Hi",
            90,
            role=Role.USER,
            session_id="s-2",
            speaker=Speaker(7, "Bob"),
        ),
    )
    assert text == (
        "# Everything kept about u1\n\n"
        "As of 2026-11-21 12:00+0000.\n\n"
        "## Settings\n\n- agent name: Max\n\n"
        "## Facts\n\n"
        "- I live in Oslo (noted 2026-11-21 12:00+0000; no longer true since 2026-11-22 "
        "12:00+0000) \\[f1\\]\n"
        "- I moved to Lima (noted 2026-11-21 12:00+0000; tells of 2026-11-22) \\[f2\\]\n"
        "- I swim on Fridays (noted 2026-11-21 12:00+0000; again: every Friday; true since: "
        "2026-11; true until: 2027; why: new club) \\[f3\\]\n"
        "  - “i \\*swim\\* fridays”\n\n"
        "## Preferences\n\n"
        "- Keep it short (noted 2026-11-21 12:00+0000) \\[p1\\]\n\n"
        "## Conversations\n\n"
        "- We talked about Lima (noted 2026-11-21 12:00+0000; topics: Lima, moving) \\[s1\\]\n\n"
        "## Messages\n\n"
        "### Conversation of 2026-11-21 12:00+0000\n\n"
        "**You**, 2026-11-21 12:00+0000:\n\n> Hello!  \n> I am moving.\n\n"
        "**Assistant**, 2026-11-21 12:01+0000:\n\n> Where to?\n\n"
        "### Conversation of 2026-11-21 13:30+0000\n\n"
        "**Bob**, 2026-11-21 13:30+0000:\n\n> Hi\n\n"
        "## What it has used\n\n"
        "| day | kind | runs | requests | input tokens | output tokens | cost |\n"
        "|---|---|---|---|---|---|---|\n"
        "| 2026-11-21 | turn | 2 | 3 | 1000 | 50 | 0.01 |\n"
    )


def test_a_program_reads_what_a_memory_stands_on() -> None:
    told = record(
        "f1", Kind.FACT, "Meera visits", about=("Meera",), evidence=(Evidence("t-1", "she", NOON),)
    )
    said = record("m1", Kind.MESSAGE, "Hello!")
    document = json.loads(export_of(ANN, Choices(), [told, said], {}, NOON).json)
    (fact,), (message,) = document["facts"], document["messages"]
    assert fact["evidence"] == [{"turn": "t-1", "words": "she", "at": NOON.isoformat()}]
    assert (fact["about"], fact["basis"], fact["reason"]) == (["Meera"], "volunteered", None)
    assert "evidence" not in message


def test_of_nobody_it_says_so() -> None:
    exported = export_of(ANN, Choices(), [], {}, NOON)
    assert exported.markdown.count(b"\n\nNothing.\n") == 4
    document = json.loads(exported.json)
    assert [document[kind] for kind in ("facts", "preferences", "summaries", "messages")] == [
        []
    ] * 4


def test_programs_read_an_entry_a_line() -> None:
    said = [record(f"m{n}", Kind.MESSAGE, f'He said "{n}"\n🏔') for n in range(3)]
    exported = export_of(ANN, Choices(agent_name="Max"), [*said], {"usage": [USAGE]}, NOON)
    document = json.loads(exported.json)
    assert [entry["text"] for entry in document["messages"]] == [one.text for one in said]
    assert document["settings"]["agent_name"] == "Max"
    assert document["usage"] == [USAGE]
    assert exported.json.count(b"\n    {") == len(said) + 1


def test_the_caller_is_left_with_nothing_to_free() -> None:
    records = [record("m1", Kind.MESSAGE, "Hello"), record("f1", Kind.FACT, "I live in Oslo")]
    export_of(ANN, Choices(), records, {}, NOON)
    assert records == []


HOSTILE = [
    "# a heading",
    "- a list",
    "1. a list",
    "12) a list",
    "+ a list",
    "> a quotation",
    "    code",
    "```python",
    "~~~",
    "`code`",
    "**bold** _em_ ~~gone~~",
    "[a link](https://example.org)",
    "![a picture](x.png)",
    "<script>alert(1)</script>",
    "<!-- a comment",
    "&lt;b&gt; &copy;",
    "a | b | c",
    "---",
    "===",
    "* * *",
    "a\\",
    "\\`",
    "[id]: https://example.org",
    "[^1]: a note",
    "$$x$$",
    "a  \nb",
    "<https://example.org>",
    ":",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", [Kind.FACT, Kind.MESSAGE])
def test_markdown_of_theirs_is_text(kind: Kind, text: str) -> None:
    plain = "\n".join("word" for _ in text.splitlines())
    theirs = of(record("x1", kind, text))
    assert structure(theirs) == structure(of(record("x1", kind, plain)))
    assert " ".join(text.split()) in words_of(theirs)


TEXTS = st.text(st.characters(blacklist_categories=["C", "Z"]) | st.sampled_from(" \n#*_`<>[]|-"))


@given(TEXTS.filter(lambda text: one_line(text) and all(map(one_line, text.splitlines()))))
@example("0")
@example("a\u034fb")
def test_no_text_breaks_the_layout(text: str) -> None:
    plain = "\n".join("word" for _ in text.splitlines())
    for kind in (Kind.FACT, Kind.MESSAGE):

        def spoken(words: str, name: str, kind: Kind = kind) -> str:
            told = (Evidence("t-1", words, NOON),)
            return of(record("x1", kind, words, speaker=Speaker(7, name), evidence=told))

        theirs = spoken(text, text)
        assert structure(theirs) == structure(spoken(plain, "word"))
        # What can't be seen is left out.
        assert one_line(text) in words_of(theirs)
