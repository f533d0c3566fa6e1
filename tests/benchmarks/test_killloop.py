"""The verdict of the kill loop sees what people see. Ten kills are in tests/e2e/test_killed.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.telegram.formatting.rendering import CURSOR
from bot.texts import ENGLISH
from tests.benchmarks.killloop.crowd import Crowd, Someone
from tests.benchmarks.killloop.lives import Life
from tests.benchmarks.killloop.verdict import Verdict
from tests.fakes.botapi import BotApiServer, Call
from tests.fakes.temporary_store import TemporaryStore


async def _verdict_on(crowd: Crowd, *lives: Life) -> Verdict:
    verdict = Verdict(crowd.server, crowd, lives or [Life(1, 0.0, 0)])
    await verdict.reach(TemporaryStore())
    return verdict


def _reply(crowd: Crowd, someone: Someone, text: str) -> None:
    world = crowd.server.world
    world.message(world.chats[someone.chat], world.bot, text=text)


async def test_lost_double_late_half_and_stray_replies_are_counted() -> None:
    crowd = Crowd(BotApiServer(), 1, lambda: None)
    crowd.gather(people=2, groups=0)
    anna, boris = crowd.everybody
    first, second, third, lost = [await anna.says() for _ in range(4)]
    other = await boris.says()
    _reply(crowd, anna, f"Heard {second}. Over.")
    _reply(crowd, anna, f"Heard {first} {third}. Over.")
    _reply(crowd, anna, f"Heard {third}. Over.")
    _reply(crowd, anna, f"Heard {lost}. it is {CURSOR}")
    _reply(crowd, boris, f"Heard {other} {first}. Over.")
    verdict = await _verdict_on(crowd)
    assert verdict.result.messages == 5
    assert verdict.result.broken == {
        "lost": 1,
        "answered_twice": 1,
        "out_of_order": 1,
        "in_another_chat": 1,
        "half_previews": 1,
    }


async def test_a_repetition_that_says_so_is_counted_apart() -> None:
    crowd = Crowd(BotApiServer(), 1, lambda: None)
    crowd.gather(people=1, groups=0)
    [anna] = crowd.everybody
    first, second = await anna.says(), await anna.says()
    _reply(crowd, anna, f"Heard {first}. Over.")
    _reply(crowd, anna, f"{ENGLISH.sent_again}\nHeard {first}. Over.")
    _reply(crowd, anna, f"{ENGLISH.sent_again}\nHeard {second}. Over.")
    verdict = await _verdict_on(crowd)
    assert verdict.result.sent_again_with_a_note == 2
    assert not verdict.result.broken


async def test_a_damaged_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "inbox.sqlite").write_bytes(b"nonsense" * 1000)
    (tmp_path / "journal.sqlite.damaged-1").touch()
    verdict = await _verdict_on(Crowd(BotApiServer(), 1, lambda: None))
    verdict.judge_files(tmp_path)
    assert verdict.result.broken == {"files_damaged": 2}


_SENT = 100.0
_W1, _W2 = Life(1, 0.0, 0, "w1"), Life(2, 0.0, 0, "w2")


@pytest.mark.parametrize(
    ("lives", "is_gap"),
    [
        ((_W1, _W2), False),
        ((replace(_W1, blows=[_SENT + 0.1]), _W2), True),
        ((_W1, replace(_W2, blows=[_SENT + 0.1])), False),
        ((replace(_W1, blows=[_SENT + 3]), _W2), False),
        ((_W1, replace(_W2, blows=[_SENT - 30], woke=[_SENT + 9.9])), True),
        ((replace(_W1, woke=[_SENT + 9.9]), _W2), False),
    ],
)
async def test_of_two_bots_the_one_that_sent_must_have_been_hit(
    lives: tuple[Life, ...], is_gap: bool
) -> None:
    crowd = Crowd(BotApiServer(), 1, lambda: None)
    crowd.gather(people=1, groups=0)
    [anna] = crowd.everybody
    answer = f"Heard {await anna.says()}. Over."
    for at, by in ((_SENT, "w1"), (_SENT + 10, "w2")):
        _reply(crowd, anna, answer)
        call = Call("sendMessage", {"chat_id": anna.chat, "text": answer}, at, 200, True, by=by)
        crowd.server.calls.append(call)
    result = (await _verdict_on(crowd, *lives)).result
    assert (result.answered_twice_in_the_gap, result.answered_twice) == (is_gap, not is_gap)
