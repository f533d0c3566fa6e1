"""What somebody has used, in words."""

from datetime import timedelta
from decimal import Decimal

import pytest

from bot.commands.bill import bill
from bot.people.usage import Account, Usage
from bot.texts import ENGLISH


def test_a_bill_names_turns_tokens_the_cached_share_and_the_cost() -> None:
    turns = Usage(3, 5, 0, 12_000, 600, 6_000, 0, Decimal("0.0123"))
    extraction = Usage(1, 1, 0, 345, 78, 0, 0, Decimal("0.001"))
    assert bill(Account(turns, extraction), ENGLISH).splitlines() == [
        "• answers: 3",
        "• tokens read: 12\N{NARROW NO-BREAK SPACE}345, 49% of them from the cache",
        "• tokens written: 678",
        "• cost: $0.0133",
    ]


def test_a_bill_tells_of_recordings_where_there_were_some() -> None:
    recordings = Usage.of_recording(timedelta(seconds=59.5), Decimal("0.006"))
    recordings += Usage.of_recording(timedelta(minutes=1), Decimal("0.006"))
    first, *_, last = bill(Account(recordings=recordings), ENGLISH).splitlines()
    assert first == "• recordings: 2:00 min"
    assert last == "• cost: $0.0120"


def test_nothing_used_is_said_in_a_word() -> None:
    assert bill(Account(), ENGLISH) == ENGLISH.usage_nothing


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(1, 1, 0, 10, 1), ENGLISH.usage_free),
        (Usage(1, 2, 2, 10, 1), ENGLISH.usage_cost_unknown),
        (Usage(1, 3, 2, cost=Decimal(1)), "$1.00, plus 2 requests at an unknown price"),
        (Usage(1, 1, cost=Decimal("0.0000001")), "$0.0001"),
        (Usage(1, 1, cost=Decimal("1234.501")), "$1\N{NARROW NO-BREAK SPACE}234.51"),
    ],
)
def test_a_cost_is_never_told_too_low(usage: Usage, cost: str) -> None:
    assert bill(Account(usage), ENGLISH).endswith(f"cost: {cost}")
