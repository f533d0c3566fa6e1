"""What stands for turns until a summary of them is there, or when none can be had: what they were
about by the words that come most often, how many messages they had, and how each began. It quotes
and counts, makes nothing up, and needs no model and no language. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from memory.conversation.tokens import Count, cut_to_tokens, estimate_tokens
from memory.records import Role, Turn, Utterance
from memory.safety.gate import mask_secrets
from memory.search.stopwords import chatter, stop_words
from memory.search.text import plain_words

#: How many topics are named at most; a topic is a word that more than one message has.
_TOPICS = 6
#: What of one message is read, and what is quoted. Characters.
_READ_CHARS = 1000
_QUOTE_CHARS = 90
_SHORTEST_WORD = 4


@cache
def _small_words() -> frozenset[str]:
    return chatter().union(*stop_words().values())


def gist(turns: Sequence[Turn], tokens: int, count: Count = estimate_tokens) -> str:
    """These turns in at most `tokens`, their secrets masked; the user's words before the
    assistant's."""
    said = [_read(message) for turn in turns for message in turn.messages if message.text.strip()]
    by_speaker: dict[str, list[Utterance]] = {}
    for message in sorted(said, key=lambda m: m.role is Role.ASSISTANT):
        by_speaker.setdefault(_speaker(message), []).append(message)
    topics = ", ".join(_topics(said))
    parts = [f"Topics: {topics}."] if topics else []
    for speaker, messages in by_speaker.items():
        quotes = "; ".join(f"“{_opening(message.text)}”" for message in messages)
        parts.append(f"{speaker} ({len(messages)}): {quotes}.")
    return cut_to_tokens(" ".join(parts), tokens, count)


def quotable(text: str) -> str:
    """The text with other marks for its own quotes, so that it is certain where a quote of it
    ends."""
    return text.translate({ord(mark): '"' for mark in "“”„"})


def join(one: str, other: str, tokens: int, count: Count = estimate_tokens) -> str:
    """Two texts as one in at most `tokens`: each gets half, and what the other does not need."""
    half = tokens // 2
    first = cut_to_tokens(one, max(half, tokens - count(other) - 1), count)
    second = cut_to_tokens(other, max(0, tokens - count(first) - 1), count)
    return cut_to_tokens(f"{first} {second}".strip(), tokens, count)


def _read(message: Utterance) -> Utterance:
    """What of a message is read. Masked before it is cut, or half a secret would be none."""
    text = mask_secrets(message.text[: 2 * _READ_CHARS])
    return replace(message, text=text[:_READ_CHARS])


def _topics(said: Sequence[Utterance]) -> list[str]:
    """The words that most messages have, of equals the earlier first."""
    seen: Counter[str] = Counter()
    for message in said:
        plain = plain_words(message.text)
        seen.update(dict.fromkeys(word for kind, word in plain if _tells(kind, word)).keys())
    return [word for word, times in seen.most_common(_TOPICS) if times > 1]


def _tells(kind: str, word: str) -> bool:
    if kind == "unspaced":
        return 2 <= len(word) <= 6
    return (
        kind == "word"
        and len(word) >= _SHORTEST_WORD
        and not word.isdigit()
        and word not in _small_words()
    )


def _speaker(message: Utterance) -> str:
    if message.role is Role.ASSISTANT:
        return "assistant"
    return f"user {message.speaker}" if message.speaker else "user"


def _opening(text: str) -> str:
    """The first sentence of a message, or as much of it as is quoted."""
    line = quotable(" ".join(text.split()))
    if len(line) <= _QUOTE_CHARS:
        return line.rstrip(".")
    return f"{line[:_QUOTE_CHARS].rsplit(None, 1)[0]}…"
