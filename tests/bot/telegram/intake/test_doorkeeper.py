"""At the door: codes that are wrong, codes that come too late, and whom an owner lets in, as people
see it over HTTP."""

from pathlib import Path

import pytest

from bot.operations.approve import approve_guest
from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.pairing import ATTEMPTS
from bot.settings import Settings
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH, texts_in
from tests.bot.telegram.stage import ask, stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock

ANNA, BORIS, CLARA = 1001, 1002, 1003
WRONG = "AAAA-AAAA"


def unowned(folder: Path) -> Access:
    return Access(AccessMode.PAIRING, guests=FileGuestBook(folder / "access.json"))


async def owned_by_anna(folder: Path) -> Access:
    access = unowned(folder)
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    return access


# -- codes ----------------------------------------------------------------------------------------


async def test_a_wrong_code_is_answered_each_time_and_the_right_one_pairs(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = unowned(tmp_path)
    async with stage(server, tmp_path, access=access):
        assert await ask(server, "Hello", ANNA) == ENGLISH.refused_unpaired
        for _ in range(ATTEMPTS - 1):
            assert await ask(server, WRONG, ANNA) == ENGLISH.not_the_code
        assert await ask(server, f"code={access.pairing_code}", ANNA) == ENGLISH.paired
        assert "Hello" in await ask(server, "Hello", ANNA)


async def test_who_came_before_there_was_an_owner_is_given_a_code_by_their_next_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = unowned(tmp_path)
    async with stage(server, tmp_path, access=access):
        assert await ask(server, "Hello", BORIS) == ENGLISH.refused_unpaired
        assert await ask(server, access.pairing_code or "", ANNA) == ENGLISH.paired
        assert "/approve" in await ask(server, "Hello again", BORIS)


async def test_whom_the_settings_let_in_becomes_the_owner_with_the_code(
    server: BotApiServer, tmp_path: Path
) -> None:
    guests = FileGuestBook(tmp_path / "access.json")
    access = Access(AccessMode.PAIRING, allowed=[ANNA, BORIS], guests=guests)
    async with stage(server, tmp_path, access=access) as on:
        assert await ask(server, WRONG, BORIS) == f"you said: {WRONG}"
        assert await ask(server, access.pairing_code or "", ANNA) == ENGLISH.paired
        assert "/users" in await ask(server, "/help", ANNA)
        assert [inbound.text for inbound in on.echo.heard] == [WRONG]


async def test_a_link_with_the_code_pairs(server: BotApiServer, tmp_path: Path) -> None:
    access = unowned(tmp_path)
    async with stage(server, tmp_path, access=access) as on:
        assert await ask(server, f"/start {WRONG}", ANNA) == ENGLISH.not_the_code
        assert await ask(server, f"/start {access.pairing_code}", ANNA) == ENGLISH.paired
        await on.channel.settle()
        menu = [command["command"] for command in server.world.commands[f"chat:{ANNA}"]]
    assert set(ENGLISH.owner_commands) <= set(menu), "the owner sees at once what owners can do"


async def test_after_the_last_wrong_code_there_is_one_sentence_and_then_silence(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = unowned(tmp_path)
    async with stage(server, tmp_path, access=access) as on:
        for _ in range(ATTEMPTS - 1):
            assert await ask(server, WRONG, BORIS) == ENGLISH.not_the_code
        assert await ask(server, WRONG, BORIS) == ENGLISH.no_more_codes
        for said in (WRONG, access.pairing_code or "", "Hello?"):
            await server.user(BORIS).says(said)
        assert await ask(server, access.pairing_code or "", ANNA) == ENGLISH.paired, "not for Anna"
        await on.channel.settle()
        assert len(server.sent(BORIS)) == ATTEMPTS


async def test_a_code_that_comes_too_late_is_answered_with_how_to_be_let_in(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = await owned_by_anna(tmp_path)
    async with stage(server, tmp_path, access=access) as on:
        await ask(server, "Good morning", ANNA)
        first = await ask(server, "Hello", BORIS)
        for _ in range(ATTEMPTS):
            assert await ask(server, WRONG, BORIS) == first, "the same request code, not silence"
        await server.user(BORIS).says(WRONG)
        await ask(server, "Hello", CLARA)
        await server.replies_to(ANNA, 3)
        await on.channel.settle()
        assert len(server.sent(BORIS)) == 1 + ATTEMPTS
        assert len(server.sent(ANNA)) == 3, "the owner is told once of each"


async def test_where_nobody_is_paired_a_code_gets_the_numeric_id(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = Access(AccessMode.ALLOWLIST, allowed=[ANNA])
    async with stage(server, tmp_path, access=access):
        assert str(BORIS) in await ask(server, "Hello", BORIS)
        assert str(BORIS) in await ask(server, WRONG, BORIS)


async def test_a_code_said_in_a_group_is_none(server: BotApiServer, tmp_path: Path) -> None:
    access = unowned(tmp_path)
    async with stage(server, tmp_path, access=access) as on:
        group = server.group(-500)
        for _ in range(2):
            await server.user(ANNA).says(f"/ask {access.pairing_code}", group=group)
        await server.replies_to(-500, 1)
        await ask(server, "Hello", BORIS)
        await on.channel.settle()
        assert access.owners == []
        assert len(server.sent(-500)) == 1


async def test_owners_hear_of_a_crowd_only_so_often(server: BotApiServer, tmp_path: Path) -> None:
    access = await owned_by_anna(tmp_path)
    async with stage(server, tmp_path, access=access) as on:
        await ask(server, "Good morning", ANNA)
        for stranger in range(2000, 2030):
            await server.user(stranger).says("Hello")
        told = await server.replies_to(2029, 1)
        assert "/approve" in told[0], "each of them has a code all the same"
        await on.channel.settle()
        assert len(server.sent(ANNA)) == 1 + 20


# -- by numeric id --------------------------------------------------------------------------------


async def test_an_owner_lets_in_by_numeric_id(server: BotApiServer, tmp_path: Path) -> None:
    access = await owned_by_anna(tmp_path)
    async with stage(server, tmp_path, access=access):
        await ask(server, "Good morning", ANNA)
        await ask(server, "Hello", BORIS)
        await server.replies_to(ANNA, 2)
        boris = ENGLISH.person.format(name=f"User {BORIS}", id=BORIS)
        approved = ENGLISH.approved.format(person=boris)
        assert await ask(server, f"/approve {BORIS}", ANNA) == approved
        assert (await server.replies_to(BORIS, 2))[1] == ENGLISH.approved_you
        assert "Hello again" in await ask(server, "Hello again", BORIS)
        already = ENGLISH.in_already.format(person=boris)
        assert await ask(server, f"/approve {BORIS}", ANNA) == already


async def test_somebody_who_never_wrote_is_let_in_and_the_owner_told_to_tell_them(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = await owned_by_anna(tmp_path)
    async with stage(server, tmp_path, access=access):
        told = await ask(server, f"/approve {CLARA}", ANNA)
        clara = ENGLISH.person_unnamed.format(id=CLARA)
        assert told == ENGLISH.approved_untold.format(person=clara)
        assert "Hello" in await ask(server, "Hello", CLARA)


@pytest.mark.parametrize("written", ["@clara", "0", "-500", "99999999999999999999"])
async def test_user_names_are_refused_with_the_reason(
    server: BotApiServer, tmp_path: Path, written: str
) -> None:
    access = await owned_by_anna(tmp_path)
    async with stage(server, tmp_path, access=access):
        assert await ask(server, f"/approve {written}", ANNA) == ENGLISH.approve_ids_only


async def test_where_the_settings_decide_the_owner_hears_so(
    server: BotApiServer, tmp_path: Path
) -> None:
    for mode, said in (
        (AccessMode.ALLOWLIST, ENGLISH.approve_listed),
        (AccessMode.OPEN, ENGLISH.users_everybody),
    ):
        folder = tmp_path / mode.value
        folder.mkdir()
        async with stage(server, folder, access=Access(mode, owners=[ANNA])):
            assert await ask(server, f"/approve {BORIS}", ANNA) == said


async def test_whoever_the_command_line_lets_in_hears_it_in_their_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = await owned_by_anna(tmp_path)
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=FastClock(50))
    async with stage(server, tmp_path, access=access, options=options) as on:
        boris = server.user(BORIS)
        boris.profile["language_code"] = "de"
        await boris.says("Hallo")
        german = texts_in("de")
        assert (await server.replies_to(BORIS, 1))[0].startswith(german.refused_code[:20])
        await approve_guest(Settings(data_dir=tmp_path), str(BORIS))
        assert (await server.replies_to(BORIS, 2))[1] == german.approved_you
        await on.channel.settle()
    async with stage(server, tmp_path, access=unowned(tmp_path), options=options) as on:
        assert "Again" in await ask(server, "Again", BORIS)
        assert len(server.sent(BORIS)) == 3, "and hears it once"


async def test_whoever_was_let_in_while_the_bot_was_away_hears_it_when_it_is_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=FastClock(50))
    async with stage(server, tmp_path, access=await owned_by_anna(tmp_path)):
        await ask(server, "Hello", BORIS)
    await approve_guest(Settings(data_dir=tmp_path), str(BORIS))
    async with stage(server, tmp_path, access=unowned(tmp_path), options=options):
        assert (await server.replies_to(BORIS, 2))[1] == ENGLISH.approved_you
