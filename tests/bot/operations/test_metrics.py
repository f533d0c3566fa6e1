"""`/metrics` is right by Prometheus' format, tells what happened, and never fails."""

import asyncio
from collections.abc import Mapping
from decimal import Decimal

import pytest

from bot.metrics import COUNTED, TURNS, Counter, Histogram, count_usage
from bot.operations.metrics import Figures, Scrape, exposition
from bot.people.usage import Usage
from memory.errors import StoreUnavailable
from tests.scraped import Scraped, scraped


async def scrape(**parts: Figures) -> Scraped:
    return scraped(await Scrape(parts).text())


def figures(**values: float) -> Figures:
    async def tell() -> Mapping[str, float]:
        return {f"mordecai_{name}": value for name, value in values.items()}

    return tell


async def test_a_scrape_shows_what_is_counted_what_waits_and_the_process():
    found = await scrape(inbox=figures(waiting_inbounds=3, oldest_waiting_seconds=1.5))
    assert found.value("mordecai_waiting_inbounds") == 3
    assert found.value("mordecai_oldest_waiting_seconds") == 1.5
    assert found.value("mordecai_part_up", part="inbox") == 1
    assert found.types.keys() >= {each.name for each in COUNTED}
    assert found.value("process_cpu_seconds_total") > 0
    assert found.value("process_resident_memory_bytes") > 1_000_000
    assert found.value("process_open_fds") < found.value("process_max_fds")
    assert 1e9 < found.value("process_start_time_seconds") < 1e11


async def test_a_part_that_is_away_hangs_or_breaks_is_left_out_and_the_others_tell():
    async def away() -> Mapping[str, float]:
        raise StoreUnavailable("away")

    async def hangs() -> Mapping[str, float]:
        await asyncio.Event().wait()
        return {}

    async def breaks() -> Mapping[str, float]:
        raise ZeroDivisionError

    found = await scrape(inbox=away, memory=hangs, other=breaks, leases=figures(leases_held=2))
    assert not found.has("mordecai_waiting_inbounds")
    assert found.value("mordecai_leases_held") == 2
    up = {part: found.value("mordecai_part_up", part=part) for part in ("inbox", "memory", "other")}
    assert up == {"inbox": 0, "memory": 0, "other": 0}


async def test_scrapes_that_come_together_ask_the_parts_once():
    asked, now = 0, 0.0

    async def tell() -> Mapping[str, float]:
        nonlocal asked
        asked += 1
        return {}

    scrape = Scrape({"inbox": tell}, monotonic=lambda: now)
    await asyncio.gather(scrape.text(), scrape.text())
    await scrape.text()
    assert asked == 1
    now = 60.0
    await scrape.text()
    assert asked == 2


async def test_a_scraper_that_hangs_up_spoils_nothing_for_the_next():
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def tell() -> Mapping[str, float]:
        begun.set()
        await go_on.wait()
        return {"mordecai_leases_held": 1}

    scrape = Scrape({"leases": tell})
    first = asyncio.create_task(scrape.text())
    await begun.wait()
    first.cancel()
    go_on.set()
    assert scraped(await scrape.text()).value("mordecai_leases_held") == 1


async def test_what_models_use_is_counted_by_purpose():
    before = await scrape()
    count_usage(
        "extraction",
        Usage(requests=2, unpriced=1, input_tokens=900, output_tokens=50, cost=Decimal("0.25")),
    )
    after = await scrape()

    def gained(name: str, **labels: str) -> float:
        labels |= {"purpose": "extraction"}
        return after.value(name, **labels) - before.value(name, **labels)

    assert gained("mordecai_model_requests_total") == 2
    assert gained("mordecai_model_requests_unpriced_total") == 1
    assert gained("mordecai_model_tokens_total", kind="input") == 900
    assert gained("mordecai_model_tokens_total", kind="output") == 50
    assert gained("mordecai_model_cost_dollars_total") == pytest.approx(0.25)


def test_a_counter_without_labels_starts_at_zero_and_others_with_their_first_event():
    assert exposition([Counter("plain_total", "Plain things.").read()]).endswith("plain_total 0\n")
    named = Counter("named_total", "Named things.", "name")
    assert exposition([named.read()]).count("\n") == 2
    named.add('a "quoted"\\\nname')
    assert 'named_total{name="a \\"quoted\\"\\\\\\nname"} 1' in exposition([named.read()])


def test_a_histogram_counts_each_observation_in_all_wider_buckets():
    histogram = Histogram("reply_seconds", "Seconds to reply.", (1.0, 5.0))
    for seconds in (0.5, 1.0, 3.0, 100.0):
        histogram.observe(seconds)
    found = scraped(exposition([histogram.read()]))
    buckets = [found.value("reply_seconds_bucket", le=bound) for bound in ("1.0", "5.0", "+Inf")]
    assert buckets == [2, 3, 4]
    assert found.value("reply_seconds_sum") == 104.5


async def test_turns_are_counted():
    before = (await scrape()).value("mordecai_turns_total", outcome="answered")
    TURNS.add("answered")
    assert (await scrape()).value("mordecai_turns_total", outcome="answered") == before + 1


async def test_requests_to_telegram_are_counted_without_the_address():
    from bot.telegram.connection import http_request

    before = await scrape()
    request = http_request(1, connect=0.2)
    with pytest.raises(Exception, match=r"."):
        await request.post("http://127.0.0.1:9/bot123456:SECRET/sendMessage")
    await request.shutdown()
    text = await Scrape({}).text()
    labels = {"method": "sendMessage", "status": "0"}
    name = "mordecai_telegram_requests_total"
    assert scraped(text).value(name, **labels) == before.value(name, **labels) + 1
    assert "SECRET" not in text
