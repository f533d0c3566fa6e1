"""What people do on Telegram."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.botapi.markup import found_entities
from tests.fakes.botapi.world import Chat, Json, World

#: Who sends what nobody in particular says in a group.
_GROUP_BOT: Json = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}


#: Who writes in the name of a channel in a group.
_CHANNEL_BOT: Json = {
    "id": 136817688,
    "is_bot": True,
    "first_name": "Channel",
    "username": "Channel_Bot",
}
#: Who brings a channel's posts into the group that it is linked to.
_TELEGRAM: Json = {"id": 777000, "is_bot": False, "first_name": "Telegram"}


class Group:
    """A group, or with `kind` "supergroup" one with topics."""

    def __init__(self, world: World, chat: Chat) -> None:
        self._world, self._chat = world, chat

    @property
    def id(self) -> int:
        """The chat's id, negative like all groups'."""
        return self._chat.id

    def add_topic(self, topic_id: int) -> None:
        """Open a topic; the group is a forum from then on."""
        self._chat.topics.add(topic_id)

    def remove_topic(self, topic_id: int) -> None:
        """Delete a topic."""
        self._chat.topics.discard(topic_id)

    def kick_bot(self) -> None:
        """Throw the bot out."""
        self._chat.reachable = False
        self._chat.refusal = f"bot was kicked from the {self._chat.kind} chat"

    def make_admin(self, user_id: int) -> None:
        """Let somebody run the group."""
        self._chat.admins.add(user_id)

    def dismiss_admin(self, user_id: int) -> None:
        """Let somebody run the group no more."""
        self._chat.admins.discard(user_id)

    async def says(self, text: str, *, signature: str | None = None) -> Json:
        """An admin who stays anonymous writes in the name of the group; the message."""
        content: Json = {"sender_chat": self._chat.shown}
        if signature:
            content["author_signature"] = signature
        return await self._gets(_GROUP_BOT, text, content)

    async def gets_post(self, channel: str, text: str, *, by_hand: bool = False) -> Json:
        """A post of the channel that the group is linked to; with `by_hand` somebody writes in the
        name of that channel instead."""
        sender: Json = {"id": -1000900, "type": "channel", "title": channel}
        if by_hand:
            return await self._gets(_CHANNEL_BOT, text, {"sender_chat": sender})
        origin = {"type": "channel", "date": int(time.time()), "chat": sender, "message_id": 1}
        forwarded = {"is_automatic_forward": True, "forward_origin": origin}
        return await self._gets(_TELEGRAM, text, {"sender_chat": sender, **forwarded})

    async def _gets(self, author: Json, text: str, content: Json) -> Json:
        content = {"text": text, **content}
        if entities := found_entities(text):
            content["entities"] = entities
        message = self._world.message(self._chat, author, **content)
        self._world.offer("message", dict(message))
        await self._world.notify()
        return message

    @property
    def has_bot(self) -> bool:
        """Whether the bot can write there."""
        return self._chat.reachable

    def migrate(self, new_id: int) -> "Group":
        """Become a supergroup with another id; nobody tells the bot before it writes."""
        self._chat.migrated_to = new_id
        admins = set(self._chat.admins)
        chat = Chat(new_id, "supergroup", self._chat.title, admins=admins)
        self._world.chats[new_id] = chat
        return Group(self._world, chat)

    async def migrates(self, new_id: int, *, tells: Sequence[str] = ("to", "from")) -> "Group":
        """Become a supergroup with another id, as Telegram tells the bot: by a message in the group
        as it was ("to") and one in what it has become ("from")."""
        moved = self.migrate(new_id)
        for side in tells:
            chat = self._chat if side == "to" else moved._chat
            other = new_id if side == "to" else self._chat.id
            content = {f"migrate_{side}_chat_id": other}
            # On behalf of the group itself, as Telegram's anonymous admin.
            message = self._world.message(chat, _GROUP_BOT, sender_chat=chat.shown, **content)
            self._world.offer("message", dict(message))
        await self._world.notify()
        return moved


class Person:
    """One user. Writing to the bot in private starts the chat with it."""

    def __init__(self, world: World, user_id: int, name: str = "") -> None:
        self._world = world
        self.id = user_id
        self.profile: Json = {
            "id": user_id,
            "is_bot": False,
            "first_name": name or f"User {user_id}",
            "language_code": "en",
        }

    async def says(
        self,
        text: str,
        *,
        group: Group | None = None,
        reply_to: Json | None = None,
        topic: int | None = None,
        date: int | None = None,
        elsewhere: Json | None = None,
        via: str | None = None,
    ) -> Json:
        """Write a message; the message. `date` is Unix time. It answers `reply_to`, or a message
        `elsewhere`, in another topic or chat. With `via` a bot of that name has offered it."""
        content: Json = {"text": text}
        if via:
            content["via_bot"] = {"id": 99, "is_bot": True, "first_name": via, "username": via}
        if elsewhere:
            author = {"type": "user", "date": elsewhere["date"], "sender_user": elsewhere["from"]}
            where = {key: elsewhere[key] for key in ("chat", "message_id")}
            content["external_reply"] = {"origin": author, **where}
        if entities := found_entities(text):
            content["entities"] = entities
        return await self._send(content, group, reply_to, topic, date)

    async def sends(
        self,
        kind: str,
        data: bytes | None = None,
        *,
        group: Group | None = None,
        caption: str | None = None,
        album: str | None = None,
        reply_to: Json | None = None,
        of: "Person | None" = None,
        **fields: Any,
    ) -> Json:
        """Send a photo, sticker, voice, document, video, location, contact … With `data` it is a
        file that can be fetched; with `album` one of several sent together; with `of` it is
        forwarded."""
        media = (_PHOTO if kind == "photo" else _MEDIA[kind]) | fields
        if data is not None:
            media = media | self._world.upload(data) | fields
        content: Json = {kind: [_PHOTO | {"width": 9, "height": 9}, media]}
        if kind != "photo":
            content = {kind: media}
        if caption:
            content["caption"] = caption
            if entities := found_entities(caption):
                content["caption_entities"] = entities
        if album:
            content["media_group_id"] = album
        if of:
            content["forward_origin"] = _origin(of)
        return await self._send(content, group, reply_to, None, None)

    async def forwards(self, text: str, *, of: "Person") -> Json:
        """Forward what somebody else wrote elsewhere."""
        content = {"text": text, "forward_origin": _origin(of)}
        return await self._send(content, None, None, None, None)

    async def edits(self, message: Json, text: str, *, date: int | None = None) -> None:
        """Change one of the own messages, at this Unix time or now."""
        changed = {"edit_date": date or int(time.time()), "entities": found_entities(text)}
        message.update(text=text, **changed)
        self._world.offer("edited_message", dict(message))
        await self._world.notify()

    async def edits_caption(self, message: Json, caption: str) -> None:
        """Change what stands under one of the own pictures."""
        message.update(caption=caption, edit_date=int(time.time()))
        self._world.offer("edited_message", dict(message))
        await self._world.notify()

    async def moves(self, message: Json, latitude: float) -> None:
        """Be somewhere else, as a live location that was sent shows it."""
        there = message["location"] | {"latitude": latitude}
        message.update(location=there, edit_date=int(time.time()))
        self._world.offer("edited_message", dict(message))
        await self._world.notify()

    async def clicks(self, message: Json | None, data: str) -> str:
        """Press a button under a message of the bot's, or under one sent in inline mode; the
        query's id. Any data can be sent: a client of somebody's own making may send what no button
        has."""
        query_id = str(10_000 + len(self._world.open_queries | set(self._world.answered_queries)))
        self._world.open_queries.add(query_id)
        under = {"message": dict(message)} if message else {"inline_message_id": "inline"}
        query = {"id": query_id, "from": self.profile, "chat_instance": "1", "data": data, **under}
        self._world.offer("callback_query", query)
        await self._world.notify()
        return query_id

    async def presses(self, message: Json, label: str) -> str:
        """Press the button with this label; the query's id."""
        rows = message["reply_markup"]["inline_keyboard"]
        [data] = [b["callback_data"] for row in rows for b in row if b["text"] == label]
        return await self.clicks(message, data)

    async def adds_bot(self, group: Group) -> None:
        """Add the bot to a group."""
        self._world.chats[group.id].reachable = True
        await self._changes_bot(self._world.chats[group.id], "left", "member")

    async def removes_bot(self, group: Group) -> None:
        """Throw the bot out of a group, as Telegram tells it."""
        group.kick_bot()
        await self._changes_bot(self._world.chats[group.id], "member", "kicked")

    async def restricts_bot(self, group: Group, *, thrown_out: bool = False) -> None:
        """Let the bot do less in a group; who is restricted can be `thrown_out` as well."""
        chat = self._world.chats[group.id]
        before, chat.reachable = chat.reachable, not thrown_out
        may = {**dict.fromkeys(_PERMISSIONS, False), "is_member": before}
        after = {"is_member": not thrown_out}
        await self._changes_bot(chat, "restricted", "restricted", may, after)

    async def blocks_and_tells(self) -> None:
        """Block the bot, as Telegram tells it."""
        self.blocks()
        await self._changes_bot(self._own_chat, "member", "kicked")

    async def _changes_bot(
        self,
        chat: Chat,
        before: str,
        after: str,
        details: Mapping[str, bool] | None = None,
        changed: Mapping[str, bool] | None = None,
    ) -> None:
        me: Json = {"user": self._world.bot, "until_date": 0, **(details or {})}
        change = {
            "chat": chat.shown,
            "from": self.profile,
            "date": int(time.time()),
            "old_chat_member": {**me, "status": before},
            "new_chat_member": {**me, "status": after, **(changed or {})},
        }
        self._world.offer("my_chat_member", change)
        await self._world.notify()

    def blocks(self) -> None:
        """Block the bot."""
        self._own_chat.reachable = False

    def unblocks(self) -> None:
        """Let the bot write again."""
        self._own_chat.reachable = True

    @property
    def _own_chat(self) -> Chat:
        name = str(self.profile["first_name"])
        return self._world.chats.setdefault(self.id, Chat(self.id, "private", name))

    async def _send(
        self,
        content: Json,
        group: Group | None,
        reply_to: Json | None,
        topic: int | None,
        date: int | None,
    ) -> Json:
        chat = self._world.chats[group.id] if group else self._own_chat
        if reply_to:
            content["reply_to_message"] = dict(reply_to)
        if topic is not None:
            content |= {"message_thread_id": topic, "is_topic_message": True}
        message = self._world.message(chat, self.profile, date, **content)
        if self._delivered(message):
            self._world.offer("message", dict(message))
        await self._world.notify()
        return message

    def _delivered(self, message: Json) -> bool:
        """Whether the bot gets the message: with privacy only commands and replies in groups."""
        if message["chat"]["type"] == "private" or not self._world.privacy:
            return True
        author = message.get("reply_to_message", {}).get("from", {})
        is_command = str(message.get("text") or message.get("caption", "")).startswith("/")
        return is_command or author.get("id") == self._world.bot["id"]


#: What the Bot API always tells of somebody who is restricted.
_PERMISSIONS = (
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_edit_tag",
    "can_react_to_messages",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)


def _origin(author: Person) -> Json:
    return {"type": "user", "date": int(time.time()), "sender_user": author.profile}


_FILE = {"file_id": "f", "file_unique_id": "u", "file_size": 1000}
_PHOTO = _FILE | {"width": 90, "height": 90}
_MEDIA: dict[str, Json] = {
    "sticker": _FILE
    | {"width": 512, "height": 512, "type": "regular", "is_animated": False, "is_video": False},
    "voice": _FILE | {"duration": 3, "mime_type": "audio/ogg"},
    "audio": _FILE | {"duration": 60},
    "video": _FILE | {"width": 90, "height": 90, "duration": 3},
    "video_note": _FILE | {"length": 90, "duration": 3},
    "animation": _FILE | {"width": 90, "height": 90, "duration": 3},
    "document": _FILE | {"file_name": "report.pdf", "mime_type": "application/pdf"},
    "location": {"latitude": 1.5, "longitude": 2.5},
    "contact": {"phone_number": "+10000000", "first_name": "Ann"},
    "poll": {
        "id": "1",
        "question": "?",
        "options": [],
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
        "allows_revoting": False,
        "members_only": False,
    },
    "dice": {"emoji": "🎲", "value": 3},
    "story": {"chat": {"id": -100, "type": "channel", "title": "News"}, "id": 1},
}
