"""A fake AWS, and credentials for it, for tests of what vendors offer."""

from collections.abc import Iterator

import pytest

from tests.fakes.aws import FakeAws
from tests.fakes.aws.world import ENVIRONMENT


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAws]:
    """An AWS of its own, whose credentials are in the environment."""
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with FakeAws() as aws:
        yield aws
