"""What may happen to two people with a bot on AWS, and to AWS."""

from dataclasses import dataclass

from tests.fakes.aws import broken, denied, hanging, inactive, throttled

#: What goes wrong, of one operation or of all of them.
FAULTS = {
    "throttled": throttled,
    "broken": broken,
    "hanging": hanging,
    "inactive": inactive,
    "denied": lambda operation: denied(operation or "CreateEvent"),
}
OPERATIONS = (
    None,
    "CreateEvent",
    "ListSessions",
    "ListEvents",
    "DeleteEvent",
    "ListMemoryRecords",
    "RetrieveMemoryRecords",
    "GetMemoryRecord",
    "BatchCreateMemoryRecords",
    "BatchUpdateMemoryRecords",
    "BatchDeleteMemoryRecords",
)


@dataclass(frozen=True)
class Says:
    """Somebody tells something in conversation; `to_keep`: that it be remembered, which is done."""

    who: int
    to_keep: bool = False


@dataclass(frozen=True)
class SaysTwice:
    """Somebody tells two things in one message."""

    who: int


@dataclass(frozen=True)
class Repeats:
    """Somebody tells again what they have told, even if they have had it forgotten since."""

    who: int
    which: int


@dataclass(frozen=True)
class Asks:
    """Somebody asks for what they have told, and the answer tells it."""

    who: int
    which: int


@dataclass(frozen=True)
class Remembers:
    """Somebody has something remembered by a command."""

    who: int


@dataclass(frozen=True)
class Forgets:
    """Somebody forgets one of the facts, preferences and unlearned messages that they see."""

    who: int
    which: int


@dataclass(frozen=True)
class Undoes:
    """Somebody takes back what they have just forgotten."""

    who: int


@dataclass(frozen=True)
class ForgetsAll:
    """Somebody has everything deleted."""

    who: int


@dataclass(frozen=True)
class Ends:
    """Somebody ends their conversation."""

    who: int


@dataclass(frozen=True)
class Passes:
    """Time passes."""

    seconds: float


@dataclass(frozen=True)
class Fails:
    """AWS begins to fail in a way of `FAULTS`, in one operation or in all."""

    how: str
    operation: str | None


@dataclass(frozen=True)
class Recovers:
    """AWS fails no more."""


@dataclass(frozen=True)
class Extracts:
    """From now on AWS's extraction takes so long, or fails then."""

    seconds: float
    fails: bool = False


@dataclass(frozen=True)
class Restarts:
    """The bot is started again, after an end or a kill."""

    killed: bool


Step = (
    Says
    | SaysTwice
    | Repeats
    | Asks
    | Remembers
    | Forgets
    | Undoes
    | ForgetsAll
    | Ends
    | Passes
    | Fails
    | Recovers
    | Extracts
    | Restarts
)
