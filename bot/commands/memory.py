"""The commands about what is remembered: /memory, /search, /remember, /edit, /forget, /export."""

import re
from collections.abc import Sequence
from functools import partial

from bot.commands.exports import Exports
from bot.commands.forget_all import ForgetAll
from bot.commands.pages.browser import Browser
from bot.commands.pages.pages import found, spoken
from bot.commands.questions import Awaited, yes_or_no
from bot.people.privacy import Privacy
from bot.telegram.intake.reading import Command, Heard
from bot.telegram.voice import Voice
from bot.texts import Texts
from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.memory import Memory
from memory.records import LEARNED_KINDS, Kind, Record, Role
from memory.search.text import words
from memory.understanding import LanguageRules

#: What is deleted with one command; each is looked up by itself.
_MOST_IDS = 20
_APART = re.compile(r"[\s,;]+")
#: What the ids of records look like, perhaps as /memory shows them: a letter for the kind, and a
#: number or six letters.
_ID = re.compile(r"\[?[#/]?[a-z](\d{1,7}|[a-z2-7]{6})\]?", re.IGNORECASE)

#: Everything, in the languages of the bot.
_EVERYTHING = frozenset(("all", "everything", "alles", "todo", "tutto", "tudo", "всё", "все", "सब"))
#: What people say with it and mean no less.
_AND_NO_LESS = frozenset(
    (
        "please", "it", "of", "that", "now", "about", "me", "us", "you", "know", "remember",
        "bitte", "über", "mich", "por", "favor", "sobre", "mí", "mi", "per", "favore", "di", "mim",
        "пожалуйста", "обо", "мне", "कुछ",
    )
)  # fmt: skip


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
        awaited: Awaited,
        privacy: Privacy,
    ) -> None:
        self._memory, self._voice, self._browser = memory, voice, browser
        self._exports, self._forget_all = exports, forget_all
        self._awaited, self._privacy = awaited, privacy
        self.table = {
            "memory": self._show,
            "search": self._search,
            "remember": self._remember,
            "edit": self._edit,
            "forget": self._forget,
            "export": self._export,
        }

    async def _show(self, heard: Heard, argument: str, texts: Texts) -> None:
        origin = heard.origin
        if await self._memory.known.records(origin.actor):
            await self._browser.open(origin, texts, heard.answering)
            return
        private = await self._privacy.is_on(origin.actor, origin.place)
        adds = texts.memory_adds_nothing if private else texts.memory_adds
        empty = texts.memory_empty if origin.is_private else texts.memory_empty_group
        await self._voice.say(heard, f"{empty} {adds}")

    async def _search(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument:
            await self._ask_for(heard, "search", texts.search_ask, texts.search_how)
            return
        hits = await self._memory.known.search(
            heard.origin.actor, argument, (*LEARNED_KINDS, Kind.MESSAGE)
        )
        lines = [
            found(record, texts, self._memory.rules)
            for record in _asked_for([h.record for h in hits], argument)
        ]
        text = "\n".join((texts.search_found, *lines)) if lines else texts.search_nothing
        await self._voice.say(heard, text)

    async def _remember(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument:
            await self._ask_for(heard, "remember", texts.remember_ask, texts.remember_how)
            return
        try:
            record = await self._memory.known.remember(
                heard.origin.actor, argument, speaker=heard.origin.speaker
            )
        except RefusedText as refusal:
            await self._voice.say(heard, _refused(refusal, texts))
        else:
            await self._voice.say(heard, _remembered(record, texts, self._memory.rules))

    async def _edit(self, heard: Heard, argument: str, texts: Texts) -> None:
        id_, said = (*argument.split(maxsplit=1), "", "")[:2]
        if not id_ or not (said or heard.origin.is_private):
            await self._voice.say(heard, texts.edit_usage)
            return
        try:
            if not said:
                await self._browser.rewording.open(heard, id_, texts)
                return
            record = await self._memory.known.revise(heard.origin.actor, id_, said)
        except UnknownRecord:
            await self._voice.say(heard, texts.no_such_memory.format(id=id_[:40]))
        except RefusedText as refusal:
            await self._voice.say(heard, _refused(refusal, texts))
        else:
            await self._voice.say(heard, _remembered(record, texts, self._memory.rules))

    async def _forget(self, heard: Heard, argument: str, texts: Texts) -> None:
        ids = list(dict.fromkeys(_APART.split(argument.strip(" ,;.!"))))
        if _means_everything(argument):
            await self._forget_all.ask(heard, texts)
        elif not argument:
            records = await self._memory.known.records(heard.origin.actor)
            example = records[0].short_id if records else "f1"
            await self._voice.say(heard, texts.forget_how.format(example=example))
        elif len(ids) > _MOST_IDS or not all(_ID.fullmatch(id_) for id_ in ids):
            await self._voice.say(heard, texts.forget_which)
        else:
            await self._forget_each(heard, ids, texts)

    async def _forget_each(self, heard: Heard, ids: Sequence[str], texts: Texts) -> None:
        """Forget these, and say of each what came of it."""
        origin = heard.origin
        gone: list[Forgotten] = []
        notes: list[str] = []
        for id_ in ids:
            try:
                gone.append(await self._memory.known.forget(origin.actor, id_.strip("[]")))
            except UnknownRecord:
                notes.append(texts.no_such_memory.format(id=id_))
            except StoreUnavailable:
                if not gone:
                    raise
                # What is gone by now has to be said, and can be brought back.
                notes.append(texts.memory_unavailable)
                break
        if gone:
            await self._browser.deleted(origin, gone, texts, heard.answering, notes)
        else:
            await self._voice.say(heard, "\n".join(notes))

    async def _export(self, heard: Heard, argument: str, texts: Texts) -> None:
        await self._exports.send(heard.origin, texts)

    async def _ask_for(self, heard: Heard, name: str, question: str, how: str) -> None:
        """Ask for what is missing after a command: the next message is it. In a group, where the
        bot may not get that, say how the command is given."""
        if not heard.origin.is_private:
            await self._voice.say(heard, how)
            return
        asked = await self._voice.say(heard, question)
        self._awaited.expect(heard, asked, partial(_completed, name))


def _completed(name: str, answer: Heard, question: int) -> Command | None:
    """The command that the answer completes; none for a no."""
    return None if yes_or_no(answer.words) is False else Command(name, answer.words)


def _means_everything(argument: str) -> bool:
    """Whether all of it shall be forgotten: "all", "everything, please", but not what is about
    something."""
    said = {word.strip(" ,;.!") for word in argument.casefold().split()}
    return bool(said & _EVERYTHING) and said <= _EVERYTHING | _AND_NO_LESS


def _remembered(record: Record, texts: Texts, rules: LanguageRules) -> str:
    return texts.remembered.format(text=spoken(record, texts, rules), id=record.short_id)


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
