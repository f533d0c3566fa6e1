"""The tool by which the model keeps something at once, because the user asked it to."""

from typing import Literal

from memory.errors import RefusedText, StoreUnavailable
from memory.learning.grounding import is_grounded
from memory.records import Kind
from memory.safety.escaping import escape
from tools.context import ToolContext, ToolFailure, refuse_if_private


async def remember(
    context: ToolContext, text: str, memory_type: Literal["fact", "preference"] = "fact"
) -> str:
    """Keep something about the user for good, because the user explicitly asked you to remember
    it. What the user says in passing is learned without you; do not call this for it.

    Args:
        text: one sentence in the user's own words and language, in the first person.
        memory_type: "preference" for likes, dislikes and wishes, else "fact".
    """
    refuse_if_private(context)
    if not is_grounded(text, f"{context.said}\n{context.before}"):
        raise ToolFailure(
            "The user has not said that. Nothing was stored. Only what the user's own words say "
            "can be remembered."
        )
    try:
        record = await context.memory.remember(
            context.actor, text, Kind(memory_type), context.speaker
        )
    except RefusedText as refusal:
        raise ToolFailure(f"That can't be remembered: {refusal}.") from refusal
    except StoreUnavailable as failure:
        raise ToolFailure(
            "Nothing was stored, the memory does not answer right now. Tell the user to say it "
            "again later."
        ) from failure
    if record is None:
        return "From now on you have the name that the user gave you."
    return f"I've remembered it ({record.short_id}): {escape(record.text)}"
