"""The tests in this folder run in simulated time."""

import asyncio
from collections.abc import Callable, Mapping

from tests.fakes.simulated.loop import SimulatedLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The one kind of event loop here."""
    return {"simulated": SimulatedLoop}
