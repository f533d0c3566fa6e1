"""How AWS's strategies put what people say: in the third person, as JSON, as XML.

The shapes are those of AWS's documentation and samples: semantic memory keeps plain sentences of
"the user", preferences are JSON of context, preference and categories, summaries are `<topic>`
elements. A language model writes them there; here some rules for English first-person sentences do.
What no rule fits is kept as it was said."""

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_ASKS_TO_KEEP = re.compile(r"^(?:please )?(?:remember|note|keep in mind)(?: that|:)? ", re.I)
_LIKES = re.compile(
    r"\b(?:likes?|loves?|prefers?|hates?|enjoys?|dislikes?|favou?rite|rather|always|never)\b", re.I
)
#: Verbs that stay as they are behind "the user", and those that become others.
_SAME = re.compile(
    r"(?:can|can't|cannot|could|will|won't|would|should|must|may|might|did|didn't|was|wasn't|had|"
    r"went|got|bought|met|said|told|found|left|lost|made|saw|took|came|[a-z]+ed|[a-z]+ly|always|"
    r"never|often|also|just|still|once|now|'ve|'ll|'d)$"
)
_ADVERB = re.compile(r"(?:[a-z]+ly|always|never|often|also|just|still|now)$")
_OTHERS = {"am": "is", "'m": "is", "have": "has", "'ve": "has", "do": "does", "don't": "doesn't"}
_OTHERS |= {"go": "goes", "haven't": "hasn't", "'ll": "will", "'d": "would"}
_PERSONS = {
    "i'm": "they are",
    "i am": "they are",
    "i've": "they have",
    "i": "they",
    "my": "their",
    "mine": "theirs",
    "me": "them",
    "myself": "themselves",
    "you": "the assistant",
    "your": "the assistant's",
}
_PERSON = re.compile(rf"\b(?:{'|'.join(sorted(_PERSONS, key=len, reverse=True))})\b", re.I)
#: What a statement is about: a later one about the same takes its place.
_SUBJECT = re.compile(
    r"The user(?:'s [\w ]+?)? (?:is called|lives in|works (?:at|for|as)|is (?=\d)|is (?=called))|"
    r"The user's [\w ]+? is\b"
)


@dataclass(frozen=True)
class Statement:
    """A sentence about the user, in the third person."""

    text: str
    liking: bool = False

    @property
    def subject(self) -> str | None:
        """What is said something of; two statements of one subject exclude each other."""
        found = _SUBJECT.match(self.text)
        return found.group(0).strip() if found else None


def statements_in(said: str) -> Iterator[Statement]:
    """What a message tells about whoever wrote it."""
    for sentence in _SENTENCE.findall(said):
        plain = _ASKS_TO_KEEP.sub("", sentence.strip())
        if not plain.endswith("?") and (text := third_person(plain)):
            yield Statement(text, bool(_LIKES.search(plain)))


def third_person(sentence: str) -> str | None:
    """The sentence about "the user"; None if it does not begin with "I" or "my"."""
    plain = sentence.strip().rstrip(".!").replace("\u2019", "'")
    if mine := re.match(r"my (.+)", plain, re.I | re.S):
        return f"The user's {_other_persons(mine[1])}"
    if own := re.match(r"I\b ?('\w+|\S+)(.*)", plain, re.I | re.S):
        verb, rest = own[1], own[2]
        if _ADVERB.match(verb) and (after := re.match(r" (\S+)(.*)", rest, re.S)):
            return f"The user {verb} {_conjugated(after[1])}{_other_persons(after[2])}"
        return f"The user {_conjugated(verb)}{_other_persons(rest)}"
    return None


def _conjugated(verb: str) -> str:
    if verb in _OTHERS:
        return _OTHERS[verb]
    if _SAME.match(verb) or not verb.isalpha():
        return verb
    if re.search(r"(?:s|sh|ch|x|z|o)$", verb):
        return f"{verb}es"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _other_persons(text: str) -> str:
    return _PERSON.sub(lambda found: _PERSONS[found[0].lower()], text)


def preference(statement: Statement) -> str:
    """As the user preference strategy writes it down."""
    bare = statement.text.removeprefix("The user ")
    shape = {
        "context": f"The user said this in conversation: {statement.text}",
        "preference": bare[:1].upper() + bare[1:],
        "categories": _names([statement.text]) or ["general"],
    }
    return json.dumps(shape, ensure_ascii=False)


def summary(said: Sequence[str]) -> str | None:
    """As the summary strategy writes down what a user said in a session; its parts have names, with
    what XML wants escaped."""
    told = [_reported(text) for text in said if text.strip()]
    if not told:
        return None
    name = html.escape(" & ".join(_names(told)) or "Small talk & greetings")
    return f'<topic name="{name}">\n    {html.escape(" ".join(told))}\n</topic>'


def _reported(said: str) -> str:
    statements = [f"{statement.text}." for statement in statements_in(said)]
    return " ".join(statements) or f'The user said: "{" ".join(said.split())}".'


def _names(texts: Sequence[str]) -> list[str]:
    words = re.findall(r"\w{4,}", " ".join(texts).replace("The user", ""))
    return list(dict.fromkeys(word.capitalize() for word in words))[:2]
