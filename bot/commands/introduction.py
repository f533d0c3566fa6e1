"""Introductions: /start, /help, the hello to a group, /ask without a question."""

from collections.abc import Mapping

from bot.assistant.context import Context
from bot.assistant.events import Reply, paragraphs
from bot.assistant.inbound import Command
from bot.commands.menu import group_menu
from memory.errors import StoreUnavailable
from memory.records import Actor


async def start(said: Command, context: Context) -> Reply:
    """Answers even if the memory is unavailable."""
    texts = context.texts
    name = await _agent_name(said.origin.actor, context)
    if said.origin.is_private:
        keeps = texts.start_keeps if context.about.memory_enabled else texts.start_forgets
        hello = paragraphs(texts.start.format(name=name), keeps)
    else:
        hello = hello_to_group(context, name)
    greeting = await context.greetings.sentence(said.origin.actor, texts.greeting_topics)
    return Reply(paragraphs(hello, _engine_line(context), greeting or ""))


async def help_(said: Command, context: Context) -> Reply:
    texts = context.texts
    if not said.origin.is_private:
        lists = texts.group_help.format(commands=_command_lines(group_menu(texts)))
        return Reply(paragraphs(_group_instructions(context), lists, _engine_line(context)))
    owns = context.people.access.owns(said.origin.user_id)
    commands = {**texts.commands, **(texts.owner_commands if owns else {})}
    return Reply(
        paragraphs(texts.help.format(commands=_command_lines(commands)), _engine_line(context))
    )


async def ask(said: Command, context: Context) -> Reply:
    """Answers a bare /ask: the channel turns "/ask what is this?" into a message."""
    return Reply(context.texts.ask_how)


def hello_to_group(context: Context, name: str | None = None) -> str:
    """Who the bot is, what it keeps of this group, and how to ask it."""
    texts, about = context.texts, context.about
    keeps = texts.group_keeps if about.memory_enabled else texts.start_forgets
    hello = texts.group_hello.format(name=name or about.agent_name)
    return paragraphs(f"{hello} {_group_instructions(context)}", keeps)


async def _agent_name(actor: Actor, context: Context) -> str:
    try:
        name = (await context.memory.choices.read(actor)).agent_name
    except StoreUnavailable:
        name = None
    return name or context.about.agent_name


def _group_instructions(context: Context) -> str:
    """How to talk to the bot in a group."""
    if context.channel.reads_everything:
        return context.texts.group_how
    return f"{context.texts.group_how} {context.texts.group_privacy}"


def _command_lines(commands: Mapping[str, str]) -> str:
    return "\n".join(f"/{name} – {what}" for name, what in commands.items())


def _short_name(model: str) -> str:
    """A model's name; of an ARN only its end, which leaves out the account's number."""
    vendor, arn, rest = model.partition(":arn:")
    return f"{vendor}:{rest.rpartition('/')[2]}" if arn else model


def _engine_line(context: Context) -> str:
    """Names the models that write the answers."""
    texts, models = context.texts, [_short_name(name) for name in context.about.models]
    if not models:
        return texts.engine_none
    engine = texts.engine.format(model=models[0])
    if len(models) == 1:
        return engine
    return f"{engine} {texts.engine_instead.format(models=', '.join(models[1:]))}"
