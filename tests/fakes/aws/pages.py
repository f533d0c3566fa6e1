"""Pages and the tokens between them."""

import base64
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from tests.fakes.aws.errors import ValidationFailed

Row = TypeVar("Row")


def page(
    rows: Sequence[Row],
    params: dict[str, Any],
    most: int,
    default: int = 20,
    *,
    thin: bool = False,
) -> tuple[list[Row], str | None]:
    """The page that the caller asks for and the token of the next one. A token is good only for
    the request that it came from. With `thin` the first page is empty and the second half full,
    though more follows; AWS's calls promise no more of a token than that there may be more."""
    size = min(params.get("maxResults") or default, most)
    request = {k: v for k, v in params.items() if k not in ("nextToken", "maxResults")}
    start, number = _place(params.get("nextToken"), request)
    if thin and number < 2:
        size = number * (size + 1) // 2
    end = start + size
    more = end < len(rows) or (thin and number == 0)
    token = _token(end, number + 1, request) if more else None
    return list(rows[start:end]), token


def _token(offset: int, number: int, request: dict[str, Any]) -> str:
    place = json.dumps([offset, number, request], default=str)
    return base64.urlsafe_b64encode(place.encode()).decode()


def _place(token: str | None, request: dict[str, Any]) -> tuple[int, int]:
    """The first row of the page of this token, and the page's number from 0."""
    if token is None:
        return 0, 0
    try:
        offset, number, asked = json.loads(base64.urlsafe_b64decode(token))
    except ValueError as error:
        raise ValidationFailed("nextToken: not a token of ours") from error
    if asked != json.loads(json.dumps(request, default=str)):
        raise ValidationFailed("nextToken: comes from another request")
    return int(offset), int(number)
