"""A fake AWS that is asked without sockets, on simulated time.

Requests are botocore's own, signed and serialised, and so are the answers; they are handed over
where botocore would send them."""

import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from moto.core.request import Request

from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsAccess,
    AwsCalls,
    make_client,
)
from memory.stores.agentcore.erasure import ErasingPace
from memory.stores.agentcore.events.sender import SendingPace
from memory.stores.agentcore.store import Timing
from memory.understanding import Extractor
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.server import FakeAws
from tests.fakes.aws.world import ENVIRONMENT, Machinery
from tests.fakes.simulated.loop import Delayed, epoch, now

#: As the program has it, but for the clock.
TIMING = Timing(pace=SendingPace(clock=now), erasing=ErasingPace(clock=now))

#: How long the caller waits for an answer that does not come.
_READ_SECONDS = 8.0


class Wire(Delayed):
    """What carries calls to AWS. A call and its answer take up to `seconds` each, by chance but the
    same in each run; one that hangs takes until its caller gives up."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._chance = random.Random(14)
        self._hung = 0.0

    def before(self) -> float:
        """See Delayed."""
        return self._chance.uniform(0, self.seconds)

    def after(self) -> float:
        """See Delayed."""
        hung, self._hung = self._hung, 0.0
        return hung + self._chance.uniform(0, self.seconds)

    def hang(self) -> None:
        """Have the call that is being made take as long as calls may."""
        self._hung = _READ_SECONDS


@contextmanager
def simulated(
    knobs: Knobs | None = None, extractor: Extractor | None = None, latency: float = 0.0
) -> Iterator[Machinery]:
    """The fake and clients of ours to it, for use on a SimulatedLoop. botocore does not repeat
    calls here: it would wait in real time."""
    aws, wire = FakeAws(knobs, extractor, epoch), Wire(latency)
    access = AwsAccess("us-east-1", endpoint_url="http://aws.invalid", attempts=1)
    with pytest.MonkeyPatch.context() as environment:
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        clients = [make_client(service, access, 1) for service in (CONTROL_SERVICE, DATA_SERVICE)]
    for client in clients:
        client.meta.events.register("before-send", _Hands(aws, wire))
    control, data = clients
    try:
        yield Machinery(aws, wire, AwsCalls(control, wire, Circuits("setup", failures=1000)), data)
    finally:
        for client in clients:
            client.close()


class _Hands:
    """botocore's hook in place of the network."""

    def __init__(self, aws: FakeAws, wire: Wire) -> None:
        self._aws, self._wire = aws, wire
        aws.pause = self._wait

    def __call__(self, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse:
        address = urlsplit(request.url)
        headers: dict[str, Any] = {name: _text(value) for name, value in request.headers.items()}
        sent = request.body or b""
        raw = sent.encode() if isinstance(sent, str) else bytes(sent)
        asked = Request.from_primitives(request.method, request.url, headers, raw)
        asked.environ["RAW_URI"] = f"{address.path}?{address.query}"
        service, operation = event_name.split(".")[1:]
        answer, fault = self._aws.answer(asked, (service, operation))
        if fault and fault.delay > _READ_SECONDS:
            raise ReadTimeoutError(endpoint_url=request.url)
        if fault and fault.cut is not None:
            raise ConnectionClosedError(endpoint_url=request.url)
        return AWSResponse(
            request.url, answer.status, answer.headers, _Raw(b"".join(answer.chunks))
        )

    def _wait(self, seconds: float) -> None:
        if seconds > _READ_SECONDS:
            self._wire.hang()


class _Raw(io.BytesIO):
    """A body as botocore reads it."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
