"""`python -m tests.fakes.botapi --port 8081 --token 424242:secret`: the server as a process. Prints
its address on the first line and runs until it is ended."""

import argparse
import asyncio

from tests.fakes.botapi.server import BotApiServer


async def _serve(server: BotApiServer) -> None:
    async with server:
        print(server.root, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.botapi")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--token", default="424242:AAFakeTokenForTestsAAAAAAAAAAAAAAAA")
    parser.add_argument("--username", default="mordecai_test_bot")
    parser.add_argument("--privacy", action="store_true", help="hide a group's ordinary talk")
    given = parser.parse_args()
    server = BotApiServer(
        given.token, username=given.username, privacy=given.privacy, port=given.port
    )
    try:
        asyncio.run(_serve(server))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
