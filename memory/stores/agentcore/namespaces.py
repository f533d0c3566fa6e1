"""Where AgentCore keeps whose records: the namespaces, and whose record is in one."""

import re
from typing import Any

from memory.records import Actor, Kind

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def namespace(kind: Kind, actor: Actor, session_id: str | None = None) -> str:
    """The namespace a record lives in, with leading and trailing slash.

    The trailing slash is a safety matter: where a store matches namespaces as string prefixes,
    `/facts/u1` would also match `/facts/u12/…`. Raises ValueError for a kind that has none, or a
    summary without its session."""
    match kind:
        case Kind.FACT:
            path = f"/facts/{actor.id}/"
        case Kind.PREFERENCE:
            path = f"/preferences/{actor.id}/"
        case Kind.SUMMARY:
            if not session_id or not _SESSION_ID.fullmatch(session_id):
                raise ValueError(f"a summary needs its session's id, got {session_id!r}")
            path = f"/summaries/{actor.id}/{session_id}/"
        case Kind.MESSAGE:
            raise ValueError("archived messages have no namespace of records")
    return path


def summaries_path(actor: Actor) -> str:
    """The path above the namespaces of all sessions' summaries, with its trailing slash."""
    return namespace(Kind.SUMMARY, actor, "s").removesuffix("s/")


def home(kind: Kind, actor: Actor) -> dict[str, Any]:
    """Where to read records of a kind. Summaries have a namespace for each session, so they are
    read by the path above; all else by the namespace itself."""
    if kind is Kind.SUMMARY:
        return {"namespacePath": summaries_path(actor)}
    return {"namespace": namespace(kind, actor)}


def known_actor(id_: str) -> Actor | None:
    """The actor of this id; None for one that another program keeps in the same memory."""
    try:
        return Actor(id_)
    except ValueError:
        return None


def belongs(found: str, actor: Actor) -> tuple[Kind, str | None] | None:
    """The kind of a record in this namespace, and its session for a summary; None unless the
    namespace is exactly one of the actor's own. This is what keeps people apart, whatever the
    service thinks a namespace matches."""
    for kind in (Kind.FACT, Kind.PREFERENCE):
        if found == namespace(kind, actor):
            return kind, None
    session = found.removeprefix(summaries_path(actor)).removesuffix("/")
    if not _SESSION_ID.fullmatch(session):
        return None
    return (Kind.SUMMARY, session) if found == namespace(Kind.SUMMARY, actor, session) else None
