"""The commands by which people set something for themselves."""

from collections.abc import Awaitable, Callable

from bot.telegram.personal import PersonalSettings
from bot.telegram.reading import Heard
from bot.telegram.settings_panel import SettingsPanel
from bot.telegram.texts import Texts
from memory.errors import RefusedText
from memory.moments import LANGUAGES, base_language
from memory.service import Memory

#: Answers a message: what the commands do.
Say = Callable[[Heard, str], Awaitable[None]]


class SettingsCommands:
    """/settings with its buttons, and /language and /timezone for who likes to type. All raise
    StoreUnavailable."""

    def __init__(
        self,
        memory: Memory,
        personal: PersonalSettings,
        panel: SettingsPanel,
        say: Say,
        *,
        enabled: bool,
    ) -> None:
        """Where the memory is not `enabled`, there is nothing to keep a choice in."""
        self._memory, self._personal, self._panel = memory, personal, panel
        self._say, self._enabled = say, enabled

    async def settings(self, heard: Heard, argument: str, texts: Texts) -> None:
        """Show all settings."""
        if not self._enabled:
            await self._say(heard, texts.memory_off)
            return
        answering = None if heard.origin.is_private else heard.message_id
        await self._panel.open(heard.origin, texts, answering)

    async def language(self, heard: Heard, argument: str, texts: Texts) -> None:
        """Show the language, or change it."""
        actor = heard.origin.actor
        if not self._enabled:
            await self._say(heard, texts.memory_off)
            return
        examples = ", ".join(f"{code} ({known.name})" for code, known in LANGUAGES.items())
        if not argument:
            current = (await self._memory.profile(actor)).language or heard.origin.language or "en"
            spoken = LANGUAGES.get(base_language(current))
            shown = f"{current} ({spoken.name})" if spoken else current
            await self._say(heard, texts.language_current.format(name=shown, examples=examples))
            return
        try:
            language = await self._memory.set_language(actor, argument)
        except RefusedText:
            await self._say(
                heard, texts.language_unknown.format(given=argument[:40], examples=examples)
            )
        else:
            texts = await self._personal.texts(actor, heard.origin.language)
            name = LANGUAGES[base_language(language)].name
            await self._say(heard, texts.language_set.format(name=f"{language} ({name})"))

    async def time_zone(self, heard: Heard, argument: str, texts: Texts) -> None:
        """Show the time zone, or change it."""
        actor = heard.origin.actor
        if not self._enabled:
            await self._say(heard, texts.memory_off)
            return
        if not argument:
            chosen = (await self._memory.profile(actor)).time_zone
            here = self._memory.local_time(actor)
            name = chosen or str(here.tzinfo)
            await self._say(heard, texts.time_zone_current.format(name=name, time=f"{here:%H:%M}"))
            return
        try:
            name = await self._memory.set_time_zone(actor, argument)
        except RefusedText:
            await self._say(heard, texts.time_zone_unknown.format(given=argument[:40]))
        else:
            await self._memory.profile(actor)
            here = self._memory.local_time(actor)
            await self._say(heard, texts.time_zone_set.format(name=name, time=f"{here:%H:%M}"))
