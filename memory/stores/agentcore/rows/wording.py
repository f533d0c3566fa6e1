"""What AWS's strategies write, as people read it.

The texts come in three shapes: sentences about "the user" for facts, a JSON object for preferences,
`<topic>` elements for summaries. A sentence about the user becomes one in the first person, like
all records, where that is certain to be right English and to say the same. Any other stays."""

import html
import json
import re
from collections.abc import Mapping
from functools import cache

from memory.records import Kind
from memory.search.lexicon.lexicon import lexicons

_TOPIC = re.compile(
    r"<topic\s+name\s*=\s*(?:\"([^\"]*)\"|'([^']*)')\s*>(.*?)(?:</topic>|(?=<topic\s)|\Z)",
    re.DOTALL,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[\w'-]+")
_SUBJECT = re.compile(r"(?:The user|User)\b(?!')")
_OWN = re.compile(r"\b(?:(?P<first>The user's|User's)|the user's)(?= \w)")
_USER = re.compile(r"\busers?\b", re.IGNORECASE)
#: "The user's planning to go", "the user's not": here it stands for "is" or "has".
_IS = re.compile(r"\b[Tt]he user's (?:(?:a|an|the|not|been)\b|\w+ing (?:a|an|the|to|for|on)\b)")
_LEADS_ON = re.compile(
    r"(?:,|;|:|\b(?:and|but|or|then)\b)\s+(?:and |but |or |then )*(?P<word>[\w'-]+)"
)


def words_for_people(kind: Kind, text: str, *, of_one: bool) -> str:
    """The words for people in what a strategy has written; any other text as it is. `of_one` if the
    user can only be one person."""
    if kind is Kind.SUMMARY:
        parts = (f"{name}: {body}" if name else body for name, body in _parts(text))
        return "\n".join(parts) or text
    if kind is Kind.PREFERENCE:
        text = _preference(text)
        return _with_subject(text) if of_one else text
    return first_person(text) if of_one else text


def topics(text: str) -> tuple[str, ...]:
    """What a summary of AWS is about, by the names that it gives its parts."""
    return tuple(dict.fromkeys(name for name, _ in _parts(text) if name))


def first_person(text: str) -> str:
    """A statement about "the user" as the user would make it: "My dog is called Rex" for "The
    user's dog is called Rex". As it is where that is not certain."""
    plain = text.replace("\u2019", "'").strip()
    if not _USER.search(plain):
        return text
    sentences = _SENTENCES.split(plain)
    turned = [_turned(sentence) for sentence in sentences]
    return " ".join(filter(None, turned)) if all(turned) else text


def _with_subject(text: str) -> str:
    """A preference as a statement: "I prefer tea" for "Prefers tea". As it is in doubt."""
    verb, _, rest = text.partition(" ")
    if verb.casefold() not in lexicons()["en"].preferring:
        return first_person(text)
    whole = f"The user {verb.casefold()} {rest}"
    turned = first_person(whole)
    return text if turned == whole else turned


def _turned(sentence: str) -> str | None:
    """The sentence in the first person; None where that is not certain."""
    if _IS.search(sentence):
        return None
    sentence = _OWN.sub(_my, sentence)
    if found := _SUBJECT.match(sentence):
        said = _predicate(sentence[found.end() :].lstrip())
        sentence = f"I {said}" if said else sentence
    words = [word.casefold() for word in _WORD.findall(sentence)]
    unclear = any(word in _others() or word.endswith(("self", "selves")) for word in words)
    return None if unclear or _USER.search(sentence) else sentence


def _my(found: re.Match[str]) -> str:
    return "My" if found["first"] else "my"


def _predicate(said: str) -> str | None:
    """What is said of the user, behind "I"; None if it has no verb that is known to fit there."""
    words = list(_WORD.finditer(said))
    at = next((n for n, word in enumerate(words) if not _is_adverb(word[0])), len(words))
    verb = _verb(words[at][0]) if at < len(words) else None
    if verb is None:
        return None
    rest = said[words[at].end() :]
    for found in _LEADS_ON.finditer(rest):
        # It could be a verb too, which would still stand in the third person.
        word = found["word"]
        if (word.islower() and word.endswith("s")) or _is_adverb(word):
            return None
    # Right behind the verb, nobody else is there whose it could be.
    near = re.match(r"((?: (\w+))?) their\b", rest)
    if near and (near[2] is None or near[2] in _small_words()):
        rest = f"{near[1]} my{rest[near.end() :]}"
    return f"{said[: words[at].start()]}{verb}{rest}"


def _verb(word: str) -> str | None:
    """The form of a verb behind "I", given that behind "the user"; None if it may be no verb."""
    if word in _verbs() or word.endswith("ed"):
        return _verbs().get(word, word)
    if len(word) < 4 or not word.islower() or not word.endswith("s"):
        return None
    if word.endswith(("ss", "us", "is")):
        return None
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(_LONG_ENDINGS) else word[:-1]


_LONG_ENDINGS = ("sses", "shes", "ches", "xes", "zzes", "oes")


def _is_adverb(word: str) -> bool:
    return word in lexicons()["en"].adverbs or (word.endswith("ly") and word.islower())


@cache
def _verbs() -> Mapping[str, str]:
    """The verbs whose form behind "I" has no rule, by that behind "the user"."""
    english = lexicons()["en"]
    changed = {row[0]: " ".join(row[1:]) for row in english.first_person}
    return {word: word for word in english.any_person} | changed


@cache
def _others() -> frozenset[str]:
    """The words for a third person."""
    return frozenset(lexicons()["en"].third_person)


@cache
def _small_words() -> frozenset[str]:
    return frozenset(lexicons()["en"].small_words)


def _preference(text: str) -> str:
    """The preference in a JSON object."""
    try:
        said = json.loads(text)["preference"] if text.lstrip().startswith("{") else text
    except (ValueError, KeyError, TypeError):
        return text
    return said if isinstance(said, str) and said.strip() else text


def _parts(text: str) -> list[tuple[str, str]]:
    """The names and texts of a summary's parts, the first without a name if something stands before
    them; none if the text is no XML of AWS."""
    found = list(_TOPIC.finditer(text))
    if not found:
        return []
    parts = [(found_[1] or found_[2] or "", found_[3]) for found_ in found]
    before = text[: found[0].start()]
    plain = (
        (_unescaped(name), _unescaped(_TAG.sub(" ", body))) for name, body in [("", before), *parts]
    )
    return [(name, body) for name, body in plain if body]


def _unescaped(text: str) -> str:
    return " ".join(html.unescape(text).split())
