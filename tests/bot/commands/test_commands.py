"""The commands, with a real memory behind them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from bot.commands.introduction import About
from bot.people.access import Access, AccessMode
from bot.people.usage import Usage
from bot.texts import ENGLISH
from memory.errors import StoreUnavailable
from memory.ports import Extraction, ExtractionFailed, Proposal
from memory.records import LEARNED_KINDS, Actor, Choice, Kind, Place, Record, Role, Turn, Utterance
from tests.bot.telegram.stage import ask, stage, tell
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.temporary_store import TemporaryStore

ANN, BOB = Actor.person(1001), Actor.person(1002)


class Finds:
    """An extractor that finds what it was told to, or fails."""

    def __init__(self, *texts: str, failing: bool = False) -> None:
        self.texts, self.failing = texts, failing

    async def extract(self, turns: Sequence[Turn], known: Sequence[Record]) -> Extraction:
        if self.failing:
            raise ExtractionFailed("no answer")
        return Extraction(
            tuple(Proposal(Kind.FACT, text, turns[0].id) for text in self.texts), None
        )


# -- who I am -------------------------------------------------------------------------------------


async def test_start_says_who_writes_and_what_is_kept(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        said = await ask(server, "/start")
        assert "I'm Mordecai" in said
        assert "/memory" in said
        assert "I run without a language model" in said


async def test_help_names_every_command_and_the_engine(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        said = await ask(server, "/help")
        assert all(f"/{name}" in said for name in ENGLISH.commands)
        assert "I run without a language model" in said


async def test_the_menu_shows_the_commands(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.wait_for(lambda: server.world.commands)
        menu = [command["command"] for command in server.world.commands["default"]]
        assert menu == list(ENGLISH.commands)


async def test_a_menu_that_can_not_be_set_keeps_nobody_from_talking(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("setMyCommands", status=500)
    async with stage(server, tmp_path):
        assert await ask(server, "hi") == "you said: hi"


@pytest.mark.parametrize(("given", "near"), [("memori", "/memory"), ("hlep", "/help")])
async def test_an_unknown_command_gets_the_nearest_one(
    server: BotApiServer, tmp_path: Path, given: str, near: str
) -> None:
    async with stage(server, tmp_path) as on:
        said = await ask(server, f"/{given}")
        assert said == f"I don't know /{given}. Did you mean {near}? /help lists all commands."
        assert on.echo.heard == []


async def test_a_command_unlike_any_is_told_of_help(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        said = await ask(server, "/xyzzy")
        assert said == "I don't know /xyzzy. Send /help to see what I can do."


async def test_owners_commands_are_near_for_owners_in_private(
    server: BotApiServer, tmp_path: Path
) -> None:
    group, access = server.group(-1000500), Access(AccessMode.OPEN, owners=[1001])
    async with stage(server, tmp_path, access=access):
        assert "Did you mean /approve?" in await ask(server, "/aprove ABC")
        assert "/approve" not in await ask(server, "/aprove ABC", 1002), "for others there is none"
        await server.user(1001).says("/aprove@mordecai_test_bot ABC", group=group)
        assert "/approve" not in (await server.replies_to(group.id, 1))[0]


async def test_a_path_is_no_command(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert await ask(server, "/etc/passwd is a file") == "you said: /etc/passwd is a file"


async def test_a_command_for_this_bot_counts_and_one_for_another_does_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("/help@other_bot")
        assert (await ask(server, "/name@Mordecai_Test_Bot")).startswith("My name is Mordecai")


# -- /new -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["/new", "new", "New", " NEW "])
async def test_new_saves_and_says_so_in_one_message(
    server: BotApiServer, tmp_path: Path, word: str
) -> None:
    async with stage(server, tmp_path) as on:
        await tell(on, "I work at Acme Corp.")
        said = await ask(server, word)
        assert said.startswith(
            f"{ENGLISH.saved}\nStarting a new conversation.\n\nLast time we talked about"
        )
        assert [r.text for r in await on.memory.known.records(ANN, [Kind.FACT])]
        await on.memory.settle()
        await on.channel.settle()
        assert len(server.sent(1001)) == 1, "the sentence is not said twice"


async def test_new_without_a_conversation_just_begins(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert await ask(server, "/new") == "Starting a new conversation."


async def test_new_after_nothing_worth_keeping_claims_nothing(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, extractor=Finds()) as on:
        await tell(on, "What time is it?")
        assert await ask(server, "/new") == "Starting a new conversation."


async def test_new_does_not_claim_what_is_not_saved(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, extractor=Finds(failing=True)) as on:
        await tell(on, "I work at Acme Corp.")
        said = await ask(server, "/new")
        assert said == "Starting a new conversation. I'm still saving the last one."


async def test_new_within_a_sentence_is_talk(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert await ask(server, "new shoes") == "you said: new shoes"


async def test_a_session_that_ends_by_itself_is_announced_when_it_is_saved(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "hi")
        for number in range(15):
            await tell(on, f"I own {number + 2} bicycles.")
        why = "We've exchanged 30 messages, so I'm starting a new conversation."
        assert await server.replies_to(1001, 2) == ["you said: hi", f"{ENGLISH.saved}\n{why}"]


async def test_another_channels_session_is_not_announced_here(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        now = datetime.now(UTC)
        said = (Utterance(Role.USER, "I work at Acme.", now), Utterance(Role.ASSISTANT, "Ok", now))
        place = Place("terminal", 1001)
        await on.memory.talk.record(ANN, place, said)
        await on.memory.talk.end(ANN, place, "length")
        await on.memory.settle()
        await on.channel.settle()
        assert server.calls_of("sendMessage") == []


# -- /summarize -----------------------------------------------------------------------------------


async def test_summarize_shows_what_the_conversation_was_about(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        for said in ("I keep bees in Oslo.", "They swarmed today.", "It rains.", "What now?"):
            await tell(on, said)
        said = await ask(server, "/summarize")
        assert said.startswith("What we've talked about so far:\n\n")
        assert "I keep bees in Oslo" in said
        assert "bees" not in await ask(server, "/summarize", 1002)


async def test_summarize_before_anything_was_said_says_so(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        assert "nothing to summarize" in await ask(server, "/summarize")
        await tell(on, "Hello!")
        assert "nothing to summarize" in await ask(server, "/summarize")


# -- /memory --------------------------------------------------------------------------------------


async def test_memory_shows_what_is_known_to_its_owner_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        fact = await on.memory.known.remember(ANN, "I work at Acme Corp")
        await on.memory.known.remember(ANN, "I prefer Python over JavaScript", Kind.PREFERENCE)
        await on.memory.choices.set(ANN, Choice.AGENT_NAME, "Jarvis")
        await on.memory.known.remember(BOB, "I am a spy")
        said = await ask(server, "/memory")
        assert said.startswith("What I remember about you")
        assert f"• You work at Acme Corp  [{fact.short_id}]" in said
        assert "You prefer Python over JavaScript" in said
        assert "You call me Jarvis" in said
        assert said.index("Facts") < said.index("Preferences")
        assert "spy" not in said
        assert "spy" in await ask(server, "/memory", 1002)


async def test_memory_shows_summaries_with_their_date(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await tell(on, "I work at Acme Corp.")
        await ask(server, "/new")
        said = await ask(server, "/memory")
        assert f"Conversations\n• {datetime.now(UTC):%Y-}" in said


async def test_an_empty_memory_invites(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert "I'll add what you tell me now" in await ask(server, "/memory")


# -- /name ----------------------------------------------------------------------------------------


async def test_the_name_is_set_shown_and_kept(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        assert await ask(server, "/name Jarvis") == "From now on, my name is Jarvis."
        assert (await ask(server, "/name")).startswith("You call me Jarvis.")
        assert "I'm Jarvis" in await ask(server, "/start")
        assert "I'm Mordecai" in await ask(server, "/start", 1002)
        assert (await on.memory.choices.read(ANN)).agent_name == "Jarvis"


@pytest.mark.parametrize("name", ["x" * 500, "Jar\nvis", "<>", "...", "🙂"])
async def test_a_name_that_is_none_is_refused_politely(
    server: BotApiServer, tmp_path: Path, name: str
) -> None:
    async with stage(server, tmp_path) as on:
        said = await ask(server, f"/name {name}")
        assert said.startswith("I can't take that name: ")
        assert (await on.memory.choices.read(ANN)).agent_name is None


# -- /language and /timezone ----------------------------------------------------------------------


async def test_the_time_zone_is_set_shown_and_kept(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        assert "The time zone is UTC," in await ask(server, "/timezone")
        said = await ask(server, "/timezone europe/rome")
        assert said.startswith("The time zone is now Europe/Rome, where it is ")
        assert "The time zone is Europe/Rome," in await ask(server, "/timezone")
        assert "The time zone is UTC," in await ask(server, "/timezone", 1002)
        assert (await on.memory.choices.read(ANN)).time_zone == "Europe/Rome"
        assert "Rome" not in await ask(server, "/memory")


async def test_the_language_is_set_shown_and_kept(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        assert (await ask(server, "/language")).startswith("The language is en")
        said = await ask(server, "/language Deutsch")
        assert said == "Die Sprache ist jetzt de (Deutsch)."
        assert (await ask(server, "/language")).startswith("Die Sprache ist de (Deutsch)")
        assert (await on.memory.choices.read(ANN)).language == "de"


async def test_a_language_without_texts_of_the_bot_is_kept_for_the_model_and_that_is_said(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        said = await ask(server, "/language fr")
        assert said == f"The language is now fr (Français). {ENGLISH.language_only_told}"
        assert (await on.memory.choices.read(ANN)).language == "fr"


@pytest.mark.parametrize("command", ["/timezone Mars", "/timezone ../../x", "/language klingon"])
async def test_what_can_not_be_chosen_is_answered_with_examples(
    server: BotApiServer, tmp_path: Path, command: str
) -> None:
    async with stage(server, tmp_path) as on:
        said = await ask(server, command)
        assert said.startswith("I don't know the ")
        assert "Europe/Rome" in said or "de (Deutsch)" in said
        chosen = await on.memory.choices.read(ANN)
        assert chosen.language is chosen.time_zone is None


# -- /export --------------------------------------------------------------------------------------


async def test_export_is_a_document_of_everything_of_ones_own(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp, Zürich 🏔")
        await on.memory.known.remember(BOB, "I am a spy")
        on.accounts.note_turn(ANN, "s1", Usage(1, 1))
        assert await ask(server, "/export") == "Everything I have saved about you."
        document = server.sent(1001)[0]["document"]
        assert document["file_name"].startswith("mordecai-u1001-")
        content = server.world.files[document["file_id"]][1]
        exported = json.loads(content)
        assert exported["actor"] == "u1001"
        assert [entry["requests"] for entry in exported["usage"]] == [1]
        assert [fact["text"] for fact in exported["facts"]] == ["I work at Acme Corp, Zürich 🏔"]
        assert "Zürich 🏔".encode() in content
        assert b"spy" not in content


# -- /usage ---------------------------------------------------------------------------------------


async def test_usage_is_that_of_this_conversation_and_of_today(
    server: BotApiServer, tmp_path: Path
) -> None:
    used = Usage(1, 1, 0, 1000, 50, 500, 0, Decimal("0.002"))
    async with stage(server, tmp_path) as on:
        assert (await ask(server, "/usage")).count("nothing yet") == 2
        await tell(on, "I work at Acme Corp.")
        session = await on.memory.talk.session(ANN, Place("telegram", 1001))
        assert session
        on.accounts.note_turn(ANN, session.id, used)
        on.accounts.note_turn(ANN, "an earlier one", used)
        on.accounts.note_turn(BOB, "somebody else's", used)
        this, today = (await ask(server, "/usage")).split("Today (since midnight UTC)")
        assert "tokens read: 1\N{NARROW NO-BREAK SPACE}000, 50% of them from the cache" in this
        assert "cost: $0.0020" in this
        assert "answers: 2" in today
        assert "cost: $0.0040" in today


async def test_usage_after_new_begins_again_and_the_day_goes_on(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await tell(on, "I work at Acme Corp.")
        session = await on.memory.talk.session(ANN, Place("telegram", 1001))
        assert session
        on.accounts.note_turn(ANN, session.id, Usage(1, 1, 1, 10, 1))
        await ask(server, "/new")
        this, today = (await ask(server, "/usage")).split("Today (since midnight UTC)")
        assert "nothing yet" in this
        assert "I don't know my models' prices" in today


async def test_forget_all_takes_the_account_along_as_well(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        for actor in (ANN, BOB):
            on.accounts.note_turn(actor, "s1", Usage(1, 1, 0, 10, 1))
        assert len(await on.accounts.export(ANN)) == 1
        await ask(server, "/forget all")
        await server.user(1001).presses(server.sent(1001)[-1], "Yes, delete everything")
        await server.wait_for(lambda: "deleted" in server.sent(1001)[-1]["text"])
        assert await on.accounts.export(ANN) == []
        assert len(await on.accounts.export(BOB)) == 1


# -- memory that is off or away -------------------------------------------------------------------


async def test_with_memory_off_nothing_is_promised(server: BotApiServer, tmp_path: Path) -> None:
    off = About("Mordecai", memory_enabled=False)
    async with stage(server, tmp_path, about=off) as on:
        assert "memory is off" in await ask(server, "/start")
        for command in (
            "/memory", "/search tea", "/remember I like tea", "/edit f1 I like tea", "/export",
            "/summarize", "/settings", "/language de", "/timezone Europe/Oslo",
        ):  # fmt: skip
            assert await ask(server, command) == ENGLISH.memory_off
        assert (await ask(server, "/name Jarvis")).startswith("I can't take that name")
        await tell(on, "I work at Acme Corp.")
        assert await ask(server, "/new") == "Starting a new conversation."


class Away(TemporaryStore):
    """A store that nobody can reach."""

    async def records(
        self,
        actor: Actor,
        *,
        kinds: Sequence[Kind] = LEARNED_KINDS,
        include_superseded: bool = False,
    ) -> list[Record]:
        raise StoreUnavailable("no answer")


@pytest.mark.parametrize("command", ["/memory", "/forget f1", "/name", "/name Jarvis", "/export"])
async def test_a_memory_that_is_away_is_said_politely(
    server: BotApiServer, tmp_path: Path, command: str
) -> None:
    async with stage(server, tmp_path, store=Away()):
        said = await ask(server, command)
        assert said == "I can't reach my memory right now. Please try again in a minute."
        assert "I'm Mordecai" in await ask(server, "/start")


async def test_commands_wait_for_the_reply_before_them(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(1001).says("slow")
        await server.wait_for(lambda: echo.heard)
        await server.user(1001).says("/new")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        assert server.sent(1001) == []
        release.set()
        assert await server.replies_to(1001, 2) == ["you said: slow", ENGLISH.new]
