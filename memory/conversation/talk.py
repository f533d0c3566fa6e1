"""Conversations: recall for a turn, record it, and end its session."""

import asyncio
import uuid
from collections.abc import Awaitable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

import structlog

from memory.background.pacing import RateLimitedLog
from memory.background.threads import compute
from memory.conversation.lifecycle import Lifecycle
from memory.conversation.live import Live
from memory.conversation.sessions import LiveSessions
from memory.conversation.tiers import Tiers
from memory.conversation.window import points_back, turns_to_show
from memory.errors import StoreUnavailable
from memory.knowledge.choices import ChoiceRegistry
from memory.knowledge.knowledge import Knowledge
from memory.knowledge.recall import Profile, Profiles
from memory.learning.endings import Ending
from memory.options import MemoryOptions
from memory.records import (
    Actor,
    Choices,
    Hit,
    Kind,
    Place,
    RunningSummary,
    Session,
    ToolUse,
    Turn,
    Utterance,
)
from memory.safety.gate import mask_turn


@dataclass(frozen=True, slots=True)
class HistoryMetadata:
    """Facts about the history, without its texts. `local_time` is the moment of the recall in the
    actor's time zone, None if unknown. `reunion`: this is the first message of a known person after
    a long silence. `answer_length` is what the actor chose, None if nothing."""

    session_id: str
    message_count: int
    oldest: datetime | None = None
    newest: datetime | None = None
    has_long_term_context: bool = False
    has_semantic_context: bool = False
    local_time: datetime | None = None
    private: bool = False
    reunion: bool = False
    answer_length: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationHistory:
    """What goes before the model for one turn.

    `turns` are the window, and `messages` what of it is shown, word for word. `profile`, `earlier`
    and `recalled` are context blocks, escaped and delimited, or empty: the profile is fixed for a
    session and comes first, `earlier` summarizes the turns before the window, and `recalled`
    belongs to this turn and comes last."""

    metadata: HistoryMetadata
    messages: tuple[Utterance, ...] = ()
    profile: str = ""
    earlier: str = ""
    recalled: str = ""
    hits: tuple[Hit, ...] = field(default=(), repr=False)
    turns: tuple[Turn, ...] = field(default=(), repr=False)

    @property
    def context_messages(self) -> tuple[str, ...]:
        """The context blocks that are not blank, in the order the model sees them."""
        return tuple(
            text for block in (self.profile, self.earlier, self.recalled) if (text := block.strip())
        )


_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: So many messages of the session that goes on come back when somebody points back to them: the
#: summary before the window tells of all that has left it.
_MOST_OLD = 2

#: Turns of more characters are masked in a thread.
_LONG = 1000

#: Makes turn ids of names; any constant would do.
_TURNS = uuid.UUID("5d0f2c1e-2c0b-4c5e-9a57-1f6f0d8a7e11")


class Talk:
    """All conversations, one open session an actor and place."""

    def __init__(
        self,
        lifecycle: Lifecycle,
        sessions: LiveSessions,
        known: Knowledge,
        profiles: Profiles,
        choices: ChoiceRegistry,
        options: MemoryOptions,
    ) -> None:
        self._lifecycle, self._sessions = lifecycle, sessions
        self._known, self._profiles, self._choices = known, profiles, choices
        self._options = options
        self._log = RateLimitedLog(_log)

    async def recall(
        self,
        actor: Actor,
        place: Place,
        text: str,
        language: str | None = None,
        without: Collection[str] = (),
    ) -> ConversationHistory:
        """Everything remembered for answering this text. Leaves out what the store does not deliver
        in time, and the turns `without` which it is to be answered. `language` is the BCP 47 tag
        for actors who have not chosen one. Raises StoreUnavailable if the journal fails."""
        live = await self._lifecycle.find_or_open(actor, place)
        profile, choices, hits = await asyncio.gather(
            self._in_time("profile", self.profile(actor), None),
            self._in_time("choices", self._choices.read(actor), None),
            self._in_time("search", self._search(actor, live, text), []),
        )
        known, chosen = profile or Profile(), choices or Choices()
        now, speech = self._choices.local_time(actor), chosen.language or language
        if live.known == (profile, choices):
            about = live.profile
        else:
            about = self._profiles.block(known, chosen, now, speech)
            # One that came too late, or that has changed meanwhile, is for this turn alone.
            if profile and choices and self._profiles.known.peek(actor) is profile:
                await self._lifecycle.show_profile(live, (profile, choices), about)
        recalled = self._profiles.recalled_block(hits, known, now, speech)
        window = live.window.without(without) if without else live.window
        turns = len(window.turns)
        if self._options.adaptive_window:
            turns = turns_to_show(text, turns)
        messages = window.latest(turns)
        metadata = HistoryMetadata(
            session_id=live.session.id,
            message_count=live.session.message_count,
            oldest=messages[0].at if messages else None,
            newest=messages[-1].at if messages else None,
            has_long_term_context=bool(about),
            has_semantic_context=bool(recalled),
            local_time=now,
            reunion=self._is_reunion(live, known, now),
            private=live.session.private,
            answer_length=chosen.answer_length,
        )
        return ConversationHistory(
            metadata, messages, about, live.notes(now), recalled, tuple(hits), window.turns
        )

    async def profile(self, actor: Actor) -> Profile:
        """The profile that the actor's sessions begin with. Raises StoreUnavailable."""
        return await self._profiles.known.get(actor) if self._options.memory_enabled else Profile()

    async def record(
        self,
        actor: Actor,
        place: Place,
        messages: Sequence[Utterance],
        tools: Sequence[ToolUse] = (),
        *,
        name: str | None = None,
        kept: bool = True,
        private: bool = False,
        interrupted: str = "",
        replaces: Sequence[str] = (),
    ) -> Ending | None:
        """Write a finished or `interrupted` turn. Returns the session's ending if this was its last
        turn. `name` identifies the turn for good: recorded twice, it stays one turn, but an answer
        takes the place of none. A turn that is not `kept` stays in its session. A turn that began
        in a `private` session that has ended since is not written. The turns it `replaces` go if
        they are still the last ones.

        Raises StoreUnavailable if the turn could not be written: then it did not happen."""
        id_ = turn_id(actor, name) if name else uuid.uuid4().hex
        now = self._choices.local_time(actor)
        # "Yesterday" is asked for by the actor's calendar, so what was said is dated by it, too.
        said = tuple(replace(message, at=message.at.astimezone(now.tzinfo)) for message in messages)
        async with self._lifecycle.session_to_write(actor, place, private=private) as live:
            if live is None:
                return None
            turn = Turn(id_, live.session.id, said, tuple(tools), kept, place, interrupted)
            masked = await compute(mask_turn, turn) if _is_long(turn) else mask_turn(turn)
            gone = _turns_to_replace(live.window.turns, turn, replaces)
            with self._may_fail("drop_archived"):
                await self._lifecycle.drop_archived(actor, gone)
            await self._sessions.append(live, turn, masked, gone)
            # The journal has the turn; extraction hands it to the store again.
            with self._may_fail("add_turn"):
                await self._lifecycle.archive(live, masked)
        return await self._lifecycle.end(live, "length") if self._sessions.is_full(live) else None

    async def turn(self, actor: Actor, name: str) -> Turn | None:
        """The turn recorded under this name; None if there is none, or extraction has removed it.
        Raises StoreUnavailable."""
        return await self._sessions.journal.turns.get(turn_id(actor, name))

    async def recent(self, actor: Actor, place: Place) -> tuple[Turn, ...]:
        """The turns in the window of this place's open session. Raises StoreUnavailable."""
        live = await self._lifecycle.find(actor, place)
        return live.window.turns if live else ()

    async def reword(self, actor: Actor, place: Place, id_: str, text: str) -> bool | None:
        """Give the last question in the window other words, if this turn asked it. False if the
        turn has them already; None if there is no such turn, or an older one: that keeps the words
        that its answer answers. Raises StoreUnavailable."""
        live = await self._lifecycle.find(actor, place)
        asked = [turn for turn in live.window.turns if turn.question] if live else []
        turn = next((turn for turn in asked if turn.id == id_), None)
        if live is None or turn is None:
            return None
        new = turn.reworded(text)
        masked = mask_turn(new)
        if masked == mask_turn(turn):
            return False
        if turn is not asked[-1]:
            return None
        async with self._lifecycle.session_to_write(actor, place):
            await self._sessions.rewrite(new)
            with self._may_fail("reword_archived"):
                await self._lifecycle.reword_archived(actor, masked)
        return True

    async def session(self, actor: Actor, place: Place) -> Session | None:
        """The open session of this place, if there is one. Raises StoreUnavailable."""
        live = await self._lifecycle.find(actor, place)
        return live.session if live else None

    async def session_now(self, actor: Actor, place: Place) -> Session:
        """The open session of this place, or a new one. Raises StoreUnavailable."""
        return (await self._lifecycle.find_or_open(actor, place)).session

    async def end(self, actor: Actor, place: Place, reason: str) -> Ending | None:
        """End the open session of this place; None if there was none or it was empty. Raises
        StoreUnavailable."""
        live = await self._lifecycle.find(actor, place)
        return await self._lifecycle.end(live, reason) if live else None

    async def begin_private(self, actor: Actor, place: Place) -> Ending | None:
        """End the open session of this place and open a private one, of which nothing is kept; it
        lasts until it is ended or idle. Returns the ending of the former session. Raises
        StoreUnavailable."""
        ending = await self.end(actor, place, "private")
        await self._lifecycle.open_private(actor, place)
        return ending

    async def summarize_now(self, actor: Actor, place: Place) -> tuple[RunningSummary, ...]:
        """Summarize all but the last turns of this place's open session. Returns all its running
        summaries, oldest first. Raises StoreUnavailable."""
        return await self._lifecycle.summarize_now(actor, place)

    async def tiers(self, actor: Actor) -> Tiers:
        """How the actor's conversations are kept: word for word, summarized, archived. Raises
        StoreUnavailable."""
        return await self._lifecycle.tiers(actor)

    # -- inside -----------------------------------------------------------------------------------

    async def _search(self, actor: Actor, live: Live, text: str) -> list[Hit]:
        # Preferences are in the profile. Where a kind is a network call, that is one less a turn.
        hits = await self._known.search(actor, text, (Kind.FACT, Kind.SUMMARY, Kind.MESSAGE))
        old = [hit for hit in hits if _is_of(hit, live.session)]
        wanted = [hit for hit in old if points_back(text) and _has_left(hit, live)][:_MOST_OLD]
        return [hit for hit in hits if hit not in old or hit in wanted]

    def _is_reunion(self, live: Live, known: Profile, now: datetime) -> bool:
        actor = live.session.actor
        if not self._options.greeting or live.session.message_count or not known.summaries:
            return False
        silent = now - known.summaries[-1].created_at >= self._options.limits.session_idle
        return silent and not self._sessions.was_here(actor, now)

    async def _in_time(self, what: str, work: Awaitable[T], otherwise: T) -> T:
        try:
            async with asyncio.timeout(self._options.memory_recall_timeout_seconds):
                return await work
        except (StoreUnavailable, TimeoutError) as failure:
            self._complain(what, failure)
            return otherwise

    @contextmanager
    def _may_fail(self, what: str) -> Iterator[None]:
        try:
            yield
        except StoreUnavailable as failure:
            self._complain(what, failure)

    def _complain(self, what: str, failure: Exception) -> None:
        error = str(failure) or type(failure).__name__
        self._log.warning("memory_degraded", subject=what, part=what, error=error)


def turn_id(actor: Actor, name: str) -> str:
    """The id of the turn that is recorded under this name."""
    return uuid.uuid5(_TURNS, f"{actor.id}/{name}").hex


def _turns_to_replace(
    turns: tuple[Turn, ...], new: Turn, wanted: Sequence[str]
) -> tuple[Turn, ...]:
    """The last of these turns that the new one takes the place of."""
    if turns and turns[-1].id == new.id and turns[-1].answer is None:
        return turns[-1:]
    tail = turns[max(0, len(turns) - len(wanted)) :]
    return tail if tail and [turn.id for turn in tail] == list(wanted) else ()


def _is_long(turn: Turn) -> bool:
    """True if masking the turn takes longer than the event loop can wait."""
    texts = (*(m.text for m in turn.messages), *(use.result for use in turn.tools))
    return sum(map(len, texts)) > _LONG


def _is_of(hit: Hit, session: Session) -> bool:
    """True for a message of this session."""
    return hit.record.kind is Kind.MESSAGE and hit.record.session_id == session.id


def _has_left(hit: Hit, live: Live) -> bool:
    """True if its turn has left the window."""
    return {turn.id for turn in live.window.turns}.isdisjoint(hit.record.turn_ids)
