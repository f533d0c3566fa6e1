"""Results of a check."""

from dataclasses import dataclass
from enum import StrEnum


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
