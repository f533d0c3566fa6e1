"""What a boto3 client sends, counted where it leaves for the socket."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Traffic:
    """Requests and bytes by operation. Bytes are those of HTTP: request line, headers, body."""

    calls: Mapping[str, float] = field(default_factory=dict)
    bytes: float = 0.0

    def per(self, turns: int) -> "Traffic":
        """The share of one turn of so many."""
        return Traffic({name: n / turns for name, n in self.calls.items()}, self.bytes / turns)


class Wire:
    """Counts what the client sends from now on. botocore's retries are requests of their own."""

    def __init__(self, client: Any) -> None:
        self._calls: Counter[str] = Counter()
        self._bytes = 0
        client.meta.events.register("before-send", self._before_send)

    def take(self) -> Traffic:
        """What was sent since the last time."""
        taken = Traffic(dict(sorted(self._calls.items())), self._bytes)
        self._calls, self._bytes = Counter(), 0
        return taken

    def _before_send(self, request: Any, event_name: str, **_: object) -> None:
        self._calls[event_name.rpartition(".")[2]] += 1
        self._bytes += _size(request)


def _size(request: Any) -> int:
    url = urlsplit(request.url)
    target = f"{url.path}?{url.query}" if url.query else url.path
    line = len(f"{request.method} {target} HTTP/1.1\r\n")
    headers = sum(len(name) + len(value) + 4 for name, value in request.headers.items())
    return line + headers + 2 + len(request.body or b"")
