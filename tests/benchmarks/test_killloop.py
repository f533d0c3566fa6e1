"""The verdict of the kill loop sees what people see. Ten kills are in tests/e2e/test_killed.py."""

from pathlib import Path

from bot.telegram.formatting.rendering import CURSOR
from bot.texts import ENGLISH
from tests.benchmarks.killloop.crowd import Crowd, Someone
from tests.benchmarks.killloop.lives import Life, Lives
from tests.benchmarks.killloop.verdict import Verdict
from tests.fakes.botapi import BotApiServer


def _verdict_on(crowd: Crowd, data: Path) -> Verdict:
    lives = Lives(crowd.server, data, {"MORDECAI_DATA_DIR": str(data)})
    lives.all += [Life(1, 0.0, 0), Life(2, 0.0, 0)]
    return Verdict(crowd.server, crowd, lives)


def _reply(crowd: Crowd, someone: Someone, text: str) -> None:
    world = crowd.server.world
    world.message(world.chats[someone.chat], world.bot, text=text)


async def test_lost_double_late_half_and_stray_replies_are_counted(tmp_path: Path) -> None:
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
    verdict = _verdict_on(crowd, tmp_path)
    await verdict.reach()
    assert verdict.result.messages == 5
    assert verdict.result.broken == {
        "lost": 1,
        "answered_twice": 1,
        "out_of_order": 1,
        "in_another_chat": 1,
        "half_previews": 1,
    }


async def test_a_repetition_that_says_so_is_counted_apart(tmp_path: Path) -> None:
    crowd = Crowd(BotApiServer(), 1, lambda: None)
    crowd.gather(people=1, groups=0)
    [anna] = crowd.everybody
    first, second = await anna.says(), await anna.says()
    _reply(crowd, anna, f"Heard {first}. Over.")
    _reply(crowd, anna, f"{ENGLISH.sent_again}\nHeard {first}. Over.")
    _reply(crowd, anna, f"{ENGLISH.sent_again}\nHeard {second}. Over.")
    verdict = _verdict_on(crowd, tmp_path)
    await verdict.reach()
    assert verdict.result.sent_again_with_a_note == 2
    assert not verdict.result.broken


async def test_a_damaged_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "inbox.sqlite").write_bytes(b"nonsense" * 1000)
    (tmp_path / "journal.sqlite.damaged-1").touch()
    verdict = _verdict_on(Crowd(BotApiServer(), 1, lambda: None), tmp_path)
    await verdict.reach()
    assert verdict.result.broken == {"files_damaged": 2}
