"""Letting people in, seeing how the bot does, and how much one person may ask: over HTTP."""

from decimal import Decimal
from pathlib import Path

from bot.people.access import Access, AccessMode
from bot.people.quotas import QuotaLimits
from bot.people.usage import Usage
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor
from tests.bot.telegram.stage import ask, stage, tell
from tests.fakes.botapi import BotApiServer

ANNA, BORIS, CLARA = 1001, 1002, 1003


def with_limits(limits: QuotaLimits) -> ChannelOptions:
    return ChannelOptions(stop_seconds=5, poll_seconds=5, quotas=limits)


async def owned_by_anna(folder: Path) -> Access:
    access = Access(AccessMode.PAIRING, path=folder / "access.json")
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    return access


def code_in(text: str) -> str:
    return text.split("/approve ")[1].split(",")[0].split()[0]


async def test_somebody_unknown_is_let_in_by_the_owner(tmp_path: Path) -> None:
    access = await owned_by_anna(tmp_path)
    async with BotApiServer() as server, stage(server, tmp_path, access=access) as on:
        await ask(server, "Good morning", ANNA)
        told = await ask(server, "Hello", BORIS)
        assert "private bot" in told
        wish = (await server.replies_to(ANNA, 2))[1]
        assert f"id {BORIS}" in wish
        assert code_in(wish) == code_in(told)
        assert "/approve" in await ask(server, "/users", ANNA)
        assert f"id {BORIS}" in await ask(server, f"/approve {code_in(wish)}", ANNA)
        welcome = (await server.replies_to(BORIS, 2))[1]
        assert "given you access" in welcome
        assert "Hello again" in await ask(server, "Hello again", BORIS)
        removed = await ask(server, f"/users remove {BORIS}", ANNA)
        assert "no longer use me" in removed
        assert "private bot" in await ask(server, "And now?", BORIS)
        await server.user(BORIS).says("And now, perhaps?")
        await on.channel.settle()
        assert len(server.sent(BORIS)) == 4, "told no once an hour"
        known = await ask(server, "/users", ANNA)
        assert "Approved" not in known


async def test_owners_commands_are_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    access = Access(AccessMode.PAIRING, allowed=[BORIS], path=path, owners=[ANNA])
    async with BotApiServer() as server, stage(server, tmp_path, access=access):
        for command in ("/stats", "/users", "/approve AAAA-AAAA"):
            assert "I don't know" in await ask(server, command, BORIS)
        assert "/stats" not in await ask(server, "/help", BORIS)
        assert "/stats" in await ask(server, "/help", ANNA)
        assert str(BORIS) in await ask(server, "/users", ANNA)
        assert "I don't know the code" in await ask(server, "/approve AAAA-AAAA", ANNA)
        assert "the code I gave them" in await ask(server, "/approve", ANNA)
        unknown = await ask(server, "/users remove 1002", ANNA)
        assert unknown == ENGLISH.no_such_user.format(id=1002)
        assert await ask(server, "/users remove", ANNA) == ENGLISH.users_footer


async def test_stats_tell_what_was_used_and_what_waits(tmp_path: Path) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    async with BotApiServer() as server, stage(server, tmp_path, access=access) as on:
        used = Usage(runs=1, requests=1, input_tokens=900, output_tokens=100, cost=Decimal("0.25"))
        for person in (BORIS, CLARA):
            on.accounts.note_turn(Actor.person(person), f"s{person}", used)
        stats = await ask(server, "/stats", ANNA)
    assert "people today: 2" in stats
    assert "answers today: 2" in stats
    assert "tokens today: 2000" in stats
    assert "cost today: $0.5000\n• cost this month: $0.5000" in stats
    assert "recordings today: 0:00" in stats
    assert "UTC: 0" in stats


async def test_nobody_gets_in_by_what_an_owner_passes_on_or_says_elsewhere(tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, path=tmp_path / "access.json", owners=[ANNA])
    async with BotApiServer() as server, stage(server, tmp_path, access=access) as on:
        group, anna = server.group(-1000500), server.user(ANNA)
        await ask(server, "Hello", BORIS)
        order = f"/approve {BORIS}"
        await anna.forwards(order, of=server.user(BORIS))
        await anna.sends("photo", caption=order)
        await anna.edits(await anna.says("Hello"), order)
        for said in (order, f"{order}@mordecai_test_bot", "/users"):
            await anna.says(said, group=group)
        await server.wait_for(lambda: not server.world.waiting)
        await on.channel.settle()
        assert not await access.admits(BORIS)
        assert server.sent(group.id) == [], "nor does a group see who may use the bot"


async def test_too_many_messages_are_said_once_and_owners_are_free(tmp_path: Path) -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    options = with_limits(QuotaLimits(messages=2))
    async with (
        BotApiServer() as server,
        stage(server, tmp_path, access=access, options=options) as on,
    ):
        for text in ("one", "two"):
            assert text in await ask(server, text, BORIS)
        assert "Please wait" in await ask(server, "three", BORIS)
        await server.user(BORIS).says("four")
        assert "five" in await ask(server, "five", CLARA), "others go on"
        for text in ("a", "b", "c", "d"):
            assert text in await ask(server, text, ANNA)
        await on.channel.settle()
        assert len(server.sent(BORIS)) == 3
        assert "what I remember" in await ask(server, "/help", BORIS), "commands go on as well"


async def test_a_change_that_begins_a_reply_again_counts_as_a_message(tmp_path: Path) -> None:
    options = with_limits(QuotaLimits(messages=2))
    async with BotApiServer() as server, stage(server, tmp_path, options=options) as on:
        releases = [on.echo.hold(text) for text in ("one", "two", "three")]
        message = await server.user(BORIS).says("one")
        await server.wait_for(lambda: on.echo.running)
        await server.user(BORIS).edits(message, "one")
        await server.user(BORIS).edits(message, "two")
        await server.wait_for(lambda: on.echo.heard[-1].text == "two")
        await server.user(BORIS).edits(message, "three")
        await ask(server, "hi", CLARA)
        for release in releases:
            release.set()
        replies = await server.replies_to(BORIS, 2)
        assert replies[0] == "you said: two", "as it reads now, but for what is too much"
        assert "Please wait" in replies[1]
        assert [inbound.text for inbound in on.echo.heard] == ["one", "two", "hi"]


async def test_a_day_s_tokens_and_money_come_to_an_end(tmp_path: Path) -> None:
    used = Usage(runs=1, requests=1, input_tokens=900, output_tokens=100, cost=Decimal("0.25"))
    daily = (QuotaLimits(tokens=1000), QuotaLimits(cost=Decimal("0.2")))
    for number, limits in enumerate(daily):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with (
            BotApiServer() as server,
            stage(server, folder, options=with_limits(limits)) as on,
        ):
            assert "Hello" in await ask(server, "Hello", BORIS)
            await tell(on, "I live in Bergen.", BORIS)
            on.accounts.note_turn(Actor.person(BORIS), "s1", used)
            assert "from midnight UTC" in await ask(server, "Hello?", BORIS)
            assert "Hi" in await ask(server, "Hi", CLARA)


async def test_a_day_s_limit_is_a_person_s_also_where_they_ask_in_groups(tmp_path: Path) -> None:
    used = Usage(runs=1, requests=1, cost=Decimal("0.02"))
    options = with_limits(QuotaLimits(cost=Decimal("0.01")))
    async with BotApiServer() as server, stage(server, tmp_path, options=options) as on:
        first, second = server.group(-501), server.group(-502)
        on.accounts.note_turn(Actor.group(first.id), "s1", used, BORIS)
        await server.user(BORIS).says("/ask Hello?", group=second)
        assert await server.replies_to(second.id, 1) == [ENGLISH.limit_day]
        await server.user(CLARA).says("/ask Hello?", group=first)
        assert "Hello?" in (await server.replies_to(first.id, 1))[0], "others go on"


async def test_what_somebody_asks_in_a_group_is_counted_as_theirs(tmp_path: Path) -> None:
    async with BotApiServer() as server, stage(server, tmp_path) as on:
        await server.user(BORIS).says("/ask Hello?", group=server.group(-501))
        await server.replies_to(-501, 1)
        [inbound] = on.echo.heard
        assert (inbound.actor, inbound.user_id) == (Actor.group(-501), BORIS)
