"""The journal's ended sessions as jobs, and how many there are."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from memory.errors import StoreUnavailable
from memory.ports import Backlog, Job
from memory.stores.journal.rows import NO_LEASE, SESSION, session_of, stamp
from memory.stores.sqlite.database import Database


class SqliteJobs:
    """See memory.ports.Jobs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """Lease the ended sessions whose extraction is due, oldest first and at most `limit`, to
        this holder until then. What is leased already or in quarantine is not among them."""
        # One statement: nobody else comes between looking and taking.
        sql = (
            "UPDATE session SET holder = ?1, leased_until = ?2 WHERE id IN ("
            "SELECT id FROM session WHERE ended_at IS NOT NULL AND set_aside_at IS NULL "
            "AND due_at <= ?3 AND (leased_until IS NULL OR leased_until <= ?3) "
            f"ORDER BY ended_at LIMIT ?4) RETURNING {SESSION}, reason, attempts, ended_at"
        )
        rows = await self._db.rows(sql, holder, stamp(until), stamp(now), limit)
        rows.sort(key=lambda row: row[-1])
        return [Job(session_of(row[:9]), *row[9:11]) for row in rows]

    async def renew(self, session_id: str, holder: str, until: datetime) -> bool:
        """Go on with a lease until then. False if the job is no longer this holder's."""
        changed = await self._db.write(
            "UPDATE session SET leased_until = ? WHERE id = ? AND holder = ?",
            stamp(until),
            session_id,
            holder,
        )
        return changed == 1

    async def release(self, holder: str) -> None:
        """Give all leases of this holder back."""
        await self._db.write(f"UPDATE session SET {NO_LEASE} WHERE holder = ?", holder)

    async def end_leases(self) -> None:
        """End everybody's leases. For whoever knows that nobody else works on this file: what a
        killed process held need not wait for its lease to run out."""
        await self._db.write(f"UPDATE session SET {NO_LEASE} WHERE holder IS NOT NULL")

    async def done(self, session_id: str) -> None:
        """The job is finished: drop the session, its turns and every trace of them. What was not to
        be kept, or names what was to be forgotten, went no further than this."""
        sql = "DELETE FROM session WHERE id = ?"
        await self._db.wipe(lambda db: db.execute(sql, (session_id,)))

    async def retry(self, session_id: str, holder: str, next_at: datetime, error: str) -> bool:
        """The job failed: count the attempt, end the lease and try again not before `next_at`.
        False, and nothing is written, if the job is no longer this holder's."""
        return await self._fail("due_at", session_id, holder, next_at, error)

    async def quarantine(self, session_id: str, holder: str, at: datetime, error: str) -> bool:
        """The job failed for the last time: keep it, and try it no more. False, and nothing is
        written, if the job is no longer this holder's."""
        return await self._fail("set_aside_at", session_id, holder, at, error)

    async def requeue(self, now: datetime) -> int:
        """Make jobs of all that is in quarantine, due now and with no attempts; how many."""
        return await self._db.write(
            "UPDATE session SET set_aside_at = NULL, attempts = 0, due_at = ? "
            "WHERE set_aside_at IS NOT NULL",
            stamp(now),
        )

    async def backlog(self) -> Backlog:
        """What of the ended sessions is not extracted yet."""
        return await self._db.ask(_backlog)

    async def _fail(
        self, column: str, session_id: str, holder: str, at: datetime, error: str
    ) -> bool:
        changed = await self._db.write(
            f"UPDATE session SET attempts = attempts + 1, {column} = ?, error = ?, {NO_LEASE} "
            "WHERE id = ? AND holder = ?",
            stamp(at),
            error,
            session_id,
            holder,
        )
        return changed == 1


def backlog_in(path: Path) -> Backlog | None:
    """The backlog in a journal's file, which may be in use and stays as it is; None if there is no
    such file, or one of another layout. Blocks. Raises StoreUnavailable."""
    if not path.exists():
        return None
    try:
        # Not read-only: that would leave the files of its write-ahead log behind.
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db:
            known = {row[1] for row in db.execute("PRAGMA table_info (session)")}
            return _backlog(db) if "set_aside_at" in known else None
    except sqlite3.Error as failure:
        raise StoreUnavailable(f"{path} can't be read: {failure}") from failure


def _backlog(db: sqlite3.Connection) -> Backlog:
    ended, aside = db.execute(
        "SELECT count(*), count(set_aside_at) FROM session WHERE ended_at IS NOT NULL"
    ).fetchone()
    return Backlog(ended - aside, aside)
