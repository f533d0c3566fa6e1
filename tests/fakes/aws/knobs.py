"""What can be turned on the fake AWS: how it matches, how long it takes, how it fails."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal


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
    message = (
        "User: arn:aws:iam::123456789012:user/bot is not authorized to perform: "
        f"bedrock-agentcore:{operation} because no identity-based policy allows it"
    )
    return Fault(operation, None, "AccessDeniedException", 403, message)


@dataclass
class Knobs:
    """How this AWS behaves. All may be changed while it runs; durations are in seconds."""

    #: What `namespace` means: today's equality, or the older match of string prefixes.
    namespaces: Literal["exact", "prefix"] = "exact"
    #: How long a memory stays CREATING, and its strategies after it.
    creation_seconds: float = 0.0
    strategy_seconds: float = 0.0
    #: Why creating a memory fails, if it does.
    creation_failure: str | None = None
    #: Whether strategies fail though their memory is fine.
    strategies_fail: bool = False
    #: How long events wait for extraction, and what extraction does to the texts it keeps.
    extraction_seconds: float = 0.0
    rewrite: Callable[[str], str] = str
    #: Whether extraction fails; it then leaves jobs behind that can be started again.
    extraction_fails: bool = False
    #: How long deleted memories, events and records are still found.
    deletion_seconds: float = 0.0
    #: Of the next batches, this many records fail though the answer is 2xx.
    failed_records: int = 0
    #: The most rows a page holds, whatever the caller asks for.
    page_rows: int = 100


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
