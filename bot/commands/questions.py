"""Open questions: what the very next message of one person in one place stands for."""

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.assistant.events import Question
from bot.assistant.inbound import Click, Command, Inbound, Message
from bot.texts import languages
from memory.background.caches import BoundedDict
from memory.records import Place

#: How long a question waits for its answer. In seconds.
ANSWER_SECONDS = 600.0
#: The last inbound is known of this many people; nobody else has an open question.
_MOST_PEOPLE = 1_000
#: Characters around an answer that don't matter.
_AROUND = " \t\n.,;:!¡…–-'\"“”«»()।"


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    question: Question
    message_id: int
    at: float


@dataclass(frozen=True, slots=True)
class _LastInbound:
    """The last inbound of somebody, and the question that was sent for it."""

    receipt: int
    open: _OpenQuestion | None = None


class Questions:
    """Remembers, in this process alone, which of the bot's questions a person may answer by typing.

    Only their very next message counts. Anything else that they send after making the bot ask, even
    before the question is delivered, closes the question."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last: BoundedDict[tuple[Place, int], _LastInbound] = BoundedDict(_MOST_PEOPLE)

    def expect(self, said: Inbound, question: Question, message_id: int | None) -> None:
        """Wait for the answer of whoever `said` that. The question was sent under this id; None if
        it may not have arrived."""
        person = said.origin.place, said.origin.user_id
        last = self._last.get(person)
        if message_id is not None and last and last.receipt == said.receipt:
            asked = _OpenQuestion(question, message_id, self._monotonic())
            self._last[person] = replace(last, open=asked)

    def note(self, said: Inbound) -> None:
        """Note what can't be an answer: a command or a click."""
        self._close(said)

    def match(self, message: Message) -> Command | Click | None:
        """What this message stands for: the answer to the question before it, or /new without its
        slash; None if it is talk."""
        asked = self._close(message)
        if message.text.lower() == "new":
            return command_of(message, "new", "")
        if asked is None or self._monotonic() - asked.at > ANSWER_SECONDS:
            return None
        # What was written before the question or replies to another message is not about it.
        late = message.message_id > asked.message_id
        to_it = message.answers in (None, asked.message_id)
        if not (message.words and late and to_it):
            return None
        return asked.question.reads(message, asked.message_id)

    def _close(self, said: Inbound) -> _OpenQuestion | None:
        """Note an inbound; the question that was open until then."""
        person = said.origin.place, said.origin.user_id
        last = self._last.get(person)
        self._last[person] = _LastInbound(said.receipt)
        return last.open if last else None


def command_of(answer: Message, name: str, argument: str) -> Command:
    """The message as a command."""
    return Command(name, argument, answer.origin, answer.at, answer.message_id, answer.receipt)


def press_of(answer: Message, message_id: int, data: str) -> Click:
    """The message as a press of the button with this data, under the bot's message of this id."""
    return Click(data, answer.origin, answer.at, message_id, answer.receipt, words=answer.words)


def yes_or_no(words: str) -> bool | None:
    """True for a yes in any of the bot's languages, be it the label of the button for it; False for
    a no, None for anything else."""
    said = _normalize(words)
    for texts in languages().values():
        if said in map(_normalize, (texts.forget_all_yes, *texts.yes_words.split(","))):
            return True
        if said in map(_normalize, (texts.forget_all_no, *texts.no_words.split(","))):
            return False
    return None


def _normalize(words: str) -> str:
    """Words as they are compared: without case, punctuation around them, and commas."""
    folded = unicodedata.normalize("NFKC", words).casefold().replace(",", " ")
    return " ".join(folded.split()).strip(_AROUND)
