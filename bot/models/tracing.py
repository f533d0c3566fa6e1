"""OpenTelemetry spans of what models do: each run, request and tool call, with tokens and times.

pydantic-ai makes them by the GenAI conventions. OpenTelemetry's SDK is an optional extra, imported
only when needed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings

from bot.errors import OperatorError

#: A collector that is away must not hold up the end of the program. Seconds.
_PATIENCE = 3.0


@asynccontextmanager
async def tracing(endpoint: str, *, content: bool) -> AsyncIterator[None]:
    """Send spans of all models' runs there while the block is open, with people's texts only if
    `content`. Raises OperatorError if the extra is missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise OperatorError(
            f"otel_endpoint = {endpoint}: sending spans needs the extra otel: "
            "pip install 'mordecai-assistant[otel]', or unset OTEL_EXPORTER_OTLP_ENDPOINT"
        ) from None
    # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say counts.
    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "mordecai"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=_PATIENCE)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    Agent.instrument_all(
        InstrumentationSettings(
            tracer_provider=provider,
            include_content=content,
            include_binary_content=False,
            # The tools are the same in every request.
            include_model_request_parameters=False,
        )
    )
    try:
        yield
    finally:
        Agent.instrument_all(instrument=False)
        await asyncio.to_thread(provider.shutdown)
