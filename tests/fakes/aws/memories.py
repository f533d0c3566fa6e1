"""Memory records: batches that succeed or fail record by record, search, and slow deletion."""

import math
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tests.fakes.aws.errors import NotFound, ValidationFailed
from tests.fakes.aws.namespaces import normalised

#: A fake of meaning: nothing is quite unlike anything else, as with real embeddings.
_FLOOR = 0.1


@dataclass
class StoredRecord:
    """One memory record; `gone_at` is when its deletion becomes visible. It was last changed at
    `changed_at` and was the `former` one until then."""

    text: str
    namespace: str
    strategy_id: str
    created_at: datetime
    timestamp: datetime
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: f"mem-{secrets.token_hex(18)}")
    gone_at: float | None = None
    changed_at: float = 0.0
    former: "StoredRecord | None" = None

    def at(self, moment: float) -> "StoredRecord | None":
        """The record as it was at this moment, if it was there."""
        if self.former and self.changed_at > moment:
            return self.former.at(moment)
        return self if self.created_at.timestamp() <= moment else None

    def shown(self, score: float | None = None) -> dict[str, Any]:
        """As the API shows it."""
        return {
            "memoryRecordId": self.id,
            "content": {"text": self.text},
            "memoryStrategyId": self.strategy_id,
            "namespaces": [self.namespace],
            "createdAt": self.created_at,
            "timestamp": self.timestamp,
            "metadata": self.metadata or None,
            "score": score,
        }


@dataclass
class Shelf:
    """All records of a memory, newest last."""

    records: dict[str, StoredRecord] = field(default_factory=dict)

    def found(self, now: float, lag: float = 0.0) -> list[StoredRecord]:
        """The records that reads still see, newest first; with a lag as they were before it."""
        there = [
            record
            for record in reversed(self.records.values())
            if record.gone_at is None or now < record.gone_at
        ]
        return [seen for r in there if (seen := r.at(now - lag))] if lag else there

    def get(self, record_id: str, now: float) -> StoredRecord:
        """The record of this id, whoever asks; NotFound."""
        record = self.records.get(record_id)
        if record is None or (record.gone_at is not None and now >= record.gone_at):
            raise NotFound(f"Memory record not found: {record_id}")
        return record

    def add(self, item: dict[str, Any], now: float) -> StoredRecord:
        """One record of a BatchCreate."""
        record = StoredRecord(
            text=item["content"]["text"],
            namespace=normalised((item["namespaces"] or ["/"])[0]),
            strategy_id=item.get("memoryStrategyId") or "none",
            created_at=datetime.fromtimestamp(now, UTC),
            timestamp=_moment(item["timestamp"]),
            metadata=item.get("metadata") or {},
        )
        self.records[record.id] = record
        return record

    def change(self, item: dict[str, Any], now: float) -> StoredRecord:
        """One record of a BatchUpdate; NotFound."""
        record = self.get(item["memoryRecordId"], now)
        record.former, record.changed_at = replace(record), now
        record.timestamp = _moment(item["timestamp"])
        if item.get("content"):
            record.text = item["content"]["text"]
        if item.get("namespaces"):
            record.namespace = normalised(item["namespaces"][0])
        record.metadata = item.get("metadata") or record.metadata
        record.strategy_id = item.get("memoryStrategyId") or record.strategy_id
        return record

    def remove(self, record_id: str, now: float, lag: float) -> StoredRecord:
        """Delete a record, which reads notice after the lag; NotFound."""
        record = self.get(record_id, now)
        if record.gone_at is not None:
            raise NotFound(f"Memory record not found: {record_id}")
        record.gone_at = now + lag
        return record


def _moment(value: float | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromtimestamp(value, UTC)


def batch(
    items: Iterable[dict[str, Any]],
    work: Callable[[dict[str, Any]], StoredRecord],
    fails: Callable[[], bool],
) -> dict[str, Any]:
    """The answer of a batch: 2xx with the fate of every record."""
    answer: dict[str, Any] = {"successfulRecords": [], "failedRecords": []}
    for item in items:
        label = {"requestIdentifier": item.get("requestIdentifier")}
        known = item.get("memoryRecordId") or f"mem-{'0' * 36}"
        failed = {"memoryRecordId": known, "status": "FAILED", **label}
        if fails():
            failure = {"errorCode": 500, "errorMessage": "internal failure"}
            answer["failedRecords"].append({**failed, **failure})
            continue
        try:
            record = work(item)
        except NotFound as error:
            unknown = {"errorCode": 404, "errorMessage": error.message}
            answer["failedRecords"].append({**failed, **unknown})
        else:
            done = {"memoryRecordId": record.id, "status": "SUCCEEDED", **label}
            answer["successfulRecords"].append(done)
    return answer


def score(query: str, text: str) -> float:
    """How alike two texts are, from 0 to 1: the cosine of their word beginnings."""
    asked, told = _grams(query), _grams(text)
    product = sum(count * told[gram] for gram, count in asked.items())
    length = math.sqrt(sum(c * c for c in asked.values()) * sum(c * c for c in told.values()))
    return _FLOOR + (1 - _FLOOR) * (product / length if length else 0.0)


def _grams(text: str) -> Counter[str]:
    return Counter(word[:5] for word in re.findall(r"\w+", text.casefold()))


_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "EQUALS_TO": lambda left, right: bool(left == right),
    "CONTAINS": lambda left, right: right in left,
    "BEFORE": lambda left, right: bool(left < right),
    "AFTER": lambda left, right: bool(left > right),
    "GREATER_THAN": lambda left, right: bool(left > right),
    "GREATER_THAN_OR_EQUALS": lambda left, right: bool(left >= right),
    "LESS_THAN": lambda left, right: bool(left < right),
    "LESS_THAN_OR_EQUALS": lambda left, right: bool(left <= right),
}


def passes(record: StoredRecord, rules: Iterable[dict[str, Any]], indexed: set[str]) -> bool:
    """Whether a record passes metadata filters; keys that are not indexed are refused."""
    return all(_holds(record, rule, indexed) for rule in rules)


def _holds(record: StoredRecord, rule: dict[str, Any], indexed: set[str]) -> bool:
    key = rule["left"]["metadataKey"]
    if key not in indexed:
        raise ValidationFailed(f"metadata key {key} is not indexed")
    value = record.metadata.get(key)
    if rule["operator"] in ("EXISTS", "NOT_EXISTS"):
        return bool((value is None) == (rule["operator"] == "NOT_EXISTS"))
    if value is None:
        return False
    right = next(iter(rule["right"]["metadataValue"].values()))
    return bool(_ORDER[rule["operator"]](next(iter(value.values())), right))
