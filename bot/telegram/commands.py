"""The commands: which there are, who may give them, and what a press of a button belongs to."""

import difflib
from collections.abc import Awaitable, Callable, Mapping

import structlog

from bot.telegram.browser import Browser
from bot.telegram.forget_all import ForgetAll
from bot.telegram.groups import Groups
from bot.telegram.privacy import Privacy
from bot.telegram.reading import Click, Command, Heard, Origin
from bot.telegram.sender import Sender
from bot.telegram.settings_panel import SettingsPanel
from bot.telegram.texts import Sentence, Texts
from bot.telegram.voice import Voice
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: Carries out one command: the message, what follows the command, and the bot's texts.
Work = Callable[[Heard, str, Texts], Awaitable[None]]

#: What only a group's admins may do there: it shows or changes what is remembered of everybody.
_ADMINS_ONLY = frozenset(("memory", "search", "forget", "edit", "export", "settings"))
#: What they alone may change there, and everybody see.
_ADMINS_CHANGE = frozenset(("language", "timezone"))


class Commands:
    """Carries out commands and clicks, in the lane of the place they were given in."""

    def __init__(
        self,
        table: Mapping[str, Work],
        voice: Voice,
        sender: Sender,
        groups: Groups,
        privacy: Privacy,
        forget_all: ForgetAll,
        panels: tuple[Browser | SettingsPanel, ...],
    ) -> None:
        """`table` is what there is to do by command; `panels` have buttons, as the question of
        /forget all does."""
        self._table, self._voice, self._sender = table, voice, sender
        self._groups, self._privacy = groups, privacy
        self._forget_all, self._panels = forget_all, panels

    def knows(self, command: Command) -> bool:
        """Whether there is such a command. /stop and /ask are two, though not carried out here."""
        return command.name in self._table or command.name in ("stop", "ask")

    async def run(self, heard: Heard, command: Command) -> None:
        """Carry out a command and say what came of it."""
        texts = await self._voice.texts(heard.origin)
        work = self._table.get(command.name)
        if work is None:
            await self._voice.say(heard, _unknown(command.name, texts))
            return
        if not await self._may(heard, command):
            await self._voice.say(heard, texts.admins_only)
            return
        try:
            if await self._privacy.forbids(command, heard.origin.actor, heard.origin.place):
                await self._voice.say(heard, texts.private_refused)
                return
            await work(heard, command.argument, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command=command.name, error=str(failure))
            await self._voice.say(heard, texts.memory_unavailable)

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        panel = self._panel_of(click)
        return panel.panels.refusal_of(click) if panel else self._forget_all.refusal_of(click)

    async def run_click(self, click: Click) -> None:
        """Carry out a click that is not refused; its message becomes the outcome."""
        texts, panel = await self._voice.texts(click.origin), self._panel_of(click)
        if panel is None:
            may = await self._may_manage(click.origin)
            await self._forget_all.press(click, texts, may_manage=may)
            return
        try:
            await panel.press(click, texts)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command="click", error=str(failure))
            place, message = click.origin.place, click.message_id
            await self._sender.replace_text(place, message, texts.memory_unavailable)

    def _panel_of(self, click: Click) -> Browser | SettingsPanel | None:
        return next((panel for panel in self._panels if panel.panels.has(click)), None)

    async def _may(self, heard: Heard, command: Command) -> bool:
        changes = command.name in _ADMINS_CHANGE and bool(command.argument)
        free = command.name not in _ADMINS_ONLY and not changes
        return free or await self._may_manage(heard.origin)

    async def _may_manage(self, origin: Origin) -> bool:
        """Whether this person may see and change what is remembered here."""
        return origin.is_private or await self._groups.is_admin(origin.place, origin.user_id)


def _unknown(name: str, texts: Texts) -> str:
    commands = ", ".join(f"/{known}" for known in texts.commands)
    near = difflib.get_close_matches(name, list(texts.commands), n=1)
    if near:
        return texts.unknown_command_near.format(given=name, near=near[0], commands=commands)
    return texts.unknown_command.format(given=name, commands=commands)
