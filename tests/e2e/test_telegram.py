"""The main story over HTTP: the installed command as a process against a strict Bot API server."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.bot.telegram.play import labels_of
from tests.e2e.command import PATIENCE, mordecai, start
from tests.fakes.botapi import BotApiServer, Person
from tests.fakes.openai_server import Completion, OpenAIServer, text

SAVED = "✨ Your conversation has been summarized and important information saved."
ANNA, BORIS, STRANGER = 1001, 10012, 66


@asynccontextmanager
async def running(
    server: BotApiServer, folder: Path, ended_with: int = 0, /, **variables: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The bot as a process, ended by SIGTERM; its log is left in `folder / log`."""
    process = await start(
        "run",
        cwd=folder,
        TELEGRAM_BOT_TOKEN=server.token,
        MORDECAI_TELEGRAM_BASE_URL=server.root,
        MORDECAI_DATA_DIR=str(folder / "data"),
        **{
            "MORDECAI_ALLOWED_USERS": f"{ANNA},{BORIS}",
            # On a busy machine a test would take half a reply for the whole.
            "MORDECAI_STREAMING": "off",
            **variables,
        },
    )
    assert process.stderr is not None
    log = asyncio.create_task(process.stderr.read())
    try:
        yield process
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE) in (ended_with, -signal.SIGKILL)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        with (folder / "log").open("ab") as file:
            file.write(await log)


async def all_answered(inbox: Path) -> None:
    """Return once the inbox holds no update that still waits for its answer."""
    await _none_of(inbox, "body IS NOT NULL")


async def all_begun(inbox: Path) -> None:
    """Return once the inbox knows of every update in which message its answer has begun."""
    await _none_of(inbox, "shown IS NULL")


async def _none_of(inbox: Path, condition: str) -> None:
    async with asyncio.timeout(PATIENCE):
        with closing(sqlite3.connect(inbox)) as db:
            while db.execute(f"SELECT count(*) FROM inbound WHERE {condition}").fetchone()[0]:
                await asyncio.sleep(0.05)


class Talk:
    """One person's chat with the bot, one reply after the other."""

    def __init__(self, server: BotApiServer, user_id: int) -> None:
        self._server, self._id = server, user_id
        self._person: Person = server.user(user_id)
        self._heard = 0

    async def say(self, text: str) -> str:
        """Write something; the bot's next reply."""
        await self._person.says(text)
        return await self.hear()

    async def hear(self) -> str:
        """The bot's next message."""
        self._heard += 1
        replies = await self._server.replies_to(self._id, self._heard, PATIENCE)
        return replies[self._heard - 1]


async def test_two_people_at_once_are_each_remembered_and_never_mixed(tmp_path: Path):
    async with BotApiServer() as server:
        anna, boris = Talk(server, ANNA), Talk(server, BORIS)

        async def live(talk: Talk, name: str, employer: str, day: str) -> None:
            assert name in await talk.say(f"I'll call you {name}")
            await talk.say(f"I work at {employer}")
            await talk.say(f"my birthday is {day}")
            await talk.say("I prefer Python over JavaScript")
            await talk.say("please keep answers short")
            assert SAVED in await talk.say("/new")

        async def remembered(talk: Talk, name: str, employer: str, day: str, *others: str) -> None:
            known = await talk.say("what do you know about me?")
            for word in (name, employer, day, "Python over JavaScript", "answers short"):
                assert word in known
            job = await talk.say("what did I tell you about my job?")
            assert employer in job
            assert day not in job
            listing = await talk.say("/memory")
            assert employer in listing
            for other in others:
                assert other not in known + job + listing

        async with running(server, tmp_path):
            await asyncio.gather(
                live(anna, "Jarvis", "Acme Corp", "March 15"),
                live(boris, "Friday", "Globex", "June 2"),
            )
        async with running(server, tmp_path):
            await asyncio.gather(
                remembered(anna, "Jarvis", "Acme Corp", "March 15", "Friday", "Globex", "June"),
                remembered(boris, "Friday", "Globex", "June 2", "Jarvis", "Acme", "March"),
            )
    log = (tmp_path / "log").read_text()
    assert server.token not in log
    for said in ("Acme", "Globex", "Jarvis", "JavaScript"):
        assert said not in log, "what people write stays out of the log"


async def test_a_kill_in_the_middle_loses_no_message_and_answers_none_twice(tmp_path: Path):
    async with BotApiServer() as server:
        anna = Talk(server, ANNA)
        async with running(server, tmp_path) as process:
            await anna.say("I work at Acme Corp")
            # A reply that was sent and not yet noted as sent would be sent again.
            await all_answered(tmp_path / "data" / "inbox.sqlite")
            process.kill()
            await process.wait()
        await server.user(ANNA).says("my birthday is March 15")
        async with running(server, tmp_path):
            assert "Kept." in await anna.hear()
            assert SAVED in await anna.say("new")
            known = await anna.say("what do you know about me?")
            assert "Acme Corp" in known
            assert "March 15" in known
        assert len(await server.replies_to(ANNA, 4)) == 4


async def test_a_stranger_is_refused_and_whoever_has_the_code_becomes_the_owner(tmp_path: Path):
    async with BotApiServer() as server:
        stranger, owner = Talk(server, STRANGER), Talk(server, ANNA)
        async with running(server, tmp_path, MORDECAI_ALLOWED_USERS="") as process:
            assert "private bot" in await stranger.say("I work at Acme Corp")
            process.send_signal(signal.SIGTERM)
            await process.wait()
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()
                 if line.startswith("{")]  # fmt: skip
        assert any(line.get("event") == "pairing" for line in lines)
        assert not list((tmp_path / "data").glob("memory/*")), "nothing of a stranger is kept"

        process = await start(
            "run", cwd=tmp_path, TELEGRAM_BOT_TOKEN=server.token,
            MORDECAI_TELEGRAM_BASE_URL=server.root, MORDECAI_DATA_DIR=str(tmp_path / "data"),
        )  # fmt: skip
        try:
            assert process.stderr is not None
            code = ""
            while not code:
                line = await asyncio.wait_for(process.stderr.readline(), PATIENCE)
                assert line, "the log ended without a code"
                if line.startswith(b"{") and (found := json.loads(line)).get("event") == "pairing":
                    code = found["code"]
            assert "yours now" in await owner.say(code)
            assert "Kept." in await owner.say("I work at Acme Corp")
        finally:
            process.terminate()
            await process.communicate()


async def test_a_token_that_telegram_rejects_ends_with_one_clear_line(tmp_path: Path):
    async with BotApiServer() as server:
        ran = await mordecai(
            "run",
            cwd=tmp_path,
            TELEGRAM_BOT_TOKEN="424242:AAWrongTokenWrongTokenWrongTokenWron",
            MORDECAI_TELEGRAM_BASE_URL=server.root,
        )
    assert ran.code == 2
    assert "TELEGRAM_BOT_TOKEN was rejected" in ran.err
    assert "AAWrong" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("text", ["😀" * 2048, "<b>x</b> *y* `z` List<String> & x<y", "שלום עולם"])
async def test_odd_texts_get_an_answer_over_the_wire(tmp_path: Path, text: str):
    async with BotApiServer() as server, running(server, tmp_path):
        assert await Talk(server, ANNA).say(text)


async def test_a_kill_while_a_reply_grows_leaves_one_whole_reply(tmp_path: Path):
    """Over real streams: a model that stops in the middle of its sentence, and SIGKILL."""
    async with OpenAIServer() as model, BotApiServer() as server:
        named = {
            "MORDECAI_MODEL": "openai:any",
            "MORDECAI_MODEL_BASE_URL": model.base_url,
            "MORDECAI_MODEL_API_KEY": model.api_key,
            "MORDECAI_STREAMING": "edit",
        }
        model.script(Completion(("Once **upon", "** a"), stall=20))
        async with running(server, tmp_path, **named) as process:
            await server.user(ANNA).says("Tell me a story.")
            assert await server.replies_to(ANNA, 1, PATIENCE) == ["Once upon a ▍"]
            # Sent and not yet noted, it would stay behind.
            await all_begun(tmp_path / "data" / "inbox.sqlite")
            process.kill()
            await process.wait()
        model.script(text("There was ", "a *king*."))
        async with running(server, tmp_path, **named):
            await server.wait_for(
                lambda: [m["text"] for m in server.sent(ANNA)] == ["There was a king."], PATIENCE
            )
            await all_answered(tmp_path / "data" / "inbox.sqlite")
        [message] = server.sent(ANNA)
        assert [entity["type"] for entity in message["entities"]] == ["italic"]


async def test_a_photo_is_seen_and_a_voice_message_is_heard(tmp_path: Path):
    async with OpenAIServer(speech=text("I live in Oslo.")) as model, BotApiServer() as server:
        seeing = {
            "MORDECAI_MODEL": "openai:any",
            "MORDECAI_MODEL_BASE_URL": model.base_url,
            "MORDECAI_MODEL_API_KEY": model.api_key,
            "MORDECAI_MODEL_SEES": "images",
            "MORDECAI_TRANSCRIBER": "openai:any",
        }
        model.script(text("A cat."))
        anna = server.user(ANNA)
        async with running(server, tmp_path, **seeing):
            await anna.sends("photo", b"\xff\xd8\xff a cat", caption="What is this?")
            assert await server.replies_to(ANNA, 1, PATIENCE) == ["A cat."]
            shown = model.requests[-1]["messages"][-1]["content"]
            assert any(part["type"] == "image_url" for part in shown)
            await anna.sends("voice", b"OggS")
            await server.replies_to(ANNA, 2, PATIENCE)
            said = model.requests[-1]["messages"][-1]["content"]
            assert "I live in Oslo." in str(said)
            assert "image_url" not in str(model.requests[-1])
            await anna.sends("document", b"%PDF-1.7")
            assert "not set up to read this kind" in (await server.replies_to(ANNA, 3, PATIENCE))[2]
        log = (tmp_path / "log").read_text()
        assert server.token.partition(":")[2] not in log
        assert "Oslo" not in log


async def test_an_answer_that_stalls_stays_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    async with OpenAIServer() as model, BotApiServer() as server:
        anna = server.user(ANNA)
        how = {
            "MORDECAI_MODEL": "openai:small",
            "MORDECAI_MODEL_BASE_URL": model.base_url,
            "MORDECAI_MODEL_API_KEY": "right",
            "MORDECAI_MODEL_TIMEOUT_SECONDS": "2",
            "MORDECAI_STREAMING": "edit",
        }
        async with running(server, tmp_path, **how) as process:
            model.script(Completion(("The first half",), stall=30))
            await anna.says("Tell me all")
            await server.wait_for(
                lambda: [*map(labels_of, server.sent(ANNA))] == [["Continue"]], PATIENCE
            )
            await all_answered(tmp_path / "data" / "inbox.sqlite")
            process.kill()
        [answer] = server.sent(ANNA)
        assert answer["text"].startswith("The first half\n\n⚠ Interrupted")
        await anna.presses(answer, "Continue")
        model.script(text("and the second"))
        async with running(server, tmp_path, **how):
            await server.replies_to(ANNA, 2, PATIENCE)
            await all_answered(tmp_path / "data" / "inbox.sqlite")
        assert [sent["text"] for sent in server.sent(ANNA)] == [answer["text"], "and the second"]
        assert [*map(labels_of, server.sent(ANNA))] == [[], []]
