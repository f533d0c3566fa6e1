"""What the offline engine answers. Pure: the same words and the same answers of tools make the same
reply. It states nothing but what the tools and the person's own words gave."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.models.offline_words import BY_CODE, ENGLISH, Words
from memory.language import (
    asks_agent_name,
    is_greeting,
    is_statement,
    is_thanks,
    language_code,
    memory_question,
    naming,
    noteworthy,
    second_person,
)
from memory.records import Kind

_NAMED = re.compile(r"I've stored my name as '(?P<name>.+?)'[.](?:\s|$)")
#: Letters of a word that stay the same in its forms, roughly, in both languages.
_STEM = 4
_KEPT = re.compile(r"I've remembered it \([^)]*\): (?P<text>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Note:
    """One line of what a search of the memory found; `date` is an ISO date, or empty."""

    kind: str
    text: str
    date: str


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

    @property
    def words(self) -> Words:
        """The engine's own sentences in the language it is spoken to."""
        return BY_CODE.get(language_code(self.text) or "", ENGLISH)


def reply(heard: Heard) -> str:
    """The engine's answer to one message."""
    parts = [*_on_naming(heard), *_on_remembering(heard), *_on_statements(heard)]
    parts += _on_questions(heard)
    return "\n".join(parts) if parts else _on_the_rest(heard.text, heard.words)


def _on_naming(heard: Heard) -> Iterable[str]:
    if heard.named is None:
        if naming(heard.text):
            yield heard.words.name_not_kept
    elif stored := _NAMED.match(heard.named):
        template = heard.words.named
        yield template.format(name=stored["name"]) if template else heard.named
    else:
        yield _refusal(heard.named, heard.words)


def _refusal(answer: str, words: Words) -> str:
    """Why a name was refused, if the tool's first sentence can be said to the user as it is."""
    reason = answer.strip().split("\n")[0].split(". ")[0].rstrip(".")
    sayable = words is ENGLISH and reason.startswith("That name")
    return f"{reason}." if sayable else words.name_not_kept


def _on_remembering(heard: Heard) -> Iterable[str]:
    if heard.remembered is None:
        return
    if kept := _KEPT.match(heard.remembered):
        yield heard.words.kept.format(said=_mirrored(kept["text"].strip()))
    else:
        yield heard.words.not_kept


def _on_statements(heard: Heard) -> Iterable[str]:
    """Mirror what will be kept, and claim nothing else."""
    if heard.remembered is not None:
        return
    words, findings = heard.words, noteworthy(heard.text)
    for kind, template in ((Kind.FACT, words.noted), (Kind.PREFERENCE, words.liked)):
        mirrored = [_mirrored(finding.text) for finding in findings if finding.kind is kind]
        if mirrored:
            yield template.format(said="; ".join(mirrored))
    if findings:
        yield words.later[len(findings) > 1]


def _on_questions(heard: Heard) -> Iterable[str]:
    words, question = heard.words, memory_question(heard.text)
    if question is None and not asks_agent_name(heard.text):
        return
    if heard.notes is None or heard.search_failed:
        yield words.no_memory
    elif question is None:
        yield _own_name(heard.notes, words)
        if words.asks_about_self.search(heard.text):
            yield words.about_self
    elif question.topic is None:
        yield _everything(heard, heard.notes, question.kinds)
    else:
        yield _on_topic(heard.notes, question.topic, words)


def _own_name(notes: Sequence[Note], words: Words) -> str:
    names = [note.text for note in notes if note.kind == "name"]
    return words.own_name.format(name=names[0]) if names else words.unnamed


def _everything(heard: Heard, notes: Sequence[Note], kinds: Sequence[Kind]) -> str:
    """All that came back, and what this conversation adds and memory gets at its end."""
    words = heard.words
    known = [words.calls_me.format(name=note.text) for note in notes if note.kind == "name"]
    known += _learned(notes)
    fresh = [line for line in _just_told(heard.before, kinds) if line not in known]
    blocks = [_list(words.header, known), _list(words.just_told, fresh)]
    return "\n".join(block for block in blocks if block) or words.nothing_known


def _on_topic(notes: Sequence[Note], topic: str, words: Words) -> str:
    if learned := _learned(notes):
        return _list(words.header, learned)
    found = _told_elsewhere(notes)
    # Search also finds what was said next to the answer. Without a word of the topic to go by,
    # the first, best find is the answer.
    return _list(words.elsewhere, _mentioning(topic, found) or found[:1]) or words.not_known


def _mentioning(topic: str, lines: Sequence[str]) -> list[str]:
    """The lines with a word of the topic, endings aside."""
    stems = [word[:_STEM].lower() for word in topic.split()]
    return [
        line
        for line in lines
        if any(word.startswith(stem) for word in re.findall(r"\w+", line.lower()) for stem in stems)
    ]


def _learned(notes: Sequence[Note]) -> list[str]:
    return [second_person(note.text) for note in notes if note.kind in ("fact", "preference")]


def _told_elsewhere(notes: Sequence[Note]) -> list[str]:
    """Summaries and messages that search found; questions and this engine's own words tell
    nothing new."""
    lines: dict[str, None] = {}
    for note in notes:
        if note.kind == "summary":
            lines[f"{note.date}: {note.text}"] = None
        elif note.kind == "message" and not _is_echo(note.text):
            stated = [second_person(finding.text) for finding in noteworthy(note.text)]
            lines.update(dict.fromkeys(stated or [f"{note.date}: “{note.text}”"]))
    return list(lines)


def _is_echo(text: str) -> bool:
    own = any(text.startswith(words.openings) for words in BY_CODE.values())
    return own or memory_question(text) is not None or asks_agent_name(text)


def _just_told(before: Sequence[str], kinds: Sequence[Kind]) -> list[str]:
    """What was said in this conversation; of one slot the last word counts."""
    told: dict[str, str] = {}
    for text in before:
        for finding in (found for found in noteworthy(text) if found.kind in kinds):
            key = finding.slot or finding.text
            told.pop(key, None)
            told[key] = second_person(finding.text)
    return list(told.values())


def _list(header: str, lines: Sequence[str]) -> str:
    return "\n".join([header, *(f"- {line}" for line in lines)]) if lines else ""


def _mirrored(text: str) -> str:
    """A sentence said back: in the second person, or quoted where that changes nothing."""
    turned = second_person(text)
    return f"“{text}”" if turned == text else turned[:1].lower() + turned[1:]


def _on_the_rest(text: str, words: Words) -> str:
    answers = (
        (is_greeting(text), words.greeting),
        (is_thanks(text), words.welcome),
        (words.asks_about_self.search(text) is not None, words.about_self),
        (words.wants_forgotten.match(text) is not None, words.forgetting),
        (is_statement(text), words.passing),
    )
    return next((answer for fits, answer in answers if fits), words.otherwise)
