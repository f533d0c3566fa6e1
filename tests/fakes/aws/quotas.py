"""AWS's quotas: so many calls of an operation a second, in the account and in one session."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Calls a second of an account and region, from AWS's page of quotas in autumn 2026; of all other
#: operations of AgentCore Memory 20.
OF_ACCOUNT: Mapping[str, int] = {
    "CreateEvent": 200,
    "ListEvents": 200,
    "RetrieveMemoryRecords": 30,
    "ListMemoryRecords": 30,
    "IngestData": 10,
    "CreateMemory": 3,
    "UpdateMemory": 3,
    "DeleteMemory": 3,
    "ListMemories": 5,
}
OTHERS = 20
#: Of one session of one actor. CreateEvent's holds with words in the payload, 10 without.
OF_SESSION: Mapping[str, int] = {"CreateEvent": 5, "ListEvents": 20, "DeleteEvent": 5}


@dataclass
class Meter:
    """The calls of the last second."""

    _calls: dict[tuple[str, ...], deque[float]] = field(default_factory=dict)

    def take(self, operation: str, params: Mapping[str, Any], now: float) -> bool:
        """Whether the quotas have room for one more call, which then counts."""
        room: dict[tuple[str, ...], int] = {(operation,): OF_ACCOUNT.get(operation, OTHERS)}
        session = params.get("sessionId")
        if operation in OF_SESSION and session:
            wordy = operation != "CreateEvent" or any(
                "conversational" in part for part in params.get("payload") or ()
            )
            place = (operation, str(params.get("actorId")), str(session))
            room[place] = OF_SESSION[operation] if wordy else 10
        recent = {key: self._recent(key, now) for key in room}
        if any(len(recent[key]) >= most for key, most in room.items()):
            return False
        for calls in recent.values():
            calls.append(now)
        return True

    def _recent(self, key: tuple[str, ...], now: float) -> deque[float]:
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now - 1:
            calls.popleft()
        return calls
