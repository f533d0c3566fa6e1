"""Panels: messages with buttons that are edited in place, their owners and their lifetime."""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from bot.assistant.events import Button, ButtonRows, Question, Reply
from bot.assistant.inbound import Click, Origin
from bot.texts import Texts
from memory.background.caches import BoundedDict
from memory.knowledge.forgetting import Forgotten
from memory.records import Actor, Change, Record

#: How long a deletion can be undone, in seconds.
UNDO_SECONDS = 60.0
#: Lifetime of buttons, in seconds.
BUTTONS_SECONDS = 3600.0
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


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change that a panel shows, and whether it was undone there."""

    change: Change
    undone: bool = False


@dataclass(slots=True)
class Panel:
    """An open panel: `id` is the prefix of its buttons' data, `owner` a user id, `actor` whose
    memory it shows. What its buttons act on is in here, by number: they carry no records' ids.

    `name` is whom it tells about. `changes` stand between the texts `head` and `tail`. `candidates`
    are records that may be forgotten, None where one is gone, `chosen` the numbers of those that
    were forgotten here, and `along` the ids of what goes with all of them. A panel `under_answer`
    leaves the answer as it is: what comes of its buttons is a new message."""

    id: str
    owner: int
    actor: Actor
    opened: float
    deletion: Deletion | None = None
    name: str = ""
    changes: list[ShownChange] = field(default_factory=list)
    head: str = ""
    tail: str = ""
    candidates: list[Record | None] = field(default_factory=list)
    chosen: set[int] = field(default_factory=set)
    along: tuple[str, ...] = ()
    under_answer: bool = False
    answer_id: int | None = None

    def place(self, reply: Reply, click: Click) -> Reply:
        """What comes of a click, in place of the pressed message or below the answer."""
        if self.under_answer and self.answer_id in (None, click.message_id):
            self.answer_id = click.message_id
            return replace(reply, releases=click.message_id)
        return replace(reply, replaces=click.message_id)

    def reply(self, page: Page, click: Click, question: Question | None = None) -> Reply:
        """The page that comes of a click."""
        return self.place(page.reply(self.id, question=question), click)


class Panels:
    """The panels of this process. Each has a secret in its buttons, and only the person who opened
    it may press them. The secret is tied to the actor, so a panel from a private chat does not open
    a group's memory. A restart makes all buttons stale."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        undo_seconds: float = UNDO_SECONDS,
    ) -> None:
        self.monotonic, self.undo_seconds = monotonic, undo_seconds
        self._panels: BoundedDict[str, Panel] = BoundedDict(_MOST_PANELS)
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, family: str, origin: Origin) -> Panel:
        """Open a panel for this person."""
        id_ = f"{family}:{secrets.token_urlsafe(9)}"
        panel = Panel(id_, origin.user_id, origin.actor, self.monotonic())
        self._panels[id_] = panel
        return panel

    def find(self, panel: str) -> Panel | None:
        """The open panel with this prefix."""
        return self._panels.get(panel)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background, for as long as the program runs."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def refusal(self, click: Click, command: str, texts: Texts) -> str | None:
        """Why a click has no effect; None if it has. `command` reopens a stale panel."""
        panel = self.find(parse_click(click)[0])
        if panel is None or self.monotonic() - panel.opened > BUTTONS_SECONDS:
            return texts.buttons_stale.format(command=command)
        # A panel opened in the name of a group is for all its admins.
        openers = (click.origin.user_id, click.origin.place.chat_id)
        if panel.actor != click.origin.actor or panel.owner not in openers:
            return texts.button_not_yours
        return None

    def drop(self, actor: Actor, record_ids: Set[str]) -> None:
        """Drop what the actor's panels still hold of deleted records."""
        for panel in self._panels.values():
            if panel.actor != actor:
                continue
            panel.candidates = [
                r if r and r.id not in record_ids else None for r in panel.candidates
            ]
            changes = [shown.change for shown in panel.changes]
            told = {record.id for c in changes for record in (c.record, c.before) if record}
            if told & record_ids:
                panel.changes.clear()

    def forget(self, actor: Actor) -> None:
        """Drop what the actor's panels hold, because everything about the actor was deleted."""
        for panel in self._panels.values():
            if panel.actor == actor:
                panel.deletion = None
                panel.name = ""
                panel.changes.clear()
                panel.candidates.clear()


def parse_click(click: Click) -> tuple[str, str, str]:
    """The panel of a click, and the verb and argument of its button."""
    family, secret, verb, argument = (*click.data.split(":", 3), "", "", "")[:4]
    return f"{family}:{secret}", verb, argument
