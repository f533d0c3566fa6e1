"""What is known of an actor: read it, add to it, correct it, forget it, export it."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import Any

from memory.background.locks import Locks
from memory.background.threads import compute
from memory.background.waiting import Waiter, waited_for_by
from memory.conversation.recent import unlearned_messages
from memory.conversation.sessions import LiveSessions
from memory.errors import Refusal, RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.choices import ChoiceRegistry
from memory.knowledge.export import Export, export_of
from memory.knowledge.forgetting import Forgotten, mark_outdated, plan_deletion, states
from memory.knowledge.lineage import earlier_wordings, records_about
from memory.knowledge.twins import are_twins, join_twins, without_learned, without_twins
from memory.learning.checks import MAX_EVIDENCE
from memory.learning.sameness import says_same
from memory.options import MemoryOptions
from memory.panels import RecordRef
from memory.ports import Archive
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Amendment,
    Change,
    ChangeKind,
    Draft,
    Evidence,
    Hit,
    Kind,
    Record,
    Role,
    Speaker,
)
from memory.safety.gate import admit
from memory.search.text import wording
from memory.understanding import LanguageRules, Meaning

_ID = re.compile(r"[#/]?([A-Za-z0-9_-]{1,64})")


class Knowledge:
    """The records of all actors. Every method takes the actor and never finds, changes or deletes
    anything of another one."""

    def __init__(
        self,
        store: Archive,
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
        """The actor's current records, oldest first, each statement once; with `everything`,
        superseded ones too. Raises StoreUnavailable."""
        if not self._options.memory_enabled:
            return []
        return await compute(without_twins, await self._read(actor, kinds, everything=everything))

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
        hits = join_twins(hits)
        going_on: set[str | None] = set()
        if any(hit.record.kind is Kind.SUMMARY for hit in hits):
            going_on = {*await self._sessions.open_ids(actor)}
        return [
            hit
            for hit in hits
            if hit.record.kind is not Kind.SUMMARY or hit.record.session_id not in going_on
        ]

    async def unlearned(self, actor: Actor, known: Sequence[Record] = ()) -> list[Record]:
        """What the actor has said in ended sessions that are not extracted yet, as MESSAGE records,
        oldest first: neither questions, nor the assistant's words, nor what the `known` records
        say. Raises StoreUnavailable."""
        if not self._options.memory_enabled:
            return []
        messages = await unlearned_messages(self._sessions.journal, actor)
        said = [message for message in messages if states(message.role, message.text)]
        return await compute(without_learned, said, known) if said and known else said

    async def past_talks(self, actor: Actor) -> list[Record]:
        """The summaries of the actor's ended sessions, oldest first. Raises StoreUnavailable."""
        going_on = await self._sessions.open_ids(actor)
        summaries = await self.records(actor, (Kind.SUMMARY,))
        return [record for record in summaries if record.session_id not in going_on]

    async def about(self, actor: Actor, name: str) -> list[Record]:
        """The facts and preferences about somebody or something, or said by them in a group:
        current and ended ones, oldest first. Raises StoreUnavailable."""
        if not self._options.memory_enabled:
            return []
        records = await self.records(actor, (Kind.FACT, Kind.PREFERENCE), everything=True)
        return await compute(records_about, records, name, self._choices.local_time(actor))

    async def evidence(self, actor: Actor, record: Record) -> list[Evidence]:
        """What a record is based on, oldest first; where its evidence has no words, those of the
        archived messages. A summary is based on all of its turns. Raises StoreUnavailable."""
        evidence = record.evidence or [Evidence(turn_id, "") for turn_id in record.turn_ids]
        wordless = [each.turn_id for each in evidence if not each.words]
        if not wordless or not self._options.memory_enabled:
            return list(evidence)
        messages = await self._store.messages(actor, wordless)
        said = [message for message in messages if message.role is Role.USER]
        return [each if each.words else _in_words(each, said) for each in evidence]

    async def history(self, actor: Actor, record: Record) -> list[Record]:
        """What a record superseded, and what that did, oldest first; `reason` of each later one
        says why. Raises StoreUnavailable."""
        if record.supersedes is None or not self._options.memory_enabled:
            return []
        return earlier_wordings(record, await self._learned_records(actor))

    async def find_ref(self, actor: Actor, ref: RecordRef) -> Record | None:
        """The record that this stands for, as it is now, if the actor has it. Raises
        StoreUnavailable."""
        if ref.turn_ids:
            found = await self._store.messages(actor, ref.turn_ids)
        else:
            found = list(filter(None, [await self._look_up(actor, ref.short_id)]))
        return next((record for record in found if RecordRef.of(record) == ref), None)

    # -- changing it ------------------------------------------------------------------------------

    async def remember(
        self, actor: Actor, text: str, kind: Kind = Kind.FACT, speaker: Speaker | None = None
    ) -> Change:
        """Store a statement at once; `speaker` is who said it in a group. A statement that is known
        becomes evidence of that record. Only a statement in a slot, which the rules name, replaces
        a record. Raises RefusedText, also for a question, and StoreUnavailable."""
        self._options.require_enabled()
        meant = await self._meaning(text)
        async with self._locks.changing(actor):
            learned = await self._read(actor, (Kind.FACT, Kind.PREFERENCE))
            known = [record for record in learned if record.speaker == speaker]
            now = self._choices.now()
            said = (Evidence("", admit(text), now),)
            same = await compute(_same_statement, meant.text, known)
            if same:
                more = [Amendment(same.id, said)] if len(same.evidence) < MAX_EVIDENCE else []
                (record,) = await self._store.commit(actor, [], more) or [same]
                return Change(ChangeKind.NOTED, record, same)
            slot = meant.slot
            answered = next((r for r in known if slot and r.slot == slot), None)
            draft = Draft(
                meant.kind or kind,
                meant.text,
                now,
                slot=slot,
                importance=7,
                supersedes=answered.id if answered else None,
                speaker=speaker,
                evidence=said,
            )
            (record,) = await self._store.commit(actor, [draft])
        return Change(ChangeKind.CHANGED if answered else ChangeKind.NOTED, record, answered)

    async def undo(self, actor: Actor, change: Change) -> bool:
        """Undo a change: delete the new record, make current again what was replaced or ended.
        False, and nothing is done, if it was undone already, if the record has changed since, or if
        it is not this actor's. Raises StoreUnavailable."""
        self._options.require_enabled()
        async with self._locks.changing(actor):
            record = await self._find_again(actor, change.record)
            if record is None:
                return False
            itself = change.before is not None and change.before.id == record.id
            if change.kind is ChangeKind.ENDED:
                if record.current or record.superseded_at != change.record.superseded_at:
                    return False
                was = change.before if itself else replace(record, true_until=None, reason=None)
                await self._reopen(actor, was or record)
                return True
            if not record.current or itself:
                return False
            if change.before:
                before = await self._find_again(actor, change.before)
                if before is None:
                    return False
                # Before the deletion: killed in between, there is one record too many.
                if not before.current:
                    await self._reopen(actor, before)
            twins = [r.id for r in await self._learned_records(actor) if are_twins(r, record)]
            return bool(await self._store.delete(actor, [record.id, *twins]))

    async def _reopen(self, actor: Actor, record: Record) -> None:
        """Make a record current again, with its `true_until` and `reason` as given here."""
        was = Amendment(
            record.id, reopened=True, true_until=record.true_until, reason=record.reason
        )
        await self._store.commit(actor, [], [was])

    async def _find_again(self, actor: Actor, record: Record) -> Record | None:
        """This record as it is now, if the actor has it."""
        found = await self._look_up(actor, record.short_id)
        return found if found and _is_one(found, record) else None

    async def _learned_records(self, actor: Actor) -> list[Record]:
        """The actor's facts and preferences, history too, oldest first."""
        return await self._read(actor, (Kind.FACT, Kind.PREFERENCE), everything=True)

    async def _read(
        self, actor: Actor, kinds: Sequence[Kind], *, everything: bool = False
    ) -> list[Record]:
        """The actor's records of these kinds, for somebody who waits for them."""
        with waited_for_by(Waiter.PERSON):
            return await self._store.records(actor, kinds=kinds, include_superseded=everything)

    async def _look_up(self, actor: Actor, short_id: str) -> Record | None:
        """The actor's record with this short id, for somebody who waits for it."""
        with waited_for_by(Waiter.PERSON):
            return await self._store.find(actor, short_id)

    # -- forgetting, rewording, export ------------------------------------------------------------

    async def find(self, actor: Actor, short_id: str) -> Record:
        """The actor's record with this short id. Raises UnknownRecord, also if two records share
        the id, and StoreUnavailable."""
        wanted = _ID.fullmatch(short_id.strip()) if self._options.memory_enabled else None
        found = await self._look_up(actor, wanted.group(1)) if wanted else None
        if found is None:
            raise UnknownRecord(f"no memory has the id {short_id[:20]!r}")
        return found

    async def would_forget(
        self, actor: Actor, target: str | Record, along: Sequence[str] = ()
    ) -> Forgotten:
        """What `forget` would delete now. Changes nothing. Raises UnknownRecord,
        StoreUnavailable."""
        record = None if isinstance(target, Record) else await self.find(actor, target)
        others = await self._read(actor, (*LEARNED_KINDS, Kind.MESSAGE), everything=True)
        if isinstance(target, Record):
            record = next((other for other in others if _is_one(other, target)), None)
        if record is None:
            raise UnknownRecord("this record was deleted")
        turns = await self._sessions.turns(actor)
        # Half a second for 20,000 messages, in which others want to be answered.
        return await compute(plan_deletion, actor, record, others, turns, along)

    async def forget(
        self, actor: Actor, target: str | Record, along: Sequence[str] = ()
    ) -> Forgotten:
        """Delete one of the actor's records, by its short id or as it was found, with what it had
        superseded, the archived messages, summaries and journaled turns that say the same, the same
        words in the evidence of other records, and the turns and summaries with the ids `along`.
        Another actor's record is an unknown one. Returns all that is gone. Raises UnknownRecord,
        and StoreUnavailable: then the turns are restored as far as the journal answers."""
        async with self._locks.changing(actor):
            gone = await self.would_forget(actor, target, along)
            try:
                # The turns first: killed in between, nothing is left that would tell it again.
                await self._sessions.rewrite(*gone.silenced)
                turns = [turn.id for turn in gone.turns]
                await self._sessions.retract(actor, turns, gone.mentions)
                if gone.amendments:
                    await self._store.commit(actor, [], gone.amendments)
                async with await self._erasing_traces(gone):
                    ids = [record.id for record in gone.records]
                    deleted = await self._store.delete(actor, ids)
            except StoreUnavailable:
                await self._sessions.reinstate(actor, gone.turns)
                raise
            if gone.record.id not in deleted:
                raise UnknownRecord(f"no memory has the id {gone.record.short_id!r}")
        erasing = self._store.erasing
        return replace(gone, remainder=erasing.remainder(actor)) if erasing else gone

    async def _erasing_traces(self, gone: Forgotten) -> AbstractAsyncContextManager[None]:
        erasing, ids, traces = self._store.erasing, {r.id for r in gone.records}, gone.traces
        # A service tells what was to be kept, not that somebody asked for it.
        said = traces.statements if erasing else ()
        meant = await compute(lambda: [self._rules.meaning(each).text for each in said])
        traces = replace(traces, statements=tuple(dict.fromkeys((*traces.statements, *meant))))
        return erasing.forgetting(gone.actor, ids, traces) if erasing else nullcontext()

    async def revise(self, actor: Actor, short_id: str, text: str) -> Change:
        """Reword one of the actor's facts or preferences; the old wording is kept as history.
        Raises UnknownRecord, RefusedText, StoreUnavailable."""
        self._options.require_enabled()
        text = (await self._meaning(text)).text
        async with self._locks.changing(actor):
            old = await self.find(actor, short_id)
            if old.kind is Kind.SUMMARY or not old.current:
                raise UnknownRecord(f"no fact or preference has the id {short_id[:20]!r}")
            now = self._choices.now()
            draft = Draft(
                old.kind,
                text,
                now,
                slot=old.slot,
                importance=old.importance,
                supersedes=old.id,
                speaker=old.speaker,
                evidence=(Evidence("", text, now),),
            )
            (record,) = await self._store.commit(actor, [draft])
        return Change(ChangeKind.CHANGED, record, old)

    async def restore(self, actor: Actor, forgotten: Forgotten) -> Record:
        """Restore a record that the actor just forgot, with everything that went with it: messages
        and summaries as they were, and the turns of conversations that are not extracted yet. If
        its question has a newer answer, or it was repeated since, the record comes back as history.

        A second call completes one that was interrupted. Raises UnknownRecord if the record was
        another actor's or everything was forgotten since, StoreUnavailable."""
        self._options.require_enabled()
        if forgotten.actor != actor:
            raise UnknownRecord("nothing of this actor was forgotten")
        async with self._locks.changing(actor):
            learned = await self._read(actor, (Kind.FACT, Kind.PREFERENCE))
            told = await compute(mark_outdated, forgotten.record, learned)
            (record, *_) = await self._store.restore(actor, [told, *forgotten.records[1:]])
            if self._store.erasing:
                await self._store.erasing.undo(actor, [each.id for each in forgotten.records])
            quotes = [Amendment(e.record_id, evidence=e.forgotten) for e in forgotten.amendments]
            there = {each.id for each in await self._learned_records(actor)} if quotes else {}
            await self._store.commit(actor, [], [q for q in quotes if q.record_id in there])
            await self._sessions.reinstate(actor, forgotten.turns)
        return record

    async def export(self, actor: Actor, also: Mapping[str, Any] | None = None) -> Export:
        """Everything kept about the actor, and what `also` holds. Raises StoreUnavailable."""
        records = list[Record]()
        if self._options.memory_enabled:
            records = await self._read(actor, LEARNED_KINDS, everything=True)
            with waited_for_by(Waiter.PERSON):
                records += await self._store.all_messages(actor)
        chosen, now = await self._choices.read(actor), self._choices.now()
        return await compute(export_of, actor, chosen, records, also or {}, now)

    async def _meaning(self, text: str) -> Meaning:
        """The text as it may be kept. Raises RefusedText."""
        # Rules take a tenth of a second for a long one.
        meant = await compute(lambda: self._rules.meaning(admit(text)))
        if meant.only_asks:
            raise RefusedText("a question states nothing", Refusal.QUESTION)
        return meant


def _is_one(found: Record, record: Record) -> bool:
    """True if both are one record, possibly at different times. Ids are unique for one actor only,
    and begin anew when everything was forgotten."""
    same = (found.id, found.text, found.created_at)
    return same == (record.id, record.text, record.created_at)


def _same_statement(text: str, known: Sequence[Record]) -> Record | None:
    """The record that states the text. What a remote store wrote has no evidence, and may state it
    in the third person."""
    told = wording(text)
    return next(
        (
            record
            for record in known
            if wording(record.text) == told
            or (not record.evidence and says_same(record.text, text))
        ),
        None,
    )


def _in_words(evidence: Evidence, said: Sequence[Record]) -> Evidence:
    """Evidence of a whole turn, with the words said in it."""
    turn = [message for message in said if evidence.turn_id in message.turn_ids]
    at = evidence.at or (turn[0].created_at if turn else None)
    return replace(evidence, words="\n".join(message.text for message in turn), at=at)
