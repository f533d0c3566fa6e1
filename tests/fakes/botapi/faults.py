"""Things that go wrong on demand."""

from dataclasses import dataclass
from typing import Literal

from tests.fakes.botapi.refusals import Refused, too_many_requests


@dataclass(slots=True)
class Fault:
    """What happens to the next `times` calls of a method (`*` is any), of one chat or of all,
    after `skip` calls that are left alone.

    `retry_after` answers 429; `status` answers with it and `description`, or as a proxy does with
    an HTML `page`. `drop` closes the
    connection without an answer, before the method was carried out or after. `delay` waits this
    many seconds first (after the method was carried out if `drop` is "after"). `late` answers this
    many seconds after the method was carried out."""

    method: str
    times: int = 1
    skip: int = 0
    chat_id: int | None = None
    retry_after: int | None = None
    status: int | None = None
    description: str = "Internal Server Error"
    page: str = ""
    drop: Literal["before", "after"] | None = None
    delay: float = 0
    late: float = 0

    def hits(self, method: str, chat_id: int | None) -> bool:
        """Whether this call is one of those; counts it if so."""
        wanted = self.method in ("*", method) and self.chat_id in (None, chat_id)
        if not wanted or not self.times:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True

    @property
    def refusal(self) -> Refused | None:
        """The answer that replaces the method's own."""
        if self.retry_after is not None:
            return too_many_requests(self.retry_after)
        return Refused(self.status, self.description) if self.status else None
