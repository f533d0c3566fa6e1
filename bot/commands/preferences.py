"""Personal settings: /name, /language, /timezone, and /settings with its buttons."""

from contextlib import suppress

from bot.assistant.context import Context
from bot.assistant.events import Button, Reply
from bot.assistant.inbound import Click, Command, Origin
from bot.commands.pages.panels import Page, parse_click
from bot.commands.pages.settings_pages import CurrentSettings, SettingsPages
from bot.texts import languages
from memory.errors import RefusedText
from memory.knowledge.moments import base_language, known_languages
from memory.records import Actor, Choice

#: Prefix of the data of the buttons of /settings.
FAMILY = "s"
#: The choices on its buttons.
_ON_BUTTONS = (Choice.LANGUAGE, Choice.TIME_ZONE, Choice.ANSWER_LENGTH, Choice.STREAMING)


async def name(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    actor, texts = said.origin.actor, context.texts
    if not said.argument:
        chosen = (await context.memory.choices.read(actor)).agent_name
        template = texts.name_current if chosen else texts.name_default
        return Reply(template.format(name=chosen or context.about.agent_name))
    try:
        chosen = await context.memory.choices.set(actor, Choice.AGENT_NAME, said.argument)
    except RefusedText as refusal:
        return Reply(texts.name_refused.format(reason=texts.refusals[refusal.reason]))
    return Reply(texts.name_set.format(name=chosen))


async def language(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    actor, texts = said.origin.actor, context.texts
    examples = ", ".join(f"{code} ({known.name})" for code, known in known_languages().items())
    if not said.argument:
        current = (
            (await context.memory.choices.read(actor)).language or said.origin.language or "en"
        )
        spoken = known_languages().get(base_language(current))
        shown = f"{current} ({spoken.name})" if spoken else current
        return Reply(texts.language_current.format(name=shown, examples=examples))
    try:
        chosen = await context.memory.choices.set(actor, Choice.LANGUAGE, said.argument)
    except RefusedText:
        given = said.argument[:40]
        return Reply(texts.language_unknown.format(given=given, examples=examples))
    texts, code = await context.people.texts(said.origin), base_language(chosen)
    told = texts.language_set.format(name=f"{chosen} ({known_languages()[code].name})")
    return Reply(told if code in languages() else f"{told} {texts.language_only_told}")


async def time_zone(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    actor, texts, memory = said.origin.actor, context.texts, context.memory
    template = texts.time_zone_set if said.argument else texts.time_zone_current
    try:
        chosen = (
            await memory.choices.set(actor, Choice.TIME_ZONE, said.argument)
            if said.argument
            else None
        )
    except RefusedText:
        return Reply(texts.time_zone_unknown.format(given=said.argument[:40]))
    chosen = (await memory.choices.read(actor)).time_zone or chosen
    here = memory.choices.local_time(actor)
    return Reply(template.format(name=chosen or str(here.tzinfo), time=f"{here:%H:%M}"))


# -- the panel ------------------------------------------------------------------------------------


async def settings(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    pages = SettingsPages(await _read_settings(said.origin, context), context.texts)
    return pages.overview().reply(context.panels.open(FAMILY, said.origin).id)


async def press_settings(click: Click, context: Context) -> Reply:
    """Carry out a click and show the resulting page. Raises StoreUnavailable."""
    panel, verb, argument = parse_click(click)
    origin, texts = click.origin, context.texts
    if verb == "set":
        # A private session keeps nothing, not even a choice.
        if await context.people.personal.is_private(origin.actor, origin.place):
            page = Page(texts.private_refused, ((Button(texts.button_back, "home"),),))
            return page.reply(panel, click.message_id)
        await _set(origin.actor, argument, context)
        texts = await context.people.texts(origin)
    pages = SettingsPages(await _read_settings(origin, context), texts)
    return pages.page(verb, argument).reply(panel, click.message_id)


async def _set(actor: Actor, argument: str, context: Context) -> None:
    """Set or unset the choice of a button; ignores unknown ones, because clicks can be forged."""
    slot, _, value = argument.partition(":")
    if slot not in _ON_BUTTONS:
        return
    choices, choice = context.memory.choices, Choice(slot)
    with suppress(RefusedText):
        await (choices.set(actor, choice, value) if value else choices.unset(actor, choice))


async def _read_settings(origin: Origin, context: Context) -> CurrentSettings:
    """Raises StoreUnavailable."""
    actor = origin.actor
    return CurrentSettings(
        await context.memory.choices.read(actor),
        origin.language,
        context.memory.choices.local_time(actor),
        context.channel.streaming_offered(actor),
        context.channel.streaming,
        origin.is_private,
    )
