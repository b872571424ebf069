"""The HTTP server that takes pushes in, and beside it the thread that lands them."""

from __future__ import annotations

import json
import logging
import signal
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bridge import app, registry, webhooks
from bridge.channels import HOOKS
from bridge.errors import BadRecord, Forged, SetupError, TryLater
from bridge.push.inbox import granted, take_in
from bridge.push.landing import Landing
from bridge.throttle import Throttle

log = logging.getLogger(__name__)

PATH = "/push/"
LONGEST_NOTICE = 1 << 16  # bytes; real ones have some hundred
CHUNK = 1 << 16
OFTEN = 120  # requests a minute of one sender; an app that catches up sends a body every second or two
DRAINED = 1 << 24  # bytes of a refused body that are read, so that the sender sees the answer

Answer = tuple[int, dict[str, Any]]


class TooLarge(Exception):
    """The body is larger than the server takes."""


class Receiver(ThreadingHTTPServer):
    """Takes pushes in, of each sender at most ``often`` a minute; ``arrived`` is set with each."""

    daemon_threads = True

    def __init__(self, bridge: app.Bridge, address: tuple[str, int], *, limit: int, often: int = OFTEN) -> None:
        super().__init__(address, _Handler)
        self.bridge, self.limit = bridge, limit
        self.pushes = Throttle(allowed=often, seconds=60)
        self.arrived = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base's shape
        log.warning("push: a request broke off")


class _Handler(BaseHTTPRequestHandler):
    """One sender. Answers are small JSON documents; nothing that was sent is written into a log."""

    server: Receiver
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "rhythm-bridge", ""
    timeout = 60
    _taken = 0  # bytes of this request's body that were read

    def do_GET(self) -> None:
        self._send(200 if self.path == "/health" else 404, {"status": "ok" if self.path == "/health" else "not found"})

    def do_POST(self) -> None:
        self._taken = 0
        status, answer = self._answer()
        if status != 200:
            self.close_connection = True
        self._send(status, answer)
        if status != 200:
            self._drain()
        log.info("push: %d, %d bytes", status, self._taken)

    def _answer(self) -> Answer:
        """Who asks too often waits, before anything is looked up."""
        if wait := self.server.pushes.wait(self.client_address[0]):
            return too_often(wait)
        headers = {name.lower(): value for name, value in self.headers.items()}
        if self.path.startswith(HOOKS):
            return self._notice(self.path.partition("?")[0].removeprefix(HOOKS), headers)
        source = self.path.partition("?")[0].removeprefix(PATH)
        if not self.path.startswith(PATH) or source not in registry.names("connectors"):
            return 404, {"error": f"push to {PATH}SOURCE"}
        into = granted(self.server.bridge, source, token_of(headers))
        if into is None:
            return unknown(source)
        refused = self._unfit(headers)
        if refused is not None:
            return refused
        try:
            size, known = take_in(into, headers, self._body(headers))
        except TooLarge:
            return self._too_large()
        except BadRecord as error:
            return 400, {"error": str(error)}
        self.server.arrived.set()
        return 200, {"bytes": size, "known": known}

    def _notice(self, source: str, headers: Mapping[str, str]) -> Answer:
        """A vendor's webhook: checked by its signature, written down, followed by the next sync."""
        if source not in registry.names("connectors") or registry.spec(source).notices is None:
            return 404, {"error": f"webhooks go to {HOOKS}SOURCE, of a source that has them"}
        length = headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LONGEST_NOTICE:
            return 413, {"error": f"a notice has at most {LONGEST_NOTICE} bytes, and says how many"}
        try:
            body = b"".join(self._exactly(int(length)))
        except BadRecord as error:
            return 400, {"error": str(error)}
        return noticed(self.server.bridge, source, headers, body)

    def _unfit(self, headers: Mapping[str, str]) -> Answer | None:
        """What can be refused before the body is read."""
        if headers.get("content-encoding", "identity") != "identity":
            return 415, {"error": "send it as it is, not packed"}
        length = headers.get("content-length")
        if _chunked(headers):
            return None
        if length is None:
            return 411, {"error": "say how long it is"}
        if not length.isdecimal():
            return 400, {"error": "its length is no number"}
        return self._too_large() if int(length) > self.server.limit else None

    def _too_large(self) -> Answer:
        return 413, {"error": f"at most {self.server.limit} bytes; switch on the automation's batches"}

    def _body(self, headers: Mapping[str, str]) -> Iterator[bytes]:
        """The body piece by piece. Raises BadRecord when it is cut off and TooLarge when it grows beyond the limit."""
        if not _chunked(headers):
            yield from self._exactly(int(headers["content-length"]))
            return
        while (size := self._chunk_size()) > 0:
            if self._taken + size > self.server.limit:
                raise TooLarge
            yield from self._exactly(size)
            self.rfile.readline(CHUNK)
        while self.rfile.readline(CHUNK).strip():  # trailers
            pass

    def _chunk_size(self) -> int:
        try:
            return int(self.rfile.readline(CHUNK).partition(b";")[0].strip(), 16)
        except ValueError:
            raise BadRecord("it is cut off") from None

    def _exactly(self, length: int) -> Iterator[bytes]:
        while length > 0:
            chunk = self.rfile.read(min(length, CHUNK))
            if not chunk:
                raise BadRecord("it is cut off")
            length -= len(chunk)
            self._taken += len(chunk)
            yield chunk

    def _drain(self) -> None:
        """Read on a little after a refusal: a sender that is still writing would see a reset instead of the answer."""
        self.connection.settimeout(1)
        left = DRAINED
        try:
            while left > 0 and (chunk := self.rfile.read1(min(left, CHUNK))):
                left -= len(chunk)
        except OSError:
            pass

    def _send(self, status: int, answer: Mapping[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        if status == 429:
            self.send_header("Retry-After", "60")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's shape
        """The base writes addresses and paths: we write sizes."""


def _chunked(headers: Mapping[str, str]) -> bool:
    return headers.get("transfer-encoding", "").strip().lower() == "chunked"


def token_of(headers: Mapping[str, str]) -> str:
    """From ``Authorization: Bearer`` or ``X-API-Key``."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "").strip()


def unknown(source: str) -> Answer:
    """What a sender without a good token is told."""
    return 401, {"error": f"the token is not known; get one: bridge connect {source} --user NAME --push"}


def too_often(wait: float) -> Answer:
    return 429, {"error": f"too often; wait {wait:.0f} seconds"}


def noticed(bridge: app.Bridge, source: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Take a webhook of a source that has them; ``headers``: names in lower case."""
    try:
        new = webhooks.take(bridge, source, headers, body, now=app.now())
    except BadRecord as error:
        return 400, {"error": str(error)}
    except Forged as error:
        return 401, {"error": str(error)}
    except SetupError:
        log.warning("push: a webhook of %s came, and its settings are not there; see: bridge doctor", source)
        return 503, {"error": "not set up"}
    except TryLater as error:
        return 503, {"error": str(error)}
    return 200, {"new": new}


def serve(server: Receiver) -> None:
    """Answer until SIGTERM or Ctrl-C; what is landing then is finished, and the rest lands at the next start."""
    landing = Landing(server.bridge, server.arrived)

    def stop(number: int, frame: object) -> None:  # noqa: ARG001 - the signal's shape
        landing.stop()
        threading.Thread(target=server.shutdown, daemon=True).start()  # it waits for the loop that we are in

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    landing.start()
    server.serve_forever()
    landing.join()
