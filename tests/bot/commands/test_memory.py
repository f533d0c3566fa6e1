"""/memory, /search, /remember, /edit and /export, also with a memory that is off or away."""

import json
from datetime import UTC, datetime

from bot.assistant.context import About
from bot.people.usage import Usage
from memory.errors import Refusal
from memory.records import Choice, Kind
from tests.bot.commands.desk import ANN, BOB, BORIS, ENGLISH, Desk, open_desk
from tests.fakes.temporary_store import TemporaryStore

# -- /memory --------------------------------------------------------------------------------------


async def test_memory_shows_what_is_known_to_its_owner_alone(desk: Desk) -> None:
    fact = (await desk.memory.known.remember(ANN, "I work at Acme Corp")).record
    await desk.memory.known.remember(ANN, "I prefer Python over JavaScript", Kind.PREFERENCE)
    await desk.memory.choices.set(ANN, Choice.AGENT_NAME, "Jarvis")
    await desk.remember("I am a spy", actor=BOB)
    said = await desk.ask("/memory")
    assert said.startswith(ENGLISH.memory_title)
    assert f"• I work at Acme Corp  [{fact.short_id}]" in said
    assert "I prefer Python over JavaScript" in said
    assert ENGLISH.memory_name.format(name="Jarvis") in said
    assert said.index(ENGLISH.memory_facts) < said.index(ENGLISH.memory_preferences)
    assert "spy" not in said
    assert "spy" in await desk.ask("/memory", BORIS)


async def test_memory_shows_summaries_with_their_date(desk: Desk) -> None:
    await desk.tell("I work at Acme Corp.")
    await desk.ask("/new")
    said = await desk.ask("/memory")
    assert f"{ENGLISH.memory_summaries}\n• {datetime.now(UTC):%Y-}" in said


async def test_memory_with_a_name_lists_everything_about_it(desk: Desk) -> None:
    for text in ("Meera plays the cello", "Meera works at Acme", "Boris plays chess"):
        await desk.remember(text)
    [record] = [r for r in await desk.memory.known.records(ANN) if "Acme" in r.text]
    await desk.memory.known.revise(ANN, record.short_id, "Meera works at Globex")
    said = await desk.ask("/memory meera")
    head, first, second, third = said.split("\n")
    assert head == ENGLISH.memory_about.format(name="meera")
    assert "Meera works at Globex" in first
    assert "Meera plays the cello" in second
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    was = ENGLISH.memory_before.format(date=today, text="Meera works at Acme")
    assert third == f"3. {was}"
    shown = await desk.press(desk.sent()[-1].labels[0])
    assert was in shown.text, "its history"


async def test_everything_about_somebody_is_shown_page_by_page(desk: Desk) -> None:
    await desk.remember(*(f"Meera likes dish number {number}" for number in range(7)))
    assert "1/2" in await desk.ask("/memory Meera")
    assert "2/2" in (await desk.press("›")).text


async def test_memory_with_a_name_lists_messages_that_nothing_was_learned_from(desk: Desk) -> None:
    for text in ("My sister Meera is a nurse in Linz.", "What do you know about Meera?"):
        await desk.tell(text)
    await desk.remember("Meera plays the cello")
    head, first, *more = (await desk.ask("/memory Meera")).split("\n")
    assert head == ENGLISH.memory_about.format(name="Meera")
    assert "Meera plays the cello" in first
    today, said = f"{datetime.now(UTC):%Y-%m-%d}", "My sister Meera is a nurse in Linz."
    assert more == [f"2. {today}: {ENGLISH.memory_quoted.format(text=said)}"]
    assert desk.sent()[-1].labels == ["1. Meera plays the cello", ENGLISH.button_back]


async def test_memory_with_a_name_shows_a_message_once_with_what_came_of_it(desk: Desk) -> None:
    await desk.tell("I live in Oslo")
    await desk.ask("/new")
    await desk.settle()
    assert (await desk.ask("/memory Oslo")).count("I live in Oslo") == 1


async def test_memory_with_a_name_nobody_told_says_so(desk: Desk) -> None:
    await desk.remember("Meera plays the cello", actor=BOB)
    assert await desk.ask("/memory Meera") == ENGLISH.search_nothing


async def test_an_empty_memory_invites(desk: Desk) -> None:
    assert await desk.ask("/memory") == f"{ENGLISH.memory_empty} {ENGLISH.memory_adds}"


# -- /search and /remember ------------------------------------------------------------------------


async def test_what_was_remembered_is_found_by_its_words(desk: Desk) -> None:
    said = await desk.ask("/remember I collect stamps from Norway")
    told = ENGLISH.remembered.format(text="I collect stamps from Norway", id="f1")
    assert said == told
    assert "stamps from Norway" in await desk.ask("/search stamps")
    assert await desk.ask("/search zeppelins") == ENGLISH.search_nothing
    assert await desk.ask("/search the blue zeppelin of my rich uncle from Norway") == "\n".join(
        (
            ENGLISH.search_closest,
            f"• {datetime.now(UTC):%Y-%m-%d}: I collect stamps from Norway  [f1]",
        )
    )
    assert await desk.ask("/search stamps", BORIS) == ENGLISH.search_nothing
    await desk.tell("> Eve:\n> The regatta is on Friday")
    assert "“Eve: The regatta is on Friday”" in await desk.ask("/search regatta"), "no markers"


async def test_what_was_remembered_can_be_undone(desk: Desk) -> None:
    await desk.ask("/remember I collect stamps from Norway")
    shown = await desk.press(ENGLISH.button_undo)
    assert shown.text == ENGLISH.change_undone.format(text="I collect stamps from Norway")
    assert await desk.facts() == []


async def test_a_name_to_remember_is_what_the_bot_is_called(desk: Desk) -> None:
    said = await desk.ask("/remember your name is Max")
    assert said == ENGLISH.name_set.format(name="Max")
    assert await desk.facts() == []
    assert ENGLISH.memory_name.format(name="Max") in await desk.ask("/memory")


async def test_what_is_too_long_to_be_remembered_is_refused(desk: Desk) -> None:
    reason = ENGLISH.refusals[Refusal.LONG]
    said = await desk.ask("/remember " + "x " * 900)
    assert said == ENGLISH.remember_refused.format(reason=reason)


# -- /edit ----------------------------------------------------------------------------------------


async def test_a_record_is_reworded_and_its_former_words_are_history(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    said = await desk.ask("/edit f1 I live in Bergen")
    changed = ENGLISH.change_changed.format(before="I live in Oslo", text="I live in Bergen")
    [record] = await desk.memory.known.records(ANN)
    assert said == f"{changed}  [{record.short_id}]"
    assert await desk.facts() == ["I live in Bergen"]
    everything = await desk.memory.known.records(ANN, everything=True)
    assert len(everything) == 2
    said = await desk.ask("/edit f99 I live in Rome")
    assert said == ENGLISH.no_such_memory.format(id="f99")
    assert (await desk.ask("/edit")).startswith(ENGLISH.memory_title), "to choose with a button"


async def test_a_rewording_can_be_undone(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.ask("/edit f1 I live in Bergen")
    await desk.press(ENGLISH.button_undo)
    assert await desk.facts() == ["I live in Oslo"]


# -- /export --------------------------------------------------------------------------------------


async def test_an_export_is_everything_of_ones_own_in_two_files(desk: Desk) -> None:
    await desk.remember("I work at Acme Corp, Zürich 🏔")
    await desk.remember("I am a spy", actor=BOB)
    await desk.tell("Is *this* kept?")
    desk.accounts.note_turn(ANN, "s1", Usage(1, 1))
    sent = await desk.says("/export")
    assert [one.text for one in sent] == [ENGLISH.export_caption, ""]
    [document, readable] = [one.document for one in sent]
    assert document
    assert readable
    name = f"mordecai-u1001-{datetime.now(UTC):%Y-%m-%d}"
    assert [document.name, readable.name] == [f"{name}.json", f"{name}.md"]
    exported = json.loads(document.content)
    assert exported["actor"] == "u1001"
    assert [entry["requests"] for entry in exported["usage"]] == [1]
    assert [fact["text"] for fact in exported["facts"]] == ["I work at Acme Corp, Zürich 🏔"]
    assert "Zürich 🏔".encode() in document.content
    assert b"spy" not in document.content
    assert "- I work at Acme Corp, Zürich 🏔 (noted" in readable.content.decode()
    assert b"> Is \\*this\\* kept?" in readable.content


async def test_a_file_that_is_too_big_is_named_and_the_other_one_sent(desk: Desk) -> None:
    await desk.remember(*(f"I have been to city number {number}" for number in range(20)))
    # The JSON document takes several times what the readable one does.
    desk.channel.largest_document = 4_000
    [notice, file] = await desk.says("/export")
    name = f"mordecai-u1001-{datetime.now(UTC):%Y-%m-%d}.json"
    assert notice.text == ENGLISH.export_too_big.format(name=name)
    assert file.document
    assert file.document.name.endswith(".md")
    assert file.text == ENGLISH.export_caption


# -- memory that is off or away -------------------------------------------------------------------


async def test_with_memory_off_nothing_is_promised() -> None:
    async with open_desk(about=About(memory_enabled=False)) as desk:
        assert ENGLISH.start_forgets in await desk.ask("/start")
        for command in (
            "/memory", "/search tea", "/remember I like tea", "/edit f1 I like tea", "/export",
            "/summarize", "/settings", "/language de", "/timezone Europe/Oslo",
        ):  # fmt: skip
            assert await desk.ask(command) == ENGLISH.memory_off
        assert (await desk.ask("/name Jarvis")).startswith(ENGLISH.name_refused.split("{")[0])
        await desk.tell("I work at Acme Corp.")
        assert await desk.ask("/new") == ENGLISH.new


async def test_a_memory_that_is_away_is_said_politely() -> None:
    store = TemporaryStore()
    async with open_desk(store=store) as desk:
        await store.aclose()
        for command in ("/memory", "/forget f1", "/name", "/name Jarvis", "/export"):
            assert await desk.ask(command) == ENGLISH.memory_unavailable
        assert ENGLISH.start.format(name="Mordecai") in await desk.ask("/start")
