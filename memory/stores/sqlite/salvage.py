"""What can still be read of a SQLite file, row by row, in a new file.

A row that can't be understood is quarantined: it goes, byte for byte, into the table `unreadable`
of the new file. Rows that are gone come from the newest copy of the file."""

import json
import math
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog

from memory.stores.files import (
    connect_existing,
    copies_of,
    counterparts,
    parts_of,
    put_in_place,
    set_aside_name,
    sync_directory,
)
from memory.stores.layout import Layout, Reader, Row
from memory.stores.sqlite.migrations import (
    check,
    may_be_unreadable,
    migrate,
    tables_with_rows,
    transaction,
)

_log = structlog.get_logger(__name__)

#: `owner` is the actor if that can be told, `body` the row as JSON; bytes that are no text are hex.
_QUARANTINE = """CREATE TABLE IF NOT EXISTS unreadable (
    source TEXT NOT NULL, id TEXT NOT NULL, owner TEXT, found_at TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (source, body)
)"""
#: Rows that are skipped one by one behind a damaged place, before the steps grow.
_SMALL_STEPS, _STEPS = 100, 130
#: Rows with these are logged one by one.
_LOGGED = 20


_INFINITE = (math.inf, -math.inf)
#: What reading raises; of a damage that SQLite quotes, Python can't even make its own error.
_FAILURES = (sqlite3.DatabaseError, UnicodeDecodeError)


class Garbled(bytes):
    """A text that is no UTF-8."""


def find_unreadable(path: Path, layout: Layout) -> bool:
    """True if the file is damaged, emptied or gone, or a row can't be read. Blocks."""
    if is_lost(path):
        return True
    with closing(_open(path)) as connection:
        if _is_damaged(connection) or not _agrees(connection, layout):
            return True
        with suppress(*_FAILURES):
            return any(
                _read(row, layout.readers.get(table)) != row
                for table in tables_with_rows(connection)
                for row in _rows(connection, table)
            )
        return True


def can_mend(path: Path, layout: Layout, error: Exception, *, again: bool = False) -> bool:
    """True if what stands in the file may be the reason for the error. What SQLite alone can't
    read, such as an index, is made new with everything else, but not `again`."""
    if not may_be_unreadable(error):
        return False
    of_sqlite = isinstance(error, sqlite3.Error | UnicodeError)
    return find_unreadable(path, layout) or (of_sqlite and not again)


def begin(path: Path, layout: Layout) -> None:
    """Make a new file in one step, for this user alone: one without a header was emptied."""
    draft = path.with_name(f"{path.name}.new-{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {layout.page_size}")
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        # Another process may have been faster.
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
    sync_directory(path.parent)


def is_lost(path: Path) -> bool:
    """True if there is no file though there was one, or if it was emptied: what we make has a
    header from the beginning."""
    if path.exists():
        return path.stat().st_size == 0 and len(list(parts_of(path))) == 1
    return bool(copies_of(path))


def salvage(path: Path, layout: Layout, error: Exception | str) -> None:
    """Replace the file, which nobody has open, by a new one with all its rows that can be read, and
    those that only its newest copy has. A damaged file is set aside, whole."""
    source, target = (path.with_name(f"{path.name}.{end}") for end in ("source", "new"))
    _remove(source, target)
    for part, name in counterparts(path, source):
        shutil.copy2(part, name)
    try:
        damaged = is_lost(path) or _is_damaged_file(source)
        counts = _fill(target, layout, _sources(source, copies_of(path)), damaged=damaged)
        kept = _replace(path, source, target, aside=damaged)
    finally:
        _remove(source, target)
    remedy = "`mordecai doctor` names what is left to do"
    if damaged:
        _log.error(
            "database_damaged",
            file=str(path),
            kept_as=kept and str(kept),
            error=str(error),
            salvaged=counts,
            effect="what could be read is in a new file",
            remedy=remedy,
        )


def count_quarantined(path: Path) -> int:
    """How many rows of this file are in quarantine. Blocks."""
    with closing(_open(path)) as connection:
        if "unreadable" not in tables_with_rows(connection):
            return 0
        return int(connection.execute("SELECT count(*) FROM unreadable").fetchone()[0])


def delete_quarantined(connection: sqlite3.Connection, owner: str) -> None:
    """Delete what is quarantined of this actor, or of an unknown owner, in the transaction under
    way."""
    there = "SELECT 1 FROM sqlite_master WHERE name = 'unreadable'"
    if connection.execute(there).fetchone():
        connection.execute("DELETE FROM unreadable WHERE owner IS NULL OR owner = ?", (owner,))


def _sources(source: Path, copies: Sequence[Path]) -> Iterator[Path]:
    """Where rows may be, the best first: the file; if its first page is gone, which says where all
    others belong, with that of the newest copy; the copy itself."""
    if source.exists():
        yield source
        if copies and _is_damaged_file(source):
            _mend_first_page(source, copies[-1])
            yield source
    yield from copies[-1:]


def _mend_first_page(path: Path, copy: Path) -> None:
    with copy.open("rb") as stream:
        header = bytearray(stream.read(65_536))
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    page, rest = header[:size], path.read_bytes()[size:]
    # As many pages as there are, and none of them free.
    page[28:32] = ((size + len(rest)) // size).to_bytes(4, "big")
    page[32:40] = bytes(8)
    page[92:96] = page[24:28]
    path.write_bytes(bytes(page) + rest)


def _fill(
    target: Path, layout: Layout, sources: Iterator[Path], *, damaged: bool
) -> dict[str, int]:
    """Make the new file. Returns how many rows of each table it got."""
    counts: dict[str, int] = {}
    target.touch(mode=0o600)
    with closing(sqlite3.connect(target, isolation_level=None)) as new:
        new.execute(f"PRAGMA page_size = {layout.page_size}")
        new.execute("PRAGMA foreign_keys = ON")
        # The whole file is synced before it takes its place.
        new.execute("PRAGMA synchronous = OFF")
        migrate(new, target, layout.migrations)
        with transaction(new):
            new.execute(_QUARANTINE)
            for source in sources:
                with suppress(*_FAILURES), closing(_open(source)) as old:
                    there = set(tables_with_rows(old))
                    for table in tables_with_rows(new):
                        if table in there and table not in layout.made:
                            before = new.total_changes
                            _copy(old, new, table, layout.readers.get(table))
                            counts[table] = counts.get(table, 0) + new.total_changes - before
            layout.finish(new, damaged=damaged)
    return {table: count for table, count in counts.items() if count}


def _copy(
    old: sqlite3.Connection, new: sqlite3.Connection, table: str, read: Reader | None
) -> None:
    columns = new.execute(f"PRAGMA table_info ({table})").fetchall()
    required = [row[1] for row in columns if row[3] and row[4] is None]
    told = 0

    def tell(event: str, row: Row, effect: str) -> None:
        nonlocal told
        told += 1
        if told <= _LOGGED:
            _log.error(event, table=table, id=_id_of(row), effect=effect)

    names = [row[1] for row in columns]
    for found in _rows(old, table):
        # The damage may be in the name of a column.
        row = dict(zip(names, found.values(), strict=True)) if len(found) == len(names) else found
        good = _read(row, read)
        if good is not None and all(good.get(name) is not None for name in required):
            if good != row:
                tell("row_repaired", row, "nothing of it is missing")
            marks = ", ".join("?" * len(good))
            sql = f"INSERT OR IGNORE INTO {table} ({', '.join(good)}) VALUES ({marks})"
            # Most rows are in both sources.
            with suppress(sqlite3.IntegrityError):
                new.execute(sql, tuple(good.values()))
                continue
        tell("row_unreadable", row, "it is set aside, and all others are there")
        new.execute(
            "INSERT OR IGNORE INTO unreadable VALUES (?, ?, ?, ?, ?)",
            (table, _id_of(row), _owner_of(row, new), datetime.now(UTC).isoformat(), _dump(row)),
        )


def _replace(path: Path, source: Path, target: Path, *, aside: bool) -> Path | None:
    """Put the new file into the place of the old one, which is kept if it goes `aside`. Returns its
    new name."""
    kept = None
    if aside and source.exists():
        # What was copied at the beginning, as it was: reading may have changed the other.
        kept = set_aside_name(path, "damaged")
        for part, name in counterparts(path, kept):
            part.replace(name)
    for part in list(parts_of(path)):
        # A log that was left over would be taken for the new file's.
        if part != path:
            part.unlink()
    put_in_place(target, path)
    return kept


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """All rows that can be reached; around a damaged place some come twice."""
    info = connection.execute(f"PRAGMA table_info ({table})").fetchall()
    names = [row[1] for row in info]
    keys = [row[1] for row in sorted(info, key=lambda row: int(row[5])) if row[5]]
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        for direction in ("ASC", "DESC"):
            order = ", ".join(f"{key} {direction}" for key in keys)
            with suppress(*_FAILURES):
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}"):
                    yield dict(zip(names, row, strict=True))
                return
        return
    sql = f"SELECT rowid, * FROM {table} NOT INDEXED WHERE rowid > ? ORDER BY rowid"
    at, failed = -(2**62), 0
    while failed < _STEPS:
        try:
            for found in connection.execute(sql, (at,)):
                at, failed = found[0], 0
                yield dict(zip(names, found[1:], strict=True))
        except _FAILURES:
            failed += 1
            at = max(at, 0) + 2 ** max(0, failed - _SMALL_STEPS)
        else:
            return


def _read(row: Row, read: Reader | None) -> Row | None:
    """The row as it has to be; None if it can't be read."""
    # Nothing we write is infinite, and SQLite makes `Inf` of it, which is no JSON.
    row = {name: None if value in _INFINITE else value for name, value in row.items()}
    try:
        good = read(row) if read else row
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError):
        return None
    return None if any(isinstance(value, Garbled) for value in good.values()) else good


def _open(path: Path) -> sqlite3.Connection:
    connection = connect_existing(path)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str | Garbled:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Garbled(data)


def _agrees(connection: sqlite3.Connection, layout: Layout) -> bool:
    try:
        return bool(connection.execute(layout.agree).fetchone()[0])
    except _FAILURES:
        return False


def _is_damaged(connection: sqlite3.Connection) -> bool:
    try:
        check(connection)
    except _FAILURES:
        return True
    return False


def _is_damaged_file(path: Path) -> bool:
    with closing(_open(path)) as connection:
        return _is_damaged(connection)


def _id_of(row: Row) -> str:
    found = next((row[name] for name in ("id", "update_id", "name") if name in row), None)
    found = next(iter(row.values())) if found is None else found
    return str(found)[:60] if isinstance(found, str | int) else "?"


def _owner_of(row: Row, new: sqlite3.Connection) -> str | None:
    """Whose the row is, if that can be told."""
    owner = row.get("actor")
    if owner is None and isinstance(row.get("session"), str):
        with suppress(sqlite3.Error):
            sql = (
                "SELECT actor FROM session WHERE id = ?1 "
                "UNION SELECT owner FROM unreadable WHERE source = 'session' AND id = ?1"
            )
            owner = (new.execute(sql, (row["session"],)).fetchone() or (None,))[0]
    return owner if isinstance(owner, str) else None


def _dump(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, default=lambda value: {"hex": bytes(value).hex()})


def _remove(*paths: Path) -> None:
    for path in paths:
        for part in list(parts_of(path)):
            part.unlink()
