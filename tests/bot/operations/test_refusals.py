"""`mordecai setup` and `mordecai doctor` where something is wrong: what the operator reads."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.conftest import Run
from tests.fakes.aws import FakeAws, Fault, expired_credentials, wrong_clock, wrong_credentials
from tests.fakes.aws.world import ENVIRONMENT
from tests.fakes.postgres import own_database

SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@pytest.fixture
def aws() -> Iterator[FakeAws]:
    with FakeAws() as aws:
        yield aws


def refusal(run_here: Run, aws: FakeAws, **given: str) -> str:
    """The last line of a setup that fails."""
    variables = {
        **ENVIRONMENT,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "MORDECAI_AWS_REGION": "us-east-1",
        "MORDECAI_AWS_ENDPOINT_URL": aws.url,
        **given,
    }
    code, out, err = run_here("setup", **variables)
    assert (code, out) == (2, "")
    assert SECRET_KEY not in err
    assert "Traceback" not in err
    return err.splitlines()[-1]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (expired_credentials(), "have expired"),
        (wrong_credentials(), "does not know these credentials"),
        (wrong_clock(), "clock is off"),
        (Fault("CreateMemory", None, "ServiceQuotaExceededException", 402), "quota"),
    ],
)
def test_what_aws_objects_to_is_one_clear_line_and_exit_2(
    run_here: Run, aws: FakeAws, fault: Fault, words: str
):
    aws.faults.add(fault)
    assert words in refusal(run_here, aws)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"AWS_ACCESS_KEY_ID": ""}, "AWS_ACCESS_KEY_ID"),
        ({"MORDECAI_AWS_REGION": "eu-nowhere-1"}, "choose another one"),
        ({"MORDECAI_AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "can't be reached"),
        ({"MORDECAI_AWS_REGION": ""}, "region"),
        ({"MORDECAI_AWS_PROFILE": "nobody"}, "nobody"),
        ({"MORDECAI_MEMORY_ID": "gone-0123456789"}, "gone-0123456789 does not exist"),
        ({"MORDECAI_MEMORY_ID": "my memory!"}, "not an id"),
        ({"MORDECAI_MEMORY_NAME": "my-bot"}, "memory_name"),
    ],
)
def test_what_is_configured_wrong_is_one_clear_line_and_exit_2(
    run_here: Run, aws: FakeAws, given: dict[str, str], words: str
):
    assert words in refusal(run_here, aws, **given)


def test_a_failed_memory_says_why_and_what_to_do(run_here: Run, aws: FakeAws):
    aws.knobs.creation_failure = "KMS key is disabled"
    assert re.search(r"KMS key is disabled.*[Dd]elete it", refusal(run_here, aws))


def test_the_doctor_says_what_is_wrong_with_settings_line_by_line(run_here: Run):
    code, out, _ = run_here("doctor", MORDECAI_THREADS="none", MORDECAI_LOG_LEVEL="loud")
    assert code == 1
    lines = [line for line in out.splitlines() if line.startswith("wrong   settings")]
    assert len(lines) == 2
    assert any("threads" in line for line in lines)


def test_the_doctor_needs_nothing_to_call_the_default_fine(run_here: Run, tmp_path: Path):
    code, out, _ = run_here("doctor")
    assert code == 0, out
    marks = [line.split()[:2] for line in out.splitlines()[:-1]]
    assert marks == [["ok", "settings"], ["warning", "token"], ["ok", "model"], ["ok", "data"]]
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_needs_no_more_than_an_empty_database(run_here: Run):
    with own_database() as url:
        code, out, err = run_here("doctor", MORDECAI_DATABASE_URL=url)
    assert (code, err) == (0, ""), out
    assert "0 updates wait for an answer" in out
