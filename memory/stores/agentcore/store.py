"""Long-term memory on AWS Bedrock AgentCore Memory.

Turns go through a durable outbox and are extracted by AWS; what a person asks to remember is
written at once. AgentCore's reads notice deletions and writes only after minutes, and `namespace`
has meant a string prefix for some accounts: so every read is checked against the exact namespace,
recent deletions and recent writes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

import structlog

from memory.background.threads import compute
from memory.errors import StoreUnavailable
from memory.leases import ALONE, Leases, check_lease
from memory.records import LEARNED_KINDS, Actor, Amendment, Draft, Hit, Kind, Record, Turn
from memory.search.scan import scan
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.choices import AgentCoreChoices, decode
from memory.stores.agentcore.erased import Erasure
from memory.stores.agentcore.erasure import Eraser, ErasingPace
from memory.stores.agentcore.events.extraction import AwsExtraction
from memory.stores.agentcore.events.jobs import FailedJobs, JobsPace
from memory.stores.agentcore.events.outbox import Lane, Outbox, Outgoing
from memory.stores.agentcore.events.sender import (
    EventSender,
    SendingPace,
    cut_bytes,
    event_bodies,
    event_request,
)
from memory.stores.agentcore.events.transcript import read_transcript
from memory.stores.agentcore.namespaces import known_actor
from memory.stores.agentcore.rows.copies import Copier, Deletions
from memory.stores.agentcore.rows.deleter import RecordDeleter
from memory.stores.agentcore.rows.reader import RowReader
from memory.stores.agentcore.rows.records import Pairs, settle
from memory.stores.agentcore.rows.writer import RecordWriter
from memory.stores.agentcore.rows.writes import RecentWrites
from memory.stores.agentcore.search import RecordSearch
from memory.stores.agentcore.strategies import Strategies
from memory.stores.database import Database

_log = structlog.get_logger(__name__)

#: Characters of a query, from the service model.
MAX_QUERY_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the store waits, in seconds."""

    #: All parts of one search together; what is late is left out. Also how long AWS may be silent
    #: while a person waits for a list.
    search: float = 1.5
    #: How long AWS's reads may still show what was deleted; five minutes have been seen.
    deletion: float = 600.0
    #: How long they may not show yet what was written, or not as it was written last.
    writing: float = 600.0
    pace: SendingPace = field(default_factory=SendingPace)
    jobs: JobsPace = field(default_factory=JobsPace)
    erasing: ErasingPace = field(default_factory=ErasingPace)

    def by(self, clock: Callable[[], datetime]) -> Self:
        """The same by this clock."""
        pace, jobs = replace(self.pace, clock=clock), replace(self.jobs, clock=clock)
        return replace(self, pace=pace, jobs=jobs, erasing=replace(self.erasing, clock=clock))

    def expiring(self, event_days: int) -> Self:
        """The same where events expire after so many days."""
        return replace(self, erasing=replace(self.erasing, event_life=86_400.0 * event_days))


class AgentCoreStore:
    """A Store. Use as `async with`: the outbox is sent while it is open.

    The thread pool and the client inside `calls` stay the caller's. `strategies` names AWS's
    strategy for each kind; explicit records of a kind without one are written without one. Unless
    AWS `extracts`, it only keeps the turns."""

    #: AWS finds no event by its words.
    archives = False

    def __init__(
        self,
        calls: AwsCalls,
        strategies: Mapping[Kind, str],
        outbox: Outbox,
        timing: Timing | None = None,
        *,
        extracts: bool = True,
        leases: Leases = ALONE,
    ) -> None:
        self._calls, self._outbox = calls, outbox
        self._strategies = Strategies.of(strategies)
        self._timing = timing or Timing()
        self._sender = EventSender(outbox, self._send, self._timing.pace, leases)
        self._jobs = FailedJobs(calls, outbox, self._timing.jobs, leases)
        self._writes = RecentWrites(self._timing.writing, self._timing.erasing.clock)
        self._reader = RowReader(
            calls,
            self._timing.search,
            lambda record_id: self._deletions.hides(record_id),
            lambda actor, row, record: self.erasing.hides(actor, row, record),
            self._writes,
        )
        self._search = RecordSearch(calls, self._timing.search)
        # What is deleted is hidden: AWS's reads show it for some minutes.
        self._deleter = RecordDeleter(calls, self._note_gone)
        delete = self._deleter.delete
        self.erasing = Eraser(calls, outbox, delete, self._writes, self._timing.erasing, leases)
        self._writer = RecordWriter(
            calls, self._strategies, self._reader.by_ids, delete, self._writes
        )
        create, update = self._writer.create, self._writer.update
        self._copier = Copier(self._pairs, create, update, self._strategies)
        self._deletions = Deletions(
            self._pairs, create, update, self._strategies, self._timing.deletion
        )
        self.choices = AgentCoreChoices(self._preferences, self._write_choices, self.delete)
        self._extracts = extracts
        self.sending = self._sender
        clock = self._timing.pace.clock
        self.extraction = AwsExtraction(
            calls, outbox, self._sender.flush, clock, extracts, self._jobs
        )
        self._closed = False

    @classmethod
    async def open(
        cls,
        calls: AwsCalls,
        strategies: Mapping[Kind, str],
        outbox: Database,
        timing: Timing | None = None,
        *,
        extracts: bool = True,
        leases: Leases = ALONE,
    ) -> Self:
        """A store with its outbox in this database. Raises StoreUnavailable."""
        events = await Outbox.open(outbox)
        return cls(calls, strategies, events, timing, extracts=extracts, leases=leases)

    async def __aenter__(self) -> Self:
        await self._sender.start()
        await self.erasing.start()
        if self._extracts:
            self._jobs.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop the background work. What AWS has not acknowledged waits in the outbox."""
        if self._closed:
            return
        self._closed = True
        await self._sender.aclose()
        await self._jobs.aclose()
        await self.erasing.aclose()
        await self._strategies.aclose()
        await self._outbox.aclose()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the memory is closed: the program is ending")

    async def _begin(self, actor: Actor) -> None:
        """To be called before anything of the actor is read or written. Raises StoreUnavailable,
        also where another worker has the actor now."""
        self._require_open()
        check_lease()
        await self.erasing.know(actor)

    # -- turns ------------------------------------------------------------------------------------

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        """See LongTermMemory: durable when this returns, but found by search only when AWS or we
        have learned something from it. Who learns from a turn is decided when it is first added,
        even if the setting changes before its session ends."""
        await self._begin(actor)
        for turn in turns:
            if events := event_bodies(actor, turn, extract=self._extracts):
                self.erasing.set_times(actor, turn.id, events)
                lane = Lane(actor.id, turn.session_id)
                await self._outbox.put(lane, turn.id, events, ours=not self._extracts)
                self._sender.wake(lane)
        ours = await self._outbox.ours(actor, [turn.id for turn in turns])
        return [turn for turn in turns if turn.id in ours]

    def has_loss_to_tell(self, actor: Actor) -> bool:
        """See Losses: AWS keeps it safe."""
        return False

    async def note_loss_told(self, actor: Actor) -> None:
        """See Losses."""

    async def keep_copy(self, actor: Actor, generations: int) -> None:
        """See PersonalData: everything is at AWS."""

    async def actors(self) -> list[Actor]:
        """See PersonalData. All actors that AWS has had an event of, even an expired one."""
        self._require_open()
        ids = [row["actorId"] async for row in self._calls.rows("list_actors", "actorSummaries")]
        return [actor for id_ in ids if (actor := known_actor(id_))]

    async def all_messages(self, actor: Actor) -> list[Record]:
        """See Archive: the events that have not expired."""
        await self._begin(actor)
        hides, silence = self.erasing.hides_event, self._reader.silence
        return await read_transcript(self._calls, actor, hides, silence)

    async def pending(self, actor: Actor | None = None) -> int:
        """How many events AWS has not acknowledged, of one actor or of all."""
        return await self._outbox.pending(actor)

    async def _send(self, event: Outgoing) -> str | None:
        answer = await self._calls.ask("create_event", **event_request(event))
        event_id: str | None = answer["event"].get("eventId")
        return event_id

    # -- writing ----------------------------------------------------------------------------------

    async def commit(
        self, actor: Actor, drafts: Sequence[Draft], amendments: Sequence[Amendment] = ()
    ) -> list[Record]:
        """See LongTermMemory. AWS has no transactions: what was written before a failure is
        taken back. Superseded records are kept, with the moment they stopped being true in
        their metadata. Raises UnknownRecord, RefusedText."""
        # What somebody says is no choice, even if it reads like one.
        plain = [replace(draft, slot=None) if decode(draft) else draft for draft in drafts]
        await self._begin(actor)
        await self._strategies.learn(self._timing.search)
        return await self._writer.write(actor, plain, amendments)

    async def _write_choices(self, actor: Actor, drafts: Sequence[Draft]) -> list[Record]:
        await self._begin(actor)
        await self._strategies.learn(self._timing.search)
        return await self._writer.write(actor, drafts)

    # -- reading ----------------------------------------------------------------------------------

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
        """See LongTermMemory. The kinds are asked at once under one deadline; archived messages
        are not searchable here. What AWS does not find yet is found by its words. Raises
        StoreUnavailable when not a single kind answered."""
        await self._begin(actor)
        asked = cut_bytes(query.strip()[:MAX_QUERY_CHARS], 4 * MAX_QUERY_CHARS)
        wanted = [kind for kind in LEARNED_KINDS if kind in kinds]
        if not asked or not wanted or limit < 1:
            return []
        rows = await self._search.rows(actor, asked, wanted, limit)
        own = self._reader.own(actor, rows)
        unseen = self._reader.unseen(actor, wanted, rows)
        known = settle([record for _, record in (*own, *unseen)])
        current = {record.id for record in known if record.current and not decode(record)}
        hits = [
            Hit(record, min(1.0, max(0.0, row.get("score") or 0.0)))
            for row, record in own
            if record.id in current
        ]
        relevant = [hit for hit in hits if hit.relevance >= min_relevance]
        if new := [record for _, record in unseen if record.id in current]:
            at = now or self._timing.erasing.clock()
            relevant += await compute(scan, new, asked, limit, min_relevance, at)
        return sorted(relevant, key=lambda hit: -hit.relevance)[:limit]

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        """See LongTermMemory. There are no archived messages."""
        await self._begin(actor)
        wanted = [kind for kind in LEARNED_KINDS if kind in kinds]
        return [
            record
            for record in await self._records(actor, wanted)
            if (include_superseded or record.current) and not decode(record)
        ]

    async def find(self, actor: Actor, short_id: str) -> Record | None:
        """See LongTermMemory. AWS's ids are long: short ones are made of them, and can't be asked
        for."""
        known = await self.records(actor, include_superseded=True)
        found = [record for record in known if record.short_id == short_id.lower()]
        return found[0] if len(found) == 1 else None

    async def messages(self, actor: Actor, turn_ids: Sequence[str]) -> list[Record]:
        """See LongTermMemory. None: AWS finds no event by its turn."""
        return []

    async def _preferences(self, actor: Actor) -> list[Record]:
        return await self._records(actor, (Kind.PREFERENCE,))

    async def _records(self, actor: Actor, kinds: Sequence[Kind]) -> list[Record]:
        """All the actor's records of these kinds, those that hold choices too."""
        return settle([record for _, record in await self._pairs(actor, kinds)])

    async def _pairs(self, actor: Actor, kinds: Sequence[Kind] = LEARNED_KINDS) -> Pairs:
        """All the actor's rows of these kinds with their records, as they were written."""
        await self._begin(actor)
        pairs = await self._reader.all_of(actor, kinds)
        self._strategies.give_to(pairs, self._writer.update)
        return pairs

    # -- deleting ---------------------------------------------------------------------------------

    async def delete(self, actor: Actor, record_ids: Sequence[str]) -> list[str]:
        """See LongTermMemory; of the events that they came from see `erasing`. Raises
        StoreUnavailable when AWS keeps a record that should have gone."""
        await self._begin(actor)
        ids = list(await self._reader.own_ids(actor, record_ids))
        try:
            left = await self._deleter.delete(ids)
        finally:
            self._deletions.note(actor, filter(self._deletions.hides, ids))
        if left:
            raise StoreUnavailable(f"AWS could not delete {left} of {len(ids)} memories: try again")
        return ids

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        """See LongTermMemory. AWS gives what comes back new ids, of what its strategies had written
        the words for people are kept, and there are no archived messages. Raises UnknownRecord also
        for what was deleted by another process or longer ago than `deletion`."""
        await self._begin(actor)
        return await self._deletions.restore(actor, records)

    async def move(self, actor: Actor, to: Actor) -> None:
        """See PersonalData. What AWS has of events can't move: it goes with the copied records."""
        await self._begin(actor)
        if actor == to:
            return
        await self._copier.copy(actor, to)
        await self._sender.move(actor, to)
        erasure = await self._note_erasure(actor)
        try:
            await self.erasing.erase(erasure)
        except StoreUnavailable as failure:
            _log.warning("moved_actor_not_erased", actor=actor.id, error=str(failure))

    def drop(self, actor: Actor) -> None:
        """See PersonalData. Of what was written lately AWS has to show what it has, as after a
        restart."""
        self.erasing.drop(actor)
        self._writes.drop_actor(actor)

    async def erase(self, actor: Actor) -> None:
        """See PersonalData. What can't be deleted now, or is extracted later, is deleted in the
        background."""
        await self._begin(actor)
        await self.erasing.erase(await self._note_erasure(actor))

    def _note_gone(self, record_ids: Collection[str]) -> None:
        self._deletions.hide(record_ids)
        self._writes.drop(record_ids)

    async def _note_erasure(self, actor: Actor) -> Erasure:
        self._deletions.forget(actor)
        erasure = await self.erasing.hide_all(actor)
        await self._sender.drop(actor)
        return erasure
