"""What a model answers when it is asked to note what a session tells, and to check such notes."""

import json
from typing import Any

from bot.models.findings import MAX_FINDINGS

#: How many statements that are wrong are reviewed before the others.
CONTROLS = 2
_YES = {
    "supported": True,
    "right_person": True,
    "serious": True,
    "date_right": True,
    "relation_right": True,
}


def finding(statement: str, words: str = "", turn: int = 1, **more: Any) -> dict[str, Any]:
    """A finding whose statement is its evidence unless there are other `words`."""
    return {
        "quotes": [{"turn": turn, "words": words or statement}],
        "first_person": statement,
        "kind": "fact",
        "about": [],
        "importance": 5,
        "answers_question": False,
        "when": None,
        "note": None,
    } | more


def when(day: str = "", **more: str) -> dict[str, str]:
    """The times of a finding."""
    return {"day": day, "since": "", "until": "", "repeats": ""} | more


def note(relation: str, number: int = 1, reason: str = "") -> dict[str, Any]:
    """What a finding is to the known note with this number."""
    return {"number": number, "relation": relation, "reason": reason}


def findings(*found: dict[str, Any], summary: str = "", topics: tuple[str, ...] = ()) -> str:
    """The whole answer of an extraction, or of a correction."""
    return json.dumps({"findings": found, "summary": summary, "topics": topics})


def judgement(number: int, **answers: Any) -> dict[str, Any]:
    """What a review says of one statement, counted from 1: yes to all but these `answers`."""
    return {"number": number + CONTROLS} | _YES | answers


def review(*judgements: dict[str, Any], fooled: bool = False) -> str:
    """The whole answer of a review; without judgements everything passes. A model that is `fooled`
    passes the controls too."""
    given = judgements or tuple(judgement(n) for n in range(1, MAX_FINDINGS + 1))
    controls = [judgement(n, supported=fooled) for n in range(1 - CONTROLS, 1)]
    return json.dumps({"statements": [*controls, *given]})
