"""What the tests of the channel share."""

import io
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog

from bot.__main__ import main
from bot.operations import logs
from tests.fakes.botapi import BotApiServer

Run = Callable[..., tuple[int, str, str]]
_OWN = ("MORDECAI_", "TELEGRAM_", "AWS_")


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    """A Bot API of its own for each test."""
    async with BotApiServer() as server:
        yield server


@pytest.fixture
def everything_logged() -> Iterator[io.StringIO]:
    """The log as the program writes it at its most talkative."""
    stream = io.StringIO()
    with _logging_restored():
        logs.configure("debug", "json", stream=stream)
        yield stream


@pytest.fixture
def run_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """The command in this process, for what ends before the bot is loaded: its exit code, and what
    it printed."""

    def run_main(*arguments: str, **variables: str) -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["mordecai", *arguments])
        for name in [name for name in os.environ if name.startswith(_OWN)]:
            monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with _logging_restored(), pytest.raises(SystemExit) as end:
            main()
        assert isinstance(end.value.code, int)
        return end.value.code, *capsys.readouterr()

    return run_main


@contextmanager
def _logging_restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level, hook = list(root.handlers), root.level, sys.excepthook
    yield
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
    root.setLevel(level)
    sys.excepthook = hook
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()
