"""What the SQLite store promises beyond the contract: ids, turns, search, bad text."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import RefusedText, UnknownRecord
from memory.records import Actor, Draft, Kind, Place, Role, Speaker, Turn, Utterance
from memory.search.query import parse
from memory.stores.records.tables import SMALL_INDEX
from memory.stores.sqlite.store import SqliteStore
from tests.contracts.amending import AmendingContract
from tests.contracts.choices import ChoicesContract
from tests.contracts.long_term_memory import (
    ANN,
    NOON,
    LongTermMemoryContract,
    draft,
    texts,
    turn,
)
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract

EVERYTHING = tuple(Kind)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
async def store(tmp_path: Path, pool: ThreadPoolExecutor) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "memory", pool)
    yield opened
    await opened.aclose()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where Ann's memory lies."""
    return tmp_path / "memory" / "u1.sqlite"


class TestSqliteStore(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract, ChoicesContract
):
    """See the contract."""


class TestPlaces:
    async def test_a_message_keeps_who_said_it_where_and_when(self, store: SqliteStore) -> None:
        place = Place("telegram", -1001, 7)
        await store.add_turn(ANN, replace(turn("t-1", "I have a dog"), place=place))
        await store.add_turn(ANN, turn("t-2", "Nobody noted where"))
        said, reply, elsewhere, _ = await store.records(ANN, kinds=(Kind.MESSAGE,))
        assert (said.role, reply.role) == (Role.USER, Role.ASSISTANT)
        assert said.place == reply.place == place
        assert (said.session_id, said.created_at) == ("s-1", NOON)
        assert elsewhere.place is None


class TestIds:
    async def test_ids_are_a_letter_and_a_number_by_kind(self, store: SqliteStore) -> None:
        written = await store.commit(
            ANN,
            [
                draft("I have a dog"),
                draft("I like tea", Kind.PREFERENCE),
                draft("We talked about pets", Kind.SUMMARY),
                draft("I have a cat"),
            ],
        )
        assert [record.id for record in written] == ["f1", "p1", "s1", "f2"]

    async def test_an_id_is_never_used_again(self, store: SqliteStore) -> None:
        await store.commit(ANN, [draft("I have a dog")])
        await store.delete(ANN, ["f1"])
        (again,) = await store.commit(ANN, [draft("I have a dog")])
        assert again.id == "f2"

    async def test_a_refused_commit_uses_up_no_id(self, store: SqliteStore) -> None:
        with pytest.raises(UnknownRecord):
            await store.commit(ANN, [draft("I have a dog"), draft("x", supersedes="f9")])
        (record,) = await store.commit(ANN, [draft("I have a dog")])
        assert record.id == "f1"

    async def test_a_message_cannot_be_superseded(self, store: SqliteStore) -> None:
        await store.add_turn(ANN, turn("t-1", "I have a dog"))
        with pytest.raises(UnknownRecord):
            await store.commit(ANN, [draft("I have a cat", supersedes="m1")])


class TestTurns:
    async def test_a_turn_is_found_at_once_with_its_provenance(self, store: SqliteStore) -> None:
        said = Utterance(Role.USER, "My dog is called Rex", NOON, speaker=Speaker(7, "Ann"))
        await store.add_turn(ANN, Turn("t-7", "s-3", (said,)))
        (hit,) = await store.search(ANN, "What is my dog called?", kinds=(Kind.MESSAGE,))
        record = hit.record
        assert (record.text, record.role, record.speaker) == (said.text, Role.USER, said.speaker)
        assert (record.session_id, record.turn_ids, record.created_at) == ("s-3", ("t-7",), NOON)

    async def test_the_same_turn_twice_is_one_turn(self, store: SqliteStore) -> None:
        for _ in range(2):
            await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        assert len(await store.records(ANN, kinds=(Kind.MESSAGE,))) == 2

    async def test_of_several_turns_those_that_are_new_are_added(self, store: SqliteStore) -> None:
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"), turn("t-2", "I keep bees"))
        messages = await store.records(ANN, kinds=(Kind.MESSAGE,))
        assert [record.turn_ids for record in messages] == 2 * [("t-1",)] + 2 * [("t-2",)]

    async def test_a_replayed_turn_does_not_bring_back_what_was_forgotten(
        self, store: SqliteStore
    ) -> None:
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        await store.delete(ANN, ["m1", "m2"])
        await store.add_turn(ANN, turn("t-1", "My dog is called Rex"))
        assert await store.records(ANN, kinds=(Kind.MESSAGE,)) == []

    async def test_a_short_answer_is_found_by_the_question_before_it(
        self, store: SqliteStore
    ) -> None:
        await store.add_turn(ANN, turn("t-1", "Ask me something", "Which instrument do you play?"))
        await store.add_turn(ANN, turn("t-2", "Cello, since I was six"))
        hits = await store.search(ANN, "which instrument?", kinds=(Kind.MESSAGE,))
        assert "Cello, since I was six" in texts(hits)

    async def test_one_of_thousands_is_found_among_words_that_all_hold(
        self, store: SqliteStore
    ) -> None:
        said = [Utterance(Role.USER, f"day {n} in the garden", NOON) for n in range(SMALL_INDEX)]
        said.append(Utterance(Role.USER, "a hedgehog in the garden that day", NOON))
        await store.add_turn(ANN, Turn("t-1", "s-1", tuple(said)))
        hits = await store.search(ANN, "hedgehog garden day", kinds=(Kind.MESSAGE,), limit=3)
        assert hits[0].record.text == said[-1].text

    async def test_messages_without_text_are_left_out(self, store: SqliteStore) -> None:
        await store.add_turn(ANN, turn("t-1", "I have a dog", reply=" \0 "))
        assert texts(await store.records(ANN, kinds=(Kind.MESSAGE,))) == ["I have a dog"]


class TestSearch:
    @pytest.mark.parametrize(
        "chatter",
        ["thanks!", "ok", "good morning", "Hello, how are you?", "👍", "lol", "yes", "спасибо",
         "danke dir", "gracias", "谢谢", "ありがとう", "what do you know about me?"],
    )  # fmt: skip
    async def test_small_talk_recalls_nothing(self, store: SqliteStore, chatter: str) -> None:
        await store.commit(
            ANN,
            [draft("I run every morning"), draft("I know a good bakery"), draft("我喜欢谢谢茶")],
        )
        assert await store.search(ANN, chatter, min_relevance=0.2) == []

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("what did I tell you about my job?", "I work at Acme Corp"),
            ("which languages do I like?", "I prefer Python over JavaScript"),
            ("when was I born?", "My birthday is March 15"),
            ("what is my address?", "I live in Berlin"),
            ("do I have any pets?", "My dog is called Rex"),
        ],
    )
    async def test_a_question_finds_its_answer_in_other_words(
        self, store: SqliteStore, question: str, answer: str
    ) -> None:
        await store.commit(
            ANN,
            [
                draft("I work at Acme Corp"),
                draft("My birthday is March 15"),
                draft("I live in Berlin"),
                draft("My dog is called Rex"),
                draft("I prefer Python over JavaScript", Kind.PREFERENCE),
                draft("Please keep answers short", Kind.PREFERENCE),
            ],
        )
        hits = await store.search(ANN, question, min_relevance=0.2)
        assert texts(hits)[0] == answer
        assert len(hits) <= 2

    async def test_one_fact_said_often_takes_one_place(self, store: SqliteStore) -> None:
        await store.commit(
            ANN, [draft(text) for text in ("I have a dog", "I have a dog!", "So, I have the dog")]
        )
        assert len(await store.search(ANN, "dog")) == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("I eat fish on Fridays", "I do not eat fish on Fridays"),
            ("I worked at Acme for 5 years", "I worked at Acme for 6 years"),
            ("My dog is called Rex", "My dog is called Max"),
        ],
    )
    async def test_a_changed_detail_is_no_duplicate(
        self, store: SqliteStore, one: str, other: str
    ) -> None:
        await store.commit(ANN, [draft(one), draft(other)])
        assert len(await store.search(ANN, one)) == 2

    async def test_of_two_equal_records_the_newer_comes_first(self, store: SqliteStore) -> None:
        early = draft("I saw a whale near Bergen")
        late = replace(draft("I saw a whale near Tromsø"), created_at=NOON + timedelta(days=400))
        await store.commit(ANN, [late, early])
        hits = await store.search(ANN, "whale", now=NOON + timedelta(days=401))
        assert texts(hits) == ["I saw a whale near Tromsø", "I saw a whale near Bergen"]

    async def test_a_month_in_the_question_finds_what_was_said_then(
        self, store: SqliteStore
    ) -> None:
        await store.commit(ANN, [draft("We opened the new shop")])
        await store.commit(
            ANN, [replace(draft("We closed the shop"), created_at=NOON + timedelta(days=90))]
        )
        hits = await store.search(ANN, "What did I say in March?", min_relevance=0.2)
        assert texts(hits) == ["We opened the new shop"]

    async def test_the_users_own_words_come_before_the_assistants(self, store: SqliteStore) -> None:
        await store.add_turn(ANN, turn("t-1", "I keep bees", "Bees? I keep that in mind"))
        hits = await store.search(ANN, "Do I keep bees?", kinds=(Kind.MESSAGE,))
        assert hits[0].record.role is Role.USER


class TestBadText:
    @pytest.mark.parametrize("text", ["", "  \n", "\0\0"])
    async def test_a_draft_that_says_nothing_is_refused(
        self, store: SqliteStore, text: str
    ) -> None:
        with pytest.raises(RefusedText):
            await store.commit(ANN, [draft("I have a dog"), draft(text)])
        assert await store.records(ANN) == []

    async def test_nul_is_dropped_and_half_characters_are_replaced(
        self, store: SqliteStore
    ) -> None:
        (record,) = await store.commit(ANN, [draft("I have\0 a dog \ud83d")])
        assert record.text == "I have a dog \ufffd"
        assert await store.records(ANN) == [record]

    async def test_bad_characters_in_a_name_are_no_error(self, store: SqliteStore) -> None:
        said = Utterance(Role.USER, "I have a dog", NOON, speaker=Speaker(7, "A\0n\udfffn"))
        await store.add_turn(ANN, Turn("t-1", "s-1", (said,)))
        (record,) = await store.records(ANN, kinds=(Kind.MESSAGE,))
        assert record.speaker is not None
        assert record.speaker.name == "An\ufffdn"

    async def test_an_archived_message_cannot_be_committed(self, store: SqliteStore) -> None:
        with pytest.raises(ValueError, match="archived"):
            await store.commit(ANN, [draft("I have a dog", Kind.MESSAGE)])


class TestTokeniser:
    async def test_a_file_of_another_tokeniser_is_indexed_again(
        self, store: SqliteStore, file: Path, pool: ThreadPoolExecutor
    ) -> None:
        await store.commit(ANN, [draft("I have a dog"), draft("I have a cat")])
        await store.commit(ANN, [draft("I have two dogs", supersedes="f1")])
        await store.aclose()
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE setting SET value = '0' WHERE name = 'tokeniser'")
            connection.execute("DELETE FROM learned")
        connection.close()
        later = SqliteStore(file.parent, pool)
        found = texts(await later.search(ANN, "dogs and cats"))
        assert sorted(found) == ["I have a cat", "I have two dogs"]
        await later.aclose()


_ACTORS = st.sampled_from([Actor.person(1), Actor.person(12), Actor.group(-1)])
_TEXTS = st.text(min_size=1, max_size=60)


@settings(max_examples=40, deadline=None)
@given(said=st.lists(st.tuples(_ACTORS, _TEXTS), min_size=1, max_size=8))
async def test_any_text_is_found_by_its_own_words_and_by_nobody_else(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[Actor, str]]
) -> None:
    with ThreadPoolExecutor(1) as pool:
        store = SqliteStore(tmp_path_factory.mktemp("memory"), pool)
        for number, (actor, text) in enumerate(said):
            message = Utterance(Role.USER, text, NOON + timedelta(minutes=number))
            await store.add_turn(actor, Turn(f"t{number}", f"s-{actor.id}", (message,)))
        own: dict[Actor, set[str]] = {actor: set() for actor, _ in said}
        for actor in own:
            own[actor] = set(texts(await store.records(actor, kinds=EVERYTHING)))
        for actor, text in said:
            hits = await store.search(actor, text, kinds=EVERYTHING, limit=10, now=NOON)
            assert set(texts(hits)) <= own[actor]
            if parse(text, NOON).terms:
                assert hits, "a text that says something finds at least what says the same"
        await store.aclose()


async def test_a_wrong_draft_of_many_leaves_no_trace_in_the_index(store: SqliteStore) -> None:
    with pytest.raises(UnknownRecord):
        await store.commit(
            ANN, [draft("I have a dog"), Draft(Kind.FACT, "cat", NOON, supersedes="f77")]
        )
    assert await store.search(ANN, "dog") == []


async def test_relevance_decay_says_how_much_the_old_counts_less(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    found: dict[float, float] = {}
    for decay in (1.0, 0.9, 0.5):
        store = SqliteStore(tmp_path / str(decay), pool, relevance_decay=decay)
        await store.commit(ANN, [draft("I play chess with my brother on Sundays")])
        year_later = NOON + timedelta(days=365)
        hits = await store.search(ANN, "Who plays chess with me?", now=year_later)
        found[decay] = hits[0].relevance
        await store.aclose()
    assert found[1.0] > found[0.9] > found[0.5] > 0
