"""What was noted, changed or ended, in sentences, each with buttons that undo or edit it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.assistant.context import Context
from bot.assistant.events import Button, Reply, paragraphs
from bot.assistant.inbound import Click, Origin
from bot.commands.pages.memory_pages import MemoryPages, shorten
from bot.commands.pages.panel_state import ShownChange
from bot.commands.pages.panels import Page, Panel, parse_click
from bot.commands.questions import new_words
from memory.errors import RefusedText, UnknownRecord
from memory.records import Change, ChangeKind, Record

#: Prefix of the data of the buttons.
FAMILY = "c"
PER_PAGE = 5
#: Maximum characters of a sentence in the list.
_LISTED = 300


@dataclass(frozen=True, slots=True)
class ChangePages:
    """The pages in one language. Pure."""

    show: MemoryPages

    def listing(self, changes: Sequence[ShownChange | None], page: int = 0) -> Page:
        """One page of the sentences, each with its buttons. One that is gone leaves its number
        unused."""
        pages = max(1, -(-len(changes) // PER_PAGE))
        page = min(max(0, page), pages - 1)
        shown = list(enumerate(changes))[page * PER_PAGE : (page + 1) * PER_PAGE]
        lines, rows = [], []
        for index, change in shown:
            if change is None:
                continue
            number = f"{index + 1}. " if len(changes) > 1 else ""
            lines.append(f"{number}{self.sentence(change)}")
            if row := self._actions(index, change, alone=len(changes) == 1):
                rows.append(row)
        turning = []
        if page > 0:
            turning.append(Button("‹", f"page:{page - 1}"))
        if page < pages - 1:
            turning.append(Button("›", f"page:{page + 1}"))
        return Page("\n".join(lines), (*rows, tuple(turning)))

    def sentence(self, shown: ShownChange) -> str:
        """What happened, in a line."""
        texts, change = self.show.texts, shown.change
        text = shorten(self.show.wording(change.record), _LISTED)
        if shown.undone:
            return texts.change_undone.format(text=text)
        if change.kind is ChangeKind.ENDED:
            return texts.change_ended.format(text=text)
        if change.kind is ChangeKind.CHANGED and change.before:
            before = shorten(self.show.wording(change.before), _LISTED)
            return texts.change_changed.format(before=before, text=text)
        return texts.change_noted.format(text=text)

    def _actions(self, index: int, shown: ShownChange, *, alone: bool) -> tuple[Button, ...]:
        if shown.undone:
            return ()
        number = "" if alone else f" {index + 1}"
        undo = Button(f"{self.show.texts.button_undo}{number}", f"undo:{index}")
        if shown.change.kind is ChangeKind.ENDED:
            return (undo,)
        return undo, Button(f"{self.show.texts.button_edit}{number}", f"edit:{index}")


def report_changes(
    origin: Origin,
    changes: Sequence[Change],
    context: Context,
    head: str = "",
    tail: str = "",
) -> Reply:
    """These changes in a new panel, between two texts. Without changes, the texts alone."""
    if not changes:
        return Reply(paragraphs(head, tail))
    panel = open_changes(origin, changes, context)
    panel.head, panel.tail = head, tail
    return _listing(panel, context).reply(panel.id)


def open_changes(origin: Origin, changes: Sequence[Change], context: Context) -> Panel:
    panel = context.panels.open(FAMILY, origin)
    panel.changes = [ShownChange(change) for change in changes]
    return panel


async def press_changes(click: Click, context: Context) -> Reply:
    """Carry out a click and show the list again. Raises StoreUnavailable."""
    id_, _, argument = parse_click(click)
    panel = context.panels.find(id_)
    if panel is None:
        return Reply(context.texts.memory_gone, replaces=click.message_id)
    if not any(panel.changes):
        return panel.reply(Page(context.texts.memory_gone), click)
    page = await _page(click, panel, context)
    question = new_words(id_, argument, "list") if page.waits else None
    return panel.reply(page, click, question)


async def _page(click: Click, panel: Panel, context: Context) -> Page:
    _, verb, argument = parse_click(click)
    # The number may be forged: only this panel's own changes are looked up.
    number = int(argument) if argument.isdecimal() else len(panel.changes)
    if verb == "page":
        return _listing(panel, context, number)
    shown = panel.changes[number] if number < len(panel.changes) else None
    if shown is None or shown.undone:
        return _listing(panel, context)
    note = ""
    match verb:
        case "undo":
            if await context.memory.known.undo(click.origin.actor, shown.change):
                panel.changes[number] = replace(shown, undone=True)
            else:
                note = context.texts.memory_undo_late
        case "edit" | "reword":
            if page := await _reword(click, panel, number, shown.change.record, context):
                return page
    return _listing(panel, context, number // PER_PAGE, note)


async def _reword(
    click: Click, panel: Panel, number: int, record: Record, context: Context
) -> Page | None:
    """Ask for a sentence's new words, or store them. None if they are stored."""
    origin, show = click.origin, change_pages(context).show
    back = show.back(f"list:{number}")
    if await context.people.personal.is_private(origin.actor, origin.place):
        return Page(context.texts.private_refused, ((back,),))
    if parse_click(click)[1] == "edit":
        return replace(show.edit_prompt(record, waits=origin.is_private), rows=((back,),))
    try:
        revised = await context.memory.known.revise(origin.actor, record.short_id, click.words)
    except UnknownRecord:
        return Page(context.texts.memory_gone, ((back,),))
    except RefusedText as refusal:
        again = Button(context.texts.button_edit, f"edit:{number}")
        return replace(show.refused_revision(record, refusal.reason), rows=((again, back),))
    panel.changes[number] = ShownChange(revised)
    return None


def _listing(panel: Panel, context: Context, number: int = 0, note: str = "") -> Page:
    """A page of the panel's changes between its texts, with a note before them."""
    page = change_pages(context).listing(panel.changes, number)
    return replace(page, text=paragraphs(panel.head, note, page.text, panel.tail))


def change_pages(context: Context) -> ChangePages:
    return ChangePages(MemoryPages(context.texts))
