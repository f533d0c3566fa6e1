"""A strict OpenTelemetry collector, on a real socket: it takes spans by OTLP over HTTP."""

import gzip
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Span:
    name: str
    attributes: dict[str, Any]
    #: The service that it comes from.
    service: str


@dataclass
class OtlpCollector:
    """Use as `async with`. `spans` are those that came in, `bodies` the bytes that held them."""

    spans: list[Span] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    url: str = ""

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_post("/v1/traces", self._take)
        self._runner = web.AppRunner(application)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

        assert request.content_type == "application/x-protobuf"
        body = await request.read()
        if request.headers.get("content-encoding") == "gzip" and body.startswith(b"\x1f\x8b"):
            body = gzip.decompress(body)
        self.bodies.append(body)
        sent = service.ExportTraceServiceRequest.FromString(body)
        for each in sent.resource_spans:
            where = {pair.key: _value(pair.value) for pair in each.resource.attributes}
            self.spans += [
                Span(
                    span.name,
                    {pair.key: _value(pair.value) for pair in span.attributes},
                    where["service.name"],
                )
                for scope in each.scope_spans
                for span in scope.spans
            ]
        done = service.ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=done, content_type="application/x-protobuf")


def _value(value: Any) -> Any:
    return getattr(value, value.WhichOneof("value"))
