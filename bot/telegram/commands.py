"""The commands: what each one does, whatever way it was given."""

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.greeting import Greetings
from bot.telegram.bill import bill
from bot.telegram.browser import Browser
from bot.telegram.exports import Exports
from bot.telegram.groups import Groups
from bot.telegram.inbox import Inbox
from bot.telegram.pages import found, spoken
from bot.telegram.personal import PersonalSettings
from bot.telegram.preview import Previews
from bot.telegram.privacy import Privacy
from bot.telegram.reading import Click, Command, Heard, Origin
from bot.telegram.sender import Sender
from bot.telegram.settings_commands import SettingsCommands
from bot.telegram.settings_panel import SettingsPanel
from bot.telegram.texts import Sentence, Texts
from bot.usage import Account, Accounts
from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.jobs import Outcome
from memory.language import asks_to_remember
from memory.records import LEARNED_KINDS, Kind, Record, Role
from memory.service import Memory
from memory.text import words

_log = structlog.get_logger(__name__)

#: How long /new waits for the extraction before it says that saving goes on. In seconds.
_NEW_WAITS = 2.0
#: How long the buttons of a question stay good. In seconds.
_QUESTION_SECONDS = 600.0

_FORGET_ALL = "forget_all"
_EVERYTHING = ("all", "everything")
#: What only a group's admins may do there: it shows or changes what is remembered of everybody.
_ADMINS_ONLY = frozenset(("memory", "search", "forget", "edit", "export", "settings"))
#: What they alone may change there, and everybody see.
_ADMINS_CHANGE = frozenset(("language", "timezone"))


@dataclass(frozen=True, slots=True)
class About:
    """Facts about this bot that its texts tell: what it is called as long as nobody gave it another
    name, which models write its answers (none: it has rules only), the first one if it can, and
    whether it remembers."""

    agent_name: str = "Mordecai"
    models: tuple[str, ...] = ()
    memory_enabled: bool = True


class Commands:
    """Carries out commands, in the lane of the place they were given in."""

    def __init__(
        self,
        memory: Memory,
        sender: Sender,
        inbox: Inbox,
        about: About,
        accounts: Accounts,
        personal: PersonalSettings,
        previews: Previews,
        greetings: Greetings | None = None,
        is_owner: Callable[[int], bool] = lambda user_id: False,
        groups: Groups | None = None,
    ) -> None:
        """Without `greetings` a new conversation begins without taking up the last one. Owners'
        commands are carried out elsewhere; /help tells owners of them. With `groups`, only a
        group's admins may see and change what is remembered of it."""
        self._is_owner, self._groups = is_owner, groups
        self._browser = Browser(memory, sender)
        self._memory, self._sender, self._inbox, self.about = memory, sender, inbox, about
        self._accounts, self._greetings = accounts, greetings
        self._personal = personal
        self._privacy = Privacy(memory, inbox)
        self._settings = SettingsPanel(memory, sender, personal, previews, self._privacy.is_on)
        settings = SettingsCommands(
            memory, personal, self._settings, self._say, enabled=about.memory_enabled
        )
        self._exports = Exports(memory, accounts, sender)
        self._table: dict[str, Callable[[Heard, str, Texts], Awaitable[None]]] = {
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "private": self._private,
            "summarize": self._summarize,
            "memory": self._show_memory,
            "search": self._search,
            "remember": self._remember,
            "edit": self._edit,
            "forget": self._forget,
            "name": self._name,
            "settings": settings.settings,
            "language": settings.language,
            "timezone": settings.time_zone,
            "export": self._export,
            "usage": self._usage,
        }

    def knows(self, command: Command) -> bool:
        """Whether there is such a command. /stop and /ask are two, though not carried out here."""
        return command.name in self._table or command.name in ("stop", "ask")

    async def run(self, heard: Heard, command: Command) -> None:
        """Carry out a command and say what came of it."""
        texts = await self._texts(heard.origin)
        work = self._table.get(command.name)
        if work is None:
            await self._say(heard, _unknown(command.name, texts))
            return
        if not await self._may(heard, command):
            await self._say(heard, texts.admins_only)
            return
        try:
            if await self._privacy.forbids(command, heard.origin.actor, heard.origin.place):
                await self._say(heard, texts.private_refused)
                return
            await work(heard, command.argument, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command=command.name, error=str(failure))
            await self._say(heard, texts.memory_unavailable)

    async def _may(self, heard: Heard, command: Command) -> bool:
        changes = command.name in _ADMINS_CHANGE and bool(command.argument)
        free = command.name not in _ADMINS_ONLY and not changes
        return free or await self._may_manage(heard.origin)

    async def _may_manage(self, origin: Origin) -> bool:
        """Whether this person may see and change what is remembered here."""
        if origin.is_private or self._groups is None:
            return True
        return await self._groups.is_admin(origin.place, origin.user_id)

    # -- who I am ---------------------------------------------------------------------------------

    async def _start(self, heard: Heard, argument: str, texts: Texts) -> None:
        name = await self._agent_name(heard)
        keeps = texts.start_keeps if self.about.memory_enabled else texts.start_forgets
        await self._say(
            heard,
            _paragraphs(
                texts.start.format(name=name),
                keeps,
                _engine(self.about.models, texts),
                await self._greeting(heard, texts),
            ),
        )

    async def _help(self, heard: Heard, argument: str, texts: Texts) -> None:
        known = dict(texts.commands)
        if heard.origin.is_private and self._is_owner(heard.origin.user_id):
            known |= texts.owner_commands
        lines = "\n".join(f"/{name} – {what}" for name, what in known.items())
        engine = _engine(self.about.models, texts)
        await self._say(heard, _paragraphs(texts.help.format(commands=lines), engine))

    async def _name(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        if not argument:
            name = await self._memory.agent_name(actor)
            template = texts.name_current if name else texts.name_default
            await self._say(heard, template.format(name=name or self.about.agent_name))
            return
        try:
            name = await self._memory.set_agent_name(actor, argument)
        except RefusedText as refusal:
            await self._say(heard, texts.name_refused.format(reason=texts.refusals[refusal.reason]))
        else:
            await self._say(heard, texts.name_set.format(name=name))

    async def _agent_name(self, heard: Heard) -> str:
        """A greeting does not fail because the memory does."""
        try:
            name = await self._memory.agent_name(heard.origin.actor)
        except StoreUnavailable:
            name = None
        return name or self.about.agent_name

    # -- conversations ----------------------------------------------------------------------------

    async def _new(self, heard: Heard, argument: str, texts: Texts) -> None:
        ending = await self._memory.end_session(heard.origin.actor, heard.origin.place, "new")
        outcome = await ending.wait(_NEW_WAITS) if ending else Outcome.NOTHING
        if outcome is Outcome.DISCARDED:
            await self._privacy.ended()
        said = {
            Outcome.SAVED: texts.new_saved,
            Outcome.LATER: texts.new_later,
            Outcome.DISCARDED: f"{texts.private_off}\n{texts.new}",
        }
        # While the last one is still being saved, nothing is known of it.
        greeting = "" if outcome is Outcome.LATER else await self._greeting(heard, texts)
        await self._say(heard, _paragraphs(said.get(outcome, texts.new), greeting))

    async def _private(self, heard: Heard, argument: str, texts: Texts) -> None:
        where = heard.origin.actor, heard.origin.place
        if await self._privacy.is_on(*where):
            await self._new(heard, argument, texts)
            return
        ending = await self._privacy.begin(*where)
        outcome = await ending.wait(_NEW_WAITS) if ending else Outcome.NOTHING
        saved = texts.saved if outcome is Outcome.SAVED else ""
        await self._say(heard, _paragraphs(saved, texts.private_on))

    async def _greeting(self, heard: Heard, texts: Texts) -> str:
        if self._greetings is None:
            return ""
        return await self._greetings.sentence(heard.origin.actor, texts.greeting_topics) or ""

    async def _summarize(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self.about.memory_enabled:
            await self._say(heard, texts.memory_off)
            return
        summaries = await self._memory.summarize_now(heard.origin.actor, heard.origin.place)
        said = "\n\n".join(summary.text for summary in summaries)
        await self._say(
            heard, _paragraphs(texts.summary_title, said) if said else texts.summary_nothing
        )

    # -- what is remembered -----------------------------------------------------------------------

    async def _show_memory(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self.about.memory_enabled:
            await self._say(heard, texts.memory_off)
            return
        if not await self._memory.records(heard.origin.actor):
            await self._say(heard, texts.memory_empty)
            return
        answering = None if heard.origin.is_private else heard.message_id
        await self._browser.open(heard.origin, texts, answering)

    async def _search(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument or not self.about.memory_enabled:
            await self._say(heard, texts.search_how if argument == "" else texts.memory_off)
            return
        hits = await self._memory.search(
            heard.origin.actor, argument, (*LEARNED_KINDS, Kind.MESSAGE)
        )
        lines = [found(record, texts) for record in _asked_for([h.record for h in hits], argument)]
        text = "\n".join((texts.search_found, *lines)) if lines else texts.search_nothing
        await self._say(heard, text)

    async def _remember(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not argument:
            await self._say(heard, texts.remember_how)
            return
        try:
            # "/remember that I live in Oslo": the first word is the request's, not the fact's.
            text = asks_to_remember(f"remember {argument}") or argument
            record = await self._memory.remember(
                heard.origin.actor, text, speaker=heard.origin.speaker
            )
        except RefusedText as refusal:
            reason = texts.refusals[refusal.reason]
            await self._say(heard, texts.remember_refused.format(reason=reason))
        else:
            shown = spoken(record, texts)
            await self._say(heard, texts.remembered.format(text=shown, id=record.short_id))

    async def _edit(self, heard: Heard, argument: str, texts: Texts) -> None:
        id_, _, words = argument.partition(" ")
        if not words.strip():
            await self._say(heard, texts.edit_usage)
            return
        try:
            record = await self._memory.revise(heard.origin.actor, id_, words)
        except UnknownRecord:
            await self._say(heard, texts.no_such_memory.format(id=id_[:40]))
        except RefusedText as refusal:
            reason = texts.refusals[refusal.reason]
            await self._say(heard, texts.remember_refused.format(reason=reason))
        else:
            shown = spoken(record, texts)
            await self._say(heard, texts.remembered.format(text=shown, id=record.short_id))

    async def _export(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self.about.memory_enabled:
            await self._say(heard, texts.memory_off)
            return
        await self._exports.send(heard.origin.actor, heard.origin.place, texts)

    async def _usage(self, heard: Heard, argument: str, texts: Texts) -> None:
        origin = heard.origin
        session = await self._memory.session(origin.actor, origin.place)
        used = await self._accounts.of_session(origin.actor, session.id) if session else Account()
        today = await self._accounts.today(origin.actor)
        await self._say(
            heard,
            _paragraphs(
                texts.usage_title if origin.is_private else texts.usage_title_group,
                f"{texts.usage_session}\n{bill(used, texts)}",
                f"{texts.usage_today}\n{bill(today, texts)}",
                texts.usage_footer if today.total.cost else "",
            ),
        )

    # -- forgetting -------------------------------------------------------------------------------

    async def _forget(self, heard: Heard, argument: str, texts: Texts) -> None:
        if argument.lower() in _EVERYTHING:
            await self._ask_forget_all(heard, texts)
            return
        if not argument:
            records = await self._memory.records(heard.origin.actor)
            example = records[0].short_id if records else "f1"
            await self._say(heard, texts.forget_how.format(example=example))
            return
        try:
            record = await self._memory.forget(heard.origin.actor, argument)
        except UnknownRecord:
            await self._say(heard, texts.no_such_memory.format(id=argument[:40]))
        else:
            await self._say(heard, texts.forgotten.format(text=spoken(record, texts)))

    async def _ask_forget_all(self, heard: Heard, texts: Texts) -> None:
        origin = heard.origin
        question = texts.forget_all_ask if origin.is_private else texts.forget_all_ask_group
        # The asker's id: whoever else clicks is refused. A click can be made up, so that in a group
        # its admins are asked for once more when it comes.
        data = f"{_FORGET_ALL}:{origin.user_id}"
        buttons = (
            InlineKeyboardButton(texts.forget_all_yes, callback_data=f"{data}:yes"),
            InlineKeyboardButton(texts.forget_all_no, callback_data=f"{data}:no"),
        )
        keyboard = InlineKeyboardMarkup([[button] for button in buttons])
        await self._sender.send(origin.place, question, keyboard=keyboard)

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        for panels in (self._browser.panels, self._settings.panels):
            if panels.has(click):
                return panels.refusal_of(click)
        action, _, rest = click.data.partition(":")
        owner, _, answer = rest.partition(":")
        if action != _FORGET_ALL or answer not in ("yes", "no"):
            return _stale
        if owner != str(click.origin.user_id):
            return lambda texts: texts.button_not_yours
        age = (datetime.now(UTC) - click.asked_at).total_seconds()
        return _stale if age > _QUESTION_SECONDS else None

    async def run_click(self, click: Click) -> None:
        """Carry out a click that is not refused; the question becomes its outcome."""
        texts, origin = await self._texts(click.origin), click.origin
        for of in (self._browser, self._settings):
            if of.panels.has(click):
                await self._turn_page(of, click, texts)
                return
        outcome = texts.forget_all_kept
        if click.data.endswith(":yes") and not await self._may_manage(origin):
            outcome = texts.admins_only
        elif click.data.endswith(":yes"):
            try:
                private = await self._privacy.is_on(origin.actor, origin.place)
                await self._memory.forget_all(origin.actor)
                self._browser.forget(origin.actor)
                if private:
                    await self._privacy.begin(origin.actor, origin.place)
                await self._inbox.erase(origin.place.chat_id, before=click.update_id)
                await self._accounts.erase(origin.actor)
                outcome = texts.forget_all_done
                _log.info("forgot_all", actor=origin.actor.id)
            except StoreUnavailable as failure:
                _log.warning("memory_unavailable", command=_FORGET_ALL, error=str(failure))
                outcome = texts.memory_unavailable
        await self._sender.replace_text(origin.place, click.message_id, outcome)

    async def _turn_page(self, of: Browser | SettingsPanel, click: Click, texts: Texts) -> None:
        try:
            await of.press(click, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="click", error=str(failure))
            place, message = click.origin.place, click.message_id
            await self._sender.replace_text(place, message, texts.memory_unavailable)

    # -- inside -----------------------------------------------------------------------------------

    async def _texts(self, origin: Origin) -> Texts:
        return await self._personal.texts(origin.actor, origin.language)

    async def _say(self, heard: Heard, text: str) -> None:
        answering = None if heard.origin.is_private else heard.message_id
        await self._sender.send(heard.origin.place, text, answering=answering)


def _stale(texts: Texts) -> str:
    return texts.button_stale


def _engine(models: Sequence[str], texts: Texts) -> str:
    """What writes the answers."""
    if not models:
        return texts.engine_none
    sentences = [texts.engine.format(model=models[0])]
    if len(models) > 1:
        sentences.append(texts.engine_instead.format(models=", ".join(models[1:])))
    return " ".join(sentences)


def _unknown(name: str, texts: Texts) -> str:
    commands = ", ".join(f"/{known}" for known in texts.commands)
    near = difflib.get_close_matches(name, list(texts.commands), n=1)
    if near:
        return texts.unknown_command_near.format(given=name, near=near[0], commands=commands)
    return texts.unknown_command.format(given=name, commands=commands)


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


def _paragraphs(*paragraphs: str) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
