"""What a Telegram message means to the bot: whose words they are."""

from datetime import UTC, datetime

import pytest
from telegram import (
    Chat,
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginHiddenUser,
    MessageOriginUser,
    User,
)

from bot.assistant.inbound import Message as Inbound
from bot.telegram.intake.updates import inbound_of
from memory.records import own_words

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOT = User(1, "Mordecai", is_bot=True, username="mordecai_bot")
ANNA, BORIS = User(5, "Anna", is_bot=False), User(6, "Boris", is_bot=False)
CHANNEL = Chat(-100, Chat.CHANNEL, title="The News")


def heard(text: str, origin: MessageOrigin | None = None) -> str:
    """What the bot hears when Anna sends this."""
    chat = Chat(5, Chat.PRIVATE)
    message = Message(1, AT, chat, from_user=ANNA, text=text, forward_origin=origin)
    meant = inbound_of(1, message, BOT)
    assert isinstance(meant, Inbound)
    assert not meant.unreadable
    return meant.text


@pytest.mark.parametrize(
    ("origin", "author"),
    [
        (MessageOriginUser(AT, BORIS), "Boris"),
        (MessageOriginHiddenUser(AT, "Somebody\nElse"), "Somebody Else"),
        (MessageOriginChannel(AT, CHANNEL, 7), "The News"),
    ],
)
def test_a_forwarded_message_is_quoted_with_its_author(origin: MessageOrigin, author: str) -> None:
    text = heard("I live in Paris\nand like it", origin)
    assert text == f"> {author}:\n> I live in Paris\n> and like it"
    assert not own_words(text).strip()


@pytest.mark.parametrize("text", ["/forget all", "new"])
def test_a_forwarded_command_is_no_command(text: str) -> None:
    assert heard(text, MessageOriginUser(AT, BORIS)) == f"> Boris:\n> {text}"


def test_what_people_forward_of_themselves_are_their_own_words() -> None:
    assert heard("I live in Paris", MessageOriginUser(AT, ANNA)) == "I live in Paris"


def test_the_direct_messages_of_a_channel_are_no_group_with_a_memory_of_its_own() -> None:
    for direct in (False, True):
        chat = Chat(-1001, Chat.SUPERGROUP, is_direct_messages=direct)
        message = Message(1, AT, chat, from_user=ANNA, text="/ask Who else writes here?")
        assert (inbound_of(1, message, BOT) is None) == direct
