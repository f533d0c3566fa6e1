"""What learning on AgentCore takes, and that the documentation says what is measured."""

import re
from itertools import islice
from pathlib import Path

import pytest

from tests.benchmarks.aws_learning import Learning, measure, table
from tests.benchmarks.prices import aws_prices
from tests.evals.everyday import histories

DOCUMENT = Path(__file__).parents[2] / "docs" / "aws.md"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def documented() -> dict[str, tuple[str, str]]:
    """The rows of the comparison."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text.split("## Who learns from conversations")[1].split("\n## ")[0]
    return {name.strip(): (aws.strip(), ours.strip()) for name, aws, ours in _ROW.findall(section)}


async def test_our_own_extraction_costs_the_model_and_a_few_calls_and_aws_s_two_looks() -> None:
    report = await measure(list(islice(histories(), 2)), slow=0)
    assert report.aws.calls == {"ListMemoryRecords": 1, "ListMemoryExtractionJobs": 1}
    assert "RetrieveMemoryRecords" not in report.mordecai.calls
    assert sum(report.mordecai.calls.values()) < 12
    assert (report.aws.answers, report.mordecai.answers) == (0, 2)
    assert report.mordecai.recall is not None
    assert report.mordecai.recall > 0.8
    calls = {*report.aws.calls, *report.mordecai.calls}
    assert table(report).row_count == len(calls) + 7 + len(aws_prices().models)


@pytest.mark.parametrize("model", aws_prices().models)
def test_the_documented_dollars_follow_from_the_documented_calls_and_tokens(model: str) -> None:
    rows, prices = documented(), aws_prices()
    for number in range(2):
        calls, read, written = (
            float(rows[name][number].replace(",", ""))
            for name in ("calls that read records", "tokens read", "tokens written")
        )
        learning = Learning({"ListMemoryRecords": calls}, 0, 0, read, written)
        told = rows[f"$ for 1,000 conversations with {prices.models[model].name}"][number]
        assert float(told) == pytest.approx(learning.dollars(prices, model), abs=0.006)
