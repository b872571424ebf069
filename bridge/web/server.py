"""The application: its routes, its gate, its errors, and how it is served."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from bridge import __version__
from bridge.errors import BridgeError
from bridge.web import pages
from bridge.web.gate import Gate
from bridge.web.render import STATIC, page
from bridge.web.site import Site, Stranger, genuine, site_of

if TYPE_CHECKING:
    from bridge.app import Bridge

API = "/api/"


def create(bridge: Bridge, *, local: bool = True, names: Iterable[str] = ()) -> FastAPI:
    """The application over an open bridge. ``names``: of the machine, beside the loopback ones, that people use."""
    made = FastAPI(
        title="rhythm-bridge", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json"
    )
    made.state.site = Site(bridge=bridge, local=local)
    made.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in pages.ROUTERS:
        made.include_router(router, include_in_schema=False, dependencies=[Depends(genuine)])
    for router in pages.API:
        made.include_router(router)
    made.add_exception_handler(Stranger, _stranger)
    made.add_exception_handler(BridgeError, _ours)
    made.add_exception_handler(HTTPException, _refused)
    made.add_middleware(Gate, hosts=frozenset(names))
    return made


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
    if request.url.path.startswith(API):
        return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)
    return page("error.html", None, status=error.status_code, text=str(error.detail))


def _ours(request: Request, error: Exception) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse({"error": str(error)}, 400)
    return page("error.html", None, status=400, text=str(error))
