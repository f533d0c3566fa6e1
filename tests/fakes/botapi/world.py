"""What Telegram knows: the bot, its chats with their messages, and the updates that wait."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.botapi.refusals import Refused, bad_request, conflict, forbidden

Json = dict[str, Any]

#: What a bot gets that never named its allowed_updates: all but these (Bot API, getUpdates).
_OPT_IN = frozenset({"chat_member", "message_reaction", "message_reaction_count"})


@dataclass(slots=True)
class Chat:
    """A chat that the bot may or may not write to."""

    id: int
    kind: str
    title: str
    reachable: bool = True
    refusal: str = "bot was blocked by the user"
    migrated_to: int | None = None
    topics: set[int] = field(default_factory=set)
    admins: set[int] = field(default_factory=set)
    messages: dict[int, Json] = field(default_factory=dict)
    #: What the bot is seen writing. Any message of it takes them away.
    drafts: dict[int, str] = field(default_factory=dict)

    @property
    def shown(self) -> Json:
        """The chat as it stands inside a message."""
        if self.kind == "private":
            return {"id": self.id, "type": "private", "first_name": self.title}
        forum = {"is_forum": True} if self.topics else {}
        return {"id": self.id, "type": self.kind, "title": self.title, **forum}


@dataclass(slots=True)
class Webhook:
    """Where updates are to be delivered. An empty URL is nowhere."""

    url: str = ""
    secret: str = ""
    certificate: bytes | None = None
    max_connections: int = 40
    error_date: int | None = None
    error_message: str = ""

    def failed(self, why: str) -> None:
        """A delivery went wrong."""
        self.error_date, self.error_message = int(time.time()), why


class World:
    """One bot's Telegram."""

    def __init__(self, bot_id: int, username: str, *, privacy: bool = False) -> None:
        """With `privacy` the bot does not get a group's ordinary talk."""
        self.bot: Json = {
            "id": bot_id,
            "is_bot": True,
            "first_name": "Mordecai",
            "username": username,
            "can_join_groups": True,
            "can_read_all_group_messages": not privacy,
            "supports_inline_queries": False,
        }
        self.privacy = privacy
        self.chats: dict[int, Chat] = {}
        self.commands: dict[str, list[Json]] = {}
        self.open_queries: set[str] = set()
        self.answered_queries: dict[str, Json] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.webhook = Webhook()
        #: Set when there may be something to deliver to the webhook.
        self.stirred = asyncio.Event()
        self.changed = asyncio.Condition()
        self._updates: deque[Json] = deque()
        self._allowed: frozenset[str] | None = None
        self._next_update_id = 700_000_001
        self._next_message_id = 1
        self._poll: asyncio.Future[None] | None = None

    # -- chats and messages -----------------------------------------------------------------------

    def chat(self, chat_id: int) -> Chat:
        """The chat, for a bot that wants to write there. Raises what Telegram would answer."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise bad_request("chat not found")
        if chat.migrated_to:
            raise bad_request(
                "group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to
            )
        if not chat.reachable:
            raise forbidden(chat.refusal)
        return chat

    def message(self, chat: Chat, author: Json, date: int | None = None, **content: Any) -> Json:
        """A new message in a chat."""
        message = {
            "message_id": self._next_message_id,
            "from": author,
            "chat": chat.shown,
            "date": date or int(time.time()),
            **content,
        }
        self._next_message_id += 1
        chat.messages[message["message_id"]] = message
        if author["id"] == self.bot["id"]:
            chat.drafts.clear()
        return message

    def upload(self, data: bytes) -> Json:
        """A file of somebody's, as messages hold it."""
        number = len(self.files) + 1
        self.files[f"file-{number}"] = (f"file_{number}", data)
        return {
            "file_id": f"file-{number}",
            "file_unique_id": f"unique{number}",
            "file_size": len(data),
        }

    def by_bot(self, chat_id: int) -> list[Json]:
        """The bot's messages in a chat, as they stand now, oldest first."""
        chat = self.chats.get(chat_id)
        messages = chat.messages.values() if chat else ()
        return [m for m in messages if m["from"]["id"] == self.bot["id"]]

    async def notify(self) -> None:
        """Wake everybody who waits for something to be so."""
        async with self.changed:
            self.changed.notify_all()

    # -- updates ----------------------------------------------------------------------------------

    def offer(self, kind: str, content: Json) -> int | None:
        """Make an update; its id, or None if the bot does not want this kind."""
        if kind in _OPT_IN if self._allowed is None else kind not in self._allowed:
            return None
        update_id = self._next_update_id
        self._next_update_id += 1
        self._updates.append({"update_id": update_id, kind: content})
        self._wake()
        return update_id

    def _wake(self) -> None:
        self.stirred.set()
        if self._poll and not self._poll.done():
            self._poll.set_result(None)

    @property
    def webhook_url(self) -> str:
        """The address of the webhook, empty if none is set."""
        return self.webhook.url

    def set_webhook(self, webhook: Webhook, allowed: list[str] | None = None) -> None:
        """Deliver there from now on; with an empty URL, wait to be asked."""
        self.webhook = webhook
        if webhook.url and self._poll and not self._poll.done():
            self._poll.set_exception(conflict("terminated by setWebhook request"))
        if allowed is not None:
            self._allowed = frozenset(allowed) or None
        self._wake()

    @property
    def pending(self) -> list[Json]:
        """The updates that wait, oldest first."""
        return list(self._updates)

    def delivered(self, update: Json) -> None:
        """The webhook has taken this update."""
        self._updates.remove(update)

    def redeliver(self, update_id: int, kind: str, content: Json) -> None:
        """Send an update once more, as Telegram does when an acknowledgement was lost."""
        self._updates.appendleft({"update_id": update_id, kind: content})
        self._wake()

    @property
    def waiting(self) -> int:
        """How many updates the bot has not acknowledged."""
        return len(self._updates)

    async def updates(
        self, offset: int, limit: int, seconds: float, allowed: list[str] | None
    ) -> list[Json]:
        """getUpdates: earlier ones are acknowledged by the offset, the rest comes again until it
        is. A second call ends the first one with 409."""
        if self.webhook.url:
            raise conflict(
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete "
                "the webhook first"
            )
        if self._poll and not self._poll.done():
            self._poll.set_exception(
                conflict(
                    "terminated by other getUpdates request; make sure that only one bot instance "
                    "is running"
                )
            )
            await asyncio.sleep(0)
        if allowed is not None:
            self._allowed = frozenset(allowed) or None
        self._acknowledge(offset)
        if not self._updates and seconds > 0:
            await self._arrival(seconds)
        await self.notify()
        return list(self._updates)[:limit]

    def _acknowledge(self, offset: int) -> None:
        if offset < 0:
            while len(self._updates) > -offset:
                self._updates.popleft()
        while self._updates and self._updates[0]["update_id"] < offset:
            self._updates.popleft()

    async def _arrival(self, seconds: float) -> None:
        poll = self._poll = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await poll
        except TimeoutError:
            return
        except Refused:
            raise
        finally:
            if self._poll is poll:
                self._poll = None

    def drop_updates(self) -> None:
        """Forget all updates that wait."""
        self._updates.clear()
