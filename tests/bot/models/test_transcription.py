"""Recordings become words over HTTP, as OpenAI's servers and others like them do it."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.errors import OperatorError
from bot.models.transcription import transcriber_of
from bot.replies import NotTranscribed
from bot.settings import Settings
from tests.fakes.openai_server import OpenAIServer, refusing, text


def settings(**values: Any) -> Settings:
    return Settings.model_validate({"transcriber": "openai:whisper-1"} | values)


async def heard(server: OpenAIServer, recording: bytes, media_type: str, **values: Any) -> str:
    """The words, by a transcriber of this server."""
    values = {"transcriber_base_url": server.base_url, "transcriber_api_key": "right"} | values
    async with transcriber_of(settings(**values)) as transcriber:
        assert transcriber
        return await transcriber.transcribe(recording, media_type)


@pytest.mark.parametrize(
    ("media_type", "name"),
    [("audio/ogg", "speech.ogg"), ("audio/mpeg", "speech.mp3"), ("audio/mp4", "speech.m4a")],
)
async def test_a_recording_is_written_down(media_type: str, name: str) -> None:
    async with OpenAIServer(speech=text("I live ", "in Oslo.")) as server:
        assert await heard(server, b"OggS", media_type) == "I live in Oslo."
        assert server.recordings == [(name, media_type, b"OggS", "whisper-1")]


async def test_a_failure_is_told_to_the_operator_without_a_word_of_it() -> None:
    async with OpenAIServer(speech=refusing(400, "the key sk-secret is odd")) as server:
        with capture_logs() as logs, pytest.raises(NotTranscribed):
            await heard(server, b"OggS", "audio/ogg")
    [line] = [line for line in logs if line["event"] == "not_transcribed"]
    assert line["status"] == 400
    assert "sk-secret" not in str(line)


async def test_address_and_key_of_the_same_vendors_model_do() -> None:
    async with OpenAIServer() as server:
        of_model = {
            "model": "openai:small",
            "model_base_url": server.base_url,
            "model_api_key": "right",
            "transcriber_base_url": None,
            "transcriber_api_key": None,
        }
        assert await heard(server, b"OggS", "audio/ogg", **of_model) == "Hello."


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
