"""The webhook: what Telegram knows of it, and what it stands on here."""

import asyncio
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from telegram import WebhookInfo

from bot.errors import OperatorError
from bot.operations.doctor.check_result import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.operations.sockets import listening_socket
from bot.options import webhook_of
from bot.settings import Settings
from bot.telegram.intake.webhook import WebhookOptions, tls_context

#: Telegram keeps the last error for as long as the webhook is set; an old one means nothing.
_RECENT = timedelta(hours=1)


async def check_webhook(settings: Settings, *, running: bool) -> list[CheckResult]:
    """The certificate, and whether the port is free; none where the bot polls. That address and
    port are such as Telegram calls is seen when the settings are read."""
    options = webhook_of(settings)
    if options is None:
        return []
    return [await asyncio.to_thread(_listening, options, running=running)]


def _listening(options: WebhookOptions, *, running: bool) -> CheckResult:
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
    """What Telegram says of its calls."""
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
