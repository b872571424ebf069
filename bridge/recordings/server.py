"""Serve HTTP on this machine in a vendor's place, with answers of a function and with added faults."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An HTTP request. ``query`` holds the last value of each field, and ``repeated`` all of its values."""

    method: str
    path: str
    query: Mapping[str, str]
    repeated: Mapping[str, tuple[str, ...]]
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """Return the fields of a form in the body. Of a repeated field, the last value counts."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer of an application, with any faults in its transmission."""

    status: int = 200
    body: Any = None  # dict or list: sent as JSON; bytes: as they are; None: empty
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False  # announce the whole body, send half of it, and hang up
    drip: float = 0.0  # seconds before every byte of the body

    def encoded(self) -> bytes:
        """Return the body as bytes, with other values as JSON."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Application = Callable[[Request], Answer]
Fault = Callable[[Request], Answer | None]  # an answer instead of the application's, or None to let it through


class LabServer(AbstractContextManager["LabServer"]):
    """An HTTP server on a free port of 127.0.0.1, which answers requests by the function ``application`` until closed.

    The first of ``faults`` that returns an answer replaces it. ``asked`` lists each request's method, path and query.
    """

    def __init__(self, application: Application) -> None:
        self.application = application
        self.faults: list[Fault] = []
        self.asked: list[str] = []
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the server's address, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, request: Request, line: str) -> Answer:
        """Return the first answer of a fault, else the application's. The request's ``line`` is added to ``asked``."""
        self.asked.append(line)
        for fault in list(self.faults):
            answer = fault(request)
            if answer is not None:
                return answer
        return self.application(request)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing when a client breaks off, because tests kill clients on purpose."""


def _handler(lab: LabServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # buffered, because unbuffered writes wait 40 ms for a delayed ACK
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            pairs = parse_qsl(parts.query, keep_blank_values=True)
            repeated: dict[str, tuple[str, ...]] = {}
            for name, value in pairs:
                repeated[name] = (*repeated.get(name, ()), value)
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(
                method=self.headers.get("X-HTTP-Method-Override") or self.command,
                path=parts.path,
                query=dict(pairs),
                repeated=repeated,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(length) if length else b"",
            )
            self._send(lab.answer(request, f"{request.method} {self.path}"))

        def _send(self, answer: Answer) -> None:
            content = answer.encoded()
            self.send_response(answer.status)
            headers = {"Content-Type": "application/json; charset=utf-8", **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self._write(content[: len(content) // 2] if answer.cut else content, answer.drip)
            self.close_connection = self.close_connection or answer.cut

        def _write(self, content: bytes, drip: float) -> None:
            for piece in (content[at : at + 1] for at in range(len(content))) if drip else [content]:
                self.wfile.flush()
                time.sleep(drip)
                self.wfile.write(piece)
            self.wfile.flush()

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = _serve  # noqa: N815 - the names are the standard library's
        do_PROPFIND = do_REPORT = do_MKCALENDAR = _serve  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
            """Log nothing, because request lines of a health API are personal."""

    return Handler
