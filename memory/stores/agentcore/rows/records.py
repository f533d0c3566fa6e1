"""Our records in AgentCore's form, and back.

AgentCore knows a text, a namespace and some metadata of ASCII words. It has no notion of a record
that stopped being true, so `superseded_at` is metadata too; and every read sorts such records out.
What AWS's own strategies extract carries no metadata of ours, and comes in texts of their own
(see `wording`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from memory.errors import RefusedText, StoreUnavailable
from memory.knowledge.twins import end_with_twins
from memory.records import Actor, Draft, Kind, Record, Speaker
from memory.stores.agentcore.namespaces import belongs, namespace
from memory.stores.agentcore.rows.packing import MAX_VALUE, pack, unpack
from memory.stores.agentcore.rows.wording import topics, words_for_people
from memory.stores.details import dump_details, load_details

T = TypeVar("T")

#: A record as AWS has it.
AwsRow = dict[str, Any]
#: Rows with their records.
Pairs = list[tuple[AwsRow, Record]]

#: Records of one call, from the service model.
RECORDS_A_CALL = 100


def batches(items: Sequence[T]) -> list[list[T]]:
    """The items in parts that fit into one call."""
    return [list(items[i : i + RECORDS_A_CALL]) for i in range(0, len(items), RECORDS_A_CALL)]


def written_records(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """AWS's rows about the records that were written or deleted."""
    return list(answer.get("successfulRecords") or ())


def failed_records(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """AWS's rows about the other records."""
    return list(answer.get("failedRecords") or ())


def require(answer: Mapping[str, Any]) -> None:
    """Raise StoreUnavailable if a record of a batch failed: the response is 2xx all the same."""
    if not_written := failed_records(answer):
        codes = ", ".join(sorted({str(row.get("errorCode", "?")) for row in not_written}))
        raise StoreUnavailable(
            f"AWS did not write {len(not_written)} of the memories (codes {codes})"
        )


#: Characters of one record, from the service model.
MAX_RECORD_CHARS = 16_000

#: What stands for no value. No encoded text is this.
_BLANK = "="


def create_entry(
    draft: Draft | Record, actor: Actor, number: int, strategies: Mapping[Kind, str]
) -> dict[str, Any]:
    """An entry of BatchCreateMemoryRecords that writes a draft, or again a record which was
    deleted; `number` counts those of one call. Raises RefusedText for a text that is empty or too
    long for AWS."""
    if not draft.text.strip():
        raise RefusedText("there is nothing to remember in an empty text")
    if len(draft.text) > MAX_RECORD_CHARS:
        raise RefusedText(
            f"a memory has at most {MAX_RECORD_CHARS} characters, this one has {len(draft.text)}"
        )
    entry: dict[str, Any] = {
        "requestIdentifier": label(number),
        "namespaces": [namespace(draft.kind, actor, draft.session_id)],
        "content": {"text": draft.text},
        "timestamp": draft.created_at,
        "metadata": _metadata(draft) | _as_metadata({"number": str(number)}),
    }
    if draft.kind in strategies:
        entry["memoryStrategyId"] = strategies[draft.kind]
    return entry


def label(number: int) -> str:
    """How AWS's answer refers to the entry of this number."""
    return f"r{number}"


def writing_order(row: Mapping[str, Any]) -> tuple[datetime, int]:
    """The key that sorts rows as they were written, also those of one commit."""
    number = _values(row).get("number") or ""
    return row["createdAt"], int(number) if number.isdecimal() else 0


def change_entry(row: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """An entry of BatchUpdateMemoryRecords that writes into this row what may change of a record:
    whether it is current, its evidence and other details."""
    entry = update_entry(row)
    # A value can't be empty, and AWS may keep what an update does not mention.
    blanks = dict.fromkeys(("superseded_at", "turns", "details0"), _BLANK)
    entry["metadata"] |= _as_metadata(blanks | _mutable_values(record))
    was_current = _when(_values(row).get("superseded_at")) is None
    begun = entry["timestamp"] if was_current else record.created_at
    return {**entry, "timestamp": record.superseded_at or begun}


def update_entry(row: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of BatchUpdateMemoryRecords that leaves a record as it is in this row."""
    begun = row.get("timestamp") or row["createdAt"]
    # An update gives the record another timestamp, so its beginning is kept elsewhere.
    start = {"created_at": {"stringValue": _moment(begun)}}
    return {
        "memoryRecordId": row["memoryRecordId"],
        "timestamp": begun,
        "metadata": start | dict(row.get("metadata") or {}),
    }


def copy_entry(
    row: Mapping[str, Any], record: Record, to: Actor, number: int, strategies: Mapping[Kind, str]
) -> dict[str, Any]:
    """An entry of BatchCreateMemoryRecords that gives another actor what is in this row."""
    own = {"created_at": {"stringValue": _moment(record.created_at)}}
    entry: dict[str, Any] = {
        "requestIdentifier": label(number),
        "namespaces": [namespace(record.kind, to, record.session_id)],
        "content": {"text": row["content"]["text"]},
        "timestamp": row.get("timestamp") or record.created_at,
        "metadata": own
        | dict(row.get("metadata") or {})
        | {"number": {"stringValue": str(number)}},
    }
    if record.kind in strategies:
        entry["memoryStrategyId"] = strategies[record.kind]
    return entry


def link_entry(row: Mapping[str, Any], record_id: str, old_id: str) -> dict[str, Any]:
    """An entry of BatchUpdateMemoryRecords that has the copy of this row name the copy of what it
    supersedes."""
    entry = update_entry(row)
    entry["metadata"] |= {"supersedes": {"stringValue": old_id}}
    return {**entry, "memoryRecordId": record_id}


def _metadata(draft: Draft | Record) -> dict[str, Any]:
    """What of a record AgentCore has no field for. A value that is too long is left out."""
    values = {
        "created_at": _moment(draft.created_at),
        "importance": str(draft.importance),
        "slot": _encode(draft.slot),
        "session": draft.session_id if draft.kind is not Kind.SUMMARY else None,
        "event_date": _encode(draft.event_date),
        "supersedes": draft.supersedes,
        "topics": _encode("\n".join(_fit(draft.topics, "\n"))),
        "speaker": _encode(draft.speaker.name) if draft.speaker else None,
        "speaker_id": str(draft.speaker.id) if draft.speaker and draft.speaker.id else None,
    }
    return _as_metadata({k: v for k, v in (values | _mutable_values(draft)).items() if v})


def _mutable_values(draft: Draft | Record) -> dict[str, str]:
    """The part of the metadata that an amendment may change."""
    turns = _encode(" ".join(_fit(draft.turn_ids, " ")))
    ended = draft.superseded_at if isinstance(draft, Record) else None
    return {
        **({"turns": turns} if turns else {}),
        **({"superseded_at": _moment(ended)} if ended else {}),
        **pack(dump_details(draft)),
    }


def _as_metadata(values: Mapping[str, str | None]) -> dict[str, Any]:
    return {
        k: {"stringValue": v} for k, v in values.items() if v is not None and len(v) <= MAX_VALUE
    }


def record_of_row(row: Mapping[str, Any], actor: Actor) -> Record | None:
    """The record in a row of any read; None if it is not the actor's own."""
    home = belongs(next(iter(row["namespaces"]), ""), actor)
    return _record_in(row, *home, of_one=not actor.is_group) if home else None


def created_record(draft: Draft, record_id: str, entry: Mapping[str, Any]) -> Record:
    """The record that a draft has become with this entry of BatchCreateMemoryRecords."""
    row = {**entry, "memoryRecordId": record_id, "createdAt": draft.created_at}
    return _record_in(row, draft.kind, draft.session_id)


def changed_record(record: Record, row: Mapping[str, Any], entry: Mapping[str, Any]) -> Record:
    """The record of this row after this entry of BatchUpdateMemoryRecords."""
    changed = _record_in({**row, **entry}, record.kind, record.session_id)
    return replace(changed, text=record.text)


def _record_in(
    row: Mapping[str, Any], kind: Kind, session_id: str | None, *, of_one: bool = False
) -> Record:
    kept, written = _values(row), row["content"]["text"]
    importance = kept.get("importance") or ""
    # AWS says when the words were said, and when it has extracted them.
    said_at = row.get("timestamp") or row["createdAt"]
    created_at = _when(kept.get("created_at")) or said_at.astimezone(UTC)
    # What AWS has extracted is in its own words.
    text = written if importance else words_for_people(kind, written, of_one=of_one)
    turns = (_decode(kept.get("turns")) or "").split() if kept.get("turns") != _BLANK else []
    details = unpack(kept) if importance else {"evidence": [], **unpack(kept)}
    fields = load_details(details, kind, text, created_at, turns)
    more = (each.turn_id for each in fields["evidence"] if each.turn_id not in ("", *turns))
    return Record(
        id=row["memoryRecordId"],
        kind=kind,
        text=text,
        created_at=created_at,
        session_id=session_id or kept.get("session"),
        turn_ids=(*turns, *dict.fromkeys(more)),
        slot=_decode(kept.get("slot")),
        importance=int(importance) if importance.isdecimal() else 5,
        event_date=_decode(kept.get("event_date")),
        supersedes=kept.get("supersedes"),
        superseded_at=_when(kept.get("superseded_at")),
        topics=(topics(written) if kind is Kind.SUMMARY and not importance else ())
        or tuple((_decode(kept.get("topics")) or "").splitlines()),
        speaker=_speaker(kept),
        **fields,
    )


def settle(records: Sequence[Record]) -> list[Record]:
    """The records, given as they were written, oldest first and with at most one current record
    in each slot of each speaker: where the mark of an older one is missing or not visible yet, the
    newer one ends its time. What AWS extracted ends with ours that said it."""
    ordered = end_with_twins(sorted(records, key=lambda r: r.created_at))
    newest = {_slot(r): r for r in ordered if r.slot and r.current}
    return [
        replace(r, superseded_at=newest[_slot(r)].created_at)
        if r.current and r.slot and newest[_slot(r)] is not r
        else r
        for r in ordered
    ]


def _speaker(kept: Mapping[str, str | None]) -> Speaker | None:
    name, id_ = _decode(kept.get("speaker")), kept.get("speaker_id") or ""
    return Speaker(int(id_) if id_.removeprefix("-").isdecimal() else None, name) if name else None


def _slot(record: Record) -> tuple[Kind, str | None, int | str | None]:
    """What only one current record may have."""
    return record.kind, record.slot, record.speaker.key if record.speaker else None


def _values(row: Mapping[str, Any]) -> dict[str, str | None]:
    return {key: value.get("stringValue") for key, value in (row.get("metadata") or {}).items()}


def _fit(parts: Sequence[str], separator: str) -> tuple[str, ...]:
    """As many of the parts, from the first, as one metadata value holds."""
    kept: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if len(_encode(separator.join([*kept, part])) or "") > MAX_VALUE:
            break
        kept.append(part)
    return tuple(kept)


def _encode(value: str | None) -> str | None:
    """Any text in the letters that metadata may have: like a URL, with `=` for `%`."""
    return quote(value, safe=" :@+").replace("~", "%7E").replace("%", "=") if value else None


def _decode(value: str | None) -> str | None:
    return unquote(value.replace("=", "%")) if value else None


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _when(value: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if value else None
    except ValueError:
        return None
