"""Whatever mix of faults and restarts: every reply arrives, and an answer once unmarked."""

import random
from collections import Counter
from pathlib import Path

import pytest

from bot.texts import ENGLISH
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import options
from tests.fakes.botapi import BotApiServer, Fault
from tests.fakes.conversing import Echo

GROUP, PEOPLE = -1000500, (1001, 1002, 1003)
AGAIN = ENGLISH.sent_again
SENDING = ("sendMessage", "editMessageText", "sendDocument")
KINDS = (
    Fault("*", status=500),
    Fault("*", status=502, page="<html></html>"),
    Fault("*", drop="before"),
    Fault("*", drop="after"),
    Fault("*", retry_after=1),
    Fault("*", late=0.3),
)


def bad_luck(server: BotApiServer, seed: int) -> None:
    """Let four of ten requests that send something go wrong."""
    dice = random.Random(seed)

    def luck(method: str) -> Fault | None:
        unlucky = method in SENDING and dice.random() < 0.4
        return dice.choice(KINDS) if unlucky else None

    server.luck = luck


def answer(text: str) -> str:
    """Each third answer has several parts."""
    parts = 3 if text.endswith("3") else 1
    return "\n\n".join(f"{'word ' * 800 if parts > 1 else ''}<{text}/{n}>" for n in range(parts))


@pytest.mark.parametrize("seed", range(6))
async def test_every_reply_arrives_and_every_answer_once_unmarked(
    server: BotApiServer, tmp_path: Path, seed: int
) -> None:
    bad_luck(server, seed)
    group, said = server.group(GROUP), [f"q{number}" for number in range(1, 5)]
    for life in range(3):
        # The first two lives end in the middle of it.
        hasty = {"stop_seconds": 0.05} if life < 2 else {"stop_seconds": 100_000}
        echo = Echo(lambda inbound: "\n\n".join(map(answer, inbound.text.split("\n"))))
        async with stage(server, tmp_path, conversation=echo, options=options(**hasty)) as on:
            await server.wait_for(lambda: on.channel.listening)
            for person in PEOPLE:
                await server.user(person).says(f"{said[life]}")
                await server.user(person).says("/help")
            await server.user(PEOPLE[0]).says(f"/ask {said[life]}", group=group)
            await server.wait_for(lambda: server.world.waiting == 0)
            if life == 2:
                await on.channel.settle()
    for chat in (*PEOPLE, GROUP):
        parts, unmarked, helped = Counter[str](), Counter[str](), 0
        for message in server.sent(chat):
            text = message["text"]
            helped += text.startswith(ENGLISH.help.partition("\n")[0][:10])
            for question in said[:3]:
                for number in range(3 if question.endswith("3") else 1):
                    part = f"<{question}/{number}>"
                    parts[part] += part in text
                    unmarked[part] += part in text and AGAIN not in text
        assert all(count >= 1 for count in parts.values()), parts
        assert all(count <= 1 for count in unmarked.values()), unmarked
        assert helped >= (3 if chat > 0 else 0)
