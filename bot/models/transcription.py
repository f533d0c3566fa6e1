"""Transcription by any server with OpenAI's audio/transcriptions interface."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from decimal import Decimal

import httpx2
import openai
import structlog
from genai_prices import calc_price
from genai_prices import types as prices
from openai.types.audio.transcription import UsageDuration, UsageTokens
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.assistant.files import NotTranscribed, Transcription
from bot.errors import OperatorError
from bot.models.catalogue import OPENAI, SERVERS
from bot.settings import Settings

_log = structlog.get_logger(__name__)

#: Timeouts to connect and to answer, in seconds: ten minutes of speech take a while.
_CONNECT_SECONDS, _READ_SECONDS = 3.0, 120.0

#: Servers detect the format by the extension of the file name.
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


#: Remedies by error, from specific to general.
_REMEDIES = (
    (openai.AuthenticationError, "check transcriber_api_key: the server does not take it"),
    (openai.PermissionDeniedError, "check transcriber_api_key: it may not use this model"),
    (openai.NotFoundError, "check transcriber and transcriber_base_url: no such model or address"),
    (openai.RateLimitError, "too many requests, or the account's credit is used up"),
    (openai.BadRequestError, "check transcriber: the server does not take recordings for it"),
    (openai.APITimeoutError, "the server is too slow, or can't be reached"),
    (openai.APIConnectionError, "check the network and transcriber_base_url, and that it runs"),
)


class SpeechModel:
    """A Transcriber over the network."""

    def __init__(
        self, model: str, client: openai.AsyncOpenAI, minute_cost: Decimal | None = None
    ) -> None:
        """The caller closes the client. `minute_cost` is in US dollars per minute; None means the
        price genai-prices knows for this model at this address, if any."""
        self._model, self._client, self._minute_cost = model, client, minute_cost

    async def transcribe(
        self, recording: bytes, media_type: str, length: timedelta = timedelta(0)
    ) -> Transcription:
        """See Transcriber. The server does not get the file's name."""
        file = (f"speech.{_ENDINGS.get(media_type, 'ogg')}", recording, media_type)
        try:
            heard = await self._client.audio.transcriptions.create(model=self._model, file=file)
        except openai.OpenAIError as error:
            # The error's own text may quote a key.
            status = getattr(error, "status_code", None)
            raise _log_failure(_remedy(error), type(error).__name__, status) from error
        text: object = getattr(heard, "text", heard)
        if not isinstance(text, str):
            raise _log_failure("transcriber_base_url: the answer has no text")
        used = getattr(heard, "usage", None)
        if isinstance(used, UsageDuration):
            # The length the sender claims may be false.
            length = timedelta(seconds=used.seconds)
        return Transcription(text, length, self._cost(length, used))

    def _cost(self, length: timedelta, used: object) -> Decimal | None:
        if self._minute_cost is None:
            return public_price(self._model, str(self._client.base_url), length, used)
        return self._minute_cost * Decimal(str(length / timedelta(minutes=1))) if length else None


def public_price(model: str, server: str, length: timedelta, used: object) -> Decimal | None:
    """The cost of a transcription at the server with this address, in US dollars, according to
    genai-prices; None if unknown."""
    billed = _billed_usage(length, used)
    if billed is None:
        return None
    try:
        price = calc_price(billed, model, provider_api_url=server).total_price
    except LookupError:
        return None
    # A price of zero means that it depends on figures missing from this answer.
    return price or None


def _billed_usage(length: timedelta, used: object) -> prices.Usage | None:
    """What vendors bill: tokens if the answer reports them, else seconds; None if unknown."""
    if isinstance(used, UsageTokens):
        details = used.input_token_details
        return prices.Usage(
            input_tokens=used.input_tokens,
            input_audio_tokens=(details and details.audio_tokens) or 0,
            output_tokens=used.output_tokens,
        )
    return prices.Usage(audio_seconds=length.total_seconds()) if length else None


def _log_failure(remedy: str, error: str | None = None, status: int | None = None) -> Exception:
    """Log a failure and return it as an exception."""
    _log.warning("transcription_failed", error=error, status=status, remedy=remedy)
    return NotTranscribed(f"HTTP status {status}: {remedy}" if status else remedy)


def _remedy(error: openai.OpenAIError) -> str:
    found = (remedy for kind, remedy in _REMEDIES if isinstance(error, kind))
    return next(found, "the transcriber's own log says more")


@asynccontextmanager
async def transcriber_of(settings: Settings) -> AsyncIterator[SpeechModel | None]:
    """The configured transcriber; None if there is none. Raises OperatorError."""
    name = settings.transcriber
    if name is None:
        yield None
        return
    vendor, _, model = name.partition(":")
    provider = _provider(settings, vendor)
    provider.client.max_retries = 1
    provider.client.timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
    async with provider:
        yield SpeechModel(model, provider.client, _minute_cost(settings))


def _minute_cost(settings: Settings) -> Decimal | None:
    cost = settings.transcriber_minute_cost
    return None if cost is None else Decimal(str(cost))


def _provider(settings: Settings, vendor: str) -> OpenAIProvider | OpenAICompatibleProvider:
    # The model's address and key belong to its vendor; no other vendor may see them.
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
