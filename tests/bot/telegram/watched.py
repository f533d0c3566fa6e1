"""Requests that a test can look at."""

import asyncio
from typing import Any

from telegram.error import TelegramError
from telegram.request import HTTPXRequest


class Watched(HTTPXRequest):
    """Requests, and what became of those that failed: the method and the failure at bottom."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.failures: list[tuple[str, str]] = []

    async def do_request(self, url: str, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """See BaseRequest."""
        try:
            return await super().do_request(url, *args, **kwargs)
        except TelegramError as failure:
            self.failures.append((url.rpartition("/")[2], type(failure.__cause__).__name__))
            raise

    async def failed(self, method: str, failure: str) -> None:
        """Return once a call of this method has failed so."""
        async with asyncio.timeout(15):
            while (method, failure) not in self.failures:
                await asyncio.sleep(0.01)
