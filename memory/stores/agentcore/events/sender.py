"""Sends turns to AWS. Each turn becomes an event, user and assistant together. The outbox's events
are sent in order within a session, slowly enough for AWS's quotas, until AWS has taken them."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from memory.background.pacing import Backoff, RateLimitedLog
from memory.background.work import Periodic, log_outage
from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import ALONE, Leases, check_lease
from memory.options import utc_now
from memory.records import Actor, Role, Turn, Utterance
from memory.stores.agentcore.calls.circuit import CircuitOpen
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.events.outbox import Lane, Outbox, Outgoing

#: The quota page allows 100 KB a message, counted in bytes; the service model says 100,000.
MAX_MESSAGE_BYTES = 100_000
#: Messages of one event, from the service model.
MAX_MESSAGES = 100
#: The `extractionMode` of events that AWS's strategies leave alone.
_KEEP_ONLY = "SKIP"


def event_bodies(actor: Actor, turn: Turn, *, extract: bool = True) -> list[dict[str, Any]]:
    """The outbox's contents for a turn: one event, or several if the turn has more messages than
    fit into one; none for a turn without words. Without `extract` AWS only keeps them."""
    spoken = [message for message in turn.learnable.messages if message.text.strip()]
    groups = [spoken[i : i + MAX_MESSAGES] for i in range(0, len(spoken), MAX_MESSAGES)]
    return [
        {
            "at": group[0].at.isoformat(),
            "payload": [_item(actor, m) for m in group],
            "place": _origin(turn),
            # Of the turn, not of the sender: the same token must always mean the same event.
            **({} if extract else {"mode": _KEEP_ONLY}),
        }
        for group in groups
    ]


def event_request(event: Outgoing) -> dict[str, Any]:
    """The parameters of CreateEvent. The token depends only on the turn, so that sending a turn
    again, even from another process, creates no second event."""
    parts = [event.lane.actor_id, event.lane.session_id, event.turn_id, str(event.part)]
    if again := event.body.get("again"):
        parts.append(str(again))
    name = "\n".join(parts)
    parameters = {
        "actorId": event.lane.actor_id,
        "sessionId": event.lane.session_id,
        "eventTimestamp": datetime.fromisoformat(event.body["at"]),
        "payload": event.body["payload"],
        "clientToken": hashlib.sha256(name.encode()).hexdigest(),
    }
    place = event.body.get("place") or {}
    metadata = {key: {"stringValue": value} for key, value in place.items()}
    mode = event.body.get("mode")
    return (
        parameters
        | ({"metadata": metadata} if metadata else {})
        | ({"extractionMode": mode} if mode else {})
    )


def cut_bytes(text: str, limit: int) -> str:
    """The beginning of a text in at most `limit` bytes of UTF-8, ending between characters. Lone
    surrogates, which have no UTF-8, become question marks."""
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def _origin(turn: Turn) -> dict[str, str]:
    """Which turn it is, where it was said, and by whom of a group, as metadata of its events,
    because payloads have no field for it. Channels and turns are our own words and the rest are
    numbers, so all of it is valid metadata."""
    place, speaker = turn.place, turn.speaker
    told = {"turn": turn.id}
    if place:
        told |= {"channel": place.channel, "chat": str(place.chat_id)}
        if place.topic_id is not None:
            told["topic"] = str(place.topic_id)
    if speaker and speaker.id:
        told["speaker"] = str(speaker.id)
    return told


def _item(actor: Actor, message: Utterance) -> dict[str, Any]:
    text = message.text
    if actor.is_group and message.speaker and message.role is Role.USER:
        # The only place where extraction can learn which of the group's people said it.
        text = f"{' '.join(message.speaker.name.split())}: {text}"
    content = {"text": cut_bytes(text, MAX_MESSAGE_BYTES)}
    return {"conversational": {"role": message.role.name, "content": content}}


_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SendingPace:
    """Times in seconds. AWS takes 5 events a second of one session and 200 a second in all."""

    spacing: float = 0.25
    first_retry: float = 0.5
    longest_retry: float = 60.0
    #: How often to see whether a service that is being left alone may be asked again.
    look: float = 1.0
    #: Events under way at once: few enough that recall always finds a free thread.
    parallel: int = 4
    #: What AWS has refused for so long steps aside: the rest of its session goes on, and it is
    #: tried again every `aside` seconds. What fails otherwise does so only if AWS took others.
    stuck: float = 300.0
    aside: float = 900.0
    #: How often to look for what has waited so long, or was left by a worker that has ended.
    revisit: float = 30.0
    #: How long forgetting somebody waits for an event of theirs that is under way.
    grace: float = 10.0
    clock: Callable[[], datetime] = utc_now


class EventSender:
    """One task for each session with waiting events. It works under the lease on the actor, so
    that no other worker sends events of the same session."""

    def __init__(
        self,
        outbox: Outbox,
        send: Callable[[Outgoing], Awaitable[str | None]],
        pace: SendingPace,
        leases: Leases = ALONE,
    ) -> None:
        """`send` returns the id that AWS gave the event, and raises StoreUnavailable."""
        self._outbox, self._send, self._pace, self._leases = outbox, send, pace, leases
        self._slots = asyncio.Semaphore(pace.parallel)
        self._tasks: dict[Lane, asyncio.Task[None]] = {}
        self._woken: set[Lane] = set()
        #: The event under way of each lane.
        self._sending: dict[Lane, asyncio.Future[None]] = {}
        self._progress = asyncio.Event()
        self._accepted_at: datetime | None = None
        self._revisits = Periodic([self._wake_all], min(pace.aside, pace.revisit))
        self._log = RateLimitedLog(_log)

    async def start(self) -> None:
        """Continue with the events of an earlier process."""
        await self._wake_all()
        self._revisits.start()

    async def aclose(self) -> None:
        """Stop. Unacknowledged events stay in the outbox."""
        await self._revisits.aclose()
        await self._stop(list(self._tasks))

    async def refused(self) -> int:
        """See Sending."""
        return await self._outbox.count_refused()

    async def waiting(self) -> int:
        """See Sending."""
        return await self._outbox.pending()

    async def retry_refused(self) -> int:
        """See Sending."""
        refused = await self._outbox.requeue()
        await self._wake_all()
        return refused

    async def _wake_all(self) -> None:
        lanes = await self._outbox.lanes()
        elsewhere = await self._leases.elsewhere({Actor(lane.actor_id) for lane in lanes})
        for lane in lanes:
            if Actor(lane.actor_id) not in elsewhere:
                self.wake(lane)

    def wake(self, lane: Lane) -> None:
        """Send the new events of this lane."""
        self._woken.add(lane)
        if lane not in self._tasks:
            task = asyncio.create_task(self._run(lane), name=f"outbox {lane.actor_id}")
            self._tasks[lane] = task

    async def drop(self, actor: Actor) -> None:
        """Stop sending for this actor, whose events leave the outbox. Waits for events on their way
        to AWS: only what has arrived can be deleted there."""
        lanes = [lane for lane in self._tasks if lane.actor_id == actor.id]
        under_way = [self._sending[lane] for lane in lanes if lane in self._sending]
        if under_way:
            await asyncio.wait(under_way, timeout=self._pace.grace)
        await self._stop([lane for lane in lanes if lane in self._tasks])
        self._note_progress()

    async def move(self, actor: Actor, to: Actor) -> None:
        """Give another actor what AWS has not taken of this one, refused or not."""
        await self.drop(actor)
        await self._outbox.move(actor, to)
        await self._wake_all()

    async def flush(self, actor: Actor) -> None:
        """Return when none of the actor's events wait, except those that have stepped aside."""
        while True:
            progress = self._progress
            if not await self._outbox.pending(actor, aside=False):
                return
            await self._wake_all()  # a worker that has ended may have left them
            await progress.wait()

    # -- inside -----------------------------------------------------------------------------------

    async def _run(self, lane: Lane) -> None:
        try:
            with log_outage(_log, "outbox_unavailable"):
                async with self._leases.work_on(Actor(lane.actor_id)) as ours:
                    if ours:
                        await self._empty(lane)
                    # No await since the lane was found empty: who wakes it now starts a new task.
                    self._end(lane)
        finally:
            self._end(lane)

    def _end(self, lane: Lane) -> None:
        if self._tasks.get(lane) is asyncio.current_task():
            del self._tasks[lane]

    async def _empty(self, lane: Lane) -> None:
        """Send everything that waits in the lane, in order."""
        backoff = Backoff(self._pace.first_retry, self._pace.longest_retry, spread=0.5)
        while True:
            self._woken.discard(lane)
            try:
                event = await self._outbox.head(lane, self._pace.clock())
                if event is None and lane not in self._woken:
                    return
                if event is not None:
                    await self._deliver(event)
            except LeaseLost:
                return
            except CircuitOpen as failure:
                # No attempt, so no reason to wait longer next time: looking costs nothing, and
                # once one session finds the service back, the others follow.
                self._complain(failure)
                await asyncio.sleep(self._pace.look)
            except StoreUnavailable as failure:
                self._complain(failure)
                await asyncio.sleep(backoff.fail())
            else:
                backoff.reset()
                await asyncio.sleep(self._pace.spacing)

    async def _deliver(self, event: Outgoing) -> None:
        """Send one event and note the result. Raises StoreUnavailable if it is to be sent again
        before any other of its lane."""
        try:
            await self._hand_in(event)
        except AwsFailure as failure:
            await self._note_failure(event, failure)
        finally:
            if under_way := self._sending.pop(event.lane, None):
                under_way.set_result(None)

    async def _hand_in(self, event: Outgoing) -> None:
        """Send one event, and note that AWS has it."""
        event_id = None
        try:
            async with self._slots:
                self._sending[event.lane] = asyncio.get_running_loop().create_future()
                check_lease()
                event_id = await self._send(event)
        except AwsFailure as failure:
            if failure.fate is not Fate.DONE:
                raise
        await self._outbox.mark_sent(event, event_id)
        self._accepted_at = self._pace.clock()
        self._note_progress()

    async def _note_failure(self, event: Outgoing, failure: AwsFailure) -> None:
        """Quarantine what AWS will never take, and let step aside what is stuck. Raises the failure
        if the event stays at the head of its lane."""
        if failure.fate is Fate.LATER and not self._is_stuck(event, failure):
            await self._outbox.note_failure(event, str(failure), self._pace.clock())
            raise failure
        final, now = failure.fate is not Fate.LATER, self._pace.clock()
        again = None if final else now + timedelta(seconds=self._pace.aside)
        await self._outbox.note_failure(event, str(failure), now, again, final=final)
        _log.error(
            "event_quarantined" if final else "event_stepped_aside",
            actor=event.lane.actor_id,
            turn=event.turn_id,
            error=str(failure),
            quarantined=await self._outbox.count_refused(),
        )
        self._note_progress()

    def _is_stuck(self, event: Outgoing, failure: AwsFailure) -> bool:
        """True if AWS probably rejects just this event and takes others."""
        since, accepted = event.failing_since, self._accepted_at
        if since is None or self._pace.clock() - since < timedelta(seconds=self._pace.stuck):
            return False
        others = accepted is not None and accepted > since
        return others or (failure.refused and not failure.inactive)

    def _note_progress(self) -> None:
        self._progress.set()
        self._progress = asyncio.Event()

    def _complain(self, failure: StoreUnavailable) -> None:
        self._log.warning("events_waiting", sessions=len(self._tasks), error=str(failure))

    async def _stop(self, lanes: list[Lane]) -> None:
        tasks = [self._tasks.pop(lane) for lane in lanes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
