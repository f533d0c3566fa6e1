"""AgentCore's calls for many records at once, and what their answers mean."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from memory.errors import StoreUnavailable

T = TypeVar("T")

#: Records of one call, from the service model.
RECORDS_A_CALL = 100


def batches(items: Sequence[T]) -> list[list[T]]:
    """The items in as many parts as there have to be calls."""
    return [list(items[i : i + RECORDS_A_CALL]) for i in range(0, len(items), RECORDS_A_CALL)]


def done(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What became of the records that were written or deleted."""
    return list(answer.get("successfulRecords") or ())


def failed(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What became of the others."""
    return list(answer.get("failedRecords") or ())


def require(answer: Mapping[str, Any]) -> None:
    """Raise StoreUnavailable if a record of a batch failed: the answer is 2xx all the same."""
    if not_written := failed(answer):
        codes = ", ".join(sorted({str(row.get("errorCode", "?")) for row in not_written}))
        raise StoreUnavailable(
            f"AWS did not write {len(not_written)} of the memories (codes {codes})"
        )
