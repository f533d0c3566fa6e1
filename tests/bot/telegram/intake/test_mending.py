"""What the library refuses is still heard: a message is not lost for a detail of what it holds."""

from typing import Any

import pytest
import structlog
from telegram import Update, User

from bot.assistant.inbound import Message
from bot.telegram.intake.raw import readable
from bot.telegram.intake.updates import click_of, inbound_of
from memory.background.pacing import RateLimitedLog

BOT = User(1, "Mordecai", is_bot=True, username="mordecai_bot")
ANN = {"id": 5, "is_bot": False}
SAID: dict[str, Any] = {
    "message_id": 7,
    "from": ANN,
    "chat": {"id": 5, "type": "private"},
    "date": 1_800_000_000,
}
UNKNOWN = "> [a message of a kind that can't be shown]"
FORWARDED = {"type": "user", "date": 9, "sender_user": ANN | {"id": 6}}


def read(update: dict[str, Any]) -> Update:
    complaints = RateLimitedLog(structlog.get_logger(__name__))
    whole = readable({"update_id": 1} | update, complaints)
    assert whole
    return Update.de_json(whole, None)


def heard(message: dict[str, Any]) -> Message:
    update = read({"message": SAID | message})
    assert update.message
    said = inbound_of(1, update.message, BOT)
    assert isinstance(said, Message)
    return said


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"text": "Hi"}, "Hi"),
        ({"text": "Hi", "forward_origin": FORWARDED}, "> Hi"),
        ({"text": "Hi", "forward_origin": {"type": "hidden_user"}}, "> Hi"),
        ({"text": "Hi", "forward_origin": {"type": "channel"}}, "> Hi"),
        ({"text": "Hi", "forward_origin": "?"}, "> Hi"),
        ({"text": "Hi", "via_bot": {"id": 9}}, "> Hi"),
        ({"text": "Hi", "entities": [{"type": "bold"}]}, "Hi"),
        ({"text": "Hi", "reply_to_message": SAID | {"text": "Yo", "poll": 3}}, "> Yo\nHi"),
        ({"text": "Hi", "reply_to_message": {"text": "Yo"}}, "Hi"),
        ({"contact": {"phone_number": "+1"}}, "> [a contact: somebody, +1]"),
        ({"poll": {"question": "Tea?", "options": [{"text": "yes"}]}}, "> [a poll: Tea? (yes)]"),
        ({"photo": [{"file_id": "f"}]}, "> [a photo]"),
        ({"document": {"file_id": "f", "file_name": "a.md"}}, "> [a document: a.md]"),
        ({"voice": {"file_id": "f"}}, "[a recording: ]"),
        ({"voice": {"file_id": "f", "duration": 2**52 - 1}}, UNKNOWN),
        ({"dice": {}}, UNKNOWN),
        ({"gift": {"gift": {}}}, UNKNOWN),
    ],
)
def test_a_message_is_heard_without_what_is_broken(message: dict[str, Any], words: str) -> None:
    assert heard(message).text == words


def test_a_press_of_a_person_without_a_name_is_heard() -> None:
    mine = SAID | {"from": {"id": 1, "is_bot": True}, "text": "Sure?", "entities": 3}
    query = {"id": "1", "from": ANN, "chat_instance": "c", "data": "x", "message": mine}
    update = read({"callback_query": query})
    assert update.callback_query
    assert click_of(1, update.callback_query)


@pytest.mark.parametrize(
    "message",
    [
        {"text": "Hi", "from": {"id": 5, "is_bot": False, "first_name": "Ann"}, "chat": {"id": 5}},
        {"text": "Hi", "sender_chat": {"id": -5}},
        {"new_chat_photo": [{}]},
        {"text": "Hi", "date": "now"},
    ],
)
def test_without_knowing_who_says_it_and_where_nothing_is_heard(message: dict[str, Any]) -> None:
    assert read({"message": SAID | message}).message is None
