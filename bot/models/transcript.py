"""Conversations as text for models: data, escaped and cut. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby

from memory.records import Role, Speaker, Turn, Utterance, own_words
from memory.safety.escaping import escape

#: Maximum characters of a whole transcript and of one message. A session has at most some thirty
#: messages; a pasted document tells little about the user.
MAX_TRANSCRIPT = 24_000
MAX_MESSAGE = 2_000
MIN_MESSAGE = 200


class Transcript:
    """A session line by line. The lines of a turn carry its number, counted from 1. A heading names
    each new day, in `zone` or else in that of the messages. Lines that the user quoted are marked.
    If several people speak, each has a number, whatever their names."""

    def __init__(
        self, turns: Sequence[Turn], zone: tzinfo | None = None, longest_reply: int = MAX_MESSAGE
    ) -> None:
        """Replies of the assistant are cut to `longest_reply` characters."""
        self._turns, self._zone = turns, zone
        count = sum(len(turn.messages) for turn in turns)
        longest = max(MIN_MESSAGE, min(MAX_MESSAGE, MAX_TRANSCRIPT // max(1, count)))
        self._longest = {Role.USER: longest, Role.ASSISTANT: min(longest, longest_reply)}
        self._speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))

    def __str__(self) -> str:
        """The whole session."""
        return self.excerpt(
            (number, message)
            for number, turn in enumerate(self._turns, 1)
            for message in turn.messages
        )

    def excerpt(self, messages: Iterable[tuple[int, Utterance]]) -> str:
        """These messages, each with the number of its turn."""
        lines, day = list[str](), None
        for number, message in messages:
            said = [f"[{number}] {line}" for line in self._lines(message)]
            if said and self.day(message.at) != day:
                day = self.day(message.at)
                lines.append(f"({day_name(day)})")
            lines += said
        return block("conversation", lines)

    def speaker(self, who: Speaker | None) -> str:
        """The label before the lines of a user."""
        if not who:
            return "USER"
        if who not in self._speakers:
            self._speakers.append(who)
        return f"USER {self._speakers.index(who) + 1} ({escape(who.name)})"

    def day(self, at: datetime) -> date:
        """The day of this moment."""
        return (at.astimezone(self._zone) if self._zone else at).date()

    def _lines(self, message: Utterance) -> Iterator[str]:
        """A message as a line, or several if parts of it are quoted."""
        longest = self._longest[message.role]
        if message.role is Role.ASSISTANT:
            if text := _shorten(escape(message.text), longest):
                yield f"ASSISTANT: {text}"
            return
        speaker = self.speaker(message.speaker)
        for quoted, lines in groupby(message.text.split("\n"), key=_is_quoted):
            text = "\n".join(line.lstrip().lstrip("> ") if quoted else line for line in lines)
            if said := _shorten(escape(text), longest):
                yield f"{'QUOTED by ' if quoted else ''}{speaker}: {said}"


def transcript(turns: Sequence[Turn]) -> str:
    """The turns, numbered from 1 and dated; long messages are cut."""
    return str(Transcript(turns))


def calendar(day: date) -> str:
    """The weeks around a day, so that a model looks "next friday" up instead of counting."""
    monday = day - timedelta(days=day.weekday())
    weeks = {"last week": -1, "this week": 0, "next week": 1, "the week after": 2}
    lines = [
        f"{name}: {_days_of(monday + timedelta(weeks=number))}" for name, number in weeks.items()
    ]
    return block("calendar", [f"the last day of the conversation: {day_name(day)}", *lines])


def day_name(day: date) -> str:
    """A day with its weekday."""
    return f"{day:%A} {day.isoformat()}"


def block(tag: str, lines: Sequence[str]) -> str:
    """Lines, already escaped, between tags."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>", ""))


def _days_of(monday: date) -> str:
    days = (monday + timedelta(days=number) for number in range(7))
    return ", ".join(
        f"{day:%a} {day.isoformat()[5:] if n else day.isoformat()}" for n, day in enumerate(days)
    )


def _is_quoted(line: str) -> bool:
    return bool(line.strip()) and not own_words(line)


def _shorten(text: str, longest: int) -> str:
    """The text, or its beginning and its end: a question stands at the end of a long reply."""
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end]} […] {text[-end:]}"
