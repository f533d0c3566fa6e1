"""What happened to a message: the calls that showed it, and what the log tells of its chat."""

from collections.abc import Iterator, Sequence

from tests.benchmarks.killloop.lives import Life
from tests.benchmarks.killloop.words import is_answer, names
from tests.fakes.botapi import BotApiServer, Call

#: How many calls and lines of the log are told.
_MOST = 12


class Traces:
    """Tells what happened."""

    def __init__(self, server: BotApiServer, lives: Sequence[Life]) -> None:
        self._server, self._lives = server, lives

    def of(self, chat: int, name: str) -> str:
        """What happened to the message, command or fact of this name."""
        about = [
            call
            for call in self._server.calls
            if call.chat_id == chat and _is_about(name, str(call.parameters.get("text", "")))
        ]
        shown = {call.message_id for call in about if call.message_id}
        # With what became of the messages that showed it.
        calls = [call for call in self._server.calls if call in about or call.message_id in shown][
            -_MOST:
        ]
        lives = {str(life): life for call in calls if (life := self._life_of(call))}.values()
        lines = [self._line(call) for call in calls]
        for life in lives:
            blows = ", ".join(map(self._since, life.blows))
            lines.append(f"{life} ended at {self._since(life.ended)}, blows at {blows}")
            lines += list(_log_of(life, chat))[-_MOST:]
        return "".join(f"\n    {line}" for line in lines)

    def _line(self, call: Call) -> str:
        text = str(call.parameters.get("text"))
        return (
            f"{self._since(call.at)} {self._life_of(call)} {call.method} -> "
            f"{call.status}{'' if call.done else ' (not carried out)'} message {call.message_id}: "
            f"{text[:30]!r} … {text[-30:]!r}"
        )

    def _life_of(self, call: Call) -> Life | None:
        lives = (life for life in reversed(self._lives) if life.by == call.by)
        return next((life for life in lives if life.began <= call.at), None)

    def _since(self, at: float) -> str:
        return f"{at - self._lives[0].began:.2f} s"


def _is_about(name: str, text: str) -> bool:
    return name in names(text) or is_answer(name, text)


def _log_of(life: Life, chat: int) -> Iterator[str]:
    for line in life.log:
        if str(abs(chat)) in line:
            yield f"log: {line[:400]}"


def first_problems(problems: Sequence[tuple[str, str]], most: int) -> Iterator[str]:
    """At most so many problems of each kind."""
    count: dict[str, int] = {}
    for kind, what in problems:
        count[kind] = count.get(kind, 0) + 1
        if count[kind] <= most:
            yield f"{kind}: {what}"
