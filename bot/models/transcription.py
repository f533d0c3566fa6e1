"""Recordings written down by any server that speaks OpenAI's audio/transcriptions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import openai
import structlog
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.errors import OperatorError
from bot.models.catalogue import OPENAI, SERVERS
from bot.replies import NotTranscribed
from bot.settings import Settings

_log = structlog.get_logger(__name__)

#: Seconds until connected, and until there is an answer: ten minutes of speech take a while.
_CONNECT_SECONDS, _READ_SECONDS = 3.0, 120.0

#: Servers go by the ending of the file's name.
_ENDINGS = {
    "audio/ogg": "ogg",
    "audio/opus": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/mp4": "m4a",
    "audio/m4a": "m4a",
    "audio/x-m4a": "m4a",
    "audio/aac": "m4a",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/vnd.wave": "wav",
    "audio/flac": "flac",
    "audio/x-flac": "flac",
    "audio/webm": "webm",
}


class SpeechModel:
    """A Transcriber over the network."""

    def __init__(self, model: str, client: openai.AsyncOpenAI) -> None:
        """Whoever made the client closes it."""
        self._model, self._client = model, client

    async def transcribe(self, recording: bytes, media_type: str) -> str:
        """See Transcriber. The server learns no name of a file."""
        file = (f"speech.{_ENDINGS.get(media_type, 'ogg')}", recording, media_type)
        try:
            heard = await self._client.audio.transcriptions.create(model=self._model, file=file)
        except openai.OpenAIError as error:
            # What the error itself says may quote a key.
            _log.warning(
                "not_transcribed",
                error=type(error).__name__,
                status=getattr(error, "status_code", None),
                remedy="check transcriber, transcriber_base_url, the key, and the server's own log",
            )
            raise NotTranscribed from error
        text: object = getattr(heard, "text", heard)
        if not isinstance(text, str):
            _log.warning("not_transcribed", remedy="transcriber_base_url: the answer has no text")
            raise NotTranscribed
        return text


@asynccontextmanager
async def transcriber_of(settings: Settings) -> AsyncIterator[SpeechModel | None]:
    """What writes recordings down, as the settings name it; None if they name nothing. Raises
    OperatorError."""
    name = settings.transcriber
    if name is None:
        yield None
        return
    vendor, _, model = name.partition(":")
    provider = _provider(settings, vendor)
    provider.client.max_retries = 1
    provider.client.timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
    async with provider:
        yield SpeechModel(model, provider.client)


def _provider(settings: Settings, vendor: str) -> OpenAIProvider | OpenAICompatibleProvider:
    # Address and key of the model belong to its vendor; another one's must not get to see them.
    same = vendor == (settings.model or "").partition(":")[0]
    secret = settings.transcriber_api_key or (settings.model_api_key if same else None)
    key = secret.get_secret_value() if secret else None
    base_url = settings.transcriber_base_url or (settings.model_base_url if same else None)
    if base_url := base_url or SERVERS.get(vendor):
        return OpenAICompatibleProvider("own-server", base_url=base_url, api_key=key)
    if vendor != "openai":
        raise OperatorError(
            f"transcriber = '{settings.transcriber}' is unknown: expected openai:whisper-1 or the "
            "like, or openai:model with transcriber_base_url for a server of your own"
        )
    if not key:
        raise OperatorError(
            f"transcriber = '{settings.transcriber}' needs a key: set "
            "MORDECAI_TRANSCRIBER_API_KEY in the environment, or transcriber_base_url for a server "
            "of your own"
        )
    return OpenAIProvider(base_url=OPENAI, api_key=key)
