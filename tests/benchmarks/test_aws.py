"""What a turn costs at AWS, and that the benchmark measures it."""

from dataclasses import replace
from pathlib import Path

from memory.memory import MemoryOptions
from memory.records import Actor, Kind
from tests.benchmarks.aws import LINES, Size, measure, tables
from tests.fakes.aws.world import FAST, world
from tests.fakes.bots import open_bot, place_of

ANN = Actor("u1")
#: Waits for AWS on a slow machine too.
PATIENT = MemoryOptions(memory_recall_timeout_seconds=30, extraction_timeout_seconds=3600)


async def test_a_steady_turn_costs_two_retrievals_and_one_event_and_the_profile_none(
    tmp_path: Path,
):
    async with (
        world(tmp_path) as here,
        await here.store(replace(FAST, search=30)) as store,
        open_bot(store, tmp_path, PATIENT) as bot,
    ):
        before = len(here.aws.calls)
        for session in range(2):
            for number, line in enumerate(LINES):
                await bot.hears(ANN, line)
                await store.extraction.flush(ANN)
                asked = here.aws.operations()[before:]
                before += len(asked)
                # The maintenance at the start is no part of a turn.
                asked = [operation for operation in asked if operation != "ListActors"]
                # Choices are read once, the profile with each session.
                lists = (3 + (session == 0)) * (number == 0)
                profile = ["ListMemoryRecords"] * lists
                steady = ["CreateEvent", "RetrieveMemoryRecords", "RetrieveMemoryRecords"]
                assert sorted(asked) == sorted(profile + steady), (session, line)
            ending = await bot.memory.talk.end(ANN, place_of(ANN), "new")
            assert ending is not None
            assert await ending.wait(30) == "saved"
            asked = here.aws.operations()[before:]
            before += len(asked)
            assert asked == ["ListMemoryRecords", "ListMemoryExtractionJobs"], "is it learned?"
        assert await store.records(ANN, kinds=(Kind.SUMMARY,))


async def test_the_benchmark_measures_what_it_says():
    size = Size((0, 50), turns=4, slow_turns=2, actors=3, turns_each=2, crowd_delays_ms=(0,))
    report = await measure(size)
    steady = report.calls.steady_turn
    assert steady.calls == {"CreateEvent": 1, "RetrieveMemoryRecords": 2}
    assert report.calls.first_turn.calls["ListMemoryRecords"] == 4
    assert 1000 < steady.bytes < 10_000
    assert [row.aws_ms for row in report.latencies] == [0, 50]
    assert report.latencies[1].p50 >= 50
    assert [row.store for row in report.crowds] == ["SQLite", "AWS, 0 ms"]
    assert all(row.turns_per_second > 0 for row in report.crowds)
    assert len(tables(report)) == 3
