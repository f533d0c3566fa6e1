"""The transcriber: does it transcribe the smallest possible recording?"""

import io
import time
import wave
from datetime import timedelta

from bot.assistant.files import NotTranscribed
from bot.errors import OperatorError
from bot.models.transcription import transcriber_of
from bot.operations.doctor.check_result import CheckResult, ok, wrong
from bot.settings import Settings

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
