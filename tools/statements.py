"""The tools that note and correct what is known, on the user's own words alone."""

from collections.abc import Sequence
from typing import Literal

from memory.errors import RefusedText, StoreUnavailable
from memory.learning.grounding import is_grounded
from memory.ports import Proposal
from memory.records import Evidence, Kind, Record
from memory.safety.escaping import escape
from tools.context import ToolContext, ToolFailure, refuse_if_private

_LATER = (
    "Nothing was stored, the memory does not answer right now. Tell the user to say it again later."
)


async def remember(
    context: ToolContext,
    statement: str,
    quote: str,
    kind: Literal["fact", "preference"] = "fact",
    about: Sequence[str] = (),
    date: str | None = None,
) -> str:
    """Keep something for good, because the user explicitly asked you to remember it. What the user
    says in passing is learned without you; do not call this for it.

    Args:
        statement: one sentence that can be understood by itself, in the first person ("I" is the
            user) and in the user's language, with names instead of pronouns and dates instead of
            "next Friday".
        quote: the user's own words that say so, copied exactly from one of their messages.
        kind: "preference" for likes, dislikes and wishes, else "fact".
        about: the names of the people and things it is about.
        date: the date of the event it tells of, such as 2026-12-24.
    """
    refuse_if_private(context)
    proposal = Proposal(
        Kind(kind), statement, (_evidence(context, quote),), event_date=date, about=tuple(about)
    )
    record = await _learn(context, proposal)
    if record is None:
        return "From now on you have the name that the user gave you."
    return f"I've remembered it ({record.short_id}): {escape(record.text)}"


def _evidence(context: ToolContext, quote: str) -> Evidence:
    """The quote, with the newest turn that has it; whether the user said it is checked later."""
    wanted = _fold(quote)
    turn = next(
        (turn for turn in reversed(context.turns) if wanted and wanted in _fold(turn.said)),
        context.turns[-1],
    )
    return Evidence(turn.id, quote, turn.messages[0].at)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


async def _learn(context: ToolContext, proposal: Proposal) -> Record | None:
    """Have the proposal checked and stored; None if it was only a name. Raises ToolFailure."""
    if not is_grounded(proposal.text, f"{context.said}\n{context.before}"):
        raise ToolFailure(
            "The user has not said that. Nothing was stored. Only what the user's own words say "
            "can be remembered."
        )
    try:
        change = await context.memory.remember(
            context.actor, proposal.text, proposal.kind, context.turns[-1].speaker
        )
    except RefusedText as refusal:
        raise ToolFailure(f"Nothing was stored: {refusal}.") from refusal
    except StoreUnavailable as failure:
        raise ToolFailure(_LATER) from failure
    return change.record if change else None
