"""What models have used, for whom: counted after the turn, kept on disk, gone when forgotten."""

import sqlite3
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RunUsage

from bot.assistant.conversation import Conversation
from bot.assistant.events import Event, TextDelta
from bot.models.extraction import ModelExtractor
from bot.offline.notebook import offline_model
from bot.people.accounts import USAGE_LAYOUT, Account, Accounts, Spent
from bot.people.usage import Usage
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Place, Role, Turn, Utterance
from memory.stores.database import Databases
from memory.stores.sqlite.database import SqliteDatabases
from memory.understanding import Reading
from tests.fakes.extractors import EverySentence
from tests.fakes.memories import NOON, open_memory
from tests.fakes.messages import is_failure, message
from tests.fakes.openai_server import Completion, OpenAIServer
from tests.fakes.scripted_model import Scripted, call

ANNA, BORIS, CLUB = Actor.person(1), Actor.person(12), Actor.group(-100)
TURN = Usage(1, 2, 0, 1000, 50, 600, 200, Decimal("0.00375"))
MONEY = st.decimals(0, 100, places=12)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@asynccontextmanager
async def open_accounts(
    databases: Databases | None = None, now: list[datetime] | None = None
) -> AsyncIterator[Accounts]:
    """Accounts, in RAM unless said otherwise, at a time that is the last of `now`."""
    times = now or [NOON]
    with ThreadPoolExecutor(2) as pool:
        database = (databases or SqliteDatabases(None, pool)).open(USAGE_LAYOUT)
        async with Accounts(database, lambda: times[-1]) as accounts:
            yield accounts


async def test_turns_add_up_by_session_and_by_day(databases: Databases) -> None:
    now = [NOON]
    async with open_accounts(databases, now) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_turn(ANNA, "s2", TURN)
        assert await accounts.of_session(ANNA, "s1") == Account(TURN + TURN)
        assert await accounts.today(ANNA) == Account(TURN + TURN + TURN)
        now.append(NOON + timedelta(hours=12))
        accounts.note_turn(ANNA, "s2", TURN)
        assert await accounts.today(ANNA) == Account(TURN)
        assert await accounts.of_session(ANNA, "s2") == Account(TURN + TURN)


async def test_a_day_ends_at_midnight_utc(databases: Databases) -> None:
    now = [datetime.fromisoformat("2026-11-22T01:59:59+02:00")]
    async with open_accounts(databases, now) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        assert await accounts.today(ANNA) == Account(TURN)
        now.append(now[0] + timedelta(seconds=1))
        assert await accounts.today(ANNA) == Account()


async def test_what_somebody_asks_in_a_group_is_the_group_s_and_counts_for_their_day(
    databases: Databases,
) -> None:
    now = [datetime.fromisoformat("2026-11-22T01:00:00+00:00")]
    spent = Spent(TURN.input_tokens + TURN.output_tokens, TURN.cost)
    async with open_accounts(databases, now) as accounts:
        accounts.note_turn(ANNA, "s1", TURN, 1)
        accounts.note_turn(CLUB, "s2", TURN, 1)
        accounts.note_recording(CLUB, "s2", TURN, 12)
        assert await accounts.today(ANNA) == Account(TURN)
        assert await accounts.today(CLUB) == Account(TURN, recordings=TURN)
        assert await accounts.spent_today(ANNA) == spent + spent
        assert await accounts.spent_today(BORIS) == spent
        assert (await accounts.totals("2026-11-22")).account.total == TURN + TURN + TURN
        await accounts.erase(CLUB)
        assert await accounts.spent_today(BORIS) == spent, "the group is forgotten, not the bill"
        now.append(now[0] + timedelta(days=1))
        assert await accounts.spent_today(ANNA) == Spent()
        accounts.note_turn(CLUB, "s3", TURN, 12)
        await accounts.settle()
        now.append(now[-1] + timedelta(days=1))
        accounts.note_turn(CLUB, "s4", TURN, 12)
        await accounts.settle()
        kept = await accounts._db.rows("SELECT DISTINCT day FROM shares ORDER BY day")
        assert kept == [("2026-11-23",), ("2026-11-24",)], "if the clock leaps, today is yesterday"


async def test_nobody_gets_around_a_limit_by_having_themselves_forgotten(
    databases: Databases,
) -> None:
    spent = Spent(TURN.input_tokens + TURN.output_tokens, TURN.cost)
    now = [datetime.fromisoformat("2026-11-22T01:00:00+00:00")]
    async with open_accounts(databases, now) as accounts:
        for _ in range(2):
            accounts.note_turn(ANNA, "s1", TURN, 1)
            accounts.note_turn(CLUB, "s2", TURN, 1)
            await accounts.erase(ANNA)
        assert await accounts.today(ANNA) == Account()
        assert await accounts.shared_today(ANNA) == Spent()
        assert await accounts.spent_today(ANNA) == spent + spent + spent + spent
        now.append(now[0] + timedelta(days=1))
        assert await accounts.spent_today(ANNA) == Spent()


async def test_what_was_erased_at_one_worker_counts_at_the_others(databases: Databases) -> None:
    async with open_accounts(databases) as here, open_accounts(databases) as there:
        here.note_turn(ANNA, "s1", TURN, 1)
        spent = await here.spent_today(ANNA)
        await here.erase(ANNA)
        assert await there.spent_today(ANNA) == spent != Spent()
        assert await there.shared_today(ANNA) == Spent()
        assert ANNA.id not in str(await there._db.rows("SELECT * FROM shares"))


async def test_an_account_is_its_actor_s_alone(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        assert await accounts.today(BORIS) == Account()
        assert await accounts.of_session(BORIS, "s1") == Account()
        assert await accounts.export(BORIS) == []


async def test_an_extraction_is_counted_for_whose_session_it_was(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_turn(BORIS, "s2", TURN)
        accounts.note_learning("s1", TURN)
        account = await accounts.of_session(ANNA, "s1")
        assert account == Account(TURN, TURN)
        assert account.total.input_tokens == 2000
        assert await accounts.today(BORIS) == Account(TURN)


async def test_an_extraction_of_a_forgotten_session_is_nobody_s(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        await accounts.erase(ANNA)
        accounts.note_learning("s1", TURN)
        assert await accounts.today(ANNA) == Account()


async def test_recordings_are_counted_beside_the_turns(databases: Databases) -> None:
    spoken = Usage.of_recording(timedelta(seconds=75), Decimal("0.0075"))
    of_nobody_knows_what_price = Usage.of_recording(timedelta(seconds=0.5), None)
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_recording(ANNA, "s1", spoken)
        accounts.note_recording(ANNA, "s1", of_nobody_knows_what_price)
        account = await accounts.of_session(ANNA, "s1")
        assert account == Account(TURN, recordings=spoken + of_nobody_knows_what_price)
        assert account.total.audio_milliseconds == 75_500
        assert account.total.cost == TURN.cost + Decimal("0.0075")
        assert account.total.unpriced == 1
        totals = await accounts.totals("2026-11-01")
        assert (totals.people, totals.account) == (1, account)


async def test_an_account_of_an_older_version_goes_on(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    files = SqliteDatabases(tmp_path, pool)
    async with open_accounts(files) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
    with closing(sqlite3.connect(tmp_path / "usage.sqlite")) as db:
        db.execute("ALTER TABLE usage DROP COLUMN audio_milliseconds")
        db.execute("DELETE FROM migration WHERE name = 'recordings'")
        db.commit()
    async with open_accounts(files) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        assert await accounts.today(ANNA) == Account(TURN + TURN)


async def test_accounts_outlive_the_process(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
    async with open_accounts(databases) as accounts:
        assert await accounts.today(ANNA) == Account(TURN)


async def test_what_is_erased_is_in_no_file_any_more(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    files = SqliteDatabases(tmp_path, pool)
    async with open_accounts(files) as accounts:
        accounts.note_turn(ANNA, "s20261121T120000-deadbeef", TURN)
        accounts.note_turn(BORIS, "s20261121T120000-cafecafe", TURN)
        await accounts.erase(ANNA)
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"deadbeef" not in kept
        assert await accounts.today(BORIS) == Account(TURN)
    assert b"deadbeef" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


async def test_an_export_has_every_day_session_and_kind(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_learning("s1", TURN)
        extraction, turn = await accounts.export(ANNA)
    assert (extraction["kind"], turn["kind"]) == ("extraction", "turn")
    assert (turn["day"], turn["session"]) == ("2026-11-21", "s1")
    assert (turn["input_tokens"], Decimal(turn["cost"])) == (1000, Decimal("0.00375"))


async def test_a_count_that_fails_is_logged_and_bothers_nobody() -> None:
    async with open_accounts() as accounts:
        await accounts._db.ask(lambda db: db.execute("DROP TABLE usage"))
        with structlog.testing.capture_logs() as logs:
            accounts.note_turn(ANNA, "s1", TURN)
            await accounts.settle()
        (line,) = logs
        assert (line["event"], line["remedy"]) == (
            "usage_not_counted",
            "check the data directory or database_url",
        )
        with pytest.raises(StoreUnavailable):
            await accounts.today(ANNA)


@given(st.lists(MONEY, max_size=5))
async def test_money_adds_up_to_the_last_digit(costs: list[Decimal]) -> None:
    async with open_accounts() as accounts:
        for cost in costs:
            accounts.note_turn(ANNA, "s1", Usage(1, 1, cost=cost))
        assert (await accounts.today(ANNA)).total.cost == sum(costs, Decimal(0))


def test_a_run_without_a_known_price_says_so() -> None:
    unknown = Usage.of(RunUsage(requests=2, input_tokens=10))
    assert (unknown.unpriced, unknown.cost) == (2, Decimal(0))
    known = Usage.of(RunUsage(requests=2, input_tokens=10, cost=Decimal("0.1")), finished=False)
    assert (known.runs, known.unpriced, known.cost) == (0, 0, Decimal("0.1"))


def test_the_cached_share_is_of_all_that_was_read() -> None:
    assert TURN.cached_share == 0.6
    assert Usage().cached_share == 0


# -- in the conversation --------------------------------------------------------------------------


async def say(model: Model, memory: Memory, accounts: Accounts, words: str) -> Event:
    place = Place("telegram", 1)
    talk = Conversation(model, memory, "You are a test.", clock=lambda: NOON, accounts=accounts)
    inbound = message(uuid.uuid4().hex, ANNA, place, words, NOON)
    return [event async for event in talk.reply(inbound)][-1]


async def test_a_turn_counts_with_all_its_requests_in_its_session() -> None:
    script = Scripted([[call("search_memory", '{"query": "x"}')], ["Nothing yet."]])
    async with open_memory() as memory, open_accounts() as accounts:
        await say(script.model, memory, accounts, "What do you know?")
        session = await memory.talk.session(ANNA, Place("telegram", 1))
        assert session
        used = (await accounts.of_session(ANNA, session.id)).turns
        assert (used.runs, used.requests, used.unpriced) == (1, 2, 2)
        assert used.output_tokens > 0


async def test_a_turn_that_failed_counts_for_what_it_used_until_then() -> None:
    script = Scripted([[call("search_memory", '{"query": "x"}')], ModelHTTPError(500, "m")])
    async with open_memory() as memory, open_accounts() as accounts:
        assert is_failure(await say(script.model, memory, accounts, "Hi"))
        used = (await accounts.today(ANNA)).turns
        assert (used.runs, used.requests) == (0, 1)
        assert used.input_tokens > 0


async def test_a_turn_that_never_reached_a_model_counts_for_nothing() -> None:
    script = Scripted([ModelHTTPError(500, "m")])
    async with open_memory() as memory, open_accounts() as accounts:
        await say(script.model, memory, accounts, "Hi")
        assert await accounts.export(ANNA) == []


async def test_a_turn_that_was_stopped_counts_for_about_what_was_read_and_written() -> None:
    async with OpenAIServer() as server, open_memory() as memory, open_accounts() as accounts:
        server.script(Completion(("Once upon a time, ",), stall=60))
        provider = OpenAIProvider(base_url=server.base_url, api_key=server.api_key)
        talk = Conversation(
            OpenAIChatModel("gpt-4o", provider=provider), memory, "A test.", accounts=accounts
        )
        events = talk.reply(message("m1", ANNA, Place("telegram", 1), "Tell me", NOON))
        assert await anext(events) == TextDelta("Once upon a time, ")
        await events.aclose()
        used = (await accounts.today(ANNA)).turns
    assert (used.runs, used.requests, used.unpriced) == (0, 1, 0)
    assert used.input_tokens > 0
    assert used.output_tokens >= 4
    assert used.cost > 0


async def test_a_turn_in_a_group_counts_for_whoever_asked() -> None:
    async with open_memory() as memory, open_accounts() as accounts:
        model = Scripted([["Hello."]]).model
        talk = Conversation(model, memory, "A test.", clock=lambda: NOON, accounts=accounts)
        there = message("m1", CLUB, Place("telegram", -100), "Hi", NOON, "Ann", user_id=1)
        assert [event async for event in talk.reply(there)]
        assert (await accounts.spent_today(ANNA)).tokens > 0
        assert await accounts.today(ANNA) == Account()


async def test_the_engine_without_a_model_uses_no_tokens_and_no_money() -> None:
    async with open_memory() as memory, open_accounts() as accounts:
        await say(offline_model(), memory, accounts, "I'll call you Jarvis")
        assert await accounts.today(ANNA) == Account(Usage(runs=1, requests=2))


async def test_an_extraction_on_a_model_is_counted_even_if_its_answer_is_no_use() -> None:
    said = Utterance(Role.USER, "I sail.", NOON), Utterance(Role.ASSISTANT, "Nice.", NOON)
    async with open_accounts() as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        extractor = ModelExtractor(offline_model(), EverySentence(), accounts)
        with structlog.testing.capture_logs(), pytest.raises(Exception, match="no extraction"):
            await extractor.extract(Reading((Turn("t1", "s1", said),)))
        extraction = (await accounts.of_session(ANNA, "s1")).extractions
        assert (extraction.runs, extraction.requests) == (0, 2)


async def test_an_account_that_moves_is_added_to_the_other_s(databases: Databases) -> None:
    async with open_accounts(databases) as accounts:
        accounts.note_turn(ANNA, "s1", TURN)
        accounts.note_turn(ANNA, "s2", TURN)
        accounts.note_turn(BORIS, "s1", TURN)
        for _ in range(2):
            await accounts.move(ANNA, BORIS)
        assert (await accounts.today(ANNA)).turns == Usage()
        assert (await accounts.today(BORIS)).turns == TURN + TURN + TURN
        assert len(await accounts.export(BORIS)) == 2
        await accounts.move(BORIS, BORIS)
        assert (await accounts.today(BORIS)).turns == TURN + TURN + TURN
