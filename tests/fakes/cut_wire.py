"""A wire to a PostgreSQL server that can be cut, also in the middle of what is said."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

from tests.fakes.postgres import server_url


class CutWire:
    """Listens where the server does not, and hands on what it hears as long as it is whole."""

    def __init__(self, url: str = "") -> None:
        """`url` is that of another server than the tests' own."""
        given = conninfo_to_dict(url or server_url())
        self._server = str(Path(str(given["host"])) / f".s.PGSQL.{given.get('port', 5432)}")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._word: bytes | None = None
        #: Servers whose next answer nobody hears.
        self._unheard: set[socket.socket] = set()
        self._arrives = self._quietly = self._is_cut = False
        #: How often a connection was asked for.
        self.asked = 0
        threading.Thread(target=self._accept, daemon=True).start()
        user, database = given.get("user", "postgres"), given.get("dbname", "postgres")
        self.url = (
            f"postgresql://{quote(str(user))}@127.0.0.1:{self._port}/{quote(str(database))}"
            "?sslmode=disable&gssencmode=disable"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Break all connections; new ones are refused until it is mended."""
        self._is_cut = True
        for pair in self._pairs:
            _close(*pair)
        self._pairs.clear()

    def mend(self) -> None:
        self._is_cut = False

    def cut_at(self, word: bytes, *, arrives: bool, quietly: bool = False) -> None:
        """Break the connection on which the word is said next: before the server hears it, or when
        it `arrives` and is answered. If `quietly`, the server does not notice. New connections are
        accepted."""
        self._word, self._arrives, self._quietly = word, arrives, quietly

    @property
    def was_cut(self) -> bool:
        """True if the word was said."""
        return self._word is None

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.asked += 1
                if self._is_cut:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._server)
                except OSError:  # it does not run
                    _close(client, server)
                    continue
                self._pairs.append((client, server))
                for a, b in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(a, b, client), daemon=True).start()

    def _pass_on(self, source: socket.socket, to: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while heard := source.recv(65_536):
                if source in self._unheard:
                    break
                if source is client and self._word and self._word in heard:
                    self._word = None
                    if self._quietly:
                        _close(client)
                        return
                    if not self._arrives:
                        break
                    self._unheard.add(to)
                to.sendall(heard)
        _close(source, to)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        # What waits in accept or recv in another thread does not notice a close alone.
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
