"""Finds or creates the memory at AWS, and checks an existing one against what we need."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import StoreUnavailable
from memory.records import Actor, Kind
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.calls.errors import AwsFailure

#: Where each strategy puts its records. The trailing slash is a safety matter, see
#: `memory.stores.agentcore.namespaces`, which these must agree with.
TEMPLATES = {
    Kind.FACT: "/facts/{actorId}/",
    Kind.PREFERENCE: "/preferences/{actorId}/",
    Kind.SUMMARY: "/summaries/{actorId}/{sessionId}/",
}
_TYPES = {
    Kind.FACT: ("SEMANTIC", "semanticMemoryStrategy", "facts"),
    Kind.PREFERENCE: ("USER_PREFERENCE", "userPreferenceMemoryStrategy", "preferences"),
    Kind.SUMMARY: ("SUMMARIZATION", "summaryMemoryStrategy", "summaries"),
}
#: No Telegram user has the id 0, so requests about them match nothing.
NOBODY = Actor("u0")
#: An id is the name, a hyphen and ten letters or digits; a name has no hyphen.
_ID = re.compile(r"(?P<name>[a-zA-Z][a-zA-Z0-9_]*)-[a-zA-Z0-9]{10}")
#: Rows of a page of ListMemories; the prose of the service model says at most 50.
_PAGE = 50


class UnusableMemory(StoreUnavailable):
    """The memory is there but can't be used as it is; the operator has to act."""


@dataclass(frozen=True, slots=True)
class AgentCoreMemory:
    """A ready memory: its id, the strategy of each kind that has one, and how long events live."""

    id: str
    strategies: Mapping[Kind, str]
    event_days: int = 365


@dataclass(frozen=True, slots=True)
class Wanted:
    """The memory to find or create. Events expire after this many days (AWS: 7 to 365); records
    stay. AWS needs its strategies only if it `extracts`."""

    name: str
    description: str = "What the assistant remembers of the people it talks to"
    event_expiry_days: int = 90
    extracts: bool = True


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for AWS, in seconds. Creation takes two or three minutes."""

    limit: float = 600.0
    poll: float = 5.0


async def find_or_create(
    control: AwsCalls,
    wanted: Wanted,
    progress: Callable[[str], None],
    patience: Patience | None = None,
) -> AgentCoreMemory:
    """The memory of exactly this name, ready to use; created if there is none. `progress` is told
    in words what is going on. Raises UnusableMemory, StoreUnavailable."""
    memory_id = await _find(control, wanted.name)
    if memory_id:
        progress(f"found memory {memory_id}")
    else:
        memory_id = await _create(control, wanted)
        progress(f"created memory {memory_id}")
    return await prepare(control, memory_id, progress, patience, extracts=wanted.extracts)


async def prepare(
    control: AwsCalls,
    memory_id: str,
    progress: Callable[[str], None],
    patience: Patience | None = None,
    *,
    extracts: bool,
) -> AgentCoreMemory:
    """An existing memory, ready to use. If AWS `extracts`, strategies that it lacks are added; they
    leave alone what is already in the memory. Raises UnusableMemory, StoreUnavailable."""
    shown = await _wait(control, memory_id, progress, patience)
    missing = (
        [kind for kind in TEMPLATES if not _strategies_by_template(shown, kind)] if extracts else []
    )
    if missing:
        progress(f"adding the strategies {', '.join(_TYPES[kind][2] for kind in missing)}")
        added = {"addMemoryStrategies": [_new_strategy(kind) for kind in missing]}
        await control.ask_paced("update_memory", memoryId=memory_id, memoryStrategies=added)
        shown = await _wait(control, memory_id, progress, patience)
    memory = _read_memory(shown, extracts=extracts)
    progress("ready")
    return memory


async def inspect(control: AwsCalls, memory_id: str, *, extracts: bool = True) -> AgentCoreMemory:
    """An existing memory as it stands. Raises UnusableMemory with the reason if it is not ready or
    not made as we need it, StoreUnavailable."""
    shown = await _describe(control, memory_id)
    if waiting := _why_not_active(shown):
        raise UnusableMemory(f"memory {memory_id} is not ready yet: {waiting}; try again later")
    return _read_memory(shown, extracts=extracts)


async def wait_until_ready(
    control: AwsCalls,
    memory_id: str,
    progress: Callable[[str], None],
    patience: Patience | None = None,
    *,
    extracts: bool = True,
) -> AgentCoreMemory:
    """An existing memory as it stands, once it is ready. Raises UnusableMemory when that fails or
    takes too long, or if it is not made as we need it, StoreUnavailable."""
    shown = await _wait(control, memory_id, progress, patience)
    memory = _read_memory(shown, extracts=extracts)
    progress("ready")
    return memory


async def _wait(
    control: AwsCalls,
    memory_id: str,
    progress: Callable[[str], None],
    patience: Patience | None,
) -> dict[str, Any]:
    """Wait until the memory and every strategy are ACTIVE: what is written before is never
    extracted. Returns the memory as AWS shows it."""
    patience = patience or Patience()
    end = time.monotonic() + patience.limit
    said = ""
    while waiting := _why_not_active(shown := await _describe(control, memory_id)):
        if waiting != said:
            progress(said := waiting)
        if time.monotonic() >= end:
            raise UnusableMemory(
                f"memory {memory_id} is not ready after {patience.limit:.0f} s ({waiting}): "
                "run this again later, it will be found"
            )
        await asyncio.sleep(patience.poll)
    return shown


async def wait_for_data_plane(
    data: AwsCalls, progress: Callable[[str], None], patience: Patience | None = None
) -> None:
    """Wait until a harmless read answers: the data plane learns minutes later than the control
    plane that a memory is ACTIVE. Raises UnusableMemory when that takes too long."""
    patience = patience or Patience()
    end = time.monotonic() + patience.limit
    said = ""
    while why := await _why_closed(data):
        if why != said:
            progress(f"waiting for the data plane: {(said := why)}")
        if time.monotonic() >= end:
            raise UnusableMemory(
                f"the memory is ACTIVE, but no call to it works after {patience.limit:.0f} s "
                f"({why}): run this again later, it will be found"
            )
        await asyncio.sleep(patience.poll)
    if said:
        progress("the data plane answers")


async def _why_closed(data: AwsCalls) -> str:
    """Why the data plane does not answer; empty if it does. "Not allowed" is an answer."""
    try:
        await data.ask("list_sessions", actorId=NOBODY.id, maxResults=1)
    except AwsFailure as failure:
        if not failure.answered or failure.refused:
            return str(failure)
    except StoreUnavailable as failure:
        return str(failure)
    return ""


async def _find(control: AwsCalls, name: str) -> str | None:
    """The id of the memory with exactly this name: `bot` is not `bot_dev`."""
    leaving = None
    async for row in control.rows("list_memories", "memories", page=_PAGE):
        parts = _ID.fullmatch(row["id"])
        if parts is None or parts["name"] != name:
            continue
        if row["status"] != "DELETING":
            return str(row["id"])
        leaving = row["id"]
    if leaving:
        raise UnusableMemory(
            f"memory {leaving} is being deleted: wait some minutes, or choose another name"
        )
    return None


async def _create(control: AwsCalls, wanted: Wanted) -> str:
    strategies: dict[str, Any] = {}
    if wanted.extracts:
        strategies = {"memoryStrategies": [_new_strategy(kind) for kind in TEMPLATES]}
    try:
        answer = await control.ask_paced(
            "create_memory",
            name=wanted.name,
            description=wanted.description,
            eventExpiryDuration=wanted.event_expiry_days,
            **strategies,
        )
    except AwsFailure as failure:
        # Somebody else may have been faster; AWS says so with either of these.
        if failure.code not in ("ValidationException", "ConflictException"):
            raise
        found = await _find(control, wanted.name)
        if found is None:
            raise
        return found
    return str(answer["memory"]["id"])


def _new_strategy(kind: Kind) -> dict[str, Any]:
    _, form, name = _TYPES[kind]
    return {form: {"name": name, "namespaceTemplates": [TEMPLATES[kind]]}}


async def _describe(control: AwsCalls, memory_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = (await control.ask_paced("get_memory", memoryId=memory_id))["memory"]
    return shown


def _why_not_active(shown: Mapping[str, Any]) -> str:
    """What is not ACTIVE yet, in words; empty when all is. Raises UnusableMemory for what will
    never be."""
    memory_id, status = shown["id"], shown["status"]
    if status == "FAILED":
        reason = shown.get("failureReason") or "AWS gives no reason"
        raise UnusableMemory(
            f"memory {memory_id} could not be created: {reason}. Delete it in the AWS console and "
            "run this again, or choose another name"
        )
    if status == "DELETING":
        raise UnusableMemory(f"memory {memory_id} is being deleted: choose another one")
    strategies = {s["name"]: s["status"] for s in shown.get("strategies") or ()}
    failed = [name for name, state in strategies.items() if state == "FAILED"]
    if failed:
        raise UnusableMemory(
            f"memory {memory_id}: the strategies {', '.join(failed)} failed: delete the memory in "
            "the AWS console and run this again"
        )
    behind = [name for name, state in strategies.items() if state != "ACTIVE"]
    if status != "ACTIVE":
        return f"the memory is {status}"
    return f"waiting for the strategies {', '.join(behind)}" if behind else ""


def _read_memory(shown: Mapping[str, Any], *, extracts: bool) -> AgentCoreMemory:
    """The memory in what AWS shows. Raises UnusableMemory if AWS `extracts` and a strategy is
    missing or writes elsewhere."""
    strategies = {
        kind: _strategies_by_template(shown, kind).get(wanted) for kind, wanted in TEMPLATES.items()
    }
    if extracts:
        strategies = {kind: _require_strategy(shown, kind) for kind in TEMPLATES}
    there = {kind: strategy for kind, strategy in strategies.items() if strategy}
    return AgentCoreMemory(shown["id"], there, shown["eventExpiryDuration"])


def _strategies_by_template(shown: Mapping[str, Any], kind: Kind) -> dict[str, str]:
    """The strategies that extract this kind, by the namespaces that they write to."""
    type_name, _, _ = _TYPES[kind]
    return {
        template: str(strategy["strategyId"])
        for strategy in shown.get("strategies") or ()
        if strategy["type"] == type_name
        for template in strategy.get("namespaceTemplates") or strategy.get("namespaces") or ()
    }


def _require_strategy(shown: Mapping[str, Any], kind: Kind) -> str:
    type_name, _, _ = _TYPES[kind]
    wanted, there = TEMPLATES[kind], _strategies_by_template(shown, kind)
    if wanted in there:
        return there[wanted]
    memory_id = shown["id"]
    if not there:
        raise UnusableMemory(
            f"memory {memory_id}: a {type_name} strategy with the namespace {wanted} is needed, it "
            "has no such strategy: `mordecai setup` adds it; or set agentcore_extraction to "
            '"mordecai", which needs none'
        )
    if wanted.rstrip("/") in there:
        raise UnusableMemory(
            f"memory {memory_id}: the {type_name} strategy has the namespace {wanted.rstrip('/')} "
            f"without a trailing slash, so a person's memories can be found from an id that begins "
            f"alike (u1 and u12): use a memory with {wanted}"
        )
    raise UnusableMemory(
        f"memory {memory_id}: a {type_name} strategy with the namespace {wanted} is needed, "
        f"it has {', '.join(there)}: use another memory, or let setup create one"
    )
