"""The AgentCore store passes the suite of every store while AWS is all at once what it is now and
then: late, thin, throttled, and in words of its own. Time is simulated, so nobody waits for it."""

from collections.abc import Iterator

import pytest

from tests.fakes.aws import Knobs
from tests.fakes.aws.world import Machinery
from tests.fakes.simulated.aws import TIMING, simulated
from tests.memory.stores.agentcore.test_agentcore import OnFakeAws


class TestAwsIsHarsh(OnFakeAws):
    """With what takes seconds or minutes at AWS taking as long here."""

    timing = TIMING

    @pytest.fixture(scope="class")
    @classmethod
    def made(cls) -> Iterator[Machinery]:
        with simulated(Knobs.harsh(1), latency=0.1) as made:
            yield made
