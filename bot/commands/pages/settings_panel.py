"""The panel of /settings: what somebody can set for themselves, by its buttons."""

from collections.abc import Awaitable, Callable

from bot.commands.pages import settings_pages as pages
from bot.commands.pages.panels import (
    Button,
    Page,
    Panels,
    action_of,
)
from bot.people.personal import PersonalSettings
from bot.telegram.delivery.preview import Previews
from bot.telegram.intake.reading import Click, Origin
from bot.telegram.voice import Voice
from bot.texts import Texts
from memory.errors import RefusedText
from memory.memory import Memory
from memory.records import Actor, Choice, Place

#: What the panel has buttons for; the name has a command of its own.
_OFFERED = frozenset(Choice) - {Choice.AGENT_NAME}


class SettingsPanel:
    """Shows and changes the settings of an actor."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        personal: PersonalSettings,
        previews: Previews,
        is_private: Callable[[Actor, Place], Awaitable[bool]],
    ) -> None:
        """`is_private` says whether a conversation is one of which nothing is kept: then neither is
        a choice."""
        self._memory, self._personal, self._previews = memory, personal, previews
        self._is_private = is_private
        self.panels = Panels("s", "settings", voice)

    async def open(self, origin: Origin, texts: Texts, answering: int | None = None) -> None:
        """Send the first page. Raises StoreUnavailable."""
        page = pages.overview(await self._shown(origin), texts)
        await self.panels.open(origin, page, answering)

    async def press(self, click: Click, texts: Texts) -> None:
        """Turn to the page that a button leads to, after what it sets. Raises StoreUnavailable."""
        verb, _, argument = action_of(click).partition(":")
        if verb == "set":
            page = await self._set(click.origin, argument, texts)
        else:
            page = _page(verb, argument, await self._shown(click.origin), texts)
        await self.panels.show(click, page)

    async def _set(self, origin: Origin, argument: str, texts: Texts) -> Page:
        slot, _, value = argument.partition(":")
        if await self._is_private(origin.actor, origin.place):
            return Page(texts.private_refused, ((Button(texts.button_back, "home"),),))
        try:
            # What a button says may be made up: only what can be chosen is kept.
            if slot in _OFFERED and value:
                await self._memory.choices.set(origin.actor, Choice(slot), value)
            elif slot in _OFFERED:
                await self._memory.choices.unset(origin.actor, Choice(slot))
        except RefusedText:
            pass
        texts = await self._personal.texts(origin.actor, origin.language)
        return pages.overview(await self._shown(origin), texts)

    async def _shown(self, origin: Origin) -> pages.Shown:
        """What there is to show. Raises StoreUnavailable."""
        actor = origin.actor
        await self._memory.choices.read(actor)
        return pages.Shown(
            await self._personal.choices(actor),
            origin.language,
            self._memory.choices.local_time(actor),
            self._previews.offered(actor),
            self._previews.default,
            origin.is_private,
        )


def _page(verb: str, argument: str, shown: pages.Shown, texts: Texts) -> Page:
    if verb == "zones":
        return pages.zones(argument, shown, texts)
    turned_to = {
        "language": pages.languages_page,
        "length": pages.lengths,
        "streaming": pages.streamings,
    }
    return turned_to.get(verb, pages.overview)(shown, texts)
