"""What a check finds."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How it is. Only `wrong` means that something won't work."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line for the operator: what was looked at, how it is, and how to mend it."""

    subject: str
    mark: Mark
    text: str


def ok(subject: str, text: str) -> CheckResult:
    """All is well."""
    return CheckResult(subject, Mark.OK, text)


def warning(subject: str, text: str) -> CheckResult:
    """It works, but the operator should know."""
    return CheckResult(subject, Mark.WARNING, text)


def wrong(subject: str, text: str) -> CheckResult:
    """It does not work; the text says how to mend it."""
    return CheckResult(subject, Mark.WRONG, text)
