"""The commands by which the bot introduces itself: /start and /help."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.greeting import Greetings
from bot.telegram.reading import Heard
from bot.telegram.texts import Texts
from bot.telegram.voice import Voice, paragraphs
from memory.errors import StoreUnavailable
from memory.service import Memory


@dataclass(frozen=True, slots=True)
class About:
    """Facts about this bot that its texts tell: what it is called as long as nobody gave it another
    name, which models write its answers (none: it has rules only), the first one if it can, and
    whether it remembers."""

    agent_name: str = "Mordecai"
    models: tuple[str, ...] = ()
    memory_enabled: bool = True


class Introduction:
    """Says who the bot is, what it keeps and what it can do."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        about: About,
        greetings: Greetings,
        is_owner: Callable[[int], bool],
    ) -> None:
        """Owners' commands are carried out elsewhere; /help tells owners of them."""
        self._memory, self._voice, self._about = memory, voice, about
        self._greetings, self._is_owner = greetings, is_owner
        self.table = {"start": self._start, "help": self._help}

    async def _start(self, heard: Heard, argument: str, texts: Texts) -> None:
        name = await self._agent_name(heard)
        keeps = texts.start_keeps if self._about.memory_enabled else texts.start_forgets
        greeting = await self._greetings.sentence(heard.origin.actor, texts.greeting_topics)
        await self._voice.say(
            heard,
            paragraphs(
                texts.start.format(name=name),
                keeps,
                _engine(self._about.models, texts),
                greeting or "",
            ),
        )

    async def _help(self, heard: Heard, argument: str, texts: Texts) -> None:
        known = dict(texts.commands)
        if heard.origin.is_private and self._is_owner(heard.origin.user_id):
            known |= texts.owner_commands
        lines = "\n".join(f"/{name} – {what}" for name, what in known.items())
        engine = _engine(self._about.models, texts)
        await self._voice.say(heard, paragraphs(texts.help.format(commands=lines), engine))

    async def _agent_name(self, heard: Heard) -> str:
        """A greeting does not fail because the memory does."""
        try:
            name = await self._memory.agent_name(heard.origin.actor)
        except StoreUnavailable:
            name = None
        return name or self._about.agent_name


def _engine(models: Sequence[str], texts: Texts) -> str:
    """What writes the answers."""
    if not models:
        return texts.engine_none
    sentences = [texts.engine.format(model=models[0])]
    if len(models) > 1:
        sentences.append(texts.engine_instead.format(models=", ".join(models[1:])))
    return " ".join(sentences)
