"""What a person may mean by "forget Julia": they choose with buttons, and only then is it gone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import structlog

from bot.assistant.context import Context
from bot.assistant.events import Button, Question, Reply
from bot.assistant.inbound import Click, Message, Origin
from bot.commands.pages.browser import pages, report_deletion
from bot.commands.pages.memory_pages import MemoryPages
from bot.commands.pages.panels import Page, Panel, parse_click
from bot.commands.questions import press_of, yes_or_no
from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.records import Record

#: Prefix of the data of the buttons.
FAMILY = "f"
_log = structlog.get_logger(__name__)


def open_candidates(
    origin: Origin, records: Sequence[Record], context: Context, asked_in: tuple[str, ...] = ()
) -> Panel:
    """Open a panel for these records; the turns that were `asked_in` go along."""
    panel = context.panels.open(FAMILY, origin)
    panel.candidates, panel.asked_in = list(records), asked_in
    return panel


async def ask_which(origin: Origin, records: Sequence[Record], context: Context) -> Reply:
    """Ask a person which of these to forget, by button or by typing. Raises StoreUnavailable."""
    page = await candidates_page(origin, records, context)
    id_ = open_candidates(origin, records, context).id
    return page.reply(id_, question=Question(partial(_read_answer, id_, len(records))))


async def candidates_page(origin: Origin, records: Sequence[Record], context: Context) -> Page:
    """What may be forgotten: one record with all that goes along, or a list. Raises
    StoreUnavailable."""
    show, texts = pages(context), context.texts
    if len(records) == 1:
        try:
            going = await context.memory.known.would_forget(origin.actor, records[0])
        except UnknownRecord:
            return Page(texts.memory_gone)
        yes, no = Button(texts.button_delete_yes, "only:0"), Button(texts.button_delete_no, "none")
        return Page(show.delete_question(going).text, ((yes, no),))
    lines = [f"{number}. {show.dated(record)}" for number, record in enumerate(records, 1)]
    all_, none = Button(texts.forget_every, "all"), Button(texts.forget_none, "none")
    picks = _picks(list(enumerate(records)), show)
    return Page("\n".join((texts.forget_ask, *lines)), (*picks, (all_, none)))


async def press_candidates(click: Click, context: Context) -> Reply:
    """Forget what the person chose, and report it with a button that restores it. Raises
    StoreUnavailable."""
    id_, verb, argument = parse_click(click)
    panel, texts = context.panels.find(id_), context.texts
    if panel is None or not panel.candidates:
        return Reply(texts.memory_gone, replaces=click.message_id)
    number = int(argument) if argument.isdecimal() else -1
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
    for index, record in wanted:
        try:
            gone.append(
                await context.memory.known.forget(origin.actor, record, asked_in=panel.asked_in)
            )
        except UnknownRecord:
            pass  # it went along with another one
        except StoreUnavailable as failure:
            if not gone:
                raise
            _log.warning("memory_unavailable", command="forget", error=str(failure))
            break
        panel.candidates[index] = None
    return gone


def _picks(
    records: Sequence[tuple[int, Record]], show: MemoryPages
) -> tuple[tuple[Button, ...], ...]:
    """A button for each of the panel's records, with its number and its beginning."""
    return tuple(
        (Button(show.label(index + 1, record), f"only:{index}"),) for index, record in records
    )


def _read_answer(panel: str, count: int, answer: Message, message_id: int) -> Click | None:
    """The click that a typed answer stands for: yes or no to a single record, its number or no to
    several. None if it is something else."""
    agreed = yes_or_no(answer.words)
    number = answer.words.strip(" .#")
    if agreed is False:
        data = "none"
    elif agreed and count == 1:
        data = "only:0"
    elif number.isdecimal() and 1 <= int(number) <= count:
        data = f"only:{int(number) - 1}"
    else:
        return None
    return press_of(answer, message_id, f"{panel}:{data}")
