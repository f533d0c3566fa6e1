"""Closed by default; numeric ids decide."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.telegram import Access, AccessMode, UnreadableOwner


def pairing(folder: Path, monotonic: float = 0.0) -> Access:
    return Access(AccessMode.PAIRING, path=folder / "access.json")


async def test_the_first_to_send_the_code_owns_the_bot_for_good(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    code = access.pairing_code
    assert code
    assert not access.admits(1001)
    assert await access.pair(1001, f" {code} ")
    assert access.admits(1001)
    assert not await access.pair(1002, code)
    assert not access.admits(1002)
    after_restart = pairing(tmp_path)
    assert after_restart.pairing_code is None
    assert after_restart.admits(1001)
    assert not after_restart.admits(1002)


async def test_the_code_comes_by_a_start_link_too(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    assert await access.pair(1001, f"/start {access.pairing_code}")


async def test_guessing_ends_after_a_few_codes(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    code = access.pairing_code or ""
    for guess in range(5):
        assert not await access.pair(666, f"AAAA-AAA{guess}")
    assert not await access.pair(666, code), "the right code comes too late"
    assert await access.pair(1001, code), "the owner is not locked out by somebody else"


async def test_ordinary_talk_is_no_guess(tmp_path: Path) -> None:
    access = pairing(tmp_path)
    for _ in range(20):
        assert not await access.pair(1001, "hello, is anybody there?")
    assert await access.pair(1001, access.pairing_code or "")


def test_every_start_has_another_code(tmp_path: Path) -> None:
    codes = {pairing(tmp_path).pairing_code for _ in range(5)}
    assert len(codes) == 5


def test_the_list_lets_in_only_its_own_ids() -> None:
    access = Access(AccessMode.ALLOWLIST, allowed=[1001])
    assert access.admits(1001)
    assert not access.admits(100)
    assert access.pairing_code is None


def test_open_is_open_to_people_only() -> None:
    access = Access(AccessMode.OPEN)
    assert access.admits(1)
    assert not access.admits(-100)


def test_a_stranger_is_told_once_an_hour() -> None:
    now = 0.0
    access = Access(AccessMode.ALLOWLIST, allowed=[1], monotonic=lambda: now)
    assert access.refusal_due(7)
    assert not access.refusal_due(7)
    assert access.refusal_due(8)
    now = 3601.0
    assert access.refusal_due(7)


async def test_the_owner_is_written_in_one_step_and_for_the_bot_alone(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        access = Access(AccessMode.PAIRING, path=tmp_path / "access.json", pool=pool)
        await access.pair(1001, access.pairing_code or "")
    assert [file.name for file in tmp_path.iterdir()] == ["access.json"]
    assert (tmp_path / "access.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "{}", '{"owner": "1001"}', '{"owner": null}', "[]"])
def test_a_damaged_owner_file_never_makes_the_bot_anybodys(tmp_path: Path, content: str) -> None:
    (tmp_path / "access.json").write_text(content)
    with pytest.raises(UnreadableOwner, match="owner"):
        pairing(tmp_path)


async def test_without_a_disk_nobody_becomes_the_owner(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    access = Access(AccessMode.PAIRING, path=tmp_path / "file.new" / "access.json")
    (tmp_path / "file.new").touch()
    with pytest.raises(OSError, match="file"):
        await access.pair(1001, access.pairing_code or "")
    assert not access.admits(1001)
    assert access.pairing_code
