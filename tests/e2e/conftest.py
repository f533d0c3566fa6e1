"""Where the programs under test keep everything."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command import Ran, chat
from tests.fakes.engines import ENGINES


@dataclass(frozen=True)
class Kept:
    """In files, or in a database at an address."""

    data: Path
    url: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """The variables that name the place, apart from the directory."""
        return {"MORDECAI_DATABASE_URL": self.url} if self.url else {}

    async def chat(self, *lines: str, user: int = 1001, **settings: str) -> Ran:
        """Feed lines to `mordecai chat`, with settings as variables."""
        return await chat(self.data, *lines, user=user, **self.settings, **settings)

    def contents(self) -> str:
        """Everything that is kept."""
        files = b"".join(path.read_bytes() for path in self.data.rglob("*") if path.is_file())
        if not self.url:
            return files.decode("utf-8", "replace")
        from tests.fakes.postgres import all_rows

        return files.decode("utf-8", "replace") + all_rows(self.url)


@pytest.fixture(params=ENGINES)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    """Each engine in turn."""
    if request.param == "sqlite":
        yield Kept(tmp_path / "data")
        return
    # Most tests need no server.
    from tests.fakes.postgres import own_database

    with own_database() as url:
        yield Kept(tmp_path / "data", url)
