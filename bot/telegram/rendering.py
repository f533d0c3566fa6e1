"""Pure: a reply's text, cut into messages that Telegram takes and people can read."""

import re
import unicodedata
from dataclasses import dataclass

#: Bot API, sendMessage: 1-4096 characters, which it counts in UTF-16 code units.
LONGEST_MESSAGE = 4096

_FENCE = re.compile(r"(?P<marker>`{3,10}|~{3,10})[ \t]*(?P<language>[^\s`~]{0,40})")
_ZWJ, _ZWNJ = "\u200d", "\u200c"


def units(text: str) -> int:
    """The length in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def clean(text: str) -> str:
    """The text without what no message can hold: control characters but line break and tab, and
    halves of surrogate pairs."""
    return "".join(
        c
        for c in text.replace("\r\n", "\n").replace("\r", "\n")
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")
    )


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in the text: only spaces and invisible marks."""
    return all(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") for c in text)


def split(text: str, limit: int = LONGEST_MESSAGE) -> list[str]:
    """The text in parts of at most `limit` UTF-16 units, 80 at the least.

    It is cut at a paragraph, else a line, else a word, and within a word only if the word alone is
    too long; never inside one visible character. A code block that is cut is closed and opened
    again with its language."""
    parts: list[str] = []
    rest, fence = text.strip("\n").rstrip(), None
    while rest:
        opening = f"{fence.line}\n" if fence else ""
        if units(opening + rest) <= limit:
            parts.append(opening + rest)
            break
        head, rest, fence_after = _take(rest, limit - units(opening), fence)
        closing = f"\n{fence_after.marker}" if fence_after else ""
        parts.append(opening + head + closing)
        fence = fence_after
    return [part for part in parts if not is_blank(part)]


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open code block."""

    marker: str
    language: str

    @property
    def line(self) -> str:
        """The line that opens it."""
        return self.marker + self.language


def _take(rest: str, room: int, fence: _Fence | None) -> tuple[str, str, _Fence | None]:
    """A head of at most `room` units with its fence closed, what follows, and the fence that is
    open between them."""
    if fence or _FENCE.search(rest):
        room -= 11  # a line break and the longest marker, to close the block
    cut, skipped = _cut(rest, _fitting(rest, room))
    after = _open_fence(rest[:cut], fence)
    line_start = rest.rfind("\n", 0, cut) + 1
    if after and after != fence and line_start > 1 and _FENCE.match(rest, line_start):
        # Only the opening line of a block would be left here: it goes with its code.
        cut, skipped = line_start - 1, 1
        after = _open_fence(rest[:cut], fence)
    if after:
        skipped = min(skipped, 1)  # empty lines inside code belong to it
    return rest[:cut], rest[cut + skipped :], after


def _fitting(text: str, room: int) -> int:
    """How many characters from the start fit, without cutting a visible character in two."""
    used = end = 0
    for character in text:
        used += 1 + (character > "\uffff")
        if used > room:
            break
        end += 1
    whole = end
    while whole and whole < len(text) and _joined(text, whole):
        whole -= 1
    return whole or max(end, 1)


def _cut(text: str, end: int) -> tuple[int, int]:
    """Where to cut at or before `end`, and how many characters there are left out."""
    start = end // 2
    paragraph = text.rfind("\n\n", start, end + 1)
    if paragraph > 0:
        following = len(text) - len(text[paragraph:].lstrip("\n"))
        return paragraph, following - paragraph
    line = text.rfind("\n", start, end + 1)
    if line > 0:
        return line, 1
    for position in range(min(end, len(text) - 1), 0, -1):
        if text[position] in " \t\n" and not _joined(text, position + 1):
            return position, 1
    return end, 0


def _open_fence(text: str, fence: _Fence | None) -> _Fence | None:
    """The code block that is open after the text, given the one open before it."""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if not match:
            continue
        if fence is None:
            fence = _Fence(match["marker"], match["language"])
        elif line.strip() and set(line.strip()) == {fence.marker[0]}:
            fence = None if len(line.strip()) >= len(fence.marker) else fence
    return fence


def _joined(text: str, index: int) -> bool:
    """Whether the characters on both sides of the index make one visible character (the rules of
    Unicode's grapheme clusters that chats meet: marks, emoji sequences, flags, Hangul)."""
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if before == _ZWJ or after in (_ZWJ, _ZWNJ) or _extends(after):
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        run = index
        while run and _is_flag_letter(text[run - 1]):
            run -= 1
        return (index - run) % 2 == 1
    return before + after == "\r\n" or _is_one_syllable(before, after)


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character).startswith("M")
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags of subdivision flags
        or character in "\u0e33\u0eb3"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_one_syllable(before: str, after: str) -> bool:
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    if leading:
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    hangul = "\uac00" <= before <= "\ud7fb" or "\u1160" <= before <= "\u11ff"
    return hangul and ("\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb")
