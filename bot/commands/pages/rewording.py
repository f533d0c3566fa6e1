"""Putting a record into other words: the question for them, and what comes of the answer."""

from functools import partial

from bot.commands.pages import pages
from bot.commands.pages.panels import (
    Button,
    Page,
    Panels,
    secret_of,
)
from bot.commands.questions import Awaited, yes_or_no
from bot.people.privacy import Privacy
from bot.telegram.intake.reading import Click, Heard
from bot.texts import Texts
from memory.errors import RefusedText, UnknownRecord
from memory.memory import Memory
from memory.records import Kind


class Rewording:
    """Asks for the new words of a record in a panel of the browser. In a private chat the very next
    message is these words, and the panel shows what came of them; in a group, where the bot may not
    get such a message, it says how /edit does it. All raise StoreUnavailable."""

    def __init__(self, memory: Memory, panels: Panels, awaited: Awaited, privacy: Privacy) -> None:
        self._memory, self._panels = memory, panels
        self._awaited, self._privacy = awaited, privacy

    async def open(self, heard: Heard, short_id: str, texts: Texts) -> None:
        """Ask in a panel of its own. Raises UnknownRecord, also for what has no other words."""
        record = await self._memory.known.find(heard.origin.actor, short_id)
        if record.kind is Kind.SUMMARY or not record.current:
            raise UnknownRecord("neither a fact nor a preference that counts")
        opened = await self._panels.open(heard.origin, pages.editing(record, texts, waits=True))
        reads = partial(self._read, opened.secret, short_id)
        self._awaited.expect(heard, opened.message_id, reads)

    async def ask(self, click: Click, short_id: str, texts: Texts) -> None:
        """Ask in the panel that was clicked."""
        waits = click.origin.is_private
        try:
            record = await self._memory.known.find(click.origin.actor, short_id)
        except UnknownRecord:
            await self._panels.show(click, pages.gone(texts))
            return
        if await self._privacy.is_on(click.origin.actor, click.origin.place):
            await self._panels.show(click, _refused(short_id, texts))
            return
        shown = await self._panels.show(click, pages.editing(record, texts, waits=waits))
        if waits:
            self._awaited.expect(click, shown, partial(self._read, secret_of(click), short_id))

    async def take(self, click: Click, short_id: str, texts: Texts) -> None:
        """Keep what was written as the new words, and let the panel show it."""
        await self._panels.show(click, await self._outcome(click, short_id, texts))

    async def _outcome(self, click: Click, short_id: str, texts: Texts) -> Page:
        actor = click.origin.actor
        if await self._privacy.is_on(actor, click.origin.place):
            return _refused(short_id, texts)
        try:
            record = await self._memory.known.find(actor, short_id)
            return pages.reworded(
                await self._memory.known.revise(actor, short_id, click.words),
                texts,
                self._memory.rules,
            )
        except UnknownRecord:
            return pages.gone(texts)
        except RefusedText as refusal:
            return pages.unchanged(record, refusal.reason, texts)

    def _read(self, secret: str, short_id: str, answer: Heard, panel: int) -> Click:
        """The answer, as a press of a button: for words, of one that the panel does not show."""
        verb = "show" if yes_or_no(answer.words) is False else "reword"
        return answer.pressing(panel, self._panels.data(secret, f"{verb}:{short_id}"))


def _refused(short_id: str, texts: Texts) -> Page:
    return Page(texts.private_refused, ((Button(texts.button_back, f"show:{short_id}"),),))
