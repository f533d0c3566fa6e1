"""The webhook: Telegram calls us, and gets its acknowledgement once the update is in the inbox.

The HTTP server is tornado, as in the library's webhook mode. The library's handler queues an update
before it is stored, accepts bodies of a hundred megabytes from anyone, and rejects what it can't
parse, so that Telegram repeats it for a day. Therefore we have our own."""

import asyncio
import hmac
import re
import secrets
import ssl
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from telegram import Bot, Update, WebhookInfo
from telegram.error import BadRequest, InvalidToken, TelegramError
from tornado.web import stream_request_body

from bot.errors import OperatorError
from bot.operations.sockets import RouteHandler, Server, ServerLimits, listening_socket
from bot.telegram.delivery.outcomes import name_of
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.raw import MalformedUpdate, readable, update_in
from bot.telegram.intake.receiving import (
    UPDATES,
    RejectedToken,
    Sink,
    persistently,
)
from memory.background.pacing import RateLimitedLog
from memory.background.work import log_outage
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: Bot API, setWebhook: the header with the secret token.
_SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a name, not a secret
#: In bytes. An update is a message of 4096 characters with its metadata: tens of thousands.
_LONGEST_BODY = 2**20
#: What one worker does for all.
_ROLE = "webhook"
#: How often to check that the webhook is still set, in seconds.
_LOOK_SECONDS = 60.0
#: When Telegram should retry an update that could not be stored, in seconds.
_RETRY_SECONDS = "5"


def made_up_secret() -> str:
    """A random secret token of characters that Telegram accepts."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """Telegram calls `url`, and the server listens at `listen` and `port`. Telegram gets the
    `certificate` to recognize us; with `key` this process does TLS itself, otherwise a proxy in
    front does. The secret is new at every start unless it is configured."""

    url: str
    listen: str = "127.0.0.1"
    port: int = 8443
    secret: str = field(default_factory=made_up_secret, repr=False)
    certificate: Path | None = None
    key: Path | None = None
    look_seconds: float = _LOOK_SECONDS
    limits: ServerLimits = field(default_factory=ServerLimits)


class Webhook:
    """Receives updates by webhook."""

    def __init__(
        self,
        bot: Bot,
        sink: Sink,
        inbox: Inbox,
        complaints: RateLimitedLog,
        options: WebhookOptions,
    ) -> None:
        self._bot, self._sink, self._inbox = bot, sink, inbox
        self._options, self.complaints = options, complaints
        self._server: Server | None = None
        self._heard_at = time.monotonic()
        self._newest_error = 0.0

    @property
    def silent_seconds(self) -> float:
        """See Intake: since Telegram's last call, or our last check of the webhook."""
        return time.monotonic() - self._heard_at

    async def start(self) -> None:
        """Listen, then set the webhook, unless another worker is about to. The backlog is not
        dropped."""
        certificate = await asyncio.to_thread(self._read_certificate)
        tls = await asyncio.to_thread(tls_context, self._options)
        self._server = self._listen(tls)
        async with self._inbox.leases.work_alone(_ROLE) as alone:
            if alone:
                await self._register(certificate)

    async def run(self) -> None:
        """Check from time to time that the webhook is still set, and set it again if not. One of
        several workers does."""
        while True:
            await asyncio.sleep(self._options.look_seconds)
            with log_outage(self.complaints, "lease_unavailable"):
                async with self._inbox.leases.work_alone(_ROLE) as alone:
                    if alone:
                        await self._check()
                    else:
                        self._heard_at = time.monotonic()

    async def stop(self) -> None:
        """Stop accepting calls; Telegram keeps new updates and retries."""
        server, self._server = self._server, None
        if server:
            await server.aclose()

    def is_genuine(self, secret: str) -> bool:
        """True if a call with this secret token comes from Telegram."""
        return hmac.compare_digest(secret.encode(), self._options.secret.encode())

    async def take(self, body: bytes) -> None:
        """Store an update, then queue it. Raises MalformedUpdate, StoreUnavailable."""
        self._heard_at = time.monotonic()
        # What the library can't read is well-formed here, so it has a number.
        if update := readable(update_in(body), self.complaints):
            await self._inbox.store([update])
            await self._sink.put(Update.de_json(update, self._bot))

    # -- inside -----------------------------------------------------------------------------------

    async def _check(self) -> None:
        try:
            info = await self._bot.get_webhook_info()
        except InvalidToken:
            raise RejectedToken from None
        except TelegramError as failure:
            self.complaints.warning("telegram_unreachable", error=name_of(failure))
            return
        self._report(info)
        if info.url == self._options.url:
            self._heard_at = time.monotonic()
        else:
            await self._register_again()

    def _listen(self, tls: ssl.SSLContext | None) -> Server:
        options = self._options
        path = urlsplit(options.url).path or "/"
        taking = listening_socket(options.listen, options.port, "webhook_listen and webhook_port")
        _log.info("webhook_listening", address=options.listen, port=options.port, tls=bool(tls))
        routes = [(re.escape(path), _Call, {"webhook": self})]
        return Server(routes, taking, options.limits, tls)

    async def _register(self, certificate: bytes | None) -> None:
        options = self._options
        register = partial(
            self._bot.set_webhook,
            options.url,
            certificate=certificate,
            allowed_updates=UPDATES,
            drop_pending_updates=False,
            secret_token=options.secret,
        )

        async def work() -> None:
            try:
                await register()
            except BadRequest as refusal:
                raise OperatorError(
                    f"webhook_url: Telegram does not take it: {refusal.message}"
                ) from None

        await persistently(work, self.complaints)
        self._heard_at = time.monotonic()

    async def _register_again(self) -> None:
        self.complaints.warning(
            "webhook_was_taken_away",
            hint="another program uses this bot token, by polling or with a webhook of its own: "
            "stop it; this one is set again",
        )
        try:
            await self._register(await asyncio.to_thread(self._read_certificate))
        except OperatorError as refusal:
            self.complaints.warning("webhook_not_set", reason=str(refusal))

    def _read_certificate(self) -> bytes | None:
        file = self._options.certificate
        try:
            return file.read_bytes() if file else None
        except OSError as failure:
            raise OperatorError(
                f"webhook_certificate = {file}: can't be read: {failure.strerror}. Check the path"
            ) from failure

    def _report(self, info: WebhookInfo) -> None:
        """Log Telegram's last failed call, if it is new."""
        failed_at = info.last_error_date.timestamp() if info.last_error_date else 0.0
        if failed_at > self._newest_error:
            self.complaints.warning(
                "webhook_failed",
                error=str(info.last_error_message),
                waiting=str(info.pending_update_count),
            )
        self._newest_error = max(failed_at, self._newest_error)


@stream_request_body
class _Call(RouteHandler):
    """One call. 200 means that the update is on disk; after any other status Telegram retries."""

    def initialize(self, webhook: Webhook) -> None:
        self._webhook, self._body = webhook, bytearray()

    def prepare(self) -> None:
        """Ask for the secret before the body is read."""
        # Of a refused call the body is skipped: closing at once could lose the response.
        self.expect_body(_LONGEST_BODY)
        if self.request.method != "POST":
            return
        if self._webhook.is_genuine(self.request.headers.get(_SECRET_HEADER, "")):
            # Telegram uses the connection again.
            self.protect()
            return
        self._webhook.complaints.warning(
            "webhook_refused",
            caller=str(self.request.remote_ip),
            hint="a call without our secret token; Telegram's own have it",
        )
        self.set_status(403)
        self.finish()

    def data_received(self, chunk: bytes) -> None:
        self._body += chunk

    async def post(self) -> None:
        try:
            await self._webhook.take(bytes(self._body))
        except MalformedUpdate as failure:
            self._webhook.complaints.warning("webhook_malformed", reason=str(failure))
            self.set_status(400)
        except StoreUnavailable as failure:
            self._webhook.complaints.warn_once("inbox_unavailable", error=str(failure))
            self.set_status(503)
            self.set_header("Retry-After", _RETRY_SECONDS)


def tls_context(options: WebhookOptions) -> ssl.SSLContext | None:
    """The TLS context; None if a proxy does TLS. Blocks. Raises OperatorError."""
    if options.certificate is None or options.key is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(options.certificate, options.key)
    except OSError as failure:
        raise OperatorError(
            f"webhook_certificate = {options.certificate}, webhook_key = {options.key}: "
            f"{failure.strerror or failure}. Both are files in PEM format, and the key is the "
            "certificate's own"
        ) from failure
    return context
