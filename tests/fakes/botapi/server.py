"""The server: HTTP on 127.0.0.1 in front of a world."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.botapi.control import control_routes
from tests.fakes.botapi.courier import Courier
from tests.fakes.botapi.faults import Fault
from tests.fakes.botapi.methods import Methods
from tests.fakes.botapi.people import Group, Person
from tests.fakes.botapi.refusals import Refused
from tests.fakes.botapi.world import Chat, Json, World

#: How long to wait for something to happen before a test has failed.
PATIENCE = 15.0
#: How often to look for what this server does not see happen, in seconds.
_LOOK_SECONDS = 0.05


@dataclass(slots=True)
class Call:
    """One call of a method. `at` is the server's time in seconds; `status` 0 means no answer.
    `done` once it was carried out; `message_id` is that of the message it made or changed; `by` is
    the caller's name, if it has one."""

    method: str
    parameters: Json
    at: float
    status: int = 0
    done: bool = False
    message_id: int | None = None
    by: str = ""

    @property
    def chat_id(self) -> int | None:
        """The chat that the call is about."""
        chat_id = self.parameters.get("chat_id")
        return int(chat_id) if chat_id else None


class BotApiServer:
    """Telegram's Bot API for one bot, and the people around it. Use as `async with`."""

    def __init__(
        self,
        token: str = "424242:AAFakeTokenForTestsAAAAAAAAAAAAAAAA",
        *,
        username: str = "mordecai_test_bot",
        privacy: bool = False,
        port: int = 0,
    ) -> None:
        """Port 0 takes a free one."""
        self.token = token
        self.world = World(int(token.split(":")[0]), username, privacy=privacy)
        self.calls: list[Call] = []
        #: The server's time in seconds: another clock's, where a test has one.
        self.now: Callable[[], float] = time.monotonic
        self.faults: list[Fault] = []
        #: What goes wrong with a call by chance, if none of the faults hits it.
        self.luck: Callable[[str], Fault | None] = lambda method: None
        self.courier = Courier(self.world)
        self._delivering: asyncio.Task[None] | None = None
        self._methods = Methods(self.world)
        self._people: dict[int, Person] = {}
        self._port = port
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.add_routes(control_routes(self))
        for name in ("", "/{by}"):
            app.router.add_route("*", name + "/file/bot{token}/{path:.+}", self._download)
            app.router.add_route("*", name + "/bot{token}/{method}", self._answer)
        # A poll whose client went away must not stay behind as the one that conflicts.
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self._delivering = asyncio.create_task(self.courier.run(), name="courier")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._delivering:
            self._delivering.cancel()
            await asyncio.gather(self._delivering, return_exceptions=True)
        if self._runner:
            await self._runner.cleanup()

    @property
    def root(self) -> str:
        """The server's address. A path behind it is the name of a caller, see Call."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """The address to put a token behind, as python-telegram-bot wants it."""
        return f"{self.root}/bot"

    # -- people and what they see -----------------------------------------------------------------

    def user(self, user_id: int, name: str = "") -> Person:
        """The person with this id, the same one every time."""
        if user_id not in self._people:
            self._people[user_id] = Person(self.world, user_id, name)
        return self._people[user_id]

    def group(self, chat_id: int, title: str = "Friends", kind: str = "supergroup") -> Group:
        """The group with this id."""
        chat = self.world.chats.setdefault(chat_id, Chat(chat_id, kind, title))
        return Group(self.world, chat)

    def sent(self, chat_id: int) -> list[Json]:
        """The bot's messages in a chat as they stand now."""
        return self.world.by_bot(chat_id)

    async def replies_to(self, chat_id: int, count: int, timeout: float = PATIENCE) -> list[str]:
        """The texts of the bot's messages in a chat, once there are at least this many."""
        await self.wait_for(
            lambda: len(self.sent(chat_id)) >= count,
            timeout,
            f"{count} messages in chat {chat_id}",
        )
        return [str(m.get("text", m.get("caption", ""))) for m in self.sent(chat_id)]

    async def wait_for(
        self, condition: Callable[[], object], timeout: float = PATIENCE, what: str = "a condition"
    ) -> None:
        """Return once it is so; looked at after every call and every act of a person, and every
        now and then."""
        try:
            async with asyncio.timeout(timeout):
                while not condition():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._something_changes(), _LOOK_SECONDS)
        except TimeoutError:
            texts = {
                chat_id: [m.get("text") for m in self.sent(chat_id)] for chat_id in self.world.chats
            }
            raise AssertionError(f"no {what} within {timeout} s; there is {texts}") from None

    async def _something_changes(self) -> None:
        async with self.world.changed:
            await self.world.changed.wait()

    def calls_of(self, method: str, chat_id: int | None = None) -> list[Call]:
        """The calls of a method so far, of one chat or of all."""
        return [
            call
            for call in self.calls
            if call.method.lower() == method.lower() and chat_id in (None, call.chat_id)
        ]

    def fail(self, method: str, **how: Any) -> Fault:
        """Let the next calls go wrong, or with "download" the fetching of files; see Fault."""
        fault = Fault(method.lower(), **how)
        self.faults.append(fault)
        return fault

    # -- HTTP -------------------------------------------------------------------------------------

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        given = request.match_info
        call = Call(given["method"], {}, self.now(), by=given.get("by", ""))
        try:
            self._authorize(request.match_info["token"])
            call.parameters, files = await _parameters(request)
            self.calls.append(call)
            await self.world.notify()
            return await self._carry_out(call, files, request)
        except Refused as refusal:
            call.status = refusal.status
            return web.json_response(refusal.answer, status=refusal.status)
        finally:
            await self.world.notify()

    async def _carry_out(
        self, call: Call, files: dict[str, tuple[str, bytes]], request: web.Request
    ) -> web.StreamResponse:
        fault = next((f for f in self.faults if f.hits(call.method.lower(), call.chat_id)), None)
        fault = fault or self.luck(call.method)
        if fault is None:
            return await self._result(call, files)
        if fault.drop == "after":
            await self._result(call, files)
        await asyncio.sleep(fault.delay)
        if fault.drop:
            call.status = 0
            if request.transport:
                request.transport.close()
            return web.Response()
        if fault.page:
            call.status = fault.status or 200
            return web.Response(status=call.status, text=fault.page, content_type="text/html")
        if fault.refusal:
            raise fault.refusal
        answer = await self._result(call, files)
        await asyncio.sleep(fault.late)
        return answer

    async def _result(self, call: Call, files: dict[str, tuple[str, bytes]]) -> web.StreamResponse:
        result = await self._methods.call(call.method, call.parameters, files)
        call.status, call.done = 200, True
        if isinstance(result, dict):
            call.message_id = result.get("message_id")
        return web.json_response({"ok": True, "result": result})

    async def _download(self, request: web.Request) -> web.StreamResponse:
        try:
            self._authorize(request.match_info["token"])
            fault = next((f for f in self.faults if f.hits("download", None)), None)
            if fault and fault.refusal:
                raise fault.refusal
        except Refused as refusal:
            return web.json_response(refusal.answer, status=refusal.status)
        file = self.world.files.get(request.match_info["path"].removeprefix("documents/"))
        return web.Response(body=file[1]) if file else web.Response(status=404)

    def _authorize(self, token: str) -> None:
        if token == self.token:
            return
        number, _, secret = token.partition(":")
        if not number.isdigit() or not secret:
            raise Refused(404, "Not Found")
        raise Refused(401, "Unauthorized")


async def _parameters(request: web.Request) -> tuple[Json, dict[str, tuple[str, bytes]]]:
    """Parameters from wherever the Bot API takes them: query, form, multipart or JSON."""
    parameters: Json = dict(request.query)
    files: dict[str, tuple[str, bytes]] = {}
    if request.content_type == "application/json":
        parameters.update(json.loads(await request.read() or b"{}"))
    elif request.method == "POST":
        for key, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                with value.file as file:
                    files[key] = (value.filename, file.read())
            else:
                parameters[key] = value
    return parameters, files
