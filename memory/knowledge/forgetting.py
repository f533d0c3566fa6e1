"""What else says a thing that is to be forgotten: a fact that is deleted, while the message it came
from is still found, is not forgotten. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

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
    """A record that is forgotten, or would be, and what goes with it: the archived messages and the
    summaries that would tell it again, and the turns of sessions that are not extracted yet. With
    it all of that can be brought back: whoever holds it holds the texts."""

    actor: Actor
    record: Record
    messages: tuple[Record, ...] = ()
    summaries: tuple[Record, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All records that go, the one it is about first."""
        return (self.record, *self.summaries, *self.messages)

    @property
    def said(self) -> int:
        """How many messages go, each counted once: a turn under way may be archived as well."""
        turns = {turn.id for turn in self.turns}
        archived = [message for message in self.messages if turns.isdisjoint(message.turn_ids)]
        spoken = (m for turn in self.turns for m in turn.messages if m.text.strip())
        return len(archived) + sum(1 for _ in spoken)


def mentions(statement: str) -> Callable[[str], bool]:
    """A predicate: whether a text says the statement, perhaps among other things and to somebody
    else."""
    # Once for what may be tens of thousands of texts.
    tell = telling(statement, lambda: words(statement))

    def says(text: str) -> bool:
        return tell <= frozenset(words(text)) and share_in(statement, text) >= CARRIED_SHARE

    return says


def plan_deletion(
    actor: Actor, record: Record, others: Iterable[Record], turns: Iterable[Turn]
) -> Forgotten:
    """What goes when the actor's record is forgotten, of their other records and of these turns:
    the messages and turns it came from, and whatever says it again."""
    own, says = frozenset(record.turn_ids), mentions(record.text)
    going = [
        other
        for other in others
        if other.id != record.id
        and (
            (other.kind is Kind.MESSAGE and own & frozenset(other.turn_ids))
            or (other.kind in (Kind.MESSAGE, Kind.SUMMARY) and says(other.text))
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
    """The fact or preference, superseded by whichever of the current ones has answered its question
    since, has said it again or has turned it round."""
    newer = [
        other.created_at
        for other in current
        if other.speaker == record.speaker
        and other.created_at > record.created_at
        and _replaces(other, record)
    ]
    return replace(record, superseded_at=min(newer)) if newer and record.current else record


def _replaces(new: Record, old: Record) -> bool:
    """Whether the one would not stand beside the other, had it been kept while that was there."""
    if new.slot and new.slot == old.slot:
        return True
    if old.kind is Kind.SUMMARY:
        return False
    told, before = Statement(new.text), Statement(old.text)
    return told.same(before) or told.revises(before)
