"""Serve routes for what apps push (``/push/SOURCE``, with a token) and for vendors' webhooks.

Signed webhooks come to ``/hooks/SOURCE``, and unsigned ones to ``/hooks/SOURCE/TOKEN``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from bridge import installation, registry
from bridge.domain.errors import BadRecord, Forged, SetupError
from bridge.ingest import webhooks
from bridge.ingest.pushes import PUSH_PATH, Arriving, Grant, PushImporter, granted
from bridge.ingest.webhooks import HOOKS_PATH
from bridge.web import forwarded, refusals
from bridge.web.bounds import PUSH_MAX_BYTES, Bounds
from bridge.web.throttle import ConcurrencyLimit, RateLimit

if TYPE_CHECKING:
    from bridge.installation import Bridge


log = logging.getLogger(__name__)

WEBHOOK_MAX_BYTES = 1 << 16  # real webhooks have some hundred bytes
REQUESTS_PER_MINUTE = 120  # of a sender; an app that catches up sends a body every second or two
PUSHES_AT_ONCE = 4  # of a connection


def _requests() -> RateLimit:
    return RateLimit(allowed=REQUESTS_PER_MINUTE, seconds=60)


@dataclass(frozen=True, kw_only=True)
class PushState:
    """The state that the routes of a server share, with limits per sender. Setting ``arrived`` starts an import."""

    bridge: Bridge
    requests: RateLimit = field(default_factory=_requests)
    bodies: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(PUSHES_AT_ONCE))
    arrived: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Run a thread that imports pushed bodies during a ``with`` block, and wait for its end afterwards."""
        importer = PushImporter(self.bridge, self.arrived)
        importer.start()
        try:
            yield
        finally:
            importer.stop()
            importer.join()


async def push(request: Request) -> JSONResponse:
    """Store a body that an app pushes for the user of its token, and answer once it is on disk. Import follows."""
    state, source = _state(request), request.path_params["source"]
    if refused := _too_often(state, request):
        return refused
    if source not in registry.names("connectors"):
        return refusal(404, f"there is no such source; push to {PUSH_PATH}SOURCE with a name of: bridge sources")
    grant = await run_in_threadpool(granted, state.bridge, source, token_of(request.headers))
    if grant is None:
        return _unknown_token(source)
    if request.headers.get("content-encoding", "identity") != "identity":
        return refusal(415, "send the body as it is, not compressed")
    if not {"content-length", "transfer-encoding"} & set(request.headers):
        return refusal(411, "send a Content-Length")
    try:
        with state.bodies.held(grant.connection.id):
            size, known = await _store(grant, dict(request.headers), request.stream())
    except BadRecord as error:
        return refusal(400, str(error))
    except ClientDisconnect:
        return refusal(400, "the body is cut off; send it again")
    state.arrived.set()
    log.info("push to %s: %d bytes", source, size)
    return JSONResponse({"bytes": size, "known": known})


def token_of(headers: Mapping[str, str]) -> str:
    """Return the token in ``Authorization: Bearer``, or else in ``X-API-Key``, or an empty text without either."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "").strip()


def _unknown_token(source: str) -> JSONResponse:
    text = f"the token is not known; get a token: bridge connect {source} --user NAME --push"
    return refusal(401, text, {"WWW-Authenticate": "Bearer"})


async def _store(grant: Grant, headers: Mapping[str, str], stream: AsyncIterator[bytes]) -> tuple[int, bool]:
    # Waiting for a slow sender holds no thread, because pages need the threads.
    with closing(await run_in_threadpool(Arriving, grant)) as arriving:
        async for piece in stream:
            await run_in_threadpool(arriving.write, piece)
        return await run_in_threadpool(arriving.accept, headers)


async def receive_webhook(request: Request) -> JSONResponse:
    """Store a vendor's webhook as a notice. The next sync fetches the records that the notice names.

    The answer is ``{"new": NUMBER}``. A GET or HEAD only tests the address, and gets 200 and ``{}``.
    """
    state, source, token = _state(request), request.path_params["source"], request.path_params.get("token", "")
    if refused := _too_often(state, request):
        return refused
    if not _takes_webhooks(source, token):
        return refusal(404, f"send webhooks to {HOOKS_PATH}SOURCE, of a source that has webhooks")
    if request.method != "POST":
        return JSONResponse({})
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > WEBHOOK_MAX_BYTES:
        return refusal(413, f"send a Content-Length of at most {WEBHOOK_MAX_BYTES} bytes")
    try:
        body = await request.body()
    except ClientDisconnect:
        return refusal(400, "the body is cut off; send it again")
    return await run_in_threadpool(_take, state.bridge, source, dict(request.headers), body, token)


def _takes_webhooks(source: str, token: str) -> bool:
    if source not in registry.names("connectors"):
        return False
    spec = registry.spec(source)
    return spec.notices is not None and spec.secret_hooks == bool(token)


def _take(bridge: Bridge, source: str, headers: Mapping[str, str], body: bytes, token: str) -> JSONResponse:
    # Missing settings give 503, so that the vendor sends it again.
    try:
        new = webhooks.receive_webhook(bridge, source, headers, body, token=token, now=installation.now())
        return JSONResponse({"new": new})
    except BadRecord as error:
        return refusal(400, str(error))
    except Forged as error:
        return refusal(401, str(error))
    except SetupError:
        log.warning("a webhook of %s arrived, but its settings are missing; see: bridge doctor", source)
        return refusal(503, "webhooks of this source are not set up; see: bridge doctor")


def _state(request: Request) -> PushState:
    state: PushState = request.app.state.pushes
    return state


def _too_often(state: PushState, request: Request) -> JSONResponse | None:
    seconds = state.requests.wait(request.client.host if request.client else "")
    text = f"too often; wait {seconds:.0f} seconds"
    return refusal(429, text, {"Retry-After": str(int(seconds) + 1)}) if seconds else None


def refusal(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a JSON response with the reason ``text`` and the given status."""
    return JSONResponse({"error": text}, status, headers)


ROUTES = (
    Route(PUSH_PATH + "{source}", push, methods=["POST"]),
    Route(HOOKS_PATH + "{source}", receive_webhook, methods=["POST"]),
    Route(HOOKS_PATH + "{source}/{token}", receive_webhook, methods=["GET", "POST"]),  # GET brings HEAD
)


def create(
    bridge: Bridge, *, max_bytes: int = PUSH_MAX_BYTES, requests_per_minute: int = REQUESTS_PER_MINUTE
) -> Starlette:
    """Return the application, which stores what it receives through the open ``bridge``."""
    app = Starlette(
        routes=[*ROUTES, Route("/health", health), Mount("/", refusal(404, f"push to {PUSH_PATH}SOURCE"))],
        middleware=[
            Middleware(forwarded.Forwarded, proxies=forwarded.networks(bridge.settings.trusted_proxies)),
            Middleware(Bounds, push_max_bytes=max_bytes),
        ],
        exception_handlers=refusals.HANDLERS,
        lifespan=_lifespan,
    )
    app.state.pushes = PushState(bridge=bridge, requests=RateLimit(allowed=requests_per_minute, seconds=60))
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    with app.state.pushes.importing():
        yield


def health(request: Request) -> JSONResponse:
    """Return status 200 with ``{"status": "ok"}``, which tells a monitor that the server can store what arrives."""
    return refusals.health(request.app.state.pushes.bridge, "ok")
