"""What can go wrong with memory, sorted by who has to act.

MemoryFailure
├── StoreUnavailable   the store did not answer or refused; nothing was written; may be retried
│   └── NewerStore     the operator runs an older program than the one that wrote the data
├── UnknownRecord      the id names none of this actor's records
└── RefusedText        the text may not be kept (empty, too long, no letters): say it differently
"""


class MemoryFailure(Exception):
    """The root of everything this package raises on purpose."""


class StoreUnavailable(MemoryFailure):
    """The store did not answer in time, or is damaged, full or locked. Nothing was written."""


class NewerStore(StoreUnavailable):
    """The data was written by a newer version of this program: the operator must upgrade."""


class UnknownRecord(MemoryFailure):
    """No record of the caller's own has this id."""


class RefusedText(MemoryFailure):
    """The text can't be kept as it is; the message says why, for the model or the user."""
