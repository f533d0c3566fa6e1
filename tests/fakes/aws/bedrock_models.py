"""The models of the fake Bedrock: under which names a region has them, what they take, and in which
words AWS refuses the rest."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from moto.core.exceptions import ServiceException

from tests.fakes.aws.errors import NotFound, ValidationFailed

ACCOUNT = "123456789012"


class Denied(ServiceException):
    """403: the model can't be used like that, or not by this caller."""

    code = "AccessDeniedException"


@dataclass(frozen=True)
class BedrockModel:
    """What a model takes. `cache_minimum` is in tokens, None without a cache; `geographies` have an
    inference profile of it, and only a model that is `alone` can be called without one."""

    cache_minimum: int | None = None
    caches_an_hour: bool = False
    caches_tools: bool = False
    alone: bool = False
    geographies: tuple[str, ...] = ("us", "eu", "global")
    streams_tools: bool = True
    longest_answer: int = 64_000


_CLAUDE = BedrockModel(1024, caches_an_hour=True, caches_tools=True)
SONNET = "anthropic.claude-sonnet-4-5-20250929-v1:0"
HAIKU = "anthropic.claude-haiku-4-5-20251001-v1:0"
#: Minimums by AWS's model cards and Anthropic's list, in November 2026.
MODELS = {
    SONNET: _CLAUDE,
    HAIKU: replace(_CLAUDE, cache_minimum=4096),
    "anthropic.claude-sonnet-4-20250514-v1:0": replace(_CLAUDE, caches_an_hour=False),
    "anthropic.claude-3-haiku-20240307-v1:0": BedrockModel(alone=True, longest_answer=4096),
    "amazon.nova-pro-v1:0": BedrockModel(
        1000, alone=True, geographies=("us", "eu", "apac"), longest_answer=10_000
    ),
    "meta.llama4-scout-17b-instruct-v1:0": BedrockModel(
        geographies=("us",), streams_tools=False, longest_answer=8192
    ),
    "deepseek.v3-v1:0": BedrockModel(alone=True, geographies=()),
}
_NEAR = {"us-": ("us", "global"), "eu-": ("eu", "global")}


class Catalogue:
    """What one account can call, besides AWS's own: application inference profiles and provisioned
    models by their ARNs, which stand for models by their ids or profile ids. Retired ids end."""

    def __init__(self) -> None:
        self.arns: dict[str, str] = {}
        self.retired: set[str] = set()

    def add_profile(self, id_: str, model: str, region: str = "us-east-1") -> str:
        """Make an application inference profile; its ARN."""
        arn = f"arn:aws:bedrock:{region}:{ACCOUNT}:application-inference-profile/{id_}"
        self.arns[arn] = model
        return arn

    def add_provisioned(self, id_: str, model: str, region: str = "us-east-1") -> str:
        """Buy provisioned throughput; its ARN."""
        arn = f"arn:aws:bedrock:{region}:{ACCOUNT}:provisioned-model/{id_}"
        self.arns[arn] = model
        return arn

    def profiles(self, region: str) -> dict[str, list[str]]:
        """AWS's own inference profiles of a region, with the ARNs of their models."""
        return {
            f"{geography}.{id_}": _foundation_models(id_, geography, region)
            for id_, model in MODELS.items()
            for geography in model.geographies
            if geography in near(region)
        }

    def models_of(self, name: str, region: str) -> list[str]:
        """The ARNs of the models behind an ARN or a profile's id. Raises NotFound."""
        stands_for = self.arns.get(name, name)
        profiles = self.profiles(region)
        if stands_for in profiles:
            return profiles[stands_for]
        if stands_for in MODELS:
            return [f"arn:aws:bedrock:{region}::foundation-model/{stands_for}"]
        raise NotFound(f"The inference profile {name} was not found")

    def model(self, name: str, region: str) -> BedrockModel:
        """The model of a name. Raises what AWS answers if it can't be called by that."""
        id_ = self.arns.get(name, name.rpartition("/")[2])
        base = id_.partition(".")[2] if id_ not in MODELS else id_
        model = MODELS.get(base)
        if {id_, base} & self.retired:
            raise NotFound(
                "This model version has reached the end of its life. Please refer to the AWS "
                "documentation for more details."
            )
        if model is None or (id_ != base and id_ not in self.profiles(region)):
            raise ValidationFailed("The provided model identifier is invalid.", None)
        if id_ == base and not model.alone and name not in self.arns:
            raise ValidationFailed(
                f"Invocation of model ID {name} with on-demand throughput isn\u2019t "
                "supported. Retry your request with the ID or ARN of an inference profile that "
                "contains this model.",
                None,
            )
        return model


def near(region: str) -> tuple[str, ...]:
    """The geographies whose profiles a region offers."""
    return next((near for start, near in _NEAR.items() if region.startswith(start)), ())


def _foundation_models(id_: str, geography: str, region: str) -> list[str]:
    regions = [region, ""] if geography == "global" else [region, f"{region[:-1]}2"]
    return [f"arn:aws:bedrock:{each}::foundation-model/{id_}" for each in regions]


def refusals(model: BedrockModel, request: dict[str, Any], *, streams: bool) -> Iterator[Exception]:
    """What this model does not take of a request."""
    tools = (request.get("toolConfig") or {}).get("tools") or []
    if tools and streams and not model.streams_tools:
        yield ValidationFailed("This model doesn't support tool use in streaming mode.", None)
    if (request.get("inferenceConfig") or {}).get("maxTokens", 0) > model.longest_answer:
        yield ValidationFailed(
            f"The maximum tokens you requested exceeds the model limit of {model.longest_answer}. "
            f"Try again with a maximum tokens value that is lower than {model.longest_answer}.",
            None,
        )
    points = [block["cachePoint"] for block in all_blocks(request) if "cachePoint" in block]
    if points and model.cache_minimum is None:
        yield Denied(
            "You invoked an unsupported model or your request did not allow prompt caching. See "
            "the documentation for more information."
        )
    if any("cachePoint" in tool for tool in tools) and not model.caches_tools:
        yield ValidationFailed("Malformed input request: extraneous key [cachePoint]", None)
    lives = [point.get("ttl", "5m") for point in points]
    if "1h" in lives and not model.caches_an_hour:
        yield ValidationFailed(
            "system.1.cache_control.ephemeral.ttl: Extra inputs are not permitted"
            if model.caches_tools
            else "Extended TTL prompt caching is only supported for Anthropic models",
            None,
        )
    if lives != sorted(lives):  # "1h" sorts before "5m"
        longer = "Cache entries with longer TTL must appear before shorter TTLs"
        yield ValidationFailed(longer, None)


def all_blocks(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All blocks in the order in which they make up the cached prefix."""
    yield from (request.get("toolConfig") or {}).get("tools") or ()
    yield from request.get("system") or ()
    for message in request["messages"]:
        yield {"role": message["role"]}
        yield from message["content"]
