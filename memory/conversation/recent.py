"""Recent messages, found by search even if the store has no archive."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from memory.background.threads import compute
from memory.errors import StoreUnavailable
from memory.journal import Journal
from memory.ports import Archive
from memory.records import LEARNED_KINDS, Actor, Amendment, Draft, Hit, Kind, Record, Turn
from memory.search.resemblance import distinct, telling
from memory.search.scan import scan
from memory.search.text import storable, words

#: The ids of these messages begin with this; no store's ids do.
_PREFIX = "journal:"


def messages_of(turns: Iterable[Turn]) -> list[Record]:
    """The messages of turns as MESSAGE records, without those that say nothing."""
    return [
        Record(
            f"{_PREFIX}{turn.id}.{number}",
            Kind.MESSAGE,
            text,
            message.at,
            session_id=turn.session_id,
            turn_ids=(turn.id,),
            role=message.role,
            speaker=message.speaker,
            place=turn.place,
        )
        for turn in turns
        for number, message in enumerate(turn.messages)
        if (text := storable(message.text))
    ]


async def unlearned_messages(journal: Journal, actor: Actor) -> list[Record]:
    """The messages that may be kept of the actor's ended sessions that wait for extraction, oldest
    first. Raises StoreUnavailable."""
    going_on = {session.id for session in await journal.sessions.of(actor)}
    ended = [s for s in await journal.sessions.unfinished(actor) if s.id not in going_on]
    turns = [turn for session in ended for turn in await journal.turns.of(session.id)]
    return messages_of(turn for turn in turns if turn.kept)


class RecentMessages:
    """A store that archives no messages, with the journal in place of the archive: the messages of
    sessions that are open or not extracted yet are found like archived ones, except those of
    private sessions. Deleting or restoring them here changes nothing, because they go and come
    back with their turns. See LongTermMemory."""

    def __init__(self, store: Archive, journal: Journal) -> None:
        self._store, self._journal = store, journal
        self.erasing = store.erasing

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        return await self._store.add_turn(actor, *turns, on_disk=on_disk)

    async def commit(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        return await self._store.commit(actor, drafts, amendments)

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
        """See LongTermMemory. While the store is away, the journal is searched alone. Raises
        StoreUnavailable if it has no match."""
        at = now or datetime.now(UTC)
        learning = self._store.search(
            actor, query, kinds=kinds, limit=limit, min_relevance=min_relevance, now=at
        )
        if Kind.MESSAGE not in kinds or limit < 1:
            return await learning
        looking = self._scan(actor, query, limit, min_relevance, at)
        learned, said = await asyncio.gather(learning, looking, return_exceptions=True)
        if isinstance(said, BaseException):
            raise said
        if isinstance(learned, StoreUnavailable) and said:
            return said
        if isinstance(learned, BaseException):
            raise learned
        return _join(learned, said)[:limit] if said else learned

    async def _scan(
        self, actor: Actor, query: str, limit: int, least: float, now: datetime
    ) -> list[Hit]:
        messages = await self._messages(actor)
        return await compute(scan, messages, query, limit, least, now) if messages else []

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        found = await self._store.records(actor, kinds=kinds, include_superseded=include_superseded)
        if Kind.MESSAGE in kinds:
            found += await self._messages(actor)
            found.sort(key=lambda record: record.created_at)
        return found

    async def find(self, actor: Actor, short_id: str) -> Record | None:
        return await self._store.find(actor, short_id)

    async def messages(self, actor: Actor, turn_ids: Sequence[str]) -> list[Record]:
        wanted = frozenset(turn_ids)
        messages = await self._messages(actor)
        return [message for message in messages if not wanted.isdisjoint(message.turn_ids)]

    async def all_messages(self, actor: Actor) -> list[Record]:
        """See Archive: also those that the store does not show yet."""
        there = await self._store.all_messages(actor)
        turns = {turn_id for message in there for turn_id in message.turn_ids}
        # Of what was sent by earlier versions, the turn is unknown.
        texts = {(message.session_id, message.text) for message in there if not message.turn_ids}
        there += [
            message
            for message in await self._messages(actor)
            if turns.isdisjoint(message.turn_ids)
            and (message.session_id, message.text) not in texts
        ]
        return sorted(there, key=lambda message: message.created_at)

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        here = [id_ for id_ in record_ids if id_.startswith(_PREFIX)]
        elsewhere = [id_ for id_ in record_ids if not id_.startswith(_PREFIX)]
        return [*here, *(await self._store.delete(actor, elsewhere) if elsewhere else ())]

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        elsewhere = [record for record in records if not record.id.startswith(_PREFIX)]
        restored = iter(await self._store.restore(actor, elsewhere) if elsewhere else ())
        return [record if record.id.startswith(_PREFIX) else next(restored) for record in records]

    async def _messages(self, actor: Actor) -> list[Record]:
        """The messages of all turns that may be kept, oldest first."""
        sessions = await self._journal.sessions.unfinished(actor)
        turns = [
            turn
            for session in sessions
            if not session.private
            for turn in await self._journal.turns.of(session.id)
            if turn.kept
        ]
        return messages_of(turns)


def _join(learned: Sequence[Hit], said: Sequence[Hit]) -> list[Hit]:
    """Both, best first. If a record and a message say the same, only the record."""
    every = [*learned, *said]
    pairs = ((hit, telling(hit.record.text, partial(words, hit.record.text))) for hit in every)
    return sorted(distinct(pairs, len(every)), key=lambda hit: -hit.relevance)
