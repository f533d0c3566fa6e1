"""Everything kept about an actor, in two files: JSON and readable Markdown."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from io import BytesIO, TextIOWrapper
from json import JSONEncoder
from typing import Any

from memory.records import Actor, Choices, Kind, Record, Role
from memory.safety.escaping import one_line

#: What means something in Markdown or in the HTML within it, anywhere in a line.
_MARKS = re.compile(r"([\\`*_\[\]<>&~|$])")
#: What means something at the beginning of a line: headings, rules, lists, numbers of lists.
_OPENING = re.compile(r"^(?=[-+=:#])|^(\d{1,9})(?=[.)](?:\s|$))")
_LISTS = {
    "Facts": Kind.FACT,
    "Preferences": Kind.PREFERENCE,
    "Conversations": Kind.SUMMARY,
}
_NOTHING = "Nothing.\n"
_NUMBERS = ("runs", "requests", "input_tokens", "output_tokens", "cost")


@dataclass(frozen=True, slots=True)
class Export:
    """Everything kept about an actor: JSON for programs, Markdown for people, both UTF-8."""

    json: bytes
    markdown: bytes


def export_of(
    actor: Actor,
    choices: Choices,
    records: list[Record],
    also: Mapping[str, Any],
    now: datetime,
) -> Export:
    """The export of an actor's choices and records, superseded ones and archived messages
    included, and of what `also` is known. Takes seconds for 100,000 messages: call it in a thread.
    Empties `records`, so that their owner frees none of them on the event loop."""
    by_kind: dict[Kind, list[Record]] = {kind: [] for kind in Kind}
    for record in records:
        by_kind[record.kind].append(record)
    records.clear()
    head = {
        "format": "mordecai-export/1",
        "exported_at": now.isoformat(),
        "actor": actor.id,
        "settings": asdict(choices),
    }
    lists = {
        "facts": by_kind[Kind.FACT],
        "preferences": by_kind[Kind.PREFERENCE],
        "summaries": by_kind[Kind.SUMMARY],
        "messages": by_kind[Kind.MESSAGE],
    }
    document = _encode(_json({**head, **lists, **also}))
    return Export(document, _encode(_markdown(actor, choices, by_kind, also, now)))


def _encode(pieces: Iterable[str]) -> bytes:
    """The pieces as UTF-8, one by one: tens of megabytes joined at once would hold up other
    threads."""
    content = BytesIO()
    with TextIOWrapper(content, "utf-8", errors="replace", newline="") as text:
        text.writelines(pieces)
        text.flush()
        return content.getvalue()


def _json(document: Mapping[str, Any]) -> Iterator[str]:
    """A JSON object with a line for each entry of its lists."""
    dump = JSONEncoder(ensure_ascii=False, default=_entry).encode
    before = "{"
    for name, value in document.items():
        yield f"{before}\n  {dump(name)}: "
        before = ","
        if isinstance(value, list) and value:
            for number, entry in enumerate(value):
                yield f"{',' if number else '['}\n    {dump(entry)}"
            yield "\n  ]"
        else:
            yield dump(value)
    yield "\n}\n"


def _entry(record: Record) -> dict[str, Any]:
    return {
        "id": record.short_id,
        "text": record.text,
        "role": record.role.value,
        "speaker": record.speaker.name if record.speaker else None,
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
        **({} if record.kind is Kind.MESSAGE else _details(record)),
    }


def _details(record: Record) -> dict[str, Any]:
    return {
        "evidence": [
            {
                "turn": each.turn_id or None,
                "words": each.words,
                "at": each.at.isoformat() if each.at else None,
            }
            for each in record.evidence
        ],
        "about": list(record.about),
        "recurrence": record.recurrence,
        "true_since": record.true_since,
        "true_until": record.true_until,
        "basis": record.basis.value,
        "reason": record.reason,
    }


def _markdown(
    actor: Actor,
    choices: Choices,
    by_kind: Mapping[Kind, list[Record]],
    also: Mapping[str, Any],
    now: datetime,
) -> Iterator[str]:
    """The export for people. What users wrote is escaped: it can't become a heading, list, link or
    HTML."""
    yield f"# Everything kept about {actor.id}\n\nAs of {_moment(now)}.\n"
    if chosen := {name: value for name, value in asdict(choices).items() if value}:
        lines = (f"- {name.replace('_', ' ')}: {_line(value)}\n" for name, value in chosen.items())
        yield from ("\n## Settings\n\n", *lines)
    for title, kind in _LISTS.items():
        yield f"\n## {title}\n\n"
        yield from map(_item, by_kind[kind]) if by_kind[kind] else [_NOTHING]
    yield "\n## Messages\n"
    yield from _messages(by_kind[Kind.MESSAGE]) if by_kind[Kind.MESSAGE] else ["\n", _NOTHING]
    if usage := also.get("usage"):
        yield f"\n## What it has used\n\n{_table(usage)}\n"
    if shared := also.get("used_in_groups_today"):
        yield f"\nIn groups today: {shared['tokens']} tokens, ${shared['cost']}.\n"


def _item(record: Record) -> str:
    notes = [f"noted {_moment(record.created_at)}"]
    if record.event_date:
        notes.append(f"tells of {_line(record.event_date)}")
    for name, value in (
        ("again", record.recurrence),
        ("true since", record.true_since),
        ("true until", record.true_until),
        ("why", record.reason),
    ):
        if value:
            notes.append(f"{name}: {_line(value)}")
    if record.topics:
        notes.append(f"topics: {_line(', '.join(record.topics))}")
    if record.superseded_at:
        notes.append(f"no longer true since {_moment(record.superseded_at)}")
    item = f"- {_line(record.text)} ({'; '.join(notes)}) \\[{_line(record.short_id)}\\]\n"
    return item + "".join(map(_quote, filter(None, (each.words for each in record.evidence))))


def _quote(words: str) -> str:
    """The evidence of a record, under its line."""
    return f"  - “{_line(words)}”\n"


def _messages(messages: list[Record]) -> Iterator[str]:
    """The messages in their order, under a heading for each session. Empties the list."""
    by_session: defaultdict[str, list[Record]] = defaultdict(list)
    for message in messages:
        by_session[message.session_id or ""].append(message)
    messages.clear()
    for session in [*by_session]:
        # One session after the other is freed: all at once would hold up other threads.
        said = by_session.pop(session)
        yield f"\n### Conversation of {_moment(said[0].created_at)}\n"
        yield from map(_message, said)


def _message(message: Record) -> str:
    unnamed = "You" if message.role is Role.USER else "Assistant"
    speaker = message.speaker.name if message.speaker else unnamed
    heading = f"**{_line(speaker) or '?'}**, {_moment(message.created_at)}:"
    # A quotation that breaks its lines where the message did.
    quotation = "  \n".join(f"> {_line(line)}".rstrip() for line in message.text.splitlines())
    return f"\n{heading}\n\n{quotation}\n"


def _table(usage: Iterable[Mapping[str, Any]]) -> str:
    columns = ("day", "kind", *_NUMBERS)
    head = "| " + " | ".join(name.replace("_", " ") for name in columns) + " |"
    rows = ("| " + " | ".join(_line(str(row[name])) for name in columns) + " |" for row in usage)
    return "\n".join((head, "|---" * len(columns) + "|", *rows))


def _moment(at: datetime) -> str:
    """A moment as people write it, with its offset from UTC."""
    return f"{at:%Y-%m-%d %H:%M}{at:%z}"


def _line(text: str) -> str:
    """Any text on one line that means nothing but itself."""
    escaped = _MARKS.sub(r"\\\1", one_line(text))
    return _OPENING.sub(lambda opening: f"{opening[1] or ''}\\", escaped)
