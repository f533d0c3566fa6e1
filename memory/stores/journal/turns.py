"""A turn as a row of the journal, and back."""

import json
import sqlite3
from dataclasses import asdict
from datetime import datetime

from memory.records import Actor, Place, Role, ToolUse, Turn, Utterance
from memory.stores.journal.tiers import make_room


def put_back(db: sqlite3.Connection, actor: Actor, turn: Turn) -> bool:
    """Put a turn that was deleted back into its session and its window, in the transaction under
    way: before what was said after it. False if it is there, or the session is not."""
    own = "SELECT 1 FROM session WHERE id = ? AND actor = ?"
    there = "SELECT 1 FROM turn WHERE id = ?"
    if not db.execute(own, (turn.session_id, actor.id)).fetchone():
        return False
    if db.execute(there, (turn.id,)).fetchone():
        return False
    rows = db.execute(
        "SELECT position, json_extract(body, '$.messages[0].at') FROM turn WHERE session = ? "
        "ORDER BY position",
        (turn.session_id,),
    ).fetchall()
    later = [p for p, at in rows if datetime.fromisoformat(at) > turn.messages[0].at]
    position = later[0] if later else max((p for p, _ in rows), default=0) + 1
    make_room(db, turn.session_id, position)
    db.execute(
        "INSERT INTO turn (session, position, id, body) VALUES (?, ?, ?, ?)",
        (turn.session_id, position, turn.id, dump(turn)),
    )
    return True


def dump(turn: Turn) -> str:
    """What the journal keeps of a turn."""
    messages = [{**asdict(m), "at": m.at.isoformat()} for m in turn.messages]
    tools = [asdict(tool) for tool in turn.tools]
    document = {"messages": messages, "tools": tools, "kept": turn.kept}
    return json.dumps(document, ensure_ascii=False)


def load(id_: str, session_id: str, body: str, channel: str, chat: int, topic: int | None) -> Turn:
    """The turn again, said in its session's place."""
    document = json.loads(body)
    messages = tuple(
        Utterance(Role(m["role"]), m["text"], datetime.fromisoformat(m["at"]), m["speaker"])
        for m in document["messages"]
    )
    tools = tuple(ToolUse(**tool) for tool in document["tools"])
    place = Place(channel, chat, topic)
    return Turn(id_, session_id, messages, tools, document.get("kept", True), place)
