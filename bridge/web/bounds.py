"""Limit the bodies of requests, and answer unexpected errors, for the pages and for the push server."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge.domain.languages import _
from bridge.web import next_steps
from bridge.web.throttle import allowed_seconds

log = logging.getLogger(__name__)

ASSISTANTS_PATH = "/mcp"
PROGRAM_PATHS = (
    "/static/",
    "/api/",
    "/push/",
    "/hooks/",
    "/health",
    ASSISTANTS_PATH,
)  # programs ask here: errors are JSON, no cookies
UPLOAD_PATHS = frozenset({"/connections/import", "/api/v1/import"})  # bodies go to disk and are never a form
MEGABYTE = 1_000_000
FORM_MAX_BYTES, PUSH_MAX_BYTES, UPLOAD_MAX_BYTES = MEGABYTE, 200 * MEGABYTE, 4_000 * MEGABYTE
DRAIN_SECONDS, DRAIN_MAX_BYTES = 2.0, 1 << 24  # of a body that is still being sent when its refusal is written


class TooLarge(Exception):
    """A request's body is larger than its path accepts."""


class TooSlow(HTTPException):
    """A request's body arrives too slowly, which is answered with HTTP 408.

    The connection is closed, or the rest of the body would be read as the next request.
    """

    def __init__(self) -> None:
        super().__init__(408, "the body arrives too slowly; send it again", {"connection": "close"})


class Bounds:
    """ASGI middleware that limits the size of bodies and the time they take, and answers unexpected errors with 500.

    ``push_max_bytes`` is the largest body under ``/push/``. A larger body gets 413, a slow one 408.
    """

    def __init__(self, app: ASGIApp, *, push_max_bytes: int = PUSH_MAX_BYTES) -> None:
        self._app, self._push_max_bytes = app, push_max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = max_bytes(scope["path"], self._push_max_bytes)
        body = _Body(receive, Headers(scope=scope), limit)
        answer = _Answer(send, body)
        try:
            body.check_length()
            await self._app(scope, body.receive, answer.send)
        except TooLarge:
            await _too_large(scope, limit)(scope, receive, answer.send)
        except Exception as error:  # noqa: BLE001 - the text may be personal, the kind is not
            log.error("%s: unexpected %s", _section(scope["path"]), type(error).__name__)
            if not answer.started:
                text = _("something went wrong here; see: bridge doctor")
                await refusal(scope, 500, text)(scope, receive, answer.send)


class _Body:
    def __init__(self, receive: Receive, headers: Headers, limit: int) -> None:
        self._receive, self._limit = receive, limit
        self._length = headers.get("content-length", "0")
        self._taken, self._waited = 0, 0.0
        self.is_read = self._length == "0" and "transfer-encoding" not in headers

    def check_length(self) -> None:
        if not self._length.isdecimal() or int(self._length) > self._limit:
            raise TooLarge

    async def receive(self) -> Message:
        """Return the next ASGI message of the body. Raises TooSlow or TooLarge."""
        if self.is_read:  # the next message says that the client has gone, which may take any time
            return await self._receive()
        begun = time.monotonic()
        try:
            async with asyncio.timeout(allowed_seconds(self._taken) - self._waited):
                message = await self._next()
        except TimeoutError:
            raise TooSlow from None
        self._waited += time.monotonic() - begun
        if self._taken > self._limit:
            raise TooLarge
        return message

    async def drain(self) -> None:
        """Read and drop the rest of the body, up to a limit of time and of size."""
        enough = self._taken + DRAIN_MAX_BYTES
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while not self.is_read and self._taken < enough:
                    await self._next()
        except TimeoutError:
            return

    async def _next(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        self.is_read = not message.get("more_body", False)
        return message


class _Answer:
    """An answer whose last part is sent only after the rest of the request's body was read and dropped."""

    def __init__(self, send: Send, body: _Body) -> None:
        self._send, self._body, self.started = send, body, False

    async def send(self, message: Message) -> None:
        self.started = True
        is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
        if is_last and not self._body.is_read:
            await self._send({**message, "more_body": True})
            await self._body.drain()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)


def max_bytes(path: str, push_max_bytes: int = PUSH_MAX_BYTES) -> int:
    """Return the size in bytes of the largest body that a path accepts.

    It is ``push_max_bytes`` under ``/push/``, 4 GB for uploads, and 1 MB otherwise.
    """
    if path in UPLOAD_PATHS:
        return UPLOAD_MAX_BYTES
    return push_max_bytes if path.startswith("/push/") else FORM_MAX_BYTES


def refusal(scope: Scope, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with the status and the reason ``text``, as JSON on paths for programs, else as plain text."""
    if scope["path"].startswith(PROGRAM_PATHS):
        return JSONResponse({"error": text}, status, headers)
    return PlainTextResponse(next_steps.as_lines(text), status, headers)


def _too_large(scope: Scope, limit: int) -> Response:
    # Otherwise the rest of the body would be read as the next request.
    next_step = "; let the app send batches" if scope["path"].startswith("/push/") else "; send less at once"
    return refusal(scope, 413, f"the body may have at most {limit} bytes{next_step}", {"connection": "close"})


def _section(path: str) -> str:
    r"""Return the first part of a path for the log. Only plain words are returned, else ``elsewhere``.

    >>> _section("/"), _section("/answer/a-token"), _section("/one\\ntwo")
    ('today', 'answer', 'elsewhere')
    """
    first = path.lstrip("/").partition("/")[0] or "today"
    return first if first.isidentifier() else "elsewhere"
