"""What Bedrock's refusals mean: is it the message, or the model as it is configured? Only AWS's
words tell, and these change, so each pattern is as short as possible.

Sources: AWS's user guide (troubleshooting, prompt caching, guardrails), and messages that others
have published. AWS's words never reach a log: they may quote a message."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic_ai.exceptions import ModelHTTPError, ModelNotFoundError

from bot.assistant.failures import BAD_CREDENTIALS, QUOTA, UNKNOWN_MODEL, UNUSABLE, Failure
from bot.models.vendors.bedrock_names import arn_of


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused request. `others` are the names under which this region may have the model."""

    model: str
    region: str
    caches: bool
    words: str
    others: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why Bedrock refuses, known by AWS's words, and what the operator can do."""

    words: re.Pattern[str]
    failure: Failure
    remedy: Callable[[Refused], str]
    #: Whether the remedy names other names of the model.
    renames: bool = False


def _reason(
    words: str, failure: Failure, remedy: Callable[[Refused], str], *, renames: bool = False
) -> Reason:
    return Reason(re.compile(words, re.IGNORECASE), failure, remedy, renames)


def _needs_profile(it: Refused) -> str:
    if not it.others:
        return (
            f"{it.model} needs an inference profile, and {it.region} has none for it: "
            "use another model or another aws_region"
        )
    return f"{it.model} needs an inference profile: set model to {it.others}"


def _not_found(it: Refused) -> str:
    arn = arn_of(it.model)
    if arn and arn.region not in ("", it.region):
        return f"{it.model} belongs to {arn.region}: set aws_region to that, not to {it.region}"
    other = f", or set model to {it.others}" if it.others else ""
    return f"{it.model} does not exist in {it.region}: check its spelling and aws_region{other}"


def _per_day(it: Refused) -> str:
    return (
        f"the account has used up its tokens of {it.model} for today: ask for a higher quota under "
        "Service Quotas, Amazon Bedrock, or configure a fallback model"
    )


def _retired(it: Refused) -> str:
    return f"{it.model} is retired, or about to be: set model to one that AWS lists as active"


def _form(it: Refused) -> str:
    return (
        f"{it.model} needs its vendor's form about the use case: fill it in on the model's page in "
        f"Bedrock's model catalog in {it.region}, and wait a quarter of an hour"
    )


def _country(it: Refused) -> str:
    return f"{it.model}'s vendor does not serve this account's country or region: use another model"


def _payment(it: Refused) -> str:
    return f"{it.model} needs a valid method of payment in the AWS account"


def _marketplace(it: Refused) -> str:
    return (
        f"{it.model} is not subscribed to yet: let someone with aws-marketplace:Subscribe and "
        "aws-marketplace:ViewSubscriptions call it once, then wait a few minutes"
    )


def _guardrail(it: Refused) -> str:
    return (
        "check bedrock_guardrail_id and bedrock_guardrail_version: a guardrail belongs to one "
        f"region, here {it.region}; and allow bedrock:ApplyGuardrail"
    )


def _policy(it: Refused) -> str:
    return (
        f"allow bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream for {it.model}, for "
        "its inference profile and for its model in every region of it, and see that no policy of "
        "the organization denies it; then check that model access is granted"
    )


def _no_access(it: Refused) -> str:
    return (
        f"model access is not granted for {it.model} in {it.region}: request it on Bedrock's page "
        "of model access there, and allow bedrock:InvokeModel and "
        "bedrock:InvokeModelWithResponseStream"
    )


def _hour(it: Refused) -> str:
    return f'{it.model} keeps its prompt cache for five minutes only: set bedrock_cache to "5m"'


def _cache(it: Refused) -> str:
    if it.caches:
        return f'{it.model} has no prompt cache: set bedrock_cache to "off"'
    return f"Bedrock does not run {it.model} for this account: use another model"


def _retention(it: Refused) -> str:
    return (
        f"{it.model} needs another mode of data retention: set it for the account in {it.region} "
        "with PutAccountDataRetention, or use another model"
    )


def _length(it: Refused) -> str:
    limit = re.search(r"(?:limit of|>)\s*(\d+)", it.words)
    most = f" to {limit[1]} or less" if limit else ""
    return f"{it.model} writes no answers that long: lower model_max_output_tokens{most}"


def _no_tools(it: Refused) -> str:
    return f"use another model: {it.model} can't call tools while it streams, which the bot needs"


def _no_support(it: Refused) -> str:
    return (
        f"use another model: {it.model} lacks something that the bot needs (Converse with "
        "streaming, tools and a system prompt)"
    )


def _account(it: Refused) -> str:
    return (
        f"AWS does not let this account use {it.model} yet: ask AWS's support, or use another model"
    )


#: From specific to general: the first match counts.
_REASONS = (
    _reason("on-demand throughput", UNUSABLE, _needs_profile, renames=True),
    _reason("guardrail", UNUSABLE, _guardrail),
    _reason("use case details", BAD_CREDENTIALS, _form),
    _reason("end of its life|marked by provider as legacy|been retired", UNKNOWN_MODEL, _retired),
    _reason("unsupported countr", UNUSABLE, _country),
    _reason("payment_?\\s?instrument", BAD_CREDENTIALS, _payment),
    _reason("marketplace", BAD_CREDENTIALS, _marketplace),
    _reason("extended ttl|\\bttl\\b", UNUSABLE, _hour),
    _reason("prompt caching|cachepoint|cache_control", UNUSABLE, _cache),
    _reason("data retention mode", UNUSABLE, _retention),
    _reason("maximum tokens you requested|maximum allowed number of output", UNUSABLE, _length),
    _reason("tool.{0,40}stream|unsupported for stream", UNUSABLE, _no_tools),
    _reason("(?:n.?t|not|un) ?support[^.]*\\btool|support tool", UNUSABLE, _no_tools),
    _reason(
        "(?:model|action)\\b[^.]{0,80}(?:n.t|\\bnot|\\bun) ?support|unsupported model"
        "|only supported for",
        UNUSABLE,
        _no_support,
    ),
    _reason("operation not allowed|not authorized to invoke", BAD_CREDENTIALS, _account),
    _reason("not authorized to perform|explicit deny", BAD_CREDENTIALS, _policy),
)
_PER_DAY = _reason("per day", QUOTA, _per_day)
_NOT_FOUND = _reason("", UNKNOWN_MODEL, _not_found, renames=True)
_NO_ACCESS = _reason("", BAD_CREDENTIALS, _no_access)
#: What is about the message or what is attached to it, even if it names the model.
_ABOUT_THE_MESSAGE = re.compile(
    r"\b(?:image|document|video|audio|file)s?\b|too (?:long|many)|context (?:limit|length|window)"
    r"|input tokens|maximum context",
    re.IGNORECASE,
)
_DENIED, _THROTTLED = "AccessDeniedException", "ThrottlingException"
_FINAL = ("ValidationException", "ResourceNotFoundException", _DENIED)


def message_of(error: ModelHTTPError) -> str:
    """What AWS said, which may quote a message: never to be logged."""
    body = error.body if isinstance(error.body, dict) else {}
    said = body.get("Error")
    return str(said.get("Message", "")) if isinstance(said, dict) else ""


def reason_of(error: ModelHTTPError) -> Reason | None:
    """Why Bedrock refuses this model for every message; None if the model is not the reason."""
    words = message_of(error)
    if error.provider_error_code == _THROTTLED and _PER_DAY.words.search(words):
        return _PER_DAY
    if error.provider_error_code not in _FINAL:
        return None
    denied = error.provider_error_code == _DENIED
    if denied or not _ABOUT_THE_MESSAGE.search(words):
        for reason in _REASONS:
            if reason.words.search(words):
                return reason
    if denied:
        return _NO_ACCESS
    return _NOT_FOUND if isinstance(error, ModelNotFoundError) else None


def failure_for(reason: Reason, it: Refused, status: int) -> Failure:
    """The failure with its remedy for this case."""
    return replace(reason.failure, remedy=reason.remedy(it), status=status)
