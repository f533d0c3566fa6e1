"""The assistant: a function from an inbound to the replies to it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial

import structlog

from bot.assistant.context import Context
from bot.assistant.events import SILENCE, Conversing, Event, Reply
from bot.assistant.failures import log_error
from bot.assistant.files import Transcription
from bot.assistant.inbound import Click, Command, GroupJoin, Inbound, Message, Origin
from bot.commands.introduction import hello_to_group
from bot.commands.pages.effects import show_effects
from bot.commands.questions import Questions
from bot.commands.resuming import Resuming
from bot.commands.session import announce_ending
from bot.commands.table import Commands
from bot.people.personal import PRIVATE_MARK
from bot.people.usage import Usage
from bot.texts import texts_in
from memory.background.pacing import Throttle
from memory.background.work import log_outage
from memory.errors import StoreUnavailable
from memory.records import Actor, Place
from memory.safety.escaping import is_blank

_log = structlog.get_logger(__name__)

#: A backlog gets one apology, however many messages it has.
_APOLOGY_SECONDS = 600.0


class Assistant:
    """Answers the inbounds of all channels. It sends nothing: the channel delivers the replies."""

    def __init__(
        self,
        conversation: Conversing,
        commands: Commands,
        context: Context,
        *,
        longest_text: int = 16_000,
        leaves_strangers: bool = True,
    ) -> None:
        """`longest_text` is in characters. `leaves_strangers`: leave a group if the person who
        added the bot may not use it."""
        self._commands, self._context = commands, context
        self.people, self.health, self._memory = context.people, context.health, context.memory
        self._longest, self._leaves_strangers = longest_text, leaves_strangers
        self._apologies = Throttle(_APOLOGY_SECONDS)
        self.resuming = Resuming(conversation, context)
        self.questions = Questions(context.panels.rows, context.memory.clock)
        context.memory.on_saved(partial(announce_ending, context))

    async def respond(
        self, said: Inbound, on_admitted: Callable[[Inbound], object] | None = None
    ) -> AsyncGenerator[Event, None]:
        """Yield the reply to an inbound and the events before it; no event at all means silence.
        `on_admitted` gets the inbound that is answered, before it is."""
        if isinstance(said, Click):
            await self.questions.note(said)
        admitted = await self.admit(said)
        if isinstance(admitted, Message) and admitted is not said:
            # A press that an earlier process may have answered.
            admitted = await self.resuming.recorded_reply(admitted) or admitted
        if not isinstance(admitted, Reply):
            if on_admitted:
                on_admitted(admitted)
            async with aclosing(self.answer(admitted)) as events:
                async for event in events:
                    yield event
        elif not admitted.silent:
            yield admitted

    async def admit(self, said: Inbound, *, late: bool = False) -> Inbound | Reply:
        """Check access, limits and open questions. Returns the inbound to answer (a typed answer
        becomes the click it stands for; Continue, Answer again and /retry become a message), or the
        Reply that refuses it. An inbound that is too `late` gets an apology.

        Call it once for each, on arrival: it counts towards the limits, and only the very next
        message answers an open question."""
        if refusal := await self.people.refuse(said):
            return refusal
        if isinstance(said, Click):
            return await self._admit_click(said)
        typed = said.argument if isinstance(said, Command) else said.words
        self.people.personal.note(said.origin, typed)
        meant: Inbound = said
        if isinstance(said, Message):
            meant = await self.questions.match(said) or said
        else:
            await self.questions.note(said)
        if late:
            return await self._apology(said)
        match meant:
            case Click():
                return await self._admit_click(meant)
            case Command():
                if self.resuming.is_for(meant):
                    return await self._resume(meant)
                return SILENCE if self._commands.ignores(meant) else meant
            case _:
                return await self._refuse_talk(meant) or meant

    async def answer(self, said: Inbound) -> AsyncGenerator[Event, None]:
        """Answer an admitted inbound, in its turn. Unexpected errors are raised."""
        context = replace(self._context, texts=await self.people.texts(said.origin))
        if handler := self._commands.match(said):
            reply = await self._complete(await handler(said, context), said.origin, context)
            if not reply.silent:
                yield reply
        elif isinstance(said, Message):
            async with aclosing(self.resuming.converse(said, context.texts)) as events:
                async for event in events:
                    if isinstance(event, Reply):
                        event = await show_effects(event, said, context)
                        event = await self._complete(event, said.origin, context)
                    yield event

    async def note_delivery(self, said: Inbound, reply: Reply, message_id: int | None) -> None:
        """Note that the channel sent a reply under this id (None: it may not have arrived). From
        now on the person can answer its question by typing."""
        if message_id is not None and reply.markdown and isinstance(said, Message):
            self.resuming.note_answer(said, reply, message_id)
        if message_id is not None and reply.question:
            await self.questions.expect(said, reply.question, message_id)

    def drop(self, actor: Actor) -> None:
        """Forget what is in RAM of an actor who may be at another worker now."""
        for part in (self.questions, self.resuming, self._context.panels):
            part.drop(actor)

    async def limit(self, said: Message) -> Reply | None:
        """Count a message, or an edit that restarts a reply: it costs as much. Beyond a limit,
        returns the refusal."""
        refusal = await self.people.limit(said)
        return await self._with_private_mark(refusal, said.origin) if refusal else None

    def apologize(self, place: Place, error: Exception) -> Reply:
        """Log an unexpected error. Returns the reply to it; both have the same id. Reads nothing:
        the memory may be what failed."""
        self.health.errors += 1
        error_id = log_error(error, place)
        texts = self.people.personal.texts_at_hand(place)
        return Reply(texts.failed.format(id=error_id), private=False, error_id=error_id)

    async def join(self, joined: GroupJoin) -> tuple[Reply, bool]:
        """The reply to being added to a group, and whether to stay."""
        texts = texts_in(joined.language)
        if self._leaves_strangers and not await self.people.access.admits(joined.user_id):
            return Reply(texts.group_not_welcome, private=False), False
        return Reply(hello_to_group(replace(self._context, texts=texts)), private=False), True

    async def is_private(self, origin: Origin) -> bool:
        """True in a private session, which is not kept. Never fails."""
        return await self.people.personal.seems_private(origin.actor, origin.place)

    async def move(self, old: Place, new: Place) -> None:
        """Move a group's memory and usage to its new id: the group has become a supergroup. Safe to
        repeat after an interruption. Raises StoreUnavailable."""
        actor, to = Actor.group(old.chat_id), Actor.group(new.chat_id)
        await self._memory.move(actor, to, old, new)
        await self._context.usage.move(actor, to)

    async def count_recording(self, said: Message, transcription: Transcription) -> None:
        """Add the cost of a recording, even one without words, to the usage. Never fails."""
        origin = said.origin
        try:
            session = (await self._memory.talk.session_now(origin.actor, origin.place)).id
        except StoreUnavailable:
            session = ""
        usage = Usage.of_recording(transcription.length, transcription.cost)
        self._context.usage.note_recording(origin.actor, session, usage, origin.user_id)

    # -- inside -----------------------------------------------------------------------------------

    async def _admit_click(self, click: Click) -> Inbound | Reply:
        if self.resuming.is_for(click):
            return await self._resume(click)
        texts = await self.people.texts(click.origin)
        refusal = await self._commands.refuse(click, replace(self._context, texts=texts))
        return await self._with_private_mark(refusal, click.origin) if refusal else click

    async def _resume(self, said: Command | Click) -> Message | Reply:
        meant = await self.resuming.resume(said)
        if isinstance(meant, Message):
            return await self._refuse_talk(meant) or meant
        return await self._with_private_mark(meant, said.origin)

    async def _refuse_talk(self, said: Message) -> Reply | None:
        length = len(said.text)
        if not (is_blank(said.text) or length > self._longest):
            # No language is looked up for a message that will be answered: everybody would wait.
            return await self.limit(said)
        texts = await self.people.texts(said.origin)
        if length > self._longest:
            text = texts.too_long.format(length, longest=self._longest)
        else:
            text = texts.empty
        return await self._with_private_mark(Reply(text), said.origin)

    async def _apology(self, said: Message | Command) -> Reply:
        """Apologize once per place for not answering the messages of an outage."""
        if not self._apologies.allow(said.origin.place):
            return SILENCE
        texts = await self.people.texts(said.origin)
        return await self._with_private_mark(Reply(texts.stale), said.origin)

    async def _complete(self, reply: Reply, origin: Origin, context: Context) -> Reply:
        """The reply with the private mark, and with the news that memories could not be read if
        there is such news. What its buttons act on is on the disk then."""
        await context.panels.save()
        reply = await self._with_private_mark(reply, origin)
        if reply.note or not (reply.text and self._memory.losses.has_loss_to_tell(origin.actor)):
            return reply
        with log_outage(_log, "memory_unavailable"):
            await self._memory.losses.note_loss_told(origin.actor)
        return reply.with_footer(context.texts.memory_lost)

    async def _with_private_mark(self, reply: Reply, origin: Origin) -> Reply:
        """The reply with `private` filled in."""
        if reply.private is not None:
            return reply
        if reply.text.startswith(PRIVATE_MARK):
            return replace(reply, private=False)
        return replace(reply, private=await self.is_private(origin))
