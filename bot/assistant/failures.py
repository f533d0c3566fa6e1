"""What keeps a model from answering, what it means to the user, and its remedy for the operator.

Nothing here repeats the text of an error: it may quote messages or keys."""

import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import structlog
from botocore.exceptions import BotoCoreError
from pydantic_ai import ModelResponse, RunContext
from pydantic_ai import exceptions as errors
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import ModelRequestContext

from bot.assistant.events import Reply
from bot.metrics import TURN_FAILURES, TURNS
from bot.texts import ENGLISH
from memory.records import Place
from tools.context import ToolContext

_log = structlog.get_logger(__name__)


class StreamCut(errors.UnexpectedModelBehavior):
    """The stream ended before the model finished."""


class WindowFull(errors.UnexpectedModelBehavior):
    """The request left no room for an answer in the context window."""


class Blocked(errors.ContentFilterError):
    """The operator's guardrail blocked the question or the answer."""


class CoolingDown(errors.ModelAPIError):
    """The model was skipped because it has just failed and others are available."""


class CannotSee(errors.ModelAPIError):
    """The model was skipped because it can't read the attached files."""


#: The stop reason of Bedrock when a guardrail has blocked or masked something.
_GUARDRAIL = "guardrail_intervened"
#: The stop reason of Bedrock and Anthropic when the context window is full.
_WINDOW_FULL = "model_context_window_exceeded"


@dataclass
class WholeAnswers(AbstractCapability[ToolContext]):
    """Fails the run on an incomplete response, before its text becomes the answer or a tool is
    called with half its arguments."""

    async def after_model_request(
        self,
        ctx: RunContext[ToolContext],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Raises StreamCut, ContentFilterError, Blocked, WindowFull, IncompleteToolCall,
        UnexpectedModelBehavior."""
        vendors_reason = (response.provider_details or {}).get("finish_reason")
        # Models that run in this process give no provider and no reason: they can't be cut.
        if response.provider_name is not None and not (response.finish_reason or vendors_reason):
            raise StreamCut("the stream ended before the answer did")
        check_filters(response)
        if response.finish_reason == "error":
            raise errors.UnexpectedModelBehavior("the model did not keep to its own format")
        if vendors_reason == _WINDOW_FULL and (response.tool_calls or not response.text):
            raise WindowFull("the context window was full before there was an answer")
        if response.finish_reason == "length" and response.tool_calls:
            raise errors.IncompleteToolCall("the output limit was reached within a tool call")
        return response


@dataclass
class PassedFilters(AbstractCapability[None]):
    """Fails a run outside a turn on a response that a filter stopped: what the filter says in its
    place must not become a summary or a greeting."""

    async def after_model_request(
        self,
        ctx: RunContext[None],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Raises ContentFilterError, Blocked."""
        check_filters(response)
        return response


def check_filters(response: ModelResponse) -> None:
    """Raises ContentFilterError for a response that the vendor's filter stopped, Blocked for one
    that the operator's guardrail did not let through."""
    if (response.provider_details or {}).get("finish_reason") == _GUARDRAIL:
        if not _is_masked(response):
            raise Blocked("the answer was blocked by a guardrail")
    elif response.finish_reason == "content_filter":
        raise errors.ContentFilterError("the answer was stopped by a content filter")


def _is_masked(response: ModelResponse) -> bool:
    """Whether a guardrail that intervened left an answer, with words masked: Bedrock gives the same
    reason for both. An empty trace tells nothing, and counts as blocked."""
    trace = (response.provider_details or {}).get("trace")
    actions = set(_actions_in(trace))
    return bool(response.text) and "ANONYMIZED" in actions and "BLOCKED" not in actions


def _actions_in(trace: object) -> Iterator[object]:
    """What a guardrail did, at any depth of its report."""
    if isinstance(trace, Mapping):
        yield trace.get("action")
        trace = list(trace.values())
    if isinstance(trace, list):
        for item in trace:
            yield from _actions_in(item)


#: What a model run may raise. Anything else is a bug, which the channel handles.
MODEL_ERRORS: tuple[type[Exception], ...] = (
    errors.AgentRunError,
    errors.FallbackExceptionGroup,
    errors.UserError,
    BotoCoreError,
    TimeoutError,
)

#: How servers report a prompt that is too long, where pydantic-ai does not know the wording.
_OVERFLOW = re.compile(
    r"context (?:size|length|window|limit)|too many (?:input )?tokens|(?:input|prompt) is too long"
    r"|reduce the length|maximum context|input tokens exceed|expected maxLength",
    re.IGNORECASE,
)


#: How servers report that their model takes no images, some of them with a 500.
_SEES_NOTHING = re.compile(
    r"image[_ -]?(?:input|url)|support(?:s|ed)? (?:for )?(?:images?|vision|documents?|files?)\b"
    r"|(?:images?|documents?|files?) (?:is|are) not (?:supported|allowed)|multi-?modal|mmproj",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model gave no answer. `remedy` tells the operator what to fix; None if there is
    nothing. `permanent`: the same request will fail again. `outage`: the model is down for now, and
    another one may answer. `askable`: rephrasing the request helps, so it is not counted as an
    error."""

    kind: str
    remedy: str | None
    permanent: bool = False
    outage: bool = False
    askable: bool = False
    status: int | None = None

    @property
    def user(self) -> str:
        """What the user should do next, in English."""
        return ENGLISH.failures[self.kind]


UNREACHABLE = Failure(
    "unreachable",
    "check the network, model_base_url or region, and that the server is running",
    outage=True,
)
SERVER_ERROR = Failure("server_error", "see the vendor's or server's own log", outage=True)
BAD_CREDENTIALS = Failure(
    "bad_credentials",
    "check model_api_key, or for Bedrock the AWS credentials and that model access is granted "
    "in the region",
    outage=True,
)
UNKNOWN_MODEL = Failure(
    "unknown_model",
    "check the setting model, and model_base_url or region: the model was not found",
    outage=True,
)
QUOTA = Failure("quota", "raise the account's quota or credit at the vendor", outage=True)
THROTTLED = Failure(
    "throttled",
    "ask the vendor for a higher limit, or configure a fallback model",
    outage=True,
)
OVERFLOW = Failure(
    "context_overflow",
    "use a model with a larger context window, or lower conversation_window_size",
    permanent=True,
    askable=True,
)
REJECTED = Failure(
    "rejected",
    "use a model and server that support tools and streaming: the request was refused",
    permanent=True,
    askable=True,
)
UNSEEN = Failure(
    "attachment_refused",
    "set model_sees to what the model can look at: the server refused pictures or documents",
    permanent=True,
    askable=True,
)
TIMEOUT = Failure(
    "timeout",
    "use a faster model, or raise model_timeout_seconds (silence) or turn_timeout_seconds (in all)",
    outage=True,
)
CUT = Failure(
    "cut",
    "check the network and the proxies in between: the model's stream ended early",
    outage=True,
)
FILTERED = Failure("content_filter", None, permanent=True, askable=True)
BLOCKED = Failure("blocked", None, permanent=True, askable=True)
NO_ANSWER = Failure(
    "no_answer", "use a stronger model: this one gave no usable answer", askable=True
)
TOO_LONG = Failure(
    "output_limit",
    "raise model_max_output_tokens: the limit was reached before there was an answer",
    askable=True,
)
ENDLESS = Failure(
    "endless_tools",
    "use a stronger model: this one would not stop calling tools",
    askable=True,
)
MISUSED = Failure("configuration", "check the model's settings: it can't be used like this")
#: The same if another model may be able to answer.
UNUSABLE = replace(MISUSED, outage=True)

FAILURES = (
    UNREACHABLE, SERVER_ERROR, BAD_CREDENTIALS, UNKNOWN_MODEL, QUOTA, THROTTLED, OVERFLOW, REJECTED,
    UNSEEN, TIMEOUT, CUT, FILTERED, BLOCKED, NO_ANSWER, TOO_LONG, ENDLESS,
    MISUSED,
)  # fmt: skip

#: The kinds after which the same request fails again.
PERMANENT = frozenset(failure.kind for failure in FAILURES if failure.permanent)


class UnusableModel(errors.ModelAPIError):
    """The vendor will not run this model as it is configured, whatever the message says.

    `failure` has a remedy for just this case."""

    def __init__(self, model_name: str, failure: Failure) -> None:
        super().__init__(model_name, failure.remedy or failure.kind)
        self.failure = failure


#: From specific to general: the first match counts.
_BY_TYPE: tuple[tuple[type[BaseException], Failure], ...] = (
    (StreamCut, CUT),
    (WindowFull, OVERFLOW),
    (Blocked, BLOCKED),
    (errors.ContentFilterError, FILTERED),
    (errors.OutputTokenLimitExceeded, TOO_LONG),
    (errors.UnexpectedModelBehavior, NO_ANSWER),
    (errors.UsageLimitExceeded, ENDLESS),
    (errors.ModelContextWindowExceededError, OVERFLOW),
    (errors.ModelAuthenticationError, BAD_CREDENTIALS),
    (errors.ModelNotFoundError, UNKNOWN_MODEL),
    (errors.ModelQuotaExceededError, QUOTA),
    (errors.ModelRateLimitError, THROTTLED),
    (errors.ModelRequestRejectedError, REJECTED),
    (errors.ModelRequestTimeout, TIMEOUT),
    (TimeoutError, TIMEOUT),
    (errors.ModelTimeoutError, TIMEOUT),
    (errors.ModelConnectionError, UNREACHABLE),
    (errors.ModelAPIError, SERVER_ERROR),
    (BotoCoreError, BAD_CREDENTIALS),
)


def failure_of(error: BaseException) -> Failure:
    """The failure behind this error. If several models were tried, the error of the last one that
    was not skipped counts."""
    if isinstance(error, BaseExceptionGroup):
        asked = [e for e in error.exceptions if not isinstance(e, CoolingDown | CannotSee)]
        return failure_of((asked or error.exceptions)[-1])
    if isinstance(error, UnusableModel):
        return error.failure
    found = next((failure for kind, failure in _BY_TYPE if isinstance(error, kind)), MISUSED)
    if isinstance(error, errors.ModelAPIError):
        found = _refine(error, found)
    status = error.status_code if isinstance(error, errors.ModelHTTPError) else None
    return replace(found, status=status)


def failure_with_files(error: BaseException) -> Failure:
    """The failure behind this error of a request with files: a rejection means the files."""
    failure = failure_of(error)
    return replace(UNSEEN, status=failure.status) if failure.kind == REJECTED.kind else failure


def attempts_in(error: BaseException) -> list[str]:
    """The outcome of each model tried, in order; empty if there was only one."""
    if not isinstance(error, BaseExceptionGroup):
        return []
    return [_outcome(each) for each in error.exceptions]


def failure_reply(
    error: Exception, log: structlog.stdlib.BoundLogger, started: float, *, with_files: bool
) -> Reply:
    """Log the failure of a turn, with or without files, and return the user's sentence."""
    failure = (failure_with_files if with_files else failure_of)(error)
    if models := attempts_in(error):
        log = log.bind(tried=models)
    TURNS.add("failed")
    TURN_FAILURES.add(failure.kind)
    error_id = secrets.token_hex(3)
    log.warning(
        "turn_failed",
        error_id=error_id,
        kind=failure.kind,
        status=failure.status,
        error=type(error).__name__,
        remedy=failure.remedy,
        duration_ms=round((time.monotonic() - started) * 1000),
    )
    return Reply(failure.user, failure=failure.kind, error_id="" if failure.askable else error_id)


def log_error(error: Exception, place: Place | None) -> str:
    """Log an error that nobody expected. Returns the number that it has in the log."""
    error_id = secrets.token_hex(3)
    chat = place.chat_id if place else None
    _log.error("update_failed", error_id=error_id, chat=chat, exc_info=error)
    return error_id


def _outcome(error: BaseException) -> str:
    model = getattr(error, "model_name", "a model")
    if isinstance(error, CoolingDown):
        return f"{model}: not asked, it has just failed"
    if isinstance(error, CannotSee):
        return f"{model}: not asked, it can't look at files"
    failure = failure_of(error)
    status = f" ({failure.status})" if failure.status else ""
    return f"{model}: {failure.kind}{status}: {failure.remedy}"


def _refine(error: errors.ModelAPIError, found: Failure) -> Failure:
    """Distinguish the cases that share one of pydantic-ai's types."""
    if found in (REJECTED, SERVER_ERROR) and _OVERFLOW.search(str(error.body)):
        return OVERFLOW
    if found in (REJECTED, SERVER_ERROR) and _SEES_NOTHING.search(str(error.body)):
        return UNSEEN
    if isinstance(error, errors.ModelHTTPError):
        return TIMEOUT if error.status_code == 408 else found
    if found is UNREACHABLE and getattr(error, "phase", None) == "read":
        return CUT
    # An OpenAI-compatible stream without its last chunk is recognizable by the message alone.
    return CUT if found is SERVER_ERROR and "finish_reason" in error.message else found
