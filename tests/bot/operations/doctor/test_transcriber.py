"""The transcriber is given a second of silence, the way the bot gives it voice messages."""

import io
import wave
from typing import Any

import pytest

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.models import check_transcriber
from bot.settings import Settings
from tests.fakes.openai_server import OpenAIServer, refusing, text


async def the(server: OpenAIServer, **values: Any) -> CheckResult:
    server_of_ones_own = {
        "transcriber": "openai:whisper-1",
        "transcriber_base_url": server.base_url,
        "transcriber_api_key": "right",
    }
    (finding,) = await check_transcriber(Settings.model_validate(server_of_ones_own | values))
    return finding


async def test_without_a_transcriber_there_is_nothing_to_ask() -> None:
    assert await check_transcriber(Settings()) == []


async def test_a_transcriber_is_asked_once_with_a_recording_of_nothing() -> None:
    async with OpenAIServer(speech=text("")) as server:
        finding = await the(server)
        [(name, media_type, recording, model)] = server.recordings
    assert finding.mark is Mark.OK, "no words in silence is right"
    assert "whisper-1" in finding.text
    assert (name, media_type, model) == ("speech.wav", "audio/wav", "whisper-1")
    with wave.open(io.BytesIO(recording)) as heard:
        assert heard.getnframes() == heard.getframerate()


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "transcriber_api_key"),
        (403, "transcriber_api_key"),
        (404, "transcriber_base_url"),
        (429, "credit"),
        (400, "check transcriber"),
        (500, "log"),
    ],
)
async def test_what_the_server_refuses_is_said_with_what_to_do(status: int, remedy: str) -> None:
    async with OpenAIServer(speech=refusing(status, "the key sk-secret is odd")) as server:
        finding = await the(server)
    assert finding.mark is Mark.WRONG
    assert f"HTTP status {status}" in finding.text
    assert remedy in finding.text
    assert "sk-secret" not in finding.text


async def test_a_transcriber_that_is_not_there_is_wrong() -> None:
    async with OpenAIServer() as server:
        finding = await the(server, transcriber_base_url="http://127.0.0.1:1/v1")
    assert finding.mark is Mark.WRONG
    assert "transcriber_base_url" in finding.text


async def test_a_transcriber_without_a_key_is_said_before_anything_is_asked() -> None:
    (finding,) = await check_transcriber(Settings(transcriber="openai:whisper-1"))
    assert finding.mark is Mark.WRONG
    assert "MORDECAI_TRANSCRIBER_API_KEY" in finding.text
