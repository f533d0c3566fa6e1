"""Panels: messages with buttons that are edited in place. What they show, whose they are, and for
how long."""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from bot.assistant.events import Button, ButtonRows, Question, Reply
from bot.assistant.inbound import Click, Origin
from bot.texts import Texts
from memory.background.caches import BoundedDict
from memory.knowledge.forgetting import Forgotten
from memory.records import Actor, Record

#: How long buttons work. In seconds.
BUTTONS_SECONDS = 3600.0
_MOST_PANELS = 1_000
#: So many characters of a label a phone shows, by how many buttons are abreast; of what is longer,
#: the beginning.
LABEL_CHARS: Mapping[int, int] = {1: 32, 2: 18, 3: 11}


@dataclass(frozen=True, slots=True)
class Page:
    """What a panel shows. The data of its buttons is what they do: `verb` or `verb:argument`. Where
    it `waits`, the next message answers it."""

    text: str
    rows: ButtonRows = ()
    waits: bool = False

    def reply(
        self, panel: str, replaces: int | None = None, question: Question | None = None
    ) -> Reply:
        """This page as what the panel shows."""
        rows = tuple(
            tuple(replace(button, data=f"{panel}:{button.data}") for button in row)
            for row in self.rows
            if row
        )
        return Reply(self.text, rows, replaces=replaces, question=question)


def in_rows(buttons: Iterable[Button], abreast: int = 2) -> ButtonRows:
    """The buttons in rows of so many, or of fewer if a phone would cut a label."""
    every = tuple(buttons)
    longest = max((len(button.label) for button in every), default=0)
    while abreast > 1 and longest > LABEL_CHARS[abreast]:
        abreast -= 1
    return tuple(every[start : start + abreast] for start in range(0, len(every), abreast))


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a panel deleted last, and when; what of it came back, if it was undone."""

    forgotten: tuple[Forgotten, ...]
    at: float
    restored: tuple[Record, ...] = ()


@dataclass(slots=True)
class Panel:
    """An open panel: who opened it, whose memory it is about, and when."""

    owner: int
    actor: Actor
    opened: float
    deletion: Deletion | None = None


class Panels:
    """The panels of this process. Each has a secret in its buttons, and only the person who opened
    it may press them. A secret works for its own actor alone: a panel of one's own does not open a
    group's memory. After a restart all buttons are stale."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self._panels: BoundedDict[str, Panel] = BoundedDict(_MOST_PANELS)

    def open(self, family: str, origin: Origin) -> str:
        """Open a panel for this person; the prefix of its buttons' data."""
        id_ = f"{family}:{secrets.token_urlsafe(9)}"
        self._panels[id_] = Panel(origin.user_id, origin.actor, self.monotonic())
        return id_

    def find(self, panel: str) -> Panel | None:
        """The open panel with this prefix."""
        return self._panels.get(panel)

    def refusal(self, click: Click, command: str, texts: Texts) -> str | None:
        """Why a click has no effect; None if it has. `command` reopens a stale panel."""
        panel = self.find(parse_click(click)[0])
        if panel is None or self.monotonic() - panel.opened > BUTTONS_SECONDS:
            return texts.buttons_stale.format(command=command)
        # What was opened in the name of a group is for whoever may press there.
        openers = (click.origin.user_id, click.origin.place.chat_id)
        if panel.actor != click.origin.actor or panel.owner not in openers:
            return texts.button_not_yours
        return None

    def forget(self, actor: Actor) -> None:
        """Everything about the actor was deleted: no deletion can be undone any more."""
        for panel in self._panels.values():
            if panel.actor == actor:
                panel.deletion = None


def parse_click(click: Click) -> tuple[str, str, str]:
    """The panel that a click is on, the verb of its button and the verb's argument."""
    family, secret, verb, argument = (*click.data.split(":", 3), "", "", "")[:4]
    return f"{family}:{secret}", verb, argument
