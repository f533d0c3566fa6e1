"""/export: one file for programs and one for people, each only if Telegram takes it."""

import json
from pathlib import Path

from bot.commands.exports import Exports
from bot.people.privacy import Privacy
from bot.telegram.intake.reading import Origin
from bot.telegram.voice import Voice
from bot.texts import texts_in
from memory.records import Actor, Place
from tests.bot.telegram.stage import Stage, ask, stage, tell
from tests.fakes.botapi import BotApiServer

ANN = Actor.person(1001)


def files(server: BotApiServer) -> dict[str, str]:
    """The files that the bot has sent, by the ends of their names."""
    sent = [m["document"] for m in server.sent(1001) if "document" in m]
    return {
        f["file_name"].rpartition(".")[2]: server.world.files[f["file_id"]][1].decode()
        for f in sent
    }


async def test_both_hold_what_was_kept_and_said(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ANN, "I work at Acme Corp, Zürich 🏔")
        await tell(on, "Is *this* kept?")
        assert await ask(server, "/export") == "Everything I have saved about you."
        await server.replies_to(1001, 2)
        sent = files(server)
        assert list(sent) == ["json", "md"]
        assert [f["text"] for f in json.loads(sent["json"])["facts"]] == [
            "I work at Acme Corp, Zürich 🏔"
        ]
        assert "- I work at Acme Corp, Zürich 🏔 (noted" in sent["md"]
        assert "> Is \\*this\\* kept?" in sent["md"]


async def exported(on: Stage, largest: int) -> None:
    parts = on.channel._parts
    voice = Voice(parts.sender, parts.personal, Privacy(on.memory, on.inbox).marks)
    exports = Exports(on.memory, on.accounts, voice, largest)
    await exports.send(Origin(Place("telegram", 1001), ANN, 1001), texts_in("en"))


async def test_of_one_that_is_too_big_it_is_said(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        for number in range(20):
            await on.memory.known.remember(ANN, f"I have been to city number {number}")
        await server.user(1001).says("hi")
        await server.replies_to(1001, 1)
        # The JSON document takes several times what the readable one does.
        await exported(on, 4_000)
        assert list(files(server)) == ["md"]
        notice = server.sent(1001)[1]["text"]
        assert notice.startswith("I can't send you mordecai-u1001-")
        assert ".json" in notice
        assert server.sent(1001)[2]["caption"] == "Everything I have saved about you."
