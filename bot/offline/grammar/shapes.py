"""What a language's table is made of: rules for statements, shapes of questions, lists of words.
No word of any language is written here."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from memory.records import Kind


class Shape:
    """A case-insensitive regular expression, compiled on first use: compiling those of all
    languages takes half a second, and few people write in more than one."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    # The methods of re.Pattern, bound once: rules match thousands of times a session.

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._regex.match

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._regex.search

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._regex.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._regex.finditer

    @cached_property
    def split(self) -> Callable[..., list[str]]:
        return self._regex.split

    @cached_property
    def sub(self) -> Callable[..., str]:
        return self._regex.sub


#: The shape of what a language has no words for.
NEVER = Shape(r"(?!)")


@dataclass(frozen=True, slots=True)
class Rule:
    """Classifies clauses of a shape. `kind` None: not worth keeping, stop looking.

    A `{noun}` in `slot` is filled from the group of that name. `lasting` rules apply even beside
    words such as "yesterday"; `elided` ones may follow "and" without their own subject."""

    pattern: Shape
    kind: Kind | None
    slot: str | None = None
    importance: int = 5
    lasting: bool = False
    elided: bool = False


def fact(shape: str, slot: str | None = None, importance: int = 6, **more: bool) -> Rule:
    """A rule for facts about the person."""
    return Rule(Shape(shape), Kind.FACT, slot, importance, **more)


def liking(shape: str, slot: str | None = None, importance: int = 4, **more: bool) -> Rule:
    """A rule for likes, dislikes and wishes."""
    return Rule(Shape(shape), Kind.PREFERENCE, slot, importance, **more)


def nothing(shape: str) -> Rule:
    """A rule for clauses that say nothing lasting."""
    return Rule(Shape(shape), None)


@dataclass(frozen=True, slots=True)
class QuestionRule:
    """A shape of question about what is remembered. The topic is the rule's own (with the groups
    `topic…` at its `{topic}`), or those groups, or nothing: a question about everything.

    `focused`: an answer names the topic. `wide`: all on the topic is wanted, no single answer.
    `only`: words of which an answer has one."""

    pattern: Shape
    kinds: tuple[Kind, ...] = (Kind.FACT, Kind.PREFERENCE)
    topic: str | None = None
    focused: bool = False
    wide: bool = False
    only: str = ""
    #: True if this question is not about the memory, which ends the search.
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Phrases:
    """How a summary is put in this language; `you_…` where only one person talks."""

    said: str
    asked: str
    you_said: str
    you_asked: str


@dataclass(frozen=True, slots=True)
class Language:
    """One language: all its words and shapes. A table may leave out what it does not know."""

    code: str
    #: Small words that give the language away.
    words: frozenset[str]
    rules: tuple[Rule, ...]
    phrases: Phrases
    #: What a text of this language looks like, for scripts that few languages share.
    letters: Shape = NEVER
    spelling: tuple[tuple[Shape, str], ...] = ()
    abbreviations: frozenset[str] = frozenset()
    #: Single capital letters that are words and no initials of names.
    one_letter_words: frozenset[str] = frozenset()
    #: Where a clause with a subject of its own begins.
    boundary: Shape = NEVER
    #: A first part of a subject of two ("my wife and I"), where no clause ends.
    joint_subject: Shape = NEVER
    #: Two clauses that only tell the whole together ("I left Acme, I'm at Globex now").
    whole: Shape = NEVER
    #: What goes on with the same sentence after an end mark ("I love pizza! and pasta").
    continuation: Shape = NEVER
    #: Where one without may begin.
    joining: Shape = NEVER
    #: The first-person subject, at a clause's start.
    subject: Shape = NEVER
    #: The beginning of a clause in which people speak of themselves or what is theirs.
    own: Shape = NEVER
    #: A boundary that ends what somebody else is reported to say.
    contrast: Shape = NEVER
    lead_in: Shape = NEVER
    trailer: Shape = NEVER
    #: The whole message was a joke; this sentence was one.
    jest: Shape = NEVER
    laughter: Shape = NEVER
    #: A sentence that is not about this world; a message that leaves it.
    unreal: Shape = NEVER
    make_believe: Shape = NEVER
    #: A request whose material follows; a heading after which the person speaks of themselves.
    task: Shape = NEVER
    heading: Shape = NEVER
    report: Shape = NEVER
    #: The end of a sentence that turns out to be somebody else's.
    report_after: Shape = NEVER
    #: Where the asking part of a mixed sentence begins.
    asking: Shape = NEVER
    #: A wish in the form of a question ("could you answer in French?").
    polite: Shape = NEVER
    #: From here on the message is not meant to be kept.
    off_record: Shape = NEVER
    fleeting: Shape = NEVER
    negation: Shape = NEVER
    #: A fact that holds beside others ("I also work at Acme"): no question of its has one answer.
    besides: Shape = NEVER
    #: Words that name what a slot is about and not what is in it ("job", "home").
    generic: frozenset[str] = frozenset()
    #: What one says back as it was said, although it is in the first person.
    request: Shape = NEVER
    #: First person to second, in order; each is applied outside quotes.
    persons: tuple[tuple[Shape, str], ...] = ()
    #: The assistant as the person addresses it, to the first person; done before `persons`.
    addressed: tuple[tuple[Shape, str], ...] = ()
    naming: tuple[Shape, ...] = ()
    #: Words that no name begins with; what ends a name; shapes of words that are no names.
    not_names: frozenset[str] = frozenset()
    after_name: Shape = NEVER
    no_name: Shape = NEVER
    questions: tuple[QuestionRule, ...] = ()
    #: Which slots answer a question with such words, the first that fits; `{noun}` is its group.
    slots: tuple[tuple[Shape, tuple[str, ...]], ...] = ()
    #: A question about somebody else, whom the person's own slots say nothing of.
    others: Shape = NEVER
    #: How a statement about somebody else of the person's begins ("my sister …").
    relatives: Shape = NEVER
    #: What may stand before a question; words of it that are no topic.
    courtesy: Shape = NEVER
    question_noise: frozenset[str] = frozenset()
    #: Around an "I" that is a number, as in the names of kings.
    numeral_before: Shape = NEVER
    numeral_after: Shape = NEVER
    agent_name_question: Shape = NEVER
    #: "Remember that …", with the group `what`; where a verb that stands last belongs after its
    #: subject, also with `subject`, `rest` and `verb`.
    keep_request: Shape = NEVER
    chatter: Shape = NEVER
    stopwords: frozenset[str] = frozenset()
