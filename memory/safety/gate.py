"""The write gate: what may become a record at all, and with which parts masked."""

from dataclasses import replace

from memory.errors import Refusal, RefusedText
from memory.records import ToolUse, Turn
from memory.safety.instructions import is_instruction
from memory.safety.masking import MASK, mask_secrets

__all__ = ["MASK", "MAX_RECORD_LENGTH", "admit", "mask_secrets", "mask_turn"]

#: A fact is a sentence or two; what is longer is a document.
MAX_RECORD_LENGTH = 1000


def admit(text: str) -> str:
    """The text as it may be stored: on one line, without control characters, secrets masked.
    Raises RefusedText when nothing sensible is left, when it is too long for a memory, or when it
    gives the assistant orders instead of telling something."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not any(c.isalnum() for c in folded):
        raise RefusedText("there is nothing to remember in an empty text", Refusal.EMPTY)
    if len(folded) > MAX_RECORD_LENGTH:
        raise RefusedText(
            f"a memory has at most {MAX_RECORD_LENGTH} characters, this one has {len(folded)}: "
            "say what matters in a sentence or two",
            Refusal.LONG,
        )
    if is_instruction(text):
        raise RefusedText(
            "this reads as an order about the assistant's own rules: a memory says something of a "
            "person, or how they wish to be spoken to",
            Refusal.ORDER,
        )
    return mask_secrets(folded)


def mask_turn(turn: Turn) -> Turn:
    """The turn as it may be written down: with the secrets in its texts masked."""
    messages = tuple(replace(message, text=mask_secrets(message.text)) for message in turn.messages)
    tools = tuple(
        ToolUse(use.name, mask_secrets(use.arguments), mask_secrets(use.result))
        for use in turn.tools
    )
    return replace(turn, messages=messages, tools=tools)
