"""Conversations as a model reads them for its notes and summaries: data, escaped and bounded.
Pure."""

from collections.abc import Sequence

from memory.records import Role, Turn, Utterance
from memory.safety.escaping import escape

#: What of a session the model reads, in characters: all of it, and of one message. A session has
#: at most some thirty messages; who pastes documents is not telling about himself.
MAX_TRANSCRIPT = 24_000
MAX_MESSAGE = 2_000
MIN_MESSAGE = 200


def transcript(turns: Sequence[Turn]) -> str:
    """The turns, numbered from 1 and dated, each message on one line and cut where it is long."""
    count = sum(len(turn.messages) for turn in turns)
    longest = max(MIN_MESSAGE, min(MAX_MESSAGE, MAX_TRANSCRIPT // max(1, count)))
    lines = [
        f"[{number}] {message.at:%Y-%m-%d %A} {_who(message)}: {_cut(message.text, longest)}"
        for number, turn in enumerate(turns, 1)
        for message in turn.messages
        if message.text.strip()
    ]
    return block("conversation", lines)


def block(tag: str, lines: Sequence[str]) -> str:
    """Lines, escaped already, between the tags of their kind."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>", ""))


def _who(message: Utterance) -> str:
    if message.role is Role.ASSISTANT:
        return "ASSISTANT"
    return f"USER ({escape(message.speaker)})" if message.speaker else "USER"


def _cut(text: str, longest: int) -> str:
    text = escape(text)
    return text if len(text) <= longest else f"{text[:longest]} […]"
