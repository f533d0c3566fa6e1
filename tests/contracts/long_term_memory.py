"""What every LongTermMemory promises, whatever it runs on.

Subclass `LongTermMemoryContract` and provide an async fixture `store`. The claims leave room for a
store in the cloud: its search is semantic, so a record is asked for with its own words only; and it
may take a moment until what was written is seen, so reads are repeated until they hold."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from memory.errors import MemoryFailure, UnknownRecord
from memory.ports import Store
from memory.records import (
    LEARNED_KINDS,
    Actor,
    Draft,
    Hit,
    Kind,
    Record,
    Role,
    Speaker,
    Turn,
    Utterance,
)

NOON = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
ANN = Actor.person(1)
BOB = Actor.person(12)
GROUP = Actor.group(-1001)

HOSTILE_QUERIES = {
    "empty": "",
    "blank": " \n\t ",
    "stop words only": "what is the of and",
    "punctuation only": "?!... ,;:-—()[]{}",
    "emoji only": "🦊🚀👩‍👩‍👧",
    "FTS syntax": '" OR NEAR( * AND NOT ^col: "x',
    "NUL": "a\0b\0",
    "lone surrogates": "\ud800 x \udfff",
    "100 kB": "memory lane " * 8_500,
    "one word of 100 kB": "x" * 100_000,
    "right-to-left": "\u202eשלום مرحبا",
    "SQL": "'; DROP TABLE record; --",
}


def draft(
    text: str, kind: Kind = Kind.FACT, *, supersedes: str | None = None, minutes: int = 0
) -> Draft:
    """A draft that says only this."""
    return Draft(
        kind,
        text,
        NOON + timedelta(minutes=minutes),
        session_id="s-1",
        turn_ids=("t-1",),
        supersedes=supersedes,
    )


def turn(turn_id: str, said: str, reply: str = "I see.") -> Turn:
    """A turn of one message and one reply."""
    return Turn(
        turn_id,
        "s-1",
        (Utterance(Role.USER, said, NOON), Utterance(Role.ASSISTANT, reply, NOON)),
    )


def texts(found: list[Record] | list[Hit]) -> list[str]:
    """The texts of records or hits."""
    return [x.record.text if isinstance(x, Hit) else x.text for x in found]


async def eventually(check: Callable[[], Awaitable[bool]], seconds: float = 10.0) -> None:
    """Pass as soon as the check holds; fail if it does not within the time."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not await check():
        assert asyncio.get_running_loop().time() < deadline, "never came true"
        await asyncio.sleep(0.02)


def _learns(store: Store) -> bool:
    """True if the store itself learns from the turns it is given now."""
    return store.extraction is not None and store.extraction.takes_new_turns


async def written(store: Store, actor: Actor, *drafts: Draft) -> list[Record]:
    """Commit, and wait until all of it is seen."""
    records = await store.commit(actor, drafts)
    ids = {record.id for record in records}

    async def seen() -> bool:
        return ids <= {record.id for record in await store.records(actor)}

    await eventually(seen)
    return records


class LongTermMemoryContract:
    """The claims. `store` is an empty store that the fixture closes. One that is not `local`
    archives no messages."""

    local: ClassVar[bool] = True

    async def _written(self, store: Store, actor: Actor, *drafts: Draft) -> list[Record]:
        return await written(store, actor, *drafts)

    async def test_committed_records_come_back_in_order_with_all_they_had(
        self, store: Store
    ) -> None:
        full = Draft(
            Kind.FACT,
            "I work at Acme Corp",
            NOON,
            session_id="s-1",
            turn_ids=("t-1", "t-2"),
            slot="employer",
            importance=8,
            event_date="2026-03",
        )
        plain = draft("I prefer Python over JavaScript", Kind.PREFERENCE)
        first, second = await self._written(store, ANN, full, plain)
        assert (first.kind, first.text, first.created_at) == (full.kind, full.text, NOON)
        assert (first.session_id, first.turn_ids) == ("s-1", ("t-1", "t-2"))
        assert (first.slot, first.importance, first.event_date) == ("employer", 8, "2026-03")
        assert first.current
        assert (second.kind, second.text) == (plain.kind, plain.text)

    async def test_records_lists_what_commit_returned(self, store: Store) -> None:
        written = await self._written(
            store,
            ANN,
            draft("I live in Oslo", minutes=0),
            draft("Keep answers short", Kind.PREFERENCE, minutes=1),
            draft("We talked about moving to Oslo", Kind.SUMMARY, minutes=2),
        )
        assert await store.records(ANN) == written

    async def test_records_are_listed_oldest_first_whatever_the_order_of_writing(
        self, store: Store
    ) -> None:
        await self._written(store, ANN, draft("I have a bicycle", minutes=9))
        await self._written(store, ANN, draft("I was born in Rome", minutes=1))
        assert texts(await store.records(ANN)) == ["I was born in Rome", "I have a bicycle"]

    @pytest.mark.parametrize("kind", LEARNED_KINDS)
    async def test_records_and_search_keep_to_the_kinds_asked_for(
        self, store: Store, kind: Kind
    ) -> None:
        await self._written(
            store,
            ANN,
            draft("tea: I drink it at four", Kind.FACT),
            draft("tea: I like it green", Kind.PREFERENCE),
            draft("tea: we talked about it", Kind.SUMMARY),
        )
        assert {r.kind for r in await store.records(ANN, kinds=(kind,))} == {kind}
        assert {h.record.kind for h in await store.search(ANN, "tea", kinds=(kind,))} <= {kind}

    async def test_ids_are_unique_and_stay(self, store: Store) -> None:
        written = await self._written(store, ANN, draft("I have a dog"), draft("I have a cat"))
        assert len({record.id for record in written}) == 2
        assert [record.id for record in await store.records(ANN)] == [r.id for r in written]

    async def test_a_record_is_found_by_its_own_words(self, store: Store) -> None:
        await self._written(
            store, ANN, draft("My sister plays the cello"), draft("I work at Acme Corp")
        )

        async def found() -> bool:
            hits = await store.search(ANN, "My sister plays the cello")
            return bool(hits) and hits[0].record.text == "My sister plays the cello"

        await eventually(found)

    async def test_hits_are_ordered_by_a_relevance_between_0_and_1(self, store: Store) -> None:
        await self._written(
            store, ANN, *(draft(f"I saw {n} whales near the Azores") for n in range(3, 9))
        )
        hits = await store.search(ANN, "How many whales near the Azores?")
        relevances = [hit.relevance for hit in hits]
        assert relevances == sorted(relevances, reverse=True)
        assert all(0 <= relevance <= 1 for relevance in relevances)

    async def test_no_hit_is_below_the_relevance_asked_for(self, store: Store) -> None:
        await self._written(store, ANN, draft("I play chess on Sundays"), draft("Chess is fun"))
        hits = await store.search(ANN, "who plays chess with my brother?", min_relevance=0.3)
        assert all(hit.relevance >= 0.3 for hit in hits)

    async def test_search_gives_no_more_than_the_limit(self, store: Store) -> None:
        await self._written(store, ANN, *(draft(f"Train number {n} is late") for n in range(6)))
        assert len(await store.search(ANN, "Which train is late?", limit=2)) <= 2

    async def test_a_superseded_record_is_kept_but_not_current(self, store: Store) -> None:
        (old,) = await self._written(store, ANN, draft("I live in Oslo"))
        (new,) = await self._written(
            store, ANN, draft("I live in Lima", supersedes=old.id, minutes=5)
        )
        assert new.supersedes == old.id

        async def replaced() -> bool:
            return texts(await store.records(ANN)) == ["I live in Lima"]

        await eventually(replaced)
        history = await store.records(ANN, include_superseded=True)
        assert texts(history) == ["I live in Oslo", "I live in Lima"]
        assert history[0].superseded_at == NOON + timedelta(minutes=5)
        assert "I live in Oslo" not in texts(await store.search(ANN, "I live in Oslo"))

    async def test_superseding_an_unknown_record_writes_nothing(self, store: Store) -> None:
        with pytest.raises(UnknownRecord):
            await store.commit(
                ANN, [draft("I have a horse"), draft("I have a boat", supersedes="f404")]
            )
        assert await store.records(ANN, include_superseded=True) == []

    async def test_a_record_is_superseded_once(self, store: Store) -> None:
        (old,) = await self._written(store, ANN, draft("I live in Oslo"))
        await self._written(store, ANN, draft("I live in Lima", supersedes=old.id, minutes=1))
        with pytest.raises(UnknownRecord):
            await store.commit(ANN, [draft("I live in Rome", supersedes=old.id, minutes=2)])

    async def test_committing_nothing_writes_nothing(self, store: Store) -> None:
        assert await store.commit(ANN, []) == []
        assert await store.records(ANN) == []

    async def test_nothing_of_one_actor_is_seen_by_another(self, store: Store) -> None:
        await self._written(store, ANN, draft("My locker code is 4711"))
        await store.add_turn(ANN, turn("t-1", "My locker code is 4711"))
        for stranger in (BOB, GROUP, Actor.group(1)):
            assert await store.records(stranger, include_superseded=True) == []
            assert await store.search(stranger, "My locker code is 4711", kinds=tuple(Kind)) == []

    async def test_an_id_of_another_actor_is_unknown(self, store: Store) -> None:
        (record,) = await self._written(store, ANN, draft("I live in Oslo"))
        assert await store.delete(BOB, [record.id]) == []
        with pytest.raises(UnknownRecord):
            await store.commit(BOB, [draft("I live in Lima", supersedes=record.id)])
        assert texts(await store.records(ANN)) == ["I live in Oslo"]

    async def test_delete_tells_which_ids_it_deleted(self, store: Store) -> None:
        first, second = await self._written(
            store, ANN, draft("I have a dog"), draft("I have a boat")
        )
        assert await store.delete(ANN, [first.id, "f404"]) == [first.id]
        assert await store.delete(ANN, []) == []

        async def gone() -> bool:
            return [record.id for record in await store.records(ANN)] == [second.id]

        await eventually(gone)
        assert "I have a dog" not in texts(await store.search(ANN, "I have a dog"))

    async def test_erase_forgets_one_actor_and_no_other(self, store: Store) -> None:
        await self._written(store, ANN, draft("I have a dog"))
        await self._written(store, BOB, draft("I have a boat"))
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        await store.erase(ANN)

        async def gone() -> bool:
            return await store.records(ANN, include_superseded=True) == []

        await eventually(gone)
        assert await store.search(ANN, "dog called Rex", kinds=tuple(Kind)) == []
        assert texts(await store.records(BOB)) == ["I have a boat"]

    async def test_an_erased_actor_can_start_again(self, store: Store) -> None:
        await self._written(store, ANN, draft("I have a dog"))
        await store.erase(ANN)
        await self._written(store, ANN, draft("I have a boat"))
        assert texts(await store.records(ANN)) == ["I have a boat"]

    async def test_a_turn_is_not_a_learned_record(self, store: Store) -> None:
        for _ in range(2):
            await store.add_turn(ANN, turn("t-1", "I have a dog"))
        if not _learns(store):
            assert await store.records(ANN) == []

    async def test_a_turn_is_left_to_us_unless_the_store_learns_from_it(self, store: Store) -> None:
        said = [turn(name, "I have a dog") for name in ("t-1", "т-2")]
        for _ in range(2):
            left = await store.add_turn(ANN, *said)
            assert left == ([] if _learns(store) else said)

    @pytest.mark.parametrize("query", HOSTILE_QUERIES.values(), ids=HOSTILE_QUERIES)
    async def test_any_text_is_a_legal_query(self, store: Store, query: str) -> None:
        await self._written(store, ANN, draft("I have a dog"))
        hits = await store.search(ANN, query, kinds=tuple(Kind))
        assert all(0 <= hit.relevance <= 1 for hit in hits)

    @pytest.mark.parametrize("query", ["", " \n "])
    async def test_an_empty_query_finds_nothing(self, store: Store, query: str) -> None:
        await self._written(store, ANN, draft("I have a dog"))
        assert await store.search(ANN, query) == []

    async def test_whoever_has_spoken_is_among_the_actors_and_no_stranger_is(
        self, store: Store
    ) -> None:
        for actor in (ANN, GROUP):
            await store.add_turn(actor, turn(f"t-{actor.id}", "I have a dog"))
            await self._written(store, actor, draft("I have a dog"))
        await store.records(BOB)
        await store.search(BOB, "dog")

        async def known() -> bool:
            return set(await store.actors()) == {ANN, GROUP}

        await eventually(known)

    async def test_a_summary_keeps_its_topics(self, store: Store) -> None:
        topics = ("Oslo", "переезд", 'job, & "pay"')
        told = Draft(Kind.SUMMARY, "We talked about moving", NOON, session_id="s-1", topics=topics)
        (written,) = await self._written(store, ANN, told)
        assert written.topics == topics
        (found,) = await store.records(ANN)
        assert found.topics == topics

    async def test_a_fact_of_a_group_keeps_whose_it_is(self, store: Store) -> None:
        told = [
            Draft(Kind.FACT, f"I work at {place}", NOON, slot="employer", speaker=speaker)
            for speaker, place in (
                (Speaker(7, "Боб, 2"), "Acme"),
                (Speaker(8, "Боб, 2"), "Globex"),
                (Speaker(None, "Eve"), "Initech"),
            )
        ]
        for each in told:
            await self._written(store, GROUP, each)
        found = await store.records(GROUP)
        kept = {
            (record.speaker.id, record.speaker.name, record.text)
            for record in found
            if record.current and record.speaker
        }
        assert kept == {
            (7, "Боб, 2", "I work at Acme"),
            (8, "Боб, 2", "I work at Globex"),
            (None, "Eve", "I work at Initech"),
        }

    async def test_the_messages_of_some_turns_are_read_without_the_others(
        self, store: Store
    ) -> None:
        for name in ('t"1', "т-2", "t-3"):
            await store.add_turn(ANN, turn(name, f"said in {name}"))
        await store.add_turn(BOB, turn("t-3", "a secret"))
        found = await store.messages(ANN, ['t"1', "т-2", "t-404"])
        if self.local:
            assert texts(found) == ['said in t"1', "I see.", "said in т-2", "I see."]
        assert await store.messages(ANN, []) == []
        assert await store.messages(GROUP, ["t-3"]) == []

    async def test_a_learned_record_is_found_by_its_short_id(self, store: Store) -> None:
        (old,) = await self._written(store, ANN, draft("I live in Oslo"))
        (new,) = await self._written(store, ANN, draft("I live in Lima", supersedes=old.id))
        for record, short_id in ((old, old.short_id), (new, new.short_id.upper())):
            found = await store.find(ANN, short_id)
            assert found is not None
            assert found.id == record.id
        assert await store.find(BOB, new.short_id) is None
        assert await store.find(ANN, "f99") is None

    async def test_a_stranger_has_an_empty_memory(self, store: Store) -> None:
        assert await store.records(ANN) == []
        assert await store.search(ANN, "anything at all") == []
        assert await store.delete(ANN, ["f1"]) == []
        await store.erase(ANN)

    async def test_a_closed_store_refuses_work(self, store: Store) -> None:
        await store.aclose()
        with pytest.raises(MemoryFailure):
            await store.records(ANN)

    async def test_all_messages_are_there_word_for_word_in_order(self, store: Store) -> None:
        first, second = turn("t-1", "I live in Oslo"), turn("t-2", "I work at Acme", "At Acme!")
        await store.add_turn(ANN, first, second)
        await store.add_turn(BOB, turn("t-3", "I live in Lima"))

        async def seen() -> bool:
            said = [(m.role, m.text) for m in await store.all_messages(ANN)]
            return said == [
                (Role.USER, "I live in Oslo"),
                (Role.ASSISTANT, "I see."),
                (Role.USER, "I work at Acme"),
                (Role.ASSISTANT, "At Acme!"),
            ]

        await eventually(seen)
        messages = await store.all_messages(ANN)
        assert [m.turn_ids for m in messages] == [("t-1",), ("t-1",), ("t-2",), ("t-2",)]
        assert {(m.kind, m.session_id) for m in messages} == {(Kind.MESSAGE, "s-1")}
        await store.erase(ANN)
        assert await store.all_messages(ANN) == []
        assert await store.all_messages(GROUP) == []
