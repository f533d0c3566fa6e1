"""The control plane: memories with names, ids made of them, strategies and a status life."""

import secrets
import string
from datetime import UTC, datetime
from typing import Any

from moto.bedrockagentcorecontrol.models import BedrockAgentCoreControlBackend, Memory
from moto.bedrockagentcorecontrol.responses import BedrockAgentCoreControlResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult

from tests.fakes.aws.errors import NotFound, Throttled, ValidationFailed
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.pages import page
from tests.fakes.aws.plane import Clock, StrictParameters
from tests.fakes.aws.quotas import Meter

ACCOUNT = "123456789012"
_ALPHABET = string.ascii_letters + string.digits


class LivingMemory(Memory):
    """moto's memory with an id made of its name, its templates, and a status that takes time."""

    def __init__(self, knobs: Knobs, clock: Clock, region: str, params: dict[str, Any]) -> None:
        self._knobs, self._clock = knobs, clock
        self.born = clock()
        self.deleted_at: float | None = None
        self.failure = knobs.creation_failure
        self.indexed_keys = {key["key"] for key in params.get("indexedKeys") or ()}
        super().__init__(
            region_name=region,
            account_id=ACCOUNT,
            name=params["name"],
            event_expiry_duration=params["eventExpiryDuration"],
            description=params.get("description"),
            encryption_key_arn=params.get("encryptionKeyArn"),
            memory_execution_role_arn=params.get("memoryExecutionRoleArn"),
            memory_strategies=params.get("memoryStrategies"),
        )
        self.memory_id = f"{self.name}-{_random(10)}"
        self.memory_arn = f"arn:aws:bedrock-agentcore:{region}:{ACCOUNT}:memory/{self.memory_id}"

    def _add_strategy(self, strategy_input: dict[str, Any]) -> None:
        super()._add_strategy(strategy_input)
        given = next(iter(strategy_input.values()))
        templates = given.get("namespaceTemplates") or given.get("namespaces")
        if not templates or len(templates) != 1:
            raise ValidationFailed("exactly one namespace template must be given")
        added = self.strategies[-1]
        added["strategyId"] = f"{added['name']}-{_random(10)}"
        added["namespaces"] = added["namespaceTemplates"] = templates

    @property
    def age(self) -> float:
        """Seconds since the memory was asked for."""
        return self._clock() - self.born

    @property
    def gone(self) -> bool:
        """Whether its deletion is complete."""
        deleted = self.deleted_at
        return deleted is not None and self._clock() - deleted >= self._knobs.deletion_seconds

    @property
    def state(self) -> str:
        """CREATING, ACTIVE, FAILED or DELETING."""
        if self.deleted_at is not None:
            return "DELETING"
        if self.age < self._knobs.creation_seconds:
            return "CREATING"
        return "FAILED" if self.failure else "ACTIVE"

    def to_dict(self) -> dict[str, Any]:
        """As GetMemory shows it."""
        shown = {**super().to_dict(), "status": self.state}
        ready = self._knobs.creation_seconds + self._knobs.strategy_seconds
        status = "CREATING" if self.age < ready else "ACTIVE"
        if self._knobs.strategies_fail:
            status = "FAILED"
        shown["strategies"] = [{**s, "status": status} for s in self.strategies]
        if self.state == "FAILED":
            shown["failureReason"] = self.failure
        return shown

    def to_summary(self) -> dict[str, Any]:
        """As ListMemories shows it: without its name."""
        return {**super().to_summary(), "status": self.state}


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


class ControlBackend(BedrockAgentCoreControlBackend):
    """The memories of one region."""

    def __init__(self, region: str, knobs: Knobs, clock: Clock) -> None:
        super().__init__(region, ACCOUNT)
        self._knobs, self._clock = knobs, clock
        self._meter = Meter()
        self._living: dict[str, LivingMemory] = {}
        self._tokens: dict[str, LivingMemory] = {}

    def create(self, params: dict[str, Any]) -> LivingMemory:
        """A new memory; the same clientToken gives the same one, another one's name is refused."""
        repeated = self._tokens.get(params.get("clientToken") or "")
        if repeated:
            return repeated
        if any(memory.name == params["name"] for memory in self.living()):
            raise ValidationFailed(f"Memory with name {params['name']} already exists")
        memory = LivingMemory(self._knobs, self._clock, self.region_name, params)
        self.memories[memory.memory_id] = self._living[memory.memory_id] = memory
        self._tokens[params.get("clientToken") or memory.memory_id] = memory
        return memory

    def living(self) -> list[LivingMemory]:
        """All that are not gone, newest first."""
        return [m for m in reversed(self._living.values()) if not m.gone]

    def forget(self) -> None:
        """An account without memories."""
        self.memories.clear()
        self._living.clear()
        self._tokens.clear()

    def _get_memory(self, memory_id: str) -> LivingMemory:
        memory = self.known(memory_id)
        if memory is None or memory.gone:
            raise NotFound(f"Memory not found: {memory_id}")
        return memory

    def known(self, memory_id: str) -> LivingMemory | None:
        """The memory of this id or ARN, if there is one."""
        return self._living.get(memory_id.rpartition("/")[2])

    def throttles(self, operation: str, params: dict[str, Any]) -> bool:
        """Whether a quota has no room for the call."""
        return self._knobs.quotas and not self._meter.take(operation, params, self._clock())

    def get_memory(self, memory_id: str) -> LivingMemory:
        """The memory of this id or ARN; NotFound."""
        return self._get_memory(memory_id)

    def delete_memory(self, memory_id: str) -> LivingMemory:
        """Begin to delete it."""
        memory = self._get_memory(memory_id)
        memory.deleted_at = self._clock()
        return memory

    def active_strategies(self, memory_id: str) -> list[dict[str, Any]]:
        """The strategies that would extract from an event written now."""
        shown = self._get_memory(memory_id).to_dict()["strategies"]
        return [strategy for strategy in shown if strategy["status"] == "ACTIVE"]

    def at(self) -> datetime:
        """This AWS's time."""
        return datetime.fromtimestamp(self._clock(), UTC)


class ControlPlane(StrictParameters, BedrockAgentCoreControlResponse):
    """moto's handler over the memories of the fake."""

    def __init__(self, memories: ControlBackend) -> None:
        super().__init__()
        self._memories = memories

    @property
    def backend(self) -> ControlBackend:
        """The region's memories, instead of moto's global ones."""
        return self._memories

    def refusal(self, operation: str) -> ServiceException | None:
        """A quota that is used up."""
        return Throttled("Rate exceeded") if self.backend.throttles(operation, {}) else None

    def create_memory(self) -> ActionResult:
        """CreateMemory: never ready at once."""
        shown = self.backend.create(self._get_params()).to_dict()
        return ActionResult({"memory": {**shown, "status": "CREATING"}})

    def list_memories(self) -> ActionResult:
        """ListMemories, in pages."""
        rows, token = page(self.backend.living(), self._get_params(), most=100, default=10)
        return ActionResult({"memories": [m.to_summary() for m in rows], "nextToken": token})
