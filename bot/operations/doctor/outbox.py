"""What waits to be sent to AWS, and what AWS has refused."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.operations.doctor.check import CheckResult, ok, wrong
from memory.errors import StoreUnavailable
from memory.stores.agentcore.events.backlog import OutboxBacklog, UnsentEvents, outbox_backlog_in

#: A memory is often not active for two minutes, while AWS updates it.
_PATIENCE = timedelta(minutes=5)


def check_outbox(data_dir: Path) -> list[CheckResult]:
    """Read the outbox, also while a bot is running. Blocks. Changes nothing."""
    try:
        backlog = outbox_backlog_in(data_dir / "outbox.sqlite")
    except StoreUnavailable:
        return []  # the disk check reports what is wrong with the file
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


def _describe(unsent: UnsentEvents) -> str:
    since = f" since {unsent.since:%Y-%m-%d %H:%M} UTC" if unsent.since else ""
    return f"{_messages(unsent.count)}{since} ({unsent.why or 'the log has the reason'})"


def _messages(count: int) -> str:
    return f"{count} message" if count == 1 else f"{count} messages"
