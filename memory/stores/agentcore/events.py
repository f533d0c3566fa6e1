"""A finished turn in AgentCore's form: one event, user and assistant together."""

import hashlib
from datetime import datetime
from typing import Any

from memory.records import Actor, Place, Role, Turn, Utterance
from memory.stores.agentcore.calls.outbox import Outgoing

#: The quota page allows 100 KB a message, counted in bytes; the service model says 100,000.
MAX_MESSAGE_BYTES = 100_000
#: Messages of one event, from the service model.
MAX_MESSAGES = 100


def bodies(actor: Actor, turn: Turn) -> list[dict[str, Any]]:
    """What goes into the outbox for a turn: one event, or several for a turn of more messages
    than one event holds; none for a turn without words."""
    spoken = [message for message in turn.messages if message.text.strip()]
    groups = [spoken[i : i + MAX_MESSAGES] for i in range(0, len(spoken), MAX_MESSAGES)]
    return [
        {
            "at": group[0].at.isoformat(),
            "payload": [_item(actor, m) for m in group],
            "place": _place(turn.place),
        }
        for group in groups
    ]


def request(event: Outgoing) -> dict[str, Any]:
    """The parameters of CreateEvent. The token depends on the turn alone, so that sending a turn
    again, even from another process, is no second event."""
    name = "\n".join((event.lane.actor_id, event.lane.session_id, event.turn_id, str(event.part)))
    parameters = {
        "actorId": event.lane.actor_id,
        "sessionId": event.lane.session_id,
        "eventTimestamp": datetime.fromisoformat(event.body["at"]),
        "payload": event.body["payload"],
        "clientToken": hashlib.sha256(name.encode()).hexdigest(),
    }
    place = event.body.get("place") or {}
    metadata = {key: {"stringValue": value} for key, value in place.items()}
    return parameters | ({"metadata": metadata} if metadata else {})


def cut_bytes(text: str, limit: int) -> str:
    """The beginning of a text in at most `limit` bytes of UTF-8, ending between characters. Lone
    surrogates, which have no UTF-8, become question marks."""
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def _place(place: Place | None) -> dict[str, str]:
    """Where a turn was said, as the metadata of its events: of a payload AWS knows no such thing.
    Channels are words of ours and the rest are numbers, so all of it is what metadata may hold."""
    if place is None:
        return {}
    topic = {} if place.topic_id is None else {"topic": str(place.topic_id)}
    return {"channel": place.channel, "chat": str(place.chat_id), **topic}


def _item(actor: Actor, message: Utterance) -> dict[str, Any]:
    text = message.text
    if actor.is_group and message.speaker and message.role is Role.USER:
        # The only place where extraction can learn which of the group's people said it.
        text = f"{' '.join(message.speaker.split())}: {text}"
    content = {"text": cut_bytes(text, MAX_MESSAGE_BYTES)}
    return {"conversational": {"role": message.role.name, "content": content}}
