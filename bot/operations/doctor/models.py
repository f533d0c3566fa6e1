"""The language model and the transcriber: does each answer the smallest possible request?"""

import asyncio
import io
import time
import wave
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from bot.assistant.failures import MODEL_ERRORS, THROTTLED, failure_of
from bot.assistant.files import NotTranscribed
from bot.errors import OperatorError
from bot.models.catalogue import OFFLINE
from bot.models.configured import model_of
from bot.models.transcription import transcriber_of
from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.settings import Settings

_HELLO: Sequence[ModelMessage] = (ModelRequest([UserPromptPart("Say: ok")]),)
#: Some servers reject a smaller limit.
_SHORT = ModelSettings(max_tokens=16)
#: The bot offers its tools with each message: some models take none, or none while they stream.
_WITH_TOOL = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="search_memory",
            description="Search what you remember of the user.",
            parameters_json_schema={"type": "object", "properties": {"query": {"type": "string"}}},
        )
    ]
)


async def check_model(settings: Settings) -> list[CheckResult]:
    """Ask the model for one word."""
    if settings.model is None or settings.model == OFFLINE:
        return [ok("model", "none is set: the notebook answers, which needs none")]
    return await _ask(settings, settings.model, "model")


async def check_fallback(settings: Settings, name: str) -> list[CheckResult]:
    """Ask one of the fallback models for one word: it may not be needed for months."""
    return [] if name == OFFLINE else await _ask(settings, name, "fallback")


async def _ask(settings: Settings, name: str, subject: str) -> list[CheckResult]:
    """Ask a model, streaming and with a tool as the bot does; on Bedrock also without streaming,
    which is a separate permission."""
    try:
        # Looking up AWS credentials may use the network, and blocks.
        model = await asyncio.to_thread(model_of, settings, name)
    except OperatorError as mistake:
        return [wrong(subject, str(mistake))]
    ways = (_ask_streaming, _ask_whole) if name.startswith("bedrock:") else (_ask_streaming,)
    start = time.monotonic()
    async with model:
        for ask in ways:
            if trouble := await _find_failure(ask, model, name, subject):
                return [trouble]
    seconds = (time.monotonic() - start) / len(ways)
    found = [ok(subject, f"{name} answers in {seconds:.1f} s")]
    return [*found, warning(subject, doubt)] if (doubt := _doubt_about(model)) else found


def _doubt_about(model: Model) -> str | None:
    while isinstance(model, WrapperModel):
        if doubt := getattr(model, "doubt", None):
            return str(doubt)
        model = model.wrapped
    return None


async def _find_failure(
    ask: Callable[[Model], Awaitable[None]], model: Model, name: str, subject: str
) -> CheckResult | None:
    try:
        await ask(model)
    except MODEL_ERRORS as error:
        failure = failure_of(error)
        status = f", HTTP status {failure.status}" if failure.status else ""
        text = f"{name} gave no answer ({failure.kind}{status}): {failure.remedy or 'try again'}"
        busy = failure.kind == THROTTLED.kind
        return warning(subject, text) if busy else wrong(subject, text)
    return None


async def _ask_streaming(model: Model) -> None:
    async with model_request_stream(
        model, _HELLO, model_settings=_SHORT, model_request_parameters=_WITH_TOOL
    ) as stream:
        async for _ in stream:
            pass


async def _ask_whole(model: Model) -> None:
    await model_request(model, _HELLO, model_settings=_SHORT)


#: The recording: silence, in samples of two bytes. Vendors reject less than a tenth of a second.
_LENGTH, _RATE = timedelta(seconds=1), 16_000


async def check_transcriber(settings: Settings) -> list[CheckResult]:
    """Transcribe a second of silence the way voice messages are; no result if no transcriber is
    set."""
    name, start = settings.transcriber, time.monotonic()
    try:
        async with transcriber_of(settings) as transcriber:
            if transcriber is None:
                return []
            await transcriber.transcribe(_silence(), "audio/wav", _LENGTH)
    except OperatorError as mistake:
        return [wrong("transcriber", str(mistake))]
    except NotTranscribed as failure:
        return [wrong("transcriber", f"{name} writes nothing down: {failure}")]
    return [ok("transcriber", f"{name} answers in {time.monotonic() - start:.1f} s")]


def _silence() -> bytes:
    """A silent recording, as WAV."""
    recording = io.BytesIO()
    with wave.open(recording, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(bytes(2 * _RATE * int(_LENGTH.total_seconds())))
    return recording.getvalue()
