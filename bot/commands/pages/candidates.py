"""Asks which memories a person means by "forget Julia", and deletes those they choose."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from bot.assistant.context import Context
from bot.assistant.events import SILENCE, Button, Question, Reply
from bot.assistant.inbound import Click, Origin
from bot.commands.pages.browser import pages, report_deletion
from bot.commands.pages.memory_pages import MemoryPages
from bot.commands.pages.panels import Page, Panel, parse_click
from bot.commands.pages.progress import tell_progress
from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.lookup import Meant
from memory.records import Record

#: Prefix of the data of the buttons.
FAMILY = "f"
_log = structlog.get_logger(__name__)


def open_candidates(origin: Origin, meant: Meant, context: Context) -> Panel:
    panel = context.panels.open(FAMILY, origin)
    panel.candidates, panel.along = list(meant.records), meant.along
    return panel


async def ask_which(origin: Origin, meant: Meant, context: Context) -> Reply:
    """Ask a person which of these to forget, by button or by typing. Raises StoreUnavailable."""
    page = await candidates_page(origin, meant, context)
    id_ = open_candidates(origin, meant, context).id
    numbers = tuple(f"{id_}:only:{index}" for index in range(len(meant.records)))
    yes = numbers[0] if len(numbers) == 1 else ""
    return page.reply(id_, question=Question(yes, f"{id_}:none", numbers))


async def candidates_page(origin: Origin, meant: Meant, context: Context) -> Page:
    """The page with what may be forgotten: one record with all that goes along, or a list. Raises
    StoreUnavailable."""
    show, texts, records = pages(context), context.texts, meant.records
    if len(records) == 1:
        try:
            going = await context.memory.known.would_forget(origin.actor, records[0], meant.along)
        except UnknownRecord:
            return Page(texts.memory_gone)
        yes, no = Button(texts.button_delete_yes, "only:0"), Button(texts.button_delete_no, "none")
        return Page(show.delete_question(going).text, ((yes, no),))
    lines = [f"{number}. {show.line_of(record)}" for number, record in enumerate(records, 1)]
    all_, none = Button(texts.forget_every, "all"), Button(texts.forget_none, "none")
    picks = _picks(list(enumerate(records)), show)
    return Page("\n".join((texts.forget_ask, *lines)), (*picks, (all_, none)))


async def press_candidates(click: Click, context: Context) -> Reply:
    """Forget what the person chose, and report it with a button that restores it. Raises
    StoreUnavailable."""
    id_, verb, argument = parse_click(click)
    panel, texts = context.panels.find(id_), context.texts
    if panel is None:
        return Reply(texts.memory_gone, replaces=click.message_id)
    number = int(argument) if argument.isdecimal() else -1
    if number in panel.chosen or (panel.chosen and not any(panel.candidates)):
        # A second tap, before the button was gone: the report of the first one stays.
        return SILENCE
    if verb == "none":
        panel.candidates = []
        return panel.reply(Page(texts.forget_kept), click)
    # The number may be forged: only what this panel asked about is looked up.
    wanted = [
        (index, record)
        for index, record in enumerate(panel.candidates)
        if record and (verb == "all" or index == number)
    ]
    gone = await _forget(click.origin, panel, wanted, context)
    left = [(index, record) for index, record in enumerate(panel.candidates) if record]
    if not gone:
        return panel.reply(Page(texts.memory_gone, _picks(left, pages(context))), click)
    report = report_deletion(click.origin, gone, (), context)
    more = Page(report.text, _picks(left, pages(context))).reply(id_)
    return panel.place(replace(report, buttons=(*report.buttons, *more.buttons)), click)


async def _forget(
    origin: Origin, panel: Panel, wanted: Sequence[tuple[int, Record]], context: Context
) -> list[Forgotten]:
    """Forget these candidates. Raises StoreUnavailable if none could be."""
    gone: list[Forgotten] = []
    # The last one takes along the texts that tell of all of them.
    is_all = len(wanted) == sum(record is not None for record in panel.candidates)
    async with tell_progress(origin, len(wanted), context) as progress:
        for index, record in wanted:
            along = panel.along if is_all else ()
            try:
                gone.append(await context.memory.known.forget(origin.actor, record, along))
            except UnknownRecord:
                pass  # it went along with another one
            except StoreUnavailable as failure:
                if not gone:
                    raise
                _log.warning("memory_unavailable", command="forget", error=str(failure))
                break
            panel.candidates[index] = None
            panel.chosen.add(index)
            progress.done += 1
    deleted = {record.id for one in gone for record in one.records}
    panel.candidates = [r if r and r.id not in deleted else None for r in panel.candidates]
    return gone


def _picks(
    records: Sequence[tuple[int, Record]], show: MemoryPages
) -> tuple[tuple[Button, ...], ...]:
    """A button for each of these records, with its number and its beginning."""
    return tuple(
        (Button(show.label(index + 1, record), f"only:{index}"),) for index, record in records
    )
