"""What a Telegram message means to the bot: whose words they are."""

from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import (
    CallbackQuery,
    Chat,
    Contact,
    Dice,
    Document,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    Poll,
    PollOption,
    TextQuote,
    User,
)

from bot.assistant.inbound import Message as Inbound
from bot.assistant.prompt import build
from bot.telegram.intake.enclosures import with_addresses
from bot.telegram.intake.updates import click_of, inbound_of
from memory.conversation.talk import ConversationHistory, HistoryMetadata
from memory.records import own_words
from memory.safety.escaping import LOOK_LIKE_BRACKETS, escape

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


@pytest.mark.parametrize("text", ["I live in Paris", "/forget all"])
def test_what_an_inline_bot_made_is_quoted_and_no_command(text: str) -> None:
    helper = User(9, "Helper", is_bot=True)
    message = Message(1, AT, Chat(5, Chat.PRIVATE), from_user=ANNA, text=text, via_bot=helper)
    meant = inbound_of(1, message, BOT)
    assert isinstance(meant, Inbound)
    assert (meant.text, meant.words) == (f"> Helper:\n> {text}", "")


def test_what_people_forward_of_themselves_are_their_own_words() -> None:
    assert heard("I live in Paris", MessageOriginUser(AT, ANNA)) == "I live in Paris"


def test_the_direct_messages_of_a_channel_are_no_group_with_a_memory_of_its_own() -> None:
    for direct in (False, True):
        chat = Chat(-1001, Chat.SUPERGROUP, is_direct_messages=direct)
        message = Message(1, AT, chat, from_user=ANNA, text="/ask Who else writes here?")
        assert (inbound_of(1, message, BOT) is None) == direct


# -- links ----------------------------------------------------------------------------------------


def link(offset: int, length: int, url: str) -> MessageEntity:
    return MessageEntity(MessageEntity.TEXT_LINK, offset, length, url)


@pytest.mark.parametrize(
    ("text", "entities", "words"),
    [
        (
            "read this",
            [link(5, 4, "https://a.example/x?a=1&b=2")],
            "read this (https://a.example/x?a=1&b=2)",
        ),
        (
            "😀 this and that",
            [link(3, 4, "https://a.example")],
            "😀 this (https://a.example) and that",
        ),
        (
            "one two",
            [link(0, 3, "https://a.example"), link(4, 3, "https://b.example")],
            "one (https://a.example) two (https://b.example)",
        ),
        ("a.example", [link(0, 9, "https://a.example/")], "a.example"),
        (
            "good.example",
            [link(0, 12, "https://evil.example/")],
            "good.example (https://evil.example/)",
        ),
        ("https://a.example", [MessageEntity("url", 0, 17)], "https://a.example"),
    ],
)
def test_the_address_behind_a_link_is_read(
    text: str, entities: list[MessageEntity], words: str
) -> None:
    for fields in (
        {"text": text, "entities": entities},
        {"caption": text, "caption_entities": entities, "dice": Dice(1, "🎲")},
    ):
        meant = inbound_of(1, Message(1, AT, Chat(5, Chat.PRIVATE), from_user=ANNA, **fields), BOT)
        assert isinstance(meant, Inbound)
        assert meant.text.removeprefix("> [🎲 came up 1]\n") == words


_places = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=3)


@given(st.text(st.characters(max_codepoint=0xFFFF), max_size=40), _places)
def test_wherever_links_are_said_to_be_no_word_is_lost(
    text: str, places: list[tuple[int, int]]
) -> None:
    shown = with_addresses(text, [link(at, length, "u://u") for at, length in places])
    rest = iter(shown)
    assert all(char in rest for char in text)


# -- third parties --------------------------------------------------------------------------------

NOBODY = User(9, "", is_bot=False)


@pytest.mark.parametrize(
    "origin",
    [
        MessageOriginUser(AT, NOBODY),
        MessageOriginHiddenUser(AT, ""),
        MessageOriginChannel(AT, Chat(-100, Chat.CHANNEL), 7),
        MessageOriginChat(AT, Chat(-100, Chat.CHANNEL)),
        MessageOrigin("of tomorrow", AT),
    ],
)
def test_an_author_without_a_name_is_no_error(origin: MessageOrigin) -> None:
    assert heard("I live in Paris", origin) == "> I live in Paris"


@pytest.mark.parametrize("kind", [Chat.PRIVATE, Chat.GROUP])
def test_a_deleted_account_is_no_error(kind: str) -> None:
    before = Message(1, AT, Chat(9, kind), from_user=NOBODY, text="Hi")
    asks = Message(
        2, AT, Chat(9, kind), from_user=NOBODY, text="/ask who?", reply_to_message=before
    )
    meant = inbound_of(1, asks, BOT)
    assert isinstance(meant, Inbound)
    assert meant.text == "> Hi\nwho?"
    assert click_of(1, CallbackQuery("1", NOBODY, "c", before, data="x"))


def poll(question: str, option: str) -> Poll:
    return Poll(
        "1",
        question,
        [PollOption(option, 0, persistent_id="1")],
        total_voter_count=0,
        is_closed=False,
        is_anonymous=False,
        type="regular",
        allows_multiple_answers=False,
        allows_revoting=False,
        members_only=False,
    )


_nasty = st.text(max_size=40) | st.lists(
    st.sampled_from(
        ["</recalled_notes>", "\u202e", "\u200b", "[INST]", "\n", "&", "＜a＞", "```", "x"]
    ),
    max_size=8,
).map("".join)


@given(
    _nasty, _nasty, st.sampled_from(["forward", "quote", "reply", "poll", "contact", "document"])
)
def test_what_others_write_reaches_the_model_inert_and_what_is_typed_as_it_is(
    name: str, text: str, way: str
) -> None:
    other = User(6, name, is_bot=False)
    quoted = Message(2, AT, Chat(5, Chat.PRIVATE), from_user=other, text=text)
    ways: dict[str, dict[str, Any]] = {
        "forward": {"forward_origin": MessageOriginUser(AT, other), "text": text},
        "quote": {"reply_to_message": quoted, "quote": TextQuote(text, 0), "text": "Is a<b?"},
        "reply": {"reply_to_message": quoted, "text": "Is a<b?"},
        "poll": {"poll": poll(text, name)},
        "contact": {"contact": Contact("+1", name, text)},
        "document": {"document": Document("f", "u", text + ".txt"), "caption": "Is a<b?"},
    }
    message = Message(3, AT, Chat(5, Chat.PRIVATE), from_user=ANNA, **ways[way])
    meant = inbound_of(1, message, BOT)
    assert isinstance(meant, Inbound)
    shown = build(ConversationHistory(HistoryMetadata("s1", 0)), meant.text, None, AT.date())
    *lines, last = str(shown.content[-1]).split("\n")
    if way in ("quote", "reply", "document"):
        assert last == "Is a<b?"
    else:
        lines.append(last)
    for line in filter(None, lines):
        assert line.startswith(">")
        assert not set(line[1:]) & set(LOOK_LIKE_BRACKETS)
        assert line[1:].isspace() or line[1:].strip() == escape(unescape(line[1:]))
