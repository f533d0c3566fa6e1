"""Whatever people do and AWS does, in whatever order: no turn is lost, nothing that was forgotten
comes back, and nobody has anything of anybody else."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fakes.aws.world import Machinery
from tests.fakes.simulated.loop import SimulatedLoop
from tests.faults.sequences import sequences
from tests.faults.steps import Step
from tests.faults.turmoil import live, stage


@pytest.fixture(scope="module")
def made() -> Iterator[Machinery]:
    with stage() as made:
        yield made


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=sequences(16))
def test_nothing_is_lost_and_nothing_comes_back(made: Machinery, steps: list[Step]) -> None:
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        assert runner.run(live(made, steps)).faults == []
