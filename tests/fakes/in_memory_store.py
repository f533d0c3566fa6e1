"""Long-term memory in a few dictionaries: the fake for tests, gone when the process ends.

Same port, same words, same ranking as the SQLite store, so that a test on it tells the truth."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.merging import Merging
from memory.records import LEARNED_KINDS, Actor, Draft, Hit, Kind, Record, Turn
from memory.search.entry import (
    Entry,
    by_assistant,
    entry,
    is_context,
)
from memory.search.query import parse
from memory.search.ranking import (
    CONTEXT,
    HEAD,
    OWN,
    REPLY,
    Candidate,
    Corpus,
    Evidence,
    Ranked,
    Weights,
    rank,
    shortlist,
)
from memory.search.resemblance import distinct, telling
from memory.search.text import clean, words


@dataclass(slots=True)
class _Person:
    """One actor's records by row, oldest first, what makes ids and turns unique, and the rows in
    which deleted records were, by id."""

    rows: dict[int, Record] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)
    counters: Counter[str] = field(default_factory=Counter)
    deleted: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "_Person":
        """The same again, to be changed without changing this."""
        return _Person(dict(self.rows), set(self.turns), Counter(self.counters), dict(self.deleted))

    def insert(self, record: Record) -> Record:
        """Give a record its id and keep it."""
        letter = record.kind.value[0]
        self.counters[letter] += 1
        self.counters["row"] += 1
        numbered = replace(record, id=f"{letter}{self.counters[letter]}")
        self.rows[self.counters["row"]] = numbered
        return numbered

    def delete(self, record_id: str) -> bool:
        """Drop a record, but for its place; whether it was there."""
        row = self.row_of(record_id)
        if row is not None:
            del self.rows[row]
            self.deleted[record_id] = row
        return row is not None

    def restore(self, record: Record) -> Record:
        """Put a record that was deleted back into its place, unless it is there."""
        if (there := self.row_of(record.id)) is not None:
            return self.rows[there]
        if record.id not in self.deleted:
            raise UnknownRecord(f"no record with the id {record.id!r} was deleted")
        self.rows[self.deleted.pop(record.id)] = record
        self.rows = dict(sorted(self.rows.items()))
        return record

    def row_of(self, record_id: str) -> int | None:
        """Where the record with this id is."""
        return next((row for row, record in self.rows.items() if record.id == record_id), None)


class InMemoryStore:
    """The LongTermMemory of tests."""

    extracts = False

    def __init__(self, *, relevance_decay: float = 0.9) -> None:
        self._weights = Weights(decay=relevance_decay)
        self._people: dict[Actor, _Person] = {}
        self._closed = False

    async def add_turn(self, actor: Actor, turn: Turn) -> None:
        """See LongTermMemory."""
        person = self._person(actor)
        if turn.id in person.turns:
            return
        person.turns.add(turn.id)
        for message in turn.messages:
            if text := clean(message.text):
                person.insert(
                    Record(
                        id="",
                        kind=Kind.MESSAGE,
                        text=text,
                        created_at=message.at,
                        session_id=turn.session_id,
                        turn_ids=(turn.id,),
                        role=message.role,
                        speaker=message.speaker,
                        place=turn.place,
                    )
                )

    async def commit(self, actor: Actor, drafts: Sequence[Draft]) -> list[Record]:
        """See LongTermMemory. Raises UnknownRecord, RefusedText."""
        copy = self._person(actor).copy()
        written = [_write(copy, draft) for draft in drafts]
        self._people[actor] = copy
        return written

    async def search(
        self,
        actor: Actor,
        query: str,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        limit: int = 10,
        min_relevance: float = 0.0,
        now: datetime | None = None,
    ) -> list[Hit]:
        """See LongTermMemory."""
        person = self._person(actor)
        at = now or datetime.now(UTC)
        ranked: list[Ranked] = []
        for shelf in (LEARNED_KINDS, (Kind.MESSAGE,)):
            rows = {r: x for r, x in person.rows.items() if x.kind in shelf and x.current}
            ranked += _search(rows, query, kinds, at, self._weights)
        ranked.sort(key=lambda one: one.relevance, reverse=True)
        relevant = [one for one in ranked if one.relevance >= min_relevance]

        records = [(person.rows[one.document], one.relevance) for one in relevant]
        found = (
            (Hit(record, min(1.0, relevance)), telling(record.text, partial(words, record.text)))
            for record, relevance in records
        )
        return distinct(found, limit)

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        """See LongTermMemory."""
        every = self._person(actor).rows.values()
        wanted = [r for r in every if r.kind in kinds and (r.current or include_superseded)]
        return sorted(wanted, key=lambda record: record.created_at)

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """See LongTermMemory."""
        person = self._person(actor)
        return [id_ for id_ in dict.fromkeys(record_ids) if person.delete(id_)]

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """See LongTermMemory. Ids stay. Raises UnknownRecord."""
        copy = self._person(actor).copy()
        restored = [copy.restore(record) for record in records]
        self._people[actor] = copy
        return restored

    async def erase(self, actor: Actor) -> None:
        """See LongTermMemory."""
        self._person(actor)
        self._people.pop(actor, None)

    async def move(self, actor: Actor, to: Actor) -> None:
        """See LongTermMemory."""
        source, target = self._person(actor), self._person(to)
        if actor == to:
            return
        merging = Merging(list(target.rows.values()))
        every = sorted(source.rows.values(), key=lambda record: record.created_at)
        for record in merging.missing(every):
            merging.added(record, target.insert(merging.renumbered(record)))
        for record_id, at in merging.ends():
            row = target.row_of(record_id)
            if row is not None:
                target.rows[row] = replace(target.rows[row], superseded_at=at)
        target.turns |= source.turns
        del self._people[actor]

    async def actors(self) -> list[Actor]:
        """See LongTermMemory."""
        return sorted(actor for actor, person in self._people.items() if person.rows)

    async def flush(self, actor: Actor) -> None:
        """See LongTermMemory. What was added is in place already."""

    async def aclose(self) -> None:
        """See LongTermMemory."""
        self._closed = True

    def _person(self, actor: Actor) -> _Person:
        if self._closed:
            raise StoreUnavailable("the memory is closed")
        return self._people.setdefault(actor, _Person())


def _write(person: _Person, draft: Draft) -> Record:
    if draft.kind not in LEARNED_KINDS:
        raise ValueError(f"a {draft.kind} is archived with its turn, not committed")
    text = clean(draft.text)
    if not text:
        raise RefusedText("There is nothing in this text to remember.")
    if draft.supersedes is not None:
        row = person.row_of(draft.supersedes)
        old = person.rows[row] if row is not None else None
        if row is None or old is None or not old.current or old.kind not in LEARNED_KINDS:
            raise UnknownRecord(f"no current record has the id {draft.supersedes!r}")
        person.rows[row] = replace(old, superseded_at=draft.created_at)
    return person.insert(
        Record(
            id="",
            kind=draft.kind,
            text=text,
            created_at=draft.created_at,
            session_id=draft.session_id,
            turn_ids=draft.turn_ids,
            slot=draft.slot,
            importance=draft.importance,
            topics=draft.topics,
            speaker=draft.speaker,
            event_date=draft.event_date,
            supersedes=draft.supersedes,
        )
    )


def _search(
    rows: Mapping[int, Record], text: str, kinds: Sequence[Kind], now: datetime, weights: Weights
) -> list[Ranked]:
    query = parse(text, now)
    entries = {row: entry(record) for row, record in rows.items()}
    postings = _postings(entries, set(query.index_words))
    total = sum(one.length for one in entries.values())
    spoken = any(map(is_context, rows.values()))
    corpus = Corpus(len(entries), total / max(1, len(entries)), spoken)
    evidence = Evidence(query, postings, corpus, weights)
    candidates = {
        row: Candidate(
            length=entries[row].length,
            at=rows[row].created_at.timestamp(),
            context=_context(rows, row),
            assistant=by_assistant(rows[row]),
            session=rows[row].session_id if is_context(rows[row]) else None,
            importance=rows[row].importance,
        )
        for row in shortlist(evidence)
        if row in rows and rows[row].kind in kinds
    }
    return rank(evidence, candidates, now.timestamp())


def _context(rows: Mapping[int, Record], row: int) -> int:
    """Where the context of a message begins; at itself for what is no message."""
    if not is_context(rows[row]):
        return row
    session = rows[row].session_id
    around = range(row - CONTEXT, row + 1)
    return min(r for r in around if r in rows and rows[r].session_id == session)


def _postings(entries: Mapping[int, Entry], asked: set[str]) -> dict[str, dict[int, int]]:
    postings: dict[str, dict[int, int]] = {word: {} for word in asked}
    for row, one in entries.items():
        for said, field_ in ((one.own, OWN), (one.reply, REPLY), (one.head, HEAD)):
            for word in asked.intersection(said):
                postings[word][row] = postings[word].get(row, 0) | field_
    return postings
