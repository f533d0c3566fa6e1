"""Whether AWS lets us do all that the bot does with its memory, without writing anything."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.operations.doctor.check import CheckResult, ok, warning, wrong
from memory.errors import StoreUnavailable
from memory.records import Kind
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure, Fate
from memory.stores.agentcore.namespaces import namespace
from memory.stores.agentcore.setup import NOBODY

_DENIED = "AccessDeniedException"
_MISSING = ("ResourceNotFoundException",)
#: What AWS answers to the id of something that does not exist, and to an unacceptable request.
_UNFIT = (*_MISSING, "ValidationException", "InvalidInputException")
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
_RECORD = {"memoryRecordId": "mem-" + "0" * 36}
_SESSION = {"actorId": NOBODY.id, "sessionId": "doctor"}
_FACTS = {"namespace": namespace(Kind.FACT, NOBODY)}


@dataclass(frozen=True, slots=True)
class _Probe:
    """A call that changes nothing. If it fails with one of the `expected` codes, AWS has let us in
    and found nothing to do."""

    params: Mapping[str, Any]
    expected: Sequence[str] = ()


_PROBES = {
    "retrieve_memory_records": _Probe(
        {"searchCriteria": {"searchQuery": "anything", "topK": 1}, "maxResults": 1, **_FACTS}
    ),
    "list_memory_records": _Probe({"maxResults": 1, **_FACTS}),
    "get_memory_record": _Probe(_RECORD, _UNFIT),
    "list_actors": _Probe({"maxResults": 1}),
    "list_sessions": _Probe({"actorId": NOBODY.id, "maxResults": 1}, _MISSING),
    "list_events": _Probe({"includePayloads": False, "maxResults": 1, **_SESSION}, _MISSING),
    # There is no such role, so nothing is stored; if it were, SKIP keeps AWS from learning.
    "create_event": _Probe(
        {
            "eventTimestamp": _LONG_AGO,
            "payload": [{"conversational": {"role": "NOBODY", "content": {"text": "doctor"}}}],
            "extractionMode": "SKIP",
            **_SESSION,
        },
        _UNFIT,
    ),
    "delete_event": _Probe({"eventId": "0000000000000000000#00000000", **_SESSION}, _UNFIT),
    "batch_create_memory_records": _Probe({"records": []}, _UNFIT),
    "batch_update_memory_records": _Probe(
        {"records": [{"timestamp": _LONG_AGO, **_RECORD}]}, _UNFIT
    ),
    "batch_delete_memory_records": _Probe({"records": [_RECORD]}, _UNFIT),
}
#: What is needed only if AWS extracts.
_EXTRACTION = {
    "list_memory_extraction_jobs": _Probe({"maxResults": 1}),
    "start_memory_extraction_job": _Probe({"extractionJob": {"jobId": "doctor"}}, _UNFIT),
}


async def check_permissions(data: AwsCalls, *, extracts: bool) -> list[CheckResult]:
    """Try every operation of the bot. Each one that is not allowed gets a line; all other failures
    share one."""
    probes = _PROBES | (_EXTRACTION if extracts else {})
    asked = await asyncio.gather(*(_try(data, method, probes[method]) for method in probes))
    failures = [failure for failure in asked if failure]
    results = [wrong("permissions", str(each)) for each in failures if _has_code(each, _DENIED)]
    others = [each for each in failures if not _has_code(each, _DENIED)]
    if others:
        results.append(_summary(others, len(probes)))
    if results:
        return results
    text = f"all {len(probes)} operations of the bot are allowed, from CreateEvent to DeleteEvent"
    return [ok("permissions", text)]


def _summary(failures: Sequence[StoreUnavailable], tried: int) -> CheckResult:
    """One line for all that failed; only a warning if AWS is just busy."""
    worst = [each for each in failures if not getattr(each, "throttled", False)]
    first = (worst or list(failures))[0]
    others = f"; so do {len(failures) - 1} of {tried - 1} others" if len(failures) > 1 else ""
    if worst:
        return wrong("data plane", f"a call to the memory fails: {first}{others}")
    return warning("permissions", f"not checked: {first}{others}")


async def _try(data: AwsCalls, method: str, probe: _Probe) -> StoreUnavailable | None:
    """Why this operation does not work; None if it does."""
    try:
        await data.ask(method, **probe.params)
    except AwsFailure as failure:
        if failure.code not in probe.expected:
            return failure
        # A refusal that may pass speaks of the memory, not of the request.
        passing = failure.code == "ValidationException" and failure.fate is Fate.LATER
        return failure if passing else None
    except StoreUnavailable as failure:
        return failure
    return None


def _has_code(failure: StoreUnavailable, code: str) -> bool:
    return isinstance(failure, AwsFailure) and failure.code == code
