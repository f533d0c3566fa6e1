"""Masks secrets in texts: passwords, keys, and the numbers of cards, accounts and documents."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memory.safety import check_digits
from memory.search.lexicon.lexicon import Secrets, Words, lexicons, secret_names

# Secrets are found by their shape, their check digits or the word beside them. Check digits keep
# order numbers and phone numbers readable: a number is masked without a word beside it only if its
# kind has a shape of its own or digits that must add up.

#: What stands where a secret was.
MASK = "[hidden]"

_KEYS = (
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}", re.ASCII),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", re.ASCII),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}", re.ASCII),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{16,}", re.ASCII),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}", re.ASCII),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}", re.ASCII),
    re.compile(r"\b\d{6,12}:[A-Za-z0-9_-]{30,}", re.ASCII),
    re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}", re.ASCII),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL | re.ASCII),
)

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = rf"{_DAY}[./-]{_DAY}(?:[./-]\d{{2,4}})?(?!\d)|\d{{4}}-\d\d-\d\d|\d{{1,2}}:\d\d"
_YEAR = r"(?:19|20)\d\d(?!\w)"
#: A value in one piece, without what ends a sentence or a quotation.
_VALUE = r"\S*[^\s.,;:!?\"'“”«»)。，]"
#: What a password is said to be: one value with digits or signs in it; a list of four words or
#: more; or else everything up to the end of the clause, as it may have several words.
_SAID = (
    rf"(?:(?=[^\s.,;:!?]*[\d!@#$%&*+=_]){_VALUE}|[^\W\d]+(?:\s*,\s*[^\W\d]+){{3,}}|"
    r"[^\s.,;!?\"“”«»)。，](?:[^\n.,;!?\"“”«»)。，]*[^\s.,;:!?\"'“”«»)。，])?)"
)
#: A value that nobody would take for a word: digits, or letters with digits or signs among them.
_ODD = (
    rf"(?!{_DATE}|{_YEAR})(?:(?=\S*[^\W\d_])(?=\S*\d)[^\s.,;:!?\"“”«»)。，]{{4,}}|"
    r"[^\s\W]+[!@#$%&*+=]\S*[^\s.,;:!?\"'“”«»)。，]|\d{3,10}#?(?![\w:.,/]*\w))"
)
#: Digits that are a secret, even if they look like a year, because they come right after its name.
_DIGITS = r"(?:\d{3,10}#?|\d{1,4}(?:-\d{1,4}){2,})(?![\w:.,/-]*\w)"
#: So far from a code a word says which code it is, in characters.
_BESIDE = 16
_OPENING = r"[\"'“«„]?"
#: Where a word may begin: Chinese puts no space before it.
_START = r"(?<![^\W\u3400-\u9fff])"
#: What a number measures makes it no code.
_MEASURE = r"\s*(?:[€$£₽₹%°×]|(?:[mck]?m|k?g|qm|gb|mbit|eur\w*)\b|by\s\d)"
#: Nothing but a short word ("auf") comes after a number before its clause ends.
_ALONE = r"(?=\s*(?:[^\s\d.,;!]{1,4})?\s*(?:[,.;!)，。]|$))"


def _either(part: Callable[[Secrets], Words]) -> str:
    """A pattern for what secrets are called in any language."""
    spaced = secret_names(part, unspaced=False)
    return rf"(?:(?<!\w)(?:{spaced})(?!\w)|{secret_names(part, unspaced=True)})"


@cache
def _named_values() -> tuple[re.Pattern[str], ...]:
    """What is a secret because a word beside it says so: "my password is hunter2", "locker code is
    7731", "new padlock, 7731", "the alarm goes off with 7731", "the secret word pineapple", "4711
    is my PIN", "the safe is 22-14-8", "passport 4509 123456" (at least five digits that are no
    date), "card number 6222 0200 …" (also what does not add up, from eight digits)."""
    password, pin = _either(lambda s: s.passwords), _either(lambda s: s.pins)
    code, lock = _either(lambda s: s.codes), _either(lambda s: (*s.locks, *s.wireless))
    document, account = _either(lambda s: s.documents), _either(lambda s: s.accounts)
    bolt, phrase = _either(lambda s: s.bolts), _either(lambda s: s.phrases)
    unlocks, by = _either(lambda s: s.unlocks), _either(lambda s: s.by)
    equals = rf"(?:{_either(lambda s: s.equals)}|[:=：→—]|(?<!\w)-(?!\w))"
    odd = rf"(?:{password}|{pin}|(?P<code>{code}))"
    return (
        re.compile(
            rf"(?P<name>(?:{password}|{phrase})[^.\n]{{0,40}}?{equals}\s*{_OPENING})"
            rf"(?P<value>{_SAID})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{odd}(?:[^.\n]{{0,40}}?{equals})?\s*{_OPENING})(?P<value>{_DIGITS})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{odd}[^.\n]{{0,40}}?{_START}{_OPENING})(?P<value>{_ODD})(?!{_MEASURE})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{lock}\s*{equals}\s*{_OPENING})(?P<value>(?!{_YEAR})(?:{_DIGITS}|{_ODD}))"
            rf"(?<!\b\d\d\d)(?!{_MEASURE})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?:{bolt}(?:\s+[^\s\d,:]+){{0,4}}\s*[,，:：=→]\s*|{bolt}\s*))"
            rf"(?P<value>(?!{_YEAR}){_DIGITS}(?<!\b\d\d\d)){_ALONE}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?:(?:{lock}|{bolt})[^.,\d\n]{{0,25}}?{by}|{unlocks}[^.,\d\n]{{0,25}}?)"
            rf"\s*)(?P<value>(?!{_YEAR}){_START}{_DIGITS}(?<!\b\d\d\d)){_ALONE}",
            re.IGNORECASE,
        ),
        re.compile(rf"(?P<name>{phrase}\s+)(?P<value>{_VALUE}){_ALONE}", re.IGNORECASE),
        re.compile(
            rf"(?P<value>(?<!\w){_ODD})(?P<after>{_OPENING}\s+(?:{equals}\s+)?"
            rf"(?:[^\W\d]+\s+){{0,2}}?(?:{password}|{pin})|{_OPENING}\s+{equals}\s+"
            rf"(?:[^\s\d]+\s+){{0,3}}?(?P<code>{code}))",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?i:{document})[^\d.\n]{{0,40}}?)(?!{_DATE})"
            r"(?P<value>(?<![A-Za-z\d])(?:[A-Z]{1,6}[ -]?)?\d(?:[A-Z]{0,3}[ ./№-]{0,2}\d){4,}"
            r"[A-Z]{0,2}(?![A-Za-z\d]))"
        ),
        re.compile(
            rf"(?P<name>(?i:{account})[^\d.\n]{{0,30}}?)"
            r"(?P<value>(?<![A-Za-z\d])\d(?:[ -]?\d){7,}(?!\d))"
        ),
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What secrets are called, as single words can be looked up: most texts name none, and the
    patterns cost much."""

    words: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    unspaced: tuple[str, ...]


@cache
def _names() -> _Names:
    kinds = (
        "passwords", "phrases", "pins", "codes", "locks", "bolts", "unlocks", "wireless",
        "documents", "accounts",
    )  # fmt: skip
    spaced: set[str] = set()
    unspaced: set[str] = set()
    for lexicon in lexicons().values():
        for kind in kinds:
            (unspaced if lexicon.unspaced else spaced).update(getattr(lexicon.secrets, kind))
    first = [(_WORD.findall(name)[0], name) for name in spaced]
    return _Names(
        frozenset(word for word, name in first if "*" not in name),
        tuple(word for word, name in first if name.endswith("*")),
        tuple(word for word, name in first if name.startswith("*")),
        tuple(unspaced),
    )


_WORD = re.compile(r"\w+")


def _names_a_secret(text: str) -> bool:
    names = _names()
    for word in _WORD.findall(text.lower()):
        if word in names.words or word.startswith(names.beginnings) or word.endswith(names.endings):
            return True
    return not text.isascii() and any(name in text for name in names.unspaced)


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(_either(lambda s: s.harmless), re.IGNORECASE)


def mask_secrets(text: str) -> str:
    """The text with passwords, keys, and card, account and document numbers masked."""
    for pattern in _KEYS:
        text = pattern.sub(MASK, text)
    if _names_a_secret(text):
        for named in _named_values():
            text = named.sub(_without_value, text)
    for shape, adds_up in _NUMBERS:
        for number in {found[0] for found in shape.finditer(text) if adds_up(found[0])}:
            text = text.replace(number, MASK)
    return text


def _without_value(named: re.Match[str]) -> str:
    parts = named.groupdict()
    around = named.string[max(0, named.start() - _BESIDE) : named.end() + _BESIDE]
    if parts.get("code") and _harmless().search(around):
        return named[0]
    return f"{parts.get('name') or ''}{MASK}{parts.get('after') or ''}"


def _needs_no_check(number: str) -> bool:
    return True


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"\b\d(?:[ -]?\d){12,18}\b", re.ASCII), check_digits.luhn),
    (
        re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b", re.ASCII),
        check_digits.mod_97,
    ),
    (re.compile(r"\b[1-9]\d{5}(?:19|20)\d{9}[\dXx]\b", re.ASCII), check_digits.chinese_id),
    (
        re.compile(r"\b[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3} ?\d\d\b", re.ASCII),
        check_digits.french_nir,
    ),
    (re.compile(r"\b\d{3}-\d{2}-\d{4}\b", re.ASCII), check_digits.us_social_security),
    (re.compile(r"\b\d{3}-\d{3}-\d{3}[ -]\d{2}\b", re.ASCII), check_digits.snils),
    (re.compile(r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b", re.ASCII), check_digits.cpf),
    (
        re.compile(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", re.IGNORECASE | re.ASCII),
        check_digits.codice_fiscale,
    ),
    (re.compile(r"\b(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z]\b", re.ASCII), check_digits.spanish_id),
    (re.compile(r"\b[2-9]\d{3} \d{4} \d{4}\b", re.ASCII), check_digits.verhoeff),
    (
        re.compile(
            r"\b(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b",
            re.ASCII,
        ),
        _needs_no_check,
    ),
)
