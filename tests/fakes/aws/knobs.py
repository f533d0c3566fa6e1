"""What can be turned on the fake AWS: how it matches, how long it takes, how it fails."""

import threading
from dataclasses import dataclass, field
from typing import Literal, Self

from tests.fakes.aws.namespaces import Matching


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with calls, before or after AWS has done the work.

    `operation` limits it to one operation (None: every one) and `times` to so many calls (None:
    until cleared). `code` refuses with that error, HTTP `status` and, if it has one, `reason`.
    `delay` seconds pass before anything is answered. `cut` closes the connection after so many
    bytes of the answer; 0 answers nothing at all. Without a code the work is done all the same: the
    caller can't know."""

    operation: str | None = None
    times: int | None = None
    code: str | None = None
    status: int = 400
    message: str = "refused by the test"
    delay: float = 0.0
    cut: int | None = None
    reason: str | None = None


def inactive(operation: str | None = None, times: int | None = None) -> Fault:
    """The data plane does not know yet that the memory is active."""
    message = f"Memory status is not active, unable to process {operation or 'the request'}"
    return Fault(operation, times, "ValidationException", 400, message)


def throttled(operation: str | None = None, times: int | None = None) -> Fault:
    """AWS asks to come back later."""
    return Fault(operation, times, "ThrottledException", 429, "Rate exceeded")


def broken(operation: str | None = None, times: int | None = None) -> Fault:
    """An error inside AWS."""
    return Fault(operation, times, "ServiceException", 500, "internal failure")


def expired_credentials(times: int | None = None) -> Fault:
    """The caller's temporary credentials have run out."""
    message = "The security token included in the request is expired"
    return Fault(None, times, "ExpiredTokenException", 403, message)


def wrong_credentials() -> Fault:
    """The caller's access key is unknown."""
    message = "The security token included in the request is invalid."
    return Fault(None, None, "UnrecognizedClientException", 403, message)


def wrong_clock() -> Fault:
    """The caller's clock is off by more than five minutes."""
    message = "Signature expired: 20261121T010000Z is now earlier than 20261121T025500Z"
    return Fault(None, None, "InvalidSignatureException", 403, message)


def denied(operation: str) -> Fault:
    """The caller's policy does not allow the operation."""
    service = "bedrock" if operation.startswith("Converse") else "bedrock-agentcore"
    message = (
        "User: arn:aws:iam::123456789012:user/bot is not authorized to perform: "
        f"{service}:{operation} because no identity-based policy allows it"
    )
    return Fault(operation, None, "AccessDeniedException", 403, message)


def hanging(operation: str | None = None, times: int | None = None, seconds: float = 3600) -> Fault:
    """AWS takes the call and says nothing, until the test is over."""
    return Fault(operation, times, delay=seconds)


@dataclass
class Knobs:
    """How this AWS behaves. All may be changed while it runs; durations are in seconds of its
    clock."""

    #: What `namespace` means: today's equality, or one of the older matches of string prefixes.
    namespaces: Matching = "exact"
    #: How long a memory stays CREATING, its strategies after it, and how long the data plane then
    #: still refuses every call though the control plane says ACTIVE. The last one is reported by
    #: those who deploy on AWS, not documented.
    creation_seconds: float = 0.0
    strategy_seconds: float = 0.0
    activation_seconds: float = 0.0
    #: The reason that those refusals name. Whether AWS names one, and which, nobody has reported.
    inactive_reason: str | None = None
    #: Why creating a memory fails, if it does.
    creation_failure: str | None = None
    #: Whether strategies fail though their memory is fine.
    strategies_fail: bool = False
    #: How long events wait for extraction. Their records are there then, whoever asks, or nobody.
    extraction_seconds: float = 0.0
    #: Whose words extraction writes: the user's own, or AWS's (see `voice`).
    voice: Literal["own", "aws"] = "own"
    #: Whether extraction fails; it then leaves jobs behind that can be started again.
    extraction_fails: bool = False
    #: How long what was written is missing from lists and searches, and what was changed is there
    #: as it was before; calls by id find it at once.
    #: AWS's own tests of its SDK wait for events like this, for up to three minutes.
    writing_seconds: float = 0.0
    #: How long deleted memories, events and records are still found; five minutes were reported.
    deletion_seconds: float = 0.0
    #: Of the next batches, this many records fail though the answer is 2xx.
    failed_records: int = 0
    #: The most rows a page holds, whatever the caller asks for.
    page_rows: int = 100
    #: Whether first pages are empty and second ones half full, though more follows.
    thin_pages: bool = False
    #: Whether AWS's quotas hold (see `quotas`). Needs a clock that goes.
    quotas: bool = False

    @classmethod
    def harsh(cls, seconds: float = 1.0) -> Self:
        """Everything at once that AWS is known or said to do and that passes by itself. What takes
        minutes there takes about `seconds`, but for deletions, which are seen for their five
        minutes."""
        return cls(
            namespaces="blind",
            creation_seconds=seconds / 2,
            strategy_seconds=seconds / 4,
            activation_seconds=seconds / 2,
            inactive_reason="FieldValidationFailed",
            extraction_seconds=seconds,
            voice="aws",
            writing_seconds=seconds / 2,
            deletion_seconds=300,
            thin_pages=True,
            quotas=True,
        )


@dataclass
class Faults:
    """The faults in force, oldest first. The first one that fits a call is used up by it."""

    _faults: list[list[object]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, fault: Fault) -> None:
        """Put a fault in force behind those that are."""
        with self._lock:
            self._faults.append([fault, fault.times])

    def clear(self) -> None:
        """AWS is well again."""
        with self._lock:
            self._faults.clear()

    @property
    def empty(self) -> bool:
        """Whether all faults have been met or cleared."""
        with self._lock:
            return not self._faults

    def take(self, operation: str) -> Fault | None:
        """The fault that this call meets."""
        with self._lock:
            for entry in self._faults:
                fault, left = entry
                assert isinstance(fault, Fault)
                if fault.operation not in (None, operation):
                    continue
                if isinstance(left, int):
                    entry[1] = left - 1
                    if left <= 1:
                        self._faults.remove(entry)
                return fault
        return None
