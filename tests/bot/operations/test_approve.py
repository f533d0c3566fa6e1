"""Letting somebody in from the command line, while the bot runs or not."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import OperatorError
from bot.operations.approve import approve_guest
from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.guest_tables import PEOPLE_LAYOUT, open_guest_book
from bot.settings import Settings
from tests.fakes.postgres import postgres_server, server_url


async def test_the_operator_approves_whoever_has_the_code(tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"))
    await access.pair(1001, access.pairing_code or "", "Anna")
    asked = await access.ask(7, "Boris")
    assert asked
    settings = Settings(data_dir=tmp_path)
    assert (await approve_guest(settings, asked[0].code)).startswith(
        "Boris (id 7) can use the bot now."
    )
    assert await access.admits(7)
    with pytest.raises(OperatorError, match="expired"):
        await approve_guest(settings, asked[0].code)


async def test_the_operator_approves_by_numeric_id_before_anybody_has_written(
    tmp_path: Path,
) -> None:
    settings = Settings(data_dir=tmp_path, owners=(5,), allowed_users=(6,))
    assert (await approve_guest(settings, "7")).startswith(
        "The person with id 7 can use the bot now."
    )
    assert await approve_guest(settings, "7") == "The person with id 7 already has access."
    assert await approve_guest(settings, "5") == "The person with id 5 already has access."
    assert await approve_guest(settings, "6") == "The person with id 6 already has access."
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"), owners=[5])
    assert await access.admits(7)
    assert not access.owns(7)
    for name in ("@boris", "-7", "0"):
        with pytest.raises(OperatorError, match="numeric id"):
            await approve_guest(settings, name)


async def test_the_guest_book_stays_the_bot_s_own(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, owners=(5,))
    await approve_guest(settings, "7")
    with pytest.raises(OperatorError, match="belongs to another user"):
        await approve_guest(settings, "8", uid=os.geteuid() + 1)


async def test_where_nobody_can_be_approved_the_operator_hears_why(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="gave nobody the code"):
        await approve_guest(Settings(data_dir=tmp_path), "ABCD-EFGH")
    with pytest.raises(OperatorError, match="no such directory"):
        await approve_guest(Settings(data_dir=tmp_path / "elsewhere"), "7")
    with pytest.raises(OperatorError, match="allowed_users"):
        await approve_guest(Settings(data_dir=tmp_path, access="open"), "ABCD-EFGH")
    (tmp_path / "access.json").write_text("{}")
    with pytest.raises(OperatorError, match="owner"):
        await approve_guest(Settings(data_dir=tmp_path), "ABCD-EFGH")


async def test_where_workers_share_a_database_an_approval_is_written_there(tmp_path: Path) -> None:
    with postgres_server("mordecai") as server:
        settings = Settings(data_dir=tmp_path, owners=(5,), database_url=SecretStr(server_url()))
        guests = await open_guest_book(server.open(PEOPLE_LAYOUT))
        access = Access(AccessMode.PAIRING, guests=guests, owners=[5])
        code = guests.code
        said = await approve_guest(settings, "7")
        assert said.startswith("The person with id 7 can use the bot now.")
        assert await access.admits(7)
        assert (await access.take_guests_to_welcome(), guests.code) == ((7,), code)
        with pytest.raises(OperatorError, match="this database gave nobody"):
            await approve_guest(settings, "ABCD-EFGH")
    assert list(tmp_path.iterdir()) == []
