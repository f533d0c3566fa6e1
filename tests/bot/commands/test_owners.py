"""/approve, /users and /stats, and how much one person may ask."""

from decimal import Decimal
from pathlib import Path

import pytest

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.people import QuotaLimits
from bot.people.usage import Usage
from memory.records import Actor
from tests.bot.commands.desk import ANNA, BORIS, CLARA, ENGLISH, GROUP, open_desk
from tests.fakes.temporary_store import TemporaryStore


async def owned_by_anna(folder: Path) -> Access:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(folder / "access.json"))
    await access.pair(ANNA, access.pairing_code or "", "Anna")
    return access


def code_in(text: str) -> str:
    return text.split("/approve ")[1].split(",")[0].split()[0]


_BORIS = ENGLISH.person.format(name="User 1002", id=BORIS)


# -- access ---------------------------------------------------------------------------------------


async def test_a_stranger_is_let_in_by_the_owner(tmp_path: Path) -> None:
    async with open_desk(access=await owned_by_anna(tmp_path)) as desk:
        await desk.ask("Good morning")
        told = await desk.ask("Hello", BORIS)
        code = code_in(told)
        assert told == ENGLISH.refused_code.format(code=code)
        await desk.settle()
        wish = desk.sent()[-1].text
        assert wish == ENGLISH.wants_in.format(person=_BORIS, code=code)
        assert f"/approve {code}" in await desk.ask("/users")
        approved = ENGLISH.approved.format(person=_BORIS)
        assert await desk.ask(f"/approve {code}") == approved
        assert desk.sent(BORIS)[-1].text == ENGLISH.approved_you
        assert await desk.ask("Hello again", BORIS) == "you said: Hello again"
        again = ENGLISH.in_already.format(person=_BORIS)
        assert await desk.ask(f"/approve {BORIS}") == again
        removed = ENGLISH.user_removed.format(person=_BORIS)
        assert await desk.ask(f"/users remove {BORIS}") == removed
        assert code_in(await desk.ask("And now?", BORIS))
        assert await desk.says("And now, perhaps?", BORIS) == [], "told no once an hour"
        assert ENGLISH.users_guests not in await desk.ask("/users")


async def test_of_many_requests_the_newest_are_listed(tmp_path: Path) -> None:
    access = await owned_by_anna(tmp_path)
    for stranger in range(2001, 2061):
        await access.ask(stranger, "")
    async with open_desk(access=access) as desk:
        listed = await desk.ask("/users")
    assert listed.count("/approve") == 50
    assert "2060" in listed
    assert "2010" not in listed
    assert listed.endswith(ENGLISH.memory_more.format(10))


async def test_an_owner_hears_that_a_guest_could_not_be_told(tmp_path: Path) -> None:
    async with open_desk(access=await owned_by_anna(tmp_path)) as desk:
        desk.channel.closed.add(BORIS)
        nameless = ENGLISH.person_unnamed.format(id=BORIS)
        untold = ENGLISH.approved_untold.format(person=nameless)
        assert await desk.ask(f"/approve {BORIS}") == untold


async def test_owners_commands_are_nobody_elses(tmp_path: Path) -> None:
    guests = FileGuestBook(tmp_path / "access.json")
    access = Access(AccessMode.PAIRING, allowed=[BORIS], guests=guests, owners=[ANNA])
    async with open_desk(access=access) as desk:
        for command in ("/stats", "/users", "/approve AAAA-AAAA"):
            name = command[1:].split()[0]
            told = ENGLISH.unknown_command.split("{")[0].format(given=name)
            assert (await desk.ask(command, BORIS)).startswith(told)
            assert await desk.says(command, group=GROUP) == [], "a group does not see them either"
        assert "/stats" not in await desk.ask("/help", BORIS)
        assert "/stats" in await desk.ask("/help")
        assert str(BORIS) in await desk.ask("/users")
        no_code = ENGLISH.no_such_code.format(code="AAAA-AAAA")
        assert await desk.ask("/approve AAAA-AAAA") == no_code
        assert await desk.ask("/approve @boris") == ENGLISH.approve_ids_only
        assert await desk.ask("/approve") == ENGLISH.approve_how
        assert await desk.ask("/users remove 1002") == ENGLISH.no_such_user.format(id=1002)
        assert await desk.ask("/users remove") == ENGLISH.users_footer


@pytest.mark.parametrize(
    ("mode", "told"),
    [(AccessMode.OPEN, ENGLISH.users_everybody), (AccessMode.ALLOWLIST, ENGLISH.approve_listed)],
)
async def test_where_nobody_is_approved_an_owner_hears_why(mode: AccessMode, told: str) -> None:
    async with open_desk(access=Access(mode, owners=[ANNA])) as desk:
        assert await desk.ask(f"/approve {BORIS}") == told


# -- /stats ---------------------------------------------------------------------------------------


async def test_stats_tell_what_was_used_and_what_waits() -> None:
    async with open_desk(access=Access(AccessMode.OPEN, owners=[ANNA])) as desk:
        used = Usage(runs=1, requests=1, input_tokens=900, output_tokens=100, cost=Decimal("0.25"))
        for person in (BORIS, CLARA):
            desk.accounts.note_turn(Actor.person(person), f"s{person}", used)
        health = desk.assistant.health
        health.errors += 3
        assert await desk.ask("/stats") == ENGLISH.stats.format(
            people=2,
            turns=2,
            tokens=2000,
            recordings="0:00",
            today=ENGLISH.usage_cost.format(amount="0.5000"),
            month=ENGLISH.usage_cost.format(amount="0.5000"),
            since=f"{health.since:%Y-%m-%d %H:%M}",
            errors=3,
            backlog=0,
            set_aside=0,
        )


class Refusing:
    """A service that has refused three messages."""

    async def refused(self) -> int:
        return 3

    async def waiting(self) -> int:
        return 0

    async def retry_refused(self) -> int:
        return 3


class RefusedStore(TemporaryStore):
    """A store on such a service."""

    sending = Refusing()


async def test_stats_tell_what_a_service_has_refused() -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    async with open_desk(access=access, store=RefusedStore()) as desk:
        told = await desk.ask("/stats")
        assert told.splitlines()[-1] == ENGLISH.stats_refused.format(count=3)


# -- limits ---------------------------------------------------------------------------------------


async def test_too_many_messages_are_said_once_and_owners_are_free() -> None:
    access = Access(AccessMode.OPEN, owners=[ANNA])
    async with open_desk(access=access, quotas=QuotaLimits(messages_per_minute=2)) as desk:
        for text in ("one", "two"):
            assert await desk.ask(text, BORIS) == f"you said: {text}"
        refused = await desk.ask("three", BORIS)
        assert refused in {ENGLISH.limit_minute.format(seconds) for seconds in range(55, 61)}
        assert await desk.says("four", BORIS) == []
        assert await desk.ask("five", CLARA) == "you said: five", "others go on"
        for text in ("a", "b", "c", "d"):
            assert await desk.ask(text) == f"you said: {text}"
        assert "/memory" in await desk.ask("/help", BORIS), "commands go on as well"


@pytest.mark.parametrize(
    "limits", [QuotaLimits(tokens_per_day=1000), QuotaLimits(cost_per_day=Decimal("0.2"))]
)
async def test_a_days_tokens_and_money_come_to_an_end(limits: QuotaLimits) -> None:
    used = Usage(runs=1, requests=1, input_tokens=900, output_tokens=100, cost=Decimal("0.25"))
    async with open_desk(quotas=limits) as desk:
        assert await desk.ask("Hello", BORIS) == "you said: Hello"
        desk.accounts.note_turn(Actor.person(BORIS), "s1", used)
        assert await desk.ask("Hello?", BORIS) == ENGLISH.limit_day
        assert await desk.ask("Hi", CLARA) == "you said: Hi"


async def test_a_days_limit_is_a_persons_also_where_they_ask_in_groups() -> None:
    used = Usage(runs=1, requests=1, cost=Decimal("0.02"))
    async with open_desk(quotas=QuotaLimits(cost_per_day=Decimal("0.01"))) as desk:
        desk.accounts.note_turn(Actor.group(-501), "s1", used, BORIS)
        assert await desk.ask("Hello?", BORIS, group=-502) == ENGLISH.limit_day
        assert await desk.ask("Hello?", CLARA, group=-501) == "you said: Hello?", "others go on"
