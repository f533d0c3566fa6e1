"""A strict Bot API server on 127.0.0.1: what Telegram answers, and what its users do.

    async with BotApiServer(token) as server:
        ...  # a bot with base_url=server.base_url
        await server.user(1001).says("hi")
        [reply] = await server.replies_to(1001, 1)

Nothing is shared between two servers. `python -m tests.fakes.botapi` starts one as a process, which
a test in another process drives over HTTP (see `control`)."""

from tests.fakes.botapi.faults import Fault
from tests.fakes.botapi.people import Group, Person
from tests.fakes.botapi.server import BotApiServer, Call
from tests.fakes.botapi.world import Json, World

__all__ = ["BotApiServer", "Call", "Fault", "Group", "Json", "Person", "World"]
