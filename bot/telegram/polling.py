"""The request behind getUpdates: stores what Telegram delivers before anybody else sees it."""

import asyncio
import json
import time
from typing import Any

import structlog
from telegram import Update
from telegram.error import NetworkError
from telegram.request import BaseRequest

from bot.telegram.inbox import Inbox
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: 401 for a token that is not valid (any more), 404 for a malformed one.
_REJECTED = (401, 404)


class JournalingRequest(BaseRequest):
    """Passes requests on to another one, and every update that comes back through the inbox.

    Telegram forgets updates when the next getUpdates names a later offset. That offset is sent
    only after this request has returned, so by then they are in the file."""

    def __init__(self, inner: BaseRequest, inbox: Inbox) -> None:
        self._inner, self._inbox = inner, inbox
        self.rejected = asyncio.Event()
        #: Monotonic time of the last answer, in seconds.
        self.last_round_trip = time.monotonic()

    @property
    def read_timeout(self) -> float | None:
        """That of the request behind."""
        return self._inner.read_timeout

    async def initialize(self) -> None:
        """Open the request behind."""
        await self._inner.initialize()

    async def shutdown(self) -> None:
        """Close the request behind."""
        await self._inner.shutdown()

    async def do_request(self, url: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Send the request. Raises NetworkError if the updates can't be stored: they are fetched
        again then."""
        status, payload = await self._inner.do_request(url, method, *args, **kwargs)
        self.last_round_trip = time.monotonic()
        if url.endswith("/getUpdates"):
            if status in _REJECTED:
                self.rejected.set()
            elif status == 200:
                payload = await self._journaled(payload)
        return status, payload

    async def _journaled(self, payload: bytes) -> bytes:
        answer = json.loads(payload)
        updates = answer["result"]
        if not updates:
            return payload
        try:
            await self._inbox.store(updates)
        except StoreUnavailable as failure:
            _log.exception("inbox_unavailable", error=str(failure))
            raise NetworkError("updates can't be stored") from failure
        answer["result"] = [readable(update) for update in updates]
        return json.dumps(answer).encode()


def readable(update: dict[str, Any]) -> dict[str, Any]:
    """The update, or its bare number if the library can't read it: one such update must not keep
    all later ones from being received."""
    try:
        Update.de_json(update, None)
    except (KeyError, TypeError, ValueError, AttributeError):
        _log.exception("unreadable_update", update_id=update["update_id"])
        return {"update_id": update["update_id"]}
    return update
