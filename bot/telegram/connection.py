"""Connections to the Bot API, Telegram's or another server's."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx
from telegram import Bot, Message
from telegram.error import BadRequest, NetworkError
from telegram.request import BaseRequest, HTTPXRequest

from bot.metrics import TELEGRAM_REQUESTS
from memory.leases import check_lease

_TOO_LARGE = 413
#: Final if Telegram says so, which it does in JSON.
_REFUSED = (400, 403)


class UnreadableAnswer(NetworkError):
    """The answer is no JSON object: often the HTML page of a proxy."""


def parse_answer(payload: bytes) -> dict[str, Any]:
    """The answer to a request. Raises UnreadableAnswer, where the library logs a traceback with the
    whole page too."""
    try:
        answer = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer("unreadable answer") from error
    if not isinstance(answer, dict):
        raise UnreadableAnswer("unreadable answer")
    return answer


class BotApiRequest(HTTPXRequest):
    """Tells `hear`, if given, the time that each answer names."""

    def __init__(self, hear: Callable[[datetime], None] | None, **options: Any) -> None:
        hooks: dict[str, list[Any]] = {"response": [_date_hook(hear)]} if hear else {}
        options["httpx_kwargs"] = {"verify": _tls_context(), "event_hooks": hooks}
        super().__init__(**options)

    parse_json_payload = staticmethod(parse_answer)

    async def do_request(
        self, url: str, method: str, *args: Any, **kwargs: Any
    ) -> tuple[int, bytes]:
        """See BaseRequest. Raises BadRequest if the request is too large, NetworkError if not
        Telegram but a proxy refuses it."""
        status = 0
        try:
            status, payload = await super().do_request(url, method, *args, **kwargs)
        finally:
            TELEGRAM_REQUESTS.add(_method_in(url), str(status))
        if status == _TOO_LARGE:
            raise BadRequest("Request Entity Too Large")
        if status in _REFUSED and method == "POST":
            try:
                parse_answer(payload)
            except UnreadableAnswer:
                raise NetworkError(f"a proxy answered {status}") from None
        return status, payload


class ApiBot(Bot):
    """Tells a listener the chat and id of each message that it has sent. Asks nothing of Telegram
    under a lease that is lost: raises LeaseLost."""

    _note: Callable[[int, int], None] | None = None

    def on_sent(self, note: Callable[[int, int], None]) -> None:
        self._note = note

    async def _do_post(self, *args: Any, **kwargs: Any) -> Any:
        check_lease()
        return await super()._do_post(*args, **kwargs)

    async def send_message(self, *args: Any, **kwargs: Any) -> Message:
        """See Bot."""
        return self._note_sent(await super().send_message(*args, **kwargs))

    async def send_document(self, *args: Any, **kwargs: Any) -> Message:
        """See Bot."""
        return self._note_sent(await super().send_document(*args, **kwargs))

    def _note_sent(self, sent: Message) -> Message:
        if self._note:
            self._note(sent.chat.id, sent.message_id)
        return sent


def bot_at(token: str, root: str | None, request: BaseRequest, get_updates: BaseRequest) -> ApiBot:
    """`root` is the address of another Bot API server, without `/bot`."""
    if not root:
        return ApiBot(token, request=request, get_updates_request=get_updates)
    root = root.rstrip("/")
    return ApiBot(token, f"{root}/bot", f"{root}/file/bot", request, get_updates)


def http_request(
    connections: int,
    connect: float = 10,
    read: float = 20,
    hear: Callable[[datetime], None] | None = None,
) -> HTTPXRequest:
    """Timeouts in seconds, by default for a phone network. `hear` is told Telegram's time."""
    return BotApiRequest(
        hear,
        connection_pool_size=connections,
        connect_timeout=connect,
        read_timeout=read,
        write_timeout=20,
        pool_timeout=20,
    )


def _method_in(url: str) -> str:
    """The Bot API's method; never anything else of the address, which holds the token."""
    name = url.rpartition("/")[2]
    return name if name.isalpha() and "/file/" not in url else "file"


def _date_hook(
    hear: Callable[[datetime], None],
) -> Callable[[httpx.Response], Awaitable[None]]:
    async def note(response: httpx.Response) -> None:
        try:
            date = parsedate_to_datetime(response.headers.get("date", ""))
        except ValueError:
            return
        hear(date if date.tzinfo else date.replace(tzinfo=UTC))

    return note


@cache
def _tls_context() -> SSLContext:
    # Reading the certificates takes 20 to 50 ms for each client.
    return httpx.create_ssl_context()
