"""What the workers' database holds."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

_OPEN = """SELECT (SELECT count(*) FROM inbound WHERE body IS NOT NULL),
    (SELECT count(*) FROM session WHERE ended_at IS NOT NULL)"""


@dataclass
class Ledger:
    """Looks into the database, past the workers."""

    url: str
    #: What must not be, as it was found.
    wrong: list[str] = field(default_factory=list)
    _held: dict[str, tuple[int, str]] = field(default_factory=dict)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with psycopg.connect(
            self.url, autocommit=True, options="-c search_path=mordecai"
        ) as connection:
            return connection.execute(sql.encode()).fetchall()

    def waiting(self) -> tuple[int, int]:
        """How many updates are not answered, and how many sessions not learned from."""
        [(updates, sessions)] = self.rows(_OPEN)
        return updates, sessions

    async def watch(self) -> None:
        """Compare the leases with what they were, until cancelled: a token belongs to one worker,
        and only ever grows."""
        while True:
            try:
                held = await asyncio.to_thread(
                    self.rows, "SELECT actor, token, holder FROM held_lane"
                )
            except psycopg.Error:
                held = []
            self.wrong += self._compare(held)
            await asyncio.sleep(0.25)

    def _compare(self, held: list[tuple[Any, ...]]) -> Iterator[str]:
        for actor, token, holder in held:
            before, holder_before = self._held.get(actor, (0, ""))
            if token < before:
                yield f"the token of {actor} fell from {before} to {token}"
            if token == before and holder != holder_before:
                yield f"{holder_before} and {holder} both had token {token} of {actor}"
            self._held[actor] = token, holder
