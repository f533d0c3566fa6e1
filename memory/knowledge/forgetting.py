"""Finds what else says a thing that is to be forgotten: a deleted fact is not forgotten while the
message it came from can still be found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from memory.learning.grounding import share_in
from memory.learning.statement import Statement
from memory.records import Actor, Kind, Record, Turn
from memory.search.resemblance import telling
from memory.search.text import words

#: A text says a statement again if it has all its telling words and this share of all its words:
#: "You work at Acme" says "I work at Acme", "the Acme of art" does not.
CARRIED_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A record that is or would be forgotten, and what goes with it: the archived messages and
    summaries that say it too, and the turns of sessions that are not extracted yet. It holds the
    texts, so everything can be restored from it."""

    actor: Actor
    record: Record
    messages: tuple[Record, ...] = ()
    summaries: tuple[Record, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All records that are deleted, the main one first."""
        return (self.record, *self.summaries, *self.messages)

    @property
    def said(self) -> int:
        """How many messages are deleted, each counted once: a turn of an open session may be
        archived as well."""
        turns = {turn.id for turn in self.turns}
        archived = [message for message in self.messages if turns.isdisjoint(message.turn_ids)]
        spoken = (m for turn in self.turns for m in turn.messages if m.text.strip())
        return len(archived) + sum(1 for _ in spoken)


def mentions(statement: str) -> Callable[[str], bool]:
    """A predicate that is True for texts that say the statement, even among other things or to
    somebody else."""
    # Once for what may be tens of thousands of texts.
    tell = telling(statement, lambda: words(statement))

    def says(text: str) -> bool:
        return tell <= frozenset(words(text)) and share_in(statement, text) >= CARRIED_SHARE

    return says


def plan_deletion(
    actor: Actor,
    record: Record,
    others: Iterable[Record],
    turns: Iterable[Turn],
    asked_in: Iterable[str] = (),
) -> Forgotten:
    """What goes when the actor's record is forgotten, of their `others` and `turns`: the messages
    and turns it came from, those that were `asked_in`, and everything that repeats it."""
    own, says, stated = (
        frozenset((*record.turn_ids, *asked_in)),
        mentions(record.text),
        frozenset(words(record.text)),
    )

    def names(summary: Record) -> bool:
        """True if the session's summary has a topic that the statement names: greetings and
        prompts would go on to tell it."""
        here = record.session_id is not None and summary.session_id == record.session_id
        topics = (telling(topic, partial(words, topic)) for topic in summary.topics)
        return here and any(topic and topic <= stated for topic in topics)

    going = [
        other
        for other in others
        if other.id != record.id
        and (
            (other.kind is Kind.MESSAGE and own & frozenset(other.turn_ids))
            or (other.kind in (Kind.MESSAGE, Kind.SUMMARY) and says(other.text))
            or (other.kind is Kind.SUMMARY and names(other))
        )
    ]
    telling_turns = [
        turn for turn in turns if turn.id in own or any(says(m.text) for m in turn.messages)
    ]
    return Forgotten(
        actor,
        record,
        tuple(other for other in going if other.kind is Kind.MESSAGE),
        tuple(other for other in going if other.kind is Kind.SUMMARY),
        tuple(telling_turns),
    )


def mark_outdated(record: Record, current: Iterable[Record]) -> Record:
    """The record, marked as superseded if a current one has since answered its question, repeated
    it or reversed it."""
    newer = [
        other.created_at
        for other in current
        if other.speaker == record.speaker
        and other.created_at > record.created_at
        and _replaces(other, record)
    ]
    return replace(record, superseded_at=min(newer)) if newer and record.current else record


def _replaces(new: Record, old: Record) -> bool:
    """True if the new record would have replaced the old one."""
    if new.slot and new.slot == old.slot:
        return True
    if old.kind is Kind.SUMMARY:
        return False
    told, before = Statement(new.text), Statement(old.text)
    return told.same(before) or told.revises(before)
