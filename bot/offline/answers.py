"""What the offline engine answers to questions about what it was told. Pure. It states nothing but
what the tools and the person's own words gave."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.offline.grammar.naming import asks_agent_name
from bot.offline.grammar.questions import MemoryQuestion, memory_question, second_person
from bot.offline.grammar.statements import is_about_relatives, noteworthy
from bot.offline.languages.tables import language_code
from bot.offline.learning import learned_from
from bot.offline.words import BY_CODE, ENGLISH, EngineTexts
from memory.records import Kind

#: Letters of a word that stay the same in its forms, roughly, in both languages.
_STEM = 4
#: No ending is longer, in letters.
_ENDING = 3
#: What one would call no answer at all if it came from any other record.
_EXACT = frozenset({"name", "nickname", "surname", "birthday", "age", "email", "phone"})


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a search result; `date` is an ISO date, or empty. `theirs`: another member of the
    group said it, whose name it begins with."""

    kind: str
    text: str
    date: str
    theirs: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """Everything a reply is made from: the user's words, what they said before in this
    conversation, and what the tools answered (None: not asked)."""

    text: str
    before: tuple[str, ...] = ()
    named: str | None = None
    remembered: str | None = None
    notes: tuple[Note, ...] | None = None
    search_failed: bool = False
    #: False if there is no long-term memory.
    keeps: bool = True
    #: True in a private session.
    private: bool = False

    @property
    def words(self) -> EngineTexts:
        """The engine's own sentences in the language it is spoken to."""
        return BY_CODE.get(language_code(self.text) or "", ENGLISH)


def on_questions(heard: Heard) -> Iterable[str]:
    """The answer to the question in a message, if it asks one of the memory or for the name."""
    words, question = heard.words, memory_question(heard.text)
    if question is None and not asks_agent_name(heard.text):
        return
    if not heard.keeps:
        yield _from_this_conversation(heard, question)
    elif heard.notes is None or heard.search_failed:
        yield words.no_memory
    elif question is None:
        yield _own_name(heard.notes, words)
        if words.asks_about_self.search(heard.text):
            yield words.about_self
    elif question.topic is None:
        yield _everything(heard, heard.notes, question)
    else:
        yield _on_topic(heard, heard.notes, question)


def _from_this_conversation(heard: Heard, question: MemoryQuestion | None) -> str:
    words = heard.words
    if question is None:
        return words.no_names_here
    return (
        _list(words.just_told, _in_second_person(_fresh_statements(heard, question)))
        or words.nothing_kept_here
    )


def _own_name(notes: Sequence[Note], words: EngineTexts) -> str:
    names = [note.text for note in notes if note.kind == "name"]
    return words.own_name.format(name=names[0]) if names else words.unnamed


def _everything(heard: Heard, notes: Sequence[Note], question: MemoryQuestion) -> str:
    """Everything found, and what this conversation adds to it."""
    words = heard.words
    if talks := [f"{note.date}: {note.text}" for note in notes if note.kind == "summary"]:
        return _list(words.elsewhere, talks)
    known = _in_second_person(_answers_to(_fact_texts(notes), question), notes)
    if not question.only and Kind.FACT in question.kinds:
        names = [note.text for note in notes if note.kind == "name"]
        known = [words.calls_me.format(name=name) for name in names] + known
    fresh = [
        line for line in _in_second_person(_fresh_statements(heard, question)) if line not in known
    ]
    blocks = [_list(words.header, known), _list(words.just_told, fresh)]
    nothing = words.not_known if question.only else words.nothing_known
    return "\n\n".join(block for block in blocks if block) or nothing


def _on_topic(heard: Heard, notes: Sequence[Note], question: MemoryQuestion) -> str:
    """What is known on a topic; else what was said about it. Slots from this conversation replace
    the known ones."""
    words, fresh = heard.words, _fresh_statements(heard, question)
    changed = {_slot(text) for text in fresh} - {None}
    known = [
        text for text in _fact_texts(notes) if text not in fresh and _slot(text) not in changed
    ]
    blocks = [
        _list(words.header, _in_second_person(_answers_to(known, question), notes)),
        _list(words.just_told, _in_second_person(fresh)),
    ]
    told = "\n\n".join(block for block in blocks if block)
    return told or _list(words.elsewhere, _other_finds(notes, question)) or words.not_known


def _answers_to(texts: Sequence[str], question: MemoryQuestion) -> list[str]:
    """The search results that answer the question."""
    if question.slots and not question.wide:
        own = [text for text in texts if _slot(text) in question.slots]
        if own or set(question.slots) <= _EXACT:
            return own
        texts = [text for text in texts if not is_about_relatives(text)]
    answers = _texts_with(question.only, texts) if question.only else list(texts)
    for words in question.focus:
        answers = _texts_with(words, answers) or answers
    return answers


def _slot(text: str) -> str | None:
    return next((finding.slot for finding in noteworthy(text)), None)


def _texts_with(sought: str, texts: Sequence[str]) -> list[str]:
    """The texts that contain one of the words in any form."""
    wanted = _words(sought)
    return [
        text
        for text in texts
        if any(_is_form(word, other) for other in _words(text) for word in wanted)
    ]


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower().replace("’", "'"))


def _is_form(word: str, other: str) -> bool:
    """True if they look like forms of one word, unlike "Java" and "JavaScript"."""
    return other.startswith(_stem(word)) and abs(len(other) - len(word)) <= _ENDING


def _stem(word: str) -> str:
    singular = word[:-1] if len(word) > 3 and word.endswith("s") else word
    return singular[:_STEM]


def _fact_texts(notes: Sequence[Note]) -> list[str]:
    return [note.text for note in notes if note.kind in ("fact", "preference")]


def _other_finds(notes: Sequence[Note], question: MemoryQuestion) -> list[str]:
    """The messages and summaries that search found, without questions and the engine's own words.
    Search also finds the answer's neighbours: if no text contains a word of the topic, the first,
    best one counts."""
    stated: dict[str, None] = {}
    others: dict[str, None] = {}
    for note in notes:
        if note.kind == "summary":
            others[f"{note.date}: {note.text}"] = None
        elif note.kind == "message" and not _is_echo(note.text):
            findings = [finding.text for finding in noteworthy(note.text)]
            stated.update(dict.fromkeys(findings))
            others.update({} if findings else {f"{note.date}: “{note.text}”": None})
    if own := [text for text in stated if _slot(text) in question.slots]:
        return _in_second_person(own)
    found = [*stated, *others]
    chosen = _texts_with(question.topic or "", found) or found[:1]
    return [second_person(text) if text in stated else text for text in chosen]


def _is_echo(text: str) -> bool:
    own = any(text.startswith(words.openings) for words in BY_CODE.values())
    return own or memory_question(text) is not None or asks_agent_name(text)


def _fresh_statements(heard: Heard, question: MemoryQuestion) -> list[str]:
    """What the person said in this conversation that answers the question, without what they
    corrected."""
    wanted = question.kinds if question.kinds != (Kind.SUMMARY,) else (Kind.FACT, Kind.PREFERENCE)
    told = [found for found in learned_from(heard.before) if found.kind in wanted]
    texts = [found.text for found in told]
    if question.topic is not None:
        near = {*_texts_with(question.topic, texts)}
        texts = [f.text for f in told if f.text in near or (f.slot and f.slot in question.slots)]
    return _answers_to(texts, question)


def _in_second_person(texts: Sequence[str], notes: Sequence[Note] = ()) -> list[str]:
    """The texts in the second person; another person's words stay as they are."""
    theirs = {note.text for note in notes if note.theirs}
    return [text if text in theirs else second_person(text) for text in texts]


def _list(header: str, lines: Sequence[str]) -> str:
    return "\n".join([header, *(f"- {line}" for line in lines)]) if lines else ""
