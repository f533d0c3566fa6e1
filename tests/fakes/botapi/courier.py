"""Delivery to a webhook, as Telegram's own Bot API server does it: what belongs to one chat in
strict order, chats side by side, each update until it is answered with 2xx."""

import asyncio
import json
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from tests.fakes.botapi.world import Json, Webhook, World

#: Telegram's first pause is a second; tests are not that patient.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_TIMEOUT = aiohttp.ClientTimeout(total=10)


class Courier:
    """Posts a world's updates to its webhook. `gateways` are where the public address leads to on
    this machine, such as `http://127.0.0.1:8443`, in turn, behind what would be a proxy."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.gateways: Sequence[str] = ()
        #: Whether an update that was taken is brought once more, as if the answer had been lost.
        self.repeats: Callable[[], bool] = lambda: False
        #: A certificate in PEM that counts as one of a public authority.
        self.authority: bytes | None = None
        self._lanes: dict[int, asyncio.Task[None]] = {}
        #: Every delivery: update and status, 0 if there was no answer.
        self.deliveries: list[tuple[int, int]] = []
        self._attempts = 0

    async def run(self) -> None:
        """Deliver until cancelled."""
        async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
            try:
                while True:
                    await self._world.stirred.wait()
                    self._world.stirred.clear()
                    if self._world.webhook.url:
                        self._set_out(session)
            finally:
                for lane in self._lanes.values():
                    lane.cancel()
                await asyncio.gather(*self._lanes.values(), return_exceptions=True)

    def _set_out(self, session: aiohttp.ClientSession) -> None:
        for chat in {_chat_of(update) for update in self._world.pending}:
            lane = self._lanes.get(chat)
            if lane is None or lane.done():
                self._lanes[chat] = asyncio.create_task(self._deliver(session, chat))

    async def _deliver(self, session: aiohttp.ClientSession, chat: int) -> None:
        pause = _FIRST_PAUSE
        while (webhook := self._world.webhook).url and (update := self._next(chat)):
            if await self._post(session, webhook, update) and not self.repeats():
                with suppress(ValueError):
                    self._world.delivered(update)
                pause = _FIRST_PAUSE
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            await self._world.notify()

    def _next(self, chat: int) -> Json | None:
        return next((u for u in self._world.pending if _chat_of(u) == chat), None)

    async def _post(self, session: aiohttp.ClientSession, webhook: Webhook, update: Json) -> bool:
        """Whether it was taken."""
        public = urlsplit(webhook.url)
        self._attempts += 1
        ways = self.gateways or (webhook.url,)
        gateway = urlsplit(ways[self._attempts % len(ways)])
        url = urlunsplit((gateway.scheme, gateway.netloc, public.path or "/", public.query, ""))
        headers = {"Host": public.netloc, "Content-Type": "application/json"}
        if webhook.secret:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret
        status = 0
        try:
            async with session.post(
                url,
                data=json.dumps(update).encode(),
                headers=headers,
                ssl=_trusting(webhook.certificate or self.authority),
                server_hostname=public.hostname if gateway.scheme == "https" else None,
            ) as answer:
                status = answer.status
                await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as failure:
            webhook.failed(f"Connection failed: {type(failure).__name__}")
        if status and not 200 <= status < 300:
            webhook.failed(f"Wrong response from the webhook: {status} {answer.reason}")
        self.deliveries.append((update["update_id"], status))
        return 200 <= status < 300


def _trusting(certificate: bytes | None) -> ssl.SSLContext | bool:
    """As Telegram checks: against the certificate that it was given, or public authorities."""
    return ssl.create_default_context(cadata=certificate.decode()) if certificate else True


def _chat_of(update: Json) -> int:
    """What an update is in line behind: its chat; a click, whoever clicked."""
    content = next(value for key, value in update.items() if key != "update_id")
    who = content.get("chat") or content.get("from") or {}
    return int(who.get("id", 0))
