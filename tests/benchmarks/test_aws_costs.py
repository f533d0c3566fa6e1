"""What docs/aws.md says that a turn costs."""

import re
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price

from tests.benchmarks.aws_costs import Counted, Tokens, costs_table, count, counts_table
from tests.benchmarks.prices import aws_prices
from tests.fakes.aws.bedrock_models import MODELS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "aws.md").read_text(encoding="utf-8")
MILLION = 10**6


def documented() -> Counted:
    """The counts in the documentation."""
    calls = re.findall(r"^\| `(\w+)` \| ([\d.]+)", DOCUMENT, re.MULTILINE)
    (records,) = re.findall(r"^\| records stored \| ([\d.]+) \|", DOCUMENT, re.MULTILINE)
    tokens = {}
    for id_, price in aws_prices().models.items():
        row = re.search(rf"^\| tokens of {price.name} \| (.+) \|$", DOCUMENT, re.MULTILINE)
        assert row, price.name
        _, *numbers = (int(each.replace(",", "")) for each in re.findall(r"[\d,]*\d", row[1]))
        tokens[id_] = Tokens(*numbers)
    return Counted({name: float(times) for name, times in calls}, float(records), tokens)


def test_the_documented_costs_are_the_documented_counts_at_the_prices_of_the_file():
    assert counts_table(documented()) in DOCUMENT
    assert costs_table(documented(), aws_prices()) in DOCUMENT
    assert f"{aws_prices().date:%d %B %Y}".lstrip("0") in DOCUMENT


async def test_a_turn_takes_about_what_is_documented():
    said, found = documented(), await count(15)
    for operation, times in said.calls.items():
        assert found.calls[operation] == pytest.approx(times, abs=0.2), operation
    assert found.records == pytest.approx(said.records, abs=0.2)
    for id_, tokens in said.tokens.items():
        counted = found.tokens[id_]
        assert _input(counted) == pytest.approx(_input(tokens), rel=0.15), id_
        assert counted.read / _input(counted) == pytest.approx(
            tokens.read / _input(tokens), abs=0.1
        ), id_


def _input(tokens: Tokens) -> int:
    return tokens.uncached + tokens.read + tokens.written


@pytest.mark.parametrize("id_", aws_prices().models)
def test_the_prices_are_those_by_which_usage_is_counted(id_: str):
    price = aws_prices().models[id_]
    (model,) = (name for name in MODELS if name.startswith(id_))
    usages = {
        price.input: Usage(input_tokens=MILLION),
        price.output: Usage(output_tokens=MILLION),
        price.cache_read: Usage(input_tokens=MILLION, cache_read_tokens=MILLION),
        price.cache_write: Usage(input_tokens=MILLION, cache_write_tokens=MILLION),
    }
    for dollars, usage in usages.items():
        for geography, factor in (("global", 1), ("us", price.regional)):
            cost = calc_price(usage, f"{geography}.{model}", provider_id="aws").total_price
            assert float(cost) == pytest.approx(dollars * factor)


def test_the_minimum_of_each_model_is_the_one_that_the_fake_keeps_to():
    for id_, price in aws_prices().models.items():
        (model,) = (model for name, model in MODELS.items() if name.startswith(id_))
        assert model.cache_minimum == price.cache_minimum
