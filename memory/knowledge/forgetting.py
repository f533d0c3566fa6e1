"""Finds everything else that says what is to be forgotten: a deleted fact is not forgotten while
the message it came from can still be found."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from memory.knowledge.lineage import earlier_wordings
from memory.knowledge.phrasing import all_words, parse_text, phrasing_of
from memory.knowledge.twins import are_twins
from memory.learning.sameness import repeats
from memory.records import Actor, Amendment, Evidence, Kind, Record, Role, Turn
from memory.search.resemblance import telling
from memory.search.text import wording, words
from memory.traces import Remainder, Traces, is_same_moment

#: Other texts are searched for the words of evidence, or for a sentence of a message, only if these
#: have so many telling words: "mine retired" says nothing by itself.
_TELLING = 3

#: After what ends a sentence. A point in "6.40" ends none.
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？؟])|\n+")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A record that is or would be forgotten, and what goes with it: the archived messages and
    summaries that say it too, the turns of sessions that are not extracted yet, what it had
    superseded, its twins (see memory.knowledge.twins), and the same words where they are evidence
    of other records (`amendments`). It holds the texts, so everything can be restored from it.
    `along` are the ids of turns and summaries that only repeat it or ask to forget it. `silenced`
    are turns that stay for what the user states in them, without the tools, which alone had told
    it. `remainder` is what a service behind the store has not deleted yet; None without one."""

    actor: Actor
    record: Record
    messages: tuple[Record, ...] = ()
    summaries: tuple[Record, ...] = ()
    turns: tuple[Turn, ...] = ()
    silenced: tuple[Turn, ...] = ()
    history: tuple[Record, ...] = ()
    twins: tuple[Record, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    along: frozenset[str] = frozenset()
    remainder: Remainder | None = None

    @property
    def records(self) -> tuple[Record, ...]:
        """All records that are deleted, the main one first."""
        return (self.record, *self.history, *self.twins, *self.summaries, *self.messages)

    @property
    def mentions(self) -> Callable[[str], bool]:
        """A predicate that is True for texts that say what is forgotten."""
        return _says_one_of((self.record, *self.history, *self.twins))

    @property
    def traces(self) -> Traces:
        """How a store recognizes it in what it keeps besides records."""
        told = (self.record, *self.history, *self.twins)
        moments = [each.created_at for each in told if not _turns(each)]
        moments += [turn.messages[0].at for turn in self.turns]
        return Traces(
            tuple(_statements(told)),
            self.turns,
            tuple(dict.fromkeys(moments)),
            whole=self.record.kind is Kind.MESSAGE,
        )

    @property
    def statements(self) -> int:
        """In how many other messages people state it: neither questions, answers nor requests to
        forget it."""
        return sum(self._says_it())

    @property
    def is_repeated(self) -> bool:
        """True if questions, answers or requests are deleted too."""
        return not all(self._says_it())

    def _says_it(self) -> Iterator[bool]:
        """For each other message that is deleted, whether it states this. A turn of an open session
        may be archived as well: it counts once."""
        turns = {turn.id for turn in self.turns}
        for message in self.messages:
            if turns.isdisjoint(message.turn_ids):
                asked = not self.along.isdisjoint(message.turn_ids)
                yield states(message.role, message.text) and not asked
        itself = self.record.turn_ids if self.record.kind is Kind.MESSAGE else ()
        for turn in self.turns:
            for spoken in turn.messages:
                if spoken.text.strip() and not (
                    turn.id in itself and spoken.role is self.record.role
                ):
                    yield states(spoken.role, spoken.text) and turn.id not in self.along


def states(role: Role, text: str) -> bool:
    """True for a message unless the assistant wrote it, or the user only asked: a statement beside
    a question counts."""
    return role is Role.USER and any(_sentences(text))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text that are no questions."""
    for sentence in _SENTENCE_END.split(text):
        if any(map(str.isalnum, sentence)) and not sentence.rstrip().endswith(("?", "？", "؟")):
            yield sentence


def mentions(*statements: str, retold: bool = False) -> Callable[[str], bool]:
    """A predicate that is True for texts that say one of the statements, even among other things
    or to somebody else; with `retold`, also for those that say it in other words of the same
    meaning, for statements that a store has put into its own."""
    # Computed once, because there may be tens of thousands of texts.
    phrasings = list(filter(None, map(phrasing_of, statements)))

    def says(text: str) -> bool:
        here = all_words(text)
        if any(phrasing.is_in(here) for phrasing in phrasings):
            return True
        return retold and any(phrasing.is_retold_in(parse_text(text)) for phrasing in phrasings)

    return says


def _statements(records: Iterable[Record]) -> list[str]:
    """What must not be told again: what the records say, the words they are based on, and each
    statement in a message of the user's."""
    said = [record.text for record in records]
    for record in records:
        parts = [each.words for each in record.evidence]
        if record.kind is Kind.MESSAGE and record.role is Role.USER:
            parts += _sentences(record.text)
        said += [part for part in parts if len(telling(part, partial(words, part))) >= _TELLING]
    return list(dict.fromkeys(said))


def plan_deletion(
    actor: Actor,
    record: Record,
    others: Sequence[Record],
    turns: Iterable[Turn],
    along: Collection[str] = (),
) -> Forgotten:
    """Decides what is deleted together with the actor's record, of their `others` and `turns`: the
    messages and turns it came from, what it had superseded, everything that repeats it, and the
    turns and summaries with the ids `along`."""
    chain = (record, *earlier_wordings(record, others))
    going = {each.id for each in chain}
    left = [other for other in others if other.id not in going]
    twins = [other for other in left if any(_is_twin(other, each) for each in chain)]
    came_from = {turn_id for each in chain for turn_id in _turns(each)}
    own = came_from.union(along)
    says, source = _says_one_of((*chain, *twins)), _Source(chain)
    stated = frozenset(word for each in chain for word in words(each.text))
    gone, silenced = _sort_turns(turns, says, lambda turn: turn.id in own or source.is_turn(turn))
    sources = [turn for turn in gone if turn.id in came_from or source.is_turn(turn)]
    source.add(sources)
    sessions = {record.session_id, *(turn.session_id for turn in sources)} - {None}
    twins += [other for other in left if other not in twins and source.is_of(other)]

    staying = [other for other in left if other not in twins]

    def names(summary: Record) -> bool:
        """True if the session's summary has a topic that the statement names: greetings and
        prompts would go on to tell it."""
        topics = (telling(topic, partial(words, topic)) for topic in summary.topics)
        named = any(topic and topic <= stated for topic in topics)
        return summary.session_id in sessions and (named or source.is_in(summary))

    return Forgotten(
        actor,
        record,
        tuple(
            other
            for other in left
            if other.kind is Kind.MESSAGE and (own.intersection(other.turn_ids) or says(other.text))
        ),
        tuple(
            other
            for other in left
            if other.kind is Kind.SUMMARY
            and (other.id in along or says(other.text) or names(other))
        ),
        tuple(gone),
        tuple(silenced),
        chain[1:],
        tuple(twins),
        tuple(filter(None, (_without_quotes(other, chain, says) for other in staying))),
        frozenset(along),
    )


def _sort_turns(
    turns: Iterable[Turn], says: Callable[[str], bool], is_source: Callable[[Turn], bool]
) -> tuple[list[Turn], list[Turn]]:
    """The turns that are deleted, and those that only lose their tools, without these."""
    gone, silenced = list[Turn](), list[Turn]()
    for turn in turns:
        told = is_source(turn) or any(says(message.text) for message in turn.messages)
        looked_up = any(says(text) for use in turn.tools for text in (use.arguments, use.result))
        # A turn that is not kept asked to forget this, and nothing is learned from it.
        stays = turn.kept and any(states(m.role, m.text) for m in turn.messages)
        if told or (looked_up and not stays):
            gone.append(turn)
        elif looked_up:
            silenced.append(replace(turn, tools=()))
    return gone, silenced


def _is_extracted(record: Record) -> bool:
    """True for what a store has extracted by itself. It has neither evidence nor turns, and the
    date of its source."""
    return not (record.evidence or record.turn_ids or record.kind is Kind.MESSAGE)


def _is_twin(one: Record, other: Record) -> bool:
    """True if two records say the same, or if the first was extracted by a store and says the
    other in its own words."""
    learned = {one.kind, other.kind} <= {Kind.FACT, Kind.PREFERENCE}
    if one.speaker != other.speaker or not learned:
        return False
    if are_twins(one, other) or (one.current and repeats(one, other)):
        return True
    phrasing = phrasing_of(other.text) if _is_extracted(one) else None
    return phrasing is not None and phrasing.is_retold_in(parse_text(one.text))


def _says_one_of(records: Sequence[Record]) -> Callable[[str], bool]:
    return mentions(*_statements(records), retold=any(map(_is_extracted, records)))


class _Source:
    """Where records came from, if the store tells only when that was said."""

    def __init__(self, chain: Sequence[Record]) -> None:
        self._told = {each.created_at for each in chain if not _turns(each)}
        self._said = set[datetime]()
        self._phrasings = list(filter(None, (phrasing_of(each.text) for each in chain)))

    def add(self, turns: Iterable[Turn]) -> None:
        """These turns told it, too."""
        self._said.update(turn.messages[0].at for turn in turns)

    def is_turn(self, turn: Turn) -> bool:
        """True if the records may be extracted from this turn."""
        at = turn.messages[0].at
        return any(is_same_moment(told, at) for told in self._told) and self._says_most_of_it(
            turn.said
        )

    def is_of(self, record: Record) -> bool:
        """True for a fact or preference that was extracted from the same words."""
        if not _is_extracted(record) or record.kind is Kind.SUMMARY:
            return False
        moments = (*self._told, *self._said)
        near = any(is_same_moment(record.created_at, moment) for moment in moments)
        return near and self._says_most_of_it(record.text)

    def is_in(self, summary: Record) -> bool:
        """True if a store's summary of the same session seems to tell it."""
        return _is_extracted(summary) and self._says_most_of_it(summary.text)

    def _says_most_of_it(self, text: str) -> bool:
        here = parse_text(text)
        return any(phrasing.is_mostly_in(here) for phrasing in self._phrasings)


def _turns(record: Record) -> set[str]:
    """The turns that a record came from; none for a summary, whose turns say much else."""
    if record.kind is Kind.SUMMARY:
        return set()
    return {*record.turn_ids, *(each.turn_id for each in record.evidence)} - {""}


def _without_quotes(
    other: Record, chain: Iterable[Record], says: Callable[[str], bool]
) -> Amendment | None:
    """The amendment that takes the forgotten words out of a remaining record's evidence."""
    quotes = [each for record in chain for each in record.evidence]
    told = [
        each
        for each in other.evidence
        if says(each.words) or any(_overlap(each, quote) for quote in quotes)
    ]
    return Amendment(other.id, forgotten=tuple(told)) if told else None


def _overlap(one: Evidence, other: Evidence) -> bool:
    """True if two pieces of evidence quote the same words of one turn."""
    first, second = wording(one.words), wording(other.words)
    return (
        one.turn_id == other.turn_id != "" and bool(first) and (first in second or second in first)
    )


def mark_outdated(record: Record, current: Iterable[Record]) -> Record:
    """The record, marked as superseded if a current one has since answered its question or repeated
    it."""
    newer = [
        other.created_at
        for other in current
        if other.speaker == record.speaker
        and other.created_at > record.created_at
        and (
            (other.slot and other.slot == record.slot)
            or (record.kind is not Kind.SUMMARY and wording(other.text) == wording(record.text))
        )
    ]
    return replace(record, superseded_at=min(newer)) if newer and record.current else record
