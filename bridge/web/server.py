"""The application: its routes, its gate, its errors, and how it is served."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from bridge import __version__
from bridge.errors import BridgeError
from bridge.web import pages
from bridge.web.gate import Gate
from bridge.web.render import STATIC, page
from bridge.web.site import Site, Stranger

if TYPE_CHECKING:
    from bridge.app import Bridge

API = "/api/"


def create(bridge: Bridge, *, local: bool = True, names: Iterable[str] = ()) -> FastAPI:
    """The application over an open bridge. ``names``: of the machine, beside the loopback ones, that people use."""
    made = FastAPI(
        title="rhythm-bridge", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json"
    )
    made.state.site = Site(bridge=bridge, local=local, hosts=frozenset(names))
    made.mount("/static", StaticFiles(directory=STATIC), name="static")
    for router in pages.ROUTERS:
        made.include_router(router, include_in_schema=False)
    made.add_exception_handler(Stranger, _stranger)
    made.add_exception_handler(BridgeError, _ours)
    made.add_middleware(Gate, hosts=made.state.site.hosts)
    return made


def _stranger(request: Request, _error: Exception) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse(
            {"error": "whose data? send a token: bridge token new"}, 401, {"WWW-Authenticate": "Bearer"}
        )
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": "/login"})
    return RedirectResponse("/login", 303)


def _ours(request: Request, error: Exception) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse({"error": str(error)}, 400)
    return page("error.html", None, status=400, text=str(error))
