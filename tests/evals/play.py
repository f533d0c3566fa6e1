"""Plays a talk through the real conversation and the real memory, and keeps what the model was
asked in each turn."""

import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.assistant.conversation import Conversation
from bot.assistant.inbound import Message
from bot.models.writers import ModelSummarizer
from bot.offline.understanding import by_rules
from bot.options import persona_of, turn_limits
from bot.settings import Settings
from memory.conversation.talk import ConversationHistory, HistoryMetadata
from memory.memory import Memory, MemoryOptions
from memory.records import Actor, Place
from memory.stores.sqlite.store import SqliteStore
from tests.evals.requests import Naive, Piece, Request
from tests.evals.script import ScriptedModel
from tests.evals.talk import Exchange
from tests.fakes.files import journal_in
from tests.fakes.messages import is_answer, message

_ACTOR = Actor.person(1)
_PLACE = Place("terminal", 1)
_BEGINNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
#: A turn comes after so long: 200 of them fit into a day, and no session falls idle.
_PACE = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """The requests of one turn, those made in the background after it, and for each of the former
    what simpler bots would have asked instead."""

    requests: tuple[Request, ...]
    background: tuple[Request, ...]
    naive: tuple[Naive, ...]


async def play(
    talk: Sequence[Exchange],
    settings: Settings,
    options: MemoryOptions,
) -> list[PlayedTurn]:
    """Play a talk with these options of the memory, whatever the settings say of it. Background
    work is waited for after each turn."""
    script, clock = ScriptedModel(), _Clock()
    played: list[PlayedTurn] = []
    async with _memory(script, options, clock) as memory:
        conversation = Conversation(
            script.model, memory, persona_of(settings), turn_limits(settings), clock
        )
        said: list[Piece] = []
        for number, exchange in enumerate(talk):
            script.exchange, script.asked, script.aside = exchange, [], []
            inbound = message(str(number), _ACTOR, _PLACE, exchange.said, clock())
            await _heard(conversation, inbound)
            await memory.settle()
            naive = (
                _naive(request, said, exchange, memory.given, settings) for request in script.asked
            )
            played.append(PlayedTurn(tuple(script.asked), tuple(script.aside), tuple(naive)))
            said += [Piece("user", exchange.said), Piece("assistant", exchange.reply)]
            clock.now += _PACE
    return played


@dataclass(slots=True)
class _Clock:
    now: datetime = _BEGINNING

    def __call__(self) -> datetime:
        return self.now


class _OpenMemory(Memory):
    """The memory as it is, which also shows what it gave last."""

    given = ConversationHistory(HistoryMetadata(session_id="", message_count=0))

    def show(self) -> None:
        """Take note of what is recalled from now on."""
        recall = self.talk.recall

        async def shown(
            actor: Actor,
            place: Place,
            text: str,
            language: str | None = None,
            without: Collection[str] = (),
        ) -> ConversationHistory:
            self.given = await recall(actor, place, text, language, without)
            return self.given

        self.talk.recall = shown  # type: ignore[method-assign]


@asynccontextmanager
async def _memory(
    script: ScriptedModel, options: MemoryOptions, clock: Callable[[], datetime]
) -> AsyncIterator[_OpenMemory]:
    """A memory that nothing is in yet, in files that are thrown away."""
    with (
        tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory,
        ThreadPoolExecutor(2, thread_name_prefix="eval") as pool,
    ):
        folder = Path(directory)
        store = SqliteStore(folder / "memory", pool)
        rules = by_rules()
        understanding = replace(rules, summarizer=ModelSummarizer(script.model, rules.summarizer))
        async with (
            journal_in(folder / "journal.sqlite", pool) as journal,
            _OpenMemory(store, journal, understanding, options, clock) as memory,
        ):
            memory.show()
            yield memory
        await store.aclose()


async def _heard(conversation: Conversation, inbound: Message) -> None:
    """Let the conversation answer, to the end. Raises RuntimeError if it does not."""
    answered = False
    async with aclosing(conversation.reply(inbound)) as events:
        async for event in events:
            answered = answered or is_answer(event)
    if not answered:
        raise RuntimeError(f"turn {inbound.id} of the talk got no answer")


def _naive(
    request: Request,
    said: Sequence[Piece],
    exchange: Exchange,
    given: ConversationHistory,
    settings: Settings,
) -> Naive:
    fixed, words = request[:2], exchange.said
    first = max(i for i, p in enumerate(request) if p.role == "user" and p.text == words)
    memories = "\n\n".join(block for block in (given.profile, given.recalled) if block)
    window = settings.conversation_window_size
    return Naive(fixed, tuple(said), request[first:], memories, window)
