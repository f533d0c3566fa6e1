"""Chooses which of a person's own lines answer a question. Pure: search finds the lines.

The best are quoted, newest first, without those that a later one corrects, updates or answers as
well: an outdated line looks like an answer, but is not one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from bot.offline.facts import denies, slots_in
from bot.offline.language import Language
from bot.offline.scores import SUBJECT, Line, ScoredLine, Scores
from bot.offline.wishes import is_question
from memory.search.dates import date_words
from memory.search.lexicon.lexicon import chatter
from memory.search.query import parse
from memory.search.text import plain_words

#: The most lines shown about somebody, and the share of the question that a line's own words must
#: cover to be about them.
_EVERYTHING, _NAMED = 12, 0.75

_DIGITS = re.compile(r"\d[\d.:,/]*\w*")
#: Gaps beside each other.
_GAPS = re.compile(r"…(?:\W*…)+")

#: How many lines are quoted at most, the share of the best score that each needs, and how many are
#: quoted of those that are only the closest.
_MOST, _GOOD, _CLOSEST = 2, 0.5, 3
#: A later line with this share of an earlier one's score is as good an answer. For one that tells a
#: change, the second share is enough.
_AS_GOOD, _CHANGED = 0.95, 0.8
#: A line answers if its own words cover this share of the question.
_ANSWERS = 0.3
#: A later line takes the place of an earlier one if they share this many words as rare as names.
_SHARED = 0.4
#: The same for words that the question need not have.
_SAME = 1.6


@dataclass(frozen=True)
class Quotes:
    """The lines to quote, best first. If not `exact`, they are only the closest there are."""

    lines: tuple[Line, ...] = ()
    exact: bool = False
    #: How many lines more there are.
    more: int = 0


def choose(question: str, lines: Sequence[Line], language: Language, now: datetime) -> Quotes:
    """The lines that answer the question best, newest first."""
    if said := _said_then(question, lines, language, now):
        return _last(said)
    scores = Scores(question, lines, language, now)
    scored = sorted(scores.lines, key=lambda each: (each.score, each.line.number), reverse=True)
    slot = language.slot_asked(question)
    choice = _Choice(scores, slot)
    if slot:
        latest = reversed(scores.lines)
        if newest := next((s for s in latest if slot in slots_in(s.line.text, language)), None):
            return Quotes((choice.latest([newest])[0].line,), exact=True)
    best = next((each for each in scored if each.score > 0), None)
    if best is None:
        return Quotes(() if scores.asks_name else scores.closest(question, _CLOSEST))
    if language.finds("asks.about", question) and (told := choice.everything()):
        return _last(told)
    exact = best.own >= _ANSWERS
    if not exact and scores.asks_name:
        return Quotes()
    fits = scores.has_value if scores.asks_number and scores.has_value(best) else bool
    good = [each for each in scored if each.score >= _GOOD * best.score and fits(each)][:_MOST]
    shown = choice.latest(good)
    if corrected := choice.corrected_by(shown[0]):
        return Quotes((corrected, shown[0].line), exact)
    return Quotes(tuple(each.line for each in [*shown, *choice.going_on(shown)]), exact)


def _last(told: Sequence[Line]) -> Quotes:
    return Quotes(tuple(told[-_EVERYTHING:]), exact=True, more=max(0, len(told) - _EVERYTHING))


def _said_then(
    question: str, lines: Sequence[Line], language: Language, now: datetime
) -> list[Line]:
    """What was said at the time that a question names, if it names nothing else ("what did I tell
    you last week?")."""
    query = parse(question, now)
    telling = any(word in chatter() for _, word in plain_words(question))
    if query.topical or not telling:
        return []
    days = ((line, line.at.astimezone(now.tzinfo).date()) for line in lines)
    then = (line for line, day in days if query.dates.intersection(date_words(day)))
    return [line for line in then if not (line.learned or is_question(line.text, language))]


@dataclass(frozen=True)
class Holding:
    """What still holds of a line: the line without its outdated clauses and numbers, or None; and
    the line right after it that corrects it."""

    line: Line | None
    correction: Line | None = None


def what_holds(some: Iterable[Line], lines: Sequence[Line], language: Language) -> list[Holding]:
    """For each of `some`, what of it no later line corrects, denies or replaces."""
    some = list(some)
    if not some:
        return []
    choice = _Choice(Scores("", lines, language, lines[-1].at))
    return [choice.what_holds(line) for line in some]


class _Choice:
    """A choice between scored lines, and which of them took the place of which."""

    def __init__(self, scores: Scores, slot: str | None = None) -> None:
        self._scores, self._language, self._slot = scores, scores.language, slot
        self._lines = scores.lines

    def latest(self, good: Sequence[ScoredLine]) -> list[ScoredLine]:
        """These lines, newest first, without those that others of them took the place of, and with
        what took their place elsewhere. All of them if the question asks for the past or for an
        introduction."""
        if self._scores.asks_past or self._scores.introduces:
            return list(good)
        newer = (each for each in good if not any(self._outdates(one, each) for one in good))
        last = {(self._successor(each) or each).line.number: each for each in newer}
        return [self._scores.at(number) for number in sorted(last, reverse=True)]

    def going_on(self, shown: Sequence[ScoredLine]) -> list[ScoredLine]:
        """The line after the first of these, if it goes on with "she" or "instead", or if it alone
        has the number asked for: "the boiler broke", "paid 310"."""
        after = self._scores.neighbour(shown[0].line, 1)
        if after is None or after in shown or is_question(after.line.text, self._language):
            return []
        wanted = self._scores.asks_number and not any(map(self._scores.has_value, shown))
        adds = self._scores.points_back(after) or (wanted and self._scores.has_value(after))
        return [after] if adds else []

    def _outdates(self, later: ScoredLine, each: ScoredLine) -> bool:
        """True if a later line covers all of the question that the other does, and fits it about as
        well, or tells a change."""
        changes = self._language.has("marks.change", later.line.text)
        return (
            later.line.number > each.line.number
            and all(b >= a for a, b in zip(each.shares, later.shares, strict=True))
            and later.score >= (_CHANGED if changes else _AS_GOOD) * each.score
        )

    def everything(self) -> list[Line]:
        """All that was said of what was asked, oldest first, and what goes on with "she"."""
        told: list[Line] = []
        for each in self._lines:
            goes_on = (
                told and each.line.number == told[-1].number + 1 and self._scores.points_back(each)
            )
            if each.score and (each.own >= _NAMED or goes_on) and not self.is_replaced(each.line):
                told.append(each.line)
        return told

    def _successor(self, first: ScoredLine) -> ScoredLine | None:
        """The line that took the place of the first: a correction right after it, or the newest
        line that shares its rare words and tells a change or a value of the kind asked for."""
        if after := self._correction_of(first):
            return after
        later = [
            each
            for each in self._lines
            if each.line.number > first.line.number and self._goes_on(first, each)
        ]
        return max(later, key=lambda each: each.line.number, default=None)

    def corrected_by(self, first: ScoredLine) -> Line | None:
        """The line that one corrects which says only what is different ("no, at 6:40"), without its
        numbers, which are wrong."""
        wrong = self._corrected(first)
        if wrong is None or not wrong.score or first.own >= _ANSWERS:
            return None
        if not _DIGITS.search(wrong.line.text):
            return None
        return replace(wrong.line, text=_DIGITS.sub("…", wrong.line.text))

    def is_replaced(self, line: Line) -> bool:
        """True if a later line corrects this one, or says that the same thing has changed."""
        each = self._scores.of(line)
        return bool(self._correction_of(each) or self._outdated_words(each))

    def what_holds(self, line: Line) -> Holding:
        """See `what_holds`."""
        each = self._scores.of(line)
        outdated, text = self._outdated_words(each), line.text
        later = [other.line for other in self._lines if other.line.number > line.number]
        stated = frozenset().union(*(slots_in(other.text, self._language) for other in later))
        cut = False
        for clause in self._language.clauses(text):
            # What follows a clause may go on with it, unless it says "I" again.
            own = self._language.has("asks.i", clause) or self._language.has("asks.me", clause)
            cut = self._is_stale(clause, outdated, stated) or (cut and not own)
            text = text.replace(clause, "…") if cut else text
        correction = self._correction_of(each)
        if correction and text == line.text:
            text = self._without_wrong(text, correction)
        text = _GAPS.sub("…", text)
        rest = frozenset(self._language.index_words(text)) - self._scores.small
        holds = line if text == line.text else replace(line, text=text) if rest else None
        return Holding(holds, correction.line if correction else None)

    def _is_stale(self, clause: str, outdated: frozenset[str], stated: frozenset[str]) -> bool:
        """True if a clause has words that are outdated, or states what is stated anew later. Of
        what has changed, a number is the first to be wrong."""
        if outdated.intersection(self._language.index_words(clause)):
            return True
        number = _DIGITS.search(clause) if outdated else None
        return bool(number or slots_in(clause, self._language) & stated)

    def _outdated_words(self, each: ScoredLine) -> frozenset[str]:
        """The words of a line that later lines say otherwise."""
        later = (other for other in self._lines if other.line.number > each.line.number)
        return frozenset().union(*(self._changed_words(each, other) for other in later))

    def _changed_words(self, each: ScoredLine, later: ScoredLine) -> frozenset[str]:
        opening = self._scores.held[later.line.number][: 2 * SUBJECT]
        same = frozenset().union(*map(self._language.same, opening))
        shared = (each.words & (later.words | same)) - self._scores.small
        if not shared or not self._tells(later):
            return frozenset()
        if self._language.has("marks.change", later.line.text):
            subject = shared & (frozenset(opening[:SUBJECT]) | same)
            return shared if subject or self._scores.weigh(shared) >= _SHARED else frozenset()
        meant = each.words - self._scores.small
        denied = denies(later.line.text) and not denies(each.line.text) and meant <= later.words
        return meant if denied else frozenset()

    def _tells(self, each: ScoredLine) -> bool:
        text = each.line.text
        return not (
            each.line.quoted
            or self._language.finds("marks.unreal", text)
            or is_question(text, self._language)
        )

    def _correction_of(self, first: ScoredLine) -> ScoredLine | None:
        """The line that corrects this one: "no, at 6:40" right after it, "but it's 245 now", or a
        later one of the same session that names what it corrects."""
        return self._corrections.get(first.line.number)

    @cached_property
    def _corrections(self) -> dict[int, ScoredLine]:
        """The corrections, by the number of the line that each corrects; the last one counts."""
        targets = ((self._corrected(each), each) for each in self._lines)
        return {target.line.number: each for target, each in targets if target}

    def _corrected(self, correction: ScoredLine) -> ScoredLine | None:
        """The line that this one corrects, if it corrects any."""
        before = self._scores.neighbour(correction.line, -1)
        if before is None:
            return None
        if self._revises(before, correction):
            return before
        opening = " ".join(correction.line.text.split()[:4])
        if not self._language.finds("marks.correction", opening):
            return None
        named = correction.words - self._scores.small
        if not named & before.words:
            # "Actually, my dog is called Fuffi" does not correct what was said last.
            earlier = (
                each
                for each in reversed(self._lines)
                if each.line.number < before.line.number
                and each.line.session == correction.line.session
            )
            for each in earlier:
                if named & each.words:
                    return None if self._is_apart(each, correction) else each
        apart = self._is_apart(before, correction) or not self._says_difference(before, correction)
        return None if apart else before

    def _revises(self, before: ScoredLine, after: ScoredLine) -> bool:
        return (
            self._language.begins("marks.contrast", after.line.text)
            and self._language.has("marks.change", after.line.text)
            and all(_DIGITS.search(each.line.text) for each in (before, after))
            and not self._is_apart(before, after)
        )

    def _says_difference(self, before: ScoredLine, after: ScoredLine) -> bool:
        """True if a correction shares words with the line before it, or says nothing but what is
        different there, and not something else ("no, I don't like pizza", "also milk")."""
        if (after.words & before.words) - self._scores.small:
            return True
        said = self._language.uncorrected(after.line.text)
        own = any(self._language.has(kind, said) for kind in ("asks.i", "asks.me"))
        changed = self._language.has("marks.change", said)
        return not self._language.has("marks.also", said) and (changed or not own)

    def _without_wrong(self, text: str, correction: ScoredLine) -> str:
        """A corrected line without what is wrong in it: its numbers, or else its last name if the
        correction has another, or the words that the correction repeats ("not red, blue"). Empty if
        that can't be told."""
        if _DIGITS.search(text):
            return _DIGITS.sub("…", text)
        named = [word for word in text.split()[1:] if word[:1].isupper()]
        renames = any(word[:1].isupper() for word in correction.line.text.split()[1:])
        if named and renames:
            return text.replace(named[-1], "…")
        repeated = correction.words - self._scores.small
        cut = (
            "…" if repeated.intersection(self._language.index_words(word)) else word
            for word in text.split()
        )
        without = " ".join(cut)
        return without if without != text else ""

    def _is_apart(self, first: ScoredLine, after: ScoredLine) -> bool:
        """True if a correction states something else than was asked, or than the line before it:
        then it corrects what was said earlier."""
        stated = slots_in(after.line.text, self._language)
        return bool(stated) and not stated & (
            {self._slot} if self._slot else slots_in(first.line.text, self._language)
        )

    def _goes_on(self, first: ScoredLine, later: ScoredLine) -> bool:
        if not self._tells(later):
            return False
        if self._scores.asks_number and not self._scores.has_value(later):
            return False
        changed = self._language.has("marks.change", later.line.text)
        if changed or (denies(later.line.text) and not denies(first.line.text)):
            answer = self._scores.answer_in(first)
            named = answer & self._scores.names
            retold = (answer & later.words) - (frozenset() if changed else named)
            same = not named or bool(named & later.words)
            if same and self._scores.weigh(retold) >= _SHARED:
                return True
        if changed:
            about = self._scores.asked & first.words & later.words
            if not self._shares_name(self._scores.asked, first, later):
                return False
            subject = about & frozenset(self._scores.held[later.line.number][:SUBJECT])
            return (
                self._scores.weigh(about) >= _SHARED if self._scores.asks_number else bool(subject)
            )
        about = self._scores.asked & first.words & later.words
        shared = (first.words & later.words) - self._scores.small
        return (
            self._scores.asks_number
            and self._scores.has_value(first)
            and first.line.session != later.line.session
            and self._shares_name(first.words, first, later)
            and (self._scores.weigh(about) >= _SHARED or self._scores.weigh(shared) >= _SAME)
        )

    def _shares_name(self, words: frozenset[str], first: ScoredLine, later: ScoredLine) -> bool:
        """False if the first line has names among these words and the later one has others:
        "Mrs Odilia" is not "Mrs Ofelia"."""
        names = words & first.words & self._scores.names
        others = (later.words & self._scores.names) - first.words
        return not (names and others) or bool(names & later.words)
