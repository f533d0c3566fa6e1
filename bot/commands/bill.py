"""Usage in words. Pure."""

import math
from decimal import ROUND_UP, Decimal

from bot.people.accounts import Account
from bot.people.usage import Usage
from bot.texts import Texts

_SMALLEST = Decimal("0.0001")


def bill(account: Account, texts: Texts) -> str:
    """An account in a few lines: turns, tokens, recordings if any, cost, and learning."""
    total = account.total
    if not total.requests:
        return texts.usage_nothing
    lines = texts.usage_account.format(
        turns=account.turns.runs,
        read=_group_digits(f"{total.input_tokens:,}"),
        cached=f"{total.cached_share:.0%}",
        written=_group_digits(f"{total.output_tokens:,}"),
        cost=cost_of(total, texts, nothing=texts.usage_free),
    )
    if total.audio_milliseconds:
        lines = f"{texts.usage_recordings.format(length=length_of(total))}\n{lines}"
    if account.extractions.requests:
        lines += "\n" + texts.usage_extractions.format(used=_tokens_of(account.extractions, texts))
    if account.reviews.requests:
        lines += "\n" + texts.usage_reviews.format(used=_tokens_of(account.reviews, texts))
    return lines


def _tokens_of(used: Usage, texts: Texts) -> str:
    """Tokens, and their cost if it is known."""
    tokens = _group_digits(f"{used.input_tokens + used.output_tokens:,}")
    return f"{tokens} ({cost_of(used, texts, nothing='')})" if used.cost else tokens


def cost_of(total: Usage, texts: Texts, *, nothing: str) -> str:
    """A cost, or `nothing`, and the part of it that has no known price."""
    amount = _amount(total.cost)
    if total.unpriced and total.cost:
        return texts.usage_cost_partly.format(total.unpriced, amount=amount)
    if total.unpriced:
        return texts.usage_cost_unknown
    return texts.usage_cost.format(amount=amount) if total.cost else nothing


def length_of(total: Usage) -> str:
    """The length of the recordings, in minutes and seconds."""
    minutes, seconds = divmod(math.ceil(total.audio_milliseconds / 1000), 60)
    return f"{minutes}:{seconds:02}"


def _amount(cost: Decimal) -> str:
    """US dollars, rounded up: to cents from one dollar, below to hundredths of a cent."""
    step = Decimal("0.01") if cost >= 1 else _SMALLEST
    return _group_digits(f"{cost.quantize(step, ROUND_UP):,}")


def _group_digits(number: str) -> str:
    """Separate thousands by a narrow no-break space, as the SI does: a comma or a point is a
    decimal sign in some language."""
    return number.replace(",", "\N{NARROW NO-BREAK SPACE}")
