"""The clock of this machine, compared with those of the servers we use."""

import asyncio
import time
from concurrent.futures import Executor
from contextlib import closing
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from bot.operations.aws import aws_access
from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.settings import Settings
from memory.stores.agentcore.calls.clients import CONTROL_SERVICE, make_client
from memory.stores.agentcore.calls.errors import AwsFailure

#: Seconds. AWS rejects signatures more than five minutes old, or from the future.
NOTICEABLE = 60.0
_REFUSED = 300.0


async def check_clock(settings: Settings, pool: Executor, *, aws: bool) -> list[CheckResult]:
    """Compare this machine's clock with that of AWS, which is strictest, or Telegram."""
    loop = asyncio.get_running_loop()
    try:
        address = await loop.run_in_executor(pool, _address, settings, aws)
    except AwsFailure as failure:
        return [warning("clock", f"not checked: {failure}")]
    return [await _compare(address)] if address else []


def _address(settings: Settings, aws: bool) -> str | None:
    """The address of a server we use; None if there is none. Raises AwsFailure."""
    if aws:
        with closing(make_client(CONTROL_SERVICE, aws_access(settings), 1)) as client:
            return str(client.meta.endpoint_url)
    if settings.telegram_bot_token:
        return settings.telegram_base_url or "https://api.telegram.org"
    return None


async def _compare(address: str) -> CheckResult:
    """Use the date of any response, even a rejection, so that no credentials are needed."""
    # Without the user name and password of the address.
    host = urlsplit(address).netloc.rpartition("@")[2]
    before = time.time()
    try:
        async with httpx.AsyncClient(timeout=10) as client, client.stream("GET", address) as answer:
            theirs = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except httpx.HTTPError as failure:
        return warning("clock", f"not checked: {host} can't be reached ({type(failure).__name__})")
    except ValueError:
        return warning("clock", f"not checked: {host} does not say what time it is")
    return clock_result((before + time.time()) / 2 - theirs, host)


def clock_result(seconds: float, host: str) -> CheckResult:
    """The result if our clock is so many seconds ahead of the host's."""
    off = abs(seconds)
    # The date of a response has whole seconds only.
    if off <= NOTICEABLE:
        return ok("clock", f"it agrees with {host}")
    way = "ahead of" if seconds > 0 else "behind"
    text = f"it is {duration(off)} {way} {host}: set it, best by NTP"
    if off <= _REFUSED:
        return warning("clock", text)
    return wrong("clock", f"{text}; AWS refuses more than 5 minutes, and all dates are wrong")


def duration(seconds: float) -> str:
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
