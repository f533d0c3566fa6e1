"""Transcripts for models that write notes and summaries: data, escaped and cut. Pure."""

from collections.abc import Sequence

from memory.records import Role, Turn, Utterance
from memory.safety.escaping import escape

#: Maximum characters of a whole transcript and of one message. A session has at most some thirty
#: messages; a pasted document tells little about the user.
MAX_TRANSCRIPT = 24_000
MAX_MESSAGE = 2_000
MIN_MESSAGE = 200


def transcript(turns: Sequence[Turn]) -> str:
    """The turns, numbered from 1 and dated, one line per message; long messages are cut."""
    count = sum(len(turn.messages) for turn in turns)
    longest = max(MIN_MESSAGE, min(MAX_MESSAGE, MAX_TRANSCRIPT // max(1, count)))
    lines = [
        f"[{number}] {message.at:%Y-%m-%d %A} {_speaker_label(message)}: "
        f"{_shorten(message.text, longest)}"
        for number, turn in enumerate(turns, 1)
        for message in turn.messages
        if message.text.strip()
    ]
    return block("conversation", lines)


def block(tag: str, lines: Sequence[str]) -> str:
    """Lines, already escaped, between tags."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>", ""))


def _speaker_label(message: Utterance) -> str:
    if message.role is Role.ASSISTANT:
        return "ASSISTANT"
    return f"USER ({escape(message.speaker)})" if message.speaker else "USER"


def _shorten(text: str, longest: int) -> str:
    text = escape(text)
    return text if len(text) <= longest else f"{text[:longest]} […]"
