"""What a language's table is made of: rules for statements, shapes of questions, lists of words.
No word of any language is written here."""

import re
from dataclasses import dataclass

from memory.records import Kind


def pattern(text: str) -> re.Pattern[str]:
    """A rule's expression, compiled as all of them are: letter case means nothing."""
    return re.compile(text, re.IGNORECASE)


#: The shape of what a language has no words for.
NEVER = pattern(r"(?!)")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a clause of this shape is. `kind` None: nothing worth keeping, look no further.

    A `{noun}` in `slot` is filled from the group of that name. `lasting` rules hold also beside
    words such as "yesterday"; `elided` ones may follow "and" without a subject of their own."""

    pattern: re.Pattern[str]
    kind: Kind | None
    slot: str | None = None
    importance: int = 5
    lasting: bool = False
    elided: bool = False


def fact(shape: str, slot: str | None = None, importance: int = 6, **more: bool) -> Rule:
    """A shape of statements that are facts about the person."""
    return Rule(pattern(shape), Kind.FACT, slot, importance, **more)


def liking(shape: str, slot: str | None = None, importance: int = 4, **more: bool) -> Rule:
    """A shape of statements that are likes, dislikes or wishes."""
    return Rule(pattern(shape), Kind.PREFERENCE, slot, importance, **more)


def nothing(shape: str) -> Rule:
    """A shape of clauses that say nothing lasting."""
    return Rule(pattern(shape), None)


@dataclass(frozen=True, slots=True)
class QuestionRule:
    """A shape of question about what is remembered. The topic is the rule's own (with the groups
    `topic…` at its `{topic}`), or those groups, or nothing: a question about everything.

    `focused`: an answer names the topic. `wide`: all on the topic is wanted, no single answer.
    `only`: words of which an answer has one."""

    pattern: re.Pattern[str]
    kinds: tuple[Kind, ...] = (Kind.FACT, Kind.PREFERENCE)
    topic: str | None = None
    focused: bool = False
    wide: bool = False
    only: str = ""
    #: Whether asking this ends the search with "not about memory".
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
    letters: re.Pattern[str] = NEVER
    spelling: tuple[tuple[re.Pattern[str], str], ...] = ()
    abbreviations: frozenset[str] = frozenset()
    #: Single capital letters that are words and no initials of names.
    one_letter_words: frozenset[str] = frozenset()
    #: Where a clause with a subject of its own begins.
    boundary: re.Pattern[str] = NEVER
    #: A first part of a subject of two ("my wife and I"), where no clause ends.
    joint_subject: re.Pattern[str] = NEVER
    #: Two clauses that only tell the whole together ("I left Acme, I'm at Globex now").
    whole: re.Pattern[str] = NEVER
    #: What goes on with the same sentence after an end mark ("I love pizza! and pasta").
    continuation: re.Pattern[str] = NEVER
    #: Where one without may begin.
    joining: re.Pattern[str] = NEVER
    #: The first-person subject, at a clause's start.
    subject: re.Pattern[str] = NEVER
    #: The beginning of a clause in which people speak of themselves or what is theirs.
    own: re.Pattern[str] = NEVER
    #: A boundary that ends what somebody else is reported to say.
    contrast: re.Pattern[str] = NEVER
    lead_in: re.Pattern[str] = NEVER
    trailer: re.Pattern[str] = NEVER
    #: The whole message was a joke; this sentence was one.
    jest: re.Pattern[str] = NEVER
    laughter: re.Pattern[str] = NEVER
    #: A sentence that is not about this world; a message that leaves it.
    unreal: re.Pattern[str] = NEVER
    make_believe: re.Pattern[str] = NEVER
    #: A request whose material follows; a heading after which the person speaks of themselves.
    task: re.Pattern[str] = NEVER
    heading: re.Pattern[str] = NEVER
    report: re.Pattern[str] = NEVER
    #: The end of a sentence that turns out to be somebody else's.
    report_after: re.Pattern[str] = NEVER
    #: Where the asking part of a mixed sentence begins.
    asking: re.Pattern[str] = NEVER
    #: A wish in the form of a question ("could you answer in French?").
    polite: re.Pattern[str] = NEVER
    #: From here on the message is not meant to be kept.
    off_record: re.Pattern[str] = NEVER
    fleeting: re.Pattern[str] = NEVER
    negation: re.Pattern[str] = NEVER
    #: A fact that holds beside others ("I also work at Acme"): no question of its has one answer.
    besides: re.Pattern[str] = NEVER
    #: Words that name what a slot is about and not what is in it ("job", "home").
    generic: frozenset[str] = frozenset()
    #: What one says back as it was said, although it is in the first person.
    request: re.Pattern[str] = NEVER
    #: First person to second, in order; each is applied outside quotes.
    persons: tuple[tuple[re.Pattern[str], str], ...] = ()
    #: The assistant as the person addresses it, to the first person; done before `persons`.
    addressed: tuple[tuple[re.Pattern[str], str], ...] = ()
    naming: tuple[re.Pattern[str], ...] = ()
    #: Words that no name begins with; what ends a name; shapes of words that are no names.
    not_names: frozenset[str] = frozenset()
    after_name: re.Pattern[str] = NEVER
    no_name: re.Pattern[str] = NEVER
    questions: tuple[QuestionRule, ...] = ()
    #: Which slots answer a question with such words, the first that fits; `{noun}` is its group.
    slots: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ()
    #: A question about somebody else, whom the person's own slots say nothing of.
    others: re.Pattern[str] = NEVER
    #: How a statement about somebody else of the person's begins ("my sister …").
    relatives: re.Pattern[str] = NEVER
    #: What may stand before a question; words of it that are no topic.
    courtesy: re.Pattern[str] = NEVER
    question_noise: frozenset[str] = frozenset()
    #: Around an "I" that is a number, as in the names of kings.
    numeral_before: re.Pattern[str] = NEVER
    numeral_after: re.Pattern[str] = NEVER
    agent_name_question: re.Pattern[str] = NEVER
    #: "Remember that …", with the group `what`; where a verb that stands last belongs after its
    #: subject, also with `subject`, `rest` and `verb`.
    keep_request: re.Pattern[str] = NEVER
    chatter: re.Pattern[str] = NEVER
    stopwords: frozenset[str] = frozenset()
