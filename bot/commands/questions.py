"""Open questions: commands and clicks that a person answers by typing."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from pydantic import TypeAdapter

from bot.assistant.events import Question
from bot.assistant.inbound import Click, Command, Inbound, Message, Origin
from bot.commands.pages.panels import BUTTONS_LAST
from bot.texts import languages
from memory.background.caches import BoundedDict
from memory.background.work import log_outage
from memory.errors import StoreUnavailable
from memory.options import utc_now
from memory.panels import PanelRow, PanelRows
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: Lifetime of an open question.
ANSWERS_LAST = timedelta(minutes=10)
#: Maximum actors, and people of one, whose last inbound is in RAM.
_MOST_ACTORS, _MOST_PEOPLE = 10_000, 1_000
#: Characters around an answer that don't matter.
_SURROUNDINGS = " \t\n.,;:!¡…–-'\"“”«»()।"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that was sent under this id. The inbound that `closed` it may be its answer."""

    question: Question
    message_id: int
    at: datetime
    closed: int | None = None


_ASKED = TypeAdapter(_Asked)


@dataclass(frozen=True, slots=True)
class _Last:
    """A person's last inbound, and the question sent in reply to it."""

    receipt: int
    open: _Asked | None = None


class Questions:
    """The question that each person may answer by typing. It is kept with the panels, and so
    outlives a restart.

    Only the person's very next message counts. Anything else they send closes the question, even
    before it is delivered."""

    def __init__(self, rows: PanelRows, now: Callable[[], datetime] = utc_now) -> None:
        self._rows, self._now = rows, now
        self._last = BoundedDict[Actor, BoundedDict[tuple[Place, int], _Last]](_MOST_ACTORS)

    async def expect(self, said: Inbound, question: Question, message_id: int) -> None:
        """Open a question for the sender of `said`. It was sent under this id."""
        last = self._of(said.origin).get(_person(said.origin))
        # Without one, an earlier process wrote the reply.
        if last is None or last.receipt == said.receipt:
            asked = _Asked(question, message_id, self._now())
            self._of(said.origin)[_person(said.origin)] = _Last(said.receipt, asked)
            await self._save(said.origin, asked)

    async def note(self, said: Inbound) -> None:
        """Note an inbound that can't be an answer: a command or a click."""
        await self._close(said)

    async def match(self, message: Message) -> Command | Click | None:
        """The command or click that this message stands for: an answer to the open question, or
        /new without its slash. None if it is talk."""
        asked = await self._close(message)
        if message.text.lower() == "new":
            return command_of(message, "new", "")
        if asked is None or self._now() - asked.at > ANSWERS_LAST:
            return None
        # A message written before the question, or in reply to another message, is no answer.
        late = message.message_id > asked.message_id
        to_it = message.answers in (None, asked.message_id)
        if not (message.words and late and to_it):
            return None
        return _read(asked.question, message, asked.message_id)

    def drop(self, actor: Actor) -> None:
        """Forget what is in RAM of the actor."""
        self._last.pop(actor, None)

    async def _close(self, said: Inbound) -> _Asked | None:
        """Note an inbound; returns the question that was open until then."""
        known, person = self._of(said.origin), _person(said.origin)
        last, known[person] = known.get(person), _Last(said.receipt)
        asked = last.open if last else await self._find(said)
        if asked and asked.closed is None:
            await self._save(said.origin, replace(asked, closed=said.receipt))
        return asked

    def _of(self, origin: Origin) -> BoundedDict[tuple[Place, int], _Last]:
        return self._last.setdefault(origin.actor, BoundedDict(_MOST_PEOPLE))

    async def _save(self, origin: Origin, asked: _Asked) -> None:
        """Write it. What can't be written counts until the process ends."""
        state = _ASKED.dump_json(asked, exclude_defaults=True).decode()
        row = PanelRow(_key(origin), origin.actor, origin.user_id, asked.at, state)
        with log_outage(_log, "panels_unavailable"):
            await self._rows.save([row], self._now() - BUTTONS_LAST)

    async def _find(self, said: Inbound) -> _Asked | None:
        """The question that an earlier process, or another worker, left open for this inbound."""
        try:
            row = await self._rows.find(_key(said.origin))
            asked = _ASKED.validate_json(row.state) if row else None
        except (StoreUnavailable, ValueError) as failure:
            _log.warning("panel_unreadable", error=type(failure).__name__)
            return None
        # An inbound may be taken once more after a kill.
        return asked if asked and asked.closed in (None, said.receipt) else None


def _person(origin: Origin) -> tuple[Place, int]:
    return origin.place, origin.user_id


def _key(origin: Origin) -> str:
    """One question for each person in each place."""
    place = origin.place
    return f"?:{place.channel}:{place.chat_id}:{place.topic_id or ''}:{origin.user_id}"


def _read(question: Question, answer: Message, message_id: int) -> Command | Click | None:
    """What an answer stands for; None if it is none."""
    agreed, number = yes_or_no(answer.words), answer.words.strip(" .#")
    if agreed is False:
        data = question.no
    elif agreed and question.yes:
        data = question.yes
    elif number.isdecimal() and 1 <= int(number) <= len(question.numbers):
        data = question.numbers[int(number) - 1]
    elif question.command:
        return command_of(answer, question.command, answer.words)
    else:
        data = question.words
    if not data:
        return None
    origin, at = answer.origin, answer.at
    return Click(data, origin, at, message_id, answer.receipt, words=answer.words)


def command_of(answer: Message, name: str, argument: str) -> Command:
    return Command(name, argument, answer.origin, answer.at, answer.message_id, answer.receipt)


def new_words(panel: str, of: str, otherwise: str) -> Question:
    """A question for other words of what a panel shows. They become a click on a button that no
    page shows; a no becomes one on the button `otherwise`."""
    return Question(no=f"{panel}:{otherwise}:{of}", words=f"{panel}:reword:{of}")


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
