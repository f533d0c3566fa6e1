"""Commands where several people talk: what the bot says of itself there, and who may give them."""

import pytest

from bot.assistant.context import About
from bot.assistant.inbound import Click
from tests.bot.commands.desk import (
    ANNA,
    BORIS,
    ENGLISH,
    GROUP,
    OURS,
    Desk,
    Sent,
    open_desk,
)

MARKED = f"🔒 {ENGLISH.admins_only}"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """Anna is an admin of the group."""
    desk.channel.admins.add(ANNA)
    return desk


async def ask(desk: Desk, text: str, user: int = BORIS) -> str:
    return await desk.ask(text, user, group=GROUP)


async def note(desk: Desk, under: Sent, label: str, user: int) -> str | None:
    """Press a button in the group; the note that comes of it."""
    return await desk.click(under, under.button(label), user, group=GROUP)


# -- who the bot is there -------------------------------------------------------------------------


async def test_start_in_a_group_speaks_to_the_group(desk: Desk) -> None:
    said = await ask(desk, "/start@bot from_a_link")
    hello = f"{ENGLISH.group_hello.format(name='Mordecai')} {ENGLISH.group_how}"
    assert said.startswith(f"{hello}\n\n{ENGLISH.group_keeps}")
    assert ENGLISH.group_privacy not in said
    assert ENGLISH.start_keeps not in said


async def test_with_privacy_mode_start_and_help_say_what_is_hidden(desk: Desk) -> None:
    desk.channel.reads_everything = False
    for command in ("/start", "/help"):
        assert ENGLISH.group_privacy in await ask(desk, command)


async def test_without_a_memory_nothing_is_promised_to_a_group() -> None:
    async with open_desk(about=About(memory_enabled=False)) as desk:
        said = await ask(desk, "/start")
        assert ENGLISH.start_forgets in said
        assert ENGLISH.group_keeps not in said


async def test_an_empty_memory_and_an_export_speak_of_the_group(desk: Desk) -> None:
    nothing = f"{ENGLISH.memory_empty_group} {ENGLISH.memory_adds}"
    assert await ask(desk, "/memory", ANNA) == nothing
    assert await ask(desk, "/export", ANNA) == ENGLISH.export_caption_group


# -- who may give them ----------------------------------------------------------------------------


async def test_a_groups_memory_is_its_admins_to_see_and_change(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    for command in ("/memory", "/search Fridays", "/forget f1", "/edit f1 x", "/export"):
        assert await ask(desk, command) == ENGLISH.admins_only
        assert await ask(desk, command, ANNA) != ENGLISH.admins_only
    assert (await ask(desk, "/remember We sing")).startswith(
        ENGLISH.remembered.partition("{")[0]
    ), "everybody may add to it"


async def test_a_private_conversation_is_its_admins_to_begin_and_end(desk: Desk) -> None:
    assert await ask(desk, "/private") == ENGLISH.admins_only
    assert await ask(desk, "/private", ANNA) == ENGLISH.private_on
    for ending in ("/private", "/new", "new"):
        assert await ask(desk, ending) == MARKED
    session = await desk.memory.talk.session(OURS, desk.chat(group=GROUP))
    assert session
    assert session.private
    assert (await ask(desk, "/new", ANNA)).startswith(ENGLISH.private_off)
    assert await ask(desk, "/new") == ENGLISH.new, "what is saved, anybody may end"


async def test_settings_have_a_reason_of_their_own(desk: Desk) -> None:
    for command in ("/settings", "/language de", "/timezone UTC"):
        assert await ask(desk, command) == ENGLISH.admins_only_settings
    current = ENGLISH.language_current.partition("{")[0]
    assert (await ask(desk, "/language")).startswith(current)
    assert (await ask(desk, "/settings", ANNA)).startswith(ENGLISH.settings_title_group)


# -- who may press --------------------------------------------------------------------------------


async def test_a_groups_settings_change_by_nobody_elses_press(desk: Desk) -> None:
    [panel] = await desk.says("/settings", group=GROUP)
    assert await note(desk, panel, ENGLISH.settings_streaming, BORIS) == ENGLISH.button_not_yours
    assert await note(desk, panel, ENGLISH.settings_streaming, ANNA) is None
    off = ENGLISH.settings_streaming_off
    assert await note(desk, panel, off, BORIS) == ENGLISH.button_not_yours
    assert (await desk.memory.choices.read(OURS)).streaming is None
    assert await note(desk, panel, off, ANNA) is None
    assert (await desk.memory.choices.read(OURS)).streaming == "off"


async def test_whoever_is_no_admin_any_more_presses_in_vain(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    [memories] = await desk.says("/memory", group=GROUP)
    [settings] = await desk.says("/settings", group=GROUP)
    [question] = await desk.says("/forget all", group=GROUP)
    desk.channel.admins.clear()
    assert await note(desk, question, ENGLISH.forget_all_yes, ANNA) == ENGLISH.admins_only
    assert await note(desk, memories, "Facts (1)", ANNA) == ENGLISH.admins_only
    refused = await note(desk, settings, ENGLISH.settings_length, ANNA)
    assert refused == ENGLISH.admins_only_settings
    assert await desk.facts(OURS)


async def test_what_is_opened_in_the_name_of_the_group_its_admins_press(desk: Desk) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    # Whoever writes in the name of a group has its id.
    [settings] = await desk.says("/settings", GROUP, group=GROUP)
    refused = await note(desk, settings, ENGLISH.settings_length, BORIS)
    assert refused == ENGLISH.admins_only_settings
    [memories] = await desk.says("/memory", GROUP, group=GROUP)
    shown = memories.text
    assert await note(desk, memories, "Facts (1)", BORIS) == ENGLISH.admins_only
    assert memories.text == shown
    assert await note(desk, memories, "Facts (1)", ANNA) is None
    assert memories.text != shown


async def test_everything_is_deleted_in_the_name_of_the_group_by_an_admin_alone(
    desk: Desk,
) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    [question] = await desk.says("/forget all", GROUP, group=GROUP)
    assert await note(desk, question, ENGLISH.forget_all_yes, BORIS) == ENGLISH.admins_only
    assert question.text == ENGLISH.forget_all_ask_group
    assert await desk.facts(OURS)
    assert await note(desk, question, ENGLISH.forget_all_yes, ANNA) is None
    assert await desk.facts(OURS) == []


async def test_a_press_that_has_waited_counts_only_if_its_presser_is_still_an_admin(
    desk: Desk,
) -> None:
    await desk.remember("We meet on Fridays", actor=OURS)
    [question] = await desk.says("/forget all", group=GROUP)
    origin = desk.origin(ANNA, desk.chat(group=GROUP))
    yes = question.button(ENGLISH.forget_all_yes)
    click = Click(yes, origin, question.at, question.id, desk.channel.number())
    assert await desk.assistant.admit(click) is click
    desk.channel.admins.clear()
    assert [event async for event in desk.assistant.answer(click)] == []
    assert await desk.facts(OURS)
