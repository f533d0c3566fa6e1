"""Everything kept about an actor, as a JSON document and as readable Markdown."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory.records import Actor, Choices, Kind, Record, Role
from memory.safety.escaping import one_line

#: What means something in Markdown or in the HTML within it, anywhere in a line.
_MARKS = re.compile(r"([\\`*_\[\]<>&~|$])")
#: What means something at the beginning of a line: headings, rules, lists, numbers of lists.
_OPENING = re.compile(r"^(?=[-+=:#])|^(\d{1,9})(?=[.)](?:\s|$))")
_NUMBERS = ("runs", "requests", "input_tokens", "output_tokens", "cost")


def export_document(
    actor: Actor, choices: Choices, records: Iterable[Record], now: datetime
) -> dict[str, Any]:
    """The export of an actor's choices and records, superseded ones and archived messages
    included."""
    by_kind: defaultdict[Kind, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        by_kind[record.kind].append(_entry(record))
    return {
        "format": "mordecai-export/1",
        "exported_at": now.isoformat(),
        "actor": actor.id,
        "settings": asdict(choices),
        "facts": by_kind[Kind.FACT],
        "preferences": by_kind[Kind.PREFERENCE],
        "summaries": by_kind[Kind.SUMMARY],
        "messages": by_kind[Kind.MESSAGE],
    }


def _entry(record: Record) -> dict[str, Any]:
    return {
        "id": record.short_id,
        "text": record.text,
        "role": record.role.value,
        "speaker": record.speaker,
        "created_at": record.created_at.isoformat(),
        "session": record.session_id,
        "turns": list(record.turn_ids),
        "slot": record.slot,
        "importance": record.importance,
        "topics": list(record.topics),
        "place": asdict(record.place) if record.place else None,
        "event_date": record.event_date,
        "supersedes": record.supersedes,
        "superseded_at": record.superseded_at.isoformat() if record.superseded_at else None,
    }


def export_as_markdown(document: Mapping[str, Any]) -> str:
    """The document in Markdown, for people. What users wrote is escaped: it can't become a heading,
    list, link or HTML."""
    parts = [
        f"# Everything kept about {document['actor']}",
        f"As of {_moment(document['exported_at'])}.",
    ]
    if chosen := {name: value for name, value in document["settings"].items() if value}:
        lines = (f"- {name.replace('_', ' ')}: {_line(value)}" for name, value in chosen.items())
        parts += ["## Settings", "\n".join(lines)]
    for title, kind in (("Facts", "facts"), ("Preferences", "preferences")):
        parts += [f"## {title}", _list(document[kind])]
    parts += ["## Conversations", _list(document["summaries"])]
    parts += ["## Messages", *(_messages(document["messages"]) or ["Nothing."])]
    if usage := document.get("usage"):
        parts += ["## What it has used", _table(usage)]
    if shared := document.get("used_in_groups_today"):
        parts.append(f"In groups today: {shared['tokens']} tokens, ${shared['cost']}.")
    return "\n\n".join(parts) + "\n"


def _list(records: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(map(_item, records)) or "Nothing."


def _item(record: Mapping[str, Any]) -> str:
    notes = [f"noted {_moment(record['created_at'])}"]
    if record["event_date"]:
        notes.append(f"tells of {_line(record['event_date'])}")
    if record["topics"]:
        notes.append(f"topics: {_line(', '.join(record['topics']))}")
    if record["superseded_at"]:
        notes.append(f"no longer true since {_moment(record['superseded_at'])}")
    return f"- {_line(record['text'])} ({'; '.join(notes)}) \\[{_line(record['id'])}\\]"


def _messages(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """The messages in their order, under a heading for each session."""
    by_session: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for message in messages:
        by_session[message["session"] or ""].append(message)
    parts = []
    for said in by_session.values():
        parts.append(f"### Conversation of {_moment(said[0]['created_at'])}")
        parts += map(_message, said)
    return parts


def _message(message: Mapping[str, Any]) -> str:
    speaker = message["speaker"] or ("You" if message["role"] == Role.USER else "Assistant")
    heading = f"**{_line(speaker) or '?'}**, {_moment(message['created_at'])}:"
    # A quotation that breaks its lines where the message did.
    quotation = "  \n".join(f"> {_line(line)}".rstrip() for line in message["text"].splitlines())
    return f"{heading}\n\n{quotation}"


def _table(usage: Iterable[Mapping[str, Any]]) -> str:
    columns = ("day", "kind", *_NUMBERS)
    head = "| " + " | ".join(name.replace("_", " ") for name in columns) + " |"
    rows = ("| " + " | ".join(_line(str(row[name])) for name in columns) + " |" for row in usage)
    return "\n".join((head, "|---" * len(columns) + "|", *rows))


def _moment(at: str) -> str:
    """A moment in ISO as people write it, with its offset from UTC."""
    moment = datetime.fromisoformat(at)
    return f"{moment:%Y-%m-%d %H:%M}{moment:%z}"


def _line(text: str) -> str:
    """Any text on one line that means nothing but itself."""
    escaped = _MARKS.sub(r"\\\1", one_line(text))
    return _OPENING.sub(lambda opening: f"{opening[1] or ''}\\", escaped)
