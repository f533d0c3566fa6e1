"""The data plane: events, records and extraction jobs of every memory of a region."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from moto.bedrockagentcore.models import BedrockAgentCoreBackend
from moto.bedrockagentcore.responses import BedrockAgentCoreResponse
from moto.core.responses import ActionResult

from memory.understanding import Extractor
from tests.fakes.aws.control import ACCOUNT, ControlBackend
from tests.fakes.aws.errors import NotFound
from tests.fakes.aws.events import EventLog, matches
from tests.fakes.aws.extraction import Extractions, Job
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.memories import Shelf, StoredRecord, batch, passes, score
from tests.fakes.aws.namespaces import matcher
from tests.fakes.aws.pages import page
from tests.fakes.aws.plane import Clock, StrictParameters


@dataclass
class Contents:
    """What one memory holds."""

    extractor: Extractor
    log: EventLog = field(default_factory=EventLog)
    shelf: Shelf = field(default_factory=Shelf)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.jobs = Extractions(self.extractor, self.shelf)


class DataBackend(BedrockAgentCoreBackend):
    """The contents of a region's memories."""

    def __init__(
        self, control: ControlBackend, knobs: Knobs, extractor: Extractor, clock: Clock
    ) -> None:
        super().__init__(control.region_name, ACCOUNT)
        self.control, self.knobs, self.clock = control, knobs, clock
        self._extractor = extractor
        self._contents: dict[str, Contents] = {}

    def contents(self, memory_id: str) -> Contents:
        """What the memory holds; NotFound for one that does not exist."""
        memory = self.control.get_memory(memory_id)
        return self._contents.setdefault(memory.memory_id, Contents(self._extractor))

    def fails(self) -> bool:
        """Whether the next record of a batch fails."""
        if self.knobs.failed_records <= 0:
            return False
        self.knobs.failed_records -= 1
        return True


class DataPlane(StrictParameters, BedrockAgentCoreResponse):
    """moto's handler with the operations that it lacks, over the contents of the fake."""

    def __init__(self, data: DataBackend) -> None:
        super().__init__()
        self._data = data

    @property
    def backend(self) -> DataBackend:
        """The region's contents, instead of moto's global ones."""
        return self._data

    def _held(self) -> Contents:
        """What the memory holds by now, with what extraction has made since the last call."""
        held, knobs = self.backend.contents(self.params["memoryId"]), self.backend.knobs
        held.jobs.settle(self._now(), knobs.extraction_fails, knobs.rewrite)
        return held

    def _now(self) -> float:
        return self.backend.clock()

    def _paged(
        self, rows: list[Any], name: str, show: Callable[[Any], dict[str, Any]], default: int = 20
    ) -> ActionResult:
        found, token = page(rows, self.params, self.backend.knobs.page_rows, default)
        return ActionResult({name: [show(row) for row in found], "nextToken": token})

    # events

    def create_event(self) -> ActionResult:
        """CreateEvent: idempotent by clientToken; extraction is due after the delay."""
        held, now, params = self._held(), self._now(), self.params
        event, new = held.log.create(params, now)
        strategies = self.backend.control.active_strategies(params["memoryId"])
        if new and strategies and params.get("extractionMode") != "SKIP":
            due = now + self.backend.knobs.extraction_seconds
            held.jobs.waiting.append(Job([event], strategies, due))
        return ActionResult({"event": event.shown()})

    def get_event(self) -> ActionResult:
        """GetEvent."""
        return ActionResult({"event": self._held().log.get(self.params, self._now()).shown()})

    def list_events(self) -> ActionResult:
        """ListEvents: newest first."""
        params = self.params
        found = self._held().log.of(params["actorId"], params["sessionId"], self._now())
        found = [event for event in found if matches(event, params.get("filter") or {})]
        whole = params.get("includePayloads") is not False
        return self._paged(found, "events", lambda event: event.shown(payload=whole))

    def delete_event(self) -> ActionResult:
        """DeleteEvent: records made of it stay."""
        event = self._held().log.get(self.params, self._now())
        if event.gone_at is not None:
            raise NotFound(f"Event not found: {event.id}")
        event.gone_at = self._now() + self.backend.knobs.deletion_seconds
        return ActionResult({"eventId": event.id})

    def list_sessions(self) -> ActionResult:
        """ListSessions: also those that have no events any more, unless filtered."""
        held, actor = self._held(), self.params["actorId"]
        rows: list[dict[str, Any]] = [
            {"actorId": owner, "sessionId": session, "createdAt": created}
            for (owner, session), created in held.log.sessions.items()
            if owner == actor
        ]
        if (self.params.get("filter") or {}).get("eventFilter") == "HAS_EVENTS":
            rows = [r for r in rows if held.log.of(actor, r["sessionId"], self._now())]
        return self._paged(rows, "sessionSummaries", dict)

    def list_actors(self) -> ActionResult:
        """ListActors: everybody."""
        actors = dict.fromkeys(actor for actor, _ in self._held().log.sessions)
        return self._paged([{"actorId": actor} for actor in actors], "actorSummaries", dict)

    # records

    def batch_create_memory_records(self) -> ActionResult:
        """BatchCreateMemoryRecords: idempotent by clientToken."""
        held, now, token = self._held(), self._now(), self.params.get("clientToken") or ""
        if token not in held.batches:
            held.batches[token] = batch(
                self.params["records"], lambda item: held.shelf.add(item, now), self.backend.fails
            )
        return ActionResult(held.batches[token])

    def batch_update_memory_records(self) -> ActionResult:
        """BatchUpdateMemoryRecords."""
        held, now = self._held(), self._now()
        return ActionResult(
            batch(
                self.params["records"],
                lambda item: held.shelf.change(item, now),
                self.backend.fails,
            )
        )

    def batch_delete_memory_records(self) -> ActionResult:
        """BatchDeleteMemoryRecords: reads notice after the lag."""
        held = self._held()

        def remove(item: dict[str, Any]) -> StoredRecord:
            lag = self.backend.knobs.deletion_seconds
            return held.shelf.remove(item["memoryRecordId"], self._now(), lag)

        return ActionResult(batch(self.params["records"], remove, self.backend.fails))

    def get_memory_record(self) -> ActionResult:
        """GetMemoryRecord: whoever owns it."""
        record = self._held().shelf.get(self.params["memoryRecordId"], self._now())
        return ActionResult({"memoryRecord": record.shown()})

    def delete_memory_record(self) -> ActionResult:
        """DeleteMemoryRecord: whoever owns it."""
        lag = self.backend.knobs.deletion_seconds
        record = self._held().shelf.remove(self.params["memoryRecordId"], self._now(), lag)
        return ActionResult({"memoryRecordId": record.id})

    def list_memory_records(self) -> ActionResult:
        """ListMemoryRecords: newest first."""
        rows = self._in_namespace(self.params, required=False)
        return self._paged(rows, "memoryRecordSummaries", lambda record: record.shown())

    def retrieve_memory_records(self) -> ActionResult:
        """RetrieveMemoryRecords: the most relevant first, however little they have in common."""
        criteria = self.params["searchCriteria"]
        rows = self._in_namespace({**criteria, **self.params}, required=True)
        query = criteria["searchQuery"]
        rated = sorted(((score(query, r.text), r) for r in rows), key=lambda pair: -pair[0])
        best = rated[: criteria.get("topK") or 10]
        return self._paged(best, "memoryRecordSummaries", lambda pair: pair[1].shown(pair[0]))

    def _in_namespace(self, params: dict[str, Any], *, required: bool) -> list[StoredRecord]:
        fits = matcher(params, self.backend.knobs.namespaces, required=required)
        indexed = self.backend.control.get_memory(params["memoryId"]).indexed_keys
        rules = params.get("metadataFilters") or ()
        strategy = params.get("memoryStrategyId")
        return [
            record
            for record in self._held().shelf.found(self._now())
            if fits(record.namespace)
            and strategy in (None, record.strategy_id)
            and passes(record, rules, indexed)
        ]

    # extraction jobs

    def list_memory_extraction_jobs(self) -> ActionResult:
        """ListMemoryExtractionJobs: the failed ones."""
        wanted = {k: v for k, v in (self.params.get("filter") or {}).items() if k != "status" and v}
        jobs = [job.shown() for job in self._held().jobs.failed.values()]
        rows = [job for job in jobs if all(job[k] == v for k, v in wanted.items())]
        return self._paged(rows, "jobs", dict)

    def start_memory_extraction_job(self) -> ActionResult:
        """StartMemoryExtractionJob: a failed one again."""
        job_id, jobs = self.params["extractionJob"]["jobId"], self._held().jobs
        if job_id not in jobs.failed:
            raise NotFound(f"Extraction job not found: {job_id}")
        jobs.waiting.append(jobs.failed.pop(job_id))
        return ActionResult({"jobId": job_id})
