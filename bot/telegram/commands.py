"""The commands: what each one does, whatever way it was given."""

import difflib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import FileSizeLimit

from bot.greeting import Greetings
from bot.telegram.bill import bill
from bot.telegram.inbox import Inbox
from bot.telegram.reading import Command, Heard, Origin
from bot.telegram.sender import Sender
from bot.telegram.texts import Texts, texts_in
from bot.usage import Account, Accounts
from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.jobs import Outcome
from memory.language import second_person
from memory.names import agent_name_of
from memory.records import Kind, Record
from memory.service import Memory

_log = structlog.get_logger(__name__)

#: How long /new waits for the extraction before it says that saving goes on. In seconds.
_NEW_WAITS = 2.0
#: How long the buttons of a question stay good. In seconds.
_QUESTION_SECONDS = 600.0

_FORGET_ALL = "forget_all"
_EVERYTHING = ("all", "everything")


@dataclass(frozen=True, slots=True)
class About:
    """Facts about this bot that its texts tell: what it is called as long as nobody gave it another
    name, one line on what writes its answers (shown by /start and /help), and whether it
    remembers."""

    agent_name: str = "Mordecai"
    engine: str = ""
    memory_enabled: bool = True


@dataclass(frozen=True, slots=True)
class Click:
    """A press of a button under one of the bot's messages."""

    update_id: int
    query_id: str
    origin: Origin
    message_id: int
    asked_at: datetime
    data: str


class Commands:
    """Carries out commands, in the lane of the place they were given in."""

    def __init__(
        self,
        memory: Memory,
        sender: Sender,
        inbox: Inbox,
        about: About,
        accounts: Accounts,
        greetings: Greetings | None = None,
    ) -> None:
        """Without `greetings` a new conversation begins without taking up the last one."""
        self._memory, self._sender, self._inbox, self._about = memory, sender, inbox, about
        self._accounts, self._greetings = accounts, greetings
        self._table: dict[str, Callable[[Heard, str, Texts], Awaitable[None]]] = {
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "memory": self._show_memory,
            "forget": self._forget,
            "name": self._name,
            "export": self._export,
            "usage": self._usage,
        }

    def knows(self, command: Command) -> bool:
        """Whether there is such a command. /stop is one, though it is not carried out here."""
        return command.name in self._table or command.name == "stop"

    async def run(self, heard: Heard, command: Command) -> None:
        """Carry out a command and say what came of it."""
        texts = texts_in(heard.origin.language)
        work = self._table.get(command.name)
        if work is None:
            await self._say(heard, _unknown(command.name, texts))
            return
        try:
            await work(heard, command.argument, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command=command.name, error=str(failure))
            await self._say(heard, texts.memory_unavailable)

    # -- who I am ---------------------------------------------------------------------------------

    async def _start(self, heard: Heard, argument: str, texts: Texts) -> None:
        name = await self._agent_name(heard)
        keeps = texts.start_keeps if self._about.memory_enabled else texts.start_forgets
        await self._say(
            heard,
            _paragraphs(
                texts.start.format(name=name),
                keeps,
                self._about.engine,
                await self._greeting(heard, texts),
            ),
        )

    async def _help(self, heard: Heard, argument: str, texts: Texts) -> None:
        lines = "\n".join(f"/{name} – {what}" for name, what in texts.commands.items())
        await self._say(heard, _paragraphs(texts.help.format(commands=lines), self._about.engine))

    async def _name(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        if not argument:
            name = await self._memory.agent_name(actor)
            template = texts.name_current if name else texts.name_default
            await self._say(heard, template.format(name=name or self._about.agent_name))
            return
        try:
            name = await self._memory.set_agent_name(actor, argument)
        except RefusedText as refusal:
            await self._say(heard, texts.name_refused.format(reason=refusal))
        else:
            await self._say(heard, texts.name_set.format(name=name))

    async def _agent_name(self, heard: Heard) -> str:
        """A greeting does not fail because the memory does."""
        try:
            name = await self._memory.agent_name(heard.origin.actor)
        except StoreUnavailable:
            name = None
        return name or self._about.agent_name

    # -- conversations ----------------------------------------------------------------------------

    async def _new(self, heard: Heard, argument: str, texts: Texts) -> None:
        ending = await self._memory.end_session(heard.origin.actor, heard.origin.place, "new")
        outcome = await ending.wait(_NEW_WAITS) if ending else Outcome.NOTHING
        said = {Outcome.SAVED: texts.new_saved, Outcome.LATER: texts.new_later}
        # While the last one is still being saved, nothing is known of it.
        greeting = "" if outcome is Outcome.LATER else await self._greeting(heard, texts)
        await self._say(heard, _paragraphs(said.get(outcome, texts.new), greeting))

    async def _greeting(self, heard: Heard, texts: Texts) -> str:
        if self._greetings is None:
            return ""
        return await self._greetings.sentence(heard.origin.actor, texts.greeting_topics) or ""

    # -- what is remembered -----------------------------------------------------------------------

    async def _show_memory(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self._about.memory_enabled:
            await self._say(heard, texts.memory_off)
            return
        records = await self._memory.records(heard.origin.actor)
        if not records:
            await self._say(heard, texts.memory_empty)
            return
        title = texts.memory_title if heard.origin.is_private else texts.memory_title_group
        sections = (
            (texts.memory_facts, Kind.FACT),
            (texts.memory_preferences, Kind.PREFERENCE),
            (texts.memory_summaries, Kind.SUMMARY),
        )
        listed = (
            _section(name, [r for r in records if r.kind is kind], texts) for name, kind in sections
        )
        await self._say(heard, _paragraphs(title, *listed, texts.memory_footer))

    async def _export(self, heard: Heard, argument: str, texts: Texts) -> None:
        if not self._about.memory_enabled:
            await self._say(heard, texts.memory_off)
            return
        actor = heard.origin.actor
        document = await self._memory.export(actor)
        document["usage"] = await self._accounts.export(actor)
        content = json.dumps(document, ensure_ascii=False, indent=2).encode()
        if len(content) > FileSizeLimit.FILESIZE_UPLOAD:
            await self._say(heard, texts.export_too_big)
            return
        name = f"mordecai-{actor.id}-{datetime.now(UTC):%Y-%m-%d}.json"
        await self._sender.send_file(heard.origin.place, name, content, texts.export_caption)

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
            await self._say(heard, texts.forgotten.format(text=_shown(record, texts)))

    async def _ask_forget_all(self, heard: Heard, texts: Texts) -> None:
        origin = heard.origin
        question = texts.forget_all_ask if origin.is_private else texts.forget_all_ask_group
        # The asker's id: whoever else clicks, or makes up a click, is refused.
        data = f"{_FORGET_ALL}:{origin.user_id}"
        buttons = (
            InlineKeyboardButton(texts.forget_all_yes, callback_data=f"{data}:yes"),
            InlineKeyboardButton(texts.forget_all_no, callback_data=f"{data}:no"),
        )
        keyboard = InlineKeyboardMarkup([[button] for button in buttons])
        await self._sender.send(origin.place, question, keyboard=keyboard)

    def refusal_of(self, click: Click) -> str | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        texts = texts_in(click.origin.language)
        action, _, rest = click.data.partition(":")
        owner, _, answer = rest.partition(":")
        if action != _FORGET_ALL or answer not in ("yes", "no"):
            return texts.button_stale
        if owner != str(click.origin.user_id):
            return texts.button_not_yours
        age = (datetime.now(UTC) - click.asked_at).total_seconds()
        return texts.button_stale if age > _QUESTION_SECONDS else None

    async def run_click(self, click: Click) -> None:
        """Carry out a click that is not refused; the question becomes its outcome."""
        texts, origin = texts_in(click.origin.language), click.origin
        outcome = texts.forget_all_kept
        if click.data.endswith(":yes"):
            try:
                await self._memory.forget_all(origin.actor)
                await self._inbox.erase(origin.place.chat_id, before=click.update_id)
                await self._accounts.erase(origin.actor)
                outcome = texts.forget_all_done
                _log.info("forgot_all", actor=origin.actor.id)
            except StoreUnavailable as failure:
                _log.warning("memory_unavailable", command=_FORGET_ALL, error=str(failure))
                outcome = texts.memory_unavailable
        await self._sender.replace_text(origin.place, click.message_id, outcome)

    # -- inside -----------------------------------------------------------------------------------

    async def _say(self, heard: Heard, text: str) -> None:
        answering = None if heard.origin.is_private else heard.message_id
        await self._sender.send(heard.origin.place, text, answering=answering)


def _unknown(name: str, texts: Texts) -> str:
    commands = ", ".join(f"/{known}" for known in texts.commands)
    near = difflib.get_close_matches(name, list(texts.commands), n=1)
    if near:
        return texts.unknown_command_near.format(given=name, near=near[0], commands=commands)
    return texts.unknown_command.format(given=name, commands=commands)


def _section(title: str, records: Sequence[Record], texts: Texts) -> str:
    if not records:
        return ""
    lines = "\n".join(f"• {_dated(record, texts)}  [{record.short_id}]" for record in records)
    return f"{title}\n{lines}"


def _dated(record: Record, texts: Texts) -> str:
    if record.kind is Kind.SUMMARY:
        return f"{record.created_at:%Y-%m-%d}: {record.text}"
    return _shown(record, texts)


def _shown(record: Record, texts: Texts) -> str:
    """A record as it is said to the person: facts and preferences are kept in their own words."""
    if record.kind is Kind.SUMMARY:
        return record.text
    if name := agent_name_of(record):
        return texts.memory_name.format(name=name)
    return second_person(record.text)


def _paragraphs(*paragraphs: str) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
