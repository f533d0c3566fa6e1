"""What AWS has of an actor word for word: the events of all sessions, until they expire."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from memory.records import Actor, Kind, Place, Record, Role, Speaker
from memory.stores.agentcore.calls.clients import AwsCalls

#: Sessions read at once: few enough that recall always finds a free thread, and far from the 200
#: calls a second that AWS takes.
_SESSIONS_AT_ONCE = 3
_ROLES = {"USER": Role.USER, "ASSISTANT": Role.ASSISTANT}


async def read_transcript(
    calls: AwsCalls,
    actor: Actor,
    hides: Callable[[Actor, dict[str, Any]], bool],
    silence: float | None = None,
) -> list[Record]:
    """All messages of the actor's events as MESSAGE records, oldest first, but for events that
    `hides` hides. Raises StoreUnavailable, also if AWS is silent for so many seconds."""
    slots = asyncio.Semaphore(_SESSIONS_AT_ONCE)

    async def read(session_id: str) -> list[Record]:
        async with slots:
            place: dict[str, Any] = {"actorId": actor.id, "sessionId": session_id}
            rows = calls.rows("list_events", "events", silence=silence, **place)
            events = [row async for row in rows]
        events.sort(key=lambda event: (event["eventTimestamp"], event["eventId"]))
        return [
            message
            for event in events
            if (event["actorId"], event["sessionId"]) == (actor.id, session_id)
            and not hides(actor, event)
            for message in _messages(event, actor)
        ]

    rows = calls.rows("list_sessions", "sessionSummaries", silence=silence, actorId=actor.id)
    sessions = [row["sessionId"] async for row in rows]
    parts = await asyncio.gather(*map(read, sessions))
    return sorted((each for part in parts for each in part), key=lambda each: each.created_at)


def _messages(event: Mapping[str, Any], actor: Actor) -> list[Record]:
    """The messages of one event, all of its moment."""
    told = {key: value.get("stringValue") for key, value in (event.get("metadata") or {}).items()}
    parts = [item["conversational"] for item in event["payload"] if "conversational" in item]
    return [
        _message(event, part, number, told, actor)
        for number, part in enumerate(parts)
        if part["role"] in _ROLES
    ]


def _message(
    event: Mapping[str, Any],
    part: Mapping[str, Any],
    number: int,
    told: Mapping[str, str | None],
    actor: Actor,
) -> Record:
    role, text = _ROLES[part["role"]], str(part["content"]["text"])
    speaker: Speaker | None = None
    if actor.is_group and role is Role.USER and ": " in text:
        # As the sender writes it, for extraction.
        name, _, text = text.partition(": ")
        speaker = Speaker(_number(told.get("speaker")), name)
    at: datetime = event["eventTimestamp"]
    return Record(
        f"{event['eventId']}.{number}",
        Kind.MESSAGE,
        text,
        at.astimezone(UTC),
        session_id=event["sessionId"],
        turn_ids=(turn,) if (turn := told.get("turn")) else (),
        role=role,
        speaker=speaker,
        place=_place(told),
    )


def _place(told: Mapping[str, str | None]) -> Place | None:
    channel, chat = told.get("channel"), _number(told.get("chat"))
    return (
        Place(channel, chat, _number(told.get("topic"))) if channel and chat is not None else None
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.removeprefix("-").isdecimal() else None
