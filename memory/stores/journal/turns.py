"""The journal's turns and running summaries in its database."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory.errors import SessionLost
from memory.journal import SummaryJob
from memory.records import (
    Actor,
    Place,
    Role,
    RunningSummary,
    Shift,
    Speaker,
    ToolUse,
    Turn,
    Utterance,
)
from memory.stores.database import Connection, Database
from memory.stores.journal.sessions import SESSION, session_of
from memory.stores.layout import Row
from memory.stores.values import (
    integer_of,
    integer_or_none,
    stamp,
    text_of,
    text_or_none,
    texts_of,
    time_of,
)

_SUMMARY = "summary.id, session, text, turns, oldest, newest, fallback, base, base_turns"


class SqlSummaries:
    """See memory.journal.Summaries."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, session_id: str) -> list[RunningSummary]:
        sql = (
            f"SELECT {_SUMMARY} FROM running_summary AS summary WHERE session = ? ORDER BY position"
        )
        return await self._db.read(_summary_of, sql, session_id)

    async def fallbacks(
        self, due: datetime | None = None, session_id: str | None = None
    ) -> list[SummaryJob]:
        columns = ", ".join(f"session.{name}" for name in SESSION.split(", "))
        sql = (
            f"SELECT summary.attempts, {columns}, {_SUMMARY} FROM running_summary AS summary "
            "JOIN session ON session.id = summary.session WHERE fallback = 1 AND ended_at IS NULL "
            "AND summary.due_at <= coalesce(?1, summary.due_at) "
            "AND session.id = coalesce(?2, session.id) ORDER BY opened_at, session.id, position"
        )

        def job(row: tuple[Any, ...]) -> SummaryJob:
            return SummaryJob(session_of(row[1:10]), _summary_of(row[10:]), integer_of(row[0]))

        return await self._db.read(job, sql, stamp(due) if due else None, session_id)

    async def complete(self, summary_id: str, text: str) -> bool:
        changed = await self._db.write(
            "UPDATE running_summary SET text = ?, fallback = 0, base = NULL, base_turns = 0 "
            "WHERE id = ? AND fallback = 1",
            text,
            summary_id,
        )
        return changed == 1

    async def retry(self, summary_id: str, next_at: datetime) -> None:
        await self._db.write(
            "UPDATE running_summary SET attempts = attempts + 1, due_at = ? WHERE id = ?",
            stamp(next_at),
            summary_id,
        )


def apply(db: Connection, shift: Shift) -> None:
    """Write down what moves between the tiers, in the transaction under way."""
    db.executemany("UPDATE turn SET evicted = 1 WHERE id = ?", [(id_,) for id_ in shift.evicted])
    for summary in shift.additions:
        db.execute(
            "INSERT INTO running_summary (id, session, position, turns, oldest, newest, fallback, "
            "base, base_turns, text) "
            "SELECT ?, ?, position, ?, ?, ?, ?, ?, ?, ? FROM turn WHERE id = ?",
            (
                summary.id,
                summary.session_id,
                json.dumps(summary.turn_ids),
                stamp(summary.oldest),
                stamp(summary.newest),
                summary.fallback,
                summary.base,
                summary.base_turns,
                summary.text,
                summary.turn_ids[0],
            ),
        )
    dropped = [(id_,) for id_ in shift.removals]
    db.executemany("DELETE FROM running_summary WHERE id = ?", dropped)


def make_room(db: Connection, session_id: str, position: int) -> None:
    """Move the session's turns from this position on by one, with the summaries that begin there,
    in the transaction under way."""
    here = (session_id, position)
    # By way of negative numbers: no two turns may have the same position for a moment.
    db.execute("UPDATE turn SET position = -1 - position WHERE session = ? AND position >= ?", here)
    db.execute("UPDATE turn SET position = -position WHERE session = ? AND position < 0", here[:1])
    db.execute(
        "UPDATE running_summary SET position = position + 1 WHERE session = ? AND position >= ?",
        here,
    )


def _summary_of(row: tuple[Any, ...]) -> RunningSummary:
    id_, session_id, text, turns, oldest, newest, fallback, base, base_turns = row
    return RunningSummary(
        text_of(id_),
        text_of(session_id),
        text_of(text),
        texts_of(json.loads(turns)),
        time_of(oldest),
        time_of(newest),
        fallback=bool(fallback),
        base=text_or_none(base),
        base_turns=integer_of(base_turns),
    )


def read_summary(row: Row) -> Row:
    """See Layout."""
    names = _SUMMARY.replace("summary.", "").split(", ")
    _summary_of(tuple(row[name] for name in names))
    text_of(row["due_at"])
    return {**row, "attempts": integer_of(row["attempts"]), "position": integer_of(row["position"])}


_TURN = (
    "SELECT turn.id, session, body, channel, chat, topic FROM turn "
    "JOIN session ON session.id = session"
)


#: The session's row is what keeps the turn from being added to one that is gone.
_APPEND = """INSERT INTO turn (session, position, id, body)
    SELECT id, 1 + coalesce((SELECT max(position) FROM turn WHERE session = ?1), 0), ?2, ?3
    FROM session WHERE id = ?1 ON CONFLICT (id) DO NOTHING"""


class SqlTurns:
    """See memory.journal.Turns."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, session_id: str) -> list[Turn]:
        sql = f"{_TURN} WHERE session = ? ORDER BY position"
        return await self._db.read(_turn_of, sql, session_id)

    async def get(self, turn_id: str) -> Turn | None:
        found = await self._db.read(_turn_of, f"{_TURN} WHERE turn.id = ?", turn_id)
        return found[0] if found else None

    async def append(
        self,
        session_id: str,
        turn: Turn,
        shift: Shift | None = None,
        replaces: Sequence[Turn] = (),
    ) -> bool:
        body = _dump(turn)
        growth = len(turn.messages) - sum(len(each.messages) for each in replaces)

        def work(db: Connection) -> bool:
            db.executemany("DELETE FROM turn WHERE id = ?", [(each.id,) for each in replaces])
            added = db.execute(_APPEND, (session_id, turn.id, body))
            if not added.rowcount:
                if db.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).fetchone():
                    return False
                raise SessionLost(f"session {session_id} is not in the journal")
            db.execute(
                "UPDATE session SET last_at = ?, message_count = message_count + ? WHERE id = ?",
                (stamp(turn.messages[-1].at), growth, session_id),
            )
            if shift:
                apply(db, shift)
            return True

        return await self._db.change(work)

    async def rewrite(self, *turns: Turn) -> None:
        rows = [(_dump(turn), turn.id) for turn in turns]
        sql = "UPDATE turn SET body = ? WHERE id = ?"
        await self._db.wipe(lambda db: db.executemany(sql, rows))

    async def evicted_ids(self, session_id: str) -> list[str]:
        sql = "SELECT id FROM turn WHERE session = ? AND evicted = 1 ORDER BY position"
        return await self._db.read(lambda row: text_of(row[0]), sql, session_id)

    async def shift(self, shift: Shift) -> None:
        await self._db.change(lambda db: apply(db, shift))

    async def delete(self, turn_ids: Sequence[str], shifts: Sequence[Shift] = ()) -> None:

        def work(db: Connection) -> None:
            for shift in shifts:
                apply(db, shift)
            db.executemany("DELETE FROM turn WHERE id = ?", [(id_,) for id_ in turn_ids])

        await self._db.wipe(work)

    async def restore(self, actor: Actor, turns: Sequence[Turn]) -> list[str]:

        def work(db: Connection) -> list[str]:
            return [turn.id for turn in turns if _restore(db, actor, turn)]

        return await self._db.change(work)


def _restore(db: Connection, actor: Actor, turn: Turn) -> bool:
    """Put a turn that was deleted back into its session and its window, in the transaction under
    way: before what was said after it. False if it is there, or the session is not."""
    own = "SELECT 1 FROM session WHERE id = ? AND actor = ?"
    there = "SELECT 1 FROM turn WHERE id = ?"
    if not db.execute(own, (turn.session_id, actor.id)).fetchone():
        return False
    if db.execute(there, (turn.id,)).fetchone():
        return False
    rows = db.execute(
        "SELECT position, body FROM turn WHERE session = ? ORDER BY position", (turn.session_id,)
    ).fetchall()
    later = [position for position, body in rows if _said_at(body) > turn.messages[0].at]
    position = later[0] if later else max((p for p, _ in rows), default=0) + 1
    make_room(db, turn.session_id, position)
    db.execute(
        "INSERT INTO turn (session, position, id, body) VALUES (?, ?, ?, ?)",
        (turn.session_id, position, turn.id, _dump(turn)),
    )
    return True


def _said_at(body: str) -> datetime:
    """When a turn began. Raises ValueError, TypeError, LookupError."""
    return time_of(json.loads(body)["messages"][0]["at"])


def _dump(turn: Turn) -> str:
    """What the journal keeps of a turn."""
    messages = [{**asdict(m), "at": m.at.isoformat()} for m in turn.messages]
    tools = [asdict(tool) for tool in turn.tools]
    document = {"messages": messages, "tools": tools, "kept": turn.kept}
    if turn.interrupted:
        document["interrupted"] = turn.interrupted
    return json.dumps(document, ensure_ascii=False)


def _speaker(kept: str | dict[str, Any] | None) -> Speaker | None:
    """Who spoke; of turns from before there were ids, the name alone is kept."""
    if kept is None:
        return None
    if isinstance(kept, str):
        return Speaker(None, kept)
    return Speaker(integer_or_none(kept["id"]), text_of(kept["name"]))


def _turn_of(row: tuple[Any, ...]) -> Turn:
    """The turn again, said in its session's place. Raises ValueError, TypeError, LookupError."""
    id_, session_id, body, channel, chat, topic = row
    document = json.loads(body)
    messages = tuple(
        Utterance(Role(m["role"]), text_of(m["text"]), time_of(m["at"]), _speaker(m["speaker"]))
        for m in document["messages"]
    )
    if not messages:
        raise ValueError("a turn in which nobody says anything")
    tools = tuple(ToolUse(**tool) for tool in document["tools"])
    for tool in tools:
        texts_of([tool.name, tool.arguments, tool.result])
    place = Place(channel, chat, topic)
    return Turn(
        text_of(id_),
        text_of(session_id),
        messages,
        tools,
        bool(document.get("kept", True)),
        place,
        text_of(document.get("interrupted", "")),
    )


def read_turn(row: Row) -> Row:
    """See Layout."""
    _turn_of((row["id"], row["session"], row["body"], "", 0, None))
    # Nobody sees the difference; a turn that went to a summary would only be told twice.
    return {
        **row,
        "position": integer_of(row["position"]),
        "evicted": int(bool(row.get("evicted"))),
    }
