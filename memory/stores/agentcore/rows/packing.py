"""A record's details (see memory.stores.details) as compressed JSON in a few metadata values.

If they have no room there, they lose in this order: most of the words of evidence; all of them, so
that the turn stands for them; the ends of names and reasons; the oldest evidence."""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

#: Characters of one metadata value, from the service model.
MAX_VALUE = 256

#: How many metadata values hold a record's details. With the others that makes 18 of the 20 that
#: the service model allows.
_VALUES = 6

#: Maximum characters of one piece of evidence: in the first attempt to fit, in the second, and so
#: on. Then maximum characters of other texts, and maximum number of names.
_WORDS = (400, 200, 100, 50, 0)
_TEXT = 60
_NAMES = 5


def pack(details: Mapping[str, Any]) -> dict[str, str]:
    """The metadata of these details, shortened until they fit."""
    if not details:
        return {}
    for shorter in _versions(details):
        # The number of values first: an update may leave later ones of before.
        plain = json.dumps(shorter, ensure_ascii=False, separators=(",", ":")).encode()
        packed = base64.b64encode(zlib.compress(plain, 9)).decode()
        parts = [packed[at : at + MAX_VALUE - 2] for at in range(0, len(packed), MAX_VALUE - 2)]
        if len(parts) <= _VALUES:
            parts[0] = f"{len(parts)}:{parts[0]}"
            return {f"details{number}": part for number, part in enumerate(parts)}
    return {}


def unpack(metadata: Mapping[str, str | None]) -> dict[str, Any]:
    """The details in the metadata of a record; none if they can't be read."""
    count, _, packed = (metadata.get("details0") or "").partition(":")
    if not count.isdecimal():
        return {}
    packed += "".join(metadata.get(f"details{number}") or "" for number in range(1, int(count)))
    try:
        details: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    except (ValueError, zlib.error):
        return {}
    return details


def _versions(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The details, then ever shorter versions of them."""
    yield details
    evidence = details.get("evidence", [])
    for length in _WORDS:
        details = {**details, "evidence": [[id_, w[:length], at] for id_, w, at in evidence]}
        yield details
    evidence = details["evidence"]
    details = {k: v[:_TEXT] if isinstance(v, str) else v for k, v in details.items()}
    details |= {"about": [name[:_TEXT] for name in details.get("about", [])[:_NAMES]]}
    for left in range(len(evidence), -1, -1):
        yield {**details, "evidence": evidence[len(evidence) - left :]}
