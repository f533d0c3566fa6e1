"""/private: a mark on each reply, nothing kept, and it is said when it is over."""

from collections.abc import AsyncGenerator

import pytest

from bot.assistant.context import About
from bot.assistant.conversation import Conversation
from bot.assistant.events import Event
from bot.assistant.inbound import Message
from bot.assistant.instructions import Persona, system_prompt
from bot.offline.notebook import offline_model
from memory.records import Kind
from tests.bot.commands.desk import ANN, ANNA, BORIS, ENGLISH, GROUP, Desk, open_desk

OVER = f"{ENGLISH.private_off}\n{ENGLISH.new}"


class Talking:
    """The program's own conversation, on the memory of the desk it is at."""

    def __init__(self) -> None:
        self.desk: Desk | None = None

    async def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        assert self.desk is not None
        persona = system_prompt(Persona(identity="You are a test."))
        async for event in Conversation(offline_model(), self.desk.memory, persona).reply(message):
            yield event


@pytest.mark.parametrize("end", ["/private", "/new"])
async def test_each_reply_is_marked_until_it_is_over(desk: Desk, end: str) -> None:
    assert await desk.ask("hi") == "you said: hi"
    assert await desk.ask("/private") == ENGLISH.private_on
    assert await desk.ask("hi") == "🔒 you said: hi"
    assert await desk.ask("again") == "🔒 you said: again"
    assert (await desk.ask(end)).startswith(OVER)
    assert await desk.ask("hi") == "you said: hi"
    assert desk.channel.scrubbed == 1, "and the inbox has nothing of it"


@pytest.mark.parametrize("argument", ["off", "on", "stop", "aus", "нет", "my diagnosis is flu"])
async def test_with_an_argument_it_says_whether_it_is_on_and_changes_nothing(
    desk: Desk, argument: str
) -> None:
    await desk.ask("hi")
    assert await desk.ask(f"/private {argument}") == ENGLISH.private_is_off
    assert await desk.ask("hi") == "you said: hi"
    await desk.ask("/private")
    assert await desk.ask(f"/private {argument}") == f"🔒 {ENGLISH.private_is_on}"
    assert await desk.ask("hi") == "🔒 you said: hi"


async def test_what_was_said_before_is_saved_and_that_is_not_marked(desk: Desk) -> None:
    await desk.tell("I work at Acme Corp.")
    said = await desk.ask("/private")
    assert said.startswith(f"{ENGLISH.saved}\n\n")
    assert said.endswith(f"\n\n{ENGLISH.private_on}")


async def test_what_would_be_kept_is_refused_and_forgetting_is_not() -> None:
    talking = Talking()
    async with open_desk(conversation=talking) as desk:
        talking.desk = desk
        await desk.remember("I live in Oslo")
        await desk.ask("/private")
        for command in ("/remember I like tea", "/name Max", "/edit f1 I like tea"):
            assert await desk.ask(command) == ENGLISH.private_refused
        assert (await desk.ask("/name")).startswith("🔒 My name is Mordecai")
        refused = await desk.ask("Remember that I like tea")
        assert "This conversation is private" in refused
        assert "This conversation is private" in await desk.ask("I'll call you Max")
        assert await desk.facts() == ["I live in Oslo"]
        deleted = ENGLISH.memory_deleted.format(text="I live in Oslo")
        assert await desk.ask("/forget f1") == f"🔒 {deleted}"
        assert await desk.facts() == []


async def test_deleting_everything_does_not_end_it(desk: Desk) -> None:
    await desk.ask("/private")
    await desk.ask("/forget all")
    done = await desk.press(ENGLISH.forget_all_yes)
    assert done.text == f"🔒 {ENGLISH.forget_all_done}"
    assert await desk.ask("hi") == "🔒 you said: hi"


async def test_everything_of_the_bots_own_is_marked(desk: Desk) -> None:
    await desk.remember("I live in Oslo")
    await desk.ask("/private")
    for command in ("/memory", "/settings", "/forget all", "/help", "/xyzzy"):
        assert (await desk.ask(command)).startswith("🔒 "), command
    browser, settings, question, *_ = desk.sent()[1:]
    for panel, label in (
        (browser, "Facts (1)"),
        (settings, ENGLISH.settings_language),
        (question, ENGLISH.forget_all_no),
    ):
        before = panel.text
        await desk.click(panel, panel.button(label))
        assert panel.text.startswith("🔒 "), label
        assert panel.text != before
    captions = [sent.text for sent in await desk.says("/export")]
    assert captions == [f"🔒 {ENGLISH.export_caption}", "🔒"]


async def test_memory_does_not_say_that_anything_is_added(desk: Desk) -> None:
    await desk.ask("/private")
    empty = await desk.ask("/memory")
    assert empty == f"🔒 {ENGLISH.memory_empty} {ENGLISH.memory_adds_nothing}"
    await desk.remember("I live in Oslo")
    shown = await desk.ask("/memory")
    assert ENGLISH.memory_adds_nothing in shown
    assert ENGLISH.memory_adds not in shown
    await desk.ask("/new")
    assert ENGLISH.memory_adds in await desk.ask("/memory")


async def test_it_can_be_summed_up_and_nothing_of_that_is_kept(desk: Desk) -> None:
    await desk.ask("/private")
    for said in ("I keep bees in Xanadu.", "They swarmed today.", "It rains.", "What now?"):
        await desk.tell(said)
    summary = await desk.ask("/summarize")
    assert summary.startswith(f"🔒 {ENGLISH.summary_title}")
    assert "I keep bees in Xanadu" in summary
    await desk.ask("/new")
    await desk.settle()
    assert await desk.memory.known.records(ANN, tuple(Kind), everything=True) == []


async def test_without_a_memory_it_is_private_anyway() -> None:
    async with open_desk(about=About(memory_enabled=False)) as desk:
        assert await desk.ask("/private") == ENGLISH.private_on
        assert await desk.ask("hi") == "🔒 you said: hi"


async def test_in_a_group_it_is_the_topics_alone_and_its_admins_to_end(desk: Desk) -> None:
    assert await desk.ask("/private", BORIS, group=GROUP, topic=7) == ENGLISH.admins_only
    desk.channel.admins.add(ANNA)
    await desk.ask("/private", group=GROUP, topic=7)
    assert await desk.ask("a", group=GROUP, topic=7) == "🔒 you said: a"
    assert await desk.ask("b", group=GROUP) == "you said: b"
    refused = await desk.ask("/new", BORIS, group=GROUP, topic=7)
    assert refused == f"🔒 {ENGLISH.admins_only}"
    assert (await desk.ask("/new", group=GROUP, topic=7)).startswith(OVER)
