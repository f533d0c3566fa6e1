"""`mordecai maintain`: the housework now, in numbers, and what waits."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.errors import OperatorError
from bot.operations.maintain import clean_up
from bot.operations.migrate import to_postgres
from bot.settings import Settings
from memory.journal import Backlog
from memory.records import Actor, Draft, Kind, Place, Role, Session, Turn, Utterance
from memory.stores.agentcore.events.jobs import failed_jobs
from memory.stores.journal.sessions import backlog_in
from memory.stores.postgres.leases import PostgresLeases
from memory.stores.sqlite.store import SqliteStore
from tests.e2e.command import mordecai
from tests.fakes.aws import Fault, denied
from tests.fakes.aws.world import World, machinery
from tests.fakes.files import journal_in, look_at
from tests.fakes.postgres import postgres_server, server_url

ANNA = Actor("u1")
LONG_AGO = datetime.now(UTC) - timedelta(days=1000)


async def lived(data: Path) -> None:
    """A data directory with something old, something replaced, and a session in quarantine."""
    data.mkdir()
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(data / "memory", pool)
        (old,) = await store.commit(ANNA, [Draft(Kind.FACT, "I work at Acme Corp", LONG_AGO)])
        await store.commit(
            ANNA, [Draft(Kind.FACT, "I work at Initech", LONG_AGO, supersedes=old.id)]
        )
        said = (
            Utterance(Role.USER, "zanzibar", LONG_AGO),
            Utterance(Role.ASSISTANT, "ok", LONG_AGO),
        )
        await store.add_turn(ANNA, Turn("t1", "s1", said))
        await store.aclose()
        async with journal_in(data / "journal.sqlite", pool) as journal:
            for id_ in ("s1", "s2", "s3"):
                place = Place("telegram", 1)
                await journal.sessions.open(Session(id_, ANNA, place, LONG_AGO, LONG_AGO))
                await journal.sessions.end(id_, "new", LONG_AGO)
            (job, *_) = await journal.jobs.due(LONG_AGO, 3)
            await journal.jobs.quarantine(job.session, LONG_AGO, "ExtractionFailed")


def table(printed: str) -> dict[str, list[str]]:
    """The numbers of each row."""
    rows = (line.split() for line in printed.splitlines())
    return {row[0]: row[1:] for row in rows if len(row) == 4 and row[1].isdigit()}


def test_it_prints_what_went_by_kind_and_what_waits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data"
    asyncio.run(lived(data))
    ran = asyncio.run(mordecai("maintain", "--data", str(data), cwd=tmp_path))
    assert ran.code == 0, ran.err
    assert table(ran.out) == {
        "facts": ["0", "1", "0"],
        "preferences": ["0", "0", "0"],
        "summaries": ["0", "0", "0"],
        "messages": ["2", "0", "0"],
    }
    assert "waiting to be saved: 2 sessions" in ran.out
    assert (
        "in quarantine after too many attempts: 1 session; retry with `mordecai maintain --retry`"
        in ran.out
    )
    assert "zanzibar" not in ran.out + ran.err
    assert clean_up(Settings(data_dir=data), retry=False) == 0
    again = table(capsys.readouterr().out)
    assert all(numbers == ["0", "0", "0"] for numbers in again.values())


def test_what_is_in_quarantine_is_queued_again_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data"
    asyncio.run(lived(data))
    assert clean_up(Settings(data_dir=data), retry=True) == 0
    assert "queued for retry at the next start: 1 session\n" in capsys.readouterr().out
    assert backlog_in(look_at(data / "journal.sqlite")) == Backlog(3, 0)


def test_a_limit_in_the_settings_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = tmp_path / "data"
    asyncio.run(lived(data))
    clean_up(Settings(data_dir=data, fact_days=30, message_days=None), retry=False)
    removed = table(capsys.readouterr().out)
    assert removed["facts"] == ["1", "1", "0"]
    assert removed["messages"] == ["0", "0", "0"]


def test_after_a_leap_of_the_clock_it_waits_for_the_operators_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data"
    asyncio.run(lived(data))
    asyncio.run(noted_clock(data, datetime.now(UTC) - timedelta(days=800)))
    assert clean_up(Settings(data_dir=data), retry=False) == 1
    printed = capsys.readouterr().out
    assert "--clock-is-right" in printed
    assert table(printed) == {}
    assert clean_up(Settings(data_dir=data), retry=False, clock_is_right=True) == 0
    assert table(capsys.readouterr().out)["messages"] == ["2", "0", "0"]
    assert clean_up(Settings(data_dir=data), retry=False) == 0


async def noted_clock(data: Path, at: datetime) -> None:
    with ThreadPoolExecutor(1) as pool:
        async with journal_in(data / "journal.sqlite", pool) as journal:
            await journal.maintenance.note_right_time(at)


def test_while_a_bot_runs_it_refuses_politely(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with (
        FileLock(tmp_path / "lock"),
        pytest.raises(OperatorError, match="already running"),
    ):
        clean_up(Settings(data_dir=tmp_path), retry=False)
    assert capsys.readouterr().out == ""


def test_a_memory_that_cannot_be_read_is_exit_1_and_the_others_are_tidied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data"
    asyncio.run(lived(data))
    (data / "memory" / "u0.sqlite").mkdir()
    with capture_logs() as logs:
        assert clean_up(Settings(data_dir=data), retry=False) == 1
    printed = capsys.readouterr().out
    assert table(printed)["messages"] == ["2", "0", "0"]
    assert "could not be checked (reasons above): 1" in printed
    assert "u0" in str(logs)


def test_where_there_is_nothing_nothing_is_made(tmp_path: Path):
    with pytest.raises(OperatorError, match="--data"):
        clean_up(Settings(data_dir=tmp_path / "nowhere"), retry=False)
    assert list(tmp_path.iterdir()) == []


async def test_on_a_server_it_works_beside_workers_and_leaves_alone_whom_they_are_busy_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = tmp_path / "data"
    await lived(data)
    settings = Settings(data_dir=data, database_url=SecretStr(server_url()))
    with postgres_server("mordecai") as server:
        await asyncio.to_thread(to_postgres, settings, dry_run=False)
        async with PostgresLeases(server, 15.0) as leases:
            async with leases.work_on(ANNA):
                assert await asyncio.to_thread(clean_up, settings, retry=True) == 0
            printed = capsys.readouterr().out
            assert "queued for retry: 1 session\n" in printed
            assert (
                "checked: 0 memories\nleft to the workers that are busy with them: 1\n" in printed
            )
            assert table(printed)["messages"] == ["0", "0", "0"]
            await leases.give_back()
            assert await asyncio.to_thread(clean_up, settings, retry=False) == 0
        assert table(capsys.readouterr().out)["messages"] == ["2", "0", "0"]


def test_without_a_memory_it_says_so(tmp_path: Path):
    with pytest.raises(OperatorError, match="memory_enabled"):
        clean_up(Settings(data_dir=tmp_path, memory_enabled=False), retry=False)


def test_it_looks_after_a_memory_on_aws(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with machinery() as made:
        here = asyncio.run(made.world(tmp_path))
        asyncio.run(told(here))
        assert clean_up(on(here), retry=False) == 0
    printed = capsys.readouterr().out
    assert "checked: 1 memory" in printed
    assert "refused by AWS: 0 messages\n" in printed


def test_what_aws_refused_is_sent_again_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with machinery() as made:
        here = asyncio.run(made.world(tmp_path))
        refusal = Fault("CreateEvent", 1, "ValidationException", reason="CannotParse")
        made.aws.faults.add(refusal)
        asyncio.run(told(here))
        clean_up(on(here), retry=False)
        assert "refused by AWS: 1 message; `mordecai doctor` says why" in capsys.readouterr().out
        clean_up(on(here), retry=True)
        assert "refused by AWS, to be sent again: 1 message\n" in capsys.readouterr().out
        assert asyncio.run(refused(here)) == 0


def test_failed_extraction_jobs_are_counted_and_allowed_again_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with machinery() as made:
        made.aws.knobs.extraction_fails = True
        here = asyncio.run(made.world(tmp_path))
        asyncio.run(told(here))
        jobs = len(asyncio.run(failed_jobs(here.calls())))
        clean_up(on(here), retry=True)
        assert f"to be started again by the bot: {jobs} jobs\n" in capsys.readouterr().out
        made.aws.faults.add(denied("ListMemoryExtractionJobs"))
        clean_up(on(here), retry=True)
        listed = capsys.readouterr().out.partition("they can't be listed: ")[2]
        assert "ListMemoryExtractionJobs" in listed.splitlines()[0]


async def refused(here: World) -> int:
    async with await here.store() as store:
        await store.extraction.flush(ANNA)
        return await store.sending.refused()


def on(here: World) -> Settings:
    """The settings of a bot on this memory."""
    return Settings(
        data_dir=here.directory,
        memory_backend="agentcore",
        memory_id=here.memory.id,
        aws_region="us-east-1",
        aws_endpoint_url=here.aws.url,
    )


async def told(here: World) -> None:
    async with await here.store() as store:
        said = (Utterance(Role.USER, "I work at Acme Corp", datetime.now(UTC)),)
        await store.add_turn(ANNA, Turn("t1", "s1", said))
        await store.extraction.flush(ANNA)
