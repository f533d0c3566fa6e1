"""The memory browser: pages in one message, deletions that can be taken back, clicks of nobody
else."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.commands.pages.pages import AT_A_GLANCE
from memory.errors import StoreUnavailable
from memory.records import Actor, Draft, Kind, Place, Record, Role, Utterance
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.fakes.botapi import BotApiServer
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = 1001, 1002
ANN = Actor.person(ANNA)
PLANTS = "basil beans beets chives corn garlic kale leeks mint peas sage thyme".split()


class Away(TemporaryStore):
    """A store that can bring nothing back while it is away."""

    away = False

    async def restore(self, actor: Actor, records: Sequence[Record]) -> list[Record]:
        if self.away:
            raise StoreUnavailable("away")
        return await super().restore(actor, records)


def keys(message: dict[str, Any]) -> list[str]:
    """What the buttons under a message say."""
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [key["text"] for row in rows for key in row]


def data(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [key["callback_data"] for row in rows for key in row]


async def opened(server: BotApiServer) -> dict[str, Any]:
    await ask(server, "/memory")
    return server.sent(ANNA)[-1]


async def press(server: BotApiServer, on: Stage, label: str) -> dict[str, Any]:
    """Press a button of the last message; the message as it is then."""
    message = server.sent(ANNA)[-1]
    await carried_out(server, on, await server.user(ANNA).presses(message, label))
    return server.sent(ANNA)[-1]


async def carried_out(server: BotApiServer, on: Stage, query: str) -> str | None:
    """Return when a click has had its effect, with the note that the clicker got."""
    await server.wait_for(lambda: query in server.world.answered_queries)
    await on.channel.settle()
    note = server.world.answered_queries[query].get("text")
    return None if note is None else str(note)


async def remember(on: Stage, *texts: str) -> None:
    for text in texts:
        await on.memory.known.remember(ANN, text)


async def test_pages_of_a_kind_turn_in_one_message(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, *(f"I grow {plant}" for plant in PLANTS))
        await on.memory.known.remember(ANN, "I like tea", Kind.PREFERENCE)
        first = await opened(server)
        assert "What I remember about you" in first["text"]
        newest = [line for line in first["text"].split("\n") if line.startswith(("•", "…"))]
        assert newest[0].startswith("• You grow thyme"), "newest first, as on the pages"
        assert newest[9].startswith("• You grow beets")
        assert newest[10] == "… and 2 older ones"
        assert keys(first) == ["Facts (12)", "Preferences (1)"]
        page = await press(server, on, "Facts (12)")
        assert page["text"].startswith("Facts 1/3\n1. ")
        assert "You grow thyme" in page["text"]
        assert keys(page)[:2] == ["1. You grow thyme", "2. You grow sage"]
        assert keys(page)[5:] == ["›", "‹ Back"]
        page = await press(server, on, "›")
        assert "You grow kale" in page["text"]
        page = await press(server, on, "›")
        assert keys(page) == ["11. You grow beans", "12. You grow basil", "‹", "‹ Back"]
        page = await press(server, on, "‹")
        assert page["text"].startswith("Facts 2/3")
        assert keys(await press(server, on, "‹ Back")) == keys(first)
        assert len(server.sent(ANNA)) == 1, "one message, edited in place"


async def test_a_record_is_deleted_after_a_question_and_brought_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo", "I work at Acme")
        await opened(server)
        await press(server, on, "Facts (2)")
        shown = await press(server, on, "2. You live in Oslo")
        assert shown["text"].startswith("You live in Oslo")
        assert keys(shown) == ["Edit", "Delete", "Source", "‹ Back"]
        asked = await press(server, on, "Delete")
        assert asked["text"] == "Delete this?\n\nYou live in Oslo", "nothing goes along"
        assert len(await on.memory.known.records(ANN)) == 2, "nothing is deleted by the question"
        kept = await press(server, on, "No, keep it")
        assert kept["text"] == shown["text"]
        await press(server, on, "Delete")
        gone = await press(server, on, "Yes, delete it")
        assert gone["text"] == "Deleted: You live in Oslo"
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I work at Acme"]
        back = await press(server, on, "Undo")
        assert back["text"] == "Restored: You live in Oslo"
        assert {r.text for r in await on.memory.known.records(ANN)} == {
            "I live in Oslo",
            "I work at Acme",
        }
        listed = keys(await press(server, on, "‹ Back"))
        assert listed[:2] == ["1. You work at Acme", "2. You live in Oslo"]


async def test_a_second_press_of_a_button_says_what_the_first_one_did(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        await opened(server)
        for label in ("Facts (1)", "1. You live in Oslo"):
            await press(server, on, label)
        for label, outcome in (
            ("Delete", "Delete this?\n\nYou live in Oslo"),
            ("Yes, delete it", "Deleted: You live in Oslo"),
            ("Undo", "Restored: You live in Oslo"),
        ):
            [before] = [dict(message) for message in server.sent(ANNA)]
            for _ in ("first", "second"):
                await carried_out(server, on, await server.user(ANNA).presses(before, label))
                [shown] = server.sent(ANNA)
                assert shown["text"] == outcome
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Oslo"]


async def test_the_question_names_what_goes_along_and_undo_brings_it_all_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await tell(on, "I live in Oslo")
        await ask(server, "/new")
        await on.memory.settle()
        before = await on.memory.known.records(ANN, tuple(Kind))
        assert {record.kind for record in before} == {Kind.FACT, Kind.SUMMARY, Kind.MESSAGE}
        await ask(server, "/memory")
        for label in ("Facts (1)", "1. You live in Oslo"):
            await press(server, on, label)
        asked = await press(server, on, "Delete")
        assert asked["text"] == (
            "Delete this?\n\nYou live in Oslo\n\nThis is deleted with it:\n"
            "• 2 messages that mention it\n• 1 conversation summary"
        )
        gone = await press(server, on, "Yes, delete it")
        assert gone["text"] == "Deleted: You live in Oslo"
        assert await on.memory.known.records(ANN, tuple(Kind)) == []
        assert (await press(server, on, "Undo"))["text"] == "Restored: You live in Oslo"
        assert await on.memory.known.records(ANN, tuple(Kind)) == before
        await press(server, on, "‹ Back")
        await press(server, on, "1. You live in Oslo")
        assert "You: “I live in Oslo”" in (await press(server, on, "Source"))["text"]


async def test_undo_goes_on_when_the_memory_is_back(server: BotApiServer, tmp_path: Path) -> None:
    store = Away()
    async with stage(server, tmp_path, store=store) as on:
        await remember(on, "I live in Oslo")
        await opened(server)
        for label in ("Facts (1)", "1. You live in Oslo", "Delete", "Yes, delete it"):
            await press(server, on, label)
        store.away = True
        told = await press(server, on, "Undo")
        assert told["text"].startswith("I can't reach my memory right now")
        assert await on.memory.known.records(ANN) == []
        store.away = False
        assert (await press(server, on, "Undo"))["text"] == "Restored: You live in Oslo"
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Oslo"]


async def test_where_a_record_is_from_is_quoted_with_its_date(
    server: BotApiServer, tmp_path: Path
) -> None:
    store, at = TemporaryStore(), datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
    async with stage(server, tmp_path, store=store) as on:
        said = Utterance(Role.USER, "By the way, I live in Oslo now!", at)
        await on.memory.talk.record(ANN, Place("telegram", ANNA), [said], name="1")
        (turn,) = [m.turn_ids for m in await on.memory.known.records(ANN, (Kind.MESSAGE,))]
        await store.commit(ANN, [Draft(Kind.FACT, "I live in Oslo now", at, turn_ids=turn)])
        await opened(server)
        await press(server, on, "Facts (1)")
        await press(server, on, "1. You live in Oslo now")
        quoted = await press(server, on, "Source")
        assert "2026-11-01 09:30 You: “By the way, I live in Oslo now!”" in quoted["text"]
        assert "You live in Oslo" in (await press(server, on, "‹ Back"))["text"]


async def test_a_record_is_put_into_other_words(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        await opened(server)
        await press(server, on, "Facts (1)")
        await press(server, on, "1. You live in Oslo")
        how = (await press(server, on, "Edit"))["text"]
        id_ = how.split("/edit ")[1].split()[0]
        assert "Remembered: You live in Bergen" in await ask(
            server, f"/edit {id_} I live in Bergen"
        )
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Bergen"]
        everything = await on.memory.known.records(ANN, everything=True)
        assert len(everything) == 2, "the former words are history"
        assert "no memory with the id f99" in await ask(server, "/edit f99 I live in Rome")
        assert "Tell me which memory" in await ask(server, "/edit")


async def test_only_who_opened_it_may_press(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        await on.memory.known.remember(Actor.person(BORIS), "I am a spy")
        message = await opened(server)
        before = message["text"]
        await ask(server, "/memory", BORIS)
        # A click that Boris makes up: Anna's data under a message of his own.
        own = server.sent(BORIS)[-1]
        forged = {**own, "reply_markup": message["reply_markup"]}
        click = await server.user(BORIS).presses(forged, "Facts (1)")
        assert "Only the person who asked" in str(await carried_out(server, on, click))
        assert server.sent(BORIS)[-1]["text"] == own["text"]
        assert server.sent(ANNA)[-1]["text"] == before


async def test_a_panel_of_ones_own_opens_no_group_s_memory(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    ours = Actor.group(group.id)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ours, "We meet on Mondays")
        await remember(on, "I live in Oslo")
        await server.user(BORIS).says("@mordecai_test_bot hi", group=group)
        await server.replies_to(group.id, 1)
        await on.channel.settle()
        below = server.sent(group.id)[-1]
        secret = data(await opened(server))[0].split(":")[1]
        # Anna runs no admin's errands: she makes the click up, with a secret that is hers.
        click = await server.user(ANNA).clicks(below, f"m:{secret}:delete:f1")
        assert "Only the person who asked" in str(await carried_out(server, on, click))
        assert [r.text for r in await on.memory.known.records(ours)] == ["We meet on Mondays"]
        assert server.sent(group.id)[-1]["text"] == below["text"]


@pytest.mark.parametrize("action", ["show:f1", "delete:f1", "from:f1", "edit:../f1", "ask:"])
async def test_an_id_in_a_button_is_looked_up_among_ones_own(
    server: BotApiServer, tmp_path: Path, action: str
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.person(BORIS), "I am a spy")
        await on.memory.known.remember(ANN, "I like tea", Kind.PREFERENCE)
        message = await opened(server)
        prefix = data(message)[0].rsplit(":", 2)[0]
        key = {"text": "made up", "callback_data": f"{prefix}:{action}"}
        forged = {**message, "reply_markup": {"inline_keyboard": [[key]]}}
        await carried_out(server, on, await server.user(ANNA).presses(forged, "made up"))
        assert "no longer exists" in server.sent(ANNA)[-1]["text"]
        assert [r.text for r in await on.memory.known.records(Actor.person(BORIS))] == [
            "I am a spy"
        ]


@pytest.mark.parametrize("action", ["kind:spy", "kind:message", "page:fact:x", "page:fact:-1:2"])
async def test_a_page_that_no_button_leads_to_is_the_first_one(
    server: BotApiServer, tmp_path: Path, action: str
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I like tea")
        message = await opened(server)
        secret = data(message)[0].split(":")[1]
        click = await server.user(ANNA).clicks(message, f"m:{secret}:{action}")
        await carried_out(server, on, click)
        [left] = server.sent(ANNA)
        assert left["text"] == message["text"], "and no error is told"


async def test_buttons_from_before_a_restart_are_stale(
    server: BotApiServer, tmp_path: Path
) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        await remember(on, "I live in Oslo")
        message = await opened(server)
    async with stage(server, tmp_path, store=store) as on:
        note = await carried_out(server, on, await server.user(ANNA).presses(message, "Facts (1)"))
        assert note == "These buttons no longer work. Please send /memory again."
        assert server.sent(ANNA)[-1]["text"] == message["text"]


async def test_buttons_fit_and_tell_others_nothing(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, *(f"I grow {plant}" for plant in PLANTS))
        one, two = await opened(server), await opened(server)
        assert all(len(each.encode()) <= 64 for each in data(one))
        assert not set(data(one)) & set(data(two)), "each message has a secret of its own"


async def test_what_is_on_a_button_fits_a_phone(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I walk my dog Hektor around the lake every morning before work")
        await opened(server)
        page = await press(server, on, "Facts (1)")
        assert keys(page)[0] == "1. You walk your dog Hektor…"
        assert "around the lake every morning before work" in page["text"], "whole above"


async def test_search_and_remember_are_commands_as_well(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        said = await ask(server, "/remember I collect stamps from Norway")
        assert said.startswith("Remembered: You collect stamps from Norway  [f")
        assert "stamps from Norway" in await ask(server, "/search stamps")
        assert await ask(server, "/search zeppelins") == "I found nothing about that."
        assert "I can't save that" in await ask(server, "/remember " + "x " * 900)
        assert "I found nothing" in await ask(server, "/search stamps", BORIS)


async def test_what_was_deleted_is_not_brought_back_after_everything_was(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        await opened(server)
        for label in ("Facts (1)", "1. You live in Oslo", "Delete", "Yes, delete it"):
            await press(server, on, label)
        panel = server.sent(ANNA)[-1]
        await ask(server, "/forget all")
        await press(server, on, "Yes, delete everything")
        await carried_out(server, on, await server.user(ANNA).presses(panel, "Undo"))
        assert await on.memory.known.records(ANN) == []


async def test_a_first_page_of_long_memories_is_one_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        for plant in PLANTS[:AT_A_GLANCE]:
            for kind, verb in ((Kind.FACT, "grow"), (Kind.PREFERENCE, "like")):
                await on.memory.known.remember(ANN, f"I {verb} {f'{plant} ' * 40}", kind)
        first = await opened(server)
        assert first["text"].count("…") == 2 * AT_A_GLANCE, "none is left out"
        await press(server, on, f"Facts ({AT_A_GLANCE})")
        assert (await press(server, on, "‹ Back"))["text"] == first["text"]
        assert len(server.sent(ANNA)) == 1, "Telegram takes 4096 characters"
