"""AWS's extraction jobs that failed."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.operations.doctor.check import CheckResult, warning, wrong
from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.clients import AwsCalls
from memory.stores.agentcore.events.jobs import FailedJob, failed_jobs

#: By then the bot has given up starting a job again, if it ran.
_PATIENCE = timedelta(days=2)


async def check_extraction(data: AwsCalls) -> list[CheckResult]:
    """Count the failed jobs; nothing if there are none, or if they can't be listed."""
    try:
        jobs = await failed_jobs(data)
    except StoreUnavailable:
        return []  # the check of the permissions says so
    return [result_of(jobs, datetime.now(UTC))] if jobs else []


def result_of(jobs: Sequence[FailedJob], now: datetime) -> CheckResult:
    reasons = ", ".join(f"{why}: {n}" for why, n in Counter(job.reason for job in jobs).items())
    oldest = min((job.since for job in jobs if job.since), default=None)
    since = f", the oldest since {oldest:%Y-%m-%d %H:%M} UTC" if oldest else ""
    text = (
        f"AWS has not learned from some conversations: {len(jobs)} failed jobs{since} ({reasons})"
    )
    if oldest is None or now - oldest < _PATIENCE:
        return warning(
            "extraction",
            f"{text}; a running bot starts them again every hour, but not those of erased messages",
        )
    return wrong(
        "extraction",
        f"{text}; unless all are of erased messages, which the bot leaves alone: for "
        "LTM_RATE_EXCEEDED ask for more tokens a minute for extraction under Service Quotas, then "
        "stop the bot, run `mordecai maintain --retry`, and start it",
    )
