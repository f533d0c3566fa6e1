"""Calls to AWS: boto3 clients of our own, and one way to use them from asyncio."""

import asyncio
import re
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, ParamValidationError
from botocore.loaders import Loader, create_loader

from memory.stores.agentcore.calls.circuit import CircuitOpen, Circuits
from memory.stores.agentcore.calls.errors import (
    AWS_ERRORS,
    AwsFailure,
    Fate,
    Where,
    explain,
)
from memory.stores.agentcore.calls.spacing import Spacing

#: boto3 names the service model and the signature alike.
DATA_SERVICE = "bedrock-agentcore"
CONTROL_SERVICE = "bedrock-agentcore-control"

#: Seconds between paced calls of one operation. AWS takes 20 a second of each in an account: half
#: of them stay for others.
_LEAST = {
    "BatchDeleteMemoryRecords": 0.1,
    "BatchUpdateMemoryRecords": 0.1,
    "GetMemoryRecord": 0.1,
    "StartMemoryExtractionJob": 0.2,
}
#: The same for calls that nobody waits for.
_CALM = 0.1
#: Seconds for which other calls wait for the one that finds out whether AWS is back.
_TRIAL = 0.5
#: So many tries of one paced call; by then AWS has throttled it for ten seconds.
_MOST_THROTTLES = 8


@dataclass(frozen=True, slots=True)
class AwsAccess:
    """Where AWS is and as whom to ask. What is None is found by boto3 in its usual order."""

    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None
    #: Seconds; memory is not worth waiting for longer than a person waits for an answer.
    connect_seconds: float = 3.0
    read_seconds: float = 5.0
    #: Tries of one call, by botocore, with its own short waits between them. A call that hangs
    #: holds its thread for all of them: no longer than a circuit's pause, or threads pile up.
    attempts: int = 2


def make_client(service: str, access: AwsAccess, connections: int) -> Any:
    """A boto3 client for one service with this many connections. Looking for credentials may block.
    Raises AwsFailure."""
    config = Config(
        connect_timeout=access.connect_seconds,
        read_timeout=access.read_seconds,
        retries={"total_max_attempts": access.attempts, "mode": "standard"},
        max_pool_connections=connections,
    )
    try:
        session = aws_session(access.region, access.profile)
        return session.client(service, config=config, endpoint_url=access.endpoint_url)
    except AWS_ERRORS as error:
        raise explain(error, Where("CreateClient", region=access.region or "")) from error


def aws_session(region: str | None, profile: str | None) -> boto3.Session:
    """What makes clients. All sessions share the descriptions of AWS's services and endpoints,
    which take 0.2 s to read. Raises ProfileNotFound."""
    core = botocore.session.Session()
    core.register_component("data_loader", _descriptions())
    return boto3.Session(botocore_session=core, profile_name=profile, region_name=region)


@cache
def _descriptions() -> Loader:
    return create_loader()


async def open_client(service: str, access: AwsAccess, pool: Executor, connections: int) -> Any:
    """The same as make_client, made in the pool. `connections` should be the number of the pool's
    threads."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, make_client, service, access, connections)


class AwsCalls:
    """The operations of one client, on one memory if it is named, on the thread pool, each behind a
    circuit and with a pace of its own."""

    def __init__(
        self, client: Any, pool: Executor, circuits: Circuits, memory_id: str | None = None
    ) -> None:
        self._client, self._pool, self._circuits = client, pool, circuits
        self._fixed = {"memoryId": memory_id} if memory_id else {}
        self._paces: dict[tuple[str, bool], Spacing] = {}
        #: For each operation the call that finds out whether it is back, and when that began.
        self._trials: dict[str, tuple[asyncio.Future[dict[str, Any]], float]] = {}

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer of one operation, given by its boto3 method name. Raises AwsFailure for what
        AWS says or does, StoreUnavailable while the circuit is open."""
        operation = self._operation(method)
        params = {**self._fixed, **params}
        where = Where(operation, params.get("memoryId", ""), self._client.meta.region_name)
        self._check(where, params)
        loop = asyncio.get_running_loop()
        tries = await self._pass_circuit(operation)
        running = loop.run_in_executor(self._pool, self._call, method, params, where)
        if tries:
            self._trials[operation] = running, loop.time()
            running.add_done_callback(lambda _: self._trials.pop(operation, None))
        return await running

    async def _pass_circuit(self, operation: str) -> bool:
        """See Circuit.check. While one call finds out whether the service is back, the other parts
        of the same read wait a moment for its result."""
        circuit = self._circuits.of(operation)
        try:
            return circuit.check()
        except CircuitOpen:
            trial, begun = self._trials.get(operation, (None, 0.0))
            left = begun + _TRIAL - asyncio.get_running_loop().time()
            if trial is None or left <= 0:
                raise
            await asyncio.wait([trial], timeout=left)
            return circuit.check()

    async def ask_paced(
        self, method: str, *, calm: bool = False, silence: float | None = None, **params: Any
    ) -> dict[str, Any]:
        """The same as `ask`, for one call of many: spaced, so that it leaves room for others, and
        repeated when AWS throttles it. `calm` calls are spaced even where others are not. Raises
        AwsFailure also after `silence` seconds without an answer; a throttle is an answer."""
        operation = self._operation(method)
        least = _CALM if calm else _LEAST.get(operation, 0.0)
        pace = self._paces.setdefault((operation, calm), Spacing(least))
        for throttles in count(1):
            await pace.wait()
            try:
                async with asyncio.timeout(silence):
                    answer = await self.ask(method, **params)
            except TimeoutError as late:
                raise AwsFailure(f"{operation}: AWS did not answer in time", "Late") from late
            except AwsFailure as failure:
                if not failure.throttled or throttles == _MOST_THROTTLES:
                    raise
                pace.note_throttle()
            else:
                break
        pace.note_answer()
        return answer

    async def rows(
        self,
        method: str,
        key: str,
        *,
        page: int = 100,
        silence: float | None = None,
        calm: bool = False,
        **params: Any,
    ) -> AsyncIterator[dict[str, Any]]:
        """All rows of a paged operation; see `ask_paced`."""
        token: str | None = None
        while True:
            more: dict[str, Any] = {"nextToken": token} if token else {}
            answer = await self.ask_paced(
                method, calm=calm, silence=silence, maxResults=page, **params, **more
            )
            for row in answer[key]:
                yield row
            token = answer.get("nextToken")
            if not token:
                return

    def _operation(self, method: str) -> str:
        return str(self._client.meta.method_to_api_mapping[method])

    def _call(self, method: str, params: dict[str, Any], where: Where) -> dict[str, Any]:
        circuit = self._circuits.of(where.operation)
        try:
            with circuit.under_way():
                answer = self._complete_answer(method, params, where)
        except AWS_ERRORS as error:
            failure = explain(error, where, params)
            if failure.answered:
                circuit.note_success()
            else:
                circuit.note_failure(str(failure))
            # These quote what was sent; people's words stay out of logs and tracebacks.
            quotes = isinstance(error, ClientError | ParamValidationError)
            raise failure from (None if quotes else error)
        circuit.note_success()
        return answer

    def _complete_answer(self, method: str, params: dict[str, Any], where: Where) -> dict[str, Any]:
        """Ask once more if the body of a 2xx broke off, which botocore takes for an answer without
        members. That is safe: whatever we change, we change by token or by id."""
        wanted = self._client.meta.service_model.operation_model(where.operation).output_shape
        for _ in range(2):
            answer: dict[str, Any] = getattr(self._client, method)(**params)
            if all(name in answer for name in wanted.required_members):
                return answer
        raise ConnectionClosedError(endpoint_url=self._client.meta.endpoint_url)

    def _check(self, where: Where, params: dict[str, Any]) -> None:
        """botocore checks no patterns, so ids are checked against its service model here."""
        shape = self._client.meta.service_model.operation_model(where.operation).input_shape
        for name, value in params.items():
            pattern = shape.members[name].metadata.get("pattern")
            if pattern and not re.fullmatch(pattern, value):
                text = f"{where.operation}: {name} {value!r} is not an id that AWS accepts"
                raise AwsFailure(text, "ParamValidation", Fate.NEVER, answered=True)
