"""The table of commands: their handlers, who may use them, and where clicks belong."""

import difflib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog

from bot.assistant.context import Context
from bot.assistant.events import SILENCE, Reply, paragraphs
from bot.assistant.inbound import Click, Command, Inbound, Origin
from bot.commands import forgetting, introduction, memory, owner, preferences, session
from bot.commands.pages import browser, candidates, changes
from bot.commands.pages.panels import Panel, parse_click
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: Answers an inbound of the kind it was matched for.
Handler = Callable[[Any, Context], Awaitable[Reply]]

_COMMANDS: Mapping[str, Handler] = {
    "start": introduction.start,
    "help": introduction.help_,
    "ask": introduction.ask,
    "new": session.new,
    "private": session.private,
    "summarize": session.summarize,
    "usage": session.usage,
    "stop": session.stop,
    "memory": memory.memory,
    "search": memory.search,
    "remember": memory.add_record,
    "edit": memory.edit,
    "forget": forgetting.forget,
    "export": memory.export,
    "name": preferences.name,
    "settings": preferences.settings,
    "language": preferences.language,
    "timezone": preferences.time_zone,
}
_OWNERS: Mapping[str, Handler] = {
    "approve": owner.approve,
    "users": owner.users,
    "stats": owner.stats,
}
#: The handlers of clicks, by the prefix of their data. Any other data is forged.
_PRESSES: Mapping[str, Handler] = {
    browser.FAMILY: browser.press_browser,
    candidates.FAMILY: candidates.press_candidates,
    changes.FAMILY: changes.press_changes,
    preferences.FAMILY: preferences.press_settings,
    forgetting.FAMILY: forgetting.press_forget_all,
}
#: The buttons that only show a page, by prefix. They work in a fresh panel, too.
_SHOWS: Mapping[str, frozenset[str]] = {
    browser.FAMILY: frozenset("home kind page about show from ask edit".split()),
    changes.FAMILY: frozenset(("page", "list", "edit")),
    preferences.FAMILY: frozenset("home language zones length streaming".split()),
}

#: In a group for admins only: they show or change everyone's records.
_ADMINS_ONLY = frozenset(("memory", "search", "forget", "edit", "export", "private"))
#: In a group only admins may set these; everyone may see language and time zone.
_ADMINS_CHANGE = frozenset(("settings", "language", "timezone"))
#: These need the memory; the last three because it stores choices.
_NEED_MEMORY = frozenset(
    "memory search remember edit export summarize settings language timezone".split()
)
#: These only read, or change settings: they don't wait for an answer under way, and neither do
#: those of owners and unknown ones. What writes to the memory or the session keeps its place among
#: what the person wrote.
_OVERTAKE = frozenset(
    "start help ask memory search usage export name settings language timezone".split()
)
#: These save their argument, so a private session refuses them. A bare /name saves nothing.
_SAVING = frozenset(("remember", "edit", "name"))


class Commands:
    """Finds the handler of an inbound. Stateless except for the open questions."""

    def match(self, said: Inbound) -> Handler | None:
        """The handler of a command or click; None for a message, which is talk."""
        if isinstance(said, Command):
            return _run
        return _press if isinstance(said, Click) else None

    def ignores(self, command: Command) -> bool:
        """True for an unknown command that is probably meant for another bot: it is in a group and
        does not name this one."""
        known = command.origin.is_private or command.addressed
        return not known and command.name not in _COMMANDS

    async def refuse(self, click: Click, context: Context) -> Reply | None:
        """The refusal of a click; None if it is allowed."""
        why = await _refusal_of_click(click, context)
        # A typed answer has no button to show a note at.
        return Reply(why, note=not click.words) if why else None


def overtakes(said: Inbound) -> bool:
    """True for a command or click that need not wait for the answers to earlier messages."""
    if isinstance(said, Command):
        return said.name in _OVERTAKE or said.name not in _COMMANDS
    if not isinstance(said, Click):
        return False
    family = _family(said)
    return family == preferences.FAMILY or parse_click(said)[1] in _SHOWS.get(family, ())


async def _run(said: Command, context: Context) -> Reply:
    """Carry out a command, if this person may use it here."""
    owners = _OWNERS if _is_owner(said.origin, context) else {}
    command = _COMMANDS.get(said.name) or owners.get(said.name)
    if command is None:
        return Reply(_unknown_command(said, context))
    try:
        if why := await _refusal(said, context):
            return Reply(why)
        return await command(said, context)
    except StoreUnavailable as failure:
        _log.warning("memory_unavailable", command=said.name, error=str(failure))
        return Reply(context.texts.memory_unavailable)


async def _refusal_of_click(click: Click, context: Context) -> str | None:
    family, texts = _family(click), context.texts
    if family not in _PRESSES:
        return texts.buttons_stale
    panel = await context.panels.recall(click)
    if family == forgetting.FAMILY:
        if why := forgetting.refusal(click, texts):
            return why
    elif panel and not panel.is_for(click):
        return texts.button_not_yours
    elif panel is None and not context.about.memory_enabled:
        return texts.buttons_stale
    if await _may_press(click, panel, context):
        return None
    if panel is None and family != forgetting.FAMILY:
        return texts.buttons_stale
    return texts.admins_only_settings if family == preferences.FAMILY else texts.admins_only


async def _press(click: Click, context: Context) -> Reply:
    """Carry out an allowed click; the outcome replaces its message."""
    panel = await context.panels.recall(click)
    # While the click waited for its turn, the person may have lost admin rights, or the panel could
    # be read again.
    is_foreign = panel is not None and not panel.is_for(click)
    if is_foreign or not await _may_press(click, panel, context):
        return SILENCE
    try:
        if panel is None and _family(click) != forgetting.FAMILY:
            return await _reopen(click, context)
        return await _carry_out(click, panel, context)
    except StoreUnavailable as failure:
        _log.warning("memory_unavailable", command="click", error=str(failure))
        # The message stays, and its buttons can be pressed again.
        return Reply(context.texts.memory_unavailable)


async def _carry_out(click: Click, panel: Panel | None, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    if panel:
        await panel.read(context.memory.known)
    before = panel.state if panel else None
    reply = await _PRESSES[_family(click)](click, context)
    if panel and panel.state != before:
        context.panels.touch(panel)
    return reply


async def _reopen(click: Click, context: Context) -> Reply:
    """Show what a click on an unknown or old panel asks for in a fresh one; nothing is carried
    out. Raises StoreUnavailable."""
    family, verb, argument = _family(click), *parse_click(click)[1:]
    itself = family in (browser.FAMILY, preferences.FAMILY)
    panel = context.panels.open(family if itself else browser.FAMILY, click.origin)
    page = f"{verb}:{argument}" if itself and verb in _SHOWS[family] else "home"
    again = replace(click, data=f"{panel.id}:{page}")
    if itself:
        return await _PRESSES[family](again, context)
    # The old buttons may be under an answer, which stays.
    reply = await browser.press_browser(again, context)
    text = paragraphs(context.texts.buttons_stale, reply.text)
    return replace(reply, text=text, replaces=None, releases=click.message_id)


def _family(click: Click) -> str:
    return click.data.partition(":")[0]


async def _refusal(said: Command, context: Context) -> str | None:
    """Why this person may not use the command here; None if they may. Raises StoreUnavailable."""
    origin, texts = said.origin, context.texts
    reserved = None if origin.is_private else await _admins_only(said, context)
    if reserved and not await context.may_manage(origin):
        return reserved
    saves = said.name in _SAVING and (said.argument or said.name != "name")
    if saves and await context.people.personal.is_private(origin.actor, origin.place):
        return texts.private_refused
    if said.name in _NEED_MEMORY and not context.about.memory_enabled:
        return texts.memory_off
    return None


async def _admins_only(said: Command, context: Context) -> str | None:
    """Why the command is for a group's admins only; None if it is for everyone."""
    if said.name in _ADMINS_CHANGE and (said.argument or said.name == "settings"):
        return context.texts.admins_only_settings
    # Only admins may end a private session.
    ends_private = said.name == "new" and await context.people.personal.is_private(
        said.origin.actor, said.origin.place
    )
    return context.texts.admins_only if said.name in _ADMINS_ONLY or ends_private else None


async def _may_press(click: Click, panel: Panel | None, context: Context) -> bool:
    """True if this person may press. In a group those are its admins, because whoever opened the
    panel may no longer be one; and anybody whose own words brought about what an answer reports."""
    own = panel is not None and panel.under_answer and panel.owner == click.origin.user_id
    return own or await context.may_manage(click.origin)


def _is_owner(origin: Origin, context: Context) -> bool:
    """True for an owner in their private chat with the bot."""
    return origin.is_private and context.people.access.owns(origin.user_id)


def _unknown_command(said: Command, context: Context) -> str:
    """Suggests the nearest command that this person may use here."""
    texts = context.texts
    known = [*texts.commands, *(texts.owner_commands if _is_owner(said.origin, context) else ())]
    if near := difflib.get_close_matches(said.name, known, n=1):
        return texts.unknown_command_near.format(given=said.name, near=near[0])
    return texts.unknown_command.format(given=said.name)
