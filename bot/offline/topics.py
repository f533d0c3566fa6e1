"""What a session was about, without a model, in few words that can be said after "we talked about":
names, things of the person's, and what they like or often speak of. Rather nothing than a word that
reads badly, so no verbs, days and numbers, and nobody's own name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

from bot.offline.grammar.grammar import sentences, written_words
from bot.offline.grammar.naming import naming
from bot.offline.grammar.shapes import Language, Shape
from bot.offline.languages.tables import LANGUAGES, language_of
from memory.ports import Proposal
from memory.records import Role, Turn, own_words
from memory.safety.gate import MASK, mask_secrets
from memory.search.lexicon.lexicon import all_of, chatter, stop_words

#: How many topics, and in how many messages something must come to be one unasked.
_TOPICS, _TIMES = 5, 2
_SHORTEST = 3
_LONGEST_NAME = 3
_POSSESSIVE = "'s"

_OWN_NAMES = frozenset({"name", "nickname", "surname"})


@cache
def _small_words() -> frozenset[str]:
    grammar = (each.stopwords | each.words for each in LANGUAGES)
    return chatter().union(*stop_words().values(), *grammar)


@cache
def _days_and_months() -> frozenset[str]:
    return all_of(lambda dates: chain(*dates.months, *dates.weekdays))


_END = (
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:and|or|but|in|on|at|for|with|over|more|very|who|called|named)\b)"
)
#: What a statement of the person's is about: a noun with "my" before it, as it is said alone, or
#: one that needs no article because it has none where it stands as an object.
_THINGS: dict[str, tuple[tuple[Shape, str], ...]] = {
    "en": (
        (
            Shape(
                r"(?P<whose>my|our)\s+(?P<noun>(?:[\w'-]+\s+){0,2}?(?!name|names|age)[\w-]+)\s+"
                r"(?:is|are|was|were)\b"
            ),
            "{whose} {noun}",
        ),
        (
            Shape(
                r"(?:i|we)(?:'ve|\s+have)(?:\s+got)?\s+(?:an?|one|two|three|four|five|\d+)\s+"
                rf"(?P<noun>(?-i:[a-z])[\w-]+){_END}"
            ),
            "my {noun}",
        ),
        (
            Shape(
                r"(?:i|we)\s+(?:(?:really|also|absolutely|just)\s+)*(?:love|like|enjoy|adore|"
                r"prefer|hate|dislike|play|collect|grow)\s+"
                rf"(?P<noun>(?-i:[a-z])[\w-]+){_END}"
            ),
            "{noun}",
        ),
    ),
    "ru": (
        (
            Shape(
                r"(?P<whose>мо[йяёеи])\s+(?P<noun>день\s+рождения|(?:\w+(?:ая|ый|ий|ое|ые)\s+)?"
                r"(?!имя)\w+(?=\s*[—–-]|\s+(?:живёт|работает|учится|любит)\b))"
            ),
            "{whose} {noun}",
        ),
    ),
}
#: What is spoken of again and again, by a noun that its article shows to be one.
_SPOKEN_OF: dict[str, Shape] = {
    "en": Shape(
        r"\b(?P<whose>my|our|the)\s+(?P<noun>(?-i:[a-z])[a-z-]{2,})(?=\s*(?:[.,;:!?)]|$)|\s+(?:is|"
        r"are|was|were|has|needs?|and|or|but|in|on|at|for|with|to|from|again|today|now)\b)"
    ),
}
#: Where a capital alone makes no name, or a name is inflected: the words right before one as it is
#: said alone. German has capitals for all nouns, but articles before those that are no names.
_BEFORE_NAMES: dict[str, frozenset[str]] = {
    "de": frozenset("in bei nach aus von für mit über heißt heiße und oder ist gegen".split()),
    "ru": frozenset(["зовут"]),
}
#: Topics to keep quiet about.
_UNSAID = Shape(r".*\b(?:password|passcode|pin|code|card|account|пароль|код|счёт|карта)\b")


def session_topics(turns: Sequence[Turn], learned: Iterable[Proposal]) -> tuple[str, ...]:
    """Up to five topics: of the weightiest statements first, then names, then what came up again
    and again; none in scripts that put no spaces between words."""
    learned = sorted(learned, key=lambda proposal: -proposal.importance)
    said = [mask_secrets(text).replace(MASK, " ") for text in _user_texts(turns)]
    own = _own_names(said, learned)
    statements = [(each.text, _thing(each.text)) for each in learned if each.slot not in _OWN_NAMES]
    things = [thing for _, thing in statements if thing]
    names = dict.fromkeys(name for text in said for name in _names(text, own))
    runs = [_run(text) for text in said]
    named = Counter(name for name in names for run in runs if f" {name} " in run)
    # A name in what was learned is a topic at once, unless the statement is about another thing.
    told = [name for text, thing in statements if not thing for name in _names(text, own)]
    often = [name for name, times in named.most_common() if times >= _TIMES]
    nouns = Counter(noun for text in said for noun in dict.fromkeys(_spoken_of(text)))
    again = [noun for noun, times in nouns.most_common() if times >= _TIMES]
    topics = {topic.casefold(): topic for topic in reversed((*things, *told, *often, *again))}
    return tuple(list(dict.fromkeys(reversed(topics.values())))[:_TOPICS])


def _user_texts(turns: Sequence[Turn]) -> list[str]:
    messages = (m for turn in turns for m in turn.messages if m.role is Role.USER)
    return [text for m in messages if language_of(text := own_words(m.text)) is not None]


def _own_names(said: Iterable[str], learned: Iterable[Proposal]) -> frozenset[str]:
    """The words of the person's own name, and of the assistant's."""
    texts = [each.text for each in learned if each.slot in _OWN_NAMES]
    texts += filter(None, map(naming, said))
    return frozenset(word.casefold() for text in texts for word in written_words(text))


def _thing(statement: str) -> str | None:
    """What a statement is about, as one says it without the rest."""
    language = language_of(statement)
    for shape, form in _THINGS.get(language.code, ()) if language else ():
        if match := shape.match(statement):
            thing = form.format(**match.groupdict())
            return None if _UNSAID.match(thing) or not _tells(match["noun"]) else thing.lower()
    return None


def _spoken_of(text: str) -> Iterator[str]:
    language = language_of(text)
    shape = _SPOKEN_OF.get(language.code) if language else None
    for match in shape.finditer(text) if shape else ():
        phrase = f"{match['whose']} {match['noun']}".lower()
        if _tells(match["noun"]) and not _UNSAID.match(phrase):
            yield phrase


def _names(text: str, own: frozenset[str]) -> Iterator[str]:
    """Names of one word or several ("Acme Corp"): capitalised where no sentence begins."""
    language = language_of(text) or LANGUAGES[0]
    for sentence in sentences(text, language):
        name: list[str] = []
        for before, word in pairwise(written_words(sentence)):
            goes_on = bool(name) and f"{' '.join(name)} {word}" in sentence
            if name and not (goes_on and _is_name(word, own)):
                yield " ".join(name[:_LONGEST_NAME])
                name = []
            if _is_name(word, own) and (name or _may_precede(before, word, language)):
                name.append(word.removesuffix(_POSSESSIVE))
        if name:
            yield " ".join(name[:_LONGEST_NAME])


def _run(text: str) -> str:
    """The words of a text in a row, each between spaces."""
    return f" {' '.join(word.removesuffix(_POSSESSIVE) for word in written_words(text))} "


def _may_precede(before: str, word: str, language: Language) -> bool:
    """True if a name may follow this word. A foreign name is not inflected, so it may follow
    any."""
    needed = _BEFORE_NAMES.get(language.code)
    return needed is None or before.lower() in needed or (language.code == "ru" and word.isascii())


def _is_name(word: str, own: frozenset[str]) -> bool:
    plain = word.casefold().removesuffix(_POSSESSIVE)
    return word[0].isupper() and plain not in own and _tells(word)


def _tells(word: str) -> bool:
    plain = word.casefold()
    return (
        len(word) >= _SHORTEST
        and plain not in _small_words()
        and plain not in _days_and_months()
        and plain.removesuffix("s") not in _days_and_months()
        and all(not c.isdigit() for c in word)
        and max(word) < "\u3040"
    )
