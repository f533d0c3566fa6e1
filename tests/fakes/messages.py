"""Messages as a channel hands them over, and what came of them."""

from datetime import datetime
from typing import TypeGuard

from bot.assistant.events import Event, Reply
from bot.assistant.files import Attachment
from bot.assistant.inbound import Message, Origin
from memory.records import Actor, Place, Speaker


def message(
    id_: str,
    actor: Actor,
    place: Place,
    text: str,
    at: datetime,
    speaker: str | None = None,
    *,
    language: str | None = None,
    user_id: int | None = None,
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    """A message of this actor; in private the actor is who wrote it."""
    wrote = user_id if user_id is not None else int(actor.id[1:])
    origin = Origin(place, actor, wrote, language, Speaker(wrote, speaker) if speaker else None)
    return Message(id_, origin, at, text, 1, 1, attachments=attachments)


def is_answer(event: Event | Exception) -> TypeGuard[Reply]:
    """Whether this is the model's whole answer."""
    return isinstance(event, Reply) and not event.failure


def is_failure(event: Event | Exception) -> TypeGuard[Reply]:
    """Whether this says why there is no answer."""
    return isinstance(event, Reply) and bool(event.failure)
