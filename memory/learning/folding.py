"""Text as checks compare it: without what writers vary, in any language. Also finds out whether
words stand in a text as its writer's own."""

import re
import unicodedata

#: Accents, points and vowel signs that writers leave out. The vowels of Indic scripts stay: they
#: are letters.
_ORNAMENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670\u093c\u0640\u200b-\u200f"
    "\u2060\ufe0e\ufe0f]"
)
_LETTERS = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ`´＇′", "'"),
        **dict.fromkeys("“”„«»‟″＂「」『』〝〞", '"'),
        **dict.fromkeys("‐‑‒–—―−－", "-"),
        **dict.fromkeys("أإآٱ", "ا"),
        **{
            "ى": "ي",
            "ة": "ه",
            "ß": "ss",
            "ø": "o",
            "đ": "d",
            "ł": "l",
            "ı": "i",
            "ँ": "ं",
            "…": "...",
        },
    }
)
#: Letters of scripts that put no spaces between words.
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[\w\u0900-\u0963\u0966-\u0dff]+(?:'[\w]+)*")
_QUOTATION = re.compile(r'"[^"\n]+"')
#: A quotation of so many letters is somebody's text; a shorter one may be a title or a name.
_QUOTED_TEXT, _QUOTED_UNSPACED = 12, 4
#: Scripts whose words begin with others: "and", "the", "in".
_JOINED = re.compile("[\u0590-\u06ff]")
_OMISSION = re.compile(r"\s*\.\.\.\s*|\s*\[\.\.\.\]\s*")


def fold(text: str) -> str:
    """The text in lower case, with one sign for each kind of quote, dash and space, digits of one
    script, and letters without ornaments. Line breaks stay."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    text = _ORNAMENTS.sub("", unicodedata.normalize("NFD", text)).translate(_LETTERS)
    text = "".join(str(unicodedata.decimal(c, c)) if c.isdecimal() else c for c in text)
    text = unicodedata.normalize("NFC", text)
    return re.sub(r"[^\S\n]+", " ", text)


def fold_words(text: str) -> list[str]:
    """The words of a folded text, in order."""
    return _WORD.findall(text)


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
    """What is left of a quotation: all of it if it may be a title, else nothing."""
    text = match.group()
    short = _QUOTED_UNSPACED if UNSPACED.search(text) else _QUOTED_TEXT
    return text if len(text) - 2 <= short else " "
