"""AWS's own words in an error, without those of the request: AWS quotes the values that it refuses,
and these may be what somebody said."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_QUOTED = re.compile(r"""(?<!\w)(['"`]).*?\1(?!\w)""", re.DOTALL)
#: What AWS is known to say, whoever said the same words.
_KNOWN = re.compile(
    r"((?:memory )?status is not (?:yet )?active[,.]?|in a transitional state[,.]?)", re.I
)
#: A word of AWS's has nothing that could be an escaped letter of another script.
_PLAIN = re.compile(r"[A-Za-z0-9.,;:()\[\]/_-]{1,40}")
_RUN = re.compile(r"[^\W_]+")
#: A shorter piece of a word that was cut off tells nothing.
_TELLING = 3
_MOST_READ, _MOST_SHOWN = 4000, 300


def aws_words(message: str, sent: Mapping[str, Any]) -> str:
    """The message in one short line. What is in quotes, what was sent and what may be a part of it
    become an ellipsis; empty if nothing else is left. The memory's id is nobody's word."""
    said = " ".join(_texts({**sent, "memoryId": ""})).casefold()
    words = frozenset(_RUN.findall(said))
    shown: list[str] = []
    for number, part in enumerate(_KNOWN.split(_QUOTED.sub(" … ", message[:_MOST_READ]))):
        for token in part.split():
            if number % 2 or _is_own(token, said, words):
                shown.append(token)
            elif shown[-1:] != ["…"]:
                shown.append("…")
    line = " ".join(shown)
    return line[:_MOST_SHOWN] if _RUN.search(line) else ""


def _is_own(token: str, said: str, words: frozenset[str]) -> bool:
    if not _PLAIN.fullmatch(token):
        return False
    runs = _RUN.findall(token.casefold())
    return all(run not in words and (len(run) < _TELLING or run not in said) for run in runs)


def _texts(value: Any) -> Iterator[str]:
    """All texts in the parameters of a call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
