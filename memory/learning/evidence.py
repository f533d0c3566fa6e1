"""Whether quoted words stand in a text, and whether they are the writer's own."""

import re

from memory.learning.folding import UNSPACED, fold

_QUOTATION = re.compile(r'"[^"\n]+"')
#: A quotation of so many letters is somebody's text; a shorter one may be a title or a name.
_QUOTED_TEXT, _QUOTED_UNSPACED = 12, 4
#: Scripts whose words begin with others: "and", "the", "in".
_JOINED = re.compile("[\u0590-\u06ff]")
_OMISSION = re.compile(r"\s*\.\.\.\s*|\s*\[\.\.\.\]\s*")


def stands_in(words: str, said: str) -> bool:
    """True if these words stand in a text, apart from spaces, case and the shape of marks. An
    omission ("…") may stand between parts."""
    there = " ".join(fold(said).split())
    parts = [part for part in _OMISSION.split(" ".join(fold(words).split())) if part.strip(" \"'")]
    return bool(parts) and all(_stands(part.strip(' "'), there) for part in parts)


def is_quotation(words: str, said: str) -> bool:
    """True if these words stand in a text only inside the quotation marks of a longer quotation:
    somebody else's text."""
    folded = fold(said)
    outside = _QUOTATION.sub(_short_quotation, folded)
    return outside != folded and not stands_in(words, outside)


def _stands(words: str, there: str) -> bool:
    start = there.find(words)
    while start >= 0:
        before, after = there[start - 1 : start], there[start + len(words) :][:1]
        joined = UNSPACED.match(words) or _JOINED.match(words)
        torn = words[0].isalnum() and before.isalnum() and not joined
        cut = words[-1].isdigit() and after.isdigit()
        if not torn and not cut:
            return True
        start = there.find(words, start + 1)
    return False


def _short_quotation(match: re.Match[str]) -> str:
    """A quotation that may be a title stays."""
    text = match.group()
    short = _QUOTED_UNSPACED if UNSPACED.search(text) else _QUOTED_TEXT
    return text if len(text) - 2 <= short else " "
