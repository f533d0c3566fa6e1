"""What people set for themselves: /name, /language, /timezone and the panel of /settings."""

import asyncio
import json
import zoneinfo
from collections.abc import Sequence

import pytest

from bot.assistant.events import Reply
from bot.commands.pages.settings_pages import ZONES
from bot.people.personal import Streaming
from bot.texts import texts_in
from memory.errors import Refusal
from memory.records import LEARNED_KINDS, Actor, Kind, Record
from tests.bot.commands.desk import ANN, ANNA, BORIS, ENGLISH, Desk, Sent, open_desk
from tests.fakes.conversing import Echo
from tests.fakes.temporary_store import TemporaryStore

RUSSIAN, GERMAN = texts_in("ru"), texts_in("de")

# -- /name ----------------------------------------------------------------------------------------


async def test_the_name_is_set_shown_and_kept(desk: Desk) -> None:
    assert await desk.ask("/name") == ENGLISH.name_default.format(name="Mordecai")
    assert await desk.ask("/name Jarvis") == ENGLISH.name_set.format(name="Jarvis")
    assert await desk.ask("/name") == ENGLISH.name_current.format(name="Jarvis")
    assert ENGLISH.start.format(name="Jarvis") in await desk.ask("/start")
    assert ENGLISH.start.format(name="Mordecai") in await desk.ask("/start", BORIS)
    assert (await desk.memory.choices.read(ANN)).agent_name == "Jarvis"


@pytest.mark.parametrize("name", ["x" * 500, "Jar\nvis", "<>", "...", "🙂"])
async def test_a_name_that_is_none_is_refused_politely(desk: Desk, name: str) -> None:
    said = await desk.ask(f"/name {name}")
    assert said.startswith(ENGLISH.name_refused.partition("{")[0])
    assert (await desk.memory.choices.read(ANN)).agent_name is None


# -- /language and /timezone ----------------------------------------------------------------------


async def test_the_time_zone_is_set_shown_and_kept(desk: Desk) -> None:
    def told(template: str, zone: str) -> str:
        return template.format(name=zone, time="|").partition("|")[0]

    assert (await desk.ask("/timezone")).startswith(told(ENGLISH.time_zone_current, "UTC"))
    said = await desk.ask("/timezone europe/rome")
    assert said.startswith(told(ENGLISH.time_zone_set, "Europe/Rome"))
    assert (await desk.ask("/timezone")).startswith(told(ENGLISH.time_zone_current, "Europe/Rome"))
    assert (await desk.ask("/timezone", BORIS)).startswith(told(ENGLISH.time_zone_current, "UTC"))
    assert (await desk.memory.choices.read(ANN)).time_zone == "Europe/Rome"
    assert "Rome" not in await desk.ask("/memory")


@pytest.mark.parametrize("written", ["Deutsch", "german", "de"])
async def test_the_language_is_set_shown_and_kept(desk: Desk, written: str) -> None:
    assert "en (English)" in await desk.ask("/language")
    assert await desk.ask(f"/language {written}") == GERMAN.language_set.format(name="de (Deutsch)")
    current = GERMAN.language_current.partition("{examples}")[0].format(name="de (Deutsch)")
    assert (await desk.ask("/language")).startswith(current)
    assert (await desk.memory.choices.read(ANN)).language == "de"


async def test_a_language_that_the_bot_does_not_speak_is_kept_for_the_model(desk: Desk) -> None:
    told = ENGLISH.language_set.format(name="fr (Français)")
    assert await desk.ask("/language fr") == f"{told} {ENGLISH.language_only_told}"
    assert (await desk.memory.choices.read(ANN)).language == "fr"


@pytest.mark.parametrize("command", ["/timezone Mars", "/timezone ../../x", "/language klingon"])
async def test_what_can_not_be_chosen_is_answered_with_examples(desk: Desk, command: str) -> None:
    said = await desk.ask(command)
    assert command.split()[1] in said
    assert "Europe/Rome" in said or "de (Deutsch)" in said
    chosen = await desk.memory.choices.read(ANN)
    assert chosen.language is chosen.time_zone is None


# -- the language of the bot ----------------------------------------------------------------------


async def test_what_was_chosen_counts_before_the_clients_language() -> None:
    store = TemporaryStore()
    async with open_desk(store=store) as desk:
        desk.languages[ANNA] = "ru"
        assert await desk.ask("/search") == RUSSIAN.search_ask
        await desk.ask("/language de")
        assert await desk.ask("/search") == GERMAN.search_ask
    async with open_desk(store=store) as desk:
        desk.languages[ANNA] = "ru"
        assert await desk.ask("/stop") == GERMAN.nothing_to_stop, "also after a restart"


async def test_without_a_choice_and_a_clients_language_the_written_one_counts(desk: Desk) -> None:
    await desk.says("Ich wohne mit meiner Schwester in Basel")
    assert await desk.ask("/search") == GERMAN.search_ask
    await desk.says("ok")
    assert await desk.ask("/search") == GERMAN.search_ask, "too short to show another one"
    await desk.says("Мой брат живёт в Осло")
    assert await desk.ask("/search") == RUSSIAN.search_ask
    assert await desk.ask("/search", BORIS) == ENGLISH.search_ask, "nobody else's"
    desk.languages[ANNA] = "de"
    await desk.says("Мой брат живёт в Осло")
    assert await desk.ask("/search") == GERMAN.search_ask, "the client's before what is written"


async def test_somebody_elses_choice_is_theirs_alone(desk: Desk) -> None:
    await desk.ask("/language de", BORIS)
    assert await desk.ask("/search") == ENGLISH.search_ask
    assert await desk.ask("/search", BORIS) == GERMAN.search_ask


async def test_why_there_is_no_answer_is_said_in_ones_language() -> None:
    timeout = Reply("That took too long.", failure="timeout")
    async with open_desk(conversation=Echo(lambda _: timeout)) as desk:
        desk.languages[ANNA] = "ru"
        assert await desk.ask("hi") == RUSSIAN.failures["timeout"]
        reason = RUSSIAN.refusals[Refusal.NAME_EMPTY]
        assert await desk.ask("/name ***") == RUSSIAN.name_refused.format(reason=reason)


class SlowStore(TemporaryStore):
    """A store that does not answer before it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        await self.answers.wait()
        return await super().records(actor, kinds=kinds, include_superseded=include_superseded)


async def test_a_store_that_is_silent_keeps_nobody_waiting_for_a_sentence() -> None:
    store = SlowStore()
    async with open_desk(store=store) as desk:
        desk.languages[ANNA] = "ru"
        assert await desk.ask("/stop") == RUSSIAN.nothing_to_stop
        store.answers.set()


# -- the panel ------------------------------------------------------------------------------------


async def opened(desk: Desk) -> Sent:
    [panel] = await desk.says("/settings")
    return panel


async def test_settings_are_changed_by_buttons_in_one_message(desk: Desk) -> None:
    panel = await opened(desk)
    language = f"{ENGLISH.settings_language}: English ({ENGLISH.settings_language_default})"
    desk.languages[ANNA] = "en"
    panel = await opened(desk)
    assert panel.text.startswith(f"{ENGLISH.settings_title}\n• {language}")
    assert panel.labels == [
        ENGLISH.settings_language,
        ENGLISH.settings_zone,
        ENGLISH.settings_length,
        ENGLISH.settings_streaming,
    ]
    await desk.press(ENGLISH.settings_language)
    assert f"✓ {ENGLISH.settings_language_default}" in panel.labels
    await desk.press("Deutsch")
    assert panel.text.startswith(f"{GERMAN.settings_title}\n• {GERMAN.settings_language}: Deutsch")
    await desk.press(GERMAN.settings_zone, GERMAN.settings_europe, "Berlin")
    assert "Europe/Berlin" in panel.text
    await desk.press(GERMAN.settings_length, GERMAN.settings_length_short)
    assert f"{GERMAN.settings_length}: {GERMAN.settings_length_short}" in panel.text
    await desk.press(GERMAN.settings_streaming, GERMAN.settings_streaming_off)
    assert f"{GERMAN.settings_streaming}: {GERMAN.settings_streaming_off}" in panel.text
    chosen = desk.memory.choices.of(ANN)
    assert chosen
    assert (chosen.language, chosen.time_zone) == ("de", "Europe/Berlin")
    assert (chosen.answer_length, chosen.streaming) == ("short", "off")
    await desk.press(GERMAN.settings_language, GERMAN.settings_language_default)
    assert panel.text.startswith(ENGLISH.settings_title)
    await desk.press(ENGLISH.settings_zone, ENGLISH.settings_zone_default)
    assert f"{ENGLISH.settings_zone}: UTC" in panel.text
    assert len(desk.sent()) == 2, "one message each, edited in place"


async def test_choices_are_no_memories_and_are_exported_and_forgotten(desk: Desk) -> None:
    await opened(desk)
    await desk.press(ENGLISH.settings_length, ENGLISH.settings_length_short)
    await desk.press(ENGLISH.settings_streaming, ENGLISH.settings_streaming_off)
    assert await desk.facts() == []
    assert (await desk.ask("/memory")).startswith(ENGLISH.memory_empty)
    exported = json.loads((await desk.memory.known.export(ANN)).json)
    assert exported["settings"]["answer_length"] == "short"
    assert exported["settings"]["streaming"] == "off"
    assert exported["preferences"] == []
    await desk.memory.forget_all(ANN)
    assert (await desk.memory.choices.read(ANN)).answer_length is None
    exported = json.loads((await desk.memory.known.export(ANN)).json)
    assert not any(exported["settings"].values())


async def test_the_length_of_answers_reaches_the_model(desk: Desk) -> None:
    await opened(desk)
    for label, length in (
        (ENGLISH.settings_length_long, "long"),
        (ENGLISH.settings_length_normal, "normal"),
    ):
        await desk.press(ENGLISH.settings_length, label)
        history = await desk.memory.talk.recall(ANN, desk.chat(), "hello")
        assert history.metadata.answer_length == length


async def test_an_operator_who_wants_no_previews_offers_none(desk: Desk) -> None:
    desk.channel.offered = ()
    assert ENGLISH.settings_streaming not in (await opened(desk)).labels


async def test_a_way_that_is_not_offered_here_is_a_message_that_grows(desk: Desk) -> None:
    desk.channel.streaming, desk.channel.offered = Streaming.DRAFT, (Streaming.EDIT, Streaming.OFF)
    panel = await opened(desk)
    assert f"{ENGLISH.settings_streaming}: {ENGLISH.settings_streaming_edit}" in panel.text


async def test_in_a_private_conversation_nothing_is_set(desk: Desk) -> None:
    await desk.ask("/private")
    await opened(desk)
    page = await desk.press(ENGLISH.settings_language, "Deutsch")
    assert page.text == ENGLISH.private_refused
    assert (await desk.memory.choices.read(ANN)).language is None


async def test_only_who_opened_the_settings_may_press(desk: Desk) -> None:
    desk.languages[BORIS] = "de"
    annas = await opened(desk)
    [own] = await desk.says("/settings", BORIS)
    assert await desk.click(own, annas.data[0], BORIS) == GERMAN.button_not_yours


async def test_choices_that_were_made_up_are_not_kept(desk: Desk) -> None:
    panel = await opened(desk)
    prefix = panel.data[0].rsplit(":", 1)[0]
    for action in ("set:language:tlh", "set:agent_name:X", "set:streaming:x", "set", "zones:x"):
        assert await desk.click(panel, f"{prefix}:{action}") is None
    assert await desk.memory.known.records(ANN, everything=True) == []


async def test_a_button_of_unknown_settings_sets_nothing_and_opens_fresh_ones(desk: Desk) -> None:
    panel = await opened(desk)
    overview = panel.text
    assert await desk.click(panel, "s:unknown:set:language:de") is None
    assert panel.text == overview
    assert await desk.click(panel, "s:unknown:language:") is None
    assert panel.text == ENGLISH.settings_language_ask
    assert (await desk.press("Deutsch")).text.startswith("Deine Einstellungen")


def test_every_time_zone_exists_and_fits_a_button() -> None:
    known = zoneinfo.available_timezones()
    for zones in ZONES.values():
        for zone in zones:
            assert zone in known
            assert len(f"s:{'x' * 12}:set:time_zone:{zone}".encode()) <= 64
