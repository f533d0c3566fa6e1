"""How the bot introduces itself: /start, /help, its hello to a group, /ask without a question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.assistant.greeting import Greetings
from bot.telegram.delivery.menu import group_menu
from bot.telegram.intake.groups import Groups
from bot.telegram.intake.reading import Heard
from bot.telegram.voice import Voice, paragraphs
from bot.texts import Texts
from memory.errors import StoreUnavailable
from memory.memory import Memory


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
        groups: Groups,
        is_owner: Callable[[int], bool],
    ) -> None:
        """To whom `is_owner`, by numeric id, /help tells of owners' commands, too."""
        self._memory, self._voice, self._about = memory, voice, about
        self._greetings, self._groups, self._is_owner = greetings, groups, is_owner
        self.table = {"start": self._start, "help": self._help, "ask": self._ask}

    async def _start(self, heard: Heard, argument: str, texts: Texts) -> None:
        name = await self._agent_name(heard)
        if heard.origin.is_private:
            keeps = texts.start_keeps if self._about.memory_enabled else texts.start_forgets
            hello = paragraphs(texts.start.format(name=name), keeps)
        else:
            hello = hello_to_group(name, self._about, texts, self._groups)
        greeting = await self._greetings.sentence(heard.origin.actor, texts.greeting_topics)
        engine = _engine(self._about.models, texts)
        await self._voice.say(heard, paragraphs(hello, engine, greeting or ""))

    async def _help(self, heard: Heard, argument: str, texts: Texts) -> None:
        engine = _engine(self._about.models, texts)
        if heard.origin.is_private:
            owners = texts.owner_commands if self._is_owner(heard.origin.user_id) else {}
            lists = texts.help.format(commands=_lines({**texts.commands, **owners}))
            await self._voice.say(heard, paragraphs(lists, engine))
            return
        how = _how_in_group(texts, self._groups)
        lists = texts.group_help.format(commands=_lines(group_menu(texts)))
        await self._voice.say(heard, paragraphs(how, lists, engine))

    async def _ask(self, heard: Heard, argument: str, texts: Texts) -> None:
        """Nothing was asked: what is has been taken for talk to the bot."""
        await self._voice.say(heard, texts.ask_how)

    async def _agent_name(self, heard: Heard) -> str:
        """A greeting does not fail because the memory does."""
        try:
            name = (await self._memory.choices.read(heard.origin.actor)).agent_name
        except StoreUnavailable:
            name = None
        return name or self._about.agent_name


def hello_to_group(name: str, about: About, texts: Texts, groups: Groups) -> str:
    """Who the bot is among several people, whose what they say there is, how to ask."""
    keeps = texts.group_keeps if about.memory_enabled else texts.start_forgets
    hello = f"{texts.group_hello.format(name=name)} {_how_in_group(texts, groups)}"
    return paragraphs(hello, keeps)


def _how_in_group(texts: Texts, groups: Groups) -> str:
    """How to reach the bot among several people."""
    hidden = "" if groups.reads_everything else texts.group_privacy
    return " ".join(filter(None, (texts.group_how, hidden)))


def _lines(commands: Mapping[str, str]) -> str:
    return "\n".join(f"/{name} – {what}" for name, what in commands.items())


def _engine(models: Sequence[str], texts: Texts) -> str:
    """What writes the answers."""
    if not models:
        return texts.engine_none
    sentences = [texts.engine.format(model=models[0])]
    if len(models) > 1:
        sentences.append(texts.engine_instead.format(models=", ".join(models[1:])))
    return " ".join(sentences)
