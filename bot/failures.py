"""What a failing model means: one polite sentence for the user, the remedy for the operator.

Nothing here repeats what an error says of the request: its text may quote messages or keys."""

import re
from dataclasses import dataclass, replace

from botocore.exceptions import BotoCoreError
from pydantic_ai import exceptions as errors


class StreamCut(errors.UnexpectedModelBehavior):
    """The connection ended before the model had finished."""


#: What a run of a model may raise. Anything else is a bug and goes to the handler boundary.
MODEL_ERRORS: tuple[type[Exception], ...] = (
    errors.AgentRunError,
    errors.FallbackExceptionGroup,
    errors.UserError,
    BotoCoreError,
    TimeoutError,
)

#: How servers say that the prompt is too long, where pydantic-ai does not know the wording.
_OVERFLOW = re.compile(
    r"context (?:size|length|window)|too many (?:input )?tokens|(?:input|prompt) is too long"
    r"|reduce the length|maximum context",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model gave no answer. `user` says what to do next; `remedy` is for the operator and
    None where there is nothing to mend. `permanent` means that the same request can't succeed
    later either."""

    kind: str
    user: str
    remedy: str | None
    permanent: bool = False
    status: int | None = None


_LATER = "I can't reach my language model right now. Please try again in a few minutes."
_SET_UP = (
    "My language model refuses to work for me, which only my operator can mend. "
    "Please try again later."
)

UNREACHABLE = Failure(
    "unreachable", _LATER, "check the network, model_base_url or region, and that the server runs"
)
SERVER_ERROR = Failure("server_error", _LATER, "the vendor's or server's own log says more")
BAD_CREDENTIALS = Failure(
    "bad_credentials",
    _SET_UP,
    "check model_api_key, or for Bedrock the AWS credentials and that model access is granted "
    "in the region",
)
UNKNOWN_MODEL = Failure(
    "unknown_model", _SET_UP, "check the setting model, and model_base_url or region: not found"
)
QUOTA = Failure("quota", _SET_UP, "the account's quota or credit at the vendor is used up")
THROTTLED = Failure(
    "throttled",
    "I'm getting more messages than my language model can take. Please try again in a minute.",
    "the vendor throttles: ask for a higher limit, or configure a fallback model",
)
OVERFLOW = Failure(
    "context_overflow",
    "That is more than I can read at once. Please send less text, or say /new to start over.",
    "use a model with a larger context window, or a smaller conversation_window_size",
    permanent=True,
)
REJECTED = Failure(
    "rejected",
    "My language model could not make sense of that message. Please say it differently.",
    "the server refused the request: does the model support tools and streaming?",
    permanent=True,
)
TIMEOUT = Failure(
    "timeout",
    "That took too long and I gave up. Please try again, perhaps with a simpler question.",
    "use a faster model, or allow a turn more seconds",
)
CUT = Failure(
    "cut",
    "The connection broke while I was answering. Please send your message again.",
    "the model's stream ended early: check the network or proxies in between",
)
FILTERED = Failure(
    "content_filter",
    "I can't answer that one. Please ask me something else.",
    None,
    permanent=True,
)
NO_ANSWER = Failure(
    "no_answer",
    "I could not come up with an answer. Please say it again in other words.",
    "the model gave no usable answer; a stronger one would",
)
TOO_LONG = Failure(
    "output_limit",
    "My answer got too long to finish. Please ask for a smaller piece of it.",
    "the output limit was reached before there was an answer",
)
ENDLESS = Failure(
    "endless_tools",
    "I went round in circles and gave up. Please say it again in other words.",
    "the model would not stop calling tools; a stronger one would",
)
MISUSED = Failure(
    "configuration",
    _SET_UP,
    "this model can't be used as it is configured",
)

#: From the special to the general: the first that fits counts.
_BY_TYPE: tuple[tuple[type[BaseException], Failure], ...] = (
    (StreamCut, CUT),
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
    """What this error means. Where several models were tried, the last one's error counts."""
    if isinstance(error, BaseExceptionGroup):
        return failure_of(error.exceptions[-1])
    found = next((failure for kind, failure in _BY_TYPE if isinstance(error, kind)), MISUSED)
    if isinstance(error, errors.ModelAPIError):
        found = _looked_at_closely(error, found)
    status = error.status_code if isinstance(error, errors.ModelHTTPError) else None
    return replace(found, status=status)


def _looked_at_closely(error: errors.ModelAPIError, found: Failure) -> Failure:
    """The cases that pydantic-ai's types do not tell apart."""
    if found in (REJECTED, SERVER_ERROR) and _OVERFLOW.search(str(error.body)):
        return OVERFLOW
    if isinstance(error, errors.ModelHTTPError):
        return TIMEOUT if error.status_code == 408 else found
    if found is UNREACHABLE and getattr(error, "phase", None) == "read":
        return CUT
    # Of an OpenAI-compatible stream without its last chunk, the message is all there is.
    return CUT if found is SERVER_ERROR and "finish_reason" in error.message else found
