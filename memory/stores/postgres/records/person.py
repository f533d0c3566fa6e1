"""One person's memory on a PostgreSQL server, in a transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memory.records import Actor, Turn
from memory.search.ranking import Weights
from memory.search.text import TOKENISER_VERSION
from memory.stores.database import Rows
from memory.stores.postgres.records.tables import SHELVES, ServerTables
from memory.stores.records.person import Person

if TYPE_CHECKING:
    from memory.stores.postgres.connections import PgConnection
    from memory.stores.records.vectors import VectorTable


class PersonRows(Person):
    """A person's rows in everybody's tables. No other actor's can be reached on the connection
    until the transaction ends or another one is made on it."""

    def __init__(
        self,
        connection: "PgConnection",
        actor: Actor,
        weights: Weights,
        vectors: "VectorTable | None" = None,
    ) -> None:
        self._server, self._actor = connection, actor
        super().__init__(ServerTables(connection, actor), weights, vectors)

    def ask_tokeniser(self, *, lock: bool = False) -> Rows:
        """Ask for the version of what split their texts into words: no row if nothing is stored of
        them. With a lock nobody else can change their rows until the transaction ends."""
        return self._server.execute(
            f"SELECT tokeniser FROM person WHERE actor = %s {'FOR UPDATE' if lock else ''}",
            (self._actor.id,),
        )

    def begin(self) -> None:
        """Make room for somebody of whom nothing is stored, and lock it."""
        self._server.execute(
            "INSERT INTO person (actor, tokeniser) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (self._actor.id, str(TOKENISER_VERSION)),
        )
        self._server.execute(
            "INSERT INTO shelf (name, records, words) SELECT unnest(%s::text[]), 0, 0 "
            "ON CONFLICT DO NOTHING",
            ([name for name, _ in SHELVES],),
        )
        self.ask_tokeniser(lock=True)

    def add_turns(self, turns: Iterable[Turn], *, on_disk: bool) -> None:
        if not on_disk:
            self._leave_disk_behind()
        super().add_turns(turns, on_disk=on_disk)

    def embed(self, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]) -> None:
        self._leave_disk_behind()
        super().embed(texts, vectors)

    def reindex(self) -> None:
        self.begin()
        super().reindex()
        self._server.execute(
            "UPDATE person SET tokeniser = %s WHERE actor = %s",
            (str(TOKENISER_VERSION), self._actor.id),
        )

    def _leave_disk_behind(self) -> None:
        """Don't wait for the disk when the transaction under way ends. The next one that waits
        waits for this one too."""
        self._server.execute("SET LOCAL synchronous_commit TO off")
