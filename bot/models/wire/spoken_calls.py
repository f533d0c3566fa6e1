"""Tool calls that a model writes into its text, as weak models do: plain JSON, in a fence, or in
tags. Found while the text streams, so that nobody ever reads them. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: A call longer than this is none; so much text is held back at most. Characters.
MAX_CALL = 8000

_TAGS = ("<tool_call>", "<function_call>", "<tools>", "[TOOL_CALLS]", "<|python_tag|>")
_FENCE = "```"
_LANGUAGES = ("", "json", "tool_call", "tool_code")
_OPENER = re.compile("|".join(map(re.escape, (*_TAGS, _FENCE))) + r"|\[\s*\{|\{")
_UNFINISHED_ARRAY = re.compile(r"\[\s*\Z")
_CLOSER = re.compile(r"\s*(?:```|</(?:tool_call|function_call|tools)>)?")
_CLOSERS = ("```", "</tool_call>", "</function_call>", "</tools>")

_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_KEYS = tuple(f'"{key}"' for key in (*_NAME_KEYS, *_ARGUMENT_KEYS, "type", "id"))
_WORD = re.compile(r"\w*")
_FIRST_KEY = re.compile(r'\[?\s*(?:\{\s*("(?:[^"]*"?))?)?')


@dataclass(frozen=True, slots=True)
class SpokenCall:
    """A call of a declared tool, its arguments as JSON."""

    name: str
    arguments: str


Found = str | SpokenCall


class CallScanner:
    """Divides text that comes in pieces into what may be shown and the calls in it.

    Holds text back only as long as it may still become a call."""

    def __init__(self, names: frozenset[str]) -> None:
        """`names` are those of the declared tools; JSON that names none of them is just text."""
        self._names = names
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> list[Found]:
        """What is certain after a further piece."""
        self._held += text
        return list(self._scan(final=False))

    def finish(self) -> list[Found]:
        """What is left at the end. A broken call of a declared tool is dropped."""
        return list(self._scan(final=True))

    def _scan(self, *, final: bool) -> Iterator[Found]:
        while self._held:
            opener = _OPENER.search(self._held)
            certain = opener.start() if opener else len(self._held)
            if not opener and not final:
                certain -= _unfinished_opener(self._held)
            yield from self._show(certain)
            if not opener:
                return
            verdict = _read(self._held, opener.group(), self._names, final=final)
            if verdict is None:
                return
            calls, length = verdict
            if calls is None:
                yield from self._show(length)
                continue
            yield from calls
            self._held = self._held[length:]

    def _show(self, length: int) -> Iterator[str]:
        """The first part of what is held; the white space before the first word is left out."""
        shown, self._held = self._held[:length], self._held[length:]
        shown = shown if self._begun else shown.lstrip()
        if shown:
            self._begun = True
            yield shown


#: The calls in a text's beginning and its length; None for no call: that much is plain text.
_Verdict = tuple[list[SpokenCall] | None, int]


def _read(text: str, opener: str, names: frozenset[str], *, final: bool) -> _Verdict | None:
    """What a text that begins with an opener is; None while only more of it can tell."""
    refuted: _Verdict = (None, len(opener))
    body_at = _body(text, opener)
    if body_at is None or len(text) > MAX_CALL:
        return refuted
    body = text[body_at:]
    if not _may_be_call(body):
        return refuted
    try:
        value, length = json.JSONDecoder().raw_decode(body)
    except ValueError:
        return _broken(text, names) or refuted if final or _closed(body) else None
    calls = _calls(value, names)
    if calls is None:
        return refuted
    end = body_at + length
    closer = _CLOSER.match(text, end)
    end_of_call = closer.end() if closer else end
    rest = text[end:].lstrip()
    if not final and any(c.startswith(rest) and c != rest for c in _CLOSERS):
        return None
    return calls, end_of_call


def _body(text: str, opener: str) -> int | None:
    """Where the JSON would begin, or None if this is a fence of another language."""
    if opener not in (*_TAGS, _FENCE):
        return 0
    start = len(opener)
    if opener == _FENCE:
        language = text[start : _end_of_word(text, start)]
        start += len(language)
        if not _begins_any(language, _LANGUAGES, complete=start < len(text)):
            return None
    return len(text) - len(text[start:].lstrip())


def _may_be_call(body: str) -> bool:
    """Whether this JSON, or its beginning, can still turn out to be a call."""
    begun = _FIRST_KEY.match(body)
    if not begun:
        return not body
    key, complete = begun.group(1), begun.end() < len(body)
    return not complete if key is None else _begins_any(key, _KEYS, complete=complete)


def _begins_any(word: str, known: tuple[str, ...], *, complete: bool) -> bool:
    """Whether a word is one of those known or, while more of it may come, begins one."""
    return word in known or (not complete and any(k.startswith(word) for k in known))


def _end_of_word(text: str, start: int) -> int:
    word = _WORD.match(text, start)
    return word.end() if word else start


def _closed(body: str) -> bool:
    return any(closer in body for closer in _CLOSERS)


def _broken(text: str, names: frozenset[str]) -> _Verdict | None:
    """A call that does not parse is dropped to its closer or end, if it names a declared tool."""
    if not any(f'"{name}"' in text for name in names):
        return None
    ends = [at + len(closer) for closer in _CLOSERS if (at := text.find(closer, len(_FENCE))) > 0]
    return [], min(ends, default=len(text))


def _calls(value: Any, names: frozenset[str]) -> list[SpokenCall] | None:
    """The calls that a JSON value is, or None if it is something else. A tool's declaration, which
    small models recite, is no call and nothing to show."""
    entries = [_entry(entry) for entry in (value if isinstance(value, list) else [value])]
    if not entries or not all(_name(entry) in names for entry in entries):
        return None
    calls = [_call(entry) for entry in entries if "description" not in entry]
    return None if None in calls else [call for call in calls if call]


def _entry(value: Any) -> dict[str, Any]:
    """A call's name and arguments, which may be wrapped in a `function`."""
    if not isinstance(value, dict):
        return {}
    function = value.get("function")
    return function if isinstance(function, dict) else value


def _name(entry: dict[str, Any]) -> str | None:
    found = (entry[key] for key in _NAME_KEYS if isinstance(entry.get(key), str))
    return next(found, None)


def _call(entry: dict[str, Any]) -> SpokenCall | None:
    arguments: Any = next((entry[key] for key in _ARGUMENT_KEYS if key in entry), {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            return None
    if not isinstance(arguments, dict):
        return None
    return SpokenCall(_name(entry) or "", json.dumps(arguments, ensure_ascii=False))


def _unfinished_opener(text: str) -> int:
    """How many characters at the end may be the beginning of an opener."""
    if array := _UNFINISHED_ARRAY.search(text):
        return len(text) - array.start()
    longest = max(map(len, _TAGS))
    tails = (text[-length:] for length in range(min(longest, len(text)), 0, -1))
    openers = (*_TAGS, _FENCE)
    return next((len(t) for t in tails if any(o.startswith(t) and o != t for o in openers)), 0)
