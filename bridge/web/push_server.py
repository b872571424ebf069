"""Build the application of ``bridge serve-push``, which has the routes for pushes and webhooks and no pages.

Only Starlette is imported. The pages' modules would double the server's start and its memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from bridge.ingest.pushes import PUSH_PATH
from bridge.web import forwarded, refusals
from bridge.web.bounds import PUSH_MAX_BYTES, Bounds
from bridge.web.pushes import REQUESTS_PER_MINUTE, ROUTES, PushState, refusal
from bridge.web.throttle import RateLimit

if TYPE_CHECKING:
    from bridge.installation import Bridge


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
    """Return status 200 with ``{"status": "ok"}``, by which a monitor sees that the server can store what arrives."""
    return refusals.health(request.app.state.pushes.bridge, "ok")
