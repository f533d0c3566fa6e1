"""A server that answers everything in the same way, at a time of its own."""

import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Canned:
    """Say with the attributes what it answers; they may be changed at any time."""

    def __init__(self) -> None:
        self.status, self.body, self.error = 403, b"{}", ""
        self.kind = "application/json"
        #: Its date header; None for none.
        self.time: float | None = None
        self.asked = 0
        canned = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                canned.asked += 1
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response_only(canned.status)
                if canned.time is not None:
                    self.send_header("Date", formatdate(canned.time, usegmt=True))
                if canned.error:
                    self.send_header("x-amzn-ErrorType", canned.error)
                self.send_header("Content-Type", canned.kind)
                self.send_header("Content-Length", str(len(canned.body)))
                self.end_headers()
                self.wfile.write(canned.body)

            do_POST = do_GET  # noqa: N815  # http.server asks for it

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
