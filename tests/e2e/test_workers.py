"""Two workers on one PostgreSQL, hit by what happens in real life; a long storm is one command away
(docs/benchmarks.md)."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.benchmarks.workers.storm import Size, Storm

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


async def test_nothing_is_lost_or_said_twice_when_workers_and_their_database_are_hit(
    tmp_path: Path,
) -> None:
    size = Size(
        blows=("freeze", "kill", "restart", "stop"),
        workers=2,
        people=5,
        groups=1,
        pause=0.5,
        hurry=3,
        lease=1.5,
        clocks=(0, 30),
        seed=7,
    )
    verdict = await Storm(size, tmp_path).run()
    assert verdict.result.messages > 0
    assert not verdict.result.broken, verdict.problems
