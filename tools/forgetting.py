"""Forgetting, by a tool: it finds what is meant, and the person decides."""

from memory.errors import StoreUnavailable
from memory.knowledge.lookup import find_meant
from memory.safety.escaping import escape
from tools.context import ToolContext, ToolFailure, refuse_if_private

#: No more memories are offered at once.
MOST_OFFERED = 8
#: Maximum characters of each that the model sees.
_TOLD = 200


async def forget_memory(context: ToolContext, query: str) -> str:
    """Have the user choose what to forget, because the user asked you in this very message to
    forget or delete something. This deletes nothing: buttons under your reply show the user what
    was found, and only their press deletes it. Never claim that something is forgotten.

    Args:
        query: what to forget, in a few of the user's words ("Julia", "my anniversary").
    """
    if context.actor.is_group:
        raise ToolFailure(
            "In a group only its admins can delete memories, with /forget and a few words. "
            "Nothing was deleted. Tell the user so."
        )
    refuse_if_private(context, "They can delete it themselves with /forget and a few words")
    try:
        meant = await find_meant(
            context.memory.known,
            context.actor,
            query,
            context.memory.choices.local_time(context.actor),
            MOST_OFFERED,
        )
    except StoreUnavailable as failure:
        raise ToolFailure(
            "Nothing was found: the memory does not answer right now. Tell the user to try again "
            "later."
        ) from failure
    if not meant.records:
        return f"Nothing in memory about '{escape(query[:100])}', so there is nothing to delete."
    effects = context.effects
    fresh = [record for record in meant.records if record not in effects.to_forget]
    effects.to_forget += fresh[: MOST_OFFERED - len(effects.to_forget)]
    effects.along += meant.along
    return "\n".join(
        (
            "Nothing is deleted yet. Buttons under your reply let the user delete any of these; "
            "ask them to choose, in one sentence, without repeating the list:",
            *(f"- {escape(record.text[:_TOLD])}" for record in meant.records),
        )
    )
