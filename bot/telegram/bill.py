"""What somebody has used, as the bot tells them. Pure."""

from decimal import ROUND_UP, Decimal

from bot.telegram.texts import Texts
from bot.usage import Account, Usage

_SMALLEST = Decimal("0.0001")


def bill(account: Account, texts: Texts) -> str:
    """An account in a few lines: turns, tokens, cost."""
    total = account.total
    if not total.requests:
        return texts.usage_nothing
    return texts.usage_account.format(
        turns=account.turns.runs,
        read=f"{total.input_tokens:,}",
        cached=f"{total.cached_share:.0%}",
        written=f"{total.output_tokens:,}",
        cost=_cost(total, texts),
    )


def _cost(total: Usage, texts: Texts) -> str:
    amount = _amount(total.cost)
    if total.unpriced and total.cost:
        return texts.usage_cost_partly.format(total.unpriced, amount=amount)
    if total.unpriced:
        return texts.usage_cost_unknown
    return texts.usage_cost.format(amount=amount) if total.cost else texts.usage_free


def _amount(cost: Decimal) -> str:
    """US dollars, rounded up: to cents from a dollar on, below to hundredths of a cent."""
    step = Decimal("0.01") if cost >= 1 else _SMALLEST
    return f"{cost.quantize(step, ROUND_UP):,}"
