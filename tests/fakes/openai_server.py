"""A small, strict server with OpenAI's chat completions and embeddings, on a real socket.

It plays scripted replies, streamed or whole, keeps every request, and refuses with 400 what strict
servers and chat templates refuse: roles that do not alternate, blank texts, tool results without
their calls. Weak servers' habits are knobs of a reply."""

import asyncio
import base64
import json
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from tests.fakes.embedders import vector

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_USAGE = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}


@dataclass(frozen=True)
class Completion:
    """One answer of the server. With a status other than 200 it is an error with `message`."""

    texts: tuple[str, ...] = ()
    #: What the model thinks first, as servers of reasoning models tell it.
    thoughts: tuple[str, ...] = ()
    #: Each call is a name and the fragments of its arguments.
    calls: tuple[tuple[str, tuple[str, ...]], ...] = ()
    finish: str | None = "stop"
    status: int = 200
    message: str = ""
    code: str | None = None
    #: Seconds before the first byte, between the pieces, and after them.
    delay: float = 0.0
    pause: float = 0.0
    stall: float = 0.0
    #: After the texts: drop the connection, or send an error inside the stream.
    drop: bool = False
    error_inside: str | None = None
    #: Answer like this only if the request declares tools; else with `otherwise`.
    with_tools_only: bool = False
    otherwise: "Completion | None" = None


def text(*texts: str, finish: str | None = "stop") -> Completion:
    """An answer in these pieces."""
    return Completion(texts, finish=finish)


def calling(name: str, *fragments: str, texts: tuple[str, ...] = ()) -> Completion:
    """A tool call whose arguments arrive in these fragments."""
    return Completion(texts, calls=((name, fragments),), finish="tool_calls")


def refusing(status: int, message: str, code: str | None = None) -> Completion:
    """An error before anything else."""
    return Completion(status=status, message=message, code=code)


@dataclass
class OpenAIServer:
    """Use as `async with`. `replies` are played in order, the last one for ever, unless `decide`
    makes the reply of the request; `requests` are the bodies that came in, `refused` says why the
    strict part said no."""

    api_key: str = "right"
    replies: list[Completion] = field(default_factory=lambda: [text("Hello.")])
    requests: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    base_url: str = ""
    #: What every recording says, and the recordings: name, type, content, model.
    speech: Completion = field(default_factory=lambda: text("Hello."))
    recordings: list[tuple[str, str, bytes, str]] = field(default_factory=list)
    #: What writing a recording down has used, as the server tells it.
    speech_usage: dict[str, Any] | None = None
    #: A text-only model, whose server says so.
    is_blind: bool = False
    decide: Callable[[dict[str, Any]], Completion] | None = None
    #: When streams ended, by `time.monotonic`.
    ended: list[float] = field(default_factory=list)
    _runner: web.AppRunner | None = None

    def script(self, *replies: Completion) -> None:
        """What to answer from here on."""
        self.replies = list(replies)
        self.requests.clear()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._runner
        await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ConnectionResetError:
            return web.Response()  # whoever asked is gone
        self.requests.append(body)
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return _error(401, "Incorrect API key provided", "invalid_api_key")
        if wrong := next(_wrong_with(body), None):
            self.refused.append(wrong)
            return _error(400, wrong, None)
        if self.is_blind and any(_files(message) for message in body["messages"]):
            return _error(400, "this model does not support image input", None)
        scripted = self.replies[min(len(self.requests), len(self.replies)) - 1]
        reply = self.decide(body) if self.decide else scripted
        if reply.with_tools_only and not body.get("tools"):
            reply = reply.otherwise or text("Without tools.")
        await asyncio.sleep(reply.delay)
        if reply.status != 200:
            return _error(reply.status, reply.message, reply.code)
        if not body.get("stream"):
            return _whole(body, reply)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        # Whoever asked may be gone meanwhile.
        with suppress(ConnectionResetError):
            await _stream(request, response, body, reply)
            self.ended.append(time.monotonic())
        return response

    async def _embed(self, request: web.Request) -> web.Response:
        """Vectors of what words mean to the fake embedder; or the scripted refusal."""
        body = await request.json()
        self.requests.append(body)
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return _error(401, "Incorrect API key provided", "invalid_api_key")
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not texts or not all(isinstance(one, str) and one for one in texts):
            return _error(400, "input must not be empty", None)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        await asyncio.sleep(reply.delay)
        if reply.status != 200:
            return _error(reply.status, reply.message, reply.code)
        packed = body.get("encoding_format") == "base64"
        vectors = [_packed(vector(one)) if packed else vector(one) for one in texts]
        data = [
            {"object": "embedding", "index": place, "embedding": numbers}
            for place, numbers in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 9, "total_tokens": 9}
        return web.json_response(
            {"object": "list", "data": data, "model": body["model"], "usage": usage}
        )

    async def _transcribe(self, request: web.Request) -> web.Response:
        """What `speech` says; refuses what has no name with an ending, as OpenAI does."""
        form = await request.post()
        file = form.get("file")
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            return _error(401, "Incorrect API key provided", "invalid_api_key")
        if not isinstance(file, web.FileField) or not form.get("model"):
            return _error(400, "file and model are required", None)
        name, _, ending = file.filename.rpartition(".")
        if not name or ending not in ("ogg", "mp3", "m4a", "wav", "flac", "webm"):
            return _error(400, f"Unrecognized file format {ending}", None)
        content = file.file.read()
        self.recordings.append((file.filename, file.content_type, content, str(form["model"])))
        await asyncio.sleep(self.speech.delay)
        if self.speech.status != 200:
            return _error(self.speech.status, self.speech.message, self.speech.code)
        used = {"usage": self.speech_usage} if self.speech_usage else {}
        return web.json_response({"text": "".join(self.speech.texts)} | used)


def _packed(numbers: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def _error(status: int, message: str, code: str | None) -> web.Response:
    error = {"message": message, "type": "error", "code": code or status}
    return web.json_response({"error": error}, status=status, headers={"x-should-retry": "false"})


def _whole(body: dict[str, Any], reply: Completion) -> web.Response:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(reply.texts) or None}
    if reply.calls:
        message["tool_calls"] = [
            _call(index, name, "".join(fragments))
            for index, (name, fragments) in enumerate(reply.calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    return web.json_response(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": body["model"],
            "choices": [choice],
            "usage": _USAGE,
        }
    )


async def _stream(
    request: web.Request, response: web.StreamResponse, body: dict[str, Any], reply: Completion
) -> None:
    await response.prepare(request)
    for delta in _deltas(reply):
        await _send(response, body, [{"index": 0, "delta": delta, "finish_reason": None}])
        if reply.pause:
            await asyncio.sleep(reply.pause)
    await asyncio.sleep(reply.stall)
    if reply.drop:
        assert request.transport
        request.transport.abort()
        return
    if reply.error_inside:
        error = {"error": {"message": reply.error_inside, "type": "server_error", "code": 500}}
        await response.write(f"data: {json.dumps(error)}\n\n".encode())
        return
    if reply.finish:
        await _send(response, body, [{"index": 0, "delta": {}, "finish_reason": reply.finish}])
    if (body.get("stream_options") or {}).get("include_usage"):
        await _send(response, body, [], usage=_USAGE)
    await response.write(b"data: [DONE]\n\n")


def _deltas(reply: Completion) -> Iterator[dict[str, Any]]:
    """The pieces as real servers cut them: role alone, id and name of a call only once."""
    yield {"role": "assistant", "content": None}
    for thought in reply.thoughts:
        yield {"reasoning_content": thought}
    for piece in reply.texts:
        yield {"content": piece}
    for index, (name, fragments) in enumerate(reply.calls):
        yield {"tool_calls": [_call(index, name, "")]}
        for fragment in fragments:
            yield {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}


def _call(index: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


async def _send(
    response: web.StreamResponse,
    body: dict[str, Any],
    choices: list[dict[str, Any]],
    usage: dict[str, int] | None = None,
) -> None:
    chunk = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": body["model"],
        "choices": choices,
        "usage": usage,
    }
    await response.write(f"data: {json.dumps(chunk)}\n\n".encode())


def _wrong_with(body: dict[str, Any]) -> Iterator[str]:
    """What a strict server would say against this request."""
    if not body.get("model") or not body.get("messages"):
        yield "model and messages are required"
    if "tools" in body and not body["tools"]:
        yield "tools must not be empty"
    if "tool_choice" in body and "tools" not in body:
        yield "tool_choice needs tools"
    previous, open_calls = "system", set[str]()
    for position, message in enumerate(body["messages"]):
        role = message["role"]
        if role not in _ROLES:
            yield f"unknown role {role}"
        if role == "system" and position:
            yield "a system message must come first"
        if role == "tool":
            if message["tool_call_id"] not in open_calls:
                yield "a tool result without its call"
            open_calls.discard(message["tool_call_id"])
        elif open_calls:
            yield "a tool call without its result"
        if role == previous and role in ("user", "assistant"):
            yield f"two {role} messages in a row"
        if role == "assistant" and previous not in ("user", "tool"):
            yield "the user must speak first"
        if any(not part.strip() for part in _texts(message)):
            yield f"a blank text in a {role} message"
        open_calls |= {call["id"] for call in message.get("tool_calls") or ()}
        previous = role
    if previous not in ("user", "tool"):
        yield "the last message must be the user's"


def _files(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [part for part in content or () if not isinstance(part, str) and part["type"] != "text"]


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or () if part["type"] == "text"]
