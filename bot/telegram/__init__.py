"""The bot on Telegram, and on anything else that speaks the Bot API."""

import os

# The library's opt-in to time spans as timedelta, which its next major version makes the rule.
# Without it, it warns at every flood-control answer.
os.environ.setdefault("PTB_TIMEDELTA", "true")  # noqa: TID251 - a switch of the library's, set here, not read
