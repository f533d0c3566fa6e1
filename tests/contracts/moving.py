"""What every Store promises of giving everything of one actor to another.

Subclass `MovingContract` beside `LongTermMemoryContract`, with the same fixture `store`."""

from datetime import timedelta

from memory.ports import Store
from memory.records import Actor, Draft, Kind, Record, Speaker
from tests.contracts.long_term_memory import (
    ANN,
    BOB,
    GROUP,
    NOON,
    draft,
    eventually,
    texts,
    written,
)

SUPERGROUP = Actor.group(-1009)


def _told(record: Record) -> tuple[object, ...]:
    """What of a record is the same wherever it is."""
    return (
        record.kind,
        record.created_at,
        record.session_id,
        record.turn_ids,
        record.importance,
        record.superseded_at,
    )


class MovingContract:
    """The claims. `store` is an empty store that the fixture closes."""

    async def test_what_is_moved_is_the_other_actor_s(self, store: Store) -> None:
        (old,) = await written(store, GROUP, draft("We meet in Oslo"))
        await written(
            store,
            GROUP,
            draft("We meet in Lima", supersedes=old.id, minutes=5),
            draft("We like it short", Kind.PREFERENCE, minutes=6),
            draft("We talked about moving", Kind.SUMMARY, minutes=7),
        )
        await written(store, ANN, draft("I have a dog"))
        before = await store.records(GROUP, include_superseded=True)
        await store.move(GROUP, SUPERGROUP)

        async def moved() -> bool:
            return len(await store.records(SUPERGROUP, include_superseded=True)) == 4

        await eventually(moved)
        after = await store.records(SUPERGROUP, include_superseded=True)
        assert texts(after) == texts(before)
        assert [_told(record) for record in after] == [_told(record) for record in before]
        assert after[1].supersedes == after[0].id
        hits = await store.search(SUPERGROUP, "We meet in Lima")
        assert "We meet in Lima" in texts(hits)
        assert await store.records(GROUP, include_superseded=True) == []
        assert await store.search(GROUP, "We meet in Lima", kinds=tuple(Kind)) == []
        assert texts(await store.records(ANN)) == ["I have a dog"]

    async def test_moving_to_who_has_something_loses_nothing_of_either(self, store: Store) -> None:
        named = Draft(Kind.PREFERENCE, "I call you Max", NOON, slot="agent_name")
        renamed = Draft(
            Kind.PREFERENCE, "I call you Eve", NOON + timedelta(minutes=9), slot="agent_name"
        )
        await written(store, GROUP, draft("We meet in Oslo"), named)
        await written(store, SUPERGROUP, draft("We have a cat", minutes=1), renamed)
        await store.move(GROUP, SUPERGROUP)

        async def together() -> bool:
            return len(await store.records(SUPERGROUP, include_superseded=True)) == 4

        await eventually(together)
        current = texts(await store.records(SUPERGROUP))
        assert current == ["We meet in Oslo", "We have a cat", "I call you Eve"]

    async def test_moving_leaves_everybody_of_a_group_their_own_answer(self, store: Store) -> None:
        for speaker, place in ((Speaker(7, "Ann"), "Acme"), (Speaker(8, "Ann"), "Globex")):
            told = Draft(Kind.FACT, f"I work at {place}", NOON, slot="employer", speaker=speaker)
            await written(store, GROUP, told)
        await store.move(GROUP, SUPERGROUP)

        async def moved() -> bool:
            return len(await store.records(SUPERGROUP)) == 2

        await eventually(moved)
        after = await store.records(SUPERGROUP)
        assert {record.speaker.id for record in after if record.speaker} == {7, 8}

    async def test_moving_again_adds_nothing(self, store: Store) -> None:
        await written(store, GROUP, draft("We meet in Oslo"))
        await store.move(GROUP, SUPERGROUP)
        # As after a crash between two steps: the same is there under both names.
        await written(store, GROUP, draft("We meet in Oslo"), draft("We have a cat"))
        await store.move(GROUP, SUPERGROUP)
        await store.move(GROUP, SUPERGROUP)

        async def moved() -> bool:
            return len(await store.records(SUPERGROUP)) == 2

        await eventually(moved)
        assert await store.records(GROUP) == []
        await store.move(BOB, SUPERGROUP)
        await store.move(SUPERGROUP, SUPERGROUP)
        assert len(await store.records(SUPERGROUP)) == 2

    async def test_whoever_has_moved_can_go_on(self, store: Store) -> None:
        await written(store, GROUP, draft("We meet in Oslo"))
        await store.move(GROUP, SUPERGROUP)

        async def there() -> bool:
            return bool(await store.records(SUPERGROUP))

        await eventually(there)
        (moved,) = await store.records(SUPERGROUP)
        await written(store, SUPERGROUP, draft("We meet in Rome", supersedes=moved.id, minutes=1))
        assert texts(await store.records(SUPERGROUP)) == ["We meet in Rome"]
