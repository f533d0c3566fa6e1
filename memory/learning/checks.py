"""Checks of a proposal that need no understanding, and so hold in any language.

The evidence stands verbatim in the user's own lines; names, numbers and dates of the statement come
from what the user said, from what is known, or from a question that they answered; and nothing
secret and no order is stored. Whether the evidence means what the statement says is not checked
here: that takes understanding."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property

from memory.errors import RefusedText
from memory.learning.calendar import WrittenDate, certain_weekdays, statement_dates
from memory.learning.folding import fold, fold_words, is_quotation, stands_in
from memory.learning.names import Spoken, count_names, unsaid_names
from memory.learning.numerals import figures, number_words, numbers
from memory.learning.sameness import speaks_of_user
from memory.learning.timeline import Saying, Timeline
from memory.records import Evidence, Kind, Role, Turn
from memory.safety.gate import admit
from memory.safety.secrets import MASK
from memory.understanding import Proposal, Reading

#: How many quotes a proposal may cite.
MAX_EVIDENCE = 12
MAX_ABOUT = 8
#: Maximum characters of a name, and of a recurrence or a reason.
_NAME, _NOTE = 64, 120

_TIME = re.compile(r"(\d{1,2})[:.h](\d{2})")
_ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_LONG_NUMBER = 5
_HOURS = 12


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a proposal may not be stored, in words for the model that made it. A `mendable` flaw is a
    detail that the model may correct."""

    reason: str
    mendable: bool = True


def find_flaw(proposal: Proposal, reading: Reading) -> Flaw | None:
    """The first flaw of a proposal; None if it has none."""
    if proposal.kind not in (Kind.FACT, Kind.PREFERENCE):
        return Flaw("only facts and preferences are learned", mendable=False)
    checked = _Checked(proposal, reading)
    if reason := checked.object_to_content():
        return Flaw(reason, mendable=False)
    reason = (
        checked.object_to_evidence()
        or checked.object_to_person()
        or checked.object_to_speaker()
        or checked.object_to_dates()
        or checked.object_to_numbers()
        or checked.object_to_names()
    )
    return Flaw(reason) if reason else None


def refine(proposal: Proposal, reading: Reading) -> Proposal:
    """A proposal without flaws as it may be stored: with those of its dates and names that follow
    from what was said. Models that know no date write today's."""
    checked = _Checked(proposal, reading)
    return replace(
        proposal,
        text=admit(proposal.text),
        importance=min(10, max(1, proposal.importance)),
        event_date=checked.supported_span(proposal.event_date),
        true_since=checked.supported_span(proposal.true_since),
        true_until=checked.supported_span(proposal.true_until),
        about=checked.names_said(proposal.about)[:MAX_ABOUT],
        recurrence=_clean_note(proposal.recurrence),
        reason=_clean_note(proposal.reason),
    )


def _clean_note(text: str | None) -> str | None:
    """A recurrence or a reason as it may be stored."""
    try:
        return admit(text)[:_NOTE] if text and text.strip() else None
    except RefusedText:
        return None


@dataclass(frozen=True)
class _Checked:
    """A proposal, and what it may be based on."""

    proposal: Proposal
    reading: Reading

    @cached_property
    def _turns(self) -> dict[str, Turn]:
        return {turn.id: turn for turn in self.reading.turns}

    @cached_property
    def _cited_turns(self) -> list[Turn]:
        """The turns of the evidence that exist."""
        found = (self._turns.get(evidence.turn_id) for evidence in self.proposal.evidence)
        return [turn for turn in found if turn is not None]

    # -- evidence ---------------------------------------------------------------------------------

    def object_to_evidence(self) -> str | None:
        evidence = self.proposal.evidence
        if not evidence:
            return "it has no evidence: cite the user's own words"
        if len(evidence) > MAX_EVIDENCE:
            return f"it has more than {MAX_EVIDENCE} quotations: cite those that say it"
        for each in evidence:
            if reason := self._object_to_quote(each):
                return reason
        if all(is_quotation(e.words, self._turns[e.turn_id].said) for e in evidence):
            return (
                "its evidence is text that the user quotes: cite the user's own words that say it"
            )
        return None

    def _object_to_quote(self, evidence: Evidence) -> str | None:
        turn = self._turns.get(evidence.turn_id)
        if turn is None:
            return "its evidence names a turn that does not exist"
        if not any(c.isalnum() for c in evidence.words):
            return "its evidence has no words: copy the user's words that say it"
        if stands_in(evidence.words, turn.said):
            return None
        everything = "\n".join(message.text for message in turn.messages)
        if stands_in(evidence.words, everything):
            return (
                f'"{evidence.words}" is not said by the user: it stands in a quotation, or the '
                "assistant said it"
            )
        return f'the user did not write "{evidence.words}" in that turn: copy their words exactly'

    # -- content ----------------------------------------------------------------------------------

    def object_to_content(self) -> str | None:
        try:
            text = admit(self.proposal.text)
        except RefusedText as refusal:
            return str(refusal)
        if MASK in text:
            return "it holds a secret, and secrets are not stored"
        return None

    def object_to_person(self) -> str | None:
        """A proposal that says "the user" instead of "I" repeats a note or describes the talk."""
        if speaks_of_user(self.proposal.text) and not any(
            speaks_of_user(turn.said) for turn in self._cited_turns
        ):
            return 'it speaks of the user: write "I", as the user would say it'
        return None

    def object_to_speaker(self) -> str | None:
        """In a group a statement with somebody's name before it needs their own words."""
        label = speaker_label(self.proposal.text, self.reading.turns)
        if label and all(label != turn.speaker.name for turn in self._cited_turns if turn.speaker):
            return f"its evidence is not what {label} said"
        return None

    # -- dates ------------------------------------------------------------------------------------

    @cached_property
    def _dates(self) -> list[WrittenDate]:
        return statement_dates(self.proposal.text)

    def object_to_dates(self) -> str | None:
        for written in self._dates:
            if not self._timeline.supports(written):
                return f"the date {_iso(written)} does not follow from what was said"
        named = certain_weekdays(self.proposal.text)
        full = [day for written in self._dates if (day := _whole_date(written, self._year))]
        if len(named) == len(full) == 1 and full[0].weekday() not in named:
            return f"{full[0]} is another day of the week"
        if named and not named <= self._timeline.weekdays() | {day.weekday() for day in full}:
            said = self._timeline.weekdays()
            if len(said) < 2:
                return "the user did not name that day of the week"
        return None

    def supported_span(self, span: str | None) -> str | None:
        """The parts of an ISO date, or of a span of two, that what was said supports."""
        ends = [self.supported_date(end) for end in span.split("/")[:2]] if span else []
        return "/".join(dict.fromkeys(end for end in ends if end)) or None

    def supported_date(self, iso: str) -> str | None:
        """The part of an ISO date that what was said supports."""
        written = _from_iso(iso)
        if written is None:
            return None
        if self._timeline.supports(written):
            return _iso(written)
        month = replace(written, day=None)
        # A year alone is nearly always supported, and says too little of a day.
        return _iso(month) if written.month and self._timeline.supports(month) else None

    @cached_property
    def _year(self) -> int:
        return self._day_of(self._cited_turns[0]).year

    @cached_property
    def _timeline(self) -> Timeline:
        sayings = [
            Saying(turn.said, self._day_of(turn), turn in self._cited_turns)
            for turn in self.reading.turns
            if turn.messages
        ]
        # Where the user's own words tell the day, they decide.
        told = any(each.tells_days for each in sayings if each.cited)
        replies = self._replies(0 if told else 1)
        sayings += [Saying(text, day, cited=False) for text, day in replies]
        known = [record.event_date for record in self.reading.known if record.event_date]
        sayings += [
            Saying(record.text, record.created_at.astimezone(self.reading.zone).date(), cited=False)
            for record in self.reading.known
        ]
        return Timeline(sayings, known)

    def _day_of(self, turn: Turn) -> date:
        return turn.messages[0].at.astimezone(self.reading.zone).date()

    # -- numbers and names ------------------------------------------------------------------------

    def object_to_numbers(self) -> str | None:
        for written, meanings in figures(self.proposal.text):
            if not (meanings & self._numbers or self._follows(written, meanings)):
                return f"the user did not say {written}"
        for words, meanings in number_words(self.proposal.text):
            if not meanings & self._numbers and not any(map(self._is_counted, meanings)):
                return f"the user did not say {words}"
        return None

    def _follows(self, written: str, meanings: frozenset[Decimal]) -> bool:
        """True if a number that was not said follows from one that was."""
        said = self._numbers
        if time := _TIME.fullmatch(written):
            return self._is_time(int(time[1]), int(time[2]))
        digits = re.sub(r"\D", "", written)
        if len(digits) >= _LONG_NUMBER and digits in self._digits:
            return True
        parts = [Decimal(part) for part in re.findall(r"\d+", written)]
        if len(parts) > 1 and all(part in said for part in parts):
            return True
        return any(self._is_derived(int(n)) for n in meanings if n == int(n))

    def _is_derived(self, number: int) -> bool:
        said = self._numbers
        if 1000 <= number <= 2999 and self._timeline.supports_year(number):
            return True
        if number <= 2 * _HOURS and {Decimal(number - _HOURS), Decimal(number + _HOURS)} & said:
            return True  # the hour
        fraction = {15: "0.25", 30: "0.5", 45: "0.75", 90: "1.5", 18: "1.5"}.get(number)
        if fraction and Decimal(fraction) in said:
            return True
        if number == 45 and Decimal("0.25") in said:
            return True
        if self._is_counted(Decimal(number)):
            return True
        if any(self._timeline.supports_day(day) for day in self._days_of(number)):
            return True
        ages = {self._year - year for year in map(int, said) if 1900 <= year <= self._year}
        return number in ages or number + 1 in ages

    def _is_counted(self, number: Decimal) -> bool:
        """True if the statement has this many names: "three children: Ana, Tom and Ben"."""
        return 1 < number <= count_names(self.proposal.text)

    def _days_of(self, number: int) -> Iterator[date]:
        """The days of this number in the months that the statement names: "13 and 14 June"."""
        for written in self._dates:
            day = _whole_date(replace(written, day=number), self._year) if written.month else None
            if day:
                yield day

    def _is_time(self, hour: int, minute: int) -> bool:
        said = self._numbers
        fractions = any(n % 1 or n in (15, 30, 45) for n in said)
        if minute and Decimal(minute) not in said and not (minute % 15 == 0 and fractions):
            return False
        hours = {hour, hour + 1, hour - 1} if minute % 15 == 0 and minute else {hour}
        near = {each + turn for each in hours for turn in (-_HOURS, 0, _HOURS)}
        return bool(near & {int(n) for n in said} & set(range(2 * _HOURS)))

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        found = {number for text in self._sources for number in numbers(text)}
        for written in self._dates:
            parts = (written.year, written.month, written.day)
            found.update(Decimal(part) for part in parts if part is not None)
            if written.day and written.month:
                found.add(Decimal(f"{written.day}.{written.month}").normalize())
        return frozenset(found)

    @cached_property
    def _digits(self) -> str:
        return re.sub(r"\D", "", fold("\n".join(self._sources)))

    def object_to_names(self) -> str | None:
        missing = unsaid_names(self.proposal.text, Spoken("\n".join(self._sources)))
        return f"the user did not name {', '.join(missing)}" if missing else None

    def names_said(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of the names beside a statement that stand in it, or were said."""
        spoken = Spoken("\n".join((self.proposal.text, *self._sources)))
        short = (" ".join(name.split()) for name in names if 0 < len(name) <= _NAME)
        kept = (name for name in short if all(spoken.has(word) for word in fold_words(fold(name))))
        return tuple(dict.fromkeys(kept))

    @cached_property
    def _sources(self) -> list[str]:
        """The texts that names and numbers may come from."""
        speakers = (message.speaker for turn in self.reading.turns for message in turn.messages)
        return [
            *(turn.said for turn in self.reading.turns),
            *(text for text, _ in self._replies()),
            *(record.text for record in self.reading.known),
            *(speaker.name for speaker in speakers if speaker),
        ]

    def _replies(self, more: int = 0) -> Iterator[tuple[str, date]]:
        """What the assistant said before the evidence, with its day: the questions that the user
        answered. With `more`, also its replies in so many later turns that the user answered."""
        cited = {turn.id for turn in self._cited_turns}
        turns = self.reading.turns
        last = max((place for place, turn in enumerate(turns) if turn.id in cited), default=0)
        for turn in turns[: max(last, min(last + more, len(turns) - 1))]:
            for message in turn.messages:
                if message.role is Role.ASSISTANT:
                    yield message.text, self._day_of(turn)


def speaker_label(text: str, turns: Sequence[Turn]) -> str | None:
    """The speaker of a group whose name stands before a statement: "Anna: works at Acme"."""
    label, colon, _ = text.partition(":")
    names = {turn.speaker.name for turn in turns if turn.speaker}
    return label.strip() if colon and label.strip() in names else None


def _iso(written: WrittenDate) -> str:
    parts = (written.year and f"{written.year:04}", written.month, written.day)
    return "-".join(f"{part:02}" if isinstance(part, int) else part for part in parts if part)


def _from_iso(iso: str) -> WrittenDate | None:
    """A whole or partial ISO date; None for anything else, and for a day that does not exist."""
    found = _ISO.fullmatch(iso.strip())
    if not found:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    return WrittenDate(year, month, day)


def _whole_date(written: WrittenDate, year: int) -> date | None:
    if not (written.month and written.day) or written.ambiguous:
        return None
    try:
        return date(written.year or year, written.month, written.day)
    except ValueError:
        return None
