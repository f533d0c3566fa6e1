"""The data plane: events, records and extraction jobs of every memory of a region."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from moto.bedrockagentcore.models import BedrockAgentCoreBackend
from moto.bedrockagentcore.responses import BedrockAgentCoreResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult

from memory.understanding import Extractor
from tests.fakes.aws.control import ACCOUNT, ControlBackend
from tests.fakes.aws.errors import NotFound, Throttled, ValidationFailed
from tests.fakes.aws.events import EventLog, StoredEvent, matches
from tests.fakes.aws.extraction import Extractions, Job
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.memories import Shelf, StoredRecord, batch, passes, score
from tests.fakes.aws.namespaces import matcher
from tests.fakes.aws.pages import page
from tests.fakes.aws.plane import Clock, StrictParameters
from tests.fakes.aws.quotas import Meter


@dataclass
class Contents:
    """What one memory holds."""

    extractor: Extractor
    log: EventLog = field(default_factory=EventLog)
    shelf: Shelf = field(default_factory=Shelf)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.jobs = Extractions(self.extractor, self.log, self.shelf)


class DataBackend(BedrockAgentCoreBackend):
    """The contents of a region's memories."""

    def __init__(
        self, control: ControlBackend, knobs: Knobs, extractor: Extractor, clock: Clock
    ) -> None:
        super().__init__(control.region_name, ACCOUNT)
        self.control, self.knobs, self.clock = control, knobs, clock
        self.meter = Meter()
        self._extractor = extractor
        self._contents: dict[str, Contents] = {}

    def contents(self, memory_id: str) -> Contents:
        """What the memory holds; NotFound for one that does not exist."""
        memory = self.control.get_memory(memory_id)
        return self._contents.setdefault(memory.memory_id, Contents(self._extractor))

    def active(self, memory_id: str) -> bool:
        """Whether the data plane takes calls for the memory, which lags behind its status."""
        ready = self.knobs.creation_seconds + self.knobs.activation_seconds
        memory = self.control.known(memory_id)
        return memory is None or memory.age >= ready

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

    def refusal(self, operation: str) -> ServiceException | None:
        """A quota that is used up, or a memory that is not ready."""
        knobs = self.backend.knobs
        if knobs.quotas and not self.backend.meter.take(operation, self.params, self._now()):
            return Throttled("Rate exceeded")
        if self.backend.active(self.params.get("memoryId") or ""):
            return None
        text = f"Memory status is not active, unable to process {operation}"
        return ValidationFailed(text, knobs.inactive_reason)

    def _held(self) -> Contents:
        """What the memory holds by now, with what extraction has made since the last call."""
        held = self.backend.contents(self.params["memoryId"])
        held.jobs.settle(self._now(), self.backend.knobs)
        return held

    def _now(self) -> float:
        return self.backend.clock()

    def _paged(
        self, rows: list[Any], name: str, show: Callable[[Any], dict[str, Any]], default: int = 20
    ) -> ActionResult:
        knobs = self.backend.knobs
        found, token = page(rows, self.params, knobs.page_rows, default, thin=knobs.thin_pages)
        return ActionResult({name: [show(row) for row in found], "nextToken": token})

    # events

    def create_event(self) -> ActionResult:
        """CreateEvent: idempotent by clientToken; extraction is due after the delay."""
        held, now, params = self._held(), self._now(), self.params
        event, new = held.log.create(params, now)
        strategies = self.backend.control.active_strategies(params["memoryId"])
        if new and strategies and params.get("extractionMode") != "SKIP":
            due = now + self.backend.knobs.extraction_seconds
            held.jobs.waiting += [Job(event, strategy, due) for strategy in strategies]
        return ActionResult({"event": event.shown()})

    def get_event(self) -> ActionResult:
        """GetEvent."""
        return ActionResult({"event": self._held().log.get(self.params, self._now()).shown()})

    def list_events(self) -> ActionResult:
        """ListEvents: newest first."""
        params = self.params
        found = self._held().log.of(params["actorId"], params["sessionId"], self._now())
        found = [e for e in self._seen(found) if matches(e, params.get("filter") or {})]
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
            if owner == actor and self._is_shown(created.timestamp())
        ]
        if (self.params.get("filter") or {}).get("eventFilter") == "HAS_EVENTS":
            now = self._now()
            rows = [r for r in rows if self._seen(held.log.of(actor, r["sessionId"], now))]
        return self._paged(rows, "sessionSummaries", dict)

    def list_actors(self) -> ActionResult:
        """ListActors: everybody."""
        actors = dict.fromkeys(actor for actor, _ in self._held().log.sessions)
        return self._paged([{"actorId": actor} for actor in actors], "actorSummaries", dict)

    def _seen(self, events: list[StoredEvent]) -> list[StoredEvent]:
        """Those that lists show already."""
        return [event for event in events if self._is_shown(event.arrived)]

    def _is_shown(self, written: float) -> bool:
        lag = self.backend.knobs.writing_seconds
        return not lag or written + lag <= self._now()

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
            for record in self._held().shelf.found(self._now(), self.backend.knobs.writing_seconds)
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
        due = self._now() + self.backend.knobs.extraction_seconds
        jobs.waiting.append(replace(jobs.failed.pop(job_id), due=due))
        return ActionResult({"jobId": job_id})
