"""What recordings that are written down cost, as people, limits and owners see it: over HTTP."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from bot.assistant.files import FileKind, Transcription
from bot.people.access import Access, AccessMode
from bot.people.people import QuotaLimits
from bot.telegram.intake.media import Senses
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import ask, stage
from tests.fakes.botapi import BotApiServer

ANNA, BORIS = 1001, 1002


class Typist:
    """Writes every recording down as the same words, at this price a minute."""

    def __init__(self, minute_cost: str | None, words: str = "I live in Oslo") -> None:
        self._minute_cost, self._words = minute_cost, words

    async def transcribe(
        self, recording: bytes, media_type: str, length: timedelta
    ) -> Transcription:
        """See Transcriber."""
        minutes = Decimal(str(length / timedelta(minutes=1)))
        cost = None if self._minute_cost is None else Decimal(self._minute_cost) * minutes
        return Transcription(self._words, length, cost)


def hearing(minute_cost: str | None, words: str = "I live in Oslo") -> Senses:
    return Senses(frozenset({FileKind.TEXT}), Typist(minute_cost, words))


@pytest.mark.parametrize(("minute_cost", "told"), [("0.006", "$0.0075"), (None, "don't know")])
async def test_usage_counts_recordings_and_what_they_cost(
    server: BotApiServer, tmp_path: Path, minute_cost: str | None, told: str
) -> None:
    async with stage(server, tmp_path, senses=hearing(minute_cost)) as on:
        await server.user(ANNA).sends("voice", b"OggS", duration=75)
        await server.replies_to(ANNA, 1)
        session = await on.memory.talk.session(Actor.person(ANNA), Place("telegram", ANNA))
        assert session, "the one that the recording has begun"
        here, today = (await ask(server, "/usage", ANNA)).split(ENGLISH.usage_today)
    for account in (here, today):
        assert "recordings: 1:15 min" in account
        assert told in account
    assert "tokens" in here


async def test_a_recording_without_words_is_paid_for_too(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=hearing("0.006", words="")):
        await server.user(ANNA).sends("voice", b"OggS", duration=60)
        assert await server.replies_to(ANNA, 1) == [ENGLISH.wordless_recording]
        assert "$0.0060" in await ask(server, "/usage", ANNA)


async def test_recordings_count_for_the_money_of_a_day(
    server: BotApiServer, tmp_path: Path
) -> None:
    limits = QuotaLimits(cost_per_day=Decimal("0.01"))
    async with stage(server, tmp_path, senses=hearing("0.006"), quotas=limits):
        await server.user(ANNA).sends("voice", b"OggS", duration=120)
        await server.replies_to(ANNA, 1)
        await server.user(ANNA).sends("voice", b"OggS", duration=120)
        assert (await server.replies_to(ANNA, 2))[1] == ENGLISH.limit_day
        assert "Hello" in await ask(server, "Hello", BORIS)


async def test_stats_count_recordings_of_everybody(server: BotApiServer, tmp_path: Path) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    async with stage(server, tmp_path, senses=hearing("0.006"), access=access):
        for person in (ANNA, BORIS):
            await server.user(person).sends("voice", b"OggS", duration=30)
            await server.replies_to(person, 1)
        stats = await ask(server, "/stats", ANNA)
    assert "recordings today: 1:00 min" in stats
    assert "cost today: $0.0060" in stats
    assert "cost this month: $0.0060" in stats


async def test_stats_say_so_where_a_price_is_unknown(server: BotApiServer, tmp_path: Path) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    async with stage(server, tmp_path, senses=hearing(None), access=access):
        await server.user(ANNA).sends("voice", b"OggS", duration=30)
        await server.replies_to(ANNA, 1)
        stats = await ask(server, "/stats", ANNA)
    assert f"cost today: {ENGLISH.usage_cost_unknown}" in stats
