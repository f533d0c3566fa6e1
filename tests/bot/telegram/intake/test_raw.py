"""Whatever arrives, the next update is read: broken updates are refused or reduced to their number,
and nothing of what they say is logged."""

import asyncio
import copy
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from telegram import Update

from bot.telegram.intake.raw import MalformedUpdate, readable, update_in, updates_in
from memory.background.pacing import RateLimitedLog
from tests.bot.telegram.intake.test_webhook import SECRET_HEADER, called, local, options, update
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.files import inbox_in

ANN = {"id": 1001, "is_bot": False, "first_name": "Ann"}
CHAT = {"id": 1001, "type": "private", "first_name": "Ann"}
SAID = {"message_id": 7, "from": ANN, "chat": CHAT, "date": 1_800_000_000, "text": "secret word"}
DEEP = '{"update_id": 9, "message": ' + "[" * 100_000 + "]" * 100_000 + "}"

REAL: list[dict[str, Any]] = [
    {"message": SAID},
    {"message": SAID | {"reply_to_message": SAID, "entities": [
        {"type": "text_mention", "offset": 0, "length": 3, "user": ANN}]}},
    {"message": SAID | {"text": None, "voice": {
        "file_id": "f", "file_unique_id": "u", "duration": 3, "file_size": 900}}},
    {"message": SAID | {"forward_origin": {
        "type": "user", "date": 1_800_000_000, "sender_user": ANN}}},
    {"edited_message": SAID | {"edit_date": 1_800_000_001}},
    {"callback_query": {
        "id": "5", "from": ANN, "chat_instance": "i", "data": "x", "message": SAID}},
    {"my_chat_member": {
        "chat": CHAT, "from": ANN, "date": 1_800_000_000,
        "old_chat_member": {"user": ANN, "status": "member"},
        "new_chat_member": {"user": ANN, "status": "kicked", "until_date": 0}}},
]  # fmt: skip

hostile = st.one_of(
    st.none(), st.booleans(), st.floats(), st.text(max_size=9), st.just([]), st.just({}),
    st.just([[]]), st.just({"id": {}}), st.just("9" * 400), st.just([{}]),
    st.sampled_from([2**31, 2**52 - 1, 2**52, 2**63 - 1, 2**63, 2**70, -1, -(2**70), 10**400]),
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in it."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A real update in which up to three values are replaced or missing."""
    found: dict[str, Any] = json.loads(json.dumps({"update_id": 8, **draw(st.sampled_from(REAL))}))
    for _ in range(draw(st.integers(1, 3))):
        if not found:
            break
        *way, last = draw(st.sampled_from(list(places(found))))
        inner: Any = found
        for step in way:
            inner = inner[step]
        if isinstance(inner, dict) and draw(st.booleans()):
            inner.pop(last)
        else:
            inner[last] = copy.deepcopy(draw(hostile))
    return found


def complaints() -> RateLimitedLog:
    return RateLimitedLog(structlog.get_logger(), 600)


@given(mutated())
@settings(max_examples=400, deadline=None)
def test_what_is_readable_can_be_read_and_stored(broken: dict[str, Any]) -> None:
    left = readable(broken, complaints())
    if left is None:
        assert type(broken.get("update_id")) is not int or not 0 <= broken["update_id"] < 2**52
    else:
        assert Update.de_json(left, None).update_id == broken["update_id"]
        hash((left["update_id"], json.dumps(left)))


@given(st.lists(mutated(), max_size=4))
@settings(max_examples=100, deadline=None)
def test_a_batch_is_read_whatever_is_in_it(batch: list[dict[str, Any]]) -> None:
    good = {"update_id": 9, "message": SAID}
    payload = json.dumps({"ok": True, "result": [*batch, good]}).encode()
    assert updates_in(payload, complaints())[-1] == good


@pytest.mark.parametrize(
    "piece",
    [
        DEEP.encode(),
        b'{"update_id": 9, "message": {"date": ' + b"1" * 5000 + b"}}",
        b'{"update_id": 9, "message": {"text": "\\x"}}',
        b'{"message": {"update_id": 5, "text": "] } \\" ["}, "update_id": 9, "x": 01}',
    ],
)
def test_an_update_that_cannot_be_decoded_leaves_its_number_and_the_others(piece: bytes) -> None:
    good = b'{"update_id": 10, "edited_message": null}'
    payload = b'{"ok": true, "result": [' + piece + b", " + good + b"]}"
    assert updates_in(payload, complaints()) == [{"update_id": 9}, json.loads(good)]


@pytest.mark.parametrize("payload", [b'{"ok":true}', b'{"result":5}', b"[]", b"null"])
def test_what_is_no_list_of_updates_is_fetched_again(payload: bytes) -> None:
    with pytest.raises(MalformedUpdate):
        updates_in(payload, complaints())


@pytest.mark.parametrize("number", [2**70, -1, True, "5", 5.0, None, [], 2**63])
def test_a_number_that_telegram_cannot_give_is_refused(number: object) -> None:
    with pytest.raises(MalformedUpdate, match="update_id"):
        update_in(json.dumps({"update_id": number}).encode())


# -- in a bot -------------------------------------------------------------------------------------

BROKEN: list[dict[str, Any]] = [
    {"chat": {"type": "private"}},
    {"chat": None},
    {"from": {"id": {}, "is_bot": False, "first_name": "Ann"}},
    {"from": {"id": [1], "is_bot": False, "first_name": "Ann"}},
    {"from": {"id": 1001.5, "is_bot": False, "first_name": "Ann"}},
    {"date": 2**63 - 1},
    {"date": 2**52 - 1},
    {"voice": {"file_id": "f", "file_unique_id": "u", "duration": 2**52}, "text": None},
    {"message_id": {}},
]


async def test_polling_goes_on_beyond_broken_updates_and_so_does_the_next_start(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for change in BROKEN:
        server.world.offer("message", SAID | change)
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await on.channel.settle()
        await server.wait_for(lambda: server.world.waiting == 0)
    logged = capsys.readouterr().out
    assert logged.count("unreadable_update") == len(BROKEN)
    assert "secret word" not in logged
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("again")
        assert (await server.replies_to(1001, 2))[-1] == "you said: again"
        await on.channel.settle()
        assert on.inbox.open_count == 0


@pytest.mark.parametrize("number", [2**70, 2**45, -3])
async def test_a_false_number_costs_no_update_before_or_after_it(
    server: BotApiServer, tmp_path: Path, number: Any
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        server.world._updates.append({"update_id": number, "message": SAID})
        for count, text in enumerate(("two", "three"), start=2):
            await server.user(1002).says(text)
            assert (await server.replies_to(1002, count - 1))[-1] == f"you said: {text}"
        await on.channel.settle()
    offsets = [int(call.parameters.get("offset", 0)) for call in server.calls_of("getUpdates")]
    assert all(0 <= offset < 2**31 for offset in offsets)
    assert len(offsets) < 30, "a number that can't be acknowledged makes no busy loop"


async def test_rows_that_an_earlier_version_stored_do_not_stop_the_start(
    server: BotApiServer, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(1) as pool:
        async with inbox_in(tmp_path / "inbox.sqlite", pool, "telegram", server.token) as inbox:
            await inbox.store([{"update_id": n, "message": SAID | c} for n, c in
                               enumerate(BROKEN, start=5) if "chat" not in c])  # fmt: skip
            row = "INSERT INTO inbound (source, update_id, body, received_at) VALUES (?, ?, ?, '')"
            source = f"telegram:{server.token.partition(':')[0]}"
            for number, body in ((-4, "{"), (2**60, DEEP), (3, "[1]"), (4, '{"message": 5}')):
                await inbox._db.write(row, source, number, body)
    async with stage(server, tmp_path) as on:
        await server.user(1002).says("hi")
        assert await server.replies_to(1002, 1) == ["you said: hi"]
        await on.channel.settle()
        assert on.inbox.open_count == 0


async def test_a_webhook_refuses_what_is_malformed_and_answers_what_follows(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given_ = options(secret="right")
    malformed = [json.dumps(update(5) | {"update_id": n}) for n in (2**70, -1, True, "5")]
    malformed += [DEEP, json.dumps({"update_id": 5, "message": SAID | {"chat": {"type": "x"}}})]
    malformed += [json.dumps({"update_id": 5, "message": SAID | {"date": 2**63 - 1}})]
    malformed += ['{"update_id": 5, "message": {"date": NaN}}', '{"update_id": ' + "1" * 5000 + "}"]
    async with called(server, tmp_path, given_) as on, httpx.AsyncClient() as client:
        for body in malformed:
            answer = await client.post(
                local(given_), content=body, headers={SECRET_HEADER: "right"}
            )
            assert answer.status_code == 400
        beyond_the_library = {"update_id": 6, "message": SAID | {"date": 2**52 - 1}}
        answer = await client.post(
            local(given_), json=beyond_the_library, headers={SECRET_HEADER: "right"}
        )
        assert answer.status_code == 200
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await on.channel.settle()
    logged = capsys.readouterr().out
    assert "secret word" not in logged
    assert "Traceback" not in logged
    assert logged.count("webhook_malformed") == 1


async def test_a_message_without_a_chat_makes_nobody_wait(
    server: BotApiServer, tmp_path: Path
) -> None:
    nowhere = {"message_id": 7, "from": {"id": 1001, "first_name": "Ann"}, "date": 1_800_000_000}
    server.world._updates.append({"update_id": 700_000_000, "message": nowhere})
    server.world._next_update_id = 700_000_001
    async with stage(server, tmp_path) as on:
        await server.user(1002).says("hi")
        assert await server.replies_to(1002, 1) == ["you said: hi"]
        await on.channel.settle()


@given(st.lists(mutated(), min_size=1, max_size=12))
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_after_any_broken_updates_the_next_message_is_answered(
    tmp_path_factory: pytest.TempPathFactory, batch: list[dict[str, Any]]
) -> None:
    async def live() -> None:
        async with BotApiServer() as server:
            for number, broken in enumerate(batch, start=700_000_000):
                server.world._updates.append(broken | {"update_id": number})
            server.world._next_update_id = 700_000_100
            async with stage(server, tmp_path_factory.mktemp("mutated")) as on:
                await server.user(1002).says("hi")
                await server.wait_for(lambda: server.sent(1002))
                assert server.sent(1002)[-1]["text"] == "you said: hi"
                await on.channel.settle()
                assert on.inbox.open_count == 0

    asyncio.run(live())
