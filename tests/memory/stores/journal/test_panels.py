"""Panels are kept until they are old, and go with everything else of their actor."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.panels import PanelRow
from memory.records import Actor, Place
from memory.stores.database import Databases
from memory.stores.journal.journal import JOURNAL_LAYOUT, SqlJournal

NOW = datetime(2026, 11, 21, 12, 0, 0, 1, tzinfo=UTC)
ANNAS = PanelRow("m:secret", Actor("u1"), 1, NOW, "{}")
BORIS = PanelRow("c:other", Actor("u2"), 2, NOW + timedelta(hours=1), '{"chosen":[1]}')
HOME = Place("telegram", 1)


async def test_a_panel_is_found_by_the_next_process(databases: Databases) -> None:
    async with SqlJournal(databases.open(JOURNAL_LAYOUT)) as journal:
        await journal.panels.save([ANNAS, BORIS], NOW)
        changed = replace(ANNAS, state='{"chosen":[2]}')
        await journal.panels.save([changed], NOW)
    async with SqlJournal(databases.open(JOURNAL_LAYOUT)) as journal:
        assert await journal.panels.find("m:secret") == changed
        assert await journal.panels.find("c:other") == BORIS
        assert await journal.panels.find("m:guessed") is None


async def test_saving_deletes_those_that_are_too_old(databases: Databases) -> None:
    async with SqlJournal(databases.open(JOURNAL_LAYOUT)) as journal:
        await journal.panels.save([ANNAS, BORIS], NOW)
        await journal.panels.save([], BORIS.opened_at)
        assert await journal.panels.find(ANNAS.id) is None
        assert await journal.panels.find(BORIS.id) == BORIS


@pytest.mark.parametrize("moved", [False, True])
async def test_they_go_with_their_actor(databases: Databases, tmp_path: Path, moved: bool) -> None:
    async with SqlJournal(databases.open(JOURNAL_LAYOUT)) as journal:
        await journal.panels.save([ANNAS, BORIS], NOW)
        if moved:
            await journal.move(ANNAS.actor, Actor("u3"), HOME, Place("telegram", 3))
        else:
            await journal.erase(ANNAS.actor)
        assert await journal.panels.find(ANNAS.id) is None
        assert await journal.panels.find(BORIS.id) == BORIS
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert (b"m:secret" in left) is False
