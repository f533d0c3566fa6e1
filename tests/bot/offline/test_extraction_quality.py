"""The rules, measured on labelled messages.

`sentences.jsonl`: one message a line, with what should be kept of it. A proposal is right only if
kind, slot and text are all as labelled. The `test` third was labelled with the rest but not looked
at while the rules were written."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.offline.extractor import RuleExtractor
from memory.ports import Reading
from memory.records import Role, Turn, Utterance

_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "sentences.jsonl").read_text("utf-8").splitlines()
]
_LANGUAGES = sorted({case["language"] for case in _CASES})


@dataclass
class Score:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)


async def _score(language: str, split: str) -> Score:
    score = Score()
    for case in _CASES:
        if (case["language"], case["split"]) != (language, split):
            continue
        message = Utterance(Role.USER, case["text"], datetime(2026, 11, 21, 12, tzinfo=UTC))
        extraction = await RuleExtractor().extract(Reading((Turn("t1", "s1", (message,)),)))
        found = {(p.kind.value, p.slot, p.text) for p in extraction.proposals}
        wanted = {(e["kind"], e["slot"], e["text"]) for e in case["expect"]}
        score.right += len(found & wanted)
        score.wrong += len(found - wanted)
        score.missed += len(wanted - found)
    return score


@pytest.mark.parametrize("split", ["tune", "test"])
@pytest.mark.parametrize("language", _LANGUAGES)
async def test_what_is_kept_is_right_and_most_of_it_is_found(language: str, split: str) -> None:
    score = await _score(language, split)
    print(f"\n{language} {split}: precision {score.precision:.3f}, recall {score.recall:.3f}")
    assert score.precision >= 0.95
    assert score.recall >= 0.8


def test_the_labelled_set_is_large_and_has_as_many_messages_with_nothing_to_keep() -> None:
    english = [case for case in _CASES if case["language"] == "en"]
    assert len(english) >= 150
    assert len(_CASES) >= 220
    assert sum(not case["expect"] for case in _CASES) >= len(_CASES) / 3
    assert sum(case["split"] == "test" for case in english) >= 0.33 * len(english)
