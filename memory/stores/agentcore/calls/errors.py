"""What can go wrong with AWS, said in one line to the operator: what it is and how to mend it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    ReadTimeoutError,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError

from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.wording import aws_words

#: Everything that a boto3 call raises on purpose.
AWS_ERRORS = (BotoCoreError, ClientError, ResponseParserError)


class Fate(Enum):
    """What becomes of a call that failed."""

    #: The same call may succeed later, by itself or once the operator has acted.
    LATER = "later"
    #: The same call will never succeed.
    NEVER = "never"
    #: What the call named is not there.
    MISSING = "missing"
    #: The call was made before with the same idempotency token.
    DONE = "done"


class AwsFailure(StoreUnavailable):
    """A call that AWS did not carry out. `answered` is True if the service as such is there: a
    throttle or a refusal of this one call is an answer, an outage or bad credentials are none.
    `inactive` is True if the memory is not active, so that AWS refuses every call."""

    def __init__(
        self,
        message: str,
        code: str,
        fate: Fate = Fate.LATER,
        *,
        answered: bool = False,
        inactive: bool = False,
    ) -> None:
        super().__init__(message)
        self.code, self.fate, self.answered, self.inactive = code, fate, answered, inactive

    @property
    def refused(self) -> bool:
        """True if AWS calls the request itself, or the memory's state, unfit."""
        return self.code in _REFUSALS

    @property
    def throttled(self) -> bool:
        """True if AWS asks for fewer calls."""
        return self.code in _THROTTLES


@dataclass(frozen=True, slots=True)
class Where:
    """What was asked: the operation, of which memory, in which region."""

    operation: str
    memory_id: str = ""
    region: str = ""


_THROTTLES = ("ThrottledException", "ThrottlingException", "TooManyRequestsException")
_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or an instance role"

_CODES = {
    "ExpiredTokenException": "the AWS credentials have expired: renew them (for example with "
    "`aws sso login`), or use a role that renews itself",
    "UnrecognizedClientException": "AWS does not know these credentials: check the access key id "
    "and the session token",
    "MissingAuthenticationTokenException": f"the call carried no credentials: {_CREDENTIALS}",
    "SignatureDoesNotMatch": "the AWS secret access key is wrong: check AWS_SECRET_ACCESS_KEY",
    "SubscriptionRequiredException": "the AWS account is not subscribed to this service",
    "ServiceQuotaExceededException": "a quota of the AWS account is used up: ask for a higher one "
    "under Service Quotas, or delete what is not needed",
    "UnknownOperationException": "the service does not exist in this region: choose another one",
}
_SAME_AS = {
    "ExpiredToken": "ExpiredTokenException",
    "InvalidClientTokenId": "UnrecognizedClientException",
    "InvalidAccessKeyId": "UnrecognizedClientException",
    "IncompleteSignature": "SignatureDoesNotMatch",
}
_CLOCK_WORDS = ("signature expired", "not yet current", "time too skewed")
#: Operations whose "not found" speaks of an event, record or job; the others' of the memory.
_BY_ID = (
    "GetEvent",
    "DeleteEvent",
    "GetMemoryRecord",
    "DeleteMemoryRecord",
    "StartMemoryExtractionJob",
)
_REFUSALS = ("ValidationException", "InvalidInputException")
_SENT_BEFORE = "IdempotentParameterMismatchException"
#: The reasons that speak of the request itself. Any other may pass.
_FINAL = ("FieldValidationFailed", "CannotParse", "EventInOtherSession")
#: A memory is not active after it was created and while its strategies change, whatever reason AWS
#: gives with it: the data plane follows the control plane by minutes.
_PASSING = re.compile(r"not (?:yet )?active|transitional state|being (?:created|updated)", re.I)


def explain(error: Exception, where: Where, sent: Mapping[str, Any] | None = None) -> AwsFailure:
    """The failure that an error of boto3 means, without the values that were `sent`: AWS and
    botocore both quote the values that they refuse."""
    if isinstance(error, ClientError):
        return _answer(error.response, where, sent or {})
    name = type(error).__name__
    if isinstance(error, ParamValidationError):
        text = f"{where.operation}: the request is not one that AWS accepts"
        return AwsFailure(text, name, Fate.NEVER, answered=True)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AwsFailure(f"no complete AWS credentials were found: {_CREDENTIALS}", name)
    if isinstance(error, CredentialRetrievalError | TokenRetrievalError | SSOError):
        return AwsFailure(f"AWS credentials could not be fetched: {error}", name)
    if isinstance(error, ProfileNotFound | NoRegionError):
        return AwsFailure(f"{error}: check the AWS profile and region in the configuration", name)
    return AwsFailure(_unreachable(error, where), name)


def _unreachable(error: Exception, where: Where) -> str:
    if isinstance(error, ReadTimeoutError | ConnectTimeoutError):
        return f"{where.operation}: AWS did not answer in time"
    if isinstance(error, EndpointConnectionError):
        return (
            f"{where.operation}: AWS can't be reached in region {where.region}: check the network, "
            "and that Bedrock AgentCore is offered in this region"
        )
    if isinstance(error, HTTPClientError):
        return f"{where.operation}: the connection to AWS broke off"
    return f"{where.operation}: {type(error).__name__}"


def _answer(response: dict[str, Any], where: Where, sent: Mapping[str, Any]) -> AwsFailure:
    code = str(response.get("Error", {}).get("Code", ""))
    message = str(response.get("Error", {}).get("Message", ""))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    code = _SAME_AS.get(code, code)
    if any(word in message.lower() for word in _CLOCK_WORDS) or code == "RequestTimeTooSkewed":
        text = "this machine's clock is off by more than 5 minutes: set it (NTP)"
        return AwsFailure(f"{where.operation}: {text}", code)
    if code == "AccessDeniedException":
        return _denial(where, code)
    if code == "ResourceNotFoundException":
        return _missing(where, code)
    if code in _REFUSALS:
        return _refusal(where, code, response, aws_words(message, sent))
    if code == "InvalidSignatureException":
        code = "SignatureDoesNotMatch"
    if code in _CODES:
        return AwsFailure(f"{where.operation}: {_CODES[code]}", code)
    text = f"{where.operation}: AWS answered {code or 'an error'} ({status})"
    text = _quote(text, aws_words(message, sent))
    return AwsFailure(text, code, answered=code in _THROTTLES)


def _denial(where: Where, code: str) -> AwsFailure:
    action = f"bedrock-agentcore:{where.operation}"
    text = f"{action} is not allowed for these credentials: add the action to their IAM policy"
    return AwsFailure(text, code, answered=True)


def _missing(where: Where, code: str) -> AwsFailure:
    if where.operation in _BY_ID:
        text = f"{where.operation}: what it names does not exist"
        return AwsFailure(text, code, Fate.MISSING, answered=True)
    text = (
        f"{where.operation}: memory {where.memory_id} does not exist in region {where.region}, or "
        "is being deleted: check the memory id and the region in the configuration"
    )
    return AwsFailure(text, code, answered=True)


def _refusal(where: Where, code: str, response: dict[str, Any], words: str) -> AwsFailure:
    reason = str(response.get("reason") or "")
    if reason == _SENT_BEFORE:
        text = f"{where.operation}: sent before"
        return AwsFailure(text, code, Fate.DONE, answered=True)
    if _PASSING.search(str(response.get("Error", {}).get("Message", ""))):
        text = f"{where.operation}: the memory is not active, AWS may be creating or updating it"
        return AwsFailure(_quote(text, words), code, answered=True, inactive=True)
    fields = ", ".join(str(f.get("name")) for f in response.get("fieldList") or ())
    why = f"{reason or 'no reason given'}{f': {fields}' if fields else ''}"
    text = _quote(f"{where.operation}: AWS refuses the request ({why})", words)
    fate = Fate.NEVER if reason in _FINAL else Fate.LATER
    return AwsFailure(text, code, fate, answered=True)


def _quote(text: str, words: str) -> str:
    return f"{text}; AWS says: {words}" if words else text
