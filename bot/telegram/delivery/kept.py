"""Replies as the inbox keeps them."""

import json
from dataclasses import asdict, fields

from bot.assistant.events import Button, Reply

_LEFT_OUT = ("documents", "question", "effects")
_KEPT = tuple(field.name for field in fields(Reply) if field.name not in _LEFT_OUT)


def can_keep(reply: Reply) -> bool:
    """False for a command's reply with documents, which are too large, or with a question, because
    how to read the answer exists in RAM alone. Such a command only reads, and can be carried out
    again."""
    return not reply.documents and (reply.markdown or not reply.question)


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
