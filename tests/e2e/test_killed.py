"""Ten kills of the kill loop; many more are one command away (docs/benchmarks.md)."""

from pathlib import Path

from tests.benchmarks.killloop.loop import Loop, Size


async def test_ten_kills_lose_nothing_and_leave_nothing_behind(tmp_path: Path) -> None:
    verdict = await Loop(Size(kills=10, seed=7, people=5, groups=1, hurry=3), tmp_path).run()
    result = verdict.result
    assert (result.kills, result.starts) == (10, 11)
    assert result.messages > 0
    assert not result.broken, verdict.problems
