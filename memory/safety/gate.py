"""The write gate: what may become a record at all, and which parts are masked."""

from dataclasses import replace

from memory.errors import Refusal, RefusedText
from memory.records import ToolUse, Turn
from memory.safety.orders import is_order
from memory.safety.secrets import mask_secrets

#: A fact is a sentence or two; a longer text is a document.
MAX_RECORD_LENGTH = 1000


def admit(text: str) -> str:
    """The text as it may be stored: on one line, without control characters, secrets masked. Raises
    RefusedText if nothing meaningful is left, if it is too long for a record, or if it gives the
    assistant orders."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not any(c.isalnum() for c in folded):
        raise RefusedText("there is nothing to remember in an empty text", Refusal.EMPTY)
    if len(folded) > MAX_RECORD_LENGTH:
        raise RefusedText(
            f"a memory has at most {MAX_RECORD_LENGTH} characters, this one has {len(folded)}: "
            "say what matters in a sentence or two",
            Refusal.LONG,
        )
    if is_order(text):
        raise RefusedText(
            "this reads as an order about the assistant's own rules: a memory says something about "
            "a person, or how they wish to be spoken to",
            Refusal.ORDER,
        )
    return mask_secrets(folded)


def mask_turn(turn: Turn) -> Turn:
    """The turn with all secrets in its texts masked, as it may be stored."""
    messages = tuple(replace(message, text=mask_secrets(message.text)) for message in turn.messages)
    tools = tuple(
        ToolUse(use.name, mask_secrets(use.arguments), mask_secrets(use.result))
        for use in turn.tools
    )
    return replace(turn, messages=messages, tools=tools)
