"""The assistant: what the bot does, as a function from what was said to what is to be said."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from bot.assistant.context import Context
from bot.assistant.events import SILENCE, Conversing, Event, Notice, Reply
from bot.assistant.files import Transcript
from bot.assistant.inbound import Click, Command, Inbound, Joined, Message, Origin
from bot.commands.introduction import hello_to_group
from bot.commands.table import Commands
from bot.people.personal import Streaming
from bot.people.privacy import PRIVATE_MARK
from bot.people.usage import Usage
from bot.texts import Texts, texts_in
from memory.background.pacing import Throttle
from memory.errors import StoreUnavailable
from memory.records import Actor, Place, Role, Session, Utterance
from memory.safety.escaping import is_blank

_log = structlog.get_logger(__name__)

#: How often the guest book is read for whom the command line has let in, in seconds.
GUESTS_SECONDS = 5.0
Sleep = Callable[[float], Awaitable[object]]
#: A backlog gets one apology, however many messages it has.
_APOLOGY_SECONDS = 600.0


class Assistant:
    """Answers what channels hand over. It sends nothing: a channel delivers what comes back."""

    def __init__(
        self,
        conversation: Conversing,
        commands: Commands,
        context: Context,
        *,
        longest_text: int = 16_000,
        leaves_strangers: bool = True,
    ) -> None:
        """A message is answered up to `longest_text` characters. `leaves_strangers`: the bot leaves
        groups that somebody who may not use it has added it to."""
        self._conversation, self._commands, self._context = conversation, commands, context
        self.people, self.health, self._memory = context.people, context.health, context.memory
        self._longest, self._leaves_strangers = longest_text, leaves_strangers
        self._apologies = Throttle(_APOLOGY_SECONDS)
        context.memory.on_saved(self._announce_ending)

    async def respond(self, said: Inbound) -> AsyncGenerator[Event, None]:
        """Everything that is to be said to an inbound; nothing at all means silence."""
        if isinstance(said, Click):
            self.note(said)
        admitted = await self.admit(said)
        if not isinstance(admitted, Reply):
            async with aclosing(self.answer(admitted)) as events:
                async for event in events:
                    yield event
        elif not admitted.silent:
            yield admitted

    async def admit(self, said: Inbound, *, late: bool = False) -> Inbound | Reply:
        """Access, limits and open questions: the inbound as it is meant (a typed answer is a press
        of the button), or the Reply that refuses it. What comes too `late` gets an apology.

        Call it once for each message and command as it arrives, because limits count there and an
        open question is answered by the very next message. A click may be asked about again."""
        if refusal := await self.people.refuse(said):
            return refusal
        if isinstance(said, Click):
            return await self._refuse_click(said) or said
        self.people.personal.note(said.origin)
        meant: Inbound = said
        if isinstance(said, Message):
            meant = self._commands.questions.match(said) or said
        else:
            self._commands.questions.note(said)
        if late:
            return await self._apology(said)
        match meant:
            case Click():
                return await self._refuse_click(meant) or meant
            case Command():
                return SILENCE if self._commands.ignores(meant) else meant
            case _:
                return await self._refuse_talk(meant) or meant

    def note(self, click: Click) -> None:
        """A button was pressed: no question waits for this person's words any more."""
        self._commands.questions.note(click)

    async def answer(self, said: Inbound) -> AsyncGenerator[Event, None]:
        """Carry out what was admitted, in its turn. Raises whatever breaks unexpectedly."""
        texts = await self.people.texts(said.origin)
        if handler := self._commands.match(said):
            reply = await handler(said, replace(self._context, texts=texts))
            if not reply.silent:
                yield await self._marked(reply, said.origin)
        elif isinstance(said, Message):
            async with aclosing(self._conversation.reply(said)) as events:
                async for event in events:
                    if isinstance(event, Reply):
                        self.health.errors += bool(event.failure)
                        event = await self._marked(_in_their_language(event, texts), said.origin)
                    yield event

    def delivered(self, said: Inbound, reply: Reply, message_id: int | None) -> None:
        """The channel has sent a reply under this id (None: it may not have arrived); from now on
        its question can be answered by typing."""
        if reply.question:
            self._commands.questions.expect(said, reply.question, message_id)

    async def limit(self, changed: Message) -> Reply | None:
        """What an edit that begins a reply again costs: as much as a message."""
        reply = await self.people.limit(changed)
        return await self._marked(reply, changed.origin) if reply else None

    async def interrupted(self, said: Message, written: str) -> None:
        """A reply was stopped after this much of it: let the conversation go on from there. It goes
        no further than the session: nobody knows what a tool did on the way."""
        origin = said.origin
        turn = (
            Utterance(Role.USER, said.text, said.at, origin.speaker),
            Utterance(Role.ASSISTANT, written, datetime.now(UTC)),
        )
        private = await self.is_private(origin)
        try:
            await self._memory.talk.record(
                origin.actor, origin.place, turn, name=said.id, kept=False, private=private
            )
        except StoreUnavailable as failure:
            _log.warning("journal_unavailable", error=str(failure))

    async def recorded(self, said: Message) -> Reply | None:
        """The reply to a message that is on record already: a process that was killed may have
        recorded it and not sent it."""
        try:
            text = await self._memory.talk.answer(said.origin.actor, said.id)
        except StoreUnavailable as failure:
            _log.warning("journal_unavailable", error=str(failure))
            return None
        return None if text is None else await self.kept(said, text)

    async def kept(self, said: Inbound, text: str) -> Reply:
        """A reply that was made before, as it is to be delivered now."""
        return await self._marked(Reply(text, markdown=True), said.origin)

    async def apologize(self, place: Place, error_id: str) -> Reply:
        """What is said where something broke; the operator's log knows it by `error_id`."""
        texts = await self.people.personal.texts_at(place)
        return Reply(texts.failed.format(id=error_id), private=False, error_id=error_id)

    async def join(self, joined: Joined) -> tuple[Reply, bool]:
        """What the bot says in a group that it was added to, and whether it stays."""
        texts = texts_in(joined.language)
        if self._leaves_strangers and not await self.people.access.admits(joined.user_id):
            return Reply(texts.group_not_welcome, private=False), False
        return Reply(hello_to_group(replace(self._context, texts=texts)), private=False), True

    async def is_private(self, origin: Origin) -> bool:
        """True if nothing that is said there is kept. Never fails."""
        return await self.people.privacy.marks(origin.actor, origin.place)

    async def streaming(self, origin: Origin) -> Streaming | None:
        """How this person wants to see a reply grow; None if they have chosen nothing."""
        return await self.people.personal.streaming(origin.actor)

    async def texts(self, origin: Origin) -> Texts:
        """The bot's texts for whoever wrote. Never fails."""
        return await self.people.texts(origin)

    async def notices(self, sleep: Sleep = asyncio.sleep) -> AsyncGenerator[Notice, None]:
        """What is to be said unasked, as it comes up; never ends. One counts as taken when the next
        one is asked for."""
        channel = self._context.channel.name
        watch = asyncio.create_task(self._watch_guests(channel, sleep), name="guests")
        try:
            while True:
                place, sentence = await self.people.notices.get()
                try:
                    if place.channel == channel:
                        texts = await self.people.personal.texts_at(place)
                        yield Notice(place, Reply(sentence(texts), private=False))
                finally:
                    self.people.notices.taken()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def announced(self) -> None:
        """Return when all notices so far were taken."""
        await self.people.notices.settle()

    async def move(self, old: Place, new: Place) -> None:
        """A group has become a supergroup, with another id: what is known of it goes along. Done
        again, it completes what was broken off. Raises StoreUnavailable."""
        actor, to = Actor.group(old.chat_id), Actor.group(new.chat_id)
        await self._memory.move(actor, to, old, new)
        await self._context.usage.move(actor, to)

    async def count_recording(self, said: Message, transcript: Transcript) -> None:
        """Put what a recording cost, with words in it or not, to the account. Never fails."""
        origin = said.origin
        try:
            session = (await self._memory.talk.session_now(origin.actor, origin.place)).id
        except StoreUnavailable:
            session = ""
        usage = Usage.of_recording(transcript.length, transcript.cost)
        self._context.usage.note_recording(origin.actor, session, usage, origin.user_id)

    # -- inside -----------------------------------------------------------------------------------

    async def _refuse_click(self, click: Click) -> Reply | None:
        texts = await self.people.texts(click.origin)
        refusal = await self._commands.refuse(click, replace(self._context, texts=texts))
        return await self._marked(refusal, click.origin) if refusal else None

    async def _refuse_talk(self, said: Message) -> Reply | None:
        length = len(said.text)
        if not (said.unreadable or is_blank(said.text) or length > self._longest):
            # What is answered looks up nobody's language: everybody waits meanwhile.
            refusal = await self.people.limit(said)
            return await self._marked(refusal, said.origin) if refusal else None
        texts = await self.people.texts(said.origin)
        if said.unreadable:
            text = texts.only_text
        elif length > self._longest:
            text = texts.too_long.format(length, longest=self._longest)
        else:
            text = texts.empty
        return await self._marked(Reply(text), said.origin)

    async def _apology(self, said: Message | Command) -> Reply:
        """Say once that what waited while the bot was away is not answered."""
        if not self._apologies.allow(said.origin.place):
            return SILENCE
        return await self._marked(Reply((await self.texts(said.origin)).stale), said.origin)

    async def _marked(self, reply: Reply, origin: Origin) -> Reply:
        """The reply with what is still open about it: whether it bears the mark of a private
        conversation."""
        if reply.private is not None:
            return reply
        if reply.text.startswith(PRIVATE_MARK):
            return replace(reply, private=False)
        return replace(reply, private=await self.is_private(origin))

    async def _announce_ending(self, session: Session) -> None:
        """A session was saved and nobody waited for it, or a private one is over by itself."""
        if session.private:
            self.people.notices.put(session.place, lambda texts: texts.private_over)
            try:
                await self._context.channel.scrub()
            except StoreUnavailable as failure:
                _log.warning("inbox_unavailable", error=str(failure))
        else:
            self.people.notices.put(session.place, lambda texts: self._saved(session, texts))

    def _saved(self, session: Session, texts: Texts) -> str:
        """That a conversation was saved, and why it is over if nobody ended it."""
        limits = self._memory.options.limits
        if session.message_count >= limits.max_conversation_messages:
            return f"{texts.saved}\n{texts.saved_full.format(session.message_count)}"
        silent = self._memory.choices.local_time(session.actor) - session.last_at
        return (
            f"{texts.saved}\n{texts.saved_idle}" if silent >= limits.session_idle else texts.saved
        )

    async def _watch_guests(self, channel: str, sleep: Sleep) -> None:
        while True:
            await sleep(GUESTS_SECONDS)
            await self.people.announce_guests(channel)


def _in_their_language(reply: Reply, texts: Texts) -> Reply:
    """A failure as the bot says it in this language; an empty answer as a sentence."""
    if not reply.failure:
        return replace(reply, text=texts.no_answer) if is_blank(reply.text) else reply
    number = f" {texts.error_number.format(id=reply.error_id)}" if reply.error_id else ""
    return replace(reply, text=texts.failures.get(reply.failure, reply.text) + number)
