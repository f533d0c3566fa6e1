"""Recordings become words over HTTP, as OpenAI's servers and others like them do it."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from openai.types.audio.transcription import (
    UsageDuration,
    UsageTokens,
    UsageTokensInputTokenDetails,
)
from structlog.testing import capture_logs

from bot.assistant.files import NotTranscribed, Transcription
from bot.errors import OperatorError
from bot.models.catalogue import OPENAI
from bot.models.transcription import public_price, transcriber_of
from bot.settings import Settings
from tests.fakes.openai_server import OpenAIServer, refusing, text


def settings(**values: Any) -> Settings:
    return Settings.model_validate({"transcriber": "openai:whisper-1"} | values)


async def transcript(
    server: OpenAIServer, length: float = 0, *, media_type: str = "audio/ogg", **values: Any
) -> Transcription:
    """What a transcriber of this server makes of a recording of so many seconds."""
    values = {"transcriber_base_url": server.base_url, "transcriber_api_key": "right"} | values
    async with transcriber_of(settings(**values)) as transcriber:
        assert transcriber
        return await transcriber.transcribe(b"OggS", media_type, timedelta(seconds=length))


@pytest.mark.parametrize(
    ("media_type", "name"),
    [("audio/ogg", "speech.ogg"), ("audio/mpeg", "speech.mp3"), ("audio/mp4", "speech.m4a")],
)
async def test_a_recording_is_written_down(media_type: str, name: str) -> None:
    async with OpenAIServer(speech=text("I live ", "in Oslo.")) as server:
        assert (await transcript(server, media_type=media_type)).text == "I live in Oslo."
        assert server.recordings == [(name, media_type, b"OggS", "whisper-1")]


async def test_a_failure_is_told_to_the_operator_without_a_word_of_it() -> None:
    async with OpenAIServer(speech=refusing(400, "the key sk-secret is odd")) as server:
        with capture_logs() as logs, pytest.raises(NotTranscribed):
            await transcript(server)
    [line] = [line for line in logs if line["event"] == "transcription_failed"]
    assert line["status"] == 400
    assert "sk-secret" not in str(line)


async def test_address_and_key_of_the_same_vendors_model_do() -> None:
    async with OpenAIServer() as server:
        of_model: dict[str, Any] = {
            "model": "openai:small",
            "model_base_url": server.base_url,
            "model_api_key": "right",
            "transcriber_base_url": None,
            "transcriber_api_key": None,
        }
        assert (await transcript(server, **of_model)).text == "Hello."


async def test_nothing_named_is_nothing() -> None:
    async with transcriber_of(Settings()) as transcriber:
        assert transcriber is None


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "MORDECAI_TRANSCRIBER_API_KEY"),
        ({"transcriber": "acme:ear-1"}, "is unknown"),
        ({"model": "acme:x", "model_api_key": "theirs"}, "needs a key"),
    ],
)
async def test_what_can_not_work_is_said_at_the_start(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(OperatorError, match=reason):
        async with transcriber_of(settings(**values)):
            pass


# -- what it costs --------------------------------------------------------------------------------


async def test_a_minute_costs_what_the_settings_say() -> None:
    async with OpenAIServer() as server:
        written = await transcript(server, 90, transcriber_minute_cost=0.006)
        assert (written.length, written.cost) == (timedelta(seconds=90), Decimal("0.009"))
        assert (await transcript(server, 90, transcriber_minute_cost=0)).cost == 0
        unknown = await transcript(server, 0, transcriber_minute_cost=0.006)
        assert unknown.cost is None, "of a recording that nobody knows the length of"


async def test_a_server_of_ones_own_has_no_price_that_anybody_knows() -> None:
    async with OpenAIServer() as server:
        assert (await transcript(server, 60)).cost is None


async def test_the_server_knows_better_than_the_sender_how_long_a_recording_is() -> None:
    async with OpenAIServer(speech_usage={"type": "duration", "seconds": 600}) as server:
        written = await transcript(server, 1, transcriber_minute_cost=0.006)
        assert (written.length, written.cost) == (timedelta(minutes=10), Decimal("0.06"))


SECONDS = UsageDuration(type="duration", seconds=30)
TOKENS = UsageTokens(
    type="tokens",
    input_tokens=100,
    output_tokens=20,
    total_tokens=120,
    input_token_details=UsageTokensInputTokenDetails(audio_tokens=90, text_tokens=10),
)


@pytest.mark.parametrize(
    ("model", "used", "cost"),
    [
        ("whisper-1", SECONDS, "0.003"),
        ("whisper-1", None, "0.003"),
        ("gpt-4o-transcribe", TOKENS, "0.000765"),
        ("gpt-4o-transcribe", None, None),
        ("nobody-knows-1", SECONDS, None),
    ],
)
def test_the_vendor_s_public_prices_are_known(model: str, used: object, cost: str | None) -> None:
    price = public_price(model, OPENAI, timedelta(seconds=30), used)
    assert price == (None if cost is None else Decimal(cost))


def test_a_namesake_at_another_address_has_another_price() -> None:
    minute = timedelta(minutes=1)
    assert public_price("whisper-1", "http://127.0.0.1:8000/v1", minute, None) is None
    assert public_price("whisper-1", OPENAI, timedelta(0), None) is None
