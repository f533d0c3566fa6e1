"""What people had erased, and how it is recognized when AWS shows it again: extraction that was
under way writes it minutes or days later, in words of AWS's own, and reads go on showing for a
while what is gone."""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any, Self

from memory.knowledge.phrasing import ParsedText, Phrasing, parse_text, phrasing_of
from memory.records import Actor, Kind, Record
from memory.traces import is_same_moment

#: A word is kept as so many hexadecimal digits of its hash: too few to tell which word it was.
_DIGITS = 4
#: By how much the source is older than its record, if AWS gives no time for the source.
_LAG = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Recognizes texts that say a forgotten thing, without keeping its words."""

    key: str
    phrasings: tuple[Phrasing, ...]

    @classmethod
    def of(cls, statements: Iterable[str]) -> Self:
        key = secrets.token_hex(8)
        mark = partial(_mark, key)
        told = filter(None, map(phrasing_of, dict.fromkeys(statements)))
        return cls(key, tuple(phrasing.replace_words(mark) for phrasing in told))

    def is_told_in(self, text: str) -> bool:
        """True if the text says it, in the person's words or in AWS's."""
        here = self._mark_words(text)
        return any(each.is_in(here.words) or each.is_retold_in(here) for each in self.phrasings)

    def is_stated_in(self, text: str) -> bool:
        """True if the text, a statement of AWS's, says it of the person and of nobody else."""
        here = self._mark_words(text)
        return any(phrasing.is_retold_in(here) for phrasing in self.phrasings)

    def is_mostly_in(self, text: str) -> bool:
        """True if the text has most of its words: enough if it comes from where it was said."""
        here = self._mark_words(text)
        return any(phrasing.is_mostly_in(here) for phrasing in self.phrasings)

    def shares_a_word_with(self, text: str) -> bool:
        """True if the text has any of its words: enough if it was made of what is deleted."""
        here = self._mark_words(text)
        return any(phrasing.shares_a_word_with(here) for phrasing in self.phrasings)

    def _mark_words(self, text: str) -> ParsedText:
        return parse_text(text).replace_words(partial(_mark, self.key))


def _mark(key: str, word: str) -> str:
    name = word.encode("utf-8", "replace")
    return blake2b(name, key=bytes.fromhex(key)).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)
class Trace:
    """One forgotten thing: the ids of its records, the turns and sessions that told it, and when
    they were said; `whole` if it is all that was said then."""

    fingerprint: Fingerprint
    records: frozenset[str] = frozenset()
    turns: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    times: tuple[datetime, ...] = ()
    whole: bool = False

    def covers(self, row: Mapping[str, Any], record: Record, asked_at: datetime) -> bool:
        """True if AWS must no longer show this record. What was said after the request stays."""
        if record.id in self.records:
            return True
        if is_ours(row):
            return False
        late = row["createdAt"] > asked_at and self.was_said_at(source_time(row))
        if record.kind is Kind.SUMMARY:
            if late and self.fingerprint.shares_a_word_with(record.text):
                return True
            # AWS writes it anew with every turn of its session, from what it has of the earlier.
            if record.session_id not in self.sessions:
                return source_time(row) <= asked_at and self.fingerprint.is_told_in(record.text)
            if self.whole:
                # A summary leaves most of a message out: better one summary too few.
                return self.fingerprint.shares_a_word_with(record.text)
            return self.fingerprint.is_mostly_in(record.text)
        if source_time(row) > asked_at:
            return False
        return self.fingerprint.is_stated_in(record.text) or (
            late and (self.whole or self.fingerprint.is_mostly_in(record.text))
        )

    def was_said_at(self, moment: datetime) -> bool:
        """True if one of the turns was said then."""
        return any(is_same_moment(moment, at) for at in self.times)

    def add_sessions(self, ids: Iterable[str]) -> Self:
        """The trace with more sessions that told it."""
        return replace(self, sessions=self.sessions.union(ids))

    def dump(self) -> str:
        return json.dumps(
            {
                "key": self.fingerprint.key,
                "phrasings": [
                    [sorted(each.telling), sorted(each.own), each.core]
                    for each in self.fingerprint.phrasings
                ],
                "records": sorted(self.records),
                "turns": sorted(self.turns),
                "sessions": sorted(self.sessions),
                "times": [at.isoformat() for at in self.times],
                "whole": self.whole,
            }
        )

    @classmethod
    def load(cls, text: str) -> Self:
        """Raises ValueError, TypeError, LookupError."""
        kept = json.loads(text)
        phrasings = tuple(
            Phrasing(frozenset(telling), frozenset(own), tuple(core))
            for telling, own, core in kept["phrasings"]
        )
        return cls(
            Fingerprint(kept["key"], phrasings),
            frozenset(kept["records"]),
            frozenset(kept["turns"]),
            frozenset(kept["sessions"]),
            tuple(map(datetime.fromisoformat, kept["times"])),
            bool(kept.get("whole")),
        )


@dataclass(frozen=True, slots=True)
class Erasure:
    """A request to erase what is older than the request: everything of an actor, or one thing if
    there is a `trace`. `sweeps` counts how often AWS was searched for it, `next_sweep` is when to
    search again; `pending` is True while AWS may still have messages of it. Deleting it has failed
    ever since `failing_since`, if it has, the last time for the reason `why`."""

    actor: Actor
    asked_at: datetime
    next_sweep: datetime
    trace: Trace | None = None
    sweeps: int = 0
    pending: bool = True
    failing_since: datetime | None = None
    why: str = ""
    #: Its row in the outbox's file; 0 before it is written.
    row: int = 0

    def covers(self, row: Mapping[str, Any], record: Record) -> bool:
        """True if AWS must no longer show this record."""
        if self.trace:
            return self.trace.covers(row, record, self.asked_at)
        if is_ours(row):
            written_at: datetime = row["createdAt"]
            return max(record.created_at, written_at) <= self.asked_at
        return source_time(row) <= self.asked_at


def is_ours(row: Mapping[str, Any]) -> bool:
    """True for a record that we wrote, False for one that AWS has extracted."""
    return "created_at" in (row.get("metadata") or {})


def source_time(row: Mapping[str, Any]) -> datetime:
    """When the words behind one of AWS's own records were said; estimated if AWS does not tell."""
    moment: datetime = row.get("timestamp") or row["createdAt"] - _LAG
    return moment
