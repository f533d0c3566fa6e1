"""The PostgreSQL server: whether it can be used, what is in it, and who works with it."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bot.errors import OperatorError
from bot.operations.doctor.check import CheckResult, ok, warning, wrong
from bot.operations.doctor.clock import NOTICEABLE, duration
from bot.operations.migrate import LAYOUTS, SCHEMA
from bot.people.guest_tables import PEOPLE_LAYOUT
from bot.settings import Settings
from bot.stores import postgres_needed
from memory.errors import StoreUnavailable
from memory.stores.database import Connection, Look
from memory.stores.files import look_into
from memory.stores.layout import Layout
from memory.stores.records.layout import PERSON_LAYOUT

if TYPE_CHECKING:
    from memory.stores.postgres.inspection import ServerState

T = TypeVar("T")

#: For looking at every row.
_SECONDS = 8.0
#: An answer takes no longer, unless a model is slow.
_PATIENCE = timedelta(minutes=15)


def look_of(settings: Settings, layout: str) -> Look:
    """A look into the tables of a layout, in a file or on the server."""
    if settings.database_url is None:
        return partial(look_into, settings.data_dir / f"{layout}.sqlite")
    url = settings.database_url.get_secret_value()

    def look(table: str, column: str, read: Callable[[Connection], T], /) -> T | None:
        try:
            from memory.stores.postgres.inspection import look_into_server
        except ImportError as missing:  # another check says what to install
            raise StoreUnavailable(str(missing)) from missing
        return look_into_server(url, SCHEMA, table, column, read)

    return look


def has_workers(settings: Settings) -> bool:
    """True if workers use the server, if there is one; False also if that can't be told. Blocks."""
    if settings.database_url is None:
        return False
    with suppress(OperatorError, StoreUnavailable), postgres_needed():
        from memory.stores.postgres.inspection import inspect_server

        return inspect_server(settings.database_url.get_secret_value(), SCHEMA).workers > 0
    return False


def check_database(url: str) -> list[CheckResult]:
    """Run all checks of the server, also while workers use it. Blocks; stops looking at rows after
    some seconds. Changes nothing."""
    try:
        with postgres_needed():
            from memory.stores.postgres.inspection import count_unreadable, inspect_server
        state = inspect_server(url, SCHEMA)
        results = list(server_results(state))
        end = time.monotonic() + _SECONDS
        results += _check_rows(count_unreadable(url, SCHEMA, _layouts_of(state), end))
    except (OperatorError, StoreUnavailable) as failure:
        return [wrong("database", str(failure))]
    return results


def server_results(state: "ServerState") -> Iterator[CheckResult]:
    version = f"PostgreSQL {state.version // 10_000}"
    if not state.is_supported:
        yield wrong("database", f"database_url: {version} is too old: use 14 or newer")
    else:
        yield ok("database", f"{version}, as the user {state.user}")
    if state.encoding != "UTF8":
        yield wrong(
            "database",
            f"database_url: the database keeps texts as {state.encoding}, which can't hold all "
            "that people write: make one with ENCODING 'UTF8' and name that",
        )
    yield _check_schema(state)
    if state.bypasses_rls:
        yield warning(
            "isolation",
            f"database_url: the user {state.user} is a superuser or has BYPASSRLS, so the server "
            "does not keep people's rows apart by itself: use a user without these rights",
        )
    off = abs(state.ahead)
    if off > NOTICEABLE:
        way = "ahead of" if state.ahead > 0 else "behind"
        text = f"this machine's is {duration(off)} {way} the server's, by which all workers go"
        yield warning("clock", f"{text}: set it, best by NTP")
    if state.workers:
        leases = "1 lease" if state.lanes == 1 else f"{state.lanes} leases"
        workers = "1 worker runs" if state.workers == 1 else f"{state.workers} workers run"
        yield ok("workers", f"{workers}, with {leases}")
    elif state.layouts:
        yield ok("workers", "none runs")


def _check_schema(state: "ServerState") -> CheckResult:
    if state.is_unfinished:
        return wrong(
            "schema",
            f"database_url: {SCHEMA} is half filled, and no bot starts on it: end it with "
            "`mordecai migrate sqlite-to-postgres`, or drop it with "
            f"`DROP SCHEMA {SCHEMA} CASCADE`",
        )
    # A layout that no setting needed yet is not there.
    known = {each.name: {m.name for m in each.migrations} for each in _layouts_of(state)}
    found = {name: state.layouts[name] for name in known}
    if newer := [
        name
        for name, applied in found.items()
        if not all(fits for each, fits in applied.items() if each not in known[name])
    ]:
        return wrong(
            "schema",
            f"database_url: {SCHEMA} was written by a newer version ({', '.join(newer)}): install "
            "that version or a later one",
        )
    if found and all(known[name] <= found[name].keys() for name in known):
        return ok("schema", f"{SCHEMA} is up to date")
    if not state.may_create:
        from memory.stores.postgres.address import granting

        return wrong(
            "schema",
            f"database_url: the user {state.user} may not make tables: "
            f"{granting(SCHEMA, state.user)}",
        )
    what = "brought up to date" if found else "made"
    return ok("schema", f"{SCHEMA} will be {what} at the next start")


def _layouts_of(state: "ServerState") -> list[Layout]:
    from memory.stores.postgres.leases import LAYOUT as LANES_LAYOUT

    known = (*LAYOUTS, PERSON_LAYOUT, PEOPLE_LAYOUT, LANES_LAYOUT)
    return [layout for layout in known if layout.name in state.layouts]


def _check_rows(unreadable: Mapping[str, int]) -> Iterator[CheckResult]:
    for table, count in unreadable.items():
        rows = "1 row" if count == 1 else f"{count} rows"
        yield warning(
            "rows",
            f"{rows} of the table {SCHEMA}.{table} can't be read: they stay, and everything else "
            "is there. If something is missing, restore a backup beside it (docs/scaling.md)",
        )


def check_inbox(inbox: Look) -> list[CheckResult]:
    """Look into the inbox, also while workers run. Blocks."""

    def read(db: Connection) -> tuple[int, str | None]:
        sql = "SELECT count(*), min(received_at) FROM inbound WHERE body IS NOT NULL"
        found: tuple[int, str | None] = db.execute(sql).fetchone()
        return found

    try:
        waiting = inbox("inbound", "body", read)
    except StoreUnavailable:
        return []  # another check reports what is wrong
    count, since = waiting or (0, None)
    updates = "1 update waits" if count == 1 else f"{count} updates wait"
    if since and datetime.now(UTC) - datetime.fromisoformat(since) > _PATIENCE:
        return [
            warning(
                "inbox",
                f"{updates} for an answer, the oldest since {since[:16]} UTC: start a worker, or "
                "more of them, or look for errors in their logs",
            )
        ]
    return [ok("inbox", f"{updates} for an answer")]
