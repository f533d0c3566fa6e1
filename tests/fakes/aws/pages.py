"""Pages and the tokens between them."""

import base64
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from tests.fakes.aws.errors import ValidationFailed

Row = TypeVar("Row")


def page(
    rows: Sequence[Row], params: dict[str, Any], most: int, default: int = 20
) -> tuple[list[Row], str | None]:
    """The page that the caller asks for and the token of the next one. A token is good only for
    the request that it came from."""
    size = min(params.get("maxResults") or default, most)
    request = {k: v for k, v in params.items() if k not in ("nextToken", "maxResults")}
    start = _offset(params.get("nextToken"), request)
    end = start + size
    token = _token(end, request) if end < len(rows) else None
    return list(rows[start:end]), token


def _token(offset: int, request: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps([offset, request], default=str).encode()).decode()


def _offset(token: str | None, request: dict[str, Any]) -> int:
    if token is None:
        return 0
    try:
        offset, asked = json.loads(base64.urlsafe_b64decode(token))
    except ValueError as error:
        raise ValidationFailed("nextToken: not a token of ours") from error
    if asked != json.loads(json.dumps(request, default=str)):
        raise ValidationFailed("nextToken: comes from another request")
    return int(offset)
