"""The evaluation of what learning costs measures what the bot would send."""

from typing import Any

from tests.evals.learning_costs import measure, table

TOLD: dict[str, Any] = {
    "session": 0,
    "text": "My sister Meera visits on 12 December 2026",
    "kind": "fact",
    "turns": [0],
    "quotes": ["meera comes on the 12th"],
    "date": "2026-12-12",
}


def history(sessions: int, *told: dict[str, Any], speaker: str | None = None) -> dict[str, Any]:
    turn = {"speaker": speaker, "user": "meera comes on the 12th", "assistant": "Nice!"}
    session = {"at": "2026-11-20T10:00:00+01:00", "turns": [turn]}
    return {"sessions": [session] * sessions, "findings": list(told)}


async def test_a_session_without_findings_has_no_review() -> None:
    extraction, reviewing = await measure([history(2, TOLD, speaker="Anna")])
    assert (len(extraction.calls), len(reviewing.calls)) == (2, 1)
    assert table(extraction, reviewing).row_count == 3


async def test_more_findings_cost_more_of_both() -> None:
    one = await measure([history(1, TOLD)])
    two = await measure([history(1, TOLD, TOLD | {"text": "Meera is my sister"})])
    for few, many in zip(one, two, strict=True):
        assert few.calls[0][1] < many.calls[0][1]
