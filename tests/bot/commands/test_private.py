"""/private over HTTP: a mark on each reply, nothing kept, and it is said when it is over."""

from collections.abc import AsyncIterator
from pathlib import Path

from bot.assistant.conversation import Conversation
from bot.assistant.events import Inbound, ReplyEvent
from bot.assistant.prompt import Persona, system_prompt
from bot.commands.introduction import About
from bot.offline.engine import offline_model
from memory.records import Actor, Kind
from tests.bot.commands.test_browser import carried_out
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer

ANN = Actor.person(1001)


class Talking:
    """The program's own conversation, on the memory of the stage it is on."""

    def __init__(self) -> None:
        self.on: Stage | None = None

    async def reply(self, inbound: Inbound) -> AsyncIterator[ReplyEvent]:
        """See Conversing."""
        assert self.on is not None
        persona = system_prompt(Persona(identity="You are a test."))
        talk = Conversation(offline_model(), self.on.memory, persona)
        async for event in talk.reply(inbound):
            yield event


def on_disk(folder: Path, text: str) -> list[str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in files if text.encode() in file.read_bytes()]


async def test_each_reply_is_marked_until_it_is_over(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        assert await ask(server, "hi") == "you said: hi"
        assert (await ask(server, "/private")).startswith("🔒 This conversation is private")
        assert await ask(server, "hi") == "🔒 you said: hi"
        assert await ask(server, "again") == "🔒 you said: again"
        over = await ask(server, "/private")
        assert over.startswith("The private conversation is over. I saved nothing from it.")
        assert await ask(server, "hi") == "you said: hi"
        await ask(server, "/private")
        assert (await ask(server, "/new")).startswith("The private conversation is over")
        assert await ask(server, "hi") == "you said: hi"


async def test_nothing_said_in_it_is_on_the_disk_afterwards(
    server: BotApiServer, tmp_path: Path
) -> None:
    talking = Talking()
    async with stage(server, tmp_path, conversation=talking) as on:
        talking.on = on
        await ask(server, "/private")
        reply = await ask(server, "I live in Xanadu")
        assert reply.startswith("🔒 ")
        assert "I'll remember" not in reply
        assert "keep nothing" in reply
        assert on_disk(tmp_path, "Xanadu")
        await ask(server, "/new")
        await on.channel.settle()
        await on.memory.settle()
        assert on_disk(tmp_path, "Xanadu") == []
        assert await on.memory.known.records(ANN, tuple(Kind), everything=True) == []


async def test_what_was_stopped_in_it_is_not_kept_either(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer) as on:
        await ask(server, "/private")
        await server.user(1001).says("tell me of Xanadu")
        writer.writes("In Xanadu did")
        await server.wait_for(lambda: writer.taken)
        await server.user(1001).says("/stop")
        assert (await server.replies_to(1001, 3))[1:] == ["🔒 In Xanadu did", "🔒 Stopped."]
        await on.channel.settle()
        [turn] = (await on.memory.talk.tiers(ANN)).active
        assert turn.messages[1].text == "In Xanadu did"
        await ask(server, "/new")
        await on.channel.settle()
        await on.memory.settle()
        assert on_disk(tmp_path, "Xanadu") == []


async def test_what_would_be_kept_is_refused_and_forgetting_is_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    talking = Talking()
    async with stage(server, tmp_path, conversation=talking) as on:
        talking.on = on
        kept = await on.memory.known.remember(ANN, "I live in Oslo")
        await ask(server, "/private")
        for command in ("/remember I like tea", "/name Max", "/edit f1 I like tea"):
            assert (await ask(server, command)).startswith("🔒 This conversation is private, so")
        assert (await ask(server, "/name")).startswith("🔒 My name is Mordecai")
        refused = await ask(server, "Remember that I like tea")
        assert "This conversation is private" in refused
        assert "This conversation is private" in await ask(server, "I'll call you Max")
        assert [r.id for r in await on.memory.known.records(ANN)] == [kept.id]
        assert (await ask(server, "/forget f1")).startswith("🔒 Deleted")
        assert await on.memory.known.records(ANN) == []


async def test_a_restart_in_the_middle_marks_replies_still(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        await tell(on, "I live in Xanadu")
    async with stage(server, tmp_path) as on:
        assert await ask(server, "hi") == "🔒 you said: hi"
        session = await on.memory.talk.session(ANN, on.echo.heard[0].place)
        assert session is not None
        assert session.private


async def test_formatting_stands_where_it_should_behind_the_mark(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo(lambda inbound: "**bold** 👍 and `code`")
    async with stage(server, tmp_path, conversation=echo):
        await ask(server, "/private")
        assert await ask(server, "hi") == "🔒 bold 👍 and code"
        [bold, code] = server.sent(1001)[-1]["entities"]
        # In UTF-16 units: the mark has two, the space one.
        assert (bold["type"], bold["offset"], bold["length"]) == ("bold", 3, 4)
        assert (code["type"], code["offset"], code["length"]) == ("code", 15, 4)


async def test_a_reply_that_was_stopped_is_marked(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer):
        await ask(server, "/private")
        await server.user(1001).says("tell me")
        writer.writes("Once upon a time")
        await server.wait_for(lambda: server.sent(1001)[-1]["text"].startswith("🔒 Once"))
        await server.user(1001).says("/stop")
        await server.wait_for(
            lambda: any(m["text"] == "🔒 Once upon a time" for m in server.sent(1001))
        )


async def test_deleting_everything_does_not_end_it(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await ask(server, "/private")
        await ask(server, "/forget all")
        person = server.user(1001)
        question = server.sent(1001)[-1]
        await person.presses(question, "Yes, delete everything")
        await server.wait_for(lambda: "Everything is deleted" in server.sent(1001)[-1]["text"])
        assert await ask(server, "hi") == "🔒 you said: hi"


async def test_everything_of_the_bot_s_own_is_marked(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I live in Oslo")
        await ask(server, "/private")
        for command in ("/memory", "/settings", "/forget all", "/help", "/xyzzy"):
            assert (await ask(server, command)).startswith("🔒 "), command
        browser, settings, question, *_ = server.sent(1001)[1:]
        person = server.user(1001)
        for message, label in (
            (browser, "Facts (1)"),
            (settings, "Language"),
            (question, "No, keep it"),
        ):
            before = message["text"]
            await carried_out(server, on, await person.presses(message, label))
            assert message["text"].startswith("🔒 "), label
            assert message["text"] != before
        await person.says("/export")
        await server.wait_for(lambda: server.sent(1001)[-1].get("caption") == "🔒")
        assert server.sent(1001)[-2]["caption"] == "🔒 Everything I have saved about you."


async def test_memory_does_not_say_that_anything_is_added(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        adds_nothing = "This conversation is private, so I'll add nothing from it."
        empty = await ask(server, "/memory")
        assert empty == f"🔒 I don't remember anything about you yet. {adds_nothing}"
        await on.memory.known.remember(ANN, "I live in Oslo")
        shown = await ask(server, "/memory")
        assert adds_nothing in shown
        assert "when our conversation ends" not in shown
        await ask(server, "/new")
        assert "when our conversation ends" in await ask(server, "/memory")


async def test_it_can_be_summed_up_and_nothing_of_that_is_kept(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/private")
        for said in ("I keep bees in Xanadu.", "They swarmed today.", "It rains.", "What now?"):
            await tell(on, said)
        said = await ask(server, "/summarize")
        assert said.startswith("🔒 What we've talked about so far:")
        assert "I keep bees in Xanadu" in said
        await ask(server, "/new")
        await on.channel.settle()
        await on.memory.settle()
        assert on_disk(tmp_path, "Xanadu") == []
        assert await on.memory.known.records(ANN, tuple(Kind), everything=True) == []


async def test_without_a_memory_it_is_private_anyway(server: BotApiServer, tmp_path: Path) -> None:
    about = About("Mordecai", memory_enabled=False)
    async with stage(server, tmp_path, about=about):
        assert (await ask(server, "/private")).startswith("🔒 This conversation is private")
        assert await ask(server, "hi") == "🔒 you said: hi"


async def test_in_a_group_it_is_the_topic_s_alone(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    group.add_topic(7)
    group.make_admin(1001)
    async with stage(server, tmp_path):
        await server.user(1001).says("/private", group=group, topic=7)
        await server.replies_to(group.id, 1)
        await server.user(1001).says("/ask a", group=group, topic=7)
        await server.replies_to(group.id, 2)
        await server.user(1001).says("/ask b", group=group)
        texts = await server.replies_to(group.id, 3)
        assert texts[1:] == ["🔒 you said: a", "you said: b"]
