"""The binary frames in which AWS streams: https://smithy.io/2.0/aws/amazon-eventstream.html"""

import json
import zlib
from typing import Any


def event(kind: str, content: dict[str, Any]) -> bytes:
    """An ordinary event."""
    return _frame({":message-type": "event", ":event-type": kind}, content)


def exception(kind: str, message: str) -> bytes:
    """An error in the middle of a stream that began well."""
    headers = {":message-type": "exception", ":exception-type": kind}
    return _frame(headers, {"message": message})


def _frame(headers: dict[str, str], content: dict[str, Any]) -> bytes:
    named = {**headers, ":content-type": "application/json"}
    head = b"".join(_header(name, value) for name, value in named.items())
    body = json.dumps(content, ensure_ascii=False).encode()
    prelude = _number(len(head) + len(body) + 16) + _number(len(head))
    message = prelude + _number(zlib.crc32(prelude)) + head + body
    return message + _number(zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    string = b"\x07"  # the type of a value that is text
    raw = value.encode()
    return bytes([len(name)]) + name.encode() + string + len(raw).to_bytes(2, "big") + raw


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")
