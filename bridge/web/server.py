"""The application: its routes, its gate, its errors, and how it is served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from bridge import __version__
from bridge.cli.show import writable
from bridge.errors import BridgeError, TryLater
from bridge.housekeeping import drop_uploads
from bridge.push.landing import Landing
from bridge.web import api, pages, pushes
from bridge.web.gate import WITHOUT, Gate
from bridge.web.render import STATIC, page
from bridge.web.site import Site, Stranger, genuine, site_of

if TYPE_CHECKING:
    from bridge.app import Bridge

API = "/api/v1"
LONGEST = 300  # characters of why something is refused


class Refused(BaseModel):
    """Why not, and what to do next."""

    error: str


REFUSED: dict[int | str, dict[str, Any]] = {status: {"model": Refused} for status in (400, 401, 422)}
TOKEN = HTTPBearer(auto_error=False, description="bridge token new --user NAME")


def create(bridge: Bridge, *, local: bool = True, names: Iterable[str] = ()) -> FastAPI:
    """The application over an open bridge. ``names``: of the machine, beside the loopback ones, that people use."""
    made = FastAPI(
        title="rhythm-bridge",
        version=__version__,
        description="What the page shows, as JSON. Tokens are made with: bridge token new --user NAME",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        lifespan=_living,
    )
    made.state.site = Site(bridge=bridge, local=local)
    made.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in pages.ROUTERS:
        made.include_router(router, include_in_schema=False, dependencies=[Depends(genuine)])
    for router in api.ROUTERS:
        made.include_router(router, prefix=API, dependencies=[Depends(TOKEN), Depends(genuine)], responses=REFUSED)
    made.include_router(pushes.router, include_in_schema=False)
    made.add_exception_handler(Stranger, _stranger)
    made.add_exception_handler(BridgeError, _ours)
    made.add_exception_handler(HTTPException, _refused)
    made.add_exception_handler(RequestValidationError, _unfit)
    made.add_middleware(Gate, local=local, names=frozenset(names))
    return made


@asynccontextmanager
async def _living(made: FastAPI) -> AsyncIterator[None]:
    """Beside the routes a thread lands what is pushed; uploads that a crash has left go first."""
    site: Site = made.state.site
    drop_uploads(site.bridge)
    landing = Landing(site.bridge, site.arrived)
    landing.start()
    yield
    landing.stop()
    landing.join()


def _stranger(request: Request, _error: Exception) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse(
            {"error": "whose data? send a token: bridge token new"}, 401, {"WWW-Authenticate": "Bearer"}
        )
    site = site_of(request)
    place = "/welcome" if site.local and not site.bridge.store.users() else "/login"
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for nothing else
    return _said(request, error.status_code, str(error.detail), error.headers)


def _ours(request: Request, error: Exception) -> Response:
    return _said(request, 503 if isinstance(error, TryLater) else 400, str(error))


def _unfit(request: Request, error: Exception) -> Response:
    """What was sent is not repeated: it may hold what no answer can, as a number that is none or half a character."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for nothing else
    told = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3])
    return _said(request, 422, "; ".join(told)[:LONGEST])


def _said(request: Request, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Why not: as JSON to programs, as plain text to a part of a page, else on a page."""
    if request.url.path.startswith(WITHOUT):
        return JSONResponse({"error": writable(text)}, status, headers)
    if "hx-request" in request.headers:
        return PlainTextResponse(writable(text), status)
    return page("error.html", None, status=status, text=text)
