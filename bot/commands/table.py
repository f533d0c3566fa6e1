"""The commands: which there are, who may give them, and what a press of a button belongs to."""

import difflib
from collections.abc import Awaitable, Callable, Mapping

import structlog

from bot.commands.forget_all import ForgetAll
from bot.commands.pages.browser import Browser
from bot.commands.pages.settings_panel import SettingsPanel
from bot.people.privacy import Privacy
from bot.telegram.intake.groups import Groups
from bot.telegram.intake.reading import (
    Click,
    Command,
    Heard,
    Origin,
)
from bot.telegram.voice import Voice
from bot.texts import Sentence, Texts
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: Carries out one command: the message, what follows the command, and the bot's texts.
Work = Callable[[Heard, str, Texts], Awaitable[None]]

#: What only a group's admins may do there: it shows or changes what is remembered of everybody.
_ADMINS_ONLY = frozenset(("memory", "search", "forget", "edit", "export", "private"))
#: What they alone may set there; everybody may see language and time zone.
_ADMINS_SET = frozenset(("settings", "language", "timezone"))
#: What there is nothing to do for without a memory, which also keeps what people choose.
_OF_MEMORY = frozenset(
    "memory search remember edit export summarize settings language timezone".split()
)


class Commands:
    """Carries out commands and clicks, in the lane of the place they were given in."""

    def __init__(
        self,
        table: Mapping[str, Work],
        owners: Mapping[str, Work],
        voice: Voice,
        groups: Groups,
        privacy: Privacy,
        forget_all: ForgetAll,
        panels: tuple[Browser | SettingsPanel, ...],
        is_owner: Callable[[int], bool],
        *,
        remembers: bool,
    ) -> None:
        """`table` is what there is to do by command, `owners` what there is besides for owners in
        private; `panels` have buttons, as the question of /forget all does. Where nothing
        `remembers`, some of it can't be done."""
        self._table, self._owners = table, owners
        self._voice, self._is_owner = voice, is_owner
        self._groups, self._privacy = groups, privacy
        self._forget_all, self._panels, self._remembers = forget_all, panels, remembers

    def knows(self, command: Command) -> bool:
        """Whether there is such a command. /stop is one, though not carried out here."""
        return command.name in self._table or command.name == "stop"

    async def run(self, heard: Heard, command: Command) -> None:
        """Carry out a command and say what came of it."""
        texts = await self._voice.texts(heard.origin)
        owners = self._owners if self._owns(heard.origin) else {}
        work = self._table.get(command.name) or owners.get(command.name)
        if work is None:
            await self._voice.say(heard, self._unknown(heard, command, texts))
            return
        try:
            if refusal := await self._refusal(heard.origin, command):
                await self._voice.say(heard, refusal(texts))
            else:
                await work(heard, command.argument, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command=command.name, error=str(failure))
            await self._voice.say(heard, texts.memory_unavailable)

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        panel = self._panel_of(click)
        return panel.panels.refusal_of(click) if panel else self._forget_all.refusal_of(click)

    async def forbids(self, click: Click) -> Sentence | None:
        """Why a click that is not refused is not carried out after all: in a group, only its admins
        may press, even where who opened the panel was one. None if it is."""
        if await self._may_manage(click.origin):
            return None
        settings = isinstance(self._panel_of(click), SettingsPanel)
        return _is_for_everybody if settings else _is_of_everybody

    async def run_answer(self, heard: Heard, click: Click) -> None:
        """Carry out a message that answers a question as a press of its button does."""
        if refusal := await self.forbids(click):
            await self._voice.say_sentence(heard, refusal)
        else:
            await self.run_click(click)

    async def run_click(self, click: Click) -> None:
        """Carry out a click that is not refused; its message becomes the outcome."""
        if await self.forbids(click):
            return
        texts, panel = await self._voice.texts(click.origin), self._panel_of(click)
        if panel is None:
            await self._forget_all.press(click, texts)
            return
        try:
            await panel.press(click, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="click", error=str(failure))
            await self._voice.replace(click, texts.memory_unavailable)

    def _panel_of(self, click: Click) -> Browser | SettingsPanel | None:
        return next((panel for panel in self._panels if panel.panels.has(click)), None)

    async def _refusal(self, origin: Origin, command: Command) -> Sentence | None:
        """Why a command is not carried out for this person here; None if it is. Raises
        StoreUnavailable."""
        why = None if origin.is_private else await self._reserved(origin, command)
        if why and not await self._may_manage(origin):
            return why
        if await self._privacy.forbids(command, origin.actor, origin.place):
            return lambda texts: texts.private_refused
        if command.name in _OF_MEMORY and not self._remembers:
            return lambda texts: texts.memory_off
        return None

    async def _reserved(self, origin: Origin, command: Command) -> Sentence | None:
        """Why a command is for a group's admins alone; None if it is for everybody."""
        if command.name in _ADMINS_SET and (command.argument or command.name == "settings"):
            return _is_for_everybody
        # That nothing is kept is not for anybody to end.
        ends_private = command.name == "new" and await self._privacy.is_on(
            origin.actor, origin.place
        )
        return _is_of_everybody if command.name in _ADMINS_ONLY or ends_private else None

    async def _may_manage(self, origin: Origin) -> bool:
        """Whether this person may see and change what is remembered here. Only admins can write in
        the name of a group."""
        known = origin.is_private or origin.is_anonymous
        return known or await self._groups.is_admin(origin.place, origin.user_id)

    def _owns(self, origin: Origin) -> bool:
        """Whether this is an owner in the private chat with the bot."""
        return origin.is_private and self._is_owner(origin.user_id)

    def _unknown(self, heard: Heard, command: Command, texts: Texts) -> str:
        """What is said to a command that there is not: the nearest one, of those that this person
        may give here."""
        known = [*texts.commands, *(texts.owner_commands if self._owns(heard.origin) else ())]
        near = difflib.get_close_matches(command.name, known, n=1)
        if near:
            return texts.unknown_command_near.format(given=command.name, near=near[0])
        return texts.unknown_command.format(given=command.name)


def _is_of_everybody(texts: Texts) -> str:
    return texts.admins_only


def _is_for_everybody(texts: Texts) -> str:
    return texts.admins_only_settings
