"""Several models in a row: when one is down, throttled or too slow, the next one answers.

The order is pydantic-ai's FallbackModel's: the next model is asked only as long as nothing of an
answer has come. A stream that breaks later fails as a whole; no other model goes on in the middle
of somebody's sentence."""

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
    Resting,
    failure_of,
)
from bot.models.sight import shown_in, sight_of
from memory.background.pacing import Backoff

_log = structlog.get_logger(__name__)

#: How long a model that failed is left alone, in seconds: twice as long with every failure in a
#: row. A vendor that says how long to wait is believed, up to the longest.
FIRST_REST = 30.0
LONGEST_REST = 300.0
_BACKOFF = Backoff(FIRST_REST, LONGEST_REST)


@dataclass(slots=True)
class _Rest:
    """How often a model has failed in a row, and until when it is left alone."""

    failures: int = 0
    until: float = 0.0


class Rests:
    """Which models have just failed and are left alone for a while.

    Only as long as there is one that is not: when all have failed, all are asked again, because an
    answer that comes late is better than none."""

    def __init__(self, names: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rests = {name: _Rest() for name in names}

    def is_resting(self, name: str) -> bool:
        """Whether this model is not to be asked now."""
        now = self._clock()
        return self._rests[name].until > now and any(r.until <= now for r in self._rests.values())

    def failed(self, name: str, error: Exception) -> None:
        """Leave this model alone for a while, and say so."""
        rest = self._rests[name]
        rest.failures += 1
        asked = getattr(error, "retry_after", None) or 0.0
        pause = min(max(_BACKOFF.pause(rest.failures - 1), asked), LONGEST_REST)
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

    def answered(self, name: str) -> None:
        """This model is well."""
        rest = self._rests[name]
        if rest.failures:
            _log.info("model_recovered", model=name)
        rest.failures, rest.until = 0, 0.0


class ModelChain(FallbackModel):
    """Models in the order in which they are asked."""

    def __init__(
        self,
        models: Sequence[Model],
        first_word_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`first_word_seconds` is how long each model has for the first piece of a streamed answer.
        A whole answer, as extraction asks for, has the time that whoever asks gives it."""
        self._rests = Rests([model.model_name for model in models], clock)
        self._first_word_seconds = first_word_seconds
        first, *others = (_Link(model, self._rests) for model in models)
        super().__init__(first, *others, fallback_on=self._another_may_do_better)

    @property
    def model_name(self) -> str:
        """The names of all."""
        return ", ".join(model.model_name for model in self.models)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """One request and the answer of the first model that begins one. Raises
        FallbackExceptionGroup when none does, and what a model raises in the middle of its
        answer."""
        settings = ModelSettings(**(model_settings or {}))
        settings["first_event_timeout"] = self._first_word_seconds
        async with super().request_stream(
            messages, settings, model_request_parameters, run_context
        ) as stream:
            yield stream

    def _another_may_do_better(self, error: Exception) -> bool:
        if isinstance(error, ModelRequestTimeout):
            # The library's own clock: the model that it stopped does not hear why.
            self._rests.failed(error.model_name, error)
        return isinstance(error, MODEL_ERRORS) and (
            isinstance(error, Resting | CannotSee) or failure_of(error).outage
        )


class _Link(WrapperModel):
    """A model in the chain: left out while it rests and where it can't see, and sent to rest when
    it fails."""

    def __init__(self, wrapped: Model, rests: Rests) -> None:
        super().__init__(wrapped)
        self._rests, self._sight = rests, sight_of(wrapped)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One request and its whole answer. Raises Resting, CannotSee and what the wrapped model
        raises."""
        with self._watched(messages):
            return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """One request and its answer as it comes. Raises Resting, CannotSee and what the wrapped
        model raises."""
        with self._watched(messages):
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream

    @contextmanager
    def _watched(self, messages: list[ModelMessage]) -> Iterator[None]:
        if not shown_in(messages) <= self._sight:
            raise CannotSee(self.model_name, "can't look at what is attached")
        if self._rests.is_resting(self.model_name):
            raise Resting(self.model_name, "left alone after a failure")
        try:
            yield
        except MODEL_ERRORS as error:
            if failure_of(error).outage:
                self._rests.failed(self.model_name, error)
            raise
        self._rests.answered(self.model_name)
