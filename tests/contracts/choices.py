"""What every Store promises of the settings that people made for themselves.

Subclass `ChoicesContract` beside `LongTermMemoryContract`, with the same fixture `store`."""

from datetime import timedelta

from memory.ports import Store
from memory.records import Actor, Choice, Choices, Kind
from tests.contracts.long_term_memory import ANN, BOB, GROUP, NOON, eventually

LATER = NOON + timedelta(minutes=5)


async def _chosen(store: Store, actor: Actor, *choices: tuple[Choice, str]) -> None:
    """Choose, and wait until it is seen."""
    for choice, value in choices:
        await store.choices.set(actor, choice, value, NOON)
    wanted = Choices(**{choice.value: value for choice, value in choices})

    async def seen() -> bool:
        return await store.choices.get(actor) == wanted

    await eventually(seen)


class ChoicesContract:
    """The claims. `store` is an empty store that the fixture closes."""

    async def test_a_stranger_has_chosen_nothing(self, store: Store) -> None:
        assert await store.choices.get(ANN) == Choices()
        await store.choices.unset(ANN, Choice.LANGUAGE)
        assert await store.choices.get(ANN) == Choices()

    async def test_every_choice_comes_back_to_its_actor_alone(self, store: Store) -> None:
        await _chosen(
            store,
            ANN,
            (Choice.AGENT_NAME, 'Jarvis "the cat" Ёж'),
            (Choice.LANGUAGE, "pt-br"),
            (Choice.TIME_ZONE, "America/Port-au-Prince"),
            (Choice.ANSWER_LENGTH, "short"),
            (Choice.STREAMING, "off"),
        )
        assert await store.choices.get(BOB) == Choices()

    async def test_the_last_choice_counts_and_can_be_unmade(self, store: Store) -> None:
        await _chosen(store, ANN, (Choice.LANGUAGE, "de"), (Choice.STREAMING, "off"))
        await store.choices.set(ANN, Choice.LANGUAGE, "fr", LATER)

        async def changed() -> bool:
            return await store.choices.get(ANN) == Choices(language="fr", streaming="off")

        await eventually(changed)
        await store.choices.unset(ANN, Choice.LANGUAGE)

        async def unmade() -> bool:
            return await store.choices.get(ANN) == Choices(streaming="off")

        await eventually(unmade)

    async def test_a_choice_is_no_record(self, store: Store) -> None:
        await _chosen(store, ANN, (Choice.AGENT_NAME, "Jarvis"), (Choice.LANGUAGE, "de"))
        await store.choices.set(ANN, Choice.AGENT_NAME, "Friday", LATER)
        assert await store.records(ANN, kinds=tuple(Kind), include_superseded=True) == []
        assert await store.search(ANN, "what do I call you, and in which language?") == []

    async def test_who_is_erased_has_chosen_nothing(self, store: Store) -> None:
        await _chosen(store, ANN, (Choice.LANGUAGE, "de"))
        await _chosen(store, BOB, (Choice.LANGUAGE, "fr"))
        await store.erase(ANN)
        assert await store.choices.get(ANN) == Choices()
        assert await store.choices.get(BOB) == Choices(language="fr")

    async def test_choices_move_along_and_the_later_one_counts(self, store: Store) -> None:
        await _chosen(store, GROUP, (Choice.LANGUAGE, "de"), (Choice.STREAMING, "off"))
        await store.choices.set(ANN, Choice.LANGUAGE, "fr", LATER)
        await store.move(GROUP, ANN)

        async def moved() -> bool:
            both = await store.choices.get(GROUP), await store.choices.get(ANN)
            return both == (Choices(), Choices(language="fr", streaming="off"))

        await eventually(moved)
