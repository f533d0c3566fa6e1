"""Chooses which of a person's own lines answer a question. Pure: search finds the lines.

A line scores by how much of the question it covers; rare words count more. Of lines with about the
same score the newest wins. A later line that corrects or updates the best one takes its place: an
outdated line looks like an answer and is none."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain

from bot.offline.facts import slots_in
from bot.offline.language import Language
from bot.offline.terms import RELATED, earliness, forms_of, share_of, terms_of
from bot.offline.wishes import is_command, is_question
from memory.records import Speaker
from memory.search.lexicon.lexicon import all_of
from memory.search.query import Term
from memory.search.text import small_stems, words

#: So many lines about somebody are shown. A line is about them if its own words cover so much.
_EVERYTHING, _NAMED = 12, 0.75

_DIGITS = re.compile(r"\d[\d.:,/]*\w*")

#: Lines with this share of the best score are as good as the best, and at most so many are.
_AS_GOOD, _MOST_GOOD = 0.9, 20
#: A line answers if its own words cover this share of the question; it is close if they do so
#: together with related words.
_ANSWERS, _CLOSE = 0.3, 0.2
#: What a line gains or loses: it has a date or number where one is asked for; it stands right after
#: one that covers the question; it is quoted, or a joke.
_FITS, _UNFIT, _AFTER, _QUOTED, _UNREAL = 1.3, 0.8, 0.6, 0.7, 0.85
#: What a line gains at most if it begins with what is asked for.
_TOPIC = 0.15
#: The subject of a line is among its first index words. What a line with "I" gains if the question
#: is about the person who asks.
_SUBJECT, _OWN = 3, 1.15
#: In their first line with this many words, people tend to say who they are and what they do.
_SENTENCE = 4
#: A second line is shown if it has this share of the first one's score. One about the same thing is
#: shown if the first covers less than the second number.
_BESIDE, _ENOUGH = 0.5, 0.7
#: Lines that may introduce somebody have this share of the best score.
_INTRODUCED = 0.7
#: How near a name stands to what it names, in words.
_NEAR = 2
#: A later line takes the place of an earlier one if they share this many words as rare as names.
_SHARED = 0.8
#: The same for a later line that says that the answer has changed.
_RETOLD = 0.7
#: A line looks like the question if it has this share of the pieces of its words.
_LOOKS_ALIKE = 0.2


@dataclass(frozen=True)
class Line:
    """Something a person said. `number` is its place in the order of all lines. An `ended` line is
    known to be no longer true."""

    text: str
    at: datetime
    number: int
    session: str | None = None
    ended: bool = False
    speaker: Speaker | None = None
    preference: bool = False

    @property
    def quoted(self) -> bool:
        """True if it is somebody else's words."""
        return self.text.lstrip().startswith(">")


@dataclass(frozen=True)
class Quotes:
    """The lines to quote, best first. If not `exact`, they are only the closest there are."""

    lines: tuple[Line, ...] = ()
    exact: bool = False
    #: How many lines more there are.
    more: int = 0


@dataclass(frozen=True)
class _Scored:
    line: Line
    words: frozenset[str]
    #: How much it covers of each term.
    shares: tuple[float, ...]
    score: float = 0.0
    #: The share of the question that its own words cover, without related ones.
    own: float = 0.0


def choose(question: str, lines: Sequence[Line], language: Language, now: datetime) -> Quotes:
    """The one or two lines that answer the question best."""
    asked = _Asked(question, lines, language, now)
    scored = sorted(asked.scored, key=lambda each: each.score, reverse=True)
    if not scored:
        return Quotes()
    if slot := language.slot_asked(question):
        latest = reversed(asked.scored)
        if newest := next((s for s in latest if slot in slots_in(s.line.text, language)), None):
            return Quotes((asked.pick([newest]).line,), exact=True)
    if scored[0].score <= 0:
        return Quotes(tuple(asked.resembling()))
    good = [each for each in scored if each.score >= _AS_GOOD * scored[0].score][:_MOST_GOOD]
    if language.finds("asks.about", question) and (told := asked.everything()):
        return Quotes(tuple(told[-_EVERYTHING:]), exact=True, more=max(0, len(told) - _EVERYTHING))
    exact = scored[0].own >= _ANSWERS
    if not exact and asked.names:
        return Quotes()
    first = asked.pick(good)
    if corrected := asked.corrected_by(first):
        return Quotes((corrected, first.line), exact)
    besides = (*asked.successors(good), *asked.beside(first))
    shown = [first, *(each for each in besides if each is not first)]
    return Quotes(tuple(each.line for each in shown[:2]), exact)


class _Asked:
    """A question beside the lines that may answer it."""

    def __init__(
        self, question: str, lines: Sequence[Line], language: Language, now: datetime
    ) -> None:
        self._language = language
        self._about_me = language.has("asks.me", question)
        self._when = language.has("asks.when", question)
        self._number = self._when or language.has("asks.number", question)
        # "Who is my landlord?" wants the present one; "who is Wendy?" wants her introduced.
        self._introduces = language.finds("asks.who", question) and not self._about_me
        self._past = language.has("asks.past", question)
        self._slot = language.slot_asked(question)
        self._style = language.asks_for_style(question)
        self._job = language.has("asks.job", question) and (
            self._about_me or language.has("asks.i", question)
        )
        told = (line.number for line in lines if len(line.text.split()) >= _SENTENCE)
        self._introduction = next(told, None)
        self.names = language.has("asks.name", question)
        self._terms = terms_of(question, language, now)
        self._held = {line.number: language.index_words(line.text) for line in lines}
        count = len(lines)
        seen = _count(chain.from_iterable(map(frozenset, self._held.values())))
        self._most = math.log(1 + (count + 1) / 1.5)
        self._rarity = {word: math.log(1 + (count + 1) / (n + 0.5)) for word, n in seen.items()}
        self._small = small_stems() | _calendar() | language.small_stems
        self._asked_words = frozenset(word for term in self._terms for word in term.exact)
        self._weights = [self._weight(term) for term in self._terms]
        self._forms = [(term, forms_of(term, seen)) for term in self._terms]
        self._asked_words = self._asked_words.union(*(forms for _, forms in self._forms))
        covers = {line.number: self._cover(line) for line in lines}
        self.scored = [
            self._lift(each, covers.get(each.line.number - 1)) for each in covers.values()
        ]
        self._by_number = {each.line.number: each for each in self.scored}

    def _weight(self, term: Term) -> float:
        known = [self._rarity[word] for word in term.exact if word in self._rarity]
        return max(known) if known else self._most

    def _cover(self, line: Line) -> _Scored:
        spoken = self._held[line.number]
        held = frozenset(spoken)
        shares = tuple(share_of(term, forms, held) for term, forms in self._forms)
        total = sum(self._weights) or 1.0
        score = _dot(self._weights, shares) / total
        own = _dot(self._weights, (s if s > RELATED else 0.0 for s in shares)) / total
        if self._style and self._language.sets_style(line.text):
            # "Can you keep it short?" is one, too.
            score, own = score + 1, own + 1
        elif score and (
            is_question(line.text, self._language) or is_command(line.text, self._language)
        ):
            return _Scored(line, held, tuple(0.0 for _ in shares))
        score *= 1 + _TOPIC * earliness(spoken, self._terms)
        if self._about_me and self._language.has("asks.i", line.text):
            score *= _OWN
        if self._job and line.number == self._introduction:
            score += RELATED
        if score and self._number:
            score *= _FITS if self._has_value(line, held) else _UNFIT
        if line.quoted:
            score *= 0.0 if self._about_me else _QUOTED
        if line.ended or self._language.finds("marks.unreal", line.text):
            score *= _UNREAL
        return _Scored(line, held, shares, score, own)

    def _lift(self, each: _Scored, before: _Scored | None) -> _Scored:
        """A line that goes on with "it" is about the same thing as the line before it."""
        together = before is not None and before.line.session == each.line.session
        if before is None or not together or not self._points_back(each):
            return each
        score = each.score + _AFTER * before.score
        return replace(each, score=score, own=each.own + _AFTER * before.own)

    def pick(self, good: Sequence[_Scored]) -> _Scored:
        """The newest of equally good lines and of those that took their place. If the question asks
        for somebody or for the past, the first line that tells of it."""
        if self._past:
            return good[0]
        if self._introduces and not self.names:
            told = [each for each in self.scored if each.own >= _INTRODUCED * good[0].own]
            return min(told, key=lambda each: each.line.number)
        return max((*good, *self.successors(good)), key=lambda each: each.line.number)

    def everything(self) -> list[Line]:
        """All that was said of what was asked, oldest first, and what goes on with "she"."""
        told: list[Line] = []
        for each in self.scored:
            goes_on = told and each.line.number == told[-1].number + 1 and self._points_back(each)
            if each.score and (each.own >= _NAMED or goes_on) and not self.is_replaced(each.line):
                told.append(each.line)
        return told

    def successors(self, good: Sequence[_Scored]) -> list[_Scored]:
        """The lines that took the place of these."""
        if self._past or self._introduces:
            return []
        newest = max(good, key=lambda each: each.line.number)
        if self._language.has("marks.change", newest.line.text):
            good = [newest]
        return [later for each in good if (later := self._successor(each))]

    def _successor(self, first: _Scored) -> _Scored | None:
        """The line that took the place of the first: a correction right after it, or the newest
        line that shares its rare words and tells a change or a value of the kind asked for."""
        after = self._neighbour(first.line, 1)
        if after and self._corrects(after) and not self._is_apart(first, after):
            return after
        later = [
            each
            for each in self.scored
            if each.line.number > first.line.number and self._goes_on(first, each)
        ]
        return max(later, key=lambda each: each.line.number, default=None)

    def corrected_by(self, first: _Scored) -> Line | None:
        """The line right before one that says only what is different ("no, at 6:40"), without its
        numbers, which are wrong."""
        before = self._neighbour(first.line, -1)
        if before is None or not before.score or first.own >= _ANSWERS:
            return None
        if not self._corrects(first) or not _DIGITS.search(first.line.text):
            return None
        return replace(before.line, text=_DIGITS.sub("…", before.line.text))

    def is_replaced(self, line: Line) -> bool:
        """True if a later line corrects this one, or says that the same thing has changed."""
        each = self._by_number[line.number]
        after = self._neighbour(each.line, 1)
        if after and self._corrects(after) and not self._is_apart(each, after):
            return True
        return any(
            later.line.number > each.line.number and self._outdates(later, each)
            for later in self.scored
        )

    def _outdates(self, later: _Scored, each: _Scored) -> bool:
        shared = (each.words & later.words) - self._small
        if later.line.quoted or not shared:
            return False
        subject = shared & frozenset(self._held[later.line.number][:_SUBJECT])
        changed = self._language.has("marks.change", later.line.text)
        return changed and (bool(subject) or self._weigh(shared) >= _SHARED)

    def resembling(self) -> Iterator[Line]:
        """The newest of the lines whose words look most like those of the question, if any do:
        cognates, compounds and forms that no stem unites."""
        asked = _pieces(word for term in self._terms for word in term.exact)
        shares = [
            (len(asked & _pieces(each.words)) / len(asked or "-"), each.line.number, each.line)
            for each in self.scored
            if not (each.line.quoted or is_question(each.line.text, self._language))
        ]
        share, _, line = max(shares, default=(0.0, 0, None))
        if line and share >= _LOOKS_ALIKE:
            yield line

    def _has_value(self, line: Line, held: frozenset[str]) -> bool:
        """True if a line has a number, or a weekday or month where a time is asked for."""
        if any(c.isdigit() for c in line.text) or self._language.has("marks.over", line.text):
            return True
        return self._when and bool(held & _calendar())

    def _corrects(self, each: _Scored) -> bool:
        opening = " ".join(each.line.text.split()[:4])
        return self._language.finds("marks.correction", opening)

    def _is_apart(self, first: _Scored, after: _Scored) -> bool:
        """True if a correction states something else than was asked, or than the line before it:
        then it corrects what was said earlier."""
        stated = slots_in(after.line.text, self._language)
        return bool(stated) and not stated & (
            {self._slot} if self._slot else slots_in(first.line.text, self._language)
        )

    def _goes_on(self, first: _Scored, later: _Scored) -> bool:
        if later.line.quoted or self._language.finds("marks.unreal", later.line.text):
            return False
        if self._number and not self._has_value(later.line, later.words):
            return False
        if self._language.has("marks.change", later.line.text):
            answer = self._answer_in(first)
            if self._shares_name(answer, first, later) and (
                self._weigh(answer & later.words) >= _RETOLD
            ):
                return True
            about = self._asked_words & first.words & later.words
            if not self._shares_name(self._asked_words, first, later):
                return False
            subject = about & frozenset(self._held[later.line.number][:_SUBJECT])
            return self._weigh(about) >= _SHARED if self._number else bool(subject)
        return self._number and self._shared_weight(first, later, self._asked_words) >= 2 * _SHARED

    def _shares_name(self, words: frozenset[str], first: _Scored, later: _Scored) -> bool:
        """False if the first line has names among these words and the later one has none of them:
        "Mrs Odilia" is not "Mrs Ofelia"."""
        capital = (word for word in first.line.text.split()[1:] if word[:1].isupper())
        names = words & frozenset(self._language.index_words(" ".join(capital)))
        return not names or bool(names & later.words)

    def _shared_weight(
        self, one: _Scored, other: _Scored, besides: frozenset[str] = frozenset()
    ) -> float:
        """The weight of the words that two lines share; one as rare as a name weighs 1."""
        return self._weigh((one.words & other.words) - self._small - besides)

    def _weigh(self, shared: Iterable[str]) -> float:
        return sum(min(1.0, self._rarity.get(word, 0.0) / (0.8 * self._most)) for word in shared)

    def _answer_in(self, first: _Scored) -> frozenset[str]:
        """The words that a line has in one clause with the words asked for: its answer."""
        clauses = (
            frozenset(self._language.index_words(each))
            for each in self._language.clauses(first.line.text)
        )
        beside = (clause for clause in clauses if clause & self._asked_words)
        return frozenset(chain.from_iterable(beside)) - self._asked_words - self._small

    def beside(self, first: _Scored) -> Iterator[_Scored]:
        """Lines that explain the first: the next one if that goes on with "it"; the one before if
        the first itself does; one that covers what the first does not; or, if the first leaves much
        of the question open, one about the same person or thing."""
        after, before = self._neighbour(first.line, 1), self._neighbour(first.line, -1)
        if self._introduces and not self.names:
            yield max(self.scored, key=lambda each: (each.score, each.line.number))
        if after and self._points_back(after):
            yield after
        if before and self._points_back(first):
            yield before
        for each in sorted(self.scored, key=lambda other: other.score, reverse=True)[:4]:
            adds = any(a > b + 0.1 for a, b in zip(each.shares, first.shares, strict=True))
            if adds and each.score >= _BESIDE * first.score and not self._may_mislead(each, first):
                yield self._successor(each) or each
        if first.own < _ENOUGH:
            names = self._names_in(first)
            near = [
                each
                for each in self.scored
                if each.words & names and not is_question(each.line.text, self._language)
            ]
            for each in sorted(near, key=lambda each: abs(each.line.number - first.line.number)):
                if not self._may_mislead(each, first):
                    yield each

    def _names_in(self, first: _Scored) -> frozenset[str]:
        """The words right beside those that were asked for: in "my wife Sandra", her name."""
        spoken = self._held[first.line.number]
        places = [place for place, word in enumerate(spoken) if word in self._asked_words]
        beside = {
            word
            for place in places
            for word in spoken[max(0, place - _NEAR) : place + _NEAR + 1]
            if not any(map(str.isdigit, word))
        }
        return frozenset(beside - self._asked_words - self._small)

    def _may_mislead(self, each: _Scored, first: _Scored) -> bool:
        """True if a line beside the first might tell what is no longer true."""
        older = each.line.number < first.line.number
        both = any(
            a > RELATED and b > RELATED for a, b in zip(each.shares, first.shares, strict=True)
        )
        return self._number or (older and (both or not first.own))

    def _points_back(self, each: _Scored) -> bool:
        return self._language.begins("marks.pronouns", each.line.text)

    def _neighbour(self, line: Line, step: int) -> _Scored | None:
        beside = self._by_number.get(line.number + step)
        return beside if beside and beside.line.session == line.session else None


def outdated_lines(
    some: Iterable[Line], lines: Sequence[Line], language: Language
) -> frozenset[int]:
    """The numbers of those of `some` that a later line corrects or replaces."""
    if not lines:
        return frozenset()
    asked = _Asked("", lines, language, lines[-1].at)
    return frozenset(line.number for line in some if asked.is_replaced(line))


def _pieces(spoken: Iterable[str]) -> frozenset[str]:
    """What words are made of, four letters each."""
    return frozenset(
        word[start : start + 4] for word in spoken for start in range(max(1, len(word) - 3))
    )


def _dot(weights: Iterable[float], shares: Iterable[float]) -> float:
    return sum(weight * share for weight, share in zip(weights, shares, strict=True))


def _count(found: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in found:
        counts[word] = counts.get(word, 0) + 1
    return counts


@cache
def _calendar() -> frozenset[str]:
    """The index words of weekdays and months."""
    listed = all_of(lambda dates: chain(*dates.months, *dates.weekdays))
    return frozenset(stem for word in listed for stem in words(word))
