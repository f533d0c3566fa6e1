"""What the offline engine answers. Pure: the same words and the same answers of tools make the same
reply. It states nothing but what the tools and the person's own words gave."""

import re
from collections.abc import Iterable

from bot.offline.answers import Heard, on_questions
from bot.offline.grammar.courtesies import courtesy
from bot.offline.grammar.naming import naming
from bot.offline.grammar.questions import is_chatter, second_person
from bot.offline.grammar.statements import is_off_record, is_statement, noteworthy
from bot.offline.words import (
    BY_CODE,
    COURTESIES,
    ENGLISH,
    EngineTexts,
)
from memory.records import Kind

_NAMED = re.compile(r"I've stored my name as '(?P<name>.+?)'[.](?:\s|$)")
_KEPT = re.compile(r"I've remembered it \([^)]*\): (?P<text>.+)", re.DOTALL)


def reply(heard: Heard) -> str:
    """The engine's answer to one message."""
    if heard.private and (heard.named or heard.remembered):
        # What either tool has refused, once for both.
        parts = [heard.words.private]
    else:
        parts = [*_on_naming(heard), *_on_remembering(heard), *_on_statements(heard)]
    parts += on_questions(heard)
    return "\n".join(parts) if parts else _on_the_rest(heard.text, heard.words)


def _on_naming(heard: Heard) -> Iterable[str]:
    if heard.named is None:
        if naming(heard.text):
            words = heard.words
            yield words.name_not_kept if heard.keeps else words.no_names_here
    elif stored := _NAMED.match(heard.named):
        template = heard.words.named
        yield template.format(name=stored["name"]) if template else heard.named
    else:
        yield _refusal(heard.named, heard.words)


def _refusal(answer: str, words: EngineTexts) -> str:
    """Why a name was refused, if the tool's first sentence can be said to the user as it is."""
    reason = answer.strip().split("\n")[0].split(". ")[0].rstrip(".")
    sayable = words is ENGLISH and reason.startswith("That name")
    return f"{reason}." if sayable else words.name_not_kept


def _on_remembering(heard: Heard) -> Iterable[str]:
    if heard.remembered is None:
        return
    if kept := _KEPT.match(heard.remembered):
        yield heard.words.kept.format(said=_said_back(kept["text"].strip(), heard.words))
    else:
        yield heard.words.not_kept


def _on_statements(heard: Heard) -> Iterable[str]:
    """Mirror what will be kept, and claim nothing else."""
    if heard.remembered is not None:
        return
    words, findings = heard.words, noteworthy(heard.text)
    for kind, template in ((Kind.FACT, words.noted), (Kind.PREFERENCE, words.liked)):
        mirrored = [_said_back(finding.text, words) for finding in findings if finding.kind is kind]
        if mirrored:
            yield template.format(said="; ".join(mirrored))
    # Said once: after every statement it would be tiring.
    if findings and not any(map(noteworthy, heard.before)):
        kept = words.later[len(findings) > 1] if heard.keeps else words.heard_only
        yield words.private if heard.private else kept


def _said_back(text: str, words: EngineTexts) -> str:
    """A sentence said back: in the second person, or quoted where that changes nothing."""
    turned = second_person(text)
    return words.quoted.format(said=text) if turned == text else turned[:1].lower() + turned[1:]


def _on_the_rest(text: str, words: EngineTexts) -> str:
    if polite := courtesy(text):
        kind, code = polite
        return COURTESIES[code][kind]
    answers = (
        (not any(map(str.isalnum, text)), words.nudge),
        (is_chatter(text), words.okay),
        (words.asks_about_self.search(text) is not None, words.about_self),
        (words.wants_forgotten.match(text) is not None, words.forgetting),
        (is_off_record(text), words.off_record),
        (is_statement(text), words.passing),
    )
    alone = text.strip(" .!?")
    helped = (each.about_self for each in BY_CODE.values() if each.asks_about_self.fullmatch(alone))
    return next((answer for fits, answer in answers if fits), next(helped, words.otherwise))
