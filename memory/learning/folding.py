"""Text as checks compare it: without what writers vary, in any language."""

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
