"""Extraction: what AWS's strategies make of events, with the offline extractor as the model."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memory.records import Kind, Record, Role, Turn, Utterance
from memory.understanding import Extraction, Extractor, Reading
from tests.fakes.aws.events import StoredEvent
from tests.fakes.aws.memories import Shelf, StoredRecord
from tests.fakes.aws.namespaces import resolved

_KINDS = {
    "SEMANTIC": Kind.FACT,
    "USER_PREFERENCE": Kind.PREFERENCE,
    "SUMMARIZATION": Kind.SUMMARY,
}


@dataclass
class Job:
    """Events of one session that wait for extraction, or whose extraction failed."""

    events: list[StoredEvent]
    strategies: list[dict[str, Any]]
    due: float
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    def shown(self) -> dict[str, Any]:
        """As ListMemoryExtractionJobs shows a failed one."""
        return {
            "jobID": self.id,
            "messages": {
                "messagesList": [{"eventId": e.id, "messageIndex": 0} for e in self.events]
            },
            "status": "FAILED",
            "failureReason": "LTM_RATE_EXCEEDED",
            "strategyId": self.strategies[0]["strategyId"] if self.strategies else None,
            "sessionId": self.events[0].session_id,
            "actorId": self.events[0].actor_id,
        }


@dataclass
class Extractions:
    """The extraction jobs of one memory."""

    extractor: Extractor
    shelf: Shelf
    waiting: list[Job] = field(default_factory=list)
    failed: dict[str, Job] = field(default_factory=dict)
    _told: dict[tuple[str, str], list[Turn]] = field(default_factory=dict)

    def settle(self, now: float, fails: bool, rewrite: Callable[[str], str]) -> None:
        """Do what is due by now."""
        due = [job for job in self.waiting if job.due <= now]
        self.waiting = [job for job in self.waiting if job.due > now]
        for job in due:
            if fails:
                self.failed[job.id] = job
            else:
                self._extract(job, now, rewrite)

    def _extract(self, job: Job, now: float, rewrite: Callable[[str], str]) -> None:
        for event in job.events:
            turn = _turn(event)
            told = self._told.setdefault((event.actor_id, event.session_id), [])
            told.append(turn)
            for strategy in job.strategies:
                kind = _KINDS.get(strategy["type"])
                place = resolved(
                    strategy["namespaceTemplates"][0],
                    actorId=event.actor_id,
                    sessionId=event.session_id,
                    memoryStrategyId=strategy["strategyId"],
                )
                shelved = _Shelving(self.shelf, strategy["strategyId"], place, now, rewrite)
                if kind is Kind.SUMMARY:
                    shelved.summary(self._ask(told, []).summary)
                elif kind is not None:
                    shelved.proposals(kind, self._ask([turn], shelved.known(kind)))

    def _ask(self, turns: list[Turn], known: list[Record]) -> Extraction:
        return asyncio.run(self.extractor.extract(Reading(tuple(turns), tuple(known))))


@dataclass
class _Shelving:
    """Consolidation into one namespace: what is new goes beside or in place of what is there."""

    shelf: Shelf
    strategy_id: str
    namespace: str
    now: float
    rewrite: Callable[[str], str]

    def _here(self) -> list[StoredRecord]:
        return [r for r in self.shelf.found(self.now) if r.namespace == self.namespace]

    def known(self, kind: Kind) -> list[Record]:
        return [Record(r.id, kind, r.text, r.created_at) for r in self._here()]

    def proposals(self, kind: Kind, found: Extraction) -> None:
        for proposal in found.proposals:
            if proposal.kind is kind:
                self._put(self.rewrite(proposal.text), proposal.known)

    def summary(self, text: str | None) -> None:
        if text:
            earlier = self._here()
            self._put(self.rewrite(text), earlier[0].id if earlier else None)

    def _put(self, text: str, replaces: str | None) -> None:
        moment = datetime.fromtimestamp(self.now, UTC)
        earlier = self.shelf.records.get(replaces or "")
        if earlier is not None:
            earlier.text, earlier.timestamp = text, moment
        elif all(record.text != text for record in self._here()):
            record = StoredRecord(text, self.namespace, self.strategy_id, moment, moment)
            self.shelf.records[record.id] = record


def _turn(event: StoredEvent) -> Turn:
    messages = tuple(
        Utterance(Role.USER if role == "USER" else Role.ASSISTANT, text, event.at)
        for role, text in event.messages
        if role in ("USER", "ASSISTANT")
    )
    return Turn(event.id, event.session_id, messages)
