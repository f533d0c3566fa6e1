"""From what was said to what is stored: proposals, checks, correction, review, and the plan."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import RefusedText
from memory.learning.learner import Learner
from memory.records import (
    Actor,
    Change,
    ChangeKind,
    Draft,
    Evidence,
    Kind,
    Place,
    Record,
    Role,
    Session,
    Speaker,
    Turn,
    Utterance,
)
from memory.stores.records.store import TableStore
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import (
    Extraction,
    ExtractionFailed,
    Objection,
    Proposal,
    Reading,
    Relation,
    Verdict,
)
from tests.fakes.extractors import learner

ME, GROUP = Actor.person(1), Actor.group(1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ANNA, OTHER_ANNA = Speaker(1, "Anna"), Speaker(2, "Anna")
LEARNED = (Kind.FACT, Kind.PREFERENCE)


def say(text: str, *, id_: str = "t0", speaker: Speaker | None = None, reply: str = "") -> Turn:
    messages = [Utterance(Role.USER, text, NOON, speaker)]
    if reply:
        messages.append(Utterance(Role.ASSISTANT, reply, NOON))
    return Turn(id_, "s1", tuple(messages))


def fact(text: str, quote: str | None = None, turn: str = "t0", **more: object) -> Proposal:
    made = Proposal(Kind.FACT, text, (Evidence(turn, quote or text),))
    return replace(made, **more)  # type: ignore[arg-type]


@dataclass
class Model:
    """Proposes, corrects and judges what a test says, and keeps what it was asked."""

    proposals: Sequence[Proposal] = ()
    corrected: Sequence[Proposal] = ()
    verdicts: Sequence[Verdict] | None = None
    needs_review: bool = True
    readings: list[Reading] = field(default_factory=list)
    objections: list[Objection] = field(default_factory=list)
    reviewed: list[Proposal] = field(default_factory=list)
    calls: int = 0

    async def extract(self, reading: Reading) -> Extraction:
        self.calls += 1
        self.readings.append(reading)
        return Extraction(tuple(self.proposals), needs_review=self.needs_review)

    async def correct(
        self, reading: Reading, objections: Sequence[Objection]
    ) -> Sequence[Proposal]:
        self.calls += 1
        self.objections += objections
        return self.corrected

    async def review(self, reading: Reading, proposals: Sequence[Proposal]) -> Sequence[Verdict]:
        self.calls += 1
        self.reviewed += proposals
        return [Verdict()] * len(proposals) if self.verdicts is None else self.verdicts


class World:
    """A store, and sessions that are learned from one after the other."""

    def __init__(self, store: SqliteStore) -> None:
        self.store, self._sessions = store, 0

    async def learn(
        self, model: Model, *turns: Turn, actor: Actor = ME, most: int = 30
    ) -> tuple[Change, ...]:
        lesson = await self.learner(model, most=most).study(actor, turns)
        self._sessions += 1
        now = NOON + timedelta(days=self._sessions)
        session = Session(f"s{self._sessions}", actor, Place("telegram", 1), now, now)
        return await self.learner(model, most=most).write(session, turns, lesson, now) or ()

    def learner(self, model: Model, *, most: int = 30) -> Learner:
        return learner(self.store, model, model, model, most=most)

    async def know(self, *texts: str, actor: Actor = ME, **more: object) -> list[Record]:
        drafts = [Draft(Kind.FACT, text, NOON, **more) for text in texts]  # type: ignore[arg-type]
        return await self.store.commit(actor, drafts)

    async def current(self, actor: Actor = ME) -> list[str]:
        return [record.text for record in await self.store.records(actor, kinds=LEARNED)]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(tmp_path, pool)
        yield World(store)
        await store.aclose()


# -- what is stored -------------------------------------------------------------------------------


async def test_a_statement_is_stored_as_the_model_words_it_with_its_evidence(world: World) -> None:
    turns = (say("shes coming on the 12th", reply="Meera?"), say("yes my sister", id_="t1"))
    made = Proposal(
        Kind.FACT,
        "My sister Meera visits on 12 March 2026",
        (Evidence("t1", "yes my sister"), Evidence("t0", "shes coming on the 12th")),
        event_date="2026-03-12",
        about=("Meera",),
    )
    (change,) = await world.learn(Model([made]), *turns)
    record = change.record
    assert change.kind is ChangeKind.NOTED
    assert record.text == "My sister Meera visits on 12 March 2026"
    assert [each.words for each in record.evidence] == [
        "shes coming on the 12th", "yes my sister"
    ]  # fmt: skip
    assert record.turn_ids == ("t0", "t1")
    assert (record.event_date, record.about) == ("2026-03-12", ("Meera",))


async def test_a_session_brings_no_more_records_than_it_may_and_keeps_the_weightiest(
    world: World,
) -> None:
    said = say("\n".join(f"i like tea {n}" for n in range(5)))
    made = [fact(f"I like tea {n}", f"i like tea {n}", importance=n + 1) for n in range(5)]
    await world.learn(Model(made), said, most=2)
    assert await world.current() == ["I like tea 3", "I like tea 4"]


async def test_a_session_is_read_beside_the_records_that_search_finds(world: World) -> None:
    await world.know("My sister is called Meera", *(f"My locker number is {n}" for n in range(60)))
    model = Model()
    await world.learn(model, say("my sister is coming"))
    known = [record.text for record in model.readings[0].known]
    assert "My sister is called Meera" in known
    assert len(known) <= 40


async def test_few_records_are_read_whole_without_a_search(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.know(*(f"My locker number is {n}" for n in range(20)))
    monkeypatch.delattr(TableStore, "search")
    model = Model()
    await world.learn(model, say("we broke up"))
    assert len(model.readings[0].known) == 20


# -- correction and review ------------------------------------------------------------------------


async def test_what_fails_on_a_detail_goes_back_once_with_the_reason(world: World) -> None:
    wrong = fact("My dog Max is four", "my dog is four")
    mended = fact("My dog Rex is four", "my dog is four")
    model = Model([wrong], [mended, fact("My cat Tom is four", "my dog is four")])
    await world.learn(model, say("my dog is four. rex is his name"))
    assert [(each.proposal, each.reason) for each in model.objections] == [
        (wrong, "the user did not name Max")
    ]
    # What fails again is dropped.
    assert await world.current() == ["My dog Rex is four"]


async def test_a_secret_does_not_go_back(world: World) -> None:
    model = Model([fact("My password is Fl4mingo!Tango77", "my password is Fl4mingo!Tango77")])
    assert not await world.learn(model, say("my password is Fl4mingo!Tango77"))
    assert model.objections == []


@pytest.mark.parametrize("no", ["supported", "right_person", "serious", "date_right"])
async def test_what_the_review_refuses_is_not_stored(world: World, no: str) -> None:
    model = Model(
        [fact("I am a pilot", "i am a pilot"), fact("I have a dog", "i have a dog")],
        verdicts=[Verdict(**{no: False}), Verdict()],
    )
    await world.learn(model, say("i am a pilot, i have a dog"))
    assert await world.current() == ["I have a dog"]


async def test_what_the_review_leaves_out_is_not_stored(world: World) -> None:
    model = Model([fact("I have a dog", "i have a dog")], verdicts=[])
    await world.learn(model, say("i have a dog"))
    assert await world.current() == []


async def test_nothing_to_review_costs_no_call(world: World) -> None:
    model = Model([])
    await world.learn(model, say("hello"))
    assert model.calls == 1


async def test_what_rules_found_instead_of_the_model_asks_it_nothing_more(world: World) -> None:
    wrong = fact("My dog Max is four", "my dog is four")
    right = fact("My dog is four", "my dog is four")
    model = Model([wrong, right], verdicts=[], needs_review=False)
    await world.learn(model, say("my dog is four"))
    assert (model.calls, await world.current()) == (1, ["My dog is four"])


async def test_a_model_that_does_not_answer_in_time_is_asked_again_later(world: World) -> None:
    class Slow(Model):
        async def review(
            self, reading: Reading, proposals: Sequence[Proposal]
        ) -> Sequence[Verdict]:
            await asyncio.sleep(60)
            raise AssertionError("nobody waits so long")

    model = Slow([fact("I have a dog", "i have a dog")])
    slow = learner(world.store, model, model, model, seconds=0.05)
    with pytest.raises(ExtractionFailed):
        await slow.study(ME, (say("i have a dog"),))


# -- what is known --------------------------------------------------------------------------------


async def test_what_is_said_again_gains_evidence_and_no_record(world: World) -> None:
    (before,) = await world.know("I have a cat called Miso")
    made = fact("My cat is called Miso", "miso my cat")
    assert await world.learn(Model([made]), say("miso my cat")) == ()
    (record,) = await world.store.records(ME, kinds=LEARNED)
    assert (record.id, record.evidence[-1].words) == (before.id, "miso my cat")
    # The same evidence again changes nothing.
    await world.learn(Model([made]), say("miso my cat"))
    assert (await world.store.records(ME, kinds=LEARNED))[0].evidence == record.evidence


async def test_a_remote_stores_third_person_is_the_same_thing(world: World) -> None:
    await world.know("The user has a cat named Miso")
    await world.learn(Model([fact("I have a cat called Miso", "my cat miso")]), say("my cat miso"))
    assert await world.current() == ["The user has a cat named Miso"]


async def test_two_proposals_of_a_session_that_say_the_same_are_one_record(world: World) -> None:
    made = [fact("I work at Acme", "at acme"), fact("I work at ACME.", "acme it is", "t1")]
    await world.learn(Model(made), say("at acme"), say("acme it is", id_="t1"))
    (record,) = await world.store.records(ME, kinds=LEARNED)
    assert record.text == "I work at Acme"
    assert [each.turn_id for each in record.evidence] == ["t0", "t1"]


async def test_same_adds_evidence_whatever_the_words(world: World) -> None:
    (widow,) = await world.know("I am a widow")
    made = fact("My husband has died", "my late husband", relation=Relation.SAME, known=widow.id)
    assert await world.learn(Model([made]), say("my late husband")) == ()
    assert await world.current() == ["I am a widow"]


async def test_changed_replaces_the_record_that_it_names_and_says_why(world: World) -> None:
    (leeds,) = await world.know("I live in Leeds")
    made = fact(
        "I live in Glasgow", "moved to glasgow", relation=Relation.CHANGED, known=leeds.id,
        reason="moved",
    )  # fmt: skip
    (change,) = await world.learn(Model([made]), say("moved to glasgow"))
    assert (change.kind, change.before and change.before.text) == (
        ChangeKind.CHANGED, "I live in Leeds"
    )  # fmt: skip
    assert (change.record.supersedes, change.record.reason) == (leeds.id, "moved")
    assert await world.current() == ["I live in Glasgow"]


async def test_ended_ends_the_record_and_stores_nothing_in_its_place(world: World) -> None:
    (anna,) = await world.know("My girlfriend is called Anna")
    made = fact("Anna and I broke up", "we broke up", relation=Relation.ENDED, known=anna.id)
    (change,) = await world.learn(Model([made]), say("we broke up"))
    assert change.kind is ChangeKind.ENDED
    assert change.record.superseded_at is not None
    assert change.record.reason == "Anna and I broke up"
    assert await world.current() == []


async def test_where_the_review_doubts_the_relation_nothing_is_replaced_or_ended(
    world: World,
) -> None:
    first, second = await world.know("My sister Lea has a dog", "I play chess")
    made = [
        fact("My sister Lea has a cat", "lea has a cat", relation=Relation.CHANGED,
             known=first.id),
        fact("I don't play chess", "no chess today", relation=Relation.ENDED, known=second.id),
    ]  # fmt: skip
    doubts = [Verdict(relation_right=False)] * 2
    await world.learn(Model(made, verdicts=doubts), say("lea has a cat, no chess today"))
    assert await world.current() == [
        "My sister Lea has a dog", "I play chess", "My sister Lea has a cat"
    ]  # fmt: skip


async def test_a_record_that_the_model_was_not_shown_is_out_of_its_reach(world: World) -> None:
    (hidden,) = await world.know("The vault opens at dawn", importance=1)
    await world.know(*(f"My locker number is {n}" for n in range(60)))
    others = await world.know("I have a boat", actor=Actor.person(2))
    for id_ in (hidden.id, others[0].id, "f999"):
        made = fact("I like plums", "i like plums", relation=Relation.CHANGED, known=id_)
        gone = fact("No plums", "i like plums", relation=Relation.ENDED, known=id_)
        await world.learn(Model([made, gone]), say("i like plums"))
    assert {"The vault opens at dawn", "I like plums"} <= set(await world.current())
    assert await world.current(Actor.person(2)) == ["I have a boat"]


async def test_only_one_of_two_statements_replaces_a_record_and_both_are_kept(
    world: World,
) -> None:
    (cats,) = await world.know("I have 2 cats")
    made = [
        fact(f"I have {n} cats", f"{n} cats", relation=Relation.CHANGED, known=cats.id)
        for n in (3, 4)
    ]
    await world.learn(Model(made), say("3 cats. i mean 4 cats"))
    assert await world.current() == ["I have 3 cats", "I have 4 cats"]


async def test_in_a_group_nobody_changes_what_another_one_of_their_name_said(
    world: World,
) -> None:
    (hers,) = await world.know("I live in Oslo", actor=GROUP, speaker=ANNA)
    said = say("i live in oslo no more, now bergen", speaker=OTHER_ANNA)
    made = [
        fact("Anna: lives in Bergen", "now bergen", relation=Relation.CHANGED, known=hers.id),
        fact("Left Oslo", "i live in oslo no more", relation=Relation.ENDED, known=hers.id),
        fact("I live in Oslo", "i live in oslo"),
    ]
    await world.learn(Model(made), said, actor=GROUP)
    records = await world.store.records(GROUP, kinds=LEARNED)
    assert [(record.text, record.speaker) for record in records] == [
        ("I live in Oslo", ANNA), ("lives in Bergen", OTHER_ANNA), ("I live in Oslo", OTHER_ANNA)
    ]  # fmt: skip


# -- one statement, for the tools -----------------------------------------------------------------


async def test_a_single_proposal_is_refused_with_a_sentence_for_the_model(world: World) -> None:
    said = Reading((say("i am not allergic to nuts"),))
    made = fact("I am allergic to nuts", "i am not allergic to nuts")
    unsaid = fact("I am allergic to nuts", "i am allergic to nuts")
    model = Model(verdicts=[Verdict(supported=False)])
    with pytest.raises(RefusedText, match="do not say that"):
        await world.learner(model).judge(made, said)
    with pytest.raises(RefusedText, match="did not write"):
        await world.learner(model).judge(unsaid, said)


async def test_a_single_statement_that_is_known_gains_evidence(world: World) -> None:
    (known,) = await world.know("I am allergic to nuts")
    made = fact("I am allergic to nuts", "nuts will kill me")
    said = Reading((say("nuts will kill me"),))
    change = await world.learner(Model()).store(ME, made, said, NOON)
    assert change.record.id == known.id
    assert change.before is not None
    assert change.before.id == known.id


async def test_what_is_not_current_cannot_be_ended(world: World) -> None:
    made = fact("No nuts", "nuts are fine", relation=Relation.ENDED, known="f7")
    with pytest.raises(RefusedText):
        await world.learner(Model()).store(ME, made, Reading((say("nuts are fine"),)), NOON)
