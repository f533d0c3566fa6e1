"""The bot's own commands in the terminal: buttons by their numbers, and answers by typing."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.assistant.events import Event, Reply, TextDelta
from bot.assistant.inbound import Message
from bot.texts import ENGLISH
from tests.bot.terminal.seat import script
from tests.fakes.conversing import Echo

DELETED = ENGLISH.forget_all_done


async def said_to(lines: list[str], folder: Path) -> list[str]:
    """What the terminal shows, line by line, when these are typed."""
    return (await script("".join(f"{line}\n" for line in lines).encode(), folder)).splitlines()


@pytest.mark.parametrize("answer", ["yes", "1"])
async def test_a_typed_yes_is_as_good_as_the_number_of_its_button(
    tmp_path: Path, answer: str
) -> None:
    shown = await said_to(["/remember I live in Oslo", "/forget all", answer, "yes"], tmp_path)
    assert shown[-2:] == [f"bot: {DELETED}", "bot: you said: yes"]


async def test_the_browser_is_used_by_numbers_and_words(tmp_path: Path) -> None:
    shown = await said_to(
        [
            "/remember I live in Oslo",
            "/memory",
            "1",
            "1",
            "1",
            "I live in Bergen",
            "/search Bergen",
        ],
        tmp_path,
    )
    assert "[1] 1. I live in Oslo" in shown
    assert "It now says: I live in Oslo" in shown
    assert "bot: Changed: I live in Oslo → I live in Bergen" in shown
    assert shown[-1].endswith("I live in Bergen  [f2]")


async def test_what_was_forgotten_by_its_id_comes_back_by_a_number(tmp_path: Path) -> None:
    shown = await said_to(["/remember I live in Oslo", "/forget f1", "1"], tmp_path)
    assert shown[3:] == [
        "bot: Deleted: I live in Oslo",
        "[1] Undo",
        "[2] ‹ Back",
        "bot: Restored: I live in Oslo",
        "[1] ‹ Back",
    ]


class Breaking(Echo):
    """Breaks off what it is asked, and goes on where it broke off."""

    async def reply(self, inbound: Message) -> AsyncGenerator[Event, None]:
        """See Conversing."""
        self.heard.append(inbound)
        if inbound.continues:
            yield Reply("the rest.", markdown=True)
            return
        yield TextDelta("The beginning and")
        raise ZeroDivisionError


async def test_an_answer_that_breaks_off_goes_on_by_a_number_and_is_asked_again_by_a_command(
    tmp_path: Path,
) -> None:
    talk = Breaking()
    shown = await script(b"Tell me\n1\n/retry\n", tmp_path, talk)
    broken = rf"bot: The beginning and\n{re.escape(ENGLISH.interrupted['other'])} \(error \w+\)"
    continues = rf"\n\[1\] {ENGLISH.button_continue}\n"
    assert re.fullmatch(f"{broken}{continues}bot: the rest.\n{broken}{continues}", shown)
    assert [inbound.text for inbound in talk.heard] == ["Tell me"] * 3
