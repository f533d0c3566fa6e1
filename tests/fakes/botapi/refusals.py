"""How the Bot API says no."""

from typing import Any


class Refused(Exception):
    """An answer that is not ok: status, description and, for some, parameters."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status, self.description, self.parameters = status, description, parameters

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON document of the answer."""
        answer: dict[str, Any] = {
            "ok": False,
            "error_code": self.status,
            "description": self.description,
        }
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(reason: str, **parameters: Any) -> Refused:
    """A 400 with Telegram's prefix."""
    return Refused(400, f"Bad Request: {reason}", **parameters)


def too_many_requests(seconds: int) -> Refused:
    """A 429 as flood control sends it."""
    return Refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)


def forbidden(reason: str) -> Refused:
    """A 403."""
    return Refused(403, f"Forbidden: {reason}")


def conflict(reason: str) -> Refused:
    """A 409: somebody else gets the updates."""
    return Refused(409, f"Conflict: {reason}")
