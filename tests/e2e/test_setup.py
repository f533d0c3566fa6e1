"""`mordecai setup` and `mordecai doctor` as a user runs them, against an AWS on this machine."""

import asyncio
import json
import os
import pty
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import COMMAND, PATIENCE, Ran, environment, mordecai
from tests.fakes.aws import FakeAws, expired_credentials
from tests.fakes.aws.world import ENVIRONMENT
from tests.fakes.botapi import BotApiServer

ID = re.compile(r"MordecaiMemory-[a-zA-Z0-9]{10}")
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
CLAUDE = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.fixture
def aws() -> Iterator[FakeAws]:
    with FakeAws() as aws:
        yield aws


def variables(aws: FakeAws, **others: str) -> dict[str, str]:
    return {
        **ENVIRONMENT,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "MORDECAI_AWS_REGION": "us-east-1",
        "MORDECAI_AWS_ENDPOINT_URL": aws.url,
        **others,
    }


async def run(aws: FakeAws, cwd: Path, *arguments: str, **others: str) -> Ran:
    ran = await mordecai(*arguments, cwd=cwd, stdin=b"", **variables(aws, **others))
    assert SECRET_KEY not in ran.out + ran.err
    assert "Traceback" not in ran.err
    return ran


async def test_a_first_run_creates_the_memory_and_a_second_one_finds_it(
    aws: FakeAws, tmp_path: Path
):
    aws.knobs.creation_seconds = aws.knobs.strategy_seconds = 1.0
    first = await run(aws, tmp_path, "setup")
    assert first.code == 0, first.err
    assert ID.fullmatch(first.out.strip()), "standard output is the id and nothing else"
    assert first.err.splitlines()[:3] == [
        "looking for the memory called MordecaiMemory in us-east-1",
        f"created memory {first.out.strip()}",
        "the memory is CREATING",
    ]
    assert 'memory_backend to "agentcore"' in first.err
    assert list(tmp_path.iterdir()) == [], "nothing is written unless asked for"

    (tmp_path / "config.json").write_text('{"log_level": "info", "memory_backend": "agentcore"}')
    second = await run(aws, tmp_path, "setup", "--write")
    assert second.out == first.out
    assert aws.operations().count("CreateMemory") == 1
    written = json.loads((tmp_path / "config.json").read_text())
    assert written == {
        "log_level": "info",
        "memory_backend": "agentcore",
        "memory_id": first.out.strip(),
    }

    aws.calls.clear()
    third = await run(aws, tmp_path, "setup")
    assert third.out == first.out
    read = {"GetMemory", "ListSessions"}
    assert set(aws.operations()) == read, "the configured id is only checked, on both planes"
    assert "mordecai run" in third.err


async def test_on_a_terminal_it_asks_before_it_writes(aws: FakeAws, tmp_path: Path):
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        "setup",
        cwd=tmp_path,
        env=environment(**variables(aws), TERM="xterm", COLUMNS="200"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    screen = b""
    try:
        async with asyncio.timeout(PATIENCE):
            while piece := await asyncio.to_thread(_read, ours):
                screen += piece
                if screen.rstrip().endswith(b"[Y/n]:"):
                    os.write(ours, b"y\n")
            await process.wait()
    finally:
        os.close(ours)
    assert process.returncode == 0, screen
    found = ID.search(screen.decode())
    assert found
    assert json.loads((tmp_path / "config.json").read_text()) == {"memory_id": found.group()}


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""  # nobody holds the other end any more


async def test_what_aws_objects_to_is_one_clear_line_and_exit_2(aws: FakeAws, tmp_path: Path):
    aws.faults.add(expired_credentials())
    ran = await run(aws, tmp_path, "setup")
    assert ran.code == 2
    assert ran.out == ""
    assert "have expired" in ran.err.splitlines()[-1]


async def test_the_doctor_finds_nothing_wrong_with_what_setup_made(aws: FakeAws, tmp_path: Path):
    (tmp_path / "config.json").write_text(
        json.dumps({"memory_backend": "agentcore", "model": CLAUDE})
    )
    await run(aws, tmp_path, "setup", "--write")
    async with BotApiServer() as server:
        ran = await run(
            aws,
            tmp_path,
            "doctor",
            TELEGRAM_BOT_TOKEN=server.token,
            MORDECAI_TELEGRAM_BASE_URL=server.root,
        )
        assert server.token not in ran.out + ran.err
    lines = [line.split()[:2] for line in ran.out.splitlines()]
    assert ran.code == 0, ran.out
    assert {mark for mark, _ in lines[:-1]} == {"ok"}
    assert [subject for _, subject in lines[:-1]] == [
        *("settings", "token", "updates", "groups", "model", "credentials", "region"),
        *("memory", "strategies", "permissions", "clock", "data"),
    ]
    assert ran.out.splitlines()[-1] == "nothing is wrong"


async def test_the_doctor_names_everything_that_is_wrong_and_goes_on(aws: FakeAws, tmp_path: Path):
    aws.faults.add(expired_credentials())
    (tmp_path / "data").write_text("in the way")
    token = "123456789:" + "A" * 35
    ran = await run(
        aws,
        tmp_path,
        "doctor",
        TELEGRAM_BOT_TOKEN=token,
        MORDECAI_TELEGRAM_BASE_URL="http://127.0.0.1:1",
        MORDECAI_MEMORY_BACKEND="agentcore",
        MORDECAI_MODEL="openai:small",
        MORDECAI_MODEL_BASE_URL="http://127.0.0.1:1/v1",
        MORDECAI_MODEL_API_KEY="a-model-key-of-mine",
    )
    assert ran.code == 1
    wrong = [line.split()[1] for line in ran.out.splitlines() if line.startswith("wrong")]
    assert wrong == ["token", "model", "memory", "data"]
    assert token not in ran.out + ran.err
    assert "a-model-key-of-mine" not in ran.out + ran.err
