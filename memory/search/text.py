"""Text as words that an index can compare, in any language.

One function, `words`, serves the index and the query, so that what was stored is found by its own
words. Words with an alphabet are stemmed by their language; scripts that put no spaces between
words become pairs of letters; diacritics are folded after stemming, because the stemmers read them;
every emoji is a word. All output words are free of spaces, ASCII punctuation and NUL."""

import re
import threading
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

import Stemmer

from memory.search.lexicon.lexicon import lexicons, negations, stop_words

#: Raise it with every change of what `words` returns, or of what an index makes of it: stores index
#: their texts again.
TOKENISER_VERSION = 2

#: Longer words (addresses, base64) are cut, so that no single word can bloat an index. Letters.
MAX_WORD = 48

#: So many grammar words of a language in Latin letters, and such a share of a text's words, show
#: that it is written in it: a few words are common to many languages.
_CERTAIN, _GRAMMAR_SHARE = 2, 0.3

_INDIC = "\u0900-\u0963\u0966-\u0dff"
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_EMOJI = (
    "\u203c\u2049\u2139\u2190-\u21ff\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
)
_SKIN = "\U0001f3fb-\U0001f3ff"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Chinese characters
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
)
_RUN = re.compile(
    f"(?P<unspaced>[{_UNSPACED}]+)"
    f"|(?P<emoji>(?![{_SKIN}])[{_EMOJI}])"
    f"|(?P<word>(?:(?![{_UNSPACED}{_EMOJI}])[^\\W_]|[{_MARKS}{_INDIC}])+)"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")
_PUNCTUATION = ".,;:!?…¡¿\"'()[]“”„«»‹›‚‘。、！？；：「」"
_APOSTROPHES = str.maketrans("’‘ʼ＇", "''''")

_ALPHABETS = (
    (re.compile("[\u0400-\u052f]"), "russian"),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "greek"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0b80-\u0bff]"), "tamil"),
    (re.compile("[\u0530-\u058f]"), "armenian"),
)
_FOLDED = re.compile("[a-z\u00df-\u024f\u1e00-\u1eff\u0370-\u052f\u0590-\u06ff\u1f00-\u1fff]")
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"})


class _Stemmers(threading.local):
    """A stemmer object may be used by one thread at a time, so each thread has its own."""

    def __init__(self) -> None:
        self._by_language: dict[str, Stemmer.Stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        """The word's stem in one language."""
        stemmer = self._by_language.get(language)
        if stemmer is None:
            # Its cache of ten thousand words a thread saves a millionth of a second each.
            stemmer = self._by_language[language] = Stemmer.Stemmer(language, 0)
        stem: str = stemmer.stemWord(word)
        return stem


_stemmers = _Stemmers()


def storable(text: str) -> str:
    """The text as it can be stored: without NUL, and with U+FFFD for half a surrogate pair."""
    return _SURROGATES.sub("\ufffd", text.replace("\0", "")).strip()


def words(text: str) -> list[str]:
    """The index words of a text, in order."""
    plain = plain_words(text)
    language = latin_language(plain)
    found: list[str] = []
    for kind, word in plain:
        if kind == "unspaced":
            found += pairs(word)
        elif kind == "emoji":
            found.append(word)
        else:
            found += stems(word, language)
    return found


def wording(text: str) -> str:
    """The text as it is compared for being the same: case, spaces and the punctuation around words
    aside. Signs that may belong to a word or number stay: "C++", "2.5", "-5"."""
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return " ".join(filter(None, (word.strip(_PUNCTUATION) for word in folded.split())))


def plain_words(text: str) -> list[tuple[str, str]]:
    """The text as runs of (kind, run) with kind "word", "unspaced" or "emoji", in lower case and
    otherwise as written. Drops possessive 's."""
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    composed = unicodedata.normalize("NFC", _POSSESSIVE.sub("", folded))
    return [(match.lastgroup or "", match.group()) for match in _RUN.finditer(composed)]


def latin_language(plain: list[tuple[str, str]]) -> str:
    """The Snowball language of a text's Latin words by its grammar words; English if they are
    inconclusive."""
    seen = {word for kind, word in plain if kind == "word"}
    best, most = "english", len(seen & stop_words()["english"])
    for language, small_words in stop_words().items():
        count = len(seen & small_words)
        if count > most:
            best, most = language, count
    return best


_ASCII = re.compile(r"[!-~]+")
#: Links, addresses and names of files.
_ADDRESS = re.compile(r"://|\w[.@]\w", re.ASCII)


def spoken_words(text: str) -> set[str]:
    """The words of a text that belong to a language: not those of "example.com"."""
    said = _ASCII.sub(lambda it: " " if _ADDRESS.search(it[0]) else it[0], text)
    return {word for kind, word in plain_words(said) if kind == "word"}


def written_language(text: str) -> str | None:
    """The ISO 639-1 code of the language that a text is written in, by its grammar words; None if
    they leave a doubt, as those of a very short text do."""
    seen = spoken_words(text)
    counts = {code: len(seen & small_words) for code, small_words in _grammar().items()}
    most = max(counts.values())
    first, *others = (code for code, count in counts.items() if count == most)
    if not lexicons()[first].snowball:
        # An alphabet of few languages: the first of them is the likeliest.
        return first if most else None
    return first if most >= max(_CERTAIN, _GRAMMAR_SHARE * len(seen)) and not others else None


@cache
def _grammar() -> Mapping[str, frozenset[str]]:
    return {code: frozenset(each.small_words) for code, each in lexicons().items()}


@lru_cache(maxsize=20_000)
def stems(word: str, language: str) -> tuple[str, ...]:
    """The index words of one written word. Latin words of other languages also carry their English
    stem: a query of one word does not reveal its language, and must find them all the same."""
    word = word[:MAX_WORD]
    for letters, alphabet_language in _ALPHABETS:
        if letters.search(word):
            return (_fold(_stemmers.stem(word, alphabet_language)),)
    english = _fold(_stemmers.stem(word, "english"))
    if language == "english":
        return (english,)
    own = _fold(_stemmers.stem(word, language))
    return (own,) if own == english else (own, english)


def _fold(word: str) -> str:
    """The word without diacritics, in alphabets where they are ornaments of a letter."""
    if word.isascii() or not _FOLDED.search(word):
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS) or word


def pairs(run: str) -> list[str]:
    """The overlapping pairs of letters of a run, or the one letter there is."""
    if len(run) <= 1:
        return [run] if run else []
    return [run[i : i + 2] for i in range(len(run) - 1)]


@cache
def small_stems() -> frozenset[str]:
    """The index words of the grammar words of all main languages, except negations."""
    return frozenset(
        stem
        for language, small_words in stop_words().items()
        for word in small_words - negations()
        for stem in stems(word, language)
    )
