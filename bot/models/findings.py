"""What a model writes about a session, as a schema, and how it becomes proposals. Pure.

The bounds of lists and texts are in the schema only. A server that enforces schemas stops a weak
model that would never end; from any other server more is accepted, and cut here."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from html import unescape
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from memory.records import Basis, Evidence, Kind, Record, Turn
from memory.understanding import Proposal, Reading, Relation

MAX_FINDINGS = 12
MAX_QUOTES = 3
MAX_NAMES = 4
MAX_TOPICS = 5

#: Characters of a statement or a quote, of a name or a reason, and of a summary.
MAX_TEXT = 400
MAX_PHRASE = 100
MAX_SUMMARY = 600

_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…)\s*")
_QUOTE_MARKS = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›「」『』＂＇"), "'")


def require_all(schema: dict[str, Any]) -> None:
    """Require all fields in the schema, even those with a default for models that omit them."""
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.pop("default", None)


def at_most(count: int, **more: Any) -> Any:
    """A field with a list of so many items."""
    return Field(json_schema_extra={"maxItems": count}, **more)


def text_field(longest: int, **more: Any) -> Any:
    """A field with a text of so many characters."""
    return Field(json_schema_extra={"maxLength": longest}, **more)


class ModelOutput(BaseModel):
    """Something that a model writes."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=require_all)


class Quote(ModelOutput):
    """Words of a turn."""

    turn: int
    words: str = text_field(MAX_TEXT)


class When(ModelOutput):
    """When something is, begins to be true, stops, and comes again."""

    day: str = Field("", description="YYYY-MM-DD, YYYY-MM, YYYY, two of them with / or empty")
    since: str = ""
    until: str = ""
    repeats: str = ""


class Note(ModelOutput):
    """How a finding relates to a known note."""

    number: int
    relation: Literal["same", "changed", "ended"]
    reason: str = ""


def _or_none(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    try:
        return check(value)
    except ValidationError:
        return None


class Finding(ModelOutput):
    """One thing worth knowing about the user. Small models write what the name of a field says:
    `first_person` is the statement."""

    quotes: list[Quote] = at_most(MAX_QUOTES)
    first_person: str = text_field(MAX_TEXT)
    kind: Literal["fact", "preference"]
    about: list[str] = at_most(MAX_NAMES, default_factory=list)
    importance: int = 5
    answers_question: bool = False
    when: Annotated[When | None, WrapValidator(_or_none)] = None
    note: Annotated[Note | None, WrapValidator(_or_none)] = None


class Findings(ModelOutput):
    """What is worth keeping of a conversation."""

    findings: list[Finding] = at_most(MAX_FINDINGS)
    summary: str = text_field(MAX_SUMMARY)
    topics: list[str] = at_most(MAX_TOPICS, default_factory=list)


def proposals_of(
    findings: Sequence[Finding], reading: Reading, notes: Sequence[Record]
) -> tuple[Proposal, ...]:
    """The findings as proposals, without those that name no turn; `notes` are the known records by
    number. Quotes that stand in no turn stay: the memory's checks refuse them."""
    found = (_proposal(finding, reading.turns, notes) for finding in findings[:MAX_FINDINGS])
    return tuple(dict.fromkeys(filter(None, found)))


def _proposal(finding: Finding, turns: Sequence[Turn], notes: Sequence[Record]) -> Proposal | None:
    text = plain(finding.first_person)
    quotes = finding.quotes[:MAX_QUOTES]
    evidence = tuple(dict.fromkeys(item for quote in quotes for item in _evidence(quote, turns)))
    if not text or len(text) > MAX_TEXT or not evidence:
        return None
    relation, known = _relation(finding.note, notes)
    when = finding.when or When()
    return Proposal(
        kind=Kind(finding.kind),
        text=text,
        evidence=evidence,
        importance=min(10, max(1, finding.importance)),
        event_date=iso_span(when.day),
        recurrence=_phrase(when.repeats),
        true_since=iso_date(when.since),
        true_until=iso_date(when.until),
        about=_names(finding.about),
        basis=Basis.ANSWER if finding.answers_question else Basis.VOLUNTEERED,
        relation=relation,
        known=known,
        reason=_phrase(finding.note.reason) if finding.note and known else None,
    )


def _relation(note: Note | None, notes: Sequence[Record]) -> tuple[Relation, str | None]:
    """How a finding relates to a known note, and the note's id. A model that can't say why a note
    is no longer true has guessed."""
    known = notes[note.number - 1 : note.number] if note and note.number > 0 else ()
    if note is None or not known or (note.relation != "same" and not _phrase(note.reason)):
        return Relation.NEW, None
    return Relation(note.relation), known[0].id


def _evidence(quote: Quote, turns: Sequence[Turn]) -> Iterator[Evidence]:
    """The quote as evidence, repaired where there is no doubt: quotation marks, case and spaces as
    the user wrote them, the one turn that has the words, the pieces around an ellipsis."""
    words = " ".join(unescape(quote.words).split())
    if not words:
        return
    named = turns[quote.turn - 1] if 0 < quote.turn <= len(turns) else None
    for piece in (words, words.strip("\"'“”„«»「」")):
        if named and (there := find_verbatim(piece, named.said)):
            yield Evidence(named.id, there)
            return
        elsewhere = [(turn, find_verbatim(piece, turn.said)) for turn in turns]
        match [(turn, there) for turn, there in elsewhere if there]:
            case [(turn, str(there))]:
                yield Evidence(turn.id, there)
                return
    if named is None:
        return
    pieces = [find_verbatim(piece, named.said) for piece in _ELLIPSIS.split(words) if piece]
    if len(pieces) > 1 and all(pieces):
        yield from (Evidence(named.id, piece) for piece in pieces if piece)
    else:
        yield Evidence(named.id, words)


def find_verbatim(words: str, text: str) -> str | None:
    """The part of the text that says these words, as it is written there; None if there is none.
    Case, spaces and the shape of quotation marks don't count."""
    sought = "".join(char for char, _ in _fold_chars(words)).strip()
    folded = list(_fold_chars(text))
    start = "".join(char for char, _ in folded).find(sought) if sought else -1
    if start < 0:
        return None
    first, last = folded[start][1], folded[start + len(sought) - 1][1]
    return text[first : last + 1]


def _fold_chars(text: str) -> Iterator[tuple[str, int]]:
    """The characters to compare, each with its place in the text; spaces as one."""
    spaced = True
    for place, char in enumerate(text):
        if char.isspace():
            if not spaced:
                yield " ", place
            spaced = True
            continue
        spaced = False
        for folded in unicodedata.normalize("NFKD", char).casefold().translate(_QUOTE_MARKS):
            yield folded, place


def plain(text: str) -> str:
    """A model's text as it was before it was escaped, on one line."""
    return " ".join(unescape(text).split())


def _phrase(text: str) -> str | None:
    return plain(text)[:MAX_PHRASE] or None


def _names(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in map(plain, names):
        if 0 < len(name) <= MAX_PHRASE:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())[:MAX_NAMES]


def iso_span(text: str) -> str | None:
    """The text if it is a valid ISO date, possibly partial, or two with a slash; else None."""
    start, slash, end = (part.strip() for part in text.partition("/"))
    first, last = iso_date(start), iso_date(end)
    if not slash or not last or last == first:
        return first
    return f"{first}/{last}" if first and first < last else None


def iso_date(text: str) -> str | None:
    """The text if it is a valid ISO date, possibly partial; else None. A time after it is cut."""
    found = _DATE.fullmatch(re.split("[T ]", text.strip())[0])
    if not found:
        return None
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        date(year, month, day)
    except ValueError:
        return None
    return found.group()
