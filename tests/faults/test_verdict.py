"""The verdict on a life with AWS sees what it is there for: what somebody does to AWS's data behind
the bot's back."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.aws.data import Contents
from tests.fakes.aws.world import Machinery
from tests.fakes.simulated.loop import SimulatedLoop, epoch
from tests.faults.steps import ForgetsAll, Passes, Says, Step
from tests.faults.turmoil import Life, stage
from tests.faults.verdict import Verdict


@pytest.fixture(scope="module")
def made() -> Iterator[Machinery]:
    with stage() as made:
        yield made


def judged(
    made: Machinery, folder: Path, *steps: Step, meddle: Callable[[Contents], object]
) -> Verdict:
    """The verdict on the steps if somebody meddles with AWS behind the bot's back."""

    async def live() -> Verdict:
        async with Life(made, folder) as life:
            for step in steps:
                await life.take(step)
            contents = made.aws.data().contents(life.world.memory.id)
            contents.jobs.settle(epoch(), made.aws.knobs)
            meddle(contents)
            return await life.judge()

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(live())


def test_an_event_that_is_gone_is_lost(made: Machinery, tmp_path: Path) -> None:
    verdict = judged(made, tmp_path, Says(0), Passes(30), meddle=lambda aws: aws.log.events.clear())
    assert len(verdict.lost) == 1
    assert not verdict.missing


def test_a_record_that_is_gone_is_missing(made: Machinery, tmp_path: Path) -> None:
    verdict = judged(
        made, tmp_path, Says(0), Passes(30), meddle=lambda aws: aws.shelf.records.clear()
    )
    assert len(verdict.missing) == 1
    assert not verdict.lost


def test_an_event_that_stands_again_is_resurrected(made: Machinery, tmp_path: Path) -> None:
    def bring_back(aws: Contents) -> None:
        for event in aws.log.events:
            # After the bot's last look.
            event.gone_at = event.arrived + 1e9

    steps = (Says(0), Passes(30), ForgetsAll(0), Passes(700))
    verdict = judged(made, tmp_path, *steps, meddle=bring_back)
    assert verdict.resurrected


def test_what_lies_in_anothers_namespace_is_seen_as_foreign(
    made: Machinery, tmp_path: Path
) -> None:
    def give_away(aws: Contents) -> None:
        for record in aws.shelf.records.values():
            record.namespace = record.namespace.replace("/u12/", "/u1/")

    verdict = judged(made, tmp_path, Says(0), Says(1), Passes(30), meddle=give_away)
    assert verdict.foreign
