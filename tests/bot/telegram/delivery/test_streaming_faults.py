"""Whatever Telegram, the network and restarts do to a growing reply, the answer is there once."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.clock import Clock
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import CURSOR, options, showings, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock
from tests.fakes.conversing import Writer

# -- what goes wrong ------------------------------------------------------------------------------


async def test_not_modified_counts_as_done(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Hello")
        await shows(server, f"Hello{CURSOR}")
        # An edit whose answer was lost:
        server.sent(1001)[0]["text"] = "Hello!"
        del server.sent(1001)[0]["reply_markup"]
        writer.finishes("Hello!")
        await on.channel.settle()
        assert server.calls_of("editMessageText", 1001)[-1].status == 400
        assert texts(server) == ["Hello!"]


async def test_a_line_break_alone_is_no_edit(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Hello")
        await shows(server, f"Hello{CURSOR}")
        writer.writes("\n\n")
        typed = len(server.calls_of("sendChatAction"))
        # Several looks at the reply later:
        await server.wait_for(lambda: len(server.calls_of("sendChatAction")) >= typed + 2)
        writer.writes(" ")
        writer.writes("you")
        await shows(server, f"Hello\n\nyou{CURSOR}")
        writer.finishes("Hello\n\nyou")
        await on.channel.settle()
        assert not [call for call in showings(server) if call.status == 400]


async def test_a_flood_limit_holds_the_previews_of_that_chat_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, how = Writer(), options()
    server.now = how.clock.now
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        await server.user(1001).says("one")
        writer.writes("slow")
        await shows(server, f"slow{CURSOR}")
        server.fail("editMessageText", chat_id=1001, retry_after=20)
        writer.writes(" and")
        await server.wait_for(lambda: server.calls_of("editMessageText", 1001))
        writer.writes(" steady")
        writer.finishes("slow and steady")
        await server.user(1002).says("two")
        writer.writes("me")
        await shows(server, f"me{CURSOR}", 1002)
        writer.finishes("me too")
        await shows(server, "me too", 1002)
        assert texts(server) == [f"slow{CURSOR}"], "still held"
        await server.user(1001).says("three")
        writer.finishes("next")
        await server.replies_to(1001, 2)
        await on.channel.settle()
        assert texts(server) == ["slow and steady", "next"], "late, whole and in order"
        limited, final = server.calls_of("editMessageText", 1001)
        assert final.at - limited.at >= 20


@pytest.mark.parametrize("fault", [{}, {"drop": "before"}, {"drop": "after"}, {"retry_after": 1}])
async def test_what_is_shown_of_a_reply_that_breaks_stays_also_if_that_has_to_be_tried_again(
    server: BotApiServer, tmp_path: Path, fault: dict[str, Any]
) -> None:
    """Half an answer that ends in a cursor would stay for good."""
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Let me")
        await shows(server, f"Let me{CURSOR}")
        if fault:
            server.fail("editMessageText", **fault)
        writer.breaks()
        await on.channel.settle()
        [text] = texts(server)
        assert text.startswith(f"Let me\n\n{ENGLISH.interrupted['other']} (error ")
        assert not server.calls_of("deleteMessage")


async def test_a_wait_of_hours_does_not_lose_the_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    how = options(clock=FastClock(100_000))
    server.now = how.clock.now
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        server.fail("sendMessage", chat_id=1001, retry_after=13_938)
        await server.user(1001).says("hi")
        writer.finishes("at last")
        await server.replies_to(1001, 1)
        await on.channel.settle()
        assert texts(server) == ["at last"]
        refused, sent = server.calls_of("sendMessage", 1001)
        assert sent.at - refused.at >= 13_938


async def test_an_edit_that_was_lost_is_made_again(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}")
        server.fail("editMessageText", chat_id=1001, drop="before")
        server.fail("editMessageText", chat_id=1001, drop="after")
        writer.finishes("Hello")
        await shows(server, "Hello")
        await on.channel.settle()
        assert texts(server) == ["Hello"]
        assert [call.status for call in server.calls_of("editMessageText", 1001)] == [0, 0, 400]


async def test_after_a_preview_that_may_have_been_sent_there_is_no_second_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()):
        server.fail("sendMessage", chat_id=1001, drop="before")
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        writer.writes("lo")
        typed = len(server.calls_of("sendChatAction"))
        await server.wait_for(lambda: len(server.calls_of("sendChatAction")) >= typed + 2)
        assert len(server.calls_of("sendMessage", 1001)) == 1
        writer.finishes("Hello")
        await shows(server, f"{ENGLISH.sent_again}\nHello")


@pytest.mark.parametrize("written", ["**Hello** you", "Hello"])
async def test_a_reply_whose_preview_may_have_been_sent_is_marked(
    server: BotApiServer, tmp_path: Path, written: str
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        server.fail("sendMessage", chat_id=1001, drop="before")
        await server.user(1001).says("hi")
        writer.writes(written)
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        writer.finishes("**Hello** you")
        await shows(server, f"{ENGLISH.sent_again}\nHello you")
        await on.channel.settle()
        assert len(server.calls_of("sendMessage", 1001)) == 2


async def test_a_preview_that_the_person_deleted_does_not_take_the_answer_with_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}")
        del server.world.chats[1001].messages[server.sent(1001)[0]["message_id"]]
        writer.finishes("Hello")
        await shows(server, "Hello")
        await on.channel.settle()
        assert texts(server) == ["Hello"]


async def test_formatting_that_telegram_refuses_is_left_out(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        reason = "Bad Request: can't parse entities: unexpected"
        server.fail("sendMessage", chat_id=1001, status=400, description=reason)
        await server.user(1001).says("hi")
        writer.finishes("**Hello**")
        await shows(server, "Hello")
        await on.channel.settle()
        assert "entities" not in server.sent(1001)[0]


async def test_somebody_who_blocks_the_bot_meanwhile_ends_the_turn(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}")
        server.user(1001).blocks()
        await on.channel.settle()
        assert on.inbox.open_count == 0
        assert server.calls_of("editMessageText", 1001) == []
        assert len(server.calls_of("sendMessage", 1001)) == 1
        history = await on.memory.talk.recall(Actor.person(1001), Place("telegram", 1001), "?")
        assert not history.turns


async def test_an_edit_that_finds_the_bot_blocked_ends_the_turn(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, once = Writer(), options(typing_seconds=1000)
    async with stage(server, tmp_path, conversation=writer, options=once) as on:
        await server.user(1001).says("hi")
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}")
        server.user(1001).blocks()
        writer.writes("lo")
        await on.channel.settle()
        assert on.inbox.open_count == 0
        assert len(server.calls_of("editMessageText", 1001)) == 1


async def test_a_group_that_moved_gets_the_answer_and_no_other_message_is_edited(
    server: BotApiServer, tmp_path: Path
) -> None:
    """Messages are counted anew where a group has become a supergroup."""
    writer, group = Writer(), server.group(-500, kind="group")
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("@mordecai_test_bot hi", group=group)
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}", group.id)
        [preview] = server.sent(group.id)
        moved = group.migrate(-1000500)
        other = {**preview, "text": "something else"}
        server.world.chats[moved.id].messages[preview["message_id"]] = other
        writer.finishes("Hello")
        await shows(server, "Hello", moved.id)
        await on.channel.settle()
        assert texts(server, moved.id) == ["something else", "Hello"]


async def test_a_question_that_was_deleted_is_answered_all_the_same(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, group = Writer(), server.group(-1000500)
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        asked = await server.user(1001).says("@mordecai_test_bot hi", group=group)
        await server.wait_for(lambda: writer.heard)
        del server.world.chats[group.id].messages[asked["message_id"]]
        writer.finishes("Hello")
        await shows(server, "Hello", group.id)
        await on.channel.settle()
        assert "reply_to_message" not in server.sent(group.id)[0]


# -- restarts -------------------------------------------------------------------------------------


async def begins(server: BotApiServer, writer: Writer) -> None:
    """Return when a reply has begun to show and that is written down: the second piece is shown
    only after that."""
    writer.writes("Once")
    await shows(server, f"Once{CURSOR}")
    writer.writes(" upon")
    await shows(server, f"Once upon{CURSOR}")


async def test_a_reply_that_a_restart_broke_off_goes_on_in_its_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        await begins(server, writer)
        await on.end()
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options()) as on:
        again.writes("There was")
        await shows(server, f"There was{CURSOR}")
        again.finishes("There was a king.")
        await on.channel.settle()
        assert texts(server) == ["There was a king."]


async def test_a_draft_that_a_restart_broke_off_stays_as_a_message_and_goes_on_there(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, drafts = Writer(), options(Streaming.DRAFT, stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=drafts) as on:
        await server.user(1001).says("a story")
        writer.writes("Once upon a time")
        await server.wait_for(lambda: server.world.chats[1001].drafts)
        await on.end()
        assert texts(server) == [f"Once upon a time{CURSOR}"]
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options(Streaming.DRAFT)) as on:
        again.writes("There was")
        await shows(server, f"There was{CURSOR}")
        again.finishes("There was a king.")
        await on.channel.settle()
        assert texts(server) == ["There was a king."]


async def test_a_preview_that_hangs_does_not_hold_up_the_end(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        writer.writes("Once")
        await shows(server, f"Once{CURSOR}")
        server.fail("editMessageText", delay=60)
        writer.writes(" upon")
        await server.wait_for(lambda: server.calls_of("editMessageText"))
        async with asyncio.timeout(15):  # less than the bot would wait for Telegram's answer
            await on.end()


async def test_a_preview_that_is_being_sent_at_the_end_is_gone_on_with(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01, clock=Clock())
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        server.fail("sendMessage", chat_id=1001, late=0.5)
        await server.user(1001).says("a story")
        writer.writes("Once")
        await shows(server, f"Once{CURSOR}")
        await on.end()
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options()) as on:
        again.finishes("There was a king.")
        await shows(server, "There was a king.")
        await on.channel.settle()
        assert texts(server) == ["There was a king."]


async def test_what_a_restart_left_above_newer_messages_is_taken_away(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        await begins(server, writer)
        await server.user(1001).says("please")
        await server.wait_for(lambda: server.world.waiting == 0, what="all fetched")
        await on.end()
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options()) as on:
        await server.wait_for(lambda: server.sent(1001) == [], what="no preview")
        again.finishes("There was a king.")
        await on.channel.settle()
        assert texts(server) == ["There was a king."]
        assert again.heard[0].text == "a story\nplease"


async def test_an_answer_that_was_made_and_not_delivered_is_completed_where_it_had_begun(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        await begins(server, writer)
        server.fail("editMessageText", chat_id=1001, times=100, retry_after=1000)
        writer.finishes("Once upon a time.")
        await server.wait_for(lambda: server.calls_of("editMessageText", 1001)[-1].status == 429)
        await on.end()
    server.faults.clear()
    again = Writer()
    async with stage(server, tmp_path, conversation=again, options=options()) as on:
        await shows(server, "Once upon a time.")
        await on.channel.settle()
        assert again.heard == [], "not asked again"
        assert texts(server) == ["Once upon a time."]


async def test_what_a_restart_left_of_a_reply_that_comes_too_late_is_taken_away(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story", date=int(time.time()) - 5)
        await begins(server, writer)
        await on.end()
    late = options(stale=timedelta(0))
    async with stage(server, tmp_path, conversation=Writer(), options=late) as on:
        await server.wait_for(lambda: [t[:17] for t in texts(server)] == ["Sorry, I was away"])


async def test_what_a_restart_left_of_a_reply_that_was_to_stop_is_taken_away(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        await begins(server, writer)
        await on.end()
    await server.user(1001).says("/stop")
    async with stage(server, tmp_path, conversation=Writer(), options=options()) as on:
        await shows(server, "Stopped.")
        await on.channel.settle()
        assert texts(server) == ["Stopped."]


async def test_what_a_restart_left_of_a_reply_beyond_a_limit_is_taken_away(
    server: BotApiServer, tmp_path: Path
) -> None:
    """What was broken off counts, too, and may have been the last there was."""
    writer, hasty = Writer(), options(stop_seconds=0.01)
    async with stage(server, tmp_path, conversation=writer, options=hasty) as on:
        await server.user(1001).says("a story")
        await begins(server, writer)
        await on.end()
    spent = QuotaLimits(tokens_per_day=0)
    async with stage(
        server, tmp_path, conversation=Writer(), options=options(), quotas=spent
    ) as on:
        await shows(server, ENGLISH.limit_day)
        await on.channel.settle()
        assert texts(server) == [ENGLISH.limit_day]
