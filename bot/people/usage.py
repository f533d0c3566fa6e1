"""What requests to models cost: tokens, money and recordings."""

from dataclasses import dataclass, fields
from datetime import timedelta
from decimal import Decimal
from typing import Literal

from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage, RunUsage

#: The purpose of a model request.
UsageKind = Literal["turn", "extraction", "review", "recording"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of models. `runs` counts finished turns or extractions, `requests` the answered
    requests, also those of runs that failed later. Input tokens include those of the cache. `cost`
    is in US dollars, by the public prices that genai-prices knows; `unpriced` counts the requests
    missing from it because their model has no known price. `audio_milliseconds` is the length of
    transcribed recordings."""

    runs: int = 0
    requests: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: Decimal = Decimal(0)
    audio_milliseconds: int = 0

    @classmethod
    def of(cls, usage: RunUsage, *, finished: bool = True) -> "Usage":
        """The usage of one run. It counts as priced if any of its requests has a price. In the rare
        run on models with and without a price, the recorded cost is too low."""
        return cls(
            runs=int(finished),
            requests=usage.requests,
            unpriced=usage.requests if usage.cost is None else 0,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            cost=usage.cost or Decimal(0),
        )

    @classmethod
    def of_recording(cls, length: timedelta, cost: Decimal | None) -> "Usage":
        """The usage of transcribing one recording; a `cost` of None is unknown."""
        return cls(
            runs=1,
            requests=1,
            unpriced=int(cost is None),
            cost=cost or Decimal(0),
            audio_milliseconds=round(length / timedelta(milliseconds=1)),
        )

    def __add__(self, other: "Usage") -> "Usage":
        names = (field.name for field in fields(self))
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def cached_share(self) -> float:
        """The share of the input read from the prompt cache, 0 to 1."""
        return self.cache_read_tokens / self.input_tokens if self.input_tokens else 0.0


NO_USAGE = Usage()


def estimated_usage(model: Model, read: int, written: int) -> RunUsage | None:
    """The usage of an interrupted request, from estimated tokens: vendors report usage only at the
    end, but bill what the model read and wrote anyway. None for a model in this process, which
    costs nothing."""
    asked = model.models[0] if isinstance(model, FallbackModel) else model
    while isinstance(asked, WrapperModel):
        asked = asked.wrapped
    if asked.base_url is None:
        return None
    response = ModelResponse(
        [],
        usage=RequestUsage(input_tokens=read, output_tokens=written),
        model_name=asked.model_name,
        provider_name=asked.system,
        provider_url=asked.base_url,
    )
    try:
        cost = response.cost().total_price
    except LookupError:
        cost = None
    return RunUsage(requests=1, input_tokens=read, output_tokens=written, cost=cost)
