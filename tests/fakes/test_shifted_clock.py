"""A program with a wrong clock still measures durations right."""

import asyncio
import os
import sys
import time
from pathlib import Path

from tests.fakes.shifted_clock import shifted_clock

_TELL = """import time
from datetime import datetime
print(time.time(), datetime.now().timestamp(), time.monotonic())"""


async def test_the_clock_is_ahead_and_the_monotonic_one_is_not(tmp_path: Path) -> None:
    variables = {**os.environ, **shifted_clock(tmp_path, 3_000)}
    before = time.time(), time.time(), time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _TELL, env=variables, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    for told, at, ahead in zip(map(float, out.split()), before, (3_000, 3_000, 0), strict=True):
        assert ahead <= told - at < ahead + 1_000
