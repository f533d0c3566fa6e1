"""The clock is held against whoever we talk to; AWS refuses what is minutes off."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.clock import check_clock, clock_result
from bot.settings import Settings
from tests.bot.operations.doctor.canned import Canned
from tests.fakes.aws import FakeAws
from tests.fakes.botapi import BotApiServer


def at(url: str) -> Settings:
    return Settings(aws_region="us-east-1", aws_endpoint_url=url)


async def the(settings: Settings, pool: ThreadPoolExecutor, *, aws: bool = True) -> CheckResult:
    (finding,) = await check_clock(settings, pool, aws=aws)
    return finding


async def test_a_right_clock_is_fine_by_the_date_of_a_refusal(
    aws: FakeAws, pool: ThreadPoolExecutor
):
    finding = await the(at(aws.url), pool)
    assert finding.mark is Mark.OK
    assert aws.calls == [], "nobody has to be known for this"


@pytest.mark.parametrize(
    ("hours", "words"),
    [(3, "3.0 hours behind"), (-50, "50.0 hours ahead of"), (0.25, "15 minutes")],
)
async def test_a_clock_off_by_hours_is_wrong_and_says_why(
    canned: Canned, credentials: object, pool: ThreadPoolExecutor, hours: float, words: str
):
    canned.time = time.time() + hours * 3600
    finding = await the(at(canned.url), pool)
    assert finding.mark is Mark.WRONG
    assert words in finding.text
    assert "NTP" in finding.text


@pytest.mark.parametrize(
    ("seconds", "mark"),
    [(0, Mark.OK), (-59, Mark.OK), (61, Mark.WARNING), (-299, Mark.WARNING), (301, Mark.WRONG)],
)
def test_a_minute_is_worth_a_word_and_five_are_too_many(seconds: float, mark: Mark):
    assert clock_result(seconds, "aws").mark is mark


async def test_who_says_no_time_or_nothing_is_not_held_against(
    canned: Canned, credentials: object, pool: ThreadPoolExecutor
):
    for url in (canned.url, "http://127.0.0.1:1"):
        finding = await the(at(url), pool)
        assert finding.mark is Mark.WARNING
        assert finding.text.startswith("not checked")
    nowhere = await the(Settings(), pool)
    assert "region" in nowhere.text


async def test_without_aws_telegram_is_asked_and_without_both_nobody(pool: ThreadPoolExecutor):
    async with BotApiServer() as server:
        settings = Settings(
            telegram_bot_token=SecretStr(server.token), telegram_base_url=server.root
        )
        assert (await the(settings, pool, aws=False)).mark is Mark.OK
        assert server.calls == []
    assert await check_clock(Settings(), pool, aws=False) == []
