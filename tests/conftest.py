"""What all tests share."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from memory.stores.database import Databases
from tests.fakes.engines import ENGINES, databases_on
from tests.fakes.temporary_store import TemporaryStore

# A shell starts background jobs (`make test &`) with SIGINT ignored, and children inherit that: the
# programs that tests interrupt would not notice.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples at each run: a failure is then due to the change at hand. `make explore` draws
# new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("new", derandomize=False, print_blob=True)
settings.load_profile("same")

# No test trusts the world's authorities, whose certificates each HTTP client reads anew: 40 ms.
# Programs that tests start inherit this.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)


def pytest_collection_finish() -> None:
    """Look for garbage more rarely, and never among what is loaded by now: it took an eighth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(autouse=True)
def _plain_log() -> None:
    """Log without the pictures of tracebacks that structlog draws by itself: each took 0.2 s."""
    plain = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.set_exc_info,
            plain,
        ]
    )


@pytest.fixture(autouse=True)
def _no_store_stays() -> Iterator[None]:
    """A store may be made in passing: nobody has to close it."""
    yield
    TemporaryStore.remove_all()


@pytest.fixture(params=ENGINES)
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    """Each engine in turn: what is opened again is there again."""
    with databases_on(request.param, tmp_path) as opened:
        yield opened
