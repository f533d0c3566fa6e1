"""A group that becomes a supergroup takes along all that is known of it, over HTTP."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from bot.people.usage import Usage
from bot.telegram.options import ChannelOptions
from memory.errors import StoreUnavailable
from memory.records import Actor, Place, Role, Speaker, Utterance
from tests.bot.telegram.stage import Stage, stage
from tests.bot.telegram.streaming import options
from tests.fakes.botapi import BotApiServer
from tests.fakes.temporary_store import TemporaryStore

HASTY = ChannelOptions(stop_seconds=0.05, poll_seconds=5)
OLD, NEW = Actor.group(-500), Actor.group(-1000500)
OLD_PLACE, NEW_PLACE = Place("telegram", -500), Place("telegram", -1000500)


async def talked(on: Stage, text: str) -> None:
    """Have a turn of the group on record."""
    now = datetime.now(UTC)
    said = (
        Utterance(Role.USER, text, now, Speaker(7, "Ann")),
        Utterance(Role.ASSISTANT, "I see.", now),
    )
    await on.memory.talk.record(OLD, OLD_PLACE, said)


@pytest.mark.parametrize("tells", [("to", "from"), ("from", "to"), ("to",), ("from",)])
async def test_memory_session_and_account_go_along(
    server: BotApiServer, tmp_path: Path, tells: tuple[str, ...]
) -> None:
    group = server.group(-500, kind="group")
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(OLD, "We meet on Fridays")
        await talked(on, "Where do we meet?")
        session = await on.memory.talk.session(OLD, OLD_PLACE)
        assert session is not None
        on.accounts.note_turn(OLD, session.id, Usage(runs=1, input_tokens=7, cost=Decimal(1)))
        new = await group.migrates(-1000500, tells=tells)
        await server.user(1001).says("/ask where?", group=new)
        assert await server.replies_to(new.id, 1) == ["you said: where?"]
        await on.channel.settle()
        assert [r.text for r in await on.memory.known.records(NEW)] == ["We meet on Fridays"]
        assert await on.memory.known.records(OLD) == []
        went_on = await on.memory.talk.session(NEW, NEW_PLACE)
        assert went_on is not None
        assert went_on.id == session.id
        history = await on.memory.talk.recall(NEW, NEW_PLACE, "?")
        assert [m.text for m in history.messages] == ["Where do we meet?", "I see."]
        assert (await on.accounts.today(NEW)).turns.input_tokens == 7
        assert (await on.accounts.today(OLD)).turns.runs == 0


async def test_a_reply_under_way_goes_to_the_new_chat_and_is_remembered_there(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-500, kind="group")
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("first")
        await server.user(1001).says("/ask first", group=group)
        await server.wait_for(lambda: on.echo.heard)
        await server.user(1002).says("/ask second", group=group)
        new = await group.migrates(-1000500)
        await server.user(1001).says("/ask third", group=new)
        await server.wait_for(lambda: on.inbox.open_count == 5)
        release.set()
        texts = await server.replies_to(new.id, 3)
        assert texts == ["you said: first", "you said: second", "you said: third"]


async def test_without_any_word_of_telegram_s_the_refused_send_tells(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-500, kind="group")
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(OLD, "We meet on Fridays")
        release = on.echo.hold("hello")
        await server.user(1001).says("/ask hello", group=group)
        await server.wait_for(lambda: on.echo.heard)
        new = group.migrate(-1000500)
        release.set()
        await server.replies_to(new.id, 1)
        await on.channel.settle()
        assert [r.text for r in await on.memory.known.records(NEW)] == ["We meet on Fridays"]


class AwayStore(TemporaryStore):
    """A store that does not answer when something is to be moved, for a while."""

    refusals = 0

    async def move(self, actor: Actor, to: Actor) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StoreUnavailable("told to be away")
        await super().move(actor, to)


async def test_a_move_that_fails_is_tried_again(server: BotApiServer, tmp_path: Path) -> None:
    group, store = server.group(-500, kind="group"), AwayStore()
    store.refusals = 1
    async with stage(server, tmp_path, store=store, options=options()) as on:
        await on.memory.known.remember(OLD, "We meet on Fridays")
        new = await group.migrates(-1000500)
        await server.user(1001).says("/ask hello", group=new)
        await server.replies_to(new.id, 1)
        assert [r.text for r in await on.memory.known.records(NEW)] == ["We meet on Fridays"]


async def test_a_move_that_was_broken_off_is_completed_by_the_next_start(
    server: BotApiServer, tmp_path: Path
) -> None:
    group, store = server.group(-500, kind="group"), AwayStore()
    store.refusals = 1_000
    async with stage(server, tmp_path, store=store, options=HASTY) as on:
        await on.memory.known.remember(OLD, "We meet on Fridays")
        await talked(on, "Where do we meet?")
        new = await group.migrates(-1000500, tells=("to",))
        await server.wait_for(lambda: on.inbox.open_count == 1)
    store.refusals = 0
    async with stage(server, tmp_path, store=store) as on:
        await server.user(1001).says("/ask hello", group=new)
        await server.replies_to(new.id, 1)
        assert [r.text for r in await on.memory.known.records(NEW)] == ["We meet on Fridays"]
        history = await on.memory.talk.recall(NEW, NEW_PLACE, "?")
        assert [m.text for m in history.messages] == ["Where do we meet?", "I see."]
