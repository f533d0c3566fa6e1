"""The Bot API, played in process: python-telegram-bot asks it instead of Telegram's servers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from telegram.request import BaseRequest, RequestData

from bot.telegram.formatting.marked import Marked
from bot.terminal.chat import BOT, BOT_ID, Button, Chat, Sent
from bot.terminal.markup import BadMarkup, from_entities, from_html

#: The token to build the Application with; it opens nothing.
TERMINAL_TOKEN = f"{BOT_ID}:terminal"

_LONGEST_TEXT = 4096
_LONGEST_CAPTION = 1024
_LONGEST_DATA = 64
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)
#: Methods that are politely agreed to and change nothing that a terminal could show.
_AGREED = (
    "deletemycommands",
    "logout",
    "close",
    "sendmessagedraft",
    "setchatmenubutton",
    "setmessagereaction",
    "setmydescription",
    "setmyname",
    "setmyshortdescription",
)
_MEDIA = (
    "animation",
    "audio",
    "document",
    "photo",
    "sticker",
    "video",
    "video_note",
    "voice",
)

_Parameters = Mapping[str, Any]
_Files = Mapping[str, tuple[str, bytes]]
_Method = Callable[[_Parameters, _Files], Awaitable[object]]


class _Refused(Exception):
    """The Bot API says no."""

    def __init__(self, code: int, description: str) -> None:
        super().__init__(description)
        self.code = code


def _bad_request(reason: str) -> _Refused:
    return _Refused(400, f"Bad Request: {reason}")


class TerminalRequest(BaseRequest):
    """One Bot API server with one chat. Serves as both requests of an Application. Files that the
    bot sends are written to `exports`."""

    def __init__(self, chat: Chat, exports: Path) -> None:
        self.chat = chat
        self.exports = exports
        self._commands: dict[str, list[dict[str, Any]]] = {}
        self._methods: dict[str, _Method] = {
            "getme": self._get_me,
            "getupdates": self._get_updates,
            "deletewebhook": self._agree,
            "setmycommands": self._set_my_commands,
            "getmycommands": self._get_my_commands,
            "sendmessage": self._send_message,
            "editmessagetext": self._edit_message_text,
            "editmessagereplymarkup": self._edit_message_reply_markup,
            "deletemessage": self._delete_message,
            "sendchataction": self._send_chat_action,
            "answercallbackquery": self._answer_callback_query,
            **dict.fromkeys(_AGREED, self._agree),
            **{f"send{kind.replace('_', '')}": self._sender_of(kind) for kind in _MEDIA},
        }

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    @property
    def read_timeout(self) -> float | None:
        """There is no network to wait for."""
        return None

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = None,
        write_timeout: object = None,
        connect_timeout: object = None,
        pool_timeout: object = None,
    ) -> tuple[int, bytes]:
        """Carry out one method and answer as the Bot API does: a status and a JSON document."""
        parameters = request_data.parameters if request_data else {}
        try:
            play = self._methods.get(url.rsplit("/", 1)[-1].lower())
            if play is None:
                raise _Refused(404, "Not Found: method not found")  # noqa: TRY301 - one way out
            result = await play(parameters, _files(request_data))
        except _Refused as refusal:
            return refusal.code, json.dumps(
                {"ok": False, "error_code": refusal.code, "description": str(refusal)}
            ).encode()
        return 200, json.dumps({"ok": True, "result": result}).encode()

    # -- methods ----------------------------------------------------------------------------------

    async def _agree(self, parameters: _Parameters, files: _Files) -> bool:
        return True

    async def _get_me(self, parameters: _Parameters, files: _Files) -> object:
        return BOT

    async def _get_updates(self, parameters: _Parameters, files: _Files) -> object:
        seconds = float(parameters.get("timeout", 0))
        return await self.chat.updates(int(parameters.get("offset", 0)), seconds)

    async def _set_my_commands(self, parameters: _Parameters, files: _Files) -> bool:
        self._commands[_audience(parameters)] = list(parameters["commands"])
        return True

    async def _get_my_commands(self, parameters: _Parameters, files: _Files) -> object:
        return self._commands.get(_audience(parameters), [])

    async def _send_message(self, parameters: _Parameters, files: _Files) -> object:
        self._here(parameters)
        content = _content(parameters, "text", _LONGEST_TEXT)
        return self.chat.message(self.chat.send(content, _buttons(parameters)))

    async def _edit_message_text(self, parameters: _Parameters, files: _Files) -> object:
        sent = self._sent(parameters, "edit")
        content, buttons = _content(parameters, "text", _LONGEST_TEXT), _buttons(parameters)
        return self._edited(sent, content, buttons)

    async def _edit_message_reply_markup(self, parameters: _Parameters, files: _Files) -> object:
        sent = self._sent(parameters, "edit")
        return self._edited(sent, sent.content, _buttons(parameters))

    async def _delete_message(self, parameters: _Parameters, files: _Files) -> bool:
        self.chat.delete(self._sent(parameters, "delete"))
        return True

    async def _send_chat_action(self, parameters: _Parameters, files: _Files) -> bool:
        self._here(parameters)
        self.chat.typing = True
        self.chat.changed.set()
        return True

    async def _answer_callback_query(self, parameters: _Parameters, files: _Files) -> bool:
        if not self.chat.close_query(str(parameters.get("callback_query_id"))):
            raise _bad_request(
                "query is too old and response timeout expired or query ID is invalid"
            )
        if note := str(parameters.get("text", "")).strip():
            self.chat.send(Marked(note))
        return True

    def _sender_of(self, kind: str) -> _Method:
        async def send(parameters: _Parameters, files: _Files) -> object:
            self._here(parameters)
            caption = _content(parameters, "caption", _LONGEST_CAPTION, required=False)
            file: dict[str, Any] = {"file_id": str(parameters.get(kind)), "file_unique_id": kind}
            shown = f"[{kind}] {parameters.get(kind, '')}".rstrip()
            if kind in files:
                path = await self._save(*files[kind])
                file = {"file_id": str(path), "file_unique_id": kind, "file_name": path.name}
                shown = f"[{kind}] saved as {path}"
            # The handlers get the caption back that they sent; the person also sees where it is.
            text = f"{caption.text}\n{shown}" if caption.text else shown
            sent = self.chat.send(Marked(text, caption.spans))
            extra = {"document": file} if kind == "document" else {}
            return {**self.chat.message(sent), **extra, "caption": caption.text}

        return send

    # -- what they share --------------------------------------------------------------------------

    def _here(self, parameters: _Parameters) -> None:
        if str(parameters.get("chat_id")) != str(self.chat.user_id):
            raise _bad_request("chat not found")

    def _sent(self, parameters: _Parameters, action: str) -> Sent:
        self._here(parameters)
        sent = self.chat.find(int(parameters.get("message_id", 0)))
        if sent is None:
            raise _bad_request(f"message to {action} not found")
        return sent

    def _edited(self, sent: Sent, content: Marked, buttons: Sequence[Button]) -> object:
        if content == sent.content and tuple(buttons) == sent.buttons:
            raise _bad_request(_NOT_MODIFIED)
        self.chat.edit(sent, content, buttons)
        return self.chat.message(sent)

    async def _save(self, name: str, content: bytes) -> Path:
        try:
            return await asyncio.to_thread(_write_new, self.exports, name, content)
        except OSError as error:
            raise _bad_request(f"the file could not be saved: {error.strerror}") from error


def _content(parameters: _Parameters, key: str, longest: int, *, required: bool = True) -> Marked:
    source = str(parameters.get(key, ""))
    mode = parameters.get("parse_mode")
    entities = parameters.get("caption_entities" if key == "caption" else "entities") or []
    try:
        if mode not in (None, "HTML"):
            raise BadMarkup("unsupported parse_mode")  # noqa: TRY301 - refused like the others
        content = from_html(source) if mode else from_entities(source, entities)
    except BadMarkup as error:
        raise _bad_request(str(error)) from error
    if required and not content.text.strip():
        raise _bad_request("message text is empty")
    if content.units > longest:
        raise _bad_request(f"message {'caption ' if key == 'caption' else ''}is too long")
    return content


def _audience(parameters: _Parameters) -> str:
    """For whom a list of commands is: a kind of chat and a language."""
    return f"{parameters.get('scope')} {parameters.get('language_code')}"


def _buttons(parameters: _Parameters) -> list[Button]:
    rows = (parameters.get("reply_markup") or {}).get("inline_keyboard", [])
    buttons = [
        Button(str(button["text"]), button.get("callback_data"), button.get("url"))
        for row in rows
        for button in row
    ]
    if any(b.data is not None and not 1 <= len(b.data.encode()) <= _LONGEST_DATA for b in buttons):
        raise _bad_request("BUTTON_DATA_INVALID")
    return buttons


def _files(request_data: RequestData | None) -> dict[str, tuple[str, bytes]]:
    if request_data is None or not request_data.contains_files:
        return {}
    files = {}
    for field, (name, content, _) in request_data.multipart_data.items():
        files[field] = (name, content if isinstance(content, bytes) else content.read())
    return files


def _write_new(folder: Path, name: str, content: bytes) -> Path:
    """Write a file that was not there before, for the owner's eyes alone."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = Path(Path(name.replace("\\", "/")).name or "file")
    for number in range(1, 10_000):
        mark = f"-{number}" if number > 1 else ""
        path = folder / f"{wanted.stem}{mark}{wanted.suffix}"
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        path.write_bytes(content)
        return path
    raise FileExistsError(17, "too many files of this name", str(folder / wanted))
