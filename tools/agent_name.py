"""The tool that names the assistant."""

from memory.errors import RefusedText, StoreUnavailable
from memory.knowledge.choices import clean_name
from memory.learning.folding import stands_in
from memory.records import Choice
from tools.context import ToolContext, ToolFailure, refuse_if_private


async def set_agent_name(context: ToolContext, name: str) -> str:
    """Store the name the user wants to call YOU, the assistant, by. Call it when the user names or
    renames you. Never call it with the user's own name.

    Args:
        name: the new name of the assistant, exactly as the user wrote it.
    """
    refuse_if_private(context)
    try:
        wanted = clean_name(name)
    except RefusedText as refusal:
        raise ToolFailure(f"That name can't be stored: {refusal}.") from refusal
    _check_user_said_it(context, wanted)
    try:
        stored = await context.memory.choices.set(context.actor, Choice.AGENT_NAME, wanted)
    except RefusedText as refusal:
        raise ToolFailure(f"The name was not stored: {refusal}.") from refusal
    except StoreUnavailable as failure:
        raise ToolFailure(
            "The name was not stored: the memory does not answer right now. Use it in this "
            "conversation and tell the user to name you again later."
        ) from failure
    return f"I've stored my name as '{stored}'. I'll remember it in all our conversations."


def _check_user_said_it(context: ToolContext, name: str) -> None:
    """Raise ToolFailure unless the user said this name: weak models give themselves names that they
    invent."""
    if not stands_in(name, f"{context.said}\n{context.before}"):
        raise ToolFailure(
            f"The user has not said the name '{name}'. Nothing was stored. Ask the user what "
            "they would like to call you."
        )
