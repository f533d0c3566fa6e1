"""The tools that note and correct what is known, on the user's own words alone."""

from collections.abc import Sequence
from datetime import UTC
from typing import Literal

from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.learning.folding import stands_in
from memory.records import Change, ChangeKind, Evidence, Kind, Record
from memory.safety.escaping import escape
from memory.understanding import ExtractionFailed, Proposal, Reading, Relation
from tools.context import ToolContext, ToolFailure, refuse_if_private

_LATER = (
    "Nothing was stored: the memory does not answer right now. Tell the user to say it again later."
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
    says in passing is learned without you; do not call this for it. To replace something that is
    known, call correct_memory.

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
    return _report(await _learn(context, proposal))


async def correct_memory(
    context: ToolContext,
    memory_id: str,
    statement: str,
    quote: str,
    about: Sequence[str] = (),
    date: str | None = None,
    ended: bool = False,
) -> str:
    """Correct one memory, because the user says in this conversation that it is wrong or has
    changed. Find its id with search_memory; never ask the user for an id.

    Args:
        memory_id: the id as search_memory shows it.
        statement: what is true now, written as for remember.
        quote: the user's own words that say so, copied exactly from one of their messages.
        about: the names of the people and things it is about.
        date: the date of the event it tells of, such as 2026-12-24.
        ended: true if the memory is simply no longer true and nothing takes its place.
    """
    refuse_if_private(context)
    try:
        known = await context.memory.known.find(context.actor, memory_id)
    except UnknownRecord as unknown:
        raise ToolFailure(
            f"Nothing was changed: {unknown}. Look the id up with search_memory."
        ) from unknown
    except StoreUnavailable as failure:
        raise ToolFailure(_LATER) from failure
    proposal = Proposal(
        known.kind,
        statement,
        (_evidence(context, quote),),
        importance=known.importance,
        event_date=date,
        about=tuple(about) or known.about,
        relation=Relation.ENDED if ended else Relation.CHANGED,
        known=known.id,
    )
    return _report(await _learn(context, proposal, known))


def _evidence(context: ToolContext, quote: str) -> Evidence:
    """The quote, with the newest turn that has it; whether the user said it is checked later."""
    having = (turn for turn in reversed(context.turns) if stands_in(quote, turn.said))
    turn = next(having, context.turns[-1])
    return Evidence(turn.id, quote, turn.messages[0].at)


async def _learn(context: ToolContext, proposal: Proposal, *known: Record) -> Change:
    """Have the proposal checked and stored. Raises ToolFailure."""
    zone = context.memory.choices.local_time(context.actor).tzinfo or UTC
    try:
        change = await context.memory.learn(
            context.actor, proposal, Reading(context.turns, known, zone)
        )
    except RefusedText as refusal:
        raise ToolFailure(f"Nothing was stored: {refusal}.") from refusal
    except (StoreUnavailable, ExtractionFailed) as failure:
        raise ToolFailure(_LATER) from failure
    if not change.was_known:
        context.effects.changes.append(change)
    return change


def _report(change: Change) -> str:
    """A change in a sentence for the model."""
    now = escape(change.record.text)
    if change.was_known:
        return f"That is known already ({change.record.short_id}): {now}"
    if change.kind is ChangeKind.ENDED:
        return f"Noted that this has ended: {now}"
    if change.before is None:
        return f"I've remembered it ({change.record.short_id}): {now}"
    return f"Corrected ({change.record.short_id}): {escape(change.before.text)} -> {now}"
