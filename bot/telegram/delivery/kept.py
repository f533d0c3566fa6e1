"""Replies as the inbox keeps them."""

import json
from dataclasses import asdict, fields

from bot.assistant.events import Button, Reply

#: Documents are too large to keep: a command that makes them only reads, and is carried out again.
#: How to read a typed answer exists in RAM alone.
_LEFT_OUT = ("documents", "question", "effects")
_KEPT = tuple(field.name for field in fields(Reply) if field.name not in _LEFT_OUT)


def dump(reply: Reply) -> str:
    kept = {name: getattr(reply, name) for name in _KEPT}
    return json.dumps(kept | {"buttons": [[asdict(b) for b in row] for row in reply.buttons]})


def load(kept: str | None) -> Reply | None:
    """The reply; None if there is none, or none of this version."""
    try:
        values = {name: value for name, value in json.loads(kept or "").items() if name in _KEPT}
        rows = values.pop("buttons", ())
        return Reply(**values, buttons=tuple(tuple(Button(**b) for b in row) for row in rows))
    except (ValueError, TypeError, AttributeError):
        return None
