"""The AgentCore store passes the suite of every store while AWS is all at once what it is now and
then: late, thin, throttled, and in words of its own. Time is simulated, so nobody waits for it."""

from collections.abc import Iterator

import pytest

from tests.fakes.aws import Knobs
from tests.fakes.aws.world import Machinery
from tests.fakes.simulated.aws import TIMING, simulated
from tests.memory.stores.agentcore.test_agentcore import OnFakeAws


class TestAwsIsHarsh(OnFakeAws):
    """With what takes seconds or minutes at AWS taking as long here. Records that are written are
    shown after the test only: the store knows what it wrote."""

    timing = TIMING

    @pytest.fixture(scope="class")
    @classmethod
    def made(cls) -> Iterator[Machinery]:
        with simulated(Knobs.harsh(1), latency=0.1) as made:
            yield made

    @pytest.fixture(autouse=True)
    def writes_are_shown_late(self, made: Machinery, request: pytest.FixtureRequest) -> None:
        events = "all_messages" in request.node.name
        made.aws.knobs.writing_seconds = 0.5 if events else 86_400
