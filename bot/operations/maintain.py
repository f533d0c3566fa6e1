"""`mordecai maintain`: run the daily maintenance of the memory now, and report unsaved sessions."""

import asyncio
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from bot.errors import OperatorError
from bot.operations.process import only_process, operator_errors
from bot.options import retention_of
from bot.settings import Settings
from bot.stores import open_databases, open_leases, open_store
from memory.background.locks import Locks
from memory.background.wall import WallClock
from memory.errors import StoreUnavailable
from memory.journal import Backlog
from memory.knowledge.maintenance import Maintenance, Removed, Why
from memory.ports import ExternalExtraction, Store
from memory.records import Kind
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal

_ROWS = {
    Kind.FACT: "facts",
    Kind.PREFERENCE: "preferences",
    Kind.SUMMARY: "summaries",
    Kind.MESSAGE: "messages",
}
_LEAPT = (
    "nothing removed: the clock has moved more than two days since a bot last ran here. If it is "
    "{now:%Y-%m-%d %H:%M} UTC, repeat with --clock-is-right; if not, set the clock"
)
_COLUMNS = {Why.OLD: "too old", Why.REPLACED: "replaced", Why.TOO_MANY: "too many"}


def clean_up(settings: Settings, *, retry: bool, clock_is_right: bool = False) -> int:
    """Clean up and print how much was removed; with `retry`, first requeue the sessions in
    quarantine, the messages that AWS refused and the extraction jobs that failed there. If the
    clock may have leapt, cleans up only if the operator says `clock_is_right`. Returns the exit
    code: 1 if a memory could not be checked. Raises OperatorError, NewerStore."""
    if not settings.memory_enabled:
        raise OperatorError("memory_enabled = false: there is no memory to clean up")
    if settings.database_url is None and not settings.data_dir.is_dir():
        raise OperatorError(
            f"data_dir = {settings.data_dir}: there is no such directory: name another one with "
            "--data or MORDECAI_DATA_DIR"
        )
    console = Console(highlight=False)
    return asyncio.run(_run(settings, console, retry=retry, clock_is_right=clock_is_right))


async def _run(settings: Settings, console: Console, *, retry: bool, clock_is_right: bool) -> int:
    shared = settings.database_url is not None
    async with _open_maintenance(settings) as (maintenance, journal, store):
        sending = store.sending
        if retry:
            back = await journal.jobs.requeue(datetime.now(UTC))
            when = "" if shared else " at the next start"
            console.print(f"queued for retry{when}: {_sessions(back)}")
            if sending:
                again = await sending.retry_refused()
                console.print(f"refused by AWS, to be sent again: {_messages(again)}")
            if store.extraction:
                await _retry_extraction(console, store.extraction)
        if clock_is_right:
            await journal.maintenance.note_right_time(datetime.now(UTC))
        elif not await maintenance.clock_is_right():
            console.print(_LEAPT.format(now=datetime.now(UTC)), soft_wrap=True)
            return 1
        removed = await maintenance.run()
        console.print(_table(removed))
        checked = removed.people - removed.failed - removed.busy
        console.print(f"checked: {checked} {_people(checked)}")
        if removed.busy:
            console.print(f"left to the workers that are busy with them: {removed.busy}")
        if removed.failed:
            console.print(f"could not be checked (reasons above): {removed.failed}")
        _report(console, await journal.jobs.backlog())
        if sending:
            _report_refused(console, await sending.refused())
    return 1 if removed.failed else 0


async def _retry_extraction(console: Console, extraction: ExternalExtraction) -> None:
    what = "failed to extract on AWS, to be started again by the bot"
    try:
        count = await extraction.retry_failed()
    except StoreUnavailable as failure:
        console.print(f"{what}: they can't be listed: {failure}", soft_wrap=True)
    else:
        console.print(f"{what}: {count} job" if count == 1 else f"{what}: {count} jobs")


@asynccontextmanager
async def _open_maintenance(
    settings: Settings,
) -> AsyncIterator[tuple[Maintenance, SqlJournal, Store]]:
    """Open the maintenance, its journal and its store. It leaves alone whom workers on a server are
    busy with. Raises NewerStore, and OperatorError, also if a bot runs on the data directory."""
    os.umask(0o077)
    with operator_errors():
        async with AsyncExitStack() as stack:
            if settings.database_url is None:
                stack.enter_context(only_process(settings.data_dir))
            wall = WallClock()
            pool = stack.enter_context(ThreadPoolExecutor(settings.threads, "files"))
            databases = stack.enter_context(open_databases(settings, pool))
            leases = await stack.enter_async_context(open_leases(settings, databases, wall.follow))
            journal = await stack.enter_async_context(SqlJournal(databases.open(JOURNAL_LAYOUT)))
            # Deleting vectors needs no embedder.
            store = await stack.enter_async_context(
                open_store(settings.model_copy(update={"embedder": None}), databases, pool, leases)
            )
            maintenance = Maintenance(
                store, journal.maintenance, retention_of(settings), wall, Locks(leases=leases)
            )
            maintenance.returns = ()
            yield maintenance, journal, store


def _table(removed: Removed) -> Table:
    table = Table("removed", *_COLUMNS.values(), box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for kind, name in _ROWS.items():
        table.add_row(name, *(str(removed.counts[kind, why]) for why in _COLUMNS))
    return table


def _report(console: Console, backlog: Backlog) -> None:
    console.print(f"waiting to be saved: {_sessions(backlog.waiting)}")
    hint = "; retry with `mordecai maintain --retry`" if backlog.quarantined else ""
    console.print(
        f"in quarantine after too many attempts: {_sessions(backlog.quarantined)}{hint}",
        soft_wrap=True,
    )


def _report_refused(console: Console, count: int) -> None:
    hint = "; `mordecai doctor` says why, retry with `mordecai maintain --retry`" if count else ""
    console.print(f"refused by AWS: {_messages(count)}{hint}", soft_wrap=True)


def _messages(count: int) -> str:
    return f"{count} message" if count == 1 else f"{count} messages"


def _sessions(count: int) -> str:
    return f"{count} session" if count == 1 else f"{count} sessions"


def _people(count: int) -> str:
    return "memory" if count == 1 else "memories"
