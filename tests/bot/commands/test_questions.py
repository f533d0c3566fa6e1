"""Answers by typing: to the question of /forget all, for new words, after a bare command."""

from pathlib import Path
from typing import Any

import pytest

from bot.commands.questions import ANSWER_SECONDS, Awaited, yes_or_no
from bot.telegram.intake.reading import (
    Click,
    Command,
    Heard,
    Origin,
)
from bot.texts import ENGLISH, languages
from memory.records import Actor, Place
from tests.bot.commands.test_browser import (
    carried_out,
    keys,
    opened,
    press,
    remember,
)
from tests.bot.telegram.stage import Stage, ask, stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = 1001, 1002
ANN = Actor.person(ANNA)
KEPT, DELETED = (
    "OK, I'll keep everything.",
    "Everything is deleted. We're starting fresh.",
)
QUESTION = ENGLISH.forget_all_ask


async def typed(server: BotApiServer, on: Stage, text: str, **how: Any) -> list[str]:
    """Say something; all messages of the bot to Anna, as they read after it."""
    await server.user(ANNA).says(text, **how)
    await done(server, on)
    return [message.get("text", "") for message in server.sent(ANNA)]


async def done(server: BotApiServer, on: Stage) -> None:
    """Return when the bot has received and answered all that was said."""
    await server.wait_for(lambda: not server.world.waiting)
    await on.channel.settle()


# -- /forget all ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["yes", "Yes!", " YES. ", "Yes, delete everything", "yes delete everything", "Ja", "да", "Да!",
     "sí", "si", "sì", "sim", "हाँ", "हां।", "Alles löschen", "Ja, alles löschen"],
)  # fmt: skip
async def test_a_yes_in_any_language_deletes_everything(
    server: BotApiServer, tmp_path: Path, said: str
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
        assert await typed(server, on, said) == [DELETED], "the question has become its outcome"
        assert "reply_markup" not in server.sent(ANNA)[0]
        assert await on.memory.known.records(ANN) == []
        assert on.echo.heard == []


@pytest.mark.parametrize("said", ["no", "No, keep it", "nein", "нет", "não", "नहीं", "cancel"])
async def test_a_no_in_any_language_keeps_everything(
    server: BotApiServer, tmp_path: Path, said: str
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
        assert await typed(server, on, said) == [KEPT]
        assert await on.memory.known.records(ANN)
        assert on.echo.heard == []


@pytest.mark.parametrize("said", ["yes?", "yesterday", "yes and no", "ok but why", "...", "1"])
async def test_anything_else_is_talk_and_the_buttons_stay(
    server: BotApiServer, tmp_path: Path, said: str
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
        assert await typed(server, on, said) == [QUESTION, f"you said: {said}"]
        assert await typed(server, on, "yes") == [QUESTION, f"you said: {said}", "you said: yes"]
        assert await on.memory.known.records(ANN), "only the very next message answers"
        await server.user(ANNA).presses(server.sent(ANNA)[0], "Yes, delete everything")
        await server.wait_for(lambda: server.sent(ANNA)[0]["text"] == DELETED)


@pytest.mark.parametrize("between", ["/name", "/memory", "/stop", "/forget f9", "/xyzzy"])
async def test_a_command_in_between_ends_the_waiting(
    server: BotApiServer, tmp_path: Path, between: str
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
        await typed(server, on, between)
        assert (await typed(server, on, "yes"))[-1] == "you said: yes"
        assert await on.memory.known.records(ANN)


async def test_a_press_in_between_ends_the_waiting(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        panel = await opened(server)
        await ask(server, "/forget all")
        await carried_out(server, on, await server.user(ANNA).presses(panel, "Facts (1)"))
        assert (await typed(server, on, "yes"))[-1] == "you said: yes"
        assert await on.memory.known.records(ANN)


async def test_what_was_said_before_the_question_was_there_is_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("wait")
    async with stage(server, tmp_path, conversation=echo) as on:
        await remember(on, "I work at Acme Corp")
        anna = server.user(ANNA)
        for said in ("wait", "/forget all", "yes"):
            await anna.says(said)
        await server.wait_for(lambda: not server.world.waiting)
        release.set()
        await done(server, on)
        said_there = [message["text"] for message in server.sent(ANNA)]
        assert said_there == ["you said: wait", QUESTION, "you said: yes"]
        assert (await typed(server, on, "yes"))[-1] == "you said: yes", "that one is too late"
        assert await on.memory.known.records(ANN)


async def test_a_yes_to_another_message_is_no_answer(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "Shall I water the plants?")
        other = server.sent(ANNA)[0]
        await ask(server, "/forget all")
        await typed(server, on, "yes", reply_to=other)
        assert server.sent(ANNA)[1]["text"] == QUESTION
        assert await on.memory.known.records(ANN)
        await ask(server, "/forget all")
        await typed(server, on, "yes", reply_to=server.sent(ANNA)[-1])
        assert server.sent(ANNA)[-1]["text"] == DELETED, "an answer to the question itself is one"


async def test_what_somebody_else_wrote_is_no_answer(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
        await server.user(ANNA).forwards("yes", of=server.user(BORIS))
        await done(server, on)
        await ask(server, "/forget all")
        await typed(server, on, "yes", via="another_bot")
        assert await on.memory.known.records(ANN)


async def test_a_yes_to_what_is_elsewhere_is_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        cats = await server.user(BORIS).says("Do you like cats?", group=group)
        await ask(server, "/forget all")
        await typed(server, on, "yes", elsewhere=cats)
        assert await on.memory.known.records(ANN)


async def test_what_is_changed_to_a_yes_is_no_answer(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        earlier = await server.user(ANNA).says("Hm")
        await done(server, on)
        await ask(server, "/forget all")
        await server.user(ANNA).edits(earlier, "yes")
        later = await server.user(ANNA).says("Hm, well")
        await server.user(ANNA).edits(later, "yes")
        await done(server, on)
        assert await on.memory.known.records(ANN)


async def test_a_question_that_did_not_arrive_waits_for_nothing(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I work at Acme Corp")
        server.fail("sendMessage", status=403)
        await server.user(ANNA).says("/forget all")
        await done(server, on)
        assert await typed(server, on, "yes") == ["you said: yes"]
        assert await on.memory.known.records(ANN)


async def test_after_a_restart_a_yes_is_talk(server: BotApiServer, tmp_path: Path) -> None:
    store = TemporaryStore()
    async with stage(server, tmp_path, store=store) as on:
        await remember(on, "I work at Acme Corp")
        await ask(server, "/forget all")
    async with stage(server, tmp_path, store=store) as on:
        assert await typed(server, on, "yes") == [QUESTION, "you said: yes"]
        assert await on.memory.known.records(ANN)


async def test_in_a_group_only_the_asker_answers_and_only_an_admin(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    ours = Actor.group(group.id)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ours, "We meet on Fridays")
        group.make_admin(ANNA)
        await server.user(ANNA).says("/forget all", group=group)
        await server.replies_to(group.id, 1)
        question = server.sent(group.id)[0]
        await server.user(BORIS).says("yes", group=group, reply_to=question)
        await done(server, on)
        assert await on.memory.known.records(ours)
        assert server.sent(group.id)[0]["text"] == ENGLISH.forget_all_ask_group
        await server.user(ANNA).says("yes", group=group)
        await done(server, on)
        assert await on.memory.known.records(ours), "that was not said to the bot"
        await server.user(ANNA).says("yes", group=group, reply_to=question)
        await done(server, on)
        assert server.sent(group.id)[0]["text"] == DELETED
        assert await on.memory.known.records(ours) == []


async def test_in_a_group_a_question_waits_in_its_topic(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.add_topic(5)
    group.add_topic(6)
    group.make_admin(ANNA)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.group(group.id), "We meet on Fridays")
        await server.user(ANNA).says("/forget all", group=group, topic=5)
        await server.replies_to(group.id, 1)
        await server.user(ANNA).says("@mordecai_test_bot yes", group=group, topic=6)
        await done(server, on)
        assert await on.memory.known.records(Actor.group(group.id))


async def test_nobody_answers_what_was_asked_in_the_name_of_a_group_but_its_admins(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.group(group.id), "We meet on Fridays")
        await group.says("/forget all")
        await server.replies_to(group.id, 1)
        await server.user(BORIS).says("yes", group=group, reply_to=server.sent(group.id)[0])
        await done(server, on)
        assert await on.memory.known.records(Actor.group(group.id))
        assert server.sent(group.id)[0]["text"] == ENGLISH.forget_all_ask_group


# -- new words ------------------------------------------------------------------------------------


async def edit_page(server: BotApiServer, on: Stage) -> dict[str, Any]:
    await remember(on, "I live in Oslo")
    await opened(server)
    await press(server, on, "Facts (1)")
    await press(server, on, "1. You live in Oslo")
    return await press(server, on, "Edit")


async def test_what_is_said_after_edit_are_the_new_words(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        page = await edit_page(server, on)
        assert page["text"].startswith("Send me the new text.")
        assert page["text"].endswith("It now says: I live in Oslo")
        assert keys(page) == ["‹ Back"]
        [shown] = await typed(server, on, "I live in Bergen")
        assert shown.startswith("Remembered: You live in Bergen  [f")
        assert keys(server.sent(ANNA)[0]) == ["Edit", "Delete", "Source", "‹ Back"]
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Bergen"]
        assert on.echo.heard == []
        session = await on.memory.talk.session(ANN, Place("telegram", ANNA))
        assert session is None, "no turn is on record"
        assert (await typed(server, on, "I live in Rome"))[-1] == "you said: I live in Rome"


@pytest.mark.parametrize("way", ["press", "no", "nein", "/name"])
async def test_an_edit_can_be_called_off(server: BotApiServer, tmp_path: Path, way: str) -> None:
    async with stage(server, tmp_path) as on:
        await edit_page(server, on)
        if way == "press":
            await press(server, on, "‹ Back")
        else:
            await typed(server, on, way)
        await typed(server, on, "What a day!")
        assert [inbound.text for inbound in on.echo.heard] == ["What a day!"]
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Oslo"]


async def test_new_words_that_can_not_be_kept_end_the_edit(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await edit_page(server, on)
        [refused] = await typed(server, on, "x " * 900)
        assert refused == (
            "I can't save that: it's too long; say what matters in a sentence or two.\n\n"
            "Nothing changed: I live in Oslo"
        )
        assert (await typed(server, on, "Oh."))[-1] == "you said: Oh."
        message = server.sent(ANNA)[0]
        await carried_out(server, on, await server.user(ANNA).presses(message, "Edit"))
        await typed(server, on, "I live in Bergen")
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Bergen"]


async def test_the_edit_command_without_words_asks_for_them(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        id_ = (await on.memory.known.records(ANN))[0].short_id
        assert (await ask(server, f"/edit {id_}")).startswith("Send me the new text.")
        [shown] = await typed(server, on, "I live in Bergen")
        assert shown.startswith("Remembered: You live in Bergen")
        for unknown in ("f99", id_):
            said = await ask(server, f"/edit {unknown}")
            assert f"no memory with the id {unknown}" in said, "not what has new words already"
        assert "Remembered: You live in Rome" in await ask(
            server, f"/edit {(await on.memory.known.records(ANN))[0].short_id}\nI live in Rome"
        )


async def test_in_a_group_edit_tells_the_command(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    ours = Actor.group(group.id)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(ours, "We meet on Fridays")
        group.make_admin(ANNA)
        await server.user(ANNA).says("/memory", group=group)
        await server.replies_to(group.id, 1)
        for label in ("Facts (1)", "1. You meet on Fridays", "Edit"):
            message = server.sent(group.id)[0]
            await carried_out(server, on, await server.user(ANNA).presses(message, label))
        assert "send me\n/edit f" in server.sent(group.id)[0]["text"]
        await server.user(ANNA).says(
            "We meet on Mondays", group=group, reply_to=server.sent(group.id)[0]
        )
        await done(server, on)
        assert [r.text for r in await on.memory.known.records(ours)] == ["We meet on Fridays"]
        await server.user(ANNA).says("/edit f1", group=group)
        await done(server, on)
        assert server.sent(group.id)[-1]["text"] == ENGLISH.edit_usage


async def test_in_a_private_conversation_nothing_is_put_into_other_words(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await remember(on, "I live in Oslo")
        await ask(server, "/private")
        await ask(server, "/memory")
        for label in ("Facts (1)", "1. You live in Oslo", "Edit"):
            refused = await press(server, on, label)
        assert refused["text"] == ENGLISH.private_refused
        assert (await typed(server, on, "I live in Rome"))[-1] == "🔒 you said: I live in Rome"
        for command in ("/edit f1", "/remember"):
            assert await ask(server, command) == ENGLISH.private_refused
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I live in Oslo"]


# -- bare commands --------------------------------------------------------------------------------


async def test_what_is_missing_after_a_command_is_asked_for(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        assert await ask(server, "/remember") == ENGLISH.remember_ask
        assert (await ask(server, "that I collect stamps")).startswith(
            "Remembered: You collect stamps"
        )
        assert await ask(server, "/search") == ENGLISH.search_ask
        assert "collect stamps" in await ask(server, "stamps")
        assert on.echo.heard == []
        await ask(server, "/remember")
        assert await ask(server, "no") == "you said: no"
        await ask(server, "/remember")
        assert await ask(server, "new") == ENGLISH.new, "that is a command without its slash"
        assert [r.text for r in await on.memory.known.records(ANN)] == ["I collect stamps"]


async def test_in_a_group_a_bare_command_tells_how_it_is_given(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path):
        await server.user(ANNA).says("/remember", group=group)
        assert await server.replies_to(group.id, 1) == [ENGLISH.remember_how]


# -- the waiting itself ---------------------------------------------------------------------------


class Watch:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def heard(update: int, words: str, user: int = ANNA, **fields: Any) -> Heard:
    origin = Origin(Place("telegram", user), Actor.person(user), user)
    return Heard(update, update, origin, None, words, words=words, **fields)  # type: ignore[arg-type]


def reads(answer: Heard, question: int) -> Click | None:
    return answer.pressing(question, "data")


def test_a_question_waits_ten_minutes() -> None:
    for passed, counts in ((ANSWER_SECONDS, True), (ANSWER_SECONDS + 1, False)):
        watch = Watch()
        awaited = Awaited(watch)
        asked = heard(1, "/forget all", command=Command("forget", "all"))
        assert awaited.take(asked) is None
        awaited.expect(asked, 2, reads)
        watch.now = passed
        assert bool(awaited.take(heard(3, "yes"))) is counts


def test_a_message_older_than_the_question_is_no_answer() -> None:
    awaited, asked = Awaited(), heard(5, "/forget all")
    awaited.take(asked)
    awaited.expect(asked, 7, reads)
    late = heard(6, "yes")
    assert awaited.take(late) is None, "it was written before the question came"
    assert awaited.take(heard(8, "yes")) is None


def test_an_answer_is_its_writers_alone() -> None:
    awaited, asked = Awaited(), heard(1, "/forget all")
    awaited.take(asked)
    awaited.expect(asked, 2, reads)
    assert awaited.take(heard(3, "yes", BORIS)) is None
    answer = awaited.take(heard(4, "yes"))
    assert isinstance(answer, Click)
    assert (answer.message_id, answer.data, answer.words) == (2, "data", "yes")
    assert awaited.take(heard(5, "yes")) is None, "a question has one answer"


def test_it_is_not_known_for_ever_who_wrote_last() -> None:
    awaited, asked = Awaited(), heard(1, "/forget all")
    awaited.take(asked)
    for user in range(2_000, 3_000):
        awaited.take(heard(2, "hi", user))
    awaited.expect(asked, 2, reads)
    assert awaited.take(heard(3, "yes")) is None


def test_no_word_is_a_yes_and_a_no() -> None:
    for texts in languages().values():
        for word in texts.yes_words.split(","):
            assert yes_or_no(word) is True
        for word in texts.no_words.split(","):
            assert yes_or_no(word) is False
        assert yes_or_no(texts.forget_all_yes.upper()) is True
        assert yes_or_no(f" {texts.forget_all_no}!") is False


@pytest.mark.parametrize("words", ["", "…", "yes?", "maybe", "yes yes", "no idea"])
def test_what_is_neither_is_nothing(words: str) -> None:
    assert yes_or_no(words) is None
