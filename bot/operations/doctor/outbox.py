"""What waits to be sent to AWS, what AWS has refused, and what it does not delete."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bot.operations.doctor.check import CheckResult, ok, wrong
from memory.errors import StoreUnavailable
from memory.stores.agentcore.events.backlog import OutboxBacklog, Unfinished, outbox_backlog_in
from memory.stores.database import Look

#: A memory is often not active for two minutes, while AWS updates it.
_PATIENCE = timedelta(minutes=5)


def check_outbox(outbox: Look) -> list[CheckResult]:
    """Look into the outbox, also while a bot is running. Blocks."""
    try:
        backlog = outbox_backlog_in(outbox)
    except StoreUnavailable:
        return []  # another check reports what is wrong with the file or the server
    return list(results_of(backlog, datetime.now(UTC))) if backlog else []


def results_of(backlog: OutboxBacklog, now: datetime) -> Iterator[CheckResult]:
    waiting, refused = backlog.waiting, backlog.refused
    if refused.count:
        text = f"AWS has refused {_describe(refused)}: fix the cause, stop the bot, run"
        yield wrong("outbox", f"{text} `mordecai maintain --retry`, and start it")
    if waiting.since and now - waiting.since >= _PATIENCE:
        text = f"AWS has not taken {_describe(waiting)}; the bot sends them again until it does"
        yield wrong("outbox", text)
    else:
        yield ok("outbox", f"{_messages(waiting.count)} to be sent to AWS")
    if backlog.erasures.count:
        count = backlog.erasures.count
        requests = f"{count} request to erase" if count == 1 else f"{count} requests to erase"
        text = f"AWS has not deleted everything for {requests}{_cause(backlog.erasures)}"
        yield wrong(
            "erasures",
            f"{text}: it is shown to nobody. If a permission is missing, add it by the policy in "
            "docs/aws.md; a running bot tries again within the hour",
        )


def _describe(unsent: Unfinished) -> str:
    return f"{_messages(unsent.count)}{_cause(unsent)}"


def _cause(unfinished: Unfinished) -> str:
    since = f" since {unfinished.since:%Y-%m-%d %H:%M} UTC" if unfinished.since else ""
    return f"{since} ({unfinished.why or 'the log has the reason'})"


def _messages(count: int) -> str:
    return f"{count} message" if count == 1 else f"{count} messages"
