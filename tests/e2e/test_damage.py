"""A bot with damaged files starts, answers everybody, and tells who lost something, once."""

import os
import random
from pathlib import Path

import pytest

from tests.e2e.command import chat

_LOST = "could not be read"


async def _talk(data: Path) -> None:
    for user in (1001, 1002):
        await chat(
            data,
            *(f"/remember I have {n} dogs" for n in range(15)),
            "The blue key opens the shed.",
            user=user,
        )


def _damage(file: Path, dice: random.Random) -> None:
    content = bytearray(file.read_bytes())
    start = dice.randrange(len(content))
    match dice.randrange(3):
        case 0:
            file.write_bytes(content[:start])
        case 1:
            content[start : start + 3_000] = os.urandom(len(content[start : start + 3_000]))
            file.write_bytes(content)
        case _:
            file.write_bytes(b"")


async def test_who_lost_memories_is_told_once_with_the_next_answer(tmp_path: Path) -> None:
    await _talk(tmp_path)
    file = tmp_path / "memory" / "u1001.sqlite"
    file.write_bytes(b"")
    first, second = (await chat(tmp_path, "Good morning!", "Good evening!")).replies
    assert _LOST in first
    assert _LOST not in second
    assert _LOST not in (await chat(tmp_path, "/memory")).out
    assert _LOST not in (await chat(tmp_path, "/memory", user=1002)).out


@pytest.mark.parametrize(
    ("seed", "name"),
    list(enumerate(["memory/u1001.sqlite", "journal.sqlite", "inbox.sqlite", "usage.sqlite"])),
)
async def test_a_bot_with_a_damaged_file_answers_everybody(
    tmp_path: Path, seed: int, name: str
) -> None:
    await _talk(tmp_path)
    _damage(tmp_path / name, random.Random(seed))
    for user in (1001, 1002):
        ran = await chat(tmp_path, "/memory", "/remember I have a cat", "/search cat", user=user)
        assert (ran.code, len(ran.replies)) == (0, 3), ran.err
        assert "I have a cat" in ran.replies[2]
        if user == 1002 or name != "memory/u1001.sqlite":
            assert "I have 7 dogs" in ran.out
