"""The bot in a process that notes when calls on its stores were under way: `python -P timed.py
FILE` gets a line for each, with the monotonic times of its beginning and its end."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    """Run the bot."""
    from bot.__main__ import command

    noted = Path(sys.argv.pop(1)).open("w", buffering=1)  # noqa: SIM115 - until the end
    hand_over = asyncio.BaseEventLoop.run_in_executor

    def note(loop: Any, executor: Any, work: Any, *values: Any) -> Any:
        began = time.monotonic()
        future = hand_over(loop, executor, work, *values)
        if executor is not None:  # the loop's own serves no store
            future.add_done_callback(lambda _: noted.write(f"{began} {time.monotonic()}\n"))
        return future

    asyncio.BaseEventLoop.run_in_executor = note  # type: ignore[assignment, method-assign]
    sys.argv.append("run")
    command()


if __name__ == "__main__":
    main()
