"""How a turn that is over goes to the model again: its messages, the long ones shortened, without
what imitates a tool call. The same turn always gives the same bytes, from the moment at which it is
recorded, because a prompt cache serves only what has not changed. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.conversation.tokens import estimate_tokens
from memory.records import Role, Turn, Utterance

#: What a model writes when it plays a tool call instead of making one, and then imitates for ever
#: if it reads it again: tags of the common chat templates, fences that name themselves, and
#: stage directions such as "[tool: search_memory …]".
_ANNOTATIONS = re.compile(
    r"<(?P<tag>tool_calls?|function_calls?|tool_response|tool_result|function_results?|tools|invoke)"
    r"\b[^>]*>.*?(?:</(?P=tag)\s*>|\Z)"
    r"|<function=[^>]*>.*?(?:</function\s*>|\Z)"
    r"|<\|(?:python_tag|tool_calls?_begin|tool_call)\|>[^\n]*"
    r"|<\|/?tool\w*\|>"
    r"|\[TOOL_CALLS\][^\n]*"
    r"|```(?:tool_call|tool_code|function_call)\b.*?(?:```|\Z)"
    r"|\[(?:tool|function|used tool|calling tool|tool[ _](?:call|use|result|response))s?\s*[:=]"
    r"[^\]\n]*\]",
    re.DOTALL | re.IGNORECASE,
)
_BLANK_LINES = re.compile(r"\n{3,}")


def replay_turn(turn: Turn, message_chars: int, turn_tokens: int) -> tuple[Utterance, ...]:
    """The turn's messages as they are put before the model again: each in at most `message_chars`
    characters, all together in at most `turn_tokens` (estimated) as far as their marks allow."""
    cleaned = [_clean(message) for message in turn.messages]
    texts = [shorten(message.text, message_chars) for message in cleaned]
    fitting = _fit(texts, turn_tokens)
    return tuple(replace(m, text=text) for m, text in zip(cleaned, fitting, strict=True))


def _clean(message: Utterance) -> Utterance:
    """The assistant's message without imitated tool calls; the user's own words as they are."""
    if message.role is Role.USER or not _ANNOTATIONS.search(message.text):
        return message
    text = _BLANK_LINES.sub("\n\n", _ANNOTATIONS.sub("", message.text)).strip()
    return replace(message, text=text)


def _fit(texts: Sequence[str], tokens: int) -> list[str]:
    """The texts in so many tokens together: short ones whole, what they leave for the long ones."""
    costs = [estimate_tokens(text) for text in texts]
    if sum(costs) <= tokens:
        return list(texts)
    fitted, left = list(texts), tokens
    by_size = sorted(range(len(texts)), key=lambda index: costs[index])
    for done, index in enumerate(by_size):
        share = left // (len(texts) - done)
        if costs[index] > share:
            fitted[index] = _cut(texts[index], share)
        left -= estimate_tokens(fitted[index])
    return fitted


def _cut(text: str, tokens: int) -> str:
    """The longest shortening of the text that costs at most so many tokens."""
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if estimate_tokens(shorten(text, middle)) <= tokens:
            fits = middle
        else:
            too_long = middle
    return shorten(text, fits)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters: its beginning and its end, and between them a mark
    that says how much is missing. A text that fits is left as it is."""
    if len(text) <= limit:
        return text
    # The number is at most as long as that of all characters.
    room = max(0, limit - len(_mark(len(text))))
    head = room - room // 3
    tail = room - head
    mark = _mark(len(text) - room)
    return f"{text[:head]}{mark}{text[len(text) - tail :]}"[:limit]


def _mark(missing: int) -> str:
    return f" [… {missing:,} characters left out] "
