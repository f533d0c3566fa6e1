"""A check and its results. Many run at once; none can delay or break another."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import structlog


class Mark(StrEnum):
    """The severity of a result. Only `wrong` means that something won't work."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line for the operator: the subject, the severity, and how to fix it."""

    subject: str
    mark: Mark
    text: str


def ok(subject: str, text: str) -> CheckResult:
    return CheckResult(subject, Mark.OK, text)


def warning(subject: str, text: str) -> CheckResult:
    return CheckResult(subject, Mark.WARNING, text)


def wrong(subject: str, text: str) -> CheckResult:
    return CheckResult(subject, Mark.WRONG, text)


_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """A check; it counts as wrong after `seconds`."""

    subject: str
    look: Callable[[], Awaitable[Sequence[CheckResult]]]
    seconds: float = 30.0


async def examine(checks: Sequence[Check]) -> AsyncGenerator[CheckResult, None]:
    """Run all checks at once; yields their results in the order of the checks, as soon as possible.
    An error inside a check becomes its result."""
    tasks = [asyncio.create_task(_in_time(check), name=check.subject) for check in checks]
    try:
        for check, task in zip(checks, tasks, strict=True):
            await asyncio.wait([task])
            for result in _results(check, task):
                yield result
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _in_time(check: Check) -> Sequence[CheckResult]:
    try:
        async with asyncio.timeout(check.seconds):
            return await check.look()
    except TimeoutError:
        return [wrong(check.subject, f"no answer within {check.seconds:g} s: try again later")]


def _results(check: Check, task: asyncio.Task[Sequence[CheckResult]]) -> Sequence[CheckResult]:
    error = task.exception()
    if error is None:
        return task.result()
    _log.error("check_failed", check=check.subject, exc_info=error)
    return [
        wrong(
            check.subject,
            f"the check itself failed ({type(error).__name__}), which is a mistake of this program",
        )
    ]
