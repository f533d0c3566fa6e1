"""A bot without any library, for tests of the Bot API server."""

from typing import Any

import httpx

from tests.fakes.botapi import BotApiServer, Json


class PlainBot:
    """The other side: plain HTTP."""

    def __init__(self, server: BotApiServer, http: httpx.AsyncClient) -> None:
        self._server, self._http = server, http

    async def call(self, method: str, **parameters: Any) -> Json:
        """The answer to a call of a method, whether it went well or not."""
        url = f"{self._server.base_url}{self._server.token}/{method}"
        answer = await self._http.post(url, json=parameters)
        document: Json = answer.json()
        assert answer.status_code == document.get("error_code", 200)
        return document

    async def refusal(self, method: str, **parameters: Any) -> str:
        """Number and description of the refusal of a call."""
        document = await self.call(method, **parameters)
        assert not document["ok"]
        return f"{document['error_code']} {document['description']}"
