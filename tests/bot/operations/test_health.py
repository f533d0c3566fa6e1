"""The sign of life tells a running bot from one that hangs, ended or was killed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.operations.health import STALLED_SECONDS, find_problem, heartbeat, why_unwritable


class Channel:
    def __init__(self, silent_seconds: float = 0.0, *, handling: bool = True) -> None:
        self.silent_seconds, self.handling = silent_seconds, handling


async def beaten(file: Path) -> None:
    async with asyncio.timeout(10):
        while not (file.exists() and file.read_text()):
            await asyncio.sleep(0.01)


async def test_a_running_bot_is_well_and_an_ended_one_is_gone(tmp_path: Path):
    async with heartbeat(tmp_path, Channel()):
        await beaten(tmp_path / "heartbeat")
        assert find_problem(tmp_path) is None
    assert "no Mordecai runs" in (find_problem(tmp_path) or "")


async def test_a_bot_that_hears_nothing_is_found_out(tmp_path: Path):
    async with heartbeat(tmp_path, Channel()):
        await beaten(tmp_path / "heartbeat")
        beat = (tmp_path / "heartbeat").stat().st_mtime
        assert find_problem(tmp_path, beat + 30) is None
        assert "heard nothing" in (find_problem(tmp_path, beat + 61) or "")


async def test_a_stalled_channel_gives_no_sign(tmp_path: Path):
    for channel in (Channel(STALLED_SECONDS + 1), Channel(handling=False)):
        async with heartbeat(tmp_path, channel):
            await asyncio.sleep(0.05)
            assert find_problem(tmp_path) is not None


def test_a_killed_bot_is_noticed_at_once(tmp_path: Path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "heartbeat").write_text(str(gone.pid))
    assert "without saying goodbye" in (find_problem(tmp_path) or "")
    (tmp_path / "heartbeat").write_text(str(os.getpid()))
    assert find_problem(tmp_path) is None


async def test_a_write_that_fails_does_not_end_the_beating_and_is_logged_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "not there yet"
    async with heartbeat(folder, Channel(), seconds=0.01):
        await asyncio.sleep(0.1)
        assert find_problem(folder) is not None
        folder.mkdir()
        await beaten(folder / "heartbeat")
        assert find_problem(folder) is None
    assert capsys.readouterr().out.count("heartbeat_failed") == 1


async def test_no_reader_ever_finds_an_unfinished_sign(tmp_path: Path):
    async with heartbeat(tmp_path, Channel(), seconds=0):
        await beaten(tmp_path / "heartbeat")
        for _ in range(500):
            assert find_problem(tmp_path) is None
            await asyncio.sleep(0)


def test_a_directory_that_is_gone_can_not_be_written(tmp_path: Path):
    assert why_unwritable(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert why_unwritable(tmp_path / "gone")
