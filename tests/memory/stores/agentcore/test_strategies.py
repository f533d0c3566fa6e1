"""Records that were written while AWS could not be asked for its strategies get theirs later."""

from collections.abc import Mapping
from pathlib import Path

from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind
from memory.stores.agentcore.store import AgentCoreStore
from memory.stores.agentcore.strategies import Strategies
from tests.contracts.long_term_memory import NOON, eventually
from tests.fakes.aws.world import FAST, World, world

ANN = Actor("u1")
TEA, CATS = Draft(Kind.FACT, "I drink tea", NOON), Draft(Kind.PREFERENCE, "I prefer cats", NOON)


class Control:
    """AWS's answer about its strategies, which may be missing."""

    def __init__(self, here: World, *, away: bool = False) -> None:
        self.here, self.away, self.asked = here, away, 0

    async def __call__(self) -> Mapping[Kind, str]:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("away")
        return self.here.memory.strategies


async def open_store(here: World, control: Control) -> AgentCoreStore:
    strategies = Strategies({}, control)
    return await AgentCoreStore.open(here.calls(), strategies, here.open_outbox(), FAST)


def strategies_of(here: World) -> set[str]:
    shelf = here.aws.data().contents(here.memory.id).shelf
    return {record.strategy_id for record in shelf.records.values()}


async def test_the_first_record_after_aws_is_back_has_its_strategy(tmp_path: Path):
    async with world(tmp_path) as here:
        control = Control(here)
        async with await open_store(here, control) as store:
            await store.commit(ANN, [TEA])
            await store.commit(ANN, [TEA])
        assert strategies_of(here) == {here.memory.strategies[Kind.FACT]}
        assert control.asked == 1


async def test_records_without_a_strategy_get_theirs_when_they_are_read(tmp_path: Path):
    async with world(tmp_path) as here:
        async with await open_store(here, Control(here, away=True)) as store:
            before = await store.commit(ANN, [TEA, CATS])
            await store.commit(ANN, [TEA])
        assert strategies_of(here) == {"none"}
        wanted = {here.memory.strategies[kind] for kind in (Kind.FACT, Kind.PREFERENCE)}

        async def met() -> bool:
            return strategies_of(here) == wanted

        async with await here.store() as store:
            await store.records(ANN)
            await eventually(met)
            assert (await store.records(ANN))[:2] == before
            await store.records(ANN)
        assert here.count("BatchUpdateMemoryRecords") == 1


async def test_aws_that_is_away_is_not_asked_at_each_record(tmp_path: Path):
    async with world(tmp_path) as here:
        control = Control(here, away=True)
        async with await open_store(here, control) as store:
            for _ in range(3):
                await store.commit(ANN, [TEA])
        assert control.asked == 1
