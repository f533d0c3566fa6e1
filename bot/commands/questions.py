"""Answers awaited: what the very next message of one person in one place stands for."""

import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from bot.telegram.intake.reading import (
    Click,
    Command,
    Heard,
    Origin,
)
from bot.texts import languages
from memory.records import Place

#: For how long a question waits for its answer. In seconds.
ANSWER_SECONDS = 600.0
#: Of so many people it is known what they wrote last; of whom it is not, nothing is awaited.
_MOST_PEOPLE = 1_000
#: What people write around an answer and don't mean.
_AROUND = " \t\n.,;:!¡…–-'\"“”«»()।"

#: What an answer stands for: the press of a button, or a command.
Answer = Click | Command
#: What a message means as the answer to the question that is the bot's message of this id; None if
#: it is no answer.
Reads = Callable[[Heard, int], Answer | None]

_Person = tuple[Place, int]


@dataclass(frozen=True, slots=True)
class _Question:
    message_id: int
    reads: Reads
    at: float


@dataclass(frozen=True, slots=True)
class _Last:
    """The last update of somebody, and the question that was sent for it."""

    update_id: int
    question: _Question | None = None


class Awaited:
    """Remembers, in this process alone, which question of the bot's a person answers by typing.

    Only what they send next counts. Whatever else came from them since they made the bot ask, be it
    before the question was sent, is no answer, and ends the waiting."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last: dict[_Person, _Last] = {}

    def expect(self, asked: Heard | Click, message_id: int | None, reads: Reads) -> None:
        """The bot's message with this id is a question to whoever `asked` for it; None if it may
        not have arrived."""
        person = _person(asked.origin)
        last = self._last.get(person)
        if message_id is not None and last and last.update_id == asked.update_id:
            question = _Question(message_id, reads, self._monotonic())
            self._last[person] = replace(last, question=question)

    def note(self, origin: Origin, update_id: int) -> None:
        """Something came that is no answer: a click."""
        self._came(origin, update_id)

    def take(self, heard: Heard) -> Answer | None:
        """What this message means as the answer to the question before it."""
        question = self._came(heard.origin, heard.update_id)
        if question is None or self._monotonic() - question.at > ANSWER_SECONDS:
            return None
        # What was written before the question, and what answers another message, means that.
        late = heard.message_id > question.message_id
        to_it = heard.answered in (None, question.message_id)
        if not (heard.words and late and to_it):
            return None
        return question.reads(heard, question.message_id)

    def _came(self, origin: Origin, update_id: int) -> _Question | None:
        """Note an update; the question that waited until then."""
        person = _person(origin)
        last = self._last.pop(person, None)
        self._last[person] = _Last(update_id)
        if len(self._last) > _MOST_PEOPLE:
            del self._last[next(iter(self._last))]
        return last.question if last else None


def yes_or_no(words: str) -> bool | None:
    """Whether this agrees, in any of the bot's languages, perhaps by what the button for it says;
    None if it is something else."""
    said = _plain(words)
    for texts in languages().values():
        if said in _among(texts.forget_all_yes, texts.yes_words):
            return True
        if said in _among(texts.forget_all_no, texts.no_words):
            return False
    return None


def _among(label: str, listed: str) -> Iterable[str]:
    return map(_plain, (label, *listed.split(",")))


def _plain(words: str) -> str:
    """Words as they are compared: without case, punctuation around them, and commas."""
    told = unicodedata.normalize("NFKC", words).casefold().replace(",", " ")
    return " ".join(told.split()).strip(_AROUND)


def _person(origin: Origin) -> _Person:
    return origin.place, origin.user_id
