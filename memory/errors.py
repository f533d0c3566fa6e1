"""What can go wrong with memory, sorted by who has to act.

MemoryFailure
├── StoreUnavailable   the store did not answer or refused; nothing was written; may be retried
│   ├── NewerStore     the operator runs an older program than the one that wrote the data
│   ├── ErasureUnfinished  nothing of it is shown any more; it is deleted in the background
│   ├── SessionLost    an open session is no longer in the journal: it could not be read
│   └── LeaseLost      another worker works on this actor now; this one must stop
├── UnknownRecord      the id names none of this actor's records
└── RefusedText        the text may not be kept (empty, too long, no letters): say it differently
"""

from enum import StrEnum


class MemoryFailure(Exception):
    """The root of everything this package raises on purpose."""


class StoreUnavailable(MemoryFailure):
    """The store did not answer in time, or is damaged, full or locked. Nothing was written."""


class NewerStore(StoreUnavailable):
    """The data was written by a newer version of this program: the operator must upgrade."""


class ErasureUnfinished(StoreUnavailable):
    """What was erased is no longer shown, but not all of it is deleted yet. The store goes on
    trying by itself."""


class SessionLost(StoreUnavailable):
    """The session that is written to is no longer in the journal."""


class LeaseLost(StoreUnavailable):
    """Another worker has claimed the actor. Nothing was written, and nothing will be."""


class UnknownRecord(MemoryFailure):
    """No record of the caller's own has this id."""


class Refusal(StrEnum):
    """Why a text can't be kept, for who says so in other languages."""

    EMPTY = "empty"
    LONG = "long"
    ORDER = "order"
    QUESTION = "question"
    OFF = "off"
    NAME_LINES = "name_lines"
    NAME_EMPTY = "name_empty"
    NAME_LONG = "name_long"
    NAME_CHARACTERS = "name_characters"
    OTHER = "other"


class RefusedText(MemoryFailure):
    """The text can't be kept as it is; the message says why, for the model, as does `reason`."""

    def __init__(self, message: str, reason: Refusal = Refusal.OTHER) -> None:
        super().__init__(message)
        self.reason = reason
