"""Limits of one person: messages per minute, tokens and money per day."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

import structlog

from bot.people.usage import Accounts
from bot.texts import Texts
from memory.background.pacing import Throttle
from memory.errors import StoreUnavailable
from memory.memory import utc_now
from memory.records import Actor

_log = structlog.get_logger(__name__)

_MINUTE = 60.0


class Quota(StrEnum):
    """A limited quantity."""

    MESSAGES = "messages"
    TOKENS = "tokens"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """The limits of one person; None is none. Messages a minute; tokens, read and written together,
    and US dollars a day, which begins at midnight UTC, wherever they wrote."""

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
    """Counts people's messages; the accounts know the usage of models."""

    def __init__(
        self,
        accounts: Accounts,
        limits: QuotaLimits,
        exempt: Callable[[int], bool],
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """People who are `exempt`, by numeric id, have no limits."""
        self._accounts, self._limits, self._exempt = accounts, limits, exempt
        self._clock = clock
        self._messages = Throttle(_MINUTE, limits.messages_per_minute or 0, clock=monotonic)
        self._told = Throttle(clock=monotonic)

    async def count_message(self, user_id: int) -> Exceeded | None:
        """Count a message, unless it exceeds a limit; returns that limit."""
        if self._exempt(user_id):
            return None
        found = await self._exceeded_today(user_id) or self._exceeded_this_minute(user_id)
        if found is None:
            return None
        quota, seconds = found
        _log.info("limit_reached", user=user_id, limit=quota.value)
        first = self._told.allow((user_id, quota), seconds=seconds)
        return Exceeded(quota, timedelta(seconds=seconds), first)

    def _exceeded_this_minute(self, user_id: int) -> tuple[Quota, float] | None:
        if self._limits.messages_per_minute is None or self._messages.allow(user_id):
            return None
        return Quota.MESSAGES, self._messages.wait(user_id)

    async def _exceeded_today(self, user_id: int) -> tuple[Quota, float] | None:
        limits = self._limits
        if limits.tokens_per_day is None and limits.cost_per_day is None:
            return None
        try:
            spent = await self._accounts.spent_today(Actor.person(user_id))
        except StoreUnavailable as failure:
            _log.warning("usage_unavailable", error=str(failure), remedy="check the data directory")
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
