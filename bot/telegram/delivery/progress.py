"""How far a reply has come on its way to the chat."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Progress:
    """The parts of a reply are its messages, then its documents. `arrived` are the ids of those
    that Telegram has; `unsure`: the next one may have arrived too."""

    arrived: tuple[int, ...] = ()
    unsure: bool = False

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, dumped: str | None) -> Self:
        """The progress; in doubt if it is damaged."""
        try:
            kept = json.loads(dumped or "{}")
            return cls(tuple(kept.get("arrived", ())), bool(kept.get("unsure")))
        except (ValueError, TypeError, AttributeError):
            return cls(unsure=True)


NO_PROGRESS = Progress()


class Delivery:
    """A reply on its way. Every step is noted before it counts, so that after a kill at any moment
    the next process goes on from there, and knows what may have arrived."""

    def __init__(
        self,
        progress: Progress | None = None,
        note: Callable[[Progress], Awaitable[None]] | None = None,
        again: Callable[[], Awaitable[str]] | None = None,
        *,
        noted: Progress | None = None,
    ) -> None:
        """`note` writes down the progress, if it is not what is `noted`. `again` is the line above
        a part that may arrive a second time; None: a duplicate is harmless."""
        self.progress = progress or NO_PROGRESS
        self._noted = noted or self.progress
        self._note, self._again = note, again

    @property
    def is_harmless(self) -> bool:
        """True if a part may be sent twice."""
        return self._again is None

    async def mark(self) -> str:
        """The line above the next part; empty if the part can't be there yet."""
        return await self._again() if self._again and self.progress.unsure else ""

    async def begin(self) -> None:
        """Note that from now on the next part may arrive."""
        await self._write(replace(self.progress, unsure=not self.is_harmless))

    async def settle(self) -> None:
        """Note what is known now: the part just tried did not arrive, or was the last."""
        await self._write(self.progress)

    def lose(self) -> None:
        """The part just tried may have arrived."""
        self.progress = replace(self.progress, unsure=not self.is_harmless)

    def arrive(self, message_id: int) -> None:
        """The next part is there. This is noted with the next step."""
        self.progress = Progress((*self.progress.arrived, message_id))

    def replace(self, message_id: int) -> None:
        """The next part is there, in place of a message. A doubt is about what will be sent."""
        arrived = *self.progress.arrived, message_id
        self.progress = replace(self.progress, arrived=arrived)

    async def _write(self, progress: Progress) -> None:
        if self._note and progress != self._noted:
            self._noted = progress
            await self._note(progress)
