"""The server driven from another process, over HTTP. Every answer is JSON.

POST /control/say      {"user", "text", "chat"?, "topic"?, "date"?, "reply_to"?} -> the message
POST /control/send     {"user", "kind", "chat"?, "caption"?} -> the message
POST /control/edit     {"user", "chat"?, "message", "text"}
POST /control/click    {"user", "chat"?, "message", "data"} -> {"query"}
POST /control/block    {"user"}        POST /control/unblock {"user"}
POST /control/group    {"chat", "title"?, "kind"?, "topics"?}
POST /control/fail     the fields of a Fault
GET  /control/sent?chat=&count=&timeout=  -> the bot's messages, once there are `count` of them
GET  /control/calls?method=&chat=&count=&timeout=  -> the call log, once there are `count` of them
GET  /control/state    -> {"waiting", "commands", "webhook"}
`chat` is the private chat with the user where it is left out. 408 when the time is over."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.botapi.world import Json

if TYPE_CHECKING:
    from tests.fakes.botapi.server import BotApiServer

_Act = Callable[["BotApiServer", Json], Awaitable[object]]


def control_routes(server: "BotApiServer") -> list[web.RouteDef]:
    """The routes of the control endpoint."""

    def act(work: _Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            given = await request.json() if request.method == "POST" else dict(request.query)
            try:
                return web.json_response(await work(server, given))
            except AssertionError as late:
                return web.json_response({"error": str(late)}, status=408)
            except (KeyError, TypeError, ValueError) as wrong:
                return web.json_response({"error": repr(wrong)}, status=400)

        return answer

    posts = {
        "say": _say,
        "send": _send,
        "edit": _edit,
        "click": _click,
        "block": _block,
        "unblock": _unblock,
        "group": _group,
        "fail": _fail,
    }
    gets = {"sent": _sent, "calls": _calls, "state": _state}
    return [
        *(web.post(f"/control/{name}", act(work)) for name, work in posts.items()),
        *(web.get(f"/control/{name}", act(work)) for name, work in gets.items()),
    ]


def _place(server: "BotApiServer", given: Json) -> dict[str, Any]:
    chat = int(given.get("chat") or given["user"])
    return {"group": server.group(chat)} if chat < 0 else {}


def _message(server: "BotApiServer", given: Json, key: str) -> Json:
    chat = int(given.get("chat") or given["user"])
    return server.world.chats[chat].messages[int(given[key])]


async def _say(server: "BotApiServer", given: Json) -> object:
    optional: Json = {key: given[key] for key in ("topic", "date") if key in given}
    if "reply_to" in given:
        optional["reply_to"] = _message(server, given, "reply_to")
    person = server.user(given["user"])
    return await person.says(given["text"], **_place(server, given), **optional)


async def _send(server: "BotApiServer", given: Json) -> object:
    person = server.user(given["user"])
    return await person.sends(given["kind"], caption=given.get("caption"), **_place(server, given))


async def _edit(server: "BotApiServer", given: Json) -> object:
    message = _message(server, given, "message")
    await server.user(given["user"]).edits(message, given["text"])
    return {}


async def _click(server: "BotApiServer", given: Json) -> object:
    message = _message(server, given, "message")
    return {"query": await server.user(given["user"]).clicks(message, given["data"])}


async def _block(server: "BotApiServer", given: Json) -> object:
    server.user(given["user"]).blocks()
    return {}


async def _unblock(server: "BotApiServer", given: Json) -> object:
    server.user(given["user"]).unblocks()
    return {}


async def _group(server: "BotApiServer", given: Json) -> object:
    kind = given.get("kind", "supergroup")
    group = server.group(given["chat"], given.get("title", "Friends"), kind)
    for topic in given.get("topics", ()):
        group.add_topic(topic)
    return {}


async def _fail(server: "BotApiServer", given: Json) -> object:
    server.fail(**given)
    return {}


async def _sent(server: "BotApiServer", given: Json) -> object:
    chat, count = int(given["chat"]), int(given.get("count", 0))
    await server.replies_to(chat, count, float(given.get("timeout", 30)))
    return server.sent(chat)


async def _calls(server: "BotApiServer", given: Json) -> object:
    chat = int(given["chat"]) if "chat" in given else None

    def found() -> list[Json]:
        calls = server.calls_of(given["method"], chat) if "method" in given else server.calls
        return [
            {"method": c.method, "parameters": c.parameters, "at": c.at, "status": c.status}
            for c in calls
        ]

    count, timeout = int(given.get("count", 0)), float(given.get("timeout", 30))
    await server.wait_for(lambda: len(found()) >= count, timeout, f"{count} calls")
    return found()


async def _state(server: "BotApiServer", given: Json) -> object:
    return {
        "waiting": server.world.waiting,
        "commands": server.world.commands,
        "webhook": server.world.webhook_url,
    }
