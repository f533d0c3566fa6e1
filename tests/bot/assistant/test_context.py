"""What the model is given over a whole session, through memory and conversation as the program
joins them: what stays the same from turn to turn, in whose time and language, at what count."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic_ai import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelSettings,
    RunContext,
    TextPart,
)
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import (
    ModelRequestParameters,
    StreamedResponse,
    override_allow_model_requests,
)
from pydantic_ai.models.function import FunctionModel, FunctionStreamedResponse
from pydantic_ai.usage import RequestUsage

from bot.assistant.conversation import Conversation
from bot.assistant.instructions import Persona, system_prompt
from bot.offline.understanding import by_rules
from bot.options import memory_options
from bot.settings import Settings
from memory.conversation.live import SessionLimits
from memory.conversation.tokens import Script, estimate_tokens
from memory.errors import RefusedText
from memory.knowledge.recall import RecallBudget
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Choice, Choices, Draft, Kind, Place, Role
from tests.fakes.files import journal_in
from tests.fakes.messages import is_answer, message
from tests.fakes.scripted_model import Scripted, contents
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.tool_contexts import tool_context
from tools.search import search_memory

ANNA, BORIS = Actor.person(1), Actor.person(12)
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PERSONA = system_prompt(Persona(identity="You are a test."))


@pytest.fixture(autouse=True)
def _no_real_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield


class Clock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@asynccontextmanager
async def world(
    clock: Clock, path: Path | None = None, store: TemporaryStore | None = None
) -> AsyncIterator[Memory]:
    options = MemoryOptions(
        limits=SessionLimits(max_conversation_messages=100), memory_recall_timeout_seconds=30
    )
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(path or ":memory:", pool) as journal,
            Memory(store or TemporaryStore(), journal, by_rules(), options, clock) as memory,
        ):
            yield memory


async def hears(
    memory: Memory, script: Scripted, text: str, actor: Actor = ANNA, language: str | None = None
) -> list[str]:
    """One turn; the texts of its last user message as the model got them."""
    talk = Conversation(script.model, memory, PERSONA, clock=memory.choices.now)
    place = Place("telegram", int(actor.id[1:]))
    number = len(script.requests)
    inbound = message(f"m{number}", actor, place, text, memory.choices.now(), language=language)
    events = [event async for event in talk.reply(inbound)]
    assert is_answer(events[-1])
    return contents(script.requests[-1][0])


async def keep(
    memory: Memory, text: str, kind: Kind = Kind.FACT, days: float = 0, **fields
) -> None:
    at = memory.choices.now() - timedelta(days=days)
    await memory._store.commit(ANNA, [replace(Draft(kind, text, at), **fields)])
    memory._locks.changed(ANNA)


# -- what stays the same --------------------------------------------------------------------------


def up_to_last_point(messages: list[ModelMessage], instructions: str | None) -> str:
    """Everything that stands before the last cache point, as one text."""
    items: list[tuple[str, str]] = [("instructions", instructions or "")]
    last = 0
    for each in messages:
        for part in each.parts:
            if isinstance(part, TextPart):
                items.append(("assistant", part.content))
            elif isinstance(part, UserPromptPart):
                for item in [part.content] if isinstance(part.content, str) else part.content:
                    if isinstance(item, CachePoint):
                        last = len(items)
                    else:
                        items.append(("user", str(item)))
    return json.dumps(items[:last], ensure_ascii=False)[:-1]


async def test_over_thirty_turns_four_requests_in_five_begin_with_all_of_the_one_before() -> None:
    """With a profile, a window that moves on and what has left it summed up: the model can serve
    from its cache what it read the turn before. The instructions never change, for nobody."""
    clock, script = Clock(), Scripted([["I see. Tell me more about it, if you like."]])
    async with world(clock) as memory:
        await keep(memory, "I work at Acme Corp as a nurse", days=3)
        await keep(memory, "I prefer short answers", Kind.PREFERENCE, days=3)
        for turn in range(30):
            clock.now += timedelta(minutes=2)
            await hears(memory, script, f"On day {turn} I walked {turn + 3} km along the river.")
            await memory.settle()
        await hears(memory, script, "And I am somebody else.", BORIS)
    prefixes = [up_to_last_point(messages, info.instructions) for messages, info in script.requests]
    *own, _ = prefixes
    stable = sum(after.startswith(before) for before, after in pairwise(own))
    assert stable >= 0.8 * (len(own) - 1)
    assert "<about_the_user>" in own[0]
    assert "<earlier_in_this_conversation>" in own[-1]
    assert len({info.instructions for _, info in script.requests}) == 1
    assert {json.dumps([t.name for t in info.function_tools]) for _, info in script.requests} == {
        '["set_agent_name", "search_memory", "remember", "correct_memory", "forget_memory"]'
    }


async def test_the_profile_stays_as_it_was_begun_also_past_midnight() -> None:
    clock, script = Clock(NOON.replace(hour=23, minute=58)), Scripted([["Fine."]])
    async with world(clock) as memory:
        await keep(memory, "I work at Acme Corp")
        first = await hears(memory, script, "Hi")
        clock.now += timedelta(minutes=4)
        second = script.requests[-1][0]
        await hears(memory, script, "Still there?")
        messages = script.requests[-1][0]
    assert "- (today) I work at Acme Corp" in first[0]
    opening = messages[0]
    assert isinstance(opening, ModelRequest)
    assert contents([opening])[0] == contents(second)[0] == first[0]
    assert "Today is Sunday, 2026-11-22." in contents(messages)


# -- whose time, whose language -------------------------------------------------------------------


async def test_the_day_begins_where_the_actor_is() -> None:
    clock, script = Clock(NOON.replace(hour=23, minute=30)), Scripted([["Fine."]])
    async with world(clock) as memory:
        await keep(memory, "I work at Acme Corp", days=0.2)
        assert "Today is Saturday, 2026-11-21." in await hears(memory, script, "Hi")
        assert await memory.choices.set(ANNA, Choice.TIME_ZONE, "rome") == "Europe/Rome"
        said = await hears(memory, script, "Hi again")
        assert "Today is Sunday, 2026-11-22." in said
        profile = contents([script.requests[-1][0][0]])[0]
        assert "- (yesterday) I work at Acme Corp" in profile
        assert "Rome" not in profile
        history = await memory.talk.recall(BORIS, Place("telegram", 12), "Hi")
        assert history.metadata.local_time == clock.now


async def test_moments_are_told_in_the_chosen_language_else_in_that_of_the_channel() -> None:
    clock, script = Clock(), Scripted([["Fine."]])
    async with world(clock) as memory:
        await keep(memory, "I work at Acme Corp", days=1)
        assert "- (ayer) I work" in (await hears(memory, script, "Hi", language="es-MX"))[0]
        assert await memory.choices.set(ANNA, Choice.LANGUAGE, "Deutsch") == "de"
        await hears(memory, script, "Hi", language="es-MX")
        profile = contents([script.requests[-1][0][0]])[0]
    assert "- (gestern) I work" in profile
    assert "The user has chosen this language: Deutsch." in profile


async def test_what_was_chosen_is_no_memory() -> None:
    async with world(Clock()) as memory:
        for zone in ("Europe/Rome", "Asia/Kolkata", "Asia/Kolkata"):
            await memory.choices.set(ANNA, Choice.TIME_ZONE, zone)
        await memory.choices.set(ANNA, Choice.LANGUAGE, "it")
        await memory.choices.set(ANNA, Choice.AGENT_NAME, "Jarvis")
        assert await memory.choices.read(ANNA) == Choices(
            agent_name="Jarvis", language="it", time_zone="Asia/Kolkata"
        )
        assert (await memory.talk.profile(ANNA)).preferences == ()
        assert await memory.known.records(ANNA, everything=True) == []
        assert await memory.known.search(ANNA, "what is my time zone and language?") == []
        found = await search_memory(tool_context(memory, ANNA), "*")
        assert "Kolkata" not in found
        assert "[name] Jarvis" in found
        with pytest.raises(RefusedText):
            await memory.choices.set(ANNA, Choice.TIME_ZONE, "Mars/Olympus")
        await memory.forget_all(ANNA)
        assert memory.choices.local_time(ANNA).tzinfo is UTC
        assert (await memory.choices.read(ANNA)).language is None


async def test_extraction_touches_nothing_that_was_chosen() -> None:
    script = Scripted([["Fine."]])
    async with world(Clock()) as memory:
        await memory.choices.set(ANNA, Choice.TIME_ZONE, "Europe/Rome")
        await memory.choices.set(ANNA, Choice.LANGUAGE, "it")
        await hears(memory, script, 'My time zone is "Asia/Tokyo". My language here is "de".')
        await hears(memory, script, "I work at Acme Corp.")
        await memory.talk.end(ANNA, Place("telegram", 1), "new")
        await memory.settle()
        chosen = await memory.choices.read(ANNA)
        learned = [record.text for record in await memory.known.records(ANNA, (Kind.FACT,))]
    assert (chosen.time_zone, chosen.language) == ("Europe/Rome", "it")
    assert "I work at Acme Corp" in learned


# -- what is past ---------------------------------------------------------------------------------


async def test_an_open_session_is_never_told_of_as_a_past_one(tmp_path: Path) -> None:
    """Some stores sum a session up while it goes on. It may be open in any place, and come back
    with the next process."""
    clock, script, store = Clock(), Scripted([["Fine."]]), TemporaryStore()
    path = tmp_path / "journal.sqlite"
    elsewhere = Place("telegram", 1, 7)
    async with world(clock, path, store) as memory:
        await hears(memory, script, "I am planning a garden.")
        session = await memory.talk.session(ANNA, Place("telegram", 1))
        assert session
        await keep(
            memory, "We planned a garden.", Kind.SUMMARY, session_id=session.id, topics=("garden",)
        )
    for reopened in range(2):
        async with world(clock, path, store) as memory:
            profile = await memory.talk.profile(ANNA)
            assert (profile.summaries, profile.topics) == ((), ())
            history = await memory.talk.recall(ANNA, elsewhere, "the garden that we planned")
            assert "We planned a garden." not in "".join(history.context_messages)
            assert await memory.known.past_talks(ANNA) == []
            found = await search_memory(tool_context(memory, ANNA), "last time")
            assert "We planned a garden." not in found
            if reopened:
                await memory.talk.end(ANNA, Place("telegram", 1), "new")
                await memory.settle()
                assert (await memory.talk.profile(ANNA)).topics == ("garden",)
                assert len(await memory.known.past_talks(ANNA)) == 1


# -- the count ------------------------------------------------------------------------------------


class Counted(FunctionStreamedResponse):
    """An answer with its request's size: so much for what every request has, and three fifths of
    the first estimate for the rest."""

    tokens = 0

    @property
    def usage(self) -> RequestUsage:
        return RequestUsage(input_tokens=self.tokens, output_tokens=100)


class CountingModel(FunctionModel):
    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            pieces = cast(FunctionStreamedResponse, stream)._iter
            counted = Counted(model_request_parameters, self.model_name, pieces)
            texts = up_to_last_point(
                [*messages, ModelRequest([UserPromptPart([CachePoint()])])], ""
            )
            counted.tokens = 2500 + round(0.6 * estimate_tokens(texts))
            yield counted


async def test_what_requests_took_makes_the_estimate_better() -> None:
    script = Scripted([["A reply of some length, so that the window has something in it. " * 8]])
    model = CountingModel(stream_function=script._stream, model_name="counting")
    async with world(Clock()) as memory:
        talk = Conversation(model, memory, PERSONA, clock=memory.choices.now)
        before = memory.tokens.count("I work at Acme Corp as a nurse.")
        for turn in range(16):
            inbound = message(
                f"m{turn}", ANNA, Place("telegram", 1), f"{turn} things I say. " * 12, NOON
            )
            assert [event async for event in talk.reply(inbound)]
        assert 0.6 < memory.tokens.factor(Script.LATIN) < 0.9
        assert memory.tokens.count("I work at Acme Corp as a nurse.") < before
        assert memory.tokens.factor(Script.CJK) == 1


async def test_the_history_says_what_it_is_made_of() -> None:
    clock, script = Clock(), Scripted([["Fine."]])
    async with world(clock) as memory:
        await keep(memory, "I have a cat called Tom", days=1, importance=1)
        await hears(memory, script, "Hi")
        history = await memory.talk.recall(ANNA, Place("telegram", 1), "What about my cat?")
    session = history.metadata
    assert session.session_id.startswith("s2026")
    assert (session.message_count, session.oldest, session.newest) == (2, NOON, NOON)
    assert session.has_long_term_context
    assert [m.role for m in history.messages] == [Role.USER, Role.ASSISTANT]
    assert history.context_messages == tuple(
        block for block in (history.profile, history.recalled) if block
    )


async def test_every_budget_and_the_time_zone_are_settings() -> None:
    budget = RecallBudget(
        profile_preferences=1,
        profile_preference_tokens=21,
        profile_facts=2,
        profile_fact_tokens=22,
        profile_topics=3,
        profile_topic_tokens=23,
        profile_summaries=4,
        profile_summary_tokens=24,
        recalled_tokens=25,
    )
    settings = Settings(
        profile_preferences=1,
        profile_preference_tokens=21,
        profile_facts=2,
        profile_fact_tokens=22,
        profile_topics=3,
        profile_topic_tokens=23,
        profile_summaries=4,
        profile_summary_tokens=24,
        recalled_tokens=25,
        time_zone="Europe/Rome",
    )
    options = memory_options(settings)
    assert options.budget == budget
    assert str(options.time_zone) == "Europe/Rome"
    assert memory_options(Settings()).budget == RecallBudget()
    assert memory_options(Settings()).time_zone is UTC
    with pytest.raises(ValueError, match="expected a time zone such as Europe/Rome"):
        Settings(time_zone="Mars/Olympus")
