"""What the checks are held against: a fake AWS, and a server that says one thing only."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.bot.operations.doctor.canned import Canned
from tests.fakes.aws import FakeAws
from tests.fakes.aws.world import ENVIRONMENT


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Where blocking calls run."""
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Credentials in the environment, and nothing of this machine's own."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.fixture
def aws(credentials: pytest.MonkeyPatch) -> Iterator[FakeAws]:
    """An AWS of its own for each test."""
    with FakeAws() as aws:
        yield aws


@pytest.fixture
def canned() -> Iterator[Canned]:
    """A server to be told what to say."""
    with Canned() as server:
        yield server
