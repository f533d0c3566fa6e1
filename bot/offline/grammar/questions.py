"""Questions about what is remembered, small talk, and the turn from "I" to "you"."""

import re
from dataclasses import dataclass

from bot.offline.grammar.grammar import (
    MAX_ADDRESSED,
    clauses_and_questions,
    lower_words,
    mask,
    plain,
    trim_clause,
    without_start,
    written_words,
)
from bot.offline.grammar.shapes import Language, QuestionRule
from bot.offline.languages.tables import LANGUAGES, language_of
from memory.records import Kind

_NUMERAL = re.compile(r"[,.;:!?)]|$")


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """A question to the memory. `topic` None means everything of these kinds.

    `slots`: the slots whose records answer it. `wide`: everything on the topic answers it;
    otherwise only records of the slots, if there are any. `focus`: prefer answers that contain a
    word of the first entry, among these a word of the next one; ignore an entry that matches none.
    `only`: every answer contains one of these words."""

    topic: str | None
    kinds: tuple[Kind, ...]
    slots: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    only: str = ""
    wide: bool = False


def memory_question(text: str) -> MemoryQuestion | None:
    """The message as a question to the memory; None if it is none."""
    for language in LANGUAGES:
        for clause in clauses_and_questions(plain(text, language), language):
            asked = without_start(clause, language.courtesy)
            if question := _match_question(asked, language):
                return question
    return None


def answering_slots(query: str) -> tuple[str, ...]:
    """The slots whose records answer a question, or a search for its topic ("job"); empty if it is
    about no slot or about another person."""
    if question := memory_question(query):
        return question.slots
    language = language_of(query) or LANGUAGES[0]
    return _slots(query[:MAX_ADDRESSED], language)


def asks_to_remember(text: str) -> str | None:
    """The sentence that the person explicitly asks to keep ("remember that …"), if any."""
    for language in LANGUAGES:
        masked = mask(plain(text.strip(), language))
        without_greeting = without_start(masked.text, language.courtesy)
        if match := language.keep_request.match(without_greeting):
            return masked.restore(trim_clause(_as_sentence(match), language)) or None
    return None


def _as_sentence(match: re.Match[str]) -> str:
    """What is to be kept; where the request put its verb last, with the verb where it belongs."""
    parts = match.groupdict()
    if parts.get("verb"):
        return f"{parts['subject']} {parts['verb']} {parts['rest']}"
    return match["what"]


def second_person(sentence: str) -> str:
    """The sentence in the second person; unchanged in an unknown language."""
    language = language_of(sentence)
    if language is None or language.request.match(sentence):
        return sentence
    masked = mask(sentence.replace("’", "'"))
    turned = masked.text
    for theirs, mine in language.addressed:
        # Hidden like a quote, so that the next step does not turn it back again.
        turned = theirs.sub(lambda m, to=mine: masked.hide(to), turned)
    for first, second in language.persons:
        turned = first.sub(lambda m, to=second: _replacement(m, to, language), turned)
    return masked.restore(turned[:1].upper() + turned[1:])


def is_chatter(text: str) -> bool:
    """True if the message is nothing but "ok" or "I see"."""
    return any(language.chatter.match(text.strip()) for language in LANGUAGES)


def _match_question(clause: str, language: Language) -> MemoryQuestion | None:
    for rule in language.questions:
        if match := rule.pattern.match(clause):
            return None if rule.refused else _question(rule, match, language)
    return None


def _question(rule: QuestionRule, match: re.Match[str], language: Language) -> MemoryQuestion:
    topic, detail = _words_in(match, "topic", language), _words_in(match, "detail", language)
    if rule.topic is not None:
        topic = rule.topic.format(topic=topic).strip()
    focus = (topic if rule.focused else "", detail)
    return MemoryQuestion(
        topic=topic or None,
        kinds=rule.kinds,
        slots=_slots_of(topic, detail, language),
        focus=tuple(filter(None, focus)),
        only=rule.only,
        wide=rule.wide,
    )


def _words_in(match: re.Match[str], group: str, language: Language) -> str:
    """The significant words of the groups with this name."""
    said = " ".join(part for name, part in match.groupdict().items() if part and group in name)
    return " ".join(w for w in written_words(said) if w.lower() not in language.question_noise)


def _slots_of(topic: str, detail: str, language: Language) -> tuple[str, ...]:
    """The slots of a topic; of its details only the name has one: "my wife's job" is in no slot."""
    wants_name = "name" in _slots(detail, language)
    return _slots(topic, language) if wants_name or not detail else ()


def _slots(about: str, language: Language) -> tuple[str, ...]:
    if language.others.search(about):
        return ()
    for shape, slots in language.slots:
        if match := shape.search(about):
            nouns = {
                name: "_".join(lower_words(value)) for name, value in match.groupdict().items()
            }
            return tuple(slot.format(**nouns) for slot in slots)
    return ()


def _replacement(match: re.Match[str], to: str, language: Language) -> str:
    """The replacement in the right letter case; the "I" of a name stays."""
    if match[0] == "I" and language.numeral_before.search(_words_before(match)):
        rest = match.string[match.end() :]
        if _NUMERAL.match(rest) or language.numeral_after.match(rest):
            return match[0]
    starts = not match.string[: match.start()].strip()
    to = match.expand(to)
    return to[:1].upper() + to[1:] if starts else to


def _words_before(match: re.Match[str]) -> str:
    """The last few words before a match; searching all of them for every match would be slow."""
    return match.string[max(0, match.start() - 40) : match.start()]
