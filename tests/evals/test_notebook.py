"""The judge of the notebook's replies, and its file."""

import json
from pathlib import Path

import pytest

from tests.evals.notebook import holds, judge, measure

TALK = {
    "id": "X01",
    "language": "en",
    "sessions": [["my sister Joana lands at 7:15"], ["no wait, she lands at 6:40"]],
    "asks": [],
    "overview": {"must": ["joana"], "must_not": ["berlin"]},
}


@pytest.mark.parametrize(
    ("text", "needle", "there"),
    [
        ("lands at 6:40", "6:40", True),
        ("room 1206", "206", False),
        ("ward 9", "9a", False),
        ("ferries to Lisbon", "ferr", True),
        ("the prefix", "fix", False),
        ("调到上海去了", "上海", True),
    ],
)
def test_a_needle_begins_where_a_word_or_number_does(text: str, needle: str, there: bool):
    assert holds(text, needle) is there


def test_a_reply_passes_with_the_right_and_without_the_wrong():
    ask = {"q": "when?", "any": ["6:40"], "none": ["7:15"], "class": "correction"}
    assert judge(TALK, ask, "“at 6:40”").passed
    assert judge(TALK, ask, "“7:15” “6:40”").wrong
    assert judge(TALK, ask, "I have nothing on that.").stock


async def test_a_talk_is_had_and_asked_about():
    ask = {"q": "when does Joana land?", "any": ["6:40", "7:15"], "none": [], "class": "detail"}
    (answer, overview) = await measure([TALK | {"asks": [ask]}])
    assert answer.passed
    assert overview.kind == "overview"


def test_the_file_has_talks_in_nine_languages():
    lines = (Path(__file__).parent / "notebook.jsonl").read_text("utf-8").splitlines()
    talks = [json.loads(line) for line in lines]
    assert {talk["language"] for talk in talks} == set("en de es ru pt hi zh fr it".split())
    assert all(ask["any"] or ask["none"] for talk in talks for ask in talk["asks"])
