"""Extraction: what AWS's strategies make of events, with the offline extractor as the model."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from memory.records import Kind, Record, Role, Turn, Utterance
from memory.understanding import Extraction, Extractor, Reading
from tests.fakes.aws.events import EventLog, StoredEvent
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.memories import Shelf, StoredRecord
from tests.fakes.aws.namespaces import resolved
from tests.fakes.aws.voice import Statement, preference, statements_in, summary

_KINDS = {
    "SEMANTIC": Kind.FACT,
    "USER_PREFERENCE": Kind.PREFERENCE,
    "SUMMARIZATION": Kind.SUMMARY,
}


@dataclass
class Job:
    """An event that waits for the extraction of one strategy, or whose extraction failed."""

    event: StoredEvent
    strategy: dict[str, Any]
    due: float
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    def shown(self) -> dict[str, Any]:
        """As ListMemoryExtractionJobs shows a failed one."""
        event = self.event
        messages = range(len(event.messages))
        return {
            "jobID": self.id,
            "messages": {
                "messagesList": [{"eventId": event.id, "messageIndex": n} for n in messages]
            },
            "status": "FAILED",
            "failureReason": "LTM_RATE_EXCEEDED",
            "strategyId": self.strategy["strategyId"],
            "sessionId": event.session_id,
            "actorId": event.actor_id,
        }


@dataclass
class Extractions:
    """The extraction jobs of one memory."""

    extractor: Extractor
    log: EventLog
    shelf: Shelf
    waiting: list[Job] = field(default_factory=list)
    failed: dict[str, Job] = field(default_factory=dict)

    def settle(self, now: float, knobs: Knobs) -> None:
        """Do what is due by now, each job at its own time."""
        due = sorted((job for job in self.waiting if job.due <= now), key=lambda job: job.due)
        self.waiting = [job for job in self.waiting if job.due > now]
        for job in due:
            if knobs.extraction_fails:
                self.failed[job.id] = job
            else:
                self._extract(job, knobs)

    def _extract(self, job: Job, knobs: Knobs) -> None:
        event, strategy = job.event, job.strategy
        kind = _KINDS.get(strategy["type"])
        place = resolved(
            strategy["namespaceTemplates"][0],
            actorId=event.actor_id,
            sessionId=event.session_id,
            memoryStrategyId=strategy["strategyId"],
        )
        # What a job was given it extracts, even if the event is deleted meanwhile: AWS warns of
        # records that come back, and says nothing of jobs that end with their events.
        there = self.log.of(event.actor_id, event.session_id, job.due)
        told = sorted({e.id: e for e in (*there, event)}.values(), key=lambda e: (e.at, e.id))
        source = max(e.at for e in told) if kind is Kind.SUMMARY else event.at
        shelved = _Shelving(self.shelf, strategy["strategyId"], place, job.due, source)
        writer: _Words = _AwsWords(self) if knobs.voice == "aws" else _OwnWords(self)
        if kind is Kind.SUMMARY:
            if text := writer.summary(told):
                shelved.rewrite(text)
        elif kind is not None:
            for text, replaces in writer.records(kind, event, shelved):
                shelved.put(text, replaces)

    def ask(self, events: Sequence[StoredEvent], known: Sequence[Record] = ()) -> Extraction:
        """What the extractor finds in these events."""
        work = self.extractor.extract(Reading(tuple(map(_turn, events)), tuple(known)))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        with ThreadPoolExecutor(1) as thread:  # a simulation calls AWS on its own event loop
            return thread.submit(asyncio.run, work).result()


@dataclass
class _Shelving:
    """Consolidation into one namespace: what is new goes beside or in place of what is there.
    `source` is when that was said which the records are made of."""

    shelf: Shelf
    strategy_id: str
    namespace: str
    now: float
    source: datetime

    @property
    def here(self) -> list[StoredRecord]:
        """What is there, newest first. What is being deleted takes no new statement up."""
        found = self.shelf.found(self.now)
        return [r for r in found if r.namespace == self.namespace and r.gone_at is None]

    def rewrite(self, text: str) -> None:
        """Write the one record of the namespace that extraction makes."""
        earlier = next((r for r in self.here if not r.metadata), None)
        self.put(text, earlier.id if earlier else None)

    def put(self, text: str, replaces: str | None) -> None:
        """Write a record, in the place of another one if it is given."""
        earlier = self.shelf.records.get(replaces or "")
        if earlier is not None:
            # Of several sources the newest counts.
            if earlier.timestamp <= self.source:
                earlier.text, earlier.timestamp = text, self.source
        elif all(record.text != text for record in self.here):
            written = datetime.fromtimestamp(self.now, UTC)
            record = StoredRecord(text, self.namespace, self.strategy_id, written, self.source)
            self.shelf.records[record.id] = record


class _Words(Protocol):
    """How records are worded."""

    def records(
        self, kind: Kind, event: StoredEvent, place: _Shelving
    ) -> Iterator[tuple[str, str | None]]:
        """The texts that an event gives, and the ids of the records that they replace."""

    def summary(self, events: Sequence[StoredEvent]) -> str | None:
        """What a session was about."""


@dataclass
class _OwnWords:
    """As the user said it."""

    jobs: Extractions

    def records(
        self, kind: Kind, event: StoredEvent, place: _Shelving
    ) -> Iterator[tuple[str, str | None]]:
        known = [Record(r.id, kind, r.text, r.created_at) for r in place.here]
        for proposal in self.jobs.ask([event], known).proposals:
            if proposal.kind is kind:
                yield proposal.text, proposal.known

    def summary(self, events: Sequence[StoredEvent]) -> str | None:
        return self.jobs.ask(events).summary


@dataclass
class _AwsWords:
    """As AWS does: in the third person, a preference as a fact as well, and even what was asked to
    be remembered and so has a record already. A later statement takes the place of an earlier one
    about the same, whose record then has the later one's time."""

    jobs: Extractions

    def records(
        self, kind: Kind, event: StoredEvent, place: _Shelving
    ) -> Iterator[tuple[str, str | None]]:
        for statement in self._statements(event):
            if kind is Kind.FACT:
                yield statement.text, self._earlier(statement, place)
            elif statement.liking:
                text = preference(statement)
                yield text, next((r.id for r in place.here if r.text == text), None)

    def summary(self, events: Sequence[StoredEvent]) -> str | None:
        return summary([text for e in events for role, text in e.messages if role == "USER"])

    def _statements(self, event: StoredEvent) -> list[Statement]:
        found: dict[str, Statement] = {}
        for role, said in event.messages:
            if role == "USER":
                found |= {each.text: each for each in statements_in(said)}
        for proposal in self.jobs.ask([event]).proposals:
            likes = proposal.kind is Kind.PREFERENCE
            for each in list(statements_in(proposal.text)) or [Statement(proposal.text)]:
                liking = likes or each.liking or (each.text in found and found[each.text].liking)
                found[each.text] = replace(each, liking=liking)
        return list(found.values())

    def _earlier(self, statement: Statement, place: _Shelving) -> str | None:
        for record in place.here:
            said = Statement(record.text)
            if not record.metadata and (
                said.text == statement.text
                or (said.subject is not None and said.subject == statement.subject)
            ):
                return record.id
        return None


def _turn(event: StoredEvent) -> Turn:
    messages = tuple(
        Utterance(Role.USER if role == "USER" else Role.ASSISTANT, text, event.at)
        for role, text in event.messages
        if role in ("USER", "ASSISTANT")
    )
    return Turn(event.id, event.session_id, messages)
