"""Telegram: whether the token is good, and whether anybody else gets the bot's messages."""

from urllib.parse import urlsplit

from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from bot.operations.doctor.check_result import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.settings import Settings
from bot.telegram.checkup.webhook import webhook_status
from bot.telegram.intake.receiving import RejectedToken

#: Another program that polls is thrown out by our poll and comes back within a second or two, which
#: then throws us out. Seconds.
_WAIT_FOR_RIVAL = 3


async def check_token(settings: Settings, *, running: bool) -> list[CheckResult]:
    """The token, the webhook and the privacy mode; and other pollers, unless the bot itself is
    running: it would be thrown out. Nothing is acknowledged, so no message gets lost."""
    if settings.telegram_bot_token is None:
        text = "TELEGRAM_BOT_TOKEN is not set: `mordecai run` chats in the terminal instead"
        return [warning("token", text)]
    bot = _bot(settings.telegram_bot_token.get_secret_value(), settings.telegram_base_url)
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


def _bot(token: str, root: str | None) -> Bot:
    def request() -> HTTPXRequest:
        return HTTPXRequest(connection_pool_size=1, connect_timeout=5, read_timeout=10)

    if root is None:
        return Bot(token, request=request(), get_updates_request=request())
    return Bot(token, f"{root}/bot", request=request(), get_updates_request=request())


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
