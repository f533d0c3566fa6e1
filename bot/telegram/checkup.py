"""What `mordecai doctor` checks at Telegram: the token, other users of it, and the webhook."""

import asyncio
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from telegram import Bot, WebhookInfo
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from bot.errors import OperatorError
from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.operations.sockets import listening_socket
from bot.options import webhook_of
from bot.settings import Settings
from bot.telegram.connection import bot_at, http_request
from bot.telegram.intake.receiving import RejectedToken
from bot.telegram.intake.webhook import WebhookOptions, tls_context

#: Our poll ends another program's, which polls again within a second or two and so ends ours. In
#: seconds.
_WAIT_FOR_RIVAL = 3
#: Telegram keeps the last error as long as the webhook is set: an old one means nothing.
_RECENT = timedelta(hours=1)


async def check_token(settings: Settings, *, running: bool) -> list[CheckResult]:
    """Check token, webhook and privacy mode; and other pollers, unless the bot is `running`: a
    poll would interrupt its own. Acknowledges nothing, so no message gets lost."""
    if settings.telegram_bot_token is None:
        text = "TELEGRAM_BOT_TOKEN is not set: `mordecai run` chats in the terminal instead"
        return [warning("token", text)]
    token = settings.telegram_bot_token.get_secret_value()
    requests = (http_request(1, connect=5, read=10), http_request(1, connect=5, read=10))
    bot = bot_at(token, settings.telegram_base_url, *requests)
    try:
        async with bot:
            return [
                ok("token", f"@{bot.username} (id {bot.id})"),
                await _updates(bot, settings, running=running),
                _groups(bot),
            ]
    except InvalidToken:
        # The library's own message has the token in it.
        at = f" at {settings.telegram_base_url}" if settings.telegram_base_url else ""
        return [wrong("token", f"{RejectedToken()}{at}")]
    except RetryAfter as patience:
        return [warning("token", f"Telegram wants to be asked later ({patience}): try again then")]
    except TelegramError as failure:
        return [wrong("token", _unreachable(settings, failure))]


def _unreachable(settings: Settings, failure: TelegramError) -> str:
    address = urlsplit(settings.telegram_base_url or "https://api.telegram.org")
    # Without the name and password that an address may have.
    host = address.netloc.rpartition("@")[2]
    return (
        f"{host} can't be reached ({type(failure.__cause__ or failure).__name__}): check the "
        "network, a proxy (HTTPS_PROXY) and telegram_base_url"
    )


async def _updates(bot: Bot, settings: Settings, *, running: bool) -> CheckResult:
    webhook = await bot.get_webhook_info()
    if webhook.url or settings.webhook_url:
        return webhook_status(webhook, settings, running=running)
    waiting = f"{webhook.pending_update_count} messages wait"
    if running:
        return ok(
            "updates", f"{waiting}; a Mordecai is running here, so nobody else was looked for"
        )
    try:
        await bot.get_updates(limit=1, timeout=_WAIT_FOR_RIVAL)
    except Conflict:
        text = "another program gets this bot's messages: stop it, or use another bot"
        return wrong("updates", text)
    return ok("updates", f"{waiting}; no other program was seen getting them")


def _groups(bot: Bot) -> CheckResult:
    me = bot.bot
    if not me.can_join_groups:
        text = "the bot may not be added to groups (change it with /setjoingroups at @BotFather)"
    elif me.can_read_all_group_messages:
        text = "privacy mode is off: the bot hears everything that is said in its groups"
    else:
        text = (
            "privacy mode is on: in groups the bot hears commands, mentions and replies only "
            "(change it with /setprivacy at @BotFather)"
        )
    return ok("groups", text)


async def check_webhook(settings: Settings, *, running: bool) -> list[CheckResult]:
    """Check the certificate and the port; nothing if the bot polls. Whether Telegram calls such an
    address and port, the settings check."""
    try:
        options = webhook_of(settings)
    except OperatorError as mistake:
        return [wrong("webhook", str(mistake))]
    if options is None:
        return []
    return [await asyncio.to_thread(_check_listening, options, running=running)]


def _check_listening(options: WebhookOptions, *, running: bool) -> CheckResult:
    try:
        tls = tls_context(options)
        if not running:
            listening_socket(
                options.listen, options.port, "webhook_listen and webhook_port"
            ).close()
    except OperatorError as mistake:
        return wrong("webhook", str(mistake))
    where = f"{options.listen}, port {options.port}"
    if tls:
        return ok("webhook", f"listens at {where} and speaks TLS itself")
    return ok("webhook", f"listens at {where}; a proxy in front has to speak TLS")


def webhook_status(info: WebhookInfo, settings: Settings, *, running: bool) -> CheckResult:
    """What Telegram reports about its calls."""
    waiting = f"{info.pending_update_count} messages wait"
    if settings.webhook_url is None:
        return warning(
            "updates",
            f"a webhook is set ({urlsplit(info.url).hostname}): `mordecai run` removes it; if "
            "another program relies on it, use a bot of its own here",
        )
    if info.url != settings.webhook_url:
        elsewhere = f" ({urlsplit(info.url).hostname})" if info.url else ""
        text = f"{waiting}; Telegram does not call webhook_url yet{elsewhere}"
        if running:
            return wrong("updates", f"{text}, though a Mordecai runs: see its log")
        return ok("updates", f"{text}: `mordecai run` sees to that")
    if info.last_error_date and datetime.now(UTC) - info.last_error_date < _RECENT:
        minutes = (datetime.now(UTC) - info.last_error_date).total_seconds() // 60
        return warning(
            "updates",
            f"{waiting}; Telegram's call failed {minutes:.0f} minutes ago: "
            f"{info.last_error_message}: check the proxy, its certificate, and that the bot runs",
        )
    return ok("updates", f"{waiting}; Telegram calls {urlsplit(info.url).hostname}")
