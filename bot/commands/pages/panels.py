"""Panels: messages with buttons that are edited in place, their owners and their lifetime."""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Set
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.assistant.events import Button, ButtonRows, Question, Reply
from bot.assistant.inbound import Click, Origin
from bot.commands.pages.panel_state import KeptChange, PanelState, ShownChange
from memory.background.caches import BoundedDict
from memory.background.work import log_outage
from memory.errors import StoreUnavailable
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.knowledge import Knowledge
from memory.leases import current_lease
from memory.options import utc_now
from memory.panels import PanelRow, PanelRows, RecordRef
from memory.records import Actor, Record

_log = structlog.get_logger(__name__)

#: How long a deletion can be undone, in seconds.
UNDO_SECONDS = 60.0
#: Lifetime of buttons: a notice may be read days later.
BUTTONS_LAST = timedelta(days=7)
_MOST_PANELS = 1_000
#: How many characters of a label a phone shows, by the number of buttons in its row.
LABEL_CHARS: Mapping[int, int] = {1: 32, 2: 18, 3: 11}


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a panel. The data of its buttons is `verb` or `verb:argument`. If it `waits`,
    the next message answers it."""

    text: str
    rows: ButtonRows = ()
    waits: bool = False

    def reply(
        self, panel: str, replaces: int | None = None, question: Question | None = None
    ) -> Reply:
        """The reply that shows this page in the panel."""
        rows = tuple(
            tuple(replace(button, data=f"{panel}:{button.data}") for button in row)
            for row in self.rows
            if row
        )
        return Reply(self.text, rows, replaces=replaces, question=question)


def in_rows(buttons: Iterable[Button], abreast: int = 2) -> ButtonRows:
    """Arrange buttons in rows of `abreast`, or fewer if a phone would cut a label."""
    every = tuple(buttons)
    longest = max((len(button.label) for button in every), default=0)
    while abreast > 1 and longest > LABEL_CHARS[abreast]:
        abreast -= 1
    return tuple(every[start : start + abreast] for start in range(0, len(every), abreast))


@dataclass(frozen=True, slots=True)
class Deletion:
    """A panel's last deletion, and the records restored if it was undone."""

    forgotten: tuple[Forgotten, ...]
    at: float
    restored: tuple[Record, ...] = ()


@dataclass(slots=True)
class Panel:
    """An open panel: `id` is the prefix of its buttons' data, `owner` a user id, `actor` whose
    memory it shows. What its buttons act on is in here, by number: they carry no records' ids.

    `name` is whom it tells about. `changes` stand between the texts `head` and `tail`. `candidates`
    are records that may be forgotten, `chosen` the numbers of those that were forgotten here, and
    `along` the ids of what goes with all of them. A change or candidate that is gone is None. A
    panel `under_answer` leaves the answer as it is: what comes of its buttons is a new message.
    `unread` is what an earlier process kept of it, until the records are read; texts and the last
    deletion are not kept."""

    id: str
    owner: int
    actor: Actor
    opened: datetime
    deletion: Deletion | None = None
    name: str = ""
    changes: list[ShownChange | None] = field(default_factory=list)
    head: str = ""
    tail: str = ""
    candidates: list[Record | None] = field(default_factory=list)
    chosen: set[int] = field(default_factory=set)
    along: tuple[str, ...] = ()
    under_answer: bool = False
    answer_id: int | None = None
    unread: PanelState | None = None

    @property
    def state(self) -> PanelState:
        """What is kept of it."""
        return self.unread or PanelState(
            tuple(KeptChange.of(shown) if shown else None for shown in self.changes),
            tuple(RecordRef.of(record) if record else None for record in self.candidates),
            frozenset(self.chosen),
            self.along,
            self.under_answer,
            self.answer_id,
        )

    async def read(self, known: Knowledge) -> None:
        """Read the records that an earlier process kept by their ids. Raises StoreUnavailable."""
        if (kept := self.unread) is None:
            return
        changes = [await c.read(self.actor, known) if c else None for c in kept.changes]
        found = [await known.find_ref(self.actor, ref) if ref else None for ref in kept.candidates]
        if self.unread is kept:
            self.changes, self.candidates, self.unread = changes, found, None

    def place(self, reply: Reply, click: Click) -> Reply:
        """What comes of a click, in place of the pressed message or below the answer."""
        if self.under_answer and self.answer_id in (None, click.message_id):
            self.answer_id = click.message_id
            return replace(reply, releases=click.message_id)
        return replace(reply, replaces=click.message_id)

    def reply(self, page: Page, click: Click, question: Question | None = None) -> Reply:
        """The page that comes of a click."""
        return self.place(page.reply(self.id, question=question), click)

    def is_for(self, click: Click) -> bool:
        """True if this person may press its buttons here. A panel opened in the name of a group is
        for all its admins."""
        openers = (click.origin.user_id, click.origin.place.chat_id)
        return self.actor == click.origin.actor and self.owner in openers


class Panels:
    """The open panels. Each has a secret in its buttons, and only the person who opened it may
    press them. The secret is tied to the actor, so a panel from a private chat does not open a
    group's memory. The latest are in RAM, all are on disk."""

    def __init__(
        self,
        rows: PanelRows,
        now: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        undo_seconds: float = UNDO_SECONDS,
    ) -> None:
        self.monotonic, self.undo_seconds = monotonic, undo_seconds
        self.rows, self._now = rows, now
        self._panels: BoundedDict[str, Panel] = BoundedDict(_MOST_PANELS)
        self._unsaved: dict[str, Panel] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, family: str, origin: Origin) -> Panel:
        """Open a panel for this person. `save` it before its buttons are shown."""
        id_ = f"{family}:{secrets.token_urlsafe(9)}"
        panel = Panel(id_, origin.user_id, origin.actor, self._now())
        self._panels[id_] = self._unsaved[id_] = panel
        return panel

    def find(self, panel: str) -> Panel | None:
        """The open panel with this prefix, among those in RAM."""
        return self._panels.get(panel)

    async def recall(self, click: Click) -> Panel | None:
        """The panel of a click, if need be from disk; None if it is unknown or too old."""
        id_ = parse_click(click)[0]
        panel = self._panels.get(id_) or await self._find_row(id_)
        if panel is None or self._now() - panel.opened > BUTTONS_LAST:
            return None
        # Another click may have recalled it meanwhile.
        return self._panels.setdefault(id_, panel)

    def touch(self, panel: Panel) -> None:
        """Note that a panel has changed."""
        self._unsaved[panel.id] = panel

    async def save(self) -> None:
        """Write what was opened or has changed. What can't be written works until the process
        ends."""
        if not self._unsaved:
            return
        # Written twice rather than by somebody else, who may not be done yet.
        panels = list(self._unsaved.values())
        rows = [PanelRow(p.id, p.actor, p.owner, p.opened, p.state.json) for p in panels]
        with log_outage(_log, "panels_unavailable"):
            await self.rows.save(rows, self._now() - BUTTONS_LAST)
        for panel, row in zip(panels, rows, strict=True):
            if self._unsaved.get(panel.id) is panel and panel.state.json == row.state:
                del self._unsaved[panel.id]

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background, for as long as the program runs. It has no lease: that of
        the task at hand may be over by then."""
        free = copy_context()
        free.run(current_lease.set, None)
        task = asyncio.get_running_loop().create_task(work, context=free)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def drop(self, actor: Actor) -> None:
        """Forget what is in RAM of the actor; the next press reads what is on disk. A deletion can
        no longer be undone."""
        for panel in self._of(actor):
            del self._panels[panel.id]
            self._unsaved.pop(panel.id, None)

    def drop_records(self, actor: Actor, record_ids: Set[str]) -> None:
        """Drop what the actor's panels still hold of deleted records."""
        for panel in self._of(actor):
            panel.candidates = [
                r if r and r.id not in record_ids else None for r in panel.candidates
            ]
            changes = [shown.change for shown in panel.changes if shown]
            told = {record.id for c in changes for record in (c.record, c.before) if record}
            if told & record_ids:
                panel.changes.clear()

    def forget(self, actor: Actor) -> None:
        """Drop what the actor's panels hold, because everything about the actor was deleted."""
        for panel in self._of(actor):
            self._unsaved.pop(panel.id, None)
            panel.deletion = panel.unread = None
            panel.name = panel.head = panel.tail = ""
            panel.changes.clear()
            panel.candidates.clear()

    def _of(self, actor: Actor) -> list[Panel]:
        """The actor's panels in RAM. Quick: looked for whenever a lease begins or ends."""
        return [panel for _, panel in self._panels.peek() if panel.actor.id == actor.id]

    async def _find_row(self, panel: str) -> Panel | None:
        try:
            row = await self.rows.find(panel)
            state = PanelState.from_json(row.state) if row else None
        except (StoreUnavailable, ValueError) as failure:
            # Whoever presses gets a fresh panel.
            _log.warning("panel_unreadable", error=type(failure).__name__)
            return None
        if row is None or state is None:
            return None
        return Panel(
            row.id,
            row.owner,
            row.actor,
            row.opened_at,
            chosen=set(state.chosen),
            along=state.along,
            under_answer=state.under_answer,
            answer_id=state.answer_id,
            unread=state,
        )


def parse_click(click: Click) -> tuple[str, str, str]:
    """The panel of a click, and the verb and argument of its button."""
    family, secret, verb, argument = (*click.data.split(":", 3), "", "", "")[:4]
    return f"{family}:{secret}", verb, argument
