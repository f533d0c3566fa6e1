"""Every kind of message that Telegram can send: put into words, or declined with a sentence, never
passed over in silence, unless it tells of an event and is addressed to nobody."""

from typing import Any

import pytest
import telegram
from telegram.constants import MessageType

from bot.assistant.files import FileKind
from bot.assistant.inbound import Message
from bot.telegram.intake.media import Senses
from bot.telegram.intake.updates import inbound_of
from bot.texts import ENGLISH
from tests.fakes.botapi.people import _FILE, _MEDIA, _PHOTO

BOT = telegram.User(1, "Mordecai", is_bot=True, username="mordecai_bot")
ANNA = {"id": 5, "is_bot": False, "first_name": "Anna"}
PRIVATE = {"id": 5, "type": "private"}
GROUP = {"id": -7, "type": "group", "title": "Us"}
NEWS = {"id": -100, "type": "channel", "title": "The News"}
MOVING = _FILE | {"width": 90, "height": 90, "duration": 3}
PLAIN_STICKER = {name: it for name, it in _MEDIA["sticker"].items() if name != "emoji"}
STICKER = PLAIN_STICKER | {"emoji": "😀", "set_name": "cats"}
TASKS = [{"id": 1, "text": "milk", "completion_date": 9}, {"id": 2, "text": "bread"}]
MODEL = {"name": "m", "sticker": STICKER, "rarity_per_mille": 1}
BACKDROP = {
    "name": "b",
    "colors": {"center_color": 1, "edge_color": 1, "symbol_color": 1, "text_color": 1},
    "rarity_per_mille": 1,
}
RICH = {
    "blocks": [
        {"type": "heading", "text": "News", "size": 1},
        {"type": "paragraph", "text": ["It is ", {"type": "bold", "text": "late"}, "."]},
        {
            "type": "list",
            "items": [{"label": "1.", "blocks": [{"type": "paragraph", "text": "one"}]}],
        },
        {"type": "table", "cells": [[{"text": "a", "align": "left"}, {"text": "b"}]]},
        {"type": "paragraph", "text": {"type": "url", "text": "here", "url": "https://a.example"}},
    ]
}

RICH_WORDS = "News\nIt is late.\n1.\none\na\nb\nhere (https://a.example)"

#: What a message holds, and what the model reads of it.
IN_WORDS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"text": "Hello"}, "Hello"),
    "rich_message": ({"rich_message": RICH}, RICH_WORDS),
    "sticker": ({"sticker": STICKER}, "> [a sticker: 😀]"),
    "location": ({"location": _MEDIA["location"]}, "> [a location: 1.50000, 2.50000]"),
    "venue": (
        {
            "venue": {"location": _MEDIA["location"], "title": "Bar", "address": "Road 1"},
            "location": _MEDIA["location"],
        },
        "> [a place: Bar, Road 1 (1.50000, 2.50000)]",
    ),
    "contact": ({"contact": _MEDIA["contact"]}, "> [a contact: Ann, +10000000]"),
    "contact without a name": (
        {"contact": {"phone_number": "+1", "first_name": ""}},
        "> [a contact: somebody, +1]",
    ),
    "poll": ({"poll": _MEDIA["poll"]}, "> [a poll: ? ()]"),
    "dice": ({"dice": _MEDIA["dice"]}, "> [🎲 came up 3]"),
    "checklist": (
        {"checklist": {"title": "Shop", "tasks": TASKS}},
        "> [a checklist: Shop (☑ milk; ☐ bread)]",
    ),
    "gift": (
        {"gift": {"gift": {"id": "g", "sticker": STICKER, "star_count": 5}, "text": "For you"}},
        "> [a gift 😀: For you]",
    ),
    "gift of a sticker without an emoji": (
        {"gift": {"gift": {"id": "g", "sticker": PLAIN_STICKER, "star_count": 5}, "text": "Hi"}},
        "> [a gift: Hi]",
    ),
    "unique_gift": (
        {
            "unique_gift": {
                "gift": {
                    "gift_id": "g",
                    "base_name": "Cake",
                    "name": "Cake-7",
                    "number": 7,
                    "model": MODEL,
                    "symbol": MODEL,
                    "backdrop": BACKDROP,
                },
                "origin": "transfer",
            }
        },
        "> [a gift: Cake #7]",
    ),
    "game": (
        {"game": {"title": "Snake", "description": "Eat", "photo": [_PHOTO]}},
        "> [a game: Snake, Eat]",
    ),
    "invoice": (
        {
            "invoice": {
                "title": "Tea",
                "description": "Green",
                "start_parameter": "",
                "currency": "EUR",
                "total_amount": 300,
            }
        },
        "> [an invoice: Tea, Green]",
    ),
    "web_app_data": (
        {"web_app_data": {"button_text": "Form", "data": "{}"}},
        "> [data from an app: Form: {}]",
    ),
}
#: What a message holds, and the file that the bot fetches or declines.
FILES: dict[str, tuple[dict[str, Any], FileKind]] = {
    "photo": ({"photo": [_PHOTO]}, FileKind.PICTURE),
    "live_photo": ({"live_photo": MOVING | {"photo": [_PHOTO]}}, FileKind.PICTURE),
    "document": ({"document": _MEDIA["document"]}, FileKind.PDF),
    "voice": ({"voice": _MEDIA["voice"]}, FileKind.SPEECH),
    "audio": ({"audio": _MEDIA["audio"]}, FileKind.SPEECH),
    "video": ({"video": MOVING}, FileKind.OTHER),
    "video_note": ({"video_note": _MEDIA["video_note"]}, FileKind.OTHER),
    "animation": ({"animation": MOVING, "document": _FILE}, FileKind.OTHER),
    "story": ({"story": {"chat": NEWS, "id": 1}}, FileKind.OTHER),
    "paid_media": (
        {"paid_media": {"star_count": 1, "paid_media": [{"type": "preview"}]}, "caption": "Look"},
        FileKind.OTHER,
    ),
    "giveaway": (
        {"giveaway": {"chats": [NEWS], "winners_selection_date": 9, "winner_count": 1}},
        FileKind.OTHER,
    ),
    "giveaway_winners": (
        {
            "giveaway_winners": {
                "chat": NEWS,
                "giveaway_message_id": 1,
                "winners_selection_date": 9,
                "winner_count": 1,
                "winners": [ANNA],
            }
        },
        FileKind.OTHER,
    ),
    "passport_data": (
        {"passport_data": {"data": [], "credentials": {"data": "", "hash": "", "secret": ""}}},
        FileKind.OTHER,
    ),
    "users_shared": (
        {"users_shared": {"request_id": 1, "users": [{"user_id": 9}]}},
        FileKind.OTHER,
    ),
    "chat_shared": ({"chat_shared": {"request_id": 1, "chat_id": 9}}, FileKind.OTHER),
    "successful_payment": (
        {
            "successful_payment": {
                "currency": "EUR",
                "total_amount": 1,
                "invoice_payload": "",
                "telegram_payment_charge_id": "",
                "provider_payment_charge_id": "",
            }
        },
        FileKind.OTHER,
    ),
    "a rich message of pictures": ({"rich_message": {"blocks": []}}, FileKind.OTHER),
    "a kind of tomorrow": ({"hologram": {"depth": 3}}, FileKind.OTHER),
    "a kind of tomorrow with a caption": (
        {"hologram": {"depth": 3}, "caption": "Look"},
        FileKind.OTHER,
    ),
    "nothing that is known": ({}, FileKind.OTHER),
}
#: What tells of an event.
EVENTS: dict[str, Any] = {
    "new_chat_members": [ANNA],
    "left_chat_member": ANNA,
    "new_chat_title": "We",
    "new_chat_photo": [_PHOTO],
    "delete_chat_photo": True,
    "group_chat_created": True,
    "supergroup_chat_created": True,
    "channel_chat_created": True,
    "message_auto_delete_timer_changed": {"message_auto_delete_time": 9},
    "migrate_to_chat_id": -8,
    "migrate_from_chat_id": -8,
    "pinned_message": {"message_id": 1, "date": 9, "chat": PRIVATE, "text": "Hello"},
    "refunded_payment": {
        "currency": "XTR",
        "total_amount": 1,
        "invoice_payload": "",
        "telegram_payment_charge_id": "",
    },
    "connected_website": "a.example",
    "write_access_allowed": {},
    "proximity_alert_triggered": {"traveler": ANNA, "watcher": ANNA, "distance": 1},
    "boost_added": {"boost_count": 1},
    "chat_background_set": {
        "type": {"type": "chat_theme", "theme_name": "x"},
    },
    "chat_owner_changed": {"new_owner": ANNA},
    "chat_owner_left": {},
    "checklist_tasks_added": {"tasks": TASKS},
    "checklist_tasks_done": {"marked_as_done_task_ids": [1]},
    "direct_message_price_changed": {"are_direct_messages_enabled": True},
    "forum_topic_created": {"name": "t", "icon_color": 1},
    "forum_topic_edited": {},
    "forum_topic_closed": {},
    "forum_topic_reopened": {},
    "general_forum_topic_hidden": {},
    "general_forum_topic_unhidden": {},
    "gift_upgrade_sent": {"gift": {"id": "g", "sticker": STICKER, "star_count": 5}},
    "giveaway_created": {},
    "giveaway_completed": {"winner_count": 1},
    "managed_bot_created": {"bot": ANNA},
    "paid_message_price_changed": {"paid_message_star_count": 1},
    "poll_option_added": {"option_persistent_id": "1", "option_text": "x"},
    "poll_option_deleted": {"option_persistent_id": "1", "option_text": "x"},
    "suggested_post_approval_failed": {"price": {"currency": "XTR", "amount": 1}},
    "suggested_post_approved": {"send_date": 9},
    "suggested_post_declined": {},
    "suggested_post_paid": {"currency": "XTR"},
    "suggested_post_refunded": {"reason": "post_deleted"},
    "video_chat_scheduled": {"start_date": 9},
    "video_chat_started": {},
    "video_chat_ended": {"duration": 9},
    "video_chat_participants_invited": {"users": [ANNA]},
    "community_chat_added": {"community": {}},
    "community_chat_removed": {},
}
#: Fields that describe a message of any kind, or its sender.
_BESIDE = {"business_connection_id", "effect_id", "sender_boost_count", "sender_business_bot"}
_BESIDE |= {"reply_to_story", "suggested_post_info"}


def sent(content: dict[str, Any], chat: dict[str, Any] = PRIVATE) -> Message | None:
    """What the bot hears of a message by Anna."""
    fields = {"message_id": 3, "date": 1_790_000_000, "chat": chat, "from": ANNA}
    heard = inbound_of(1, telegram.Message.de_json(fields | content, None), BOT)
    assert heard is None or isinstance(heard, Message)
    return heard


@pytest.mark.parametrize("kind", IN_WORDS)
def test_what_has_words_is_read(kind: str) -> None:
    content, words = IN_WORDS[kind]
    heard = sent(content)
    assert heard
    assert (heard.text, heard.files) == (words, ())


@pytest.mark.parametrize("kind", FILES)
def test_a_file_or_what_nobody_can_read_is_fetched_or_declined(kind: str) -> None:
    content, expected = FILES[kind]
    heard = sent(content)
    assert heard
    assert [file.kind for file in heard.files] == [expected]
    assert heard.text.strip()


@pytest.mark.parametrize("kind", [*IN_WORDS, *FILES])
def test_in_a_group_a_kind_is_heard_if_it_is_addressed(kind: str) -> None:
    content, _ = (IN_WORDS | FILES)[kind]
    mine = {"message_id": 2, "date": 9, "chat": GROUP, "from": BOT.to_dict(), "text": "Yes?"}
    assert sent(content, GROUP) is None
    assert sent(content | {"reply_to_message": mine}, GROUP)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("chat", [PRIVATE, GROUP])
def test_an_event_is_silent(event: str, chat: dict[str, Any]) -> None:
    assert sent({event: EVENTS[event]}, chat) is None


def test_the_tables_name_every_kind_that_the_library_knows() -> None:
    kinds = {kind.value for kind in MessageType} - _BESIDE
    assert kinds <= {*IN_WORDS, *FILES, *EVENTS}


def test_the_sentence_names_what_the_bot_reads() -> None:
    blind = Senses().describe(ENGLISH)
    assert "text" in blind
    assert "pictures" not in blind
    seeing = Senses(frozenset({FileKind.PICTURE, FileKind.TEXT})).describe(ENGLISH)
    assert "text, pictures, Word" in seeing
    assert "PDF" not in seeing
