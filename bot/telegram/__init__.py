"""The bot on Telegram, and on anything else that speaks the Bot API."""

import os

# The library's opt-in to time spans as timedelta, which its next major version makes the rule.
# Without it, it warns at every flood-control answer.
os.environ.setdefault("PTB_TIMEDELTA", "true")  # noqa: TID251 - a switch of the library's, set here, not read

from bot.telegram.access import Access, AccessMode
from bot.telegram.application import TelegramChannel
from bot.telegram.guestbook import GuestBook, UnreadableOwner
from bot.telegram.inbox import Inbox
from bot.telegram.intake import RejectedToken, Stalled
from bot.telegram.introduction import About
from bot.telegram.media import Senses
from bot.telegram.options import ChannelOptions
from bot.telegram.preview import Streaming
from bot.telegram.quotas import QuotaLimits
from bot.telegram.webhook import WebhookOptions, made_up_secret

__all__ = [
    "About",
    "Access",
    "AccessMode",
    "ChannelOptions",
    "GuestBook",
    "Inbox",
    "QuotaLimits",
    "RejectedToken",
    "Senses",
    "Stalled",
    "Streaming",
    "TelegramChannel",
    "UnreadableOwner",
    "WebhookOptions",
    "made_up_secret",
]
