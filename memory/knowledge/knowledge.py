"""What is known of an actor: read it, add to it, correct it, forget it, export it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory.background.locks import Locks
from memory.background.threads import compute
from memory.conversation.sessions import LiveSessions
from memory.errors import Refusal, RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.choices import ChoiceRegistry
from memory.knowledge.export import Export, export_of
from memory.knowledge.forgetting import Forgotten, mark_outdated, mentions, plan_deletion
from memory.learning.statement import Statement
from memory.options import MemoryOptions
from memory.ports import LongTermMemory
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Draft,
    Hit,
    Kind,
    Record,
    Speaker,
)
from memory.safety.gate import admit
from memory.understanding import LanguageRules, Meaning

_ID = re.compile(r"[#/]?([A-Za-z0-9_-]{1,64})")


class Knowledge:
    """The records of all actors. Every method takes the actor and never finds, changes or deletes
    anything of another one."""

    def __init__(
        self,
        store: LongTermMemory,
        sessions: LiveSessions,
        choices: ChoiceRegistry,
        locks: Locks,
        options: MemoryOptions,
        rules: LanguageRules,
    ) -> None:
        self._store, self._sessions, self._choices = store, sessions, choices
        self._locks, self._options, self._rules = locks, options, rules

    # -- what is known ----------------------------------------------------------------------------

    async def records(
        self, actor: Actor, kinds: Sequence[Kind] = LEARNED_KINDS, *, everything: bool = False
    ) -> list[Record]:
        """The actor's current records, oldest first; with `everything`, superseded ones too. Raises
        StoreUnavailable."""
        if not self._options.memory_enabled:
            return []
        return await self._store.records(actor, kinds=kinds, include_superseded=everything)

    async def search(
        self,
        actor: Actor,
        query: str,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        limit: int = 0,
        least: float | None = None,
    ) -> list[Hit]:
        """The actor's current records that match the query, best first; at most `limit`, or the
        configured number if 0, and with at `least` this relevance, or the configured one. Leaves
        out summaries of open sessions, which a store may have made by itself. Raises
        StoreUnavailable."""
        if not self._options.memory_enabled:
            return []
        score = self._options.memory_retrieval_relevance_score
        hits = await self._store.search(
            actor,
            query,
            kinds=kinds,
            limit=limit or self._options.memory_retrieval_top_k,
            min_relevance=score if least is None else least,
            now=self._choices.local_time(actor),
        )
        going_on: set[str | None] = set()
        if any(hit.record.kind is Kind.SUMMARY for hit in hits):
            going_on = {*await self._sessions.open_ids(actor)}
        return [
            hit
            for hit in hits
            if hit.record.kind is not Kind.SUMMARY or hit.record.session_id not in going_on
        ]

    async def past_talks(self, actor: Actor) -> list[Record]:
        """The summaries of the actor's ended sessions, oldest first. Raises StoreUnavailable."""
        going_on = await self._sessions.open_ids(actor)
        summaries = await self.records(actor, (Kind.SUMMARY,))
        return [record for record in summaries if record.session_id not in going_on]

    async def remember(
        self, actor: Actor, text: str, kind: Kind = Kind.FACT, speaker: Speaker | None = None
    ) -> Record:
        """Store a statement at once, the way extraction would as far as the rules understand it;
        `speaker` is whose it is in a group. Returns the existing record if it is known already.
        Raises RefusedText, also for a question, and StoreUnavailable."""
        self._options.require_enabled()
        meant = await self._meaning(text)
        text, slot = meant.text, meant.slot
        async with self._locks.changing(actor):
            learned = await self._store.records(actor, kinds=(Kind.FACT, Kind.PREFERENCE))
            known = [record for record in learned if record.speaker == speaker]
            same, revised = await compute(_compare, text, known)
            if same:
                return same
            # The other answer to the same question, or the same words turned round.
            answered = next((r for r in known if slot and r.slot == slot), revised)
            draft = Draft(
                meant.kind or kind,
                text,
                self._choices.now(),
                slot=slot,
                importance=7,
                supersedes=answered.id if answered else None,
                speaker=speaker,
            )
            (record,) = await self._store.commit(actor, [draft])
        return record

    # -- forgetting and taking along --------------------------------------------------------------

    async def find(self, actor: Actor, short_id: str) -> Record:
        """The actor's record with this short id. Raises UnknownRecord, also if two records share
        the id, and StoreUnavailable."""
        wanted = _ID.fullmatch(short_id.strip()) if self._options.memory_enabled else None
        found = await self._store.find(actor, wanted.group(1)) if wanted else None
        if found is None:
            raise UnknownRecord(f"no memory has the id {short_id[:20]!r}")
        return found

    async def would_forget(
        self, actor: Actor, target: str | Record, asked_in: Sequence[str] = ()
    ) -> Forgotten:
        """What `forget` would delete now. Changes nothing. Raises UnknownRecord,
        StoreUnavailable."""
        record = None if isinstance(target, Record) else await self.find(actor, target)
        others = await self._store.records(
            actor, kinds=(*LEARNED_KINDS, Kind.MESSAGE), include_superseded=True
        )
        if isinstance(target, Record):
            record = next((other for other in others if other.id == target.id), None)
        if record is None:
            raise UnknownRecord("this record was deleted")
        turns = await self._sessions.turns(actor)
        # Half a second for 20,000 messages, in which others want to be answered.
        return await compute(plan_deletion, actor, record, others, turns, asked_in)

    async def forget(
        self, actor: Actor, target: str | Record, asked_in: Sequence[str] = ()
    ) -> Forgotten:
        """Delete one of the actor's records, by its short id or as it was found, with the archived
        messages, summaries and journaled turns that say the same, and the turns `asked_in`, which
        asked to forget it. Another actor's record is an unknown one. Returns all that is gone.
        Raises UnknownRecord, and StoreUnavailable: then the turns are restored as far as the
        journal answers."""
        async with self._locks.changing(actor):
            gone = await self.would_forget(actor, target, asked_in)
            try:
                # The turns first: killed in between, nothing is left that would tell it again.
                turns = [turn.id for turn in gone.turns]
                await self._sessions.retract(actor, turns, mentions(gone.record.text))
                deleted = await self._store.delete(actor, [record.id for record in gone.records])
            except StoreUnavailable:
                await self._sessions.reinstate(actor, gone.turns)
                raise
            if gone.record.id not in deleted:
                raise UnknownRecord(f"no memory has the id {gone.record.short_id!r}")
        return gone

    async def revise(self, actor: Actor, short_id: str, text: str) -> Record:
        """Reword one of the actor's facts or preferences; the old wording is kept as history.
        Raises UnknownRecord, RefusedText, StoreUnavailable."""
        self._options.require_enabled()
        text = (await self._meaning(text)).text
        async with self._locks.changing(actor):
            old = await self.find(actor, short_id)
            if old.kind is Kind.SUMMARY or not old.current:
                raise UnknownRecord(f"no fact or preference has the id {short_id[:20]!r}")
            draft = Draft(
                old.kind,
                text,
                self._choices.now(),
                slot=old.slot,
                importance=old.importance,
                supersedes=old.id,
                speaker=old.speaker,
            )
            (record,) = await self._store.commit(actor, [draft])
        return record

    async def restore(self, actor: Actor, forgotten: Forgotten) -> Record:
        """Restore a record that the actor just forgot, with everything that went with it: messages
        and summaries as they were, and the turns of conversations that are not extracted yet. If
        its question has a newer answer, or it was repeated or reversed since, the record comes back
        as history.

        A second call completes one that was interrupted. Raises UnknownRecord if the record was
        another actor's or everything was forgotten since, StoreUnavailable."""
        self._options.require_enabled()
        if forgotten.actor != actor:
            raise UnknownRecord("nothing of this actor was forgotten")
        async with self._locks.changing(actor):
            learned = await self._store.records(actor, kinds=(Kind.FACT, Kind.PREFERENCE))
            told = await compute(mark_outdated, forgotten.record, learned)
            (record, *_) = await self._store.restore(actor, [told, *forgotten.records[1:]])
            await self._sessions.reinstate(actor, forgotten.turns)
        return record

    async def sources(self, actor: Actor, record: Record) -> list[Record]:
        """The archived messages that a record came from, oldest first. Raises StoreUnavailable."""
        if not self._options.memory_enabled or not record.turn_ids:
            return []
        turns = frozenset(record.turn_ids)
        messages = await self._store.records(actor, kinds=(Kind.MESSAGE,))
        return [message for message in messages if turns & frozenset(message.turn_ids)]

    async def export(self, actor: Actor, also: Mapping[str, Any] | None = None) -> Export:
        """Everything kept about the actor, and what `also` is known. Raises StoreUnavailable."""
        kinds = (*LEARNED_KINDS, Kind.MESSAGE)
        records = await self.records(actor, kinds, everything=True)
        chosen, now = await self._choices.read(actor), self._choices.now()
        return await compute(export_of, actor, chosen, records, also or {}, now)

    async def _meaning(self, text: str) -> Meaning:
        """The text as it may be kept. Raises RefusedText."""
        # Rules take a tenth of a second for a long one.
        meant = await compute(lambda: self._rules.meaning(admit(text)))
        if meant.only_asks:
            raise RefusedText("a question says nothing of anybody", Refusal.QUESTION)
        return meant


def _compare(text: str, known: Iterable[Record]) -> tuple[Record | None, Record | None]:
    """The first record that says the same as a text, and the first that the text reverses."""
    said, revised = Statement(text), None
    for record in known:
        other = Statement(record.text)
        if said.same(other):
            return record, None
        if revised is None and said.revises(other):
            revised = record
    return None, revised
