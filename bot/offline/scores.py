"""Scores a person's own lines by how much of a question they cover; rare words count more. Pure."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain

from bot.offline.facts import denies
from bot.offline.language import Language
from bot.offline.terms import RELATED, earliness, forms_of, share_of, terms_of
from bot.offline.wishes import is_command, is_question
from memory.records import Speaker
from memory.safety.escaping import without_markers
from memory.search.lexicon.lexicon import all_of
from memory.search.query import Term
from memory.search.text import small_stems, words

#: What a line gains or loses: it has a date or number where one is asked for; it stands right after
#: one that covers the question; it is quoted; it is a joke, or has ended; it is
#: about somebody else.
_FITS, _UNFIT, _AFTER, _QUOTED, _UNREAL, _OTHERS = 1.3, 0.8, 0.6, 0.7, 0.85, 0.5
#: What a line gains at most if it begins with what is asked for.
_TOPIC = 0.15
#: What a line with "I" gains if the question is about the person who asks.
_OWN = 1.15
#: The subject of a line is among its first index words.
SUBJECT = 3
#: What may be a date or a time: the number of a day, a year, an hour with minutes.
_DATE = re.compile(r"(?<![\d.,:])(?:[0-2]?\d|3[01])(?![\d])|\b(?:19|20)\d\d\b")
#: In their first line with this many words, people tend to say who they are and what they do. What
#: it gains if a question asks for that.
_SENTENCE, _INTRODUCES = 4, 0.7
#: How much a line looks like the question if it is about the same person, or denies as it does.
_ALIKE = 2.0


@dataclass(frozen=True)
class Line:
    """Something a person said. `number` is its place in the order of all lines. An `ended` line is
    known to be no longer true. A `learned` one is a record: no message says it in these words."""

    text: str
    at: datetime
    number: int
    session: str | None = None
    ended: bool = False
    speaker: Speaker | None = None
    learned: bool = False

    @property
    def quoted(self) -> bool:
        """True if it is somebody else's words."""
        return self.text.lstrip().startswith(">")

    @property
    def source(self) -> tuple[str, str]:
        """Who wrote it, if that was not the person who said it, and the words themselves."""
        words = without_markers(self.text)
        first, _, rest = words.partition("\n")
        if self.quoted and rest and first.endswith(":"):
            return first[:-1], rest
        return "", words if self.quoted else self.text


@dataclass(frozen=True)
class ScoredLine:
    """A line, and how well it fits a question."""

    line: Line
    words: frozenset[str]
    #: How much it covers of each term.
    shares: tuple[float, ...]
    score: float = 0.0
    #: The share of the question that its own words cover, without related ones.
    own: float = 0.0


class Scores:
    """A question beside the lines that may answer it."""

    def __init__(
        self, question: str, lines: Sequence[Line], language: Language, now: datetime
    ) -> None:
        self.language = language
        self.asks_name = language.has("asks.name", question)
        self.asks_past = language.has("asks.past", question)
        self._about_me = language.has("asks.me", question)
        # "Who is my landlord?" wants the present one; "who is Wendy?" wants her introduced.
        self.introduces = language.finds("asks.who", question) and not self._about_me
        self._when = language.has("asks.when", question)
        self.asks_number = self._when or language.has("asks.number", question)
        self._style = language.asks_for_style(question)
        self._asks_own = language.has("asks.i", question)
        home = language.slot_asked(question) == "home"
        self._asks_who_i_am = home or (
            (self._about_me or self._asks_own) and language.has("asks.job", question)
        )
        self._introduction = introduction(lines, language)
        self._terms = terms_of(question, language, now)
        self._only_who_i_am = self._asks_who_i_am and len(self._terms) <= 1
        #: The index words of each line, in order.
        self.held = {line.number: language.index_words(line.text) for line in lines}
        #: The index words that are written like names somewhere.
        self.names = frozenset(
            language.index_words(
                " ".join(
                    word
                    for line in lines
                    if not line.quoted
                    for word in line.text.split()[1:]
                    if word[:1].isupper()
                )
            )
        )
        count = len(lines)
        seen = _count(chain.from_iterable(map(frozenset, self.held.values())))
        self._most = math.log(1 + (count + 1) / 1.5)
        self._rarity = {word: math.log(1 + (count + 1) / (n + 0.5)) for word, n in seen.items()}
        self.small = small_stems() | _calendar() | language.small_stems
        self._weights = [self._weight(term) for term in self._terms]
        self._forms = [(term, forms_of(term, seen)) for term in self._terms]
        self.asked = frozenset(word for term in self._terms for word in term.exact).union(
            *(forms for _, forms in self._forms)
        )
        covers = {line.number: self._cover(line) for line in lines}
        self.lines = [
            self._lift(each, covers.get(each.line.number - 1)) for each in covers.values()
        ]
        self._by_number = {each.line.number: each for each in self.lines}

    def at(self, number: int) -> ScoredLine:
        """The line at a place in the order of all lines."""
        return self._by_number[number]

    def of(self, line: Line) -> ScoredLine:
        """One of the lines, scored."""
        return self._by_number[line.number]

    def neighbour(self, line: Line, step: int) -> ScoredLine | None:
        """The line so many places after this one, if it belongs to the same session."""
        beside = self._by_number.get(line.number + step)
        return beside if beside and beside.line.session == line.session else None

    def _weight(self, term: Term) -> float:
        known = [self._rarity[word] for word in term.exact if word in self._rarity]
        return max(known) if known else self._most

    def _cover(self, line: Line) -> ScoredLine:
        held = frozenset(self.held[line.number])
        shares = tuple(share_of(term, forms, held) for term, forms in self._forms)
        total = sum(self._weights) or 1.0
        score = _dot(self._weights, shares) / total
        own = _dot(self._weights, (s if s > RELATED else 0.0 for s in shares)) / total
        if self._style and (sets := self.language.style_share(line.text)):
            # "Can you keep it short?" is one, too.
            score, own = score + sets, own + sets
        elif score and (
            is_question(line.text, self.language) or is_command(line.text, self.language)
        ):
            return ScoredLine(line, held, tuple(0.0 for _ in shares))
        if self._asks_who_i_am and line.number == self._introduction:
            score += _INTRODUCES if self._only_who_i_am else RELATED
        score *= self._fitness(line, held)
        return ScoredLine(line, held, shares, score, own)

    def _fitness(self, line: Line, held: frozenset[str]) -> float:
        """How well a line fits the question, whatever of it its words cover."""
        fitness = 1 + _TOPIC * earliness(self.held[line.number], self._terms)
        if self._about_me and self.language.has("asks.i", line.text):
            fitness *= _OWN
        if self._is_about_another(line):
            fitness *= _OTHERS
        if self.asks_number:
            fitness *= _FITS if self._has_value(line, held) else _UNFIT
        if line.quoted:
            fitness *= 0.0 if self._about_me else _QUOTED
        if line.ended or self.language.finds("marks.unreal", line.text):
            fitness *= _UNREAL
        return fitness

    def _is_about_another(self, line: Line) -> bool:
        """True if the question is about the person who asks, and a line about somebody else."""
        subject = self.names.intersection(self.held[line.number][:SUBJECT]) - self.asked
        return self._asks_own and bool(subject) and not self.speaks_of_me(line.text)

    def _lift(self, each: ScoredLine, before: ScoredLine | None) -> ScoredLine:
        """A line that goes on with "it" is about the same thing as the line before it."""
        together = before is not None and before.line.session == each.line.session
        if before is None or not together or not self.points_back(each):
            return each
        score = each.score + _AFTER * before.score
        return replace(each, score=score, own=each.own + _AFTER * before.own)

    def points_back(self, each: ScoredLine) -> bool:
        """True if a line goes on with "it" or "instead": it is about what the line before tells."""
        text = each.line.text
        return self.language.begins("marks.pronouns", text) or self.language.opens(
            "marks.instead", text
        )

    def has_value(self, each: ScoredLine) -> bool:
        """True if a line has a number, or one that may be a date, a weekday or a month where a
        time is asked for."""
        return self._has_value(each.line, each.words)

    def _has_value(self, line: Line, held: frozenset[str]) -> bool:
        if self.language.has("marks.over", line.text):
            return True
        if self._when:
            return bool(held & _calendar()) or _DATE.search(line.text) is not None
        return any(map(str.isdigit, chain.from_iterable(held - self.asked)))

    def closest(self, question: str, most: int) -> tuple[Line, ...]:
        """The lines that look most like a question that none has a word of: cognates, compounds and
        forms that no stem unites; then those that speak of the same person, and deny as it does."""
        asked = _pieces(word for term in self._terms for word in term.exact)
        told = [
            each
            for each in self.lines
            if not (each.line.quoted or is_question(each.line.text, self.language))
        ]
        held = {each.line.number: _pieces(each.words) & asked for each in told}
        seen = _count(chain.from_iterable(held.values()))

        def likeness(each: ScoredLine) -> tuple[float, int]:
            rare = sum(math.log(1 + len(told) / seen[piece]) for piece in held[each.line.number])
            own = self.speaks_of_me(question) and self.speaks_of_me(each.line.text)
            alike = denies(question) and denies(each.line.text)
            return rare + _ALIKE * (own + alike), each.line.number

        best = sorted(told, key=likeness, reverse=True)[:most]
        return tuple(each.line for each in best if likeness(each)[0] > 0)

    def speaks_of_me(self, text: str) -> bool:
        """True if a text has a word with which people speak of themselves."""
        return self.language.has("asks.me", text) or self.language.has("asks.i", text)

    def weigh(self, shared: Iterable[str]) -> float:
        """The weight of words; one as rare as a name weighs 1."""
        return sum(min(1.0, self._rarity.get(word, 0.0) / (0.8 * self._most)) for word in shared)

    def answer_in(self, first: ScoredLine) -> frozenset[str]:
        """The words that a line has in one clause with the words asked for: its answer."""
        clauses = (
            frozenset(self.language.index_words(each))
            for each in self.language.clauses(first.line.text)
        )
        beside = (clause for clause in clauses if clause & self.asked)
        return frozenset(chain.from_iterable(beside)) - self.asked - self.small


def introduction(lines: Sequence[Line], language: Language) -> int | None:
    """The first line long enough to say who somebody is."""
    told = (line for line in lines if len(language.index_words(line.text)) >= _SENTENCE)
    return next((each.number for each in told if not is_question(each.text, language)), None)


def _pieces(spoken: Iterable[str]) -> frozenset[str]:
    """What words are made of, three letters each; their beginnings and ends are pieces, too."""
    edged = (f" {word} " for word in spoken)
    return frozenset(word[start : start + 3] for word in edged for start in range(len(word) - 2))


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
