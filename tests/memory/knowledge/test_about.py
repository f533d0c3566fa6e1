"""A name finds all that is known of it, ended or not, whatever its case, accents and endings."""

import pytest

from memory.records import Amendment, Draft, Kind, Speaker
from tests.contracts.long_term_memory import texts
from tests.fakes.temporary_store import TemporaryStore
from tests.memory.knowledge.test_changes import ANN, BOB, CROWD, NOON, about, opened


async def test_everything_about_a_name_is_found_ended_or_not() -> None:
    async with opened(store := TemporaryStore()) as memory:
        _, city, _, _ = await store.commit(
            ANN,
            [
                about("My sister visits on 12 December 2026", "Meera", "my sister"),
                about("Meera lives in Pune"),
                about("I work at Acme", "Acme"),
                Draft(Kind.SUMMARY, "We talked about Meera", NOON, session_id="s-1"),
            ],
        )
        await store.commit(ANN, [], [Amendment(city.id, ended_at=NOON)])
        found = await memory.known.about(ANN, "meera")
        assert texts(found) == ["My sister visits on 12 December 2026", "Meera lives in Pune"]
        assert [record.current for record in found] == [True, False]
        assert await memory.known.about(BOB, "Meera") == []


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Мира", "Миры"),
        ("José", "jose"),
        ("Zoë Müller", "zoe muller"),
        ("王芳", "王芳"),
        ("Miso the cat", "MISO"),
        ("Will", "Will"),
    ],
)
async def test_case_accents_and_endings_do_not_matter(name: str, asked: str) -> None:
    async with opened(store := TemporaryStore()) as memory:
        await store.commit(ANN, [about("…", name), about("I like tea")])
        assert len(await memory.known.about(ANN, asked)) == 1


async def test_in_a_group_it_is_also_what_they_said_of_themselves() -> None:
    async with opened(TemporaryStore()) as memory:
        await memory.known.remember(CROWD, "I like tea", speaker=Speaker(1, "Anna"))
        await memory.known.remember(CROWD, "I like coffee", speaker=Speaker(2, "Ben"))
        assert texts(await memory.known.about(CROWD, "Anna")) == ["I like tea"]


@pytest.mark.parametrize("name", ["", "  ", "the", "?!"])
async def test_no_name_is_about_nothing(name: str) -> None:
    async with opened(store := TemporaryStore()) as memory:
        await store.commit(ANN, [about("I like the tea?!")])
        assert await memory.known.about(ANN, name) == []
