"""Reads what a person has said, as far as it may be related to a message."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby

from bot.offline.language import Language
from bot.offline.scores import Line
from bot.offline.wishes import is_question, split_questions
from memory.background.threads import compute
from memory.records import Actor, Kind, Record, Role, own_words
from tools.context import ToolContext

#: How many messages of a person are always read: so even those are found that search would miss.
#: With the assistant's replies, the store has twice as many.
_ALL = 500
#: How many hits are read where search has to find them.
_HITS = 80

_LEARNED = (Kind.FACT, Kind.PREFERENCE)


class LineReader:
    """Reads lines from the memory, and remembers who has said too much to read it all."""

    def __init__(self) -> None:
        self._talkative: set[Actor] = set()

    async def about(self, context: ToolContext, question: str, language: Language) -> list[Line]:
        """The lines that may answer a question, oldest first. Raises StoreUnavailable."""
        messages = await self._messages(context, question)
        learned = await context.memory.known.records(context.actor, _LEARNED, everything=True)
        return await compute(number, messages, learned, language)

    async def own(self, context: ToolContext, language: Language) -> list[Line]:
        """The last lines of the person who asks, oldest first. Raises StoreUnavailable."""
        known, speaker = context.memory.known, context.turns[-1].speaker
        # AgentCore has no messages to read: there, what was learned tells of them.
        records = await known.records(context.actor, (Kind.MESSAGE, *_LEARNED), everything=True)
        mine = [record for record in records if record.speaker == speaker]
        said = [r for r in mine if r.kind is Kind.MESSAGE and r.role is Role.USER]
        learned = [record for record in mine if record.kind in _LEARNED]
        return await compute(number, said[-_ALL:], learned, language)

    async def _messages(self, context: ToolContext, question: str) -> list[Record]:
        known, actor = context.memory.known, context.actor
        if actor not in self._talkative:
            records = await known.records(actor, (Kind.MESSAGE,))
            if len(records) <= 2 * _ALL:
                return records
            self._talkative.add(actor)
        hits = await known.search(actor, question, (Kind.MESSAGE,), _HITS)
        found = {hit.record.id: hit.record for hit in hits}
        if hits:
            # What took the place of the best one has its words, but not always the question's.
            more = await known.search(actor, hits[0].record.text, (Kind.MESSAGE,), _HITS)
            found |= {hit.record.id: hit.record for hit in more}
        return list(found.values())


def number(messages: Iterable[Record], learned: Sequence[Record], language: Language) -> list[Line]:
    """The people's messages, and what was learned otherwise, as lines in order. A message that says
    what is no longer true has ended."""
    ended = [record.text.casefold() for record in learned if not record.current]
    said = [record for record in messages if record.role is Role.USER]
    parts = [(record, part) for record in said for part in _parts(record.text, language)]
    told = (part for _, part in parts if not is_question(part, language))
    texts = "\n".join(told).casefold()
    parts += [(r, r.text) for r in learned if r.current and r.text.casefold() not in texts]
    parts.sort(key=lambda part: part[0].created_at)
    return [
        Line(
            text,
            record.created_at,
            place,
            record.session_id,
            ended=any(each in text.casefold() for each in ended),
            speaker=record.speaker,
            learned=record.kind is not Kind.MESSAGE,
        )
        for place, (record, text) in enumerate(parts)
    ]


def _parts(text: str, language: Language) -> Iterable[str]:
    """What a message tells in its own words, and what it quotes."""
    runs = groupby(text.splitlines(), lambda line: line.lstrip().startswith(">"))
    quoted = ["\n".join(lines) for is_quoted, lines in runs if is_quoted]
    return filter(None, (*told_in(text, language), *quoted))


def told_in(text: str, language: Language) -> list[str]:
    """What a message tells; all of it if it does nothing but ask."""
    own = own_words(text).strip()
    return split_questions(own, language)[0] or [own]


def fresh_lines(texts: Sequence[str], now: datetime) -> list[Line]:
    """The messages of this conversation as lines, for when nothing else is kept."""
    return [Line(text, now, place, "now") for place, text in enumerate(texts)]
