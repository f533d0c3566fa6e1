"""The fake AWS behind real sockets: point `endpoint_url` of any boto3 client at `FakeAws.url`."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar

from moto.core.request import Request
from moto.core.responses import BaseResponse
from moto.core.routing import get_service_router
from werkzeug.exceptions import MethodNotAllowed, NotFound

from bot.offline.extractor import RuleExtractor
from memory.understanding import Extractor
from tests.fakes.aws.bedrock_models import Catalogue
from tests.fakes.aws.bedrock_plane import BedrockPlane
from tests.fakes.aws.control import ControlBackend, ControlPlane
from tests.fakes.aws.converse import RuntimePlane, Script, Stream
from tests.fakes.aws.data import DataBackend, DataPlane
from tests.fakes.aws.knobs import Fault, Faults, Knobs
from tests.fakes.aws.plane import Clock

SERVICES = ("bedrock-agentcore-control", "bedrock-agentcore", "bedrock-runtime", "bedrock")
_SCOPE = re.compile(r"Credential=[^/]+/\d+/(?P<region>[a-z0-9-]+)/(?P<service>[a-z0-9-]+)/")


@dataclass(frozen=True)
class Call:
    """One HTTP request that reached AWS; a retry is a call of its own."""

    service: str
    operation: str
    params: dict[str, Any]
    status: int
    sent: int
    received: int


@dataclass(frozen=True)
class Answer:
    """What goes back: a status, headers, and a body that may come in chunks."""

    status: int
    headers: dict[str, str]
    chunks: Sequence[bytes]
    stream: Stream | None = None

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return sum(map(len, self.stream.frames if self.stream else self.chunks))


class FakeAws:
    """AgentCore Memory (both planes) and Bedrock's Converse, in this process. A context manager.

    `knobs` and `faults` may be turned at any time; `calls` holds what was asked, oldest first."""

    #: Where these services exist; other regions know none of their operations.
    regions: ClassVar[frozenset[str]] = frozenset({"us-east-1", "us-west-2", "eu-central-1"})

    def __init__(
        self,
        knobs: Knobs | None = None,
        extractor: Extractor | None = None,
        clock: Clock = time.time,
        port: int = 0,
    ) -> None:
        self.knobs = knobs or Knobs()
        self.faults = Faults()
        self.calls: list[Call] = []
        self.model = Script()
        self.models = Catalogue()
        self._extractor = extractor or RuleExtractor()
        self._time = clock
        self._control: dict[str, ControlBackend] = {}
        self._data: dict[str, DataBackend] = {}
        self._lock = threading.Lock()
        self._port = port
        self.stopping = threading.Event()
        #: How answers that are late wait.
        self.pause: Callable[[float], object] = self.stopping.wait

    def set_clock(self, clock: Clock) -> None:
        """Let time pass as this says, in seconds of the epoch."""
        self._time = clock

    def _clock(self) -> float:
        return self._time()

    @cached_property
    def _server(self) -> "_Server":
        return _Server(self, self._port)

    @property
    def url(self) -> str:
        """The endpoint of every service."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "FakeAws":
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, args=(0.05,), name="fake-aws", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()

    def control(self, region: str = "us-east-1") -> ControlBackend:
        """The region's memories, to look into or to arrange."""
        if region not in self._control:
            self._control[region] = ControlBackend(region, self.knobs, self._clock)
        return self._control[region]

    def data(self, region: str = "us-east-1") -> DataBackend:
        """What the region's memories hold, to look into or to arrange."""
        if region not in self._data:
            control = self.control(region)
            self._data[region] = DataBackend(control, self.knobs, self._extractor, self._clock)
        return self._data[region]

    def operations(self) -> list[str]:
        """The names of the operations that were called, oldest first."""
        return [call.operation for call in self.calls]

    def answer(
        self, request: Request, called: tuple[str, str | None] | None = None
    ) -> tuple[Answer, Fault | None]:
        """Serve one request, with the fault it meets; `called` is its service and operation, which
        otherwise its address tells."""
        scope = _SCOPE.search(request.headers.get("Authorization", ""))
        if scope is None:
            return refusal(403, "MissingAuthenticationTokenException", "no credentials"), None
        service, operation = called or _route(request)
        if operation is None or scope["region"] not in self.regions:
            return refusal(404, "UnknownOperationException", "unknown operation"), None
        fault = self.faults.take(operation)
        if fault and fault.delay:
            self.pause(fault.delay)
        params: dict[str, Any] = {}
        if fault and fault.code:
            answer = refusal(fault.status, fault.code, fault.message, fault.reason)
        else:
            with self._lock:
                answer, params = self._dispatch(service, scope["region"], request)
        sent = len(request.data)
        self.calls.append(Call(service, operation, params, answer.status, sent, answer.size))
        return answer, fault

    def _dispatch(
        self, service: str, region: str, request: Request
    ) -> tuple[Answer, dict[str, Any]]:
        plane = self._plane(service, region)
        status, headers, body = plane._dispatch(request)
        raw = body.encode() if isinstance(body, str) else bytes(body)
        sent = {name: str(value) for name, value in headers.items() if name != "status"}
        stream = plane.stream if isinstance(plane, RuntimePlane) else None
        return Answer(int(status), sent, [raw], stream), dict(plane.params)

    def _plane(self, service: str, region: str) -> BaseResponse:
        if service == "bedrock-agentcore-control":
            return ControlPlane(self.control(region))
        if service == "bedrock-runtime":
            return RuntimePlane(self.model, self.models, region)
        if service == "bedrock":
            return BedrockPlane(self.models, region, self.knobs)
        return DataPlane(self.data(region))


def _route(request: Request) -> tuple[str, str | None]:
    """The service and operation of a request. All services share one address here."""
    for service in SERVICES:
        try:
            operation, _ = get_service_router(service).match(request)
        except (NotFound, MethodNotAllowed):
            continue
        return service, str(operation.name)
    return "", None


def refusal(status: int, code: str, message: str, reason: str | None = None) -> Answer:
    """An error as AWS's front answers it."""
    body = json.dumps({"message": message, **({"reason": reason} if reason else {})}).encode()
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": code}
    return Answer(status, headers, [body])


class _Server(ThreadingHTTPServer):
    """One thread a connection, all of them closed with the server."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, aws: FakeAws, port: int) -> None:
        self.aws = aws
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news; anything else is a mistake of this fake."""
        if not self.aws.stopping.is_set():
            super().handle_error(request, client_address)

    def close_connections(self) -> None:
        """Hang up on everybody."""
        for connection in list(self._connections):
            hang_up(connection)


def hang_up(connection: socket.socket) -> None:
    """End a connection in both directions, whoever else holds it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended already


class _Handler(BaseHTTPRequestHandler):
    """HTTP/1.1 with kept-alive connections, as the real endpoints speak it."""

    protocol_version = "HTTP/1.1"
    # Head and body leave one after the other; with Nagle's algorithm every answer took 40 ms more.
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = f"{self.server.aws.url}{self.path}"
        request = Request.from_primitives(self.command, url, dict(self.headers), body)
        request.environ["RAW_URI"] = self.path
        answer, fault = self.server.aws.answer(request)
        try:
            if answer.stream and not (fault and fault.cut == 0):
                self._send_stream(answer.stream)
            else:
                self._send(answer, fault.cut if fault else None)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the caller did not wait for us

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815  # http.server asks for them

    def _send(self, answer: Answer, cut: int | None) -> None:
        if cut == 0:
            self._drop()
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(answer.size))
        self.end_headers()
        self.wfile.write(b"".join(answer.chunks)[:cut])
        if cut is not None:
            self._drop()

    def _send_stream(self, stream: Stream) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.amazon.eventstream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for frame in stream.frames:
            self.server.aws.stopping.wait(stream.pause)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
            self.wfile.flush()
        if stream.whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self._drop()

    def _drop(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        hang_up(self.connection)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the calls are in `FakeAws.calls`."""
