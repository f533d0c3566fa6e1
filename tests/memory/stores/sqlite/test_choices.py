"""What people had chosen when choices were still kept among their records."""

import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path

from memory.records import Choices, Draft, Kind
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.long_term_memory import ANN, NOON, draft, texts

#: The migration that took the choices out of the records, which an older file has not been through.
_UNDONE = "DELETE FROM migration WHERE name = 'choices'; DROP TABLE choice;"


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[SqliteStore]:
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(directory, pool)
        yield store
        await store.aclose()


def said(text: str, slot: str, minutes: int = 0, supersedes: str | None = None) -> Draft:
    at = NOON + timedelta(minutes=minutes)
    return Draft(Kind.PREFERENCE, text, at, slot=slot, importance=10, supersedes=supersedes)


async def test_choices_among_the_records_of_an_older_file_become_choices(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        (old,) = await store.commit(ANN, [said('I call you "Jarvis"', "agent_name")])
        await store.commit(
            ANN,
            [
                said('I call you "Friday "the" 2nd"', "agent_name", 1, old.id),
                said('My language here is "pt-br"', "language"),
                said('My time zone is "Europe/Rome"', "time_zone"),
                said('The answers I want are "short"', "reply_length"),
                said('While an answer is written I see it by "off"', "streaming"),
                said("I speak English and German", "language"),
                draft("I live in Oslo"),
            ],
        )
    with closing(sqlite3.connect(tmp_path / "u1.sqlite")) as file:
        file.executescript(_UNDONE)
    async with opened(tmp_path) as store:
        assert await store.choices.get(ANN) == Choices(
            agent_name='Friday "the" 2nd',
            language="pt-br",
            time_zone="Europe/Rome",
            answer_length="short",
            streaming="off",
        )
        left = await store.records(ANN, kinds=tuple(Kind), include_superseded=True)
        assert texts(left) == ["I speak English and German", "I live in Oslo"]
        assert await store.search(ANN, "Friday, what time zone?") == []
        assert [hit.record.text for hit in await store.search(ANN, "Oslo")] == ["I live in Oslo"]
        (new,) = await store.commit(ANN, [said("I like tea", "drink")])
        assert new.id not in {old.id}
