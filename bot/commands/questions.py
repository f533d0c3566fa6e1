"""Open questions: commands and clicks that a person answers by typing."""

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.assistant.events import Question
from bot.assistant.inbound import Click, Command, Inbound, Message
from bot.texts import languages
from memory.background.caches import BoundedDict
from memory.records import Place

#: Lifetime of an open question, in seconds.
ANSWER_SECONDS = 600.0
#: Maximum people whose last inbound is known; only they can have an open question.
_MOST_PEOPLE = 1_000
#: Characters around an answer that don't matter.
_SURROUNDINGS = " \t\n.,;:!¡…–-'\"“”«»()।"


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    question: Question
    message_id: int
    at: float


@dataclass(frozen=True, slots=True)
class _LastInbound:
    """A person's last inbound, and the question sent in reply to it."""

    receipt: int
    open: _OpenQuestion | None = None


class Questions:
    """The question that each person may answer by typing. A restart closes all questions.

    Only the person's very next message counts. Anything else they send closes the question, even
    before it is delivered."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last: BoundedDict[tuple[Place, int], _LastInbound] = BoundedDict(_MOST_PEOPLE)

    def expect(self, said: Inbound, question: Question, message_id: int | None) -> None:
        """Open a question for the sender of `said`. It was sent under this id; None if it may not
        have arrived."""
        person = said.origin.place, said.origin.user_id
        last = self._last.get(person)
        if message_id is not None and last and last.receipt == said.receipt:
            asked = _OpenQuestion(question, message_id, self._monotonic())
            self._last[person] = replace(last, open=asked)

    def note(self, said: Inbound) -> None:
        """Note an inbound that can't be an answer: a command or a click."""
        self._close(said)

    def match(self, message: Message) -> Command | Click | None:
        """The command or click that this message stands for: an answer to the open question, or
        /new without its slash. None if it is talk."""
        asked = self._close(message)
        if message.text.lower() == "new":
            return command_of(message, "new", "")
        if asked is None or self._monotonic() - asked.at > ANSWER_SECONDS:
            return None
        # A message written before the question, or in reply to another message, is no answer.
        late = message.message_id > asked.message_id
        to_it = message.answers in (None, asked.message_id)
        if not (message.words and late and to_it):
            return None
        return asked.question.reads(message, asked.message_id)

    def _close(self, said: Inbound) -> _OpenQuestion | None:
        """Note an inbound; returns the question that was open until then."""
        person = said.origin.place, said.origin.user_id
        last = self._last.get(person)
        self._last[person] = _LastInbound(said.receipt)
        return last.open if last else None


def command_of(answer: Message, name: str, argument: str) -> Command:
    return Command(name, argument, answer.origin, answer.at, answer.message_id, answer.receipt)


def press_of(answer: Message, message_id: int, data: str) -> Click:
    """The message as a click on a button with this data, under the bot's message with this id."""
    return Click(data, answer.origin, answer.at, message_id, answer.receipt, words=answer.words)


def new_words(panel: str, of: str, otherwise: str) -> Question:
    """A question for other words of what a panel shows. They become a click on a button that no
    page shows; a no becomes one on the button `otherwise`."""

    def read(answer: Message, message_id: int) -> Click:
        verb = otherwise if yes_or_no(answer.words) is False else "reword"
        return press_of(answer, message_id, f"{panel}:{verb}:{of}")

    return Question(read)


def yes_or_no(words: str) -> bool | None:
    """True for a yes in any of the bot's languages, including the label of its button; False for a
    no, None for anything else."""
    said = _normalize(words)
    for texts in languages().values():
        if said in map(_normalize, (texts.forget_all_yes, *texts.yes_words.split(","))):
            return True
        if said in map(_normalize, (texts.forget_all_no, *texts.no_words.split(","))):
            return False
    return None


def _normalize(words: str) -> str:
    """Words for comparison: without case, commas and surrounding punctuation."""
    folded = unicodedata.normalize("NFKC", words).casefold().replace(",", " ")
    return " ".join(folded.split()).strip(_SURROUNDINGS)
