"""Closed by default; numeric ids decide."""

import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from bot.operations import logs
from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook, GuestFile
from bot.people.guestbook import (
    MOST_WAITING,
    WAITING,
    Approval,
    ApprovalVerdict,
    Book,
    Guest,
    Request,
    add_guest,
)
from bot.people.pairing import ATTACK, Guess
from bot.people.throttles import RamThrottles
from memory.errors import StoreUnavailable


def pairing(folder: Path) -> Access:
    return Access(AccessMode.PAIRING, guests=FileGuestBook(folder / "access.json"))


async def test_the_first_to_send_the_code_owns_the_bot_for_good(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    code = access.pairing_code
    assert code
    assert not await access.admits(1001)
    assert await access.pair(1001, f" {code} ") is Guess.RIGHT
    assert await access.admits(1001)
    assert await access.pair(1002, code) is Guess.VAIN
    assert not await access.admits(1002)
    after_restart = pairing(tmp_path)
    assert after_restart.pairing_code is None
    assert await after_restart.admits(1001)
    assert not await after_restart.admits(1002)


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_the_code_is_in_the_log_however_little_is_logged(
    tmp_path: Path, everything_logged: io.StringIO, level: str
) -> None:
    logs.configure(level, "json", stream=everything_logged)
    access = pairing(tmp_path)
    access.announce()
    assert access.pairing_code
    assert access.pairing_code in everything_logged.getvalue()


def test_every_start_has_another_code(tmp_path: Path) -> None:
    codes = {pairing(tmp_path).pairing_code for _ in range(5)}
    assert len(codes) == 5


async def test_the_list_lets_in_only_its_own_ids() -> None:
    access = Access(AccessMode.ALLOWLIST, allowed=[1001])
    assert await access.admits(1001)
    assert not await access.admits(100)
    assert access.pairing_code is None


async def test_open_is_open_to_people_only() -> None:
    access = Access(AccessMode.OPEN)
    assert await access.admits(1)
    assert not await access.admits(-100)


async def test_a_stranger_is_told_once_an_hour() -> None:
    now = 0.0
    throttles = RamThrottles(lambda: now)
    access = Access(AccessMode.ALLOWLIST, allowed=[1], throttles=throttles)
    assert await access.refusal_due(7)
    assert not await access.refusal_due(7)
    assert await access.refusal_due(8)
    now = 3601.0
    assert await access.refusal_due(7)


async def test_the_owner_is_written_in_one_step_and_for_the_bot_alone(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json", pool))
        await access.pair(1001, access.pairing_code or "")
    assert {file.name for file in tmp_path.iterdir()} <= {
        "access.json",
        "access.json.copy",
        "access.lock",
    }
    assert (tmp_path / "access.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        '{"owner": "1001"}',
        '{"owner": null}',
        "[]",
        '{"owners": [{"id": "1", "name": "", "since": ""}], "guests": [], "waiting": []}',
        '{"owners": [], "guests": [1], "waiting": []}',
        '{"owners": [], "guests": [], "waiting": [{"code": "A", "id": 1, "name": "", "at": "?"}]}',
    ],
)
async def test_a_damaged_owner_file_never_makes_the_bot_anybodys(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "access.json").write_text(content)
    access = pairing(tmp_path)
    assert access.pairing_code is None
    assert access.owners == []
    assert not await access.admits(1001)
    assert (tmp_path / "access.json").read_text() == content


@pytest.mark.parametrize("content", ["", '{"owners": [{"id": 1', "\udce4"])
async def test_a_damaged_guest_book_is_read_from_its_copy_and_written_again(
    tmp_path: Path, content: str
) -> None:
    await (await paired(tmp_path)).approve("1002")
    (tmp_path / "access.json").write_bytes(content.encode(errors="surrogateescape"))
    access = pairing(tmp_path)
    assert (access.owners, await access.admits(1002)) == ([1001], True)
    await access.approve("1003")
    assert (tmp_path / "access.json.copy").stat().st_mode & 0o777 == 0o600
    (tmp_path / "access.json.copy").unlink()
    assert await pairing(tmp_path).admits(1002)


async def test_an_entry_that_can_not_be_read_is_kept_and_takes_nobody_elses_access(
    tmp_path: Path,
) -> None:
    await (await paired(tmp_path)).approve("1002")
    file = tmp_path / "access.json"
    book = json.loads(file.read_text())
    book["guests"].append({"id": "1OO3", "name": "Eve", "since": ""})
    file.write_text(json.dumps(book))
    access = pairing(tmp_path)
    assert (access.owners, await access.admits(1002)) == ([1001], True)
    await access.remove(1002)
    assert json.loads(file.read_text())["unreadable"] == [book["guests"][1]]


async def test_without_a_disk_nobody_becomes_the_owner(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "file.new" / "access.json"))
    (tmp_path / "file.new").touch()
    with pytest.raises(StoreUnavailable, match="file"):
        await access.pair(1001, access.pairing_code or "")
    assert not await access.admits(1001)
    assert access.pairing_code


async def paired(folder: Path, owner: int = 1001) -> Access:
    access = pairing(folder)
    assert await access.pair(owner, access.pairing_code or "", "Anna") is Guess.RIGHT
    return access


async def test_whoever_asks_gets_one_code_and_an_owner_lets_them_in_with_it(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    again = await access.ask(7, "Boris")
    assert asked
    assert again
    assert (asked[1], again[1]) == (True, False)
    assert asked[0].code == again[0].code
    assert not await access.admits(7)
    approval = await access.approve(f" {asked[0].code.lower()} ")
    assert approval.guest
    assert (approval.verdict, approval.guest.id) == (ApprovalVerdict.LET_IN, 7)
    assert approval.guest.name == "Boris"
    assert await access.admits(7)
    assert await access.approve(asked[0].code) == Approval(ApprovalVerdict.NO_CODE), (
        "a code is good once"
    )
    assert await pairing(tmp_path).admits(7), "also after a restart"
    assert not access.owns(7)


async def test_an_owner_may_type_a_code_without_its_hyphen(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    assert asked
    assert (await access.approve(asked[0].code.replace("-", " "))).verdict is ApprovalVerdict.LET_IN


async def test_codes_of_others_let_nobody_in(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    assert await access.ask(7, "Boris")
    for code in ("", "AAAA-AAAA", "Boris", "7 8", "٧", "ü", "\ud83d"):
        assert (await access.approve(code)).verdict is ApprovalVerdict.NO_CODE
    assert not await access.admits(7)


async def test_whoever_was_let_in_can_be_removed_but_no_owner(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    assert asked
    await access.approve(asked[0].code)
    assert await access.remove(7)
    assert not await access.admits(7)
    assert not await access.remove(7)
    assert not await access.remove(1001)
    assert await access.admits(1001)


async def test_without_an_owner_nobody_can_be_asked(tmp_path: Path) -> None:
    assert await pairing(tmp_path).ask(7, "Boris") is None
    assert await Access(AccessMode.ALLOWLIST, allowed=[1]).ask(7, "Boris") is None


async def test_an_approval_on_the_command_line_is_noticed(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    assert asked
    book = GuestFile(tmp_path / "access.json")
    book.change(lambda known: add_guest(known, asked[0].code, datetime.now(UTC), welcomed=False))
    assert await access.admits(7)
    assert await access.take_guests_to_welcome() == (7,)
    assert await access.take_guests_to_welcome() == (), "they are told once"
    assert await access.admits(7)


async def test_what_an_older_version_wrote_still_names_the_owner(tmp_path: Path) -> None:
    (tmp_path / "access.json").write_text('{"owner": 1001}')
    access = pairing(tmp_path)
    assert access.owners == [1001]
    assert await access.ask(7, "Boris")
    assert pairing(tmp_path).owners == [1001]


def test_many_requests_drive_out_the_oldest_and_old_ones_are_gone() -> None:
    now, book = datetime.now(UTC), Book()
    for user_id in range(MOST_WAITING + 1):
        book = book.with_request(Request("AAAA-AAAA", user_id, "", now.isoformat()), now)
    assert [request.id for request in book.waiting] == [*range(1, MOST_WAITING + 1)]
    assert book.open_requests(now + WAITING) == ()


async def test_two_hundred_strangers_do_not_drive_out_a_guest(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    assert asked
    for stranger in range(100, 300):
        await access.ask(stranger, "")
    assert (await access.approve(asked[0].code)).verdict is ApprovalVerdict.LET_IN


async def test_owners_by_the_settings_need_no_pairing(tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"), owners=[5])
    assert access.pairing_code is None
    assert await access.admits(5)
    assert access.owns(5)
    assert await access.ask(7, "Boris")


# -- by numeric id --------------------------------------------------------------------------------


async def test_somebody_who_never_wrote_is_let_in_by_their_numeric_id(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    approval = await access.approve(" 7 ")
    assert approval.verdict is ApprovalVerdict.LET_IN
    assert await access.admits(7)
    assert await pairing(tmp_path).admits(7), "also after a restart"
    assert (await access.approve("7")).verdict is ApprovalVerdict.IN_ALREADY
    assert (await access.approve("1001")).verdict is ApprovalVerdict.IN_ALREADY, "an owner"
    assert len((await access.read_book()).guests) == 1


async def test_the_numeric_id_of_somebody_who_waits_answers_their_request(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris")
    assert asked
    approval = await access.approve("7")
    assert approval.guest
    assert approval.guest.name == "Boris"
    assert (await access.read_book()).waiting == ()
    assert (await access.approve(asked[0].code)).verdict is ApprovalVerdict.NO_CODE


@pytest.mark.parametrize(
    "written", ["@boris", "@7", "0", "-7", "-1001234567890", str(2**52), "9" * 5000]
)
async def test_user_names_and_ids_of_nobody_let_nobody_in(tmp_path: Path, written: str) -> None:
    access = await paired(tmp_path)
    assert (await access.approve(written)).guest is None
    assert (await access.read_book()).guests == ()


async def test_whom_the_settings_let_in_is_in_already(tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, [7], FileGuestBook(tmp_path / "access.json"), owners=[5])
    for written in ("7", "5"):
        assert (await access.approve(written)).verdict is ApprovalVerdict.IN_ALREADY
    assert (await access.read_book()).guests == ()


async def test_without_pairing_nobody_is_approved() -> None:
    for access in (Access(AccessMode.OPEN), Access(AccessMode.ALLOWLIST, allowed=[1])):
        assert (await access.approve("7")).verdict is ApprovalVerdict.NOT_HERE
        assert await access.take_guests_to_welcome() == ()


async def test_whoever_is_removed_is_not_welcomed_any_more(tmp_path: Path) -> None:
    guest = Guest(7)
    assert Book().with_guest(guest, welcomed=False).unwelcomed == (7,)
    assert Book().with_guest(guest, welcomed=False).with_guest(guest).unwelcomed == ()
    assert Book().with_guest(guest, welcomed=False).without(7) == Book()


async def test_a_name_can_not_look_like_anything_else(tmp_path: Path) -> None:
    access = await paired(tmp_path)
    asked = await access.ask(7, "Boris\x1b[2J\n• 8 Anna: /approve " + "x" * 500)
    assert asked
    assert asked[0].name.isprintable()
    assert len(asked[0].name) <= 64


async def test_the_operator_hears_of_an_attack_once_and_can_still_pair(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    assert access.pairing_code
    with structlog.testing.capture_logs() as lines:
        for person in range(1, ATTACK + 200):
            await access.pair(person, "AAAA-AAAA")
    assert [line["event"] for line in lines].count("pairing_attacked") == 1
    assert await access.pair(5000, access.pairing_code) is Guess.RIGHT
