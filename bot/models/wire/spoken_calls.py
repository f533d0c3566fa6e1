"""Tool calls that weak models write into their text: plain JSON, in a fence, or in tags. They are
found while the text streams, so that users never see them. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: Maximum characters of a call, and of the text held back.
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
    """A call of a declared tool, with its arguments as JSON."""

    name: str
    arguments: str


Found = str | SpokenCall


class CallScanner:
    """Splits streamed text into visible text and calls.

    Holds text back only while it may still become a call."""

    def __init__(self, names: frozenset[str]) -> None:
        """`names` are the declared tools; JSON that names none of them is plain text."""
        self._names = names
        self._held = ""
        self._has_shown_text = False

    def feed(self, text: str) -> list[Found]:
        """Add a piece of text; returns what is certain by now."""
        self._held += text
        return list(self._scan(final=False))

    def finish(self) -> list[Found]:
        """Return the rest at the end. A broken call of a declared tool is dropped."""
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
        """Release the beginning of the held text, without white space before the first word."""
        shown, self._held = self._held[:length], self._held[length:]
        shown = shown if self._has_shown_text else shown.lstrip()
        if shown:
            self._has_shown_text = True
            yield shown


#: The calls at the beginning of a text and its length; None instead of calls: it is plain text.
_Verdict = tuple[list[SpokenCall] | None, int]


def _read(text: str, opener: str, names: frozenset[str], *, final: bool) -> _Verdict | None:
    """Classify a text that begins with an opener; None if more text is needed."""
    refuted: _Verdict = (None, len(opener))
    body_at = _body_start(text, opener)
    if body_at is None or len(text) > MAX_CALL:
        return refuted
    body = text[body_at:]
    if not _may_be_call(body):
        return refuted
    try:
        value, length = json.JSONDecoder().raw_decode(body)
    except ValueError:
        return _broken_call(text, names) or refuted if final or _has_closer(body) else None
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


def _body_start(text: str, opener: str) -> int | None:
    """The index where the JSON would begin; None in a fence of another language."""
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
    """True if this JSON, or its beginning, may still be a call."""
    begun = _FIRST_KEY.match(body)
    if not begun:
        return not body
    key, complete = begun.group(1), begun.end() < len(body)
    return not complete if key is None else _begins_any(key, _KEYS, complete=complete)


def _begins_any(word: str, known: tuple[str, ...], *, complete: bool) -> bool:
    """True if a word is known or, unless it is `complete`, begins a known one."""
    return word in known or (not complete and any(k.startswith(word) for k in known))


def _end_of_word(text: str, start: int) -> int:
    word = _WORD.match(text, start)
    return word.end() if word else start


def _has_closer(body: str) -> bool:
    return any(closer in body for closer in _CLOSERS)


def _broken_call(text: str, names: frozenset[str]) -> _Verdict | None:
    """Drop a call that does not parse, up to its closer or the end, if it names a declared tool."""
    if not any(f'"{name}"' in text for name in names):
        return None
    ends = [at + len(closer) for closer in _CLOSERS if (at := text.find(closer, len(_FENCE))) > 0]
    return [], min(ends, default=len(text))


def _calls(value: Any, names: frozenset[str]) -> list[SpokenCall] | None:
    """The calls in a JSON value, or None if it is something else. A tool's declaration, which small
    models recite, is no call but is not shown either."""
    entries = [_entry(entry) for entry in (value if isinstance(value, list) else [value])]
    if not entries or not all(_name(entry) in names for entry in entries):
        return None
    calls = [_call(entry) for entry in entries if "description" not in entry]
    return None if None in calls else [call for call in calls if call]


def _entry(value: Any) -> dict[str, Any]:
    """The object with a call's name and arguments, which may be wrapped in a `function`."""
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
    """The number of characters at the end that may begin an opener."""
    if array := _UNFINISHED_ARRAY.search(text):
        return len(text) - array.start()
    longest = max(map(len, _TAGS))
    tails = (text[-length:] for length in range(min(longest, len(text)), 0, -1))
    openers = (*_TAGS, _FENCE)
    return next((len(t) for t in tails if any(o.startswith(t) and o != t for o in openers)), 0)
