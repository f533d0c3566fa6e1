"""The commands by which people set something for themselves."""

from bot.commands.pages.settings_panel import SettingsPanel
from bot.people.personal import PersonalSettings
from bot.telegram.intake.reading import Heard
from bot.telegram.voice import Voice
from bot.texts import Texts, languages
from memory.errors import RefusedText
from memory.knowledge.moments import base_language, known_languages
from memory.memory import Memory
from memory.records import Choice


class SettingsCommands:
    """/settings with its buttons, /name, and /language and /timezone for who likes to type. All
    raise StoreUnavailable."""

    def __init__(
        self,
        memory: Memory,
        personal: PersonalSettings,
        panel: SettingsPanel,
        voice: Voice,
        *,
        agent_name: str,
    ) -> None:
        """`agent_name` is what the bot is called by whoever gave it no other name."""
        self._memory, self._personal, self._panel = memory, personal, panel
        self._say, self._agent_name = voice.say, agent_name
        self.table = {
            "name": self._name,
            "settings": self._settings,
            "language": self._language,
            "timezone": self._time_zone,
        }

    async def _name(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        if not argument:
            name = (await self._memory.choices.read(actor)).agent_name
            template = texts.name_current if name else texts.name_default
            await self._say(heard, template.format(name=name or self._agent_name))
            return
        try:
            name = await self._memory.choices.set(actor, Choice.AGENT_NAME, argument)
        except RefusedText as refusal:
            await self._say(heard, texts.name_refused.format(reason=texts.refusals[refusal.reason]))
        else:
            await self._say(heard, texts.name_set.format(name=name))

    async def _settings(self, heard: Heard, argument: str, texts: Texts) -> None:
        await self._panel.open(heard.origin, texts, heard.answering)

    async def _language(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        examples = ", ".join(f"{code} ({known.name})" for code, known in known_languages().items())
        if not argument:
            current = (
                (await self._memory.choices.read(actor)).language or heard.origin.language or "en"
            )
            spoken = known_languages().get(base_language(current))
            shown = f"{current} ({spoken.name})" if spoken else current
            await self._say(heard, texts.language_current.format(name=shown, examples=examples))
            return
        try:
            language = await self._memory.choices.set(actor, Choice.LANGUAGE, argument)
        except RefusedText:
            await self._say(
                heard, texts.language_unknown.format(given=argument[:40], examples=examples)
            )
        else:
            texts = await self._personal.texts(actor, heard.origin.language)
            code = base_language(language)
            said = texts.language_set.format(name=f"{language} ({known_languages()[code].name})")
            if code not in languages():
                said += f" {texts.language_only_told}"
            await self._say(heard, said)

    async def _time_zone(self, heard: Heard, argument: str, texts: Texts) -> None:
        actor = heard.origin.actor
        if not argument:
            chosen = (await self._memory.choices.read(actor)).time_zone
            here = self._memory.choices.local_time(actor)
            name = chosen or str(here.tzinfo)
            await self._say(heard, texts.time_zone_current.format(name=name, time=f"{here:%H:%M}"))
            return
        try:
            name = await self._memory.choices.set(actor, Choice.TIME_ZONE, argument)
        except RefusedText:
            await self._say(heard, texts.time_zone_unknown.format(given=argument[:40]))
        else:
            await self._memory.choices.read(actor)
            here = self._memory.choices.local_time(actor)
            await self._say(heard, texts.time_zone_set.format(name=name, time=f"{here:%H:%M}"))
