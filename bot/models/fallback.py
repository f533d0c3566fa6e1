"""Fallback models: when one is down, throttled or too slow, the next one answers.

As in pydantic-ai's FallbackModel, the next model is asked only before the answer has begun. A
stream that breaks later fails as a whole: no other model continues in the middle of a sentence."""

import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic_ai import ModelMessage, ModelResponse, ModelSettings, RunContext
from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel

from bot.assistant.failures import (
    MODEL_ERRORS,
    CannotSee,
    CoolingDown,
    failure_of,
)
from bot.models.sight import file_kinds_in, sight_of
from memory.background.pacing import Backoff

_log = structlog.get_logger(__name__)

#: How long a failed model cools down, in seconds; doubles with every consecutive failure. If the
#: vendor says how long to wait, that counts, up to the longest cooldown.
FIRST_COOLDOWN = 30.0
LONGEST_COOLDOWN = 300.0
_BACKOFF = Backoff(FIRST_COOLDOWN, LONGEST_COOLDOWN)


@dataclass(slots=True)
class _Cooldown:
    """A model's consecutive failures, and when it may be asked again."""

    failures: int = 0
    until: float = 0.0


class Cooldowns:
    """The models that failed recently and are skipped for a while.

    When all have failed, none is skipped: a late answer is better than none."""

    def __init__(self, names: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cooldowns = {name: _Cooldown() for name in names}

    def is_cooling_down(self, name: str) -> bool:
        """True if this model should be skipped now."""
        now = self._clock()
        return self._cooldowns[name].until > now and any(
            r.until <= now for r in self._cooldowns.values()
        )

    def note_failure(self, name: str, error: Exception) -> None:
        """Start this model's cooldown, and log it."""
        rest = self._cooldowns[name]
        rest.failures += 1
        asked = getattr(error, "retry_after", None) or 0.0
        pause = min(max(_BACKOFF.pause(rest.failures - 1), asked), LONGEST_COOLDOWN)
        rest.until = self._clock() + pause
        failure = failure_of(error)
        _log.warning(
            "model_cooling_down",
            model=name,
            seconds=round(pause),
            kind=failure.kind,
            status=failure.status,
            remedy=failure.remedy,
        )

    def note_success(self, name: str) -> None:
        """End this model's cooldown."""
        rest = self._cooldowns[name]
        if rest.failures:
            _log.info("model_recovered", model=name)
        rest.failures, rest.until = 0, 0.0


class ModelChain(FallbackModel):
    """Models, asked in this order."""

    def __init__(
        self,
        models: Sequence[Model],
        first_word_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`first_word_seconds` is each model's time for the first piece of a streamed answer. A
        request for a whole answer, such as an extraction, has its caller's timeout."""
        self._cooldowns = Cooldowns([model.model_name for model in models], clock)
        self._first_word_seconds = first_word_seconds
        first, *others = (_Link(model, self._cooldowns) for model in models)
        super().__init__(first, *others, fallback_on=self._should_try_next)

    @property
    def model_name(self) -> str:
        """The names of all models."""
        return ", ".join(model.model_name for model in self.models)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Stream the answer of the first model that begins one. Raises FallbackExceptionGroup if
        none does, and whatever a model raises in the middle of its answer."""
        settings = ModelSettings(**(model_settings or {}))
        settings["first_event_timeout"] = self._first_word_seconds
        async with super().request_stream(
            messages, settings, model_request_parameters, run_context
        ) as stream:
            yield stream

    def _should_try_next(self, error: Exception) -> bool:
        if isinstance(error, ModelRequestTimeout):
            # The library's own timeout: the stopped model never sees the error.
            for model in self.models:
                if error.model_name in (model.model_name, _innermost(model).model_name):
                    self._cooldowns.note_failure(model.model_name, error)
                    break
        return isinstance(error, MODEL_ERRORS) and (
            isinstance(error, CoolingDown | CannotSee) or failure_of(error).outage
        )


class _Link(WrapperModel):
    """A model in the chain: skipped while it cools down or if it can't read the files."""

    def __init__(self, wrapped: Model, rests: Cooldowns) -> None:
        super().__init__(wrapped)
        self._cooldowns, self._sight = rests, sight_of(wrapped)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raises CoolingDown, CannotSee and whatever the wrapped model raises."""
        with self._guard(messages):
            return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Raises CoolingDown, CannotSee and whatever the wrapped model raises."""
        with self._guard(messages):
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream

    @contextmanager
    def _guard(self, messages: list[ModelMessage]) -> Iterator[None]:
        if not file_kinds_in(messages) <= self._sight:
            raise CannotSee(self.model_name, "can't look at what is attached")
        if self._cooldowns.is_cooling_down(self.model_name):
            raise CoolingDown(self.model_name, "left alone after a failure")
        try:
            yield
        except MODEL_ERRORS as error:
            if failure_of(error).outage:
                self._cooldowns.note_failure(self.model_name, error)
            raise
        self._cooldowns.note_success(self.model_name)


def _innermost(model: Model) -> Model:
    while isinstance(model, WrapperModel):
        model = model.wrapped
    return model
