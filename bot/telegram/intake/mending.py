"""Mending: messages that the library refuses though they can be understood.

It insists on fields that older Bot API servers don't send and deleted accounts don't have. No
message may be lost for a detail of what it holds."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from telegram import CallbackQuery, Message, Update

from bot.errors import Unreadable, parse_untrusted
from bot.telegram.intake.enclosures import SERVICE

Json = dict[str, Any]

_PERSON = {"first_name": "", "is_bot": False}
#: What the library insists on, by the field in which it stands.
_REQUIRED: dict[str, Json] = {
    **dict.fromkeys(
        ("from", "user", "sender_user", "left_chat_member", "new_chat_members"), _PERSON
    ),
    "via_bot": _PERSON | {"is_bot": True},
    "contact": {"first_name": "", "phone_number": ""},
    "poll": {
        "id": "",
        "question": "",
        "options": [],
        "type": "regular",
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "allows_multiple_answers": False,
        "allows_revoting": False,
        "members_only": False,
    },
    "options": {"text": "", "voter_count": 0, "persistent_id": ""},
    "venue": {"title": "", "address": ""},
    "quote": {"text": "", "position": 0},
    "checklist": {"title": "", "tasks": []},
    "forward_origin": {"date": 0, "sender_user_name": ""},
    "origin": {"date": 0, "sender_user_name": ""},
}
#: The same for any file.
_OF_FILES: Json = {
    "file_unique_id": "",
    "width": 0,
    "height": 0,
    "length": 0,
    "duration": 0,
    "type": "regular",
    "is_animated": False,
    "is_video": False,
}
#: Without these nobody knows who says something, and where.
_CORE = frozenset(("message_id", "date", "chat", "from", "sender_chat", "via_bot", *SERVICE))


def mend(update: Json) -> Json:
    """The update in a form that the library can parse, without the parts that it can't. Raises
    whatever the library raises if they are those that nothing can do without."""
    filled: Json = _add_required("", update)
    for name in ("message", "edited_message"):
        if name in filled:
            filled[name] = _mend_message(filled[name])
    if press := filled.get("callback_query"):
        if "message" in press:
            press["message"] = _mend_message(press["message"])
        CallbackQuery.de_json(press, None)
    Update.de_json(filled, None)
    return filled


def _add_required(name: str, value: Any) -> Any:
    """A copy of a field's value with everything that the library insists on."""
    if isinstance(value, list):
        return [_add_required(name, item) for item in value]
    if not isinstance(value, dict):
        return value
    required = _REQUIRED.get(name, {}) | (_OF_FILES if "file_id" in value else {})
    return required | {key: _add_required(key, inner) for key, inner in value.items()}


def _mend_message(message: Json) -> Json:
    """The message without the fields that can't be parsed."""
    if _is_whole(message):
        return message
    core = {name: value for name, value in message.items() if name in _CORE}
    Message.de_json(core, None)
    kept = dict(core)
    for name, value in message.items():
        if name == "forward_origin" and not _is_whole(core | {name: value}):
            # Whoever it was: these are not the sender's own words.
            value = {"type": "hidden_user", "sender_user_name": "", "date": message["date"]}
        elif name == "reply_to_message" and isinstance(value, dict):
            value = _or_none(_mend_message, value)
        if value is not None and _is_whole(core | {name: value}):
            kept[name] = value
    return kept


def _is_whole(message: Json) -> bool:
    return _or_none(lambda it: Message.de_json(it, None), message) is not None


def _or_none(work: Callable[[Json], Any], value: Json) -> Any:
    with suppress(Unreadable):
        return parse_untrusted(work, value)
    return None
