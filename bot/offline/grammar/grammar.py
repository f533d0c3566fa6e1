"""The machinery of sentence understanding: a language is a table, this module reads it.

A text becomes sentences, sentences become clauses, and the first rule of the table that matches a
clause decides whether it is worth keeping. No word of any language is written here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.offline.grammar.shapes import Language, Shape
from memory.records import Kind, own_words

#: A clause longer than this is a story, not a statement about oneself; also bounds the matching.
MAX_CLAUSE = 300
#: What is asked of the assistant is read up to here: enough to refuse an endless name as a name.
MAX_ADDRESSED = 1_000
#: Longer texts are pasted material; only their beginning is read, so that time stays bounded.
MAX_TEXT = 8_000

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SPAN = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]|(?<!\w)'[^'\n]+'(?!\w)"
)
_MASK = re.compile("\ue000(\\d+)\ue001")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_SENTENCE_END = re.compile(r"[.!?…;]+(?=\s|$)|[。！？；]+")
_QUESTION = re.compile("[?？]")
_NOISE_BEFORE = re.compile(r"^[\s\W_]+(?=[\w\ue000])")
_NOISE_AFTER = re.compile(r"\s+[:;=]-?[()DPp]+$|[^\w\s)\]\"'”»`%€$£+#°*_~>/}\ue001]+$")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|~+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class StatedClause:
    """A clause worth keeping, in the person's words."""

    kind: Kind
    text: str
    slot: str | None
    importance: int
    negated: bool


@dataclass(slots=True)
class Masked:
    """A text whose quotes and code are hidden from the grammar, each as one opaque word."""

    text: str
    spans: list[str]

    def hide(self, span: str) -> str:
        """Hide a span; returns its placeholder."""
        self.spans.append(span)
        return f"\ue000{len(self.spans) - 1}\ue001"

    def restore(self, text: str) -> str:
        """The text with the hidden spans in their places."""
        return _MASK.sub(lambda m: self.spans[int(m[1])], text)


def mask(text: str) -> Masked:
    """Hide quotes and inline code."""
    masked = Masked(_without_private_use(text), [])
    masked.text = _SPAN.sub(lambda match: masked.hide(match[0]), masked.text)
    return masked


def written_words(text: str) -> list[str]:
    """The words of a text, in order, as written."""
    return _WORD.findall(text)


def lower_words(text: str) -> list[str]:
    """The words of a text, in order, in lower case."""
    return [word.lower() for word in written_words(text)]


def plain(text: str, language: Language) -> str:
    """The text with one kind of apostrophe and the table's spelling of careless forms."""
    text = text.replace("’", "'")
    for careless, right in language.spelling:
        text = careless.sub(right, text)
    return text


def stated_clauses(text: str, language: Language) -> list[StatedClause]:
    """The clauses of a message that are worth keeping, in order."""
    text = text[:MAX_TEXT]
    if text.lstrip().startswith("/") or language.jest.search(text):
        return []
    masked = mask(plain(own_words(_FENCE.sub("", text)), language))
    found: list[StatedClause] = []
    for sentence in _sentences(masked.text, language):
        for clause in _clauses(sentence, language):
            finding = _judge(clause, language)
            if finding is not None:
                found.append(_restore_quotes(finding, masked))
    return found


def has_first_person_clause(text: str, language: Language) -> bool:
    """True if the person states something about themselves, worth keeping or not."""
    masked = mask(plain(text[:MAX_TEXT], language))
    return any(
        language.own.match(clause)
        for sentence in _sentences(masked.text, language)
        for clause in _clauses(sentence, language)
    )


def is_off_record_in(text: str, language: Language) -> bool:
    """True if the person asks not to keep something."""
    return any(
        language.off_record.match(_without_lead_in(sentence, language))
        for sentence in sentences(text, language)
    )


def sentences(text: str, language: Language) -> list[str]:
    """The sentences of a text with their end marks, quotes within them intact."""
    masked = mask(plain(own_words(text[:MAX_TEXT]), language))
    return [
        masked.restore(sentence)
        for line in masked.text.splitlines()
        for sentence in _split_line(line, language)
    ]


def clauses_and_questions(text: str, language: Language) -> list[str]:
    """All clauses of a text, including questions and reported speech, with and without their
    lead-ins. Whole sentences come before their parts."""
    clauses: list[str] = []
    for line in text[:MAX_TEXT].splitlines():
        for sentence in _split_line(_BULLET.sub("", line), language):
            parts = language.boundary.split(sentence)
            for part in (sentence, *parts):
                clauses += [part, _without_lead_in(part, language)]
    return [clause[:MAX_ADDRESSED] for clause in dict.fromkeys(clauses)]


def trim_clause(text: str, language: Language) -> str:
    """A clause as a sentence of its own: no lead-in, no trailing noise, a capital first."""
    text = " ".join(text.split())
    text = _NOISE_BEFORE.sub("", text)
    previous = None
    while previous != text:
        previous = text
        text = _NOISE_AFTER.sub("", language.trailer.sub("", text)).strip()
    text = _without_lone_emphasis(text)
    return text[:1].upper() + text[1:]


def _without_lone_emphasis(text: str) -> str:
    """The text without a closing mark whose opening mark was cut off."""
    marks = list(_EMPHASIS.finditer(text))
    lone = len(marks) % 2 and marks[-1].end() == len(text)
    return text[: marks[-1].start()] if lone else text


def _without_private_use(text: str) -> str:
    return text.replace("\ue000", "").replace("\ue001", "")


def _sentences(text: str, language: Language) -> Iterator[str]:
    """The sentences that the person means as their own; stops where foreign material begins."""
    for line in text.splitlines():
        line = _BULLET.sub("", line).strip()
        for sentence in _split_line(line, language):
            bare = _without_lead_in(sentence, language)
            if any(
                shape.match(bare)
                for shape in (language.make_believe, language.task, language.off_record)
            ):
                return
            if sentence.endswith((":", "：")) and not language.heading.search(sentence):
                return
            if not any(
                (
                    language.laughter.search(sentence),
                    language.unreal.match(bare),
                    language.report_after.search(sentence),
                )
            ):
                yield bare


def _split_line(line: str, language: Language) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(line):
        if end[0] == "." and _is_abbreviation(line[start : end.start()], language):
            continue
        if not _QUESTION.search(end[0]) and language.continuation.match(line, end.end()):
            continue
        if sentence := line[start : end.end()].strip():
            yield sentence
        start = end.end()
    if rest := line[start:].strip():
        yield rest


def _is_abbreviation(before: str, language: Language) -> bool:
    """True if the full stop after this text belongs to its last word: "Dr." or an initial."""
    last = before.rsplit(None, 1)[-1:]
    return bool(last) and (
        last[0].lower() in language.abbreviations
        or (len(last[0]) == 1 and last[0].isupper() and last[0] not in language.one_letter_words)
    )


def _without_lead_in(text: str, language: Language) -> str:
    """The clause without one or several lead-ins such as "by the way" and "well"."""
    previous = None
    while previous != text:
        previous = text
        text = without_start(_NOISE_BEFORE.sub("", text), language.lead_in)
    return text


def without_start(text: str, start: Shape) -> str:
    """The text without what the pattern matches at its beginning."""
    match = start.match(text)
    return text[match.end() :] if match else text


def _clauses(sentence: str, language: Language) -> Iterator[str]:
    """The clauses of a sentence that the person states themselves."""
    stated = _stating_part(sentence, language)
    wholes = [whole.span() for whole in language.whole.finditer(stated)]
    cuts = [
        cut
        for cut in language.boundary.finditer(stated)
        if cut.start() > 0
        and not language.joint_subject.match(stated[: cut.start()])
        and not any(start < cut.start() < end for start, end in wholes)
    ]
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(stated)]
    joints = ["", *(cut[0] for cut in cuts)]
    reported = False
    for start, end, joint in zip(starts, ends, joints, strict=True):
        clause = _without_lead_in(stated[start:end], language)
        if language.contrast.search(joint):
            reported = False
        reported = reported or language.report.match(clause) is not None
        if not reported and len(clause) <= MAX_CLAUSE:
            yield from _unfold(clause, language)


def _stating_part(sentence: str, language: Language) -> str:
    """The part of a sentence that states something before it asks; may be all or nothing."""
    if not _QUESTION.search(sentence[-3:]) or language.polite.match(sentence):
        return sentence
    asking = list(language.asking.finditer(sentence))
    return sentence[: asking[0].start()] if asking else ""


def _unfold(clause: str, language: Language) -> Iterator[str]:
    """A clause whose subject serves two verbs, as two clauses."""
    subject = language.subject.match(clause)
    joints = list(language.joining.finditer(clause)) if subject else []
    start, prefix = 0, ""
    for joint in joints:
        assert subject is not None  # noqa: S101 - there are no joints without one
        rest = f"{subject['subject']} {clause[joint.end() :]}".lstrip()
        if any(rule.elided and rule.pattern.match(rest) for rule in language.rules):
            yield prefix + clause[start : joint.start()]
            start, prefix = joint.end(), f"{subject['subject']} ".lstrip()
    yield prefix + clause[start:]


def _judge(clause: str, language: Language) -> StatedClause | None:
    """The verdict of the first rule that fits."""
    text = trim_clause(clause, language)
    for rule in language.rules:
        match = rule.pattern.match(text)
        if match is None:
            continue
        if rule.kind is None or (not rule.lasting and language.fleeting.search(text)):
            return None
        slot = rule.slot and rule.slot.format(**_nouns(match))
        if rule.kind is Kind.FACT and language.besides.search(text):
            slot = None
        negated = language.negation.search(text) is not None
        return StatedClause(rule.kind, text, slot, rule.importance, negated)
    return None


def _nouns(match: re.Match[str]) -> dict[str, str]:
    return {name: "_".join(lower_words(value or "")) for name, value in match.groupdict().items()}


def _restore_quotes(finding: StatedClause, masked: Masked) -> StatedClause:
    return StatedClause(
        finding.kind,
        masked.restore(finding.text),
        finding.slot,
        finding.importance,
        finding.negated,
    )
