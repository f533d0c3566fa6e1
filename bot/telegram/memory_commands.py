"""The commands about what is remembered: /memory, /search, /remember, /edit, /forget, /export."""

from collections.abc import Sequence

from bot.telegram.browser import Browser
from bot.telegram.exports import Exports
from bot.telegram.forget_all import ForgetAll
from bot.telegram.pages import found, spoken
from bot.telegram.reading import Heard
from bot.telegram.texts import Texts
from bot.telegram.voice import Voice
from memory.errors import RefusedText, UnknownRecord
from memory.language import asks_to_remember
from memory.records import LEARNED_KINDS, Kind, Record, Role
from memory.service import Memory
from memory.text import words

_EVERYTHING = ("all", "everything")


class MemoryCommands:
    """Shows, finds, changes and deletes what is remembered of an actor. All raise
    StoreUnavailable."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        browser: Browser,
        exports: Exports,
        forget_all: ForgetAll,
        *,
        enabled: bool,
    ) -> None:
        """Where the memory is not `enabled`, there is nothing to show."""
        self._memory, self._voice, self._browser = memory, voice, browser
        self._exports, self._forget_all, self._enabled = exports, forget_all, enabled
        self.table = {
            "memory": self._show,
            "search": self._search,
            "remember": self._remember,
            "edit": self._edit,
            "forget": self._forget,
            "export": self._export,
        }

    async def _show(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self._enabled:
            await self._voice.say(heard, texts.memory_off)
            return
        if not await self._memory.records(heard.origin.actor):
            await self._voice.say(heard, texts.memory_empty)
            return
        answering = None if heard.origin.is_private else heard.message_id
        await self._browser.open(heard.origin, texts, answering)

    async def _search(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument or not self._enabled:
            await self._voice.say(heard, texts.search_how if argument == "" else texts.memory_off)
            return
        hits = await self._memory.search(
            heard.origin.actor, argument, (*LEARNED_KINDS, Kind.MESSAGE)
        )
        lines = [found(record, texts) for record in _asked_for([h.record for h in hits], argument)]
        text = "\n".join((texts.search_found, *lines)) if lines else texts.search_nothing
        await self._voice.say(heard, text)

    async def _remember(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument:
            await self._voice.say(heard, texts.remember_how)
            return
        # "/remember that I live in Oslo": the first word is the request's, not the fact's.
        text = asks_to_remember(f"remember {argument}") or argument
        try:
            record = await self._memory.remember(
                heard.origin.actor, text, speaker=heard.origin.speaker
            )
        except RefusedText as refusal:
            await self._voice.say(heard, _refused(refusal, texts))
        else:
            await self._voice.say(heard, _remembered(record, texts))

    async def _edit(self, heard: Heard, argument: str, texts: Texts) -> None:
        id_, _, said = argument.partition(" ")
        if not said.strip():
            await self._voice.say(heard, texts.edit_usage)
            return
        try:
            record = await self._memory.revise(heard.origin.actor, id_, said)
        except UnknownRecord:
            await self._voice.say(heard, texts.no_such_memory.format(id=id_[:40]))
        except RefusedText as refusal:
            await self._voice.say(heard, _refused(refusal, texts))
        else:
            await self._voice.say(heard, _remembered(record, texts))

    async def _forget(self, heard: Heard, argument: str, texts: Texts) -> None:
        if argument.lower() in _EVERYTHING:
            await self._forget_all.ask(heard, texts)
            return
        if not argument:
            records = await self._memory.records(heard.origin.actor)
            example = records[0].short_id if records else "f1"
            await self._voice.say(heard, texts.forget_how.format(example=example))
            return
        try:
            gone = await self._memory.forget(heard.origin.actor, argument)
        except UnknownRecord:
            await self._voice.say(heard, texts.no_such_memory.format(id=argument[:40]))
        else:
            await self._voice.say(heard, texts.forgotten.format(text=spoken(gone.record, texts)))

    async def _export(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self._enabled:
            await self._voice.say(heard, texts.memory_off)
            return
        await self._exports.send(heard.origin.actor, heard.origin.place, texts)


def _remembered(record: Record, texts: Texts) -> str:
    return texts.remembered.format(text=spoken(record, texts), id=record.short_id)


def _refused(refusal: RefusedText, texts: Texts) -> str:
    return texts.remember_refused.format(reason=texts.refusals[refusal.reason])


def _asked_for(records: Sequence[Record], query: str) -> list[Record]:
    """What somebody looks for by words: memories, then what people said with one of these words.
    Their neighbours are context for a model, and noise for a person."""
    wanted = frozenset(words(query))
    said = [
        record
        for record in records
        if record.kind is Kind.MESSAGE
        and record.role is Role.USER
        and wanted & frozenset(words(record.text))
    ]
    return [record for record in records if record.kind is not Kind.MESSAGE] + said
