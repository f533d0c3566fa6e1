"""The methods of the Bot API, as strict as the real ones."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from tests.fakes.botapi.markup import LONGEST_CAPTION, checked
from tests.fakes.botapi.refusals import Refused, bad_request
from tests.fakes.botapi.world import Chat, Json, Webhook, World

#: A method's parameters, and its files by field name.
Files = Mapping[str, tuple[str, bytes]]
Method = Callable[[Json, Files], Awaitable[object]]

_LONGEST_DATA = 64
#: Bot API, answerCallbackQuery: 0-200 characters.
_LONGEST_NOTE = 200
#: Bot API, getFile: bots can download files of up to 20 MB.
_MOST_FETCHED = 20 * 2**20
#: Bot API, sendDocument: bots can send files of up to 50 MB.
_MOST_SENT = 50 * 2**20
#: Some of those that Bot API, ReactionTypeEmoji, allows.
_REACTIONS = frozenset("👍 👎 ❤ 🔥 👏 🎉 😢 😴 👀 🤝 ✍ 👌 🫡".split())
_WEBHOOK_PORTS = (80, 88, 443, 8443)
_MOST_COMMANDS = 100
_ACTIONS = frozenset(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document "
    "choose_sticker find_location record_video_note upload_video_note".split()
)
_ACTIONS_OF_BUTTONS = frozenset(
    "url callback_data web_app login_url switch_inline_query switch_inline_query_current_chat "
    "switch_inline_query_chosen_chat copy_text callback_game pay".split()
)
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)


#: What the Bot API always tells of an administrator.
_RIGHTS = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
)


class Methods:
    """Carries out one method at a time on a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._table: dict[str, Method] = {
            name.replace("_", ""): getattr(self, f"_{name}") for name in _NAMES
        }

    async def call(self, method: str, parameters: Json, files: Files) -> object:
        """The result of a method. Raises Refused."""
        carry_out = self._table.get(method.lower())
        if carry_out is None:
            raise Refused(404, "Not Found: method not found")
        try:
            return await carry_out(parameters, files)
        finally:
            await self._world.notify()

    # -- the bot itself, its updates --------------------------------------------------------------

    async def _get_me(self, parameters: Json, files: Files) -> object:
        return self._world.bot

    async def _get_updates(self, parameters: Json, files: Files) -> object:
        limit = int(parameters.get("limit") or 100)
        allowed = _json(parameters.get("allowed_updates"))
        return await self._world.updates(
            int(parameters.get("offset") or 0),
            min(max(limit, 1), 100),
            float(parameters.get("timeout") or 0),
            allowed,
        )

    async def _set_webhook(self, parameters: Json, files: Files) -> object:
        url = str(parameters.get("url", ""))
        secret = str(parameters.get("secret_token", ""))
        connections = int(parameters.get("max_connections") or 40)
        if url and not url.startswith("https://"):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        if url and (urlsplit(url).port or 443) not in _WEBHOOK_PORTS:
            raise bad_request(
                "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"
            )
        if not re.fullmatch("[A-Za-z0-9_-]{0,256}", secret):
            raise bad_request("secret token contains unallowed characters")
        if not 1 <= connections <= 100:
            raise bad_request("max_connections must be between 1 and 100")
        if _true(parameters.get("drop_pending_updates")):
            self._world.drop_updates()
        certificate = files["certificate"][1] if "certificate" in files else None
        webhook = Webhook(url, secret, certificate, connections)
        self._world.set_webhook(webhook, _json(parameters.get("allowed_updates")))
        return True

    async def _delete_webhook(self, parameters: Json, files: Files) -> object:
        self._world.set_webhook(Webhook())
        if _true(parameters.get("drop_pending_updates")):
            self._world.drop_updates()
        return True

    async def _get_webhook_info(self, parameters: Json, files: Files) -> object:
        webhook = self._world.webhook
        info: Json = {
            "url": webhook.url,
            "has_custom_certificate": webhook.certificate is not None,
            "pending_update_count": self._world.waiting,
        }
        if webhook.url:
            info["max_connections"] = webhook.max_connections
        if webhook.error_date:
            info |= {
                "last_error_date": webhook.error_date,
                "last_error_message": webhook.error_message,
            }
        return info

    async def _log_out(self, parameters: Json, files: Files) -> object:
        return True

    async def _close(self, parameters: Json, files: Files) -> object:
        return True

    # -- messages ---------------------------------------------------------------------------------

    async def _send_message(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        content = _content(parameters)
        return self._world.message(
            chat, self._world.bot, **content, **self._frame(chat, parameters)
        )

    async def _send_message_draft(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        if chat.kind != "private":
            raise bad_request("drafts can be sent only in private chats")
        draft_id = _int(parameters, "draft_id")
        if not draft_id:
            raise bad_request("draft identifier must be non-zero")
        self._topic(chat, parameters)
        chat.drafts[draft_id] = _content(parameters)["text"]
        return True

    async def _edit_message_text(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        message = self._own(chat, parameters)
        if "text" not in message:
            raise bad_request("there is no text in the message to edit")
        content = {**_content(parameters), **_keyboard(parameters)}
        kept = ("text", "entities", "reply_markup")
        if content == {key: message[key] for key in kept if key in message}:
            raise bad_request(_NOT_MODIFIED)
        for key in kept:
            message.pop(key, None)
        message.update(content, edit_date=message["date"])
        return message

    async def _edit_message_reply_markup(self, parameters: Json, files: Files) -> object:
        message = self._own(self._chat(parameters), parameters)
        keyboard = _keyboard(parameters)
        if keyboard.get("reply_markup") == message.get("reply_markup"):
            raise bad_request(_NOT_MODIFIED)
        message.pop("reply_markup", None)
        message.update(keyboard)
        return message

    async def _set_message_reaction(self, parameters: Json, files: Files) -> object:
        message = self._chat(parameters).messages.get(_int(parameters, "message_id"))
        if message is None:
            raise bad_request("message to react not found")
        reactions = _json(parameters.get("reaction")) or []
        if any(one.get("emoji") not in _REACTIONS for one in reactions):
            raise bad_request("REACTION_INVALID")
        message["reactions"] = reactions
        return True

    async def _delete_message(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        message = chat.messages.get(_int(parameters, "message_id"))
        if message is None:
            raise bad_request("message to delete not found")
        mine = self._world.bot["id"]
        if message["from"]["id"] != mine and chat.kind != "private" and mine not in chat.admins:
            raise bad_request("message can't be deleted")
        del chat.messages[message["message_id"]]
        return True

    async def _send_document(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        if "document" not in files:
            raise bad_request("there is no document in the request")
        name, content = files["document"]
        if not content:
            raise bad_request("file must be non-empty")
        if len(content) > _MOST_SENT:
            raise Refused(413, "Request Entity Too Large")
        file_id = f"document-{len(self._world.files) + 1}"
        self._world.files[file_id] = (name, content)
        document = {
            "file_id": file_id,
            "file_unique_id": f"unique-{file_id}",
            "file_name": name,
            "mime_type": "application/json" if name.endswith(".json") else "text/plain",
            "file_size": len(content),
        }
        caption, entities = checked(
            str(parameters.get("caption", "")),
            parameters.get("parse_mode"),
            _json(parameters.get("caption_entities")),
            LONGEST_CAPTION,
            "message caption",
        )
        described: Json = {"caption": caption, "caption_entities": entities} if caption else {}
        frame = self._frame(chat, parameters)
        return self._world.message(chat, self._world.bot, document=document, **described, **frame)

    async def _get_file(self, parameters: Json, files: Files) -> object:
        file_id = str(parameters.get("file_id"))
        if file_id not in self._world.files:
            raise bad_request("invalid file_id")
        size = len(self._world.files[file_id][1])
        if size > _MOST_FETCHED:
            raise bad_request("file is too big")
        return {
            "file_id": file_id,
            "file_unique_id": f"unique-{file_id}",
            "file_size": size,
            "file_path": f"documents/{file_id}",
        }

    async def _send_chat_action(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        if parameters.get("action") not in _ACTIONS:
            raise bad_request("wrong parameter action in request")
        self._topic(chat, parameters, typing=True)
        return True

    async def _answer_callback_query(self, parameters: Json, files: Files) -> object:
        query_id = str(parameters.get("callback_query_id"))
        if query_id not in self._world.open_queries:
            raise bad_request(
                "query is too old and response timeout expired or query ID is invalid"
            )
        if len(str(parameters.get("text", ""))) > _LONGEST_NOTE:
            raise bad_request("MESSAGE_TOO_LONG")
        self._world.open_queries.discard(query_id)
        self._world.answered_queries[query_id] = dict(parameters)
        return True

    # -- commands, chats --------------------------------------------------------------------------

    async def _set_my_commands(self, parameters: Json, files: Files) -> object:
        commands = _json(parameters.get("commands")) or []
        if not re.fullmatch("([a-z]{2})?", parameters.get("language_code", "")):
            raise bad_request("invalid language code specified")
        if len(commands) > _MOST_COMMANDS:
            raise bad_request("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not re.fullmatch("[a-z0-9_]{1,32}", command["command"]):
                raise bad_request("BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        self._world.commands[_scope(parameters)] = commands
        return True

    async def _get_my_commands(self, parameters: Json, files: Files) -> object:
        return self._world.commands.get(_scope(parameters), [])

    async def _delete_my_commands(self, parameters: Json, files: Files) -> object:
        self._world.commands.pop(_scope(parameters), None)
        return True

    async def _get_chat(self, parameters: Json, files: Files) -> object:
        return {**self._chat(parameters).shown, "accent_color_id": 0, "max_reaction_count": 11}

    async def _get_chat_member(self, parameters: Json, files: Files) -> object:
        chat, user_id = self._chat(parameters), _int(parameters, "user_id")
        user = {"id": user_id, "is_bot": False, "first_name": f"User {user_id}"}
        if user_id not in chat.admins:
            return {"status": "member", "user": user}
        return {"status": "administrator", "user": user, **dict.fromkeys(_RIGHTS, False)}

    async def _leave_chat(self, parameters: Json, files: Files) -> object:
        chat = self._chat(parameters)
        if chat.kind == "private":
            raise bad_request("chat member status can't be changed in private chats")
        chat.reachable, chat.refusal = False, f"bot is not a member of the {chat.kind} chat"
        return True

    # -- what they share --------------------------------------------------------------------------

    def _chat(self, parameters: Json) -> Chat:
        if not parameters.get("chat_id"):
            raise bad_request("chat_id is empty")
        try:
            return self._world.chat(_int(parameters, "chat_id"))
        except ValueError:
            raise bad_request("chat not found") from None

    def _own(self, chat: Chat, parameters: Json) -> Json:
        message = chat.messages.get(_int(parameters, "message_id"))
        if message is None:
            raise bad_request("message to edit not found")
        if message["from"]["id"] != self._world.bot["id"]:
            raise bad_request("message can't be edited")
        return message

    def _frame(self, chat: Chat, parameters: Json) -> Json:
        """What stands around a message's content: topic, reply, keyboard."""
        frame = {**self._topic(chat, parameters), **_keyboard(parameters)}
        reply = _json(parameters.get("reply_parameters")) or {}
        if reply:
            original = chat.messages.get(reply["message_id"])
            if original:
                frame["reply_to_message"] = {
                    key: value for key, value in original.items() if key != "reply_to_message"
                }
            elif not reply.get("allow_sending_without_reply"):
                raise bad_request("message to be replied not found")
        return frame

    def _topic(self, chat: Chat, parameters: Json, *, typing: bool = False) -> Json:
        topic = int(parameters.get("message_thread_id") or 0)
        # The general topic of a forum has the number 1: a message may not name it, an action must.
        if not topic or (typing and topic == 1):
            return {}
        if topic not in chat.topics:
            raise bad_request("message thread not found")
        return {"message_thread_id": topic, "is_topic_message": True}


_NAMES = tuple(
    name[1:]
    for name, value in vars(Methods).items()
    if re.fullmatch("_(get|set|send|edit|delete|answer|leave|log|close)[a-z_]*", name)
    and callable(value)
)


def _content(parameters: Json) -> Json:
    text, entities = checked(
        str(parameters.get("text", "")),
        parameters.get("parse_mode"),
        _json(parameters.get("entities")),
    )
    return {"text": text, **({"entities": entities} if entities else {})}


def _keyboard(parameters: Json) -> Json:
    markup = _json(parameters.get("reply_markup"))
    rows = (markup or {}).get("inline_keyboard")
    if not rows:
        return {}
    for button in (button for row in rows for button in row):
        data = button.get("callback_data")
        if not _ACTIONS_OF_BUTTONS & set(button):
            raise bad_request(
                "can't parse inline keyboard button: "
                "Text buttons are unallowed in the inline keyboard"
            )
        if data is not None and not 1 <= len(data.encode()) <= _LONGEST_DATA:
            raise bad_request("BUTTON_DATA_INVALID")
    return {"reply_markup": {"inline_keyboard": rows}}


def _scope(parameters: Json) -> str:
    """Which people a list of commands is for, as one word."""
    scope = _json(parameters.get("scope")) or {"type": "default"}
    words = (scope["type"], scope.get("chat_id"), scope.get("user_id"))
    language = parameters.get("language_code")
    return ":".join(str(word) for word in (*words, language) if word)


def _json(value: Any) -> Any:
    """A parameter that may come as JSON text or as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise bad_request("can't parse JSON object") from None


def _int(parameters: Json, key: str) -> int:
    return int(parameters.get(key) or 0)


def _true(value: Any) -> bool:
    return str(value).lower() in ("true", "1")
