"""Tools that change the memory at the user's request."""

import re
from typing import Literal

from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.choices import clean_name
from memory.learning.grounding import is_grounded
from memory.records import Choice, Kind
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
            "The name was not stored, the memory does not answer right now. Use it in this "
            "conversation and tell the user to name you again later."
        ) from failure
    return f"I've stored my name as '{stored}'. I'll remember it in all our conversations."


def _check_user_said_it(context: ToolContext, name: str) -> None:
    """Raise ToolFailure unless the user said this name for the assistant: weak models rename
    themselves on "My name is Anna", and on invented names."""
    if name.casefold() in _fold(context.said):
        words = context.said
    elif name.casefold() in _fold(context.before):
        words = context.before
    else:
        raise ToolFailure(
            f"The user has not said the name '{name}'. Nothing was stored. Ask the user what "
            "they would like to call you."
        )
    if context.memory.rules.introduces_self(words, name):
        raise ToolFailure(
            f"'{name}' is the user's own name, not yours. Nothing was stored. Address the user "
            "by it and go on."
        )


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


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
