"""Access and limits: who may use the bot, and how much."""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

import structlog

from bot.assistant.events import SILENCE, Notice, Reply
from bot.assistant.inbound import Click, Command, Inbound, Message, Origin
from bot.people.access import Access, AccessMode
from bot.people.accounts import Accounts
from bot.people.guestbook import Guest, Request
from bot.people.pairing import Guess
from bot.people.personal import PersonalSettings
from bot.people.throttles import Rate
from bot.texts import Texts, texts_in
from memory.background.pacing import RateLimitedLog
from memory.errors import StoreUnavailable
from memory.memory import utc_now
from memory.records import Actor, Place
from memory.safety.escaping import speaker_name

_log = structlog.get_logger(__name__)

#: Owners are told of at most this many requests in this many seconds; /users shows the others.
_REQUESTS_TOLD = Rate("requests told", 20, 3600.0)
#: The reaction to messages beyond a limit that was told of.
_TIRED = "😴"
#: How often to look for guests approved on the command line, in seconds.
_GUESTS_SECONDS = 5.0
Sleep = Callable[[float], Awaitable[object]]


class Quota(StrEnum):
    """A limited quantity."""

    MESSAGES = "messages"
    TOKENS = "tokens"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """The limits of one person, in private and in groups together; None is no limit.
    `tokens_per_day` counts tokens read and written, `cost_per_day` US dollars. A day begins at
    midnight UTC."""

    messages_per_minute: int | None = None
    tokens_per_day: int | None = None
    cost_per_day: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit that was reached, when it ends, and whether this is the first refusal."""

    quota: Quota
    ends_in: timedelta
    first: bool


class Quotas:
    """Checks the limits: counts people's messages itself, and asks the accounts for tokens and
    cost."""

    def __init__(
        self,
        accounts: Accounts,
        limits: QuotaLimits,
        access: Access,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Owners have no limits."""
        self._accounts, self._limits, self._access = accounts, limits, access
        self._clock, self._throttles = clock, access.throttles
        self._complaints = RateLimitedLog(_log)

    async def count_message(self, user_id: int) -> Exceeded | None:
        """Count a message, unless it exceeds a limit; returns that limit."""
        if self._access.owns(user_id):
            return None
        try:
            return await self._check_limits(user_id)
        except StoreUnavailable as failure:
            self._complaints.warning(
                "limits_unavailable",
                error=str(failure),
                remedy="check the server that database_url names",
            )
            return None

    async def _check_limits(self, user_id: int) -> Exceeded | None:
        """Raises StoreUnavailable."""
        if found := await self._exceeded_today(user_id):
            quota, seconds = found
        elif self._limits.messages_per_minute is None:
            return None
        else:
            rate = Rate("messages", self._limits.messages_per_minute, 60.0)
            quota, seconds = Quota.MESSAGES, await self._throttles.take(rate, str(user_id))
        if not seconds:
            return None
        _log.info("limit_reached", user=user_id, limit=quota.value)
        told = Rate(f"limit told: {quota}", 1, seconds)
        first = not await self._throttles.take(told, str(user_id))
        return Exceeded(quota, timedelta(seconds=seconds), first)

    async def _exceeded_today(self, user_id: int) -> tuple[Quota, float] | None:
        limits = self._limits
        if limits.tokens_per_day is None and limits.cost_per_day is None:
            return None
        try:
            spent = await self._accounts.spent_today(Actor.person(user_id))
        except StoreUnavailable as failure:
            _log.warning(
                "usage_unavailable",
                error=str(failure),
                remedy="check the data directory or database_url",
            )
            return None
        now = self._clock().astimezone(UTC)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        left = (midnight - now).total_seconds()
        if limits.tokens_per_day is not None and spent.tokens >= limits.tokens_per_day:
            return Quota.TOKENS, left
        if limits.cost_per_day is not None and spent.cost >= limits.cost_per_day:
            return Quota.COST, left
        return None


def quota_text(exceeded: Exceeded, texts: Texts) -> str:
    """What to tell a person who reached a limit."""
    if exceeded.quota is Quota.MESSAGES:
        return texts.limit_minute.format(math.ceil(exceeded.ends_in.total_seconds()))
    return texts.limit_day


class People:
    """Decides about access and limits. Refusals are replies; what other people should hear becomes
    a notice. Nothing is looked up for a person without access."""

    def __init__(self, access: Access, quotas: Quotas, personal: PersonalSettings) -> None:
        self.access, self.quotas, self.personal = access, quotas, personal
        #: Notices, each with its place; a task is done once the channel has it.
        self.notices: asyncio.Queue[tuple[Place, Callable[[Texts], Reply]]] = asyncio.Queue()

    async def refuse(self, said: Inbound) -> Reply | None:
        """The refusal, which may be SILENCE; None if the sender may use the bot. The right pairing
        code makes its sender the owner and gets a reply of its own."""
        admitted = await self.admits(said.origin)
        if isinstance(said, Click):
            texts = texts_in(said.origin.language)
            return None if admitted else Reply(texts.button_not_yours, private=False, note=True)
        if not admitted:
            return await self._turn_away(said)
        # People in `allowed_users` can still become the owner. A wrong code from them is just talk.
        if not said.origin.is_private or self.access.pairing_code is None:
            return None
        guess = await self.access.pair(said.origin.user_id, _typed_text(said), said.origin.name)
        return _plain_reply(texts_in(said.origin.language).paired) if guess is Guess.RIGHT else None

    async def limit(self, said: Message) -> Reply | None:
        """Count a message. Beyond a limit, returns the refusal: a sentence, and then a reaction to
        each further message until the limit ends."""
        exceeded = await self.quotas.count_message(said.origin.user_id)
        if exceeded is None:
            return None
        # A press has no message to react to.
        if not (exceeded.first or said.alone):
            return Reply("", private=False, reaction=_TIRED)
        return Reply(quota_text(exceeded, await self.texts(said.origin)))

    async def texts(self, origin: Origin) -> Texts:
        """The texts in the sender's language. Never fails."""
        return await self.personal.texts(origin.actor, origin.language)

    async def take_notices(
        self, channel: str, sleep: Sleep = asyncio.sleep
    ) -> AsyncGenerator[Notice, None]:
        """Yield the notices for this channel as they come up; never ends. Asking for the next one
        marks the previous one as taken."""
        watch = asyncio.create_task(self._watch_guests(channel, sleep), name="guests")
        try:
            while True:
                place, write = await self.notices.get()
                try:
                    if place.channel == channel:
                        texts = await self.personal.texts_at(place)
                        yield Notice(place, replace(write(texts), private=False))
                finally:
                    self.notices.task_done()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch_guests(self, channel: str, sleep: Sleep) -> None:
        while True:
            await sleep(_GUESTS_SECONDS)
            await self._announce_guests(channel)

    async def _announce_guests(self, channel: str) -> None:
        """Tell guests approved on the command line since the last call."""
        try:
            guests = await self.access.take_guests_to_welcome()
        except StoreUnavailable as failure:
            _log.warning("guests_unreadable", error=str(failure))
            return
        for guest in guests:
            self.notices.put_nowait(
                (Place(channel, guest), lambda texts: Reply(texts.approved_you))
            )

    async def admits(self, origin: Origin) -> bool:
        """True if the sender may use the bot. An admin who writes in the name of a group has no
        numeric id of their own, so only open access admits them."""
        if origin.is_anonymous:
            return self.access.mode is AccessMode.OPEN
        return await self.access.admits(origin.user_id)

    async def _turn_away(self, said: Message | Command) -> Reply:
        """Accept the pairing code, answer a wrong one, and refuse anyone else: at most once in a
        while, with how they can get access."""
        origin, texts = said.origin, texts_in(said.origin.language)
        guess = Guess.NONE
        if origin.is_private:
            guess = await self.access.pair(origin.user_id, _typed_text(said), origin.name)
        if guess is Guess.RIGHT:
            return _plain_reply(texts.paired)
        _log.info("access_denied", user=origin.user_id)
        # Any reply from here on counts as a refusal.
        due = await self.access.refusal_due(origin.user_id, private=origin.is_private)
        if guess is Guess.WRONG:
            return _plain_reply(texts.not_the_code)
        if guess is Guess.LAST:
            return _plain_reply(texts.no_more_codes)
        if due or guess is Guess.VAIN:
            return _plain_reply(await self._refusal(origin, texts))
        return SILENCE

    async def _refusal(self, origin: Origin, texts: Texts) -> str:
        """The refusal, with what the person can do about it."""
        if origin.is_anonymous:
            return texts.refused_anonymous
        asked = await self.access.ask(origin.user_id, origin.name) if origin.is_private else None
        if asked:
            request, new = asked
            # If an owner approves them, they should be told in their language.
            self.personal.note(origin)
            if new:
                await self._tell_owners(origin.place.channel, request)
            return texts.refused_code.format(code=request.code)
        if self.access.pairing_code is None:
            return texts.refused.format(id=origin.user_id)
        if await self.access.may_guess(origin.user_id):
            return texts.refused_unpaired
        return texts.no_more_codes

    async def _tell_owners(self, channel: str, request: Request) -> None:
        """Tell each owner about an access request, in their private chat with the bot."""
        if await self.access.throttles.take(_REQUESTS_TOLD):
            return
        for owner in self.access.owners:
            self.notices.put_nowait(
                (
                    Place(channel, owner),
                    lambda texts: Reply(
                        texts.wants_in.format(
                            person=describe_person(request, texts), code=request.code
                        )
                    ),
                )
            )


def describe_person(person: Guest | Request, texts: Texts) -> str:
    """The person's name and id, or the id alone if no name is known."""
    if name := speaker_name(person.name):
        return texts.person.format(name=name, id=person.id)
    return texts.person_unnamed.format(id=person.id)


def _plain_reply(text: str) -> Reply:
    """A reply to a person without access, for whom nothing is looked up."""
    return Reply(text, private=False)


def _typed_text(said: Message | Command) -> str:
    """The text as typed, a possible guess at the pairing code."""
    return f"/{said.name} {said.argument}" if isinstance(said, Command) else said.text
