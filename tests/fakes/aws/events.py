"""Events and the sessions they make."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.fakes.aws.errors import NotFound, ValidationFailed

#: Bytes of a message. The page of quotas says 100 KB; which kilobyte is not said.
_MOST_BYTES = 100_000


@dataclass
class StoredEvent:
    """One event; `gone_at` is when its deletion becomes visible."""

    id: str
    memory_id: str
    actor_id: str
    session_id: str
    at: datetime
    payload: list[dict[str, Any]]
    branch: dict[str, Any]
    metadata: dict[str, Any]
    arrived: float
    gone_at: float | None = None

    def shown(self, *, payload: bool = True) -> dict[str, Any]:
        """As the API shows it."""
        fields: dict[str, Any] = {
            "memoryId": self.memory_id,
            "actorId": self.actor_id,
            "sessionId": self.session_id,
            "eventId": self.id,
            "eventTimestamp": self.at,
            "branch": self.branch,
            "metadata": self.metadata or None,
        }
        return {**fields, "payload": self.payload} if payload else fields

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of the parts that extraction reads."""
        parts = (part.get("conversational") for part in self.payload)
        return [(part["role"], part["content"]["text"]) for part in parts if part]


@dataclass
class EventLog:
    """All events of a memory, oldest first, with the sessions that they opened."""

    events: list[StoredEvent] = field(default_factory=list)
    sessions: dict[tuple[str, str], datetime] = field(default_factory=dict)
    _tokens: dict[str, tuple[dict[str, Any], StoredEvent]] = field(default_factory=dict)

    def create(self, params: dict[str, Any], now: float) -> tuple[StoredEvent, bool]:
        """The event and whether it is new. A repeated clientToken is the first one's event; with
        other contents it is refused."""
        token = params.get("clientToken")
        content = {k: v for k, v in params.items() if k != "clientToken"}
        if token and token in self._tokens:
            first, event = self._tokens[token]
            if first != content:
                raise ValidationFailed(
                    "the clientToken was used with other parameters",
                    "IdempotentParameterMismatchException",
                )
            return event, False
        event = _event(params, now)
        if any(len(text.encode()) > _MOST_BYTES for _, text in event.messages):
            raise ValidationFailed("payload: a message is larger than 100 KB", fields=["payload"])
        self.events.append(event)
        moment = datetime.fromtimestamp(now, UTC)
        self.sessions.setdefault((event.actor_id, event.session_id), moment)
        if token:
            self._tokens[token] = (content, event)
        return event, True

    def of(self, actor_id: str, session_id: str, now: float) -> list[StoredEvent]:
        """The session's events that are still found, newest first."""
        found = [
            e
            for e in self.events
            if (e.actor_id, e.session_id) == (actor_id, session_id)
            and (e.gone_at is None or now < e.gone_at)
        ]
        return sorted(found, key=lambda e: (e.at, e.id), reverse=True)

    def get(self, params: dict[str, Any], now: float) -> StoredEvent:
        """The event of these ids; NotFound."""
        for event in self.of(params["actorId"], params["sessionId"], now):
            if event.id == params["eventId"]:
                return event
        raise NotFound(f"Event not found: {params['eventId']}")


def _event(params: dict[str, Any], now: float) -> StoredEvent:
    at = params["eventTimestamp"]
    return StoredEvent(
        id=f"{int(now * 1000):019d}#{secrets.token_hex(4)}",
        memory_id=params["memoryId"],
        actor_id=params["actorId"],
        session_id=params.get("sessionId") or secrets.token_hex(16),
        at=at if isinstance(at, datetime) else datetime.fromtimestamp(at, UTC),
        payload=params["payload"],
        branch=params.get("branch") or {"name": "main"},
        metadata=params.get("metadata") or {},
        arrived=now,
    )


def matches(event: StoredEvent, wanted: dict[str, Any]) -> bool:
    """Whether an event passes a ListEvents filter."""
    branch = (wanted.get("branch") or {}).get("name")
    if branch and event.branch["name"] != branch:
        return False
    return all(_holds(event.metadata, rule) for rule in wanted.get("eventMetadata") or ())


def _holds(metadata: dict[str, Any], rule: dict[str, Any]) -> bool:
    value = metadata.get(rule["left"]["metadataKey"])
    match rule["operator"]:
        case "EXISTS":
            return value is not None
        case "NOT_EXISTS":
            return value is None
        case _:
            return bool(value == (rule.get("right") or {}).get("metadataValue"))
