"""A store that extracts by itself, as AWS does, when the test says so."""

from collections.abc import Sequence
from datetime import datetime

from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind, Record, Turn
from tests.fakes.temporary_store import TemporaryStore


class ExtractingStore(TemporaryStore):
    """Keeps no messages where search finds them. While it is `away` it acknowledges nothing. Once
    it `has_learned`, there is a summary of each session that it was given."""

    archives, takes_new_turns = False, True

    def __init__(self) -> None:
        super().__init__()
        self.extraction = self  # type: ignore[assignment]
        self.away, self.has_learned = False, False
        #: How often it was asked what it had learned.
        self.looks = 0
        self._given: dict[str, tuple[Actor, Turn]] = {}

    async def add_turn(self, actor: Actor, *turns: Turn, on_disk: bool = False) -> list[Turn]:
        self._given |= {turn.id: (actor, turn) for turn in turns}
        return []

    async def flush(self, actor: Actor) -> None:
        if self.away:
            raise StoreUnavailable("away")

    async def has_extracted(self, actor: Actor, turns: Sequence[Turn], since: datetime) -> bool:
        self.looks += 1
        if self.has_learned:
            said = " ".join(turn.said for turn in turns)
            at, session = turns[-1].messages[0].at, turns[0].session_id
            await self.commit(actor, [Draft(Kind.SUMMARY, said, at, session_id=session)])
        return self.has_learned

    async def all_messages(self, actor: Actor) -> list[Record]:
        return []

    @property
    def given(self) -> list[str]:
        """What was said in all turns, by whoever."""
        return [turn.said for _, turn in self._given.values()]
