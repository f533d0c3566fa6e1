"""Bedrock's InvokeModel for embedding models, on a real socket: Titan takes one text a request,
Cohere many."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from tests.fakes.embedders import vector


@dataclass
class BedrockEmbeddings:
    """Use as `async with`. `requests` are the model ids and bodies that came in; with a `refusal`
    (a status and the name of an exception) nothing else is answered."""

    url: str = ""
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refusal: tuple[int, str] | None = None
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/model/{model}/invoke", self._invoke)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._runner
        # The client's idle connections are its own business.
        await asyncio.shield(self._runner.cleanup())

    async def _invoke(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        model = request.match_info["model"]
        self.requests.append((model, body))
        if self.refusal:
            status, name = self.refusal
            return web.json_response(
                {"message": "no"}, status=status, headers={"x-amzn-ErrorType": name}
            )
        if model.startswith("amazon.titan"):
            return web.json_response({"embedding": vector(body["inputText"])})
        return web.json_response({"embeddings": [vector(one) for one in body["texts"]]})
