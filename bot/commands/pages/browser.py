"""The memory browser: a person's records, page by page, in one message with buttons."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import structlog

from bot.assistant.context import Context
from bot.assistant.events import Button, Reply
from bot.assistant.inbound import Click, Command, Origin
from bot.commands.pages.changes import report_changes
from bot.commands.pages.memory_pages import KINDS, MemoryPages
from bot.commands.pages.panels import Deletion, Page, Panel, parse_click
from bot.commands.questions import new_words
from memory.background.work import log_outage
from memory.errors import RefusedText, StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.lookup import find_about
from memory.records import Actor, Change, Kind, Record

_log = structlog.get_logger(__name__)

#: Prefix of the data of the browser's buttons.
FAMILY = "m"


def pages(context: Context) -> MemoryPages:
    return MemoryPages(context.texts)


async def open_browser(said: Command, records: Sequence[Record], context: Context) -> Reply:
    """Show the first page of these records in a new panel. Raises StoreUnavailable."""
    page = await _overview(said.origin, records, context)
    return page.reply(context.panels.open(FAMILY, said.origin).id)


async def open_about(said: Command, name: str, context: Context) -> Reply | None:
    """Show everything about somebody in a new panel; None if nothing is known. Raises
    StoreUnavailable."""
    records = await _about(said.origin.actor, name, context)
    if not records:
        return None
    panel = context.panels.open(FAMILY, said.origin)
    panel.name = name
    return pages(context).about(records, name).reply(panel.id)


def report_deletion(
    origin: Origin, forgotten: Sequence[Forgotten], notes: Sequence[str], context: Context
) -> Reply:
    """Report what a person deleted, in a panel with a button that restores it."""
    panel = context.panels.open(FAMILY, origin)
    _keep_deletion(context, panel.id, forgotten)
    every = (*notes, *_pending(forgotten, context))
    return pages(context).deletion([one.record for one in forgotten], every).reply(panel.id)


def _pending(forgotten: Sequence[Forgotten], context: Context) -> list[str]:
    """A note if the messages that told it are not deleted yet."""
    days = [one.remainder.until for one in forgotten if one.remainder and one.remainder.messages]
    until = max(filter(None, days), default=None)
    return [context.texts.forget_pending.format(date=f"{until:%Y-%m-%d}")] if until else []


async def ask_for_words(said: Command, short_id: str, context: Context) -> Reply:
    """Ask for a record's new words in a new panel. Raises UnknownRecord, also for summaries and
    replaced records, and StoreUnavailable."""
    record = await context.memory.known.find(said.origin.actor, short_id)
    if record.kind is Kind.SUMMARY or not record.current:
        raise UnknownRecord("neither a fact nor a preference that counts")
    panel = context.panels.open(FAMILY, said.origin)
    page = pages(context).edit_prompt(record, waits=True)
    return page.reply(panel.id, question=new_words(panel.id, short_id, "show"))


async def press_browser(click: Click, context: Context) -> Reply:
    """Carry out a click and show the resulting page. Raises StoreUnavailable."""
    panel, _, argument = parse_click(click)
    try:
        page = await _page(click, context)
    except UnknownRecord:
        page = _missing_page(context.panels.find(panel), argument, context)
    if isinstance(page, Change):
        reply = report_changes(click.origin, (page,), context)
        back = Button(context.texts.button_back, f"{panel}:show:{page.record.short_id}")
        return replace(reply, buttons=(*reply.buttons, (back,)), replaces=click.message_id)
    question = new_words(panel, argument, "show") if page.waits else None
    return page.reply(panel, click.message_id, question)


async def _page(click: Click, context: Context) -> Page | Change:
    """The page that a click leads to, or the change that new words bring."""
    panel, verb, argument = parse_click(click)
    actor, known, show = click.origin.actor, context.memory.known, pages(context)
    match verb:
        case "about" if (opened := context.panels.find(panel)) and opened.name:
            records = await _about(actor, opened.name, context)
            number = int(argument) if argument.isdecimal() else 0
            return show.about(records, opened.name, number)
        case "kind" | "page" if place := _place_in_list(argument):
            return show.listing(await known.records(actor), *place)
        case "home" | "kind" | "page" | "about":
            return await _overview(click.origin, await known.records(actor), context)
        case "undo":
            return await _undo(click, context)
        # The id may be forged: only the actor's own records are searched.
        case "ask":
            return show.delete_question(await known.would_forget(actor, argument))
        case "delete":
            forgotten = await known.forget(actor, argument)
            _keep_deletion(context, panel, (forgotten,))
            return show.deletion((forgotten.record,), _pending((forgotten,), context))
    record = await known.find(actor, argument)
    if verb == "from":
        return show.evidence(record, await known.evidence(actor, record))
    if verb in ("edit", "reword"):
        return await _reword(click, record, context)
    return show.detail(record, await known.history(actor, record))


async def _about(actor: Actor, name: str, context: Context) -> list[Record]:
    now = context.memory.choices.local_time(actor)
    return await find_about(context.memory.known, actor, name, now)


async def _overview(origin: Origin, records: Sequence[Record], context: Context) -> Page:
    adds = await tell_what_adds(origin, context)
    name = (await context.memory.choices.read(origin.actor)).agent_name
    unlearned = await context.memory.known.unlearned(origin.actor, records)
    return pages(context).overview(records, unlearned, name, private=origin.is_private, adds=adds)


async def tell_what_adds(origin: Origin, context: Context) -> str:
    """When what is being said will be added to the memory. Raises StoreUnavailable."""
    texts = context.texts
    if await context.people.personal.is_private(origin.actor, origin.place):
        return texts.memory_adds_nothing
    return texts.memory_adds_soon if context.memory.learns_while_talking else texts.memory_adds


def _place_in_list(argument: str) -> tuple[Kind, int] | None:
    """The kind and page number of a click; None if it is forged."""
    kind, _, number = argument.partition(":")
    is_one = kind in KINDS and (number.isdecimal() or not number)
    return (Kind(kind), int(number or 0)) if is_one else None


def _missing_page(panel: Panel | None, short_id: str, context: Context) -> Page:
    """The page for a record that no longer exists. Pressing a delete button twice shows the same
    page again."""
    deletion = panel.deletion if panel else None
    records = [one.record for one in deletion.forgotten] if deletion else []
    if deletion and not deletion.restored and short_id in [one.short_id for one in records]:
        return pages(context).deletion(records)
    return pages(context).missing_record()


# -- undo -----------------------------------------------------------------------------------------


def _keep_deletion(context: Context, id_: str, forgotten: Sequence[Forgotten]) -> None:
    """Keep a panel's deletion in RAM for as long as it can be undone."""
    if panel := context.panels.find(id_):
        panel.deletion = Deletion(tuple(forgotten), context.panels.monotonic())
        context.panels.start(_end_undo(panel, panel.deletion.at, context))


async def _end_undo(panel: Panel, at: float, context: Context) -> None:
    """When it is too late to undo a deletion, drop what was deleted, here, from other panels and
    from the inbox, which has the messages and buttons that tell of it."""
    await asyncio.sleep(context.panels.undo_seconds)
    deletion = panel.deletion
    if deletion is None or deletion.at != at:
        return
    panel.deletion = None
    if not deletion.restored:
        gone = {record.id for one in deletion.forgotten for record in one.records}
        context.panels.drop_records(panel.actor, gone)
    with log_outage(_log, "inbox_unavailable"):
        await context.channel.scrub()


async def _undo(click: Click, context: Context) -> Page:
    panel, show = context.panels.find(parse_click(click)[0]), pages(context)
    deletion = panel.deletion if panel else None
    late = Page(context.texts.memory_undo_late, ((show.back("home"),),))
    if panel is None or deletion is None:
        return late
    if context.panels.monotonic() - deletion.at > context.panels.undo_seconds:
        return late
    # A store that keeps messages elsewhere is sent those of open conversations again.
    gone = any(one.remainder is not None and not one.turns for one in deletion.forgotten)
    if deletion.restored:
        return show.restoration(deletion.restored, messages_gone=gone)
    restore = partial(context.memory.known.restore, click.origin.actor)
    try:
        # Restore in reverse order: a later record may depend on one deleted earlier.
        restored = [await restore(one) for one in reversed(deletion.forgotten)]
    except UnknownRecord:
        return late
    except StoreUnavailable:
        return show.undo_failure()
    panel.deletion = replace(deletion, restored=tuple(restored[::-1]))
    return show.restoration(panel.deletion.restored, messages_gone=gone)


# -- new words ------------------------------------------------------------------------------------


async def _reword(click: Click, record: Record, context: Context) -> Page | Change:
    """Ask for a record's new words, or store them. In a group, where the bot may not receive the
    next message, the page explains the command."""
    origin, show = click.origin, pages(context)
    if await context.people.personal.is_private(origin.actor, origin.place):
        return Page(context.texts.private_refused, ((show.back(f"show:{record.short_id}"),),))
    if parse_click(click)[1] == "edit":
        return show.edit_prompt(record, waits=origin.is_private)
    try:
        return await context.memory.known.revise(origin.actor, record.short_id, click.words)
    except RefusedText as refusal:
        return show.refused_revision(record, refusal.reason)
