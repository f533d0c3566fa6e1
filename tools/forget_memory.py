"""The tool by which the model forgets one thing, because the user asked it to."""

import re

from memory.errors import StoreUnavailable, UnknownRecord
from memory.safety.escaping import escape
from tools.context import ToolContext, ToolFailure, refuse_if_private

#: The beginnings of the words with which people ask to forget, in the languages we know of.
_ASKS_TO_FORGET = re.compile(
    r"\b(?:forget|delete|remove|erase|drop|забуд|удали|сотри|vergiss|lösch|olvid|borra|elimin|"
    r"dimentica|cancell|esque[cç]|apag|oubli|supprim|efface)|भूल|忘|删|刪|消",
    re.IGNORECASE,
)

#: "Don't forget my birthday" asks for the opposite.
_WANTS_TO_KEEP = re.compile(
    r"\b(?:don'?t|do not|never|не|nicht|no|non|não|ne)\s+(?:\w+\s+)?(?:forget|delete|remove|erase|"
    r"забуд\w*|удал\w*|vergiss|vergessen|lösche\w*|olvid\w*|borr\w*|dimentic\w*|cancell\w*|"
    r"esque[cç]\w*|oubli\w*|supprim\w*)",
    re.IGNORECASE,
)


async def forget_memory(context: ToolContext, memory_id: str) -> str:
    """Delete one memory of the user for good, because the user asked you in this very message to
    forget it. Find its id with search_memory first. Never claim that something is forgotten
    unless this tool says so.

    Args:
        memory_id: the id as search_memory shows it.
    """
    if context.actor.is_group:
        raise ToolFailure(
            "In a group only its admins can delete memories, with /forget and an id. Nothing was "
            "deleted. Tell the user so."
        )
    refuse_if_private(context, "They can delete a memory themselves with /forget and its id")
    if not _ASKS_TO_FORGET.search(_WANTS_TO_KEEP.sub("", context.said)):
        raise ToolFailure(
            "The user has not asked to forget anything in this message. Nothing was deleted."
        )
    try:
        forgotten = await context.memory.known.forget(context.actor, memory_id)
    except UnknownRecord as unknown:
        raise ToolFailure(
            f"Nothing was deleted: {unknown}. Look the id up with search_memory."
        ) from unknown
    except StoreUnavailable as failure:
        raise ToolFailure(
            "Nothing was deleted, the memory does not answer right now. Tell the user to try "
            "again later."
        ) from failure
    return f"I've forgotten it: {escape(forgotten.record.text)}"
