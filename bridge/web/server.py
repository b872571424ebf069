"""Build the application of ``bridge web`` and ``bridge up`` from its routes, and serve it on an address."""

from __future__ import annotations

import mimetypes
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge import __version__, installation, log
from bridge.daemon.housekeeping import drop_uploads
from bridge.domain.languages import ENGLISH, accepted, speaking
from bridge.store.people import composed, is_name
from bridge.web import forwarded, pages, pushes, refusals
from bridge.web.api import data, day, household, past, planning
from bridge.web.bounds import ASSISTANTS_PATH, PROGRAM_PATHS, Bounds
from bridge.web.logins import check_passwords
from bridge.web.render import keep_files, packed_file, static_file
from bridge.web.security import LOOPBACK, Security
from bridge.web.serving import address, listen, run
from bridge.web.state import (
    AppState,
    NotLoggedIn,
    NotProved,
    UnknownUser,
    app_state,
    bearer,
    check_csrf,
    current_visit,
    lead_to,
)
from bridge.web.throttle import ConcurrencyLimit

if TYPE_CHECKING:
    from bridge.daemon.scheduler import Daemon
    from bridge.installation import Bridge
    from bridge.web.lan import Lan


API = "/api/v1"
UNNAMED_PROXY = (
    "name the proxy before the page, or all logins share its limit on wrong passwords: BRIDGE_TRUSTED_PROXIES=127.0.0.1"
)
REASON_MAX_CHARS = 300  # of a request that fails validation

ToolServers = Callable[[str], ASGIApp]  # by the user's name; it may take a while, and raises SetupError
MESSAGES_AT_ONCE = 8  # of a user


class Refused(BaseModel):
    """The JSON answer to a refused request. ``error`` is the reason, and what to do next."""

    error: str


REFUSED: dict[int | str, dict[str, Any]] = {status: {"model": Refused} for status in (400, 401, 422, 503)}
TOKEN = HTTPBearer(auto_error=False, description="bridge token new --user NAME")


def create(
    bridge: Bridge,
    *,
    local: bool = True,
    names: Iterable[str] = (),
    status: Callable[[], str] = lambda: "ok",
    assistants: ToolServers | None = None,
) -> FastAPI:
    """Return the application, which shows the data of ``bridge``. With ``local``, only this machine is served.

    ``names`` are further host names, and ``status()`` is the server's state for monitors. Without ``assistants`` there
    is no address for them. Raises SetupError if the settings of proxies are unreadable.
    """
    app = FastAPI(
        title="rhythm-bridge",
        version=__version__,
        description="The contents of the page as JSON. Make a token with: bridge token new --user NAME",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        lifespan=_lifespan,
    )
    app.state.page = AppState(bridge=bridge, local=local)
    app.state.pushes = pushes.PushState(bridge=bridge)
    app.state.status = status
    app.state.static_files = keep_files()
    app.router.routes.append(Route("/static/{name}", static))
    app.router.routes.extend([*_included().routes, *pushes.ROUTES, Route("/health", health)])
    if assistants is not None:
        app.router.routes.append(Route(ASSISTANTS_PATH, Assistants(servers=assistants), methods=["POST"]))
    for error, handler in refusals.HANDLERS.items():
        app.add_exception_handler(error, handler)
    app.add_exception_handler(NotLoggedIn, _to_login)
    app.add_exception_handler(NotProved, _to_proof)
    app.add_exception_handler(UnknownUser, _refuse_unknown)
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.add_middleware(Speaking)
    app.add_middleware(Bounds)
    app.add_middleware(Security, local=local, names=frozenset(names))
    proxies, header = forwarded.networks(bridge.settings.trusted_proxies), bridge.settings.user_header
    forwarded.check_user_header(header, proxies)
    app.add_middleware(forwarded.Forwarded, proxies=proxies, user_header=header)
    return app


@cache
def _included() -> APIRouter:
    """Return the routes of pages and programs. They are built once, because that takes FastAPI 0.2 seconds."""
    included = APIRouter()
    for router in pages.ROUTERS:
        included.include_router(router, include_in_schema=False, dependencies=[Depends(check_csrf)])
    asked = [Depends(TOKEN), Depends(check_csrf)]
    for router in (day.router, data.router, past.router, planning.router, household.router):
        included.include_router(router, prefix=API, dependencies=asked, responses=REFUSED)
    return included


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    drop_uploads(app.state.page.bridge)
    with app.state.pushes.importing():
        yield
    app.state.page.results.finish()


def static(request: Request) -> Response:
    """Send a static file from memory, in gzip if the browser accepts that. Any other name gets 404."""
    name = request.path_params["name"]
    if name not in request.app.state.static_files:
        raise HTTPException(404)
    kind, headers = mimetypes.guess_type(name)[0], {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed_file(name), media_type=kind, headers=headers | {"Content-Encoding": "gzip"})
    return Response(static_file(name), media_type=kind, headers=headers)


def health(request: Request) -> JSONResponse:
    """Answer a monitor with the server's status, without a login and without anything about a user."""
    return refusals.health(request.app.state.page.bridge, request.app.state.status())


def _to_login(request: Request, _error: Exception) -> Response:
    if request.url.path.startswith((API, ASSISTANTS_PATH)):
        kind = " --assistant" if request.url.path.startswith(ASSISTANTS_PATH) else ""
        text = f"send a token as Authorization: Bearer TOKEN; make a token: bridge token new{kind} --user NAME"
        return JSONResponse({"error": text}, 401, {"WWW-Authenticate": "Bearer"})
    state = app_state(request)
    place = "/welcome" if state.local and not state.bridge.store.people.users() else "/login"
    return lead_to(request, place)


def _to_proof(request: Request, error: Exception) -> Response:
    return lead_to(request, f"/prove?section={error.section if isinstance(error, NotProved) else ''}")


def _refuse_unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, UnknownUser)  # noqa: S101 - registered for this class only
    name = composed(error.name)
    known_as, add = (f" as {name}", name) if is_name(name) else (" by a name that no user here can have", "NAME")
    text = (
        f"your login is known{known_as}, but there is no such user here; ask who runs the bridge for: bridge user add"
    )
    return refusals.refuse(request, 403, f"{text} {add}")


def _refuse_invalid(request: Request, error: Exception) -> Response:
    # Their values are not repeated, because JSON cannot hold every value.
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class only
    reasons = (f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()[:3])
    return refusals.refuse(request, 422, "; ".join(reasons)[:REASON_MAX_CHARS])


@dataclass(frozen=True, slots=True)
class Served:
    """The address to serve on. ``names`` are further host names, and ``lan`` is for serving the home network."""

    host: str
    port: int
    names: Sequence[str] = ()
    lan: Lan | None = None


def serve_page(bridge: Bridge, served: Served, *, assistants: ToolServers | None = None) -> None:
    """Serve the page until SIGTERM or Ctrl-C. ``assistants`` are the servers of tools for ``/mcp``, or None.

    Raises SetupError for a port in use, or if others can reach the page and a user has no way to log in.
    """
    app, listening = opened(bridge, served, assistants=assistants)
    run(app, listening, bridge.settings.trusted_proxies)


def serve_with_daemon(
    bridge: Bridge, served: Served, *, every: int, health: str | None, assistants: ToolServers | None = None
) -> None:
    """Serve the page and run the daemon until SIGTERM or Ctrl-C. The daemon looks for work every ``every`` seconds.

    ``health`` is the address for monitors, or None. Raises SetupError if another daemon runs here, for a port in use,
    or if others can reach the page and a user has no way to log in.
    """
    from bridge.daemon.health import serve_health, status_of
    from bridge.daemon.process import look_until_stopped, only_daemon

    lan = served.lan
    certificate = nullcontext() if lan is None else lan.serve_certificate(served.port and served.port + 1)
    with only_daemon(bridge) as daemon, serve_health(daemon, health, every=every), certificate as shown:
        status = partial(status_of, daemon, every=every)
        app, listening = opened(bridge, served, status=status, assistants=assistants, shown=shown)
        ended = threading.Event()
        ending = threading.Thread(target=_end_daemon, args=(daemon, ended), name="end", daemon=True)
        looking = threading.Thread(target=look_until_stopped, args=(daemon,), kwargs={"every": every}, daemon=True)
        looking.start()
        tls = None if lan is None else lan.context
        run(app, listening, bridge.settings.trusted_proxies, at_signal=partial(_begin, ending), tls=tls)
        ended.set()
        daemon.stopping.set()
        _begin(ending)
        ending.join()


def _begin(ending: threading.Thread) -> None:
    if ending.ident is None:
        ending.start()


def _end_daemon(daemon: Daemon, ended: threading.Event) -> None:
    from bridge.daemon.worker_pool import SHUTDOWN_GRACE_SECONDS, SHUTDOWN_LAST_SECONDS, exit_process

    begun = time.monotonic()
    whole = daemon.stop(SHUTDOWN_GRACE_SECONDS)
    left = SHUTDOWN_GRACE_SECONDS + SHUTDOWN_LAST_SECONDS - (time.monotonic() - begun)
    if not (ended.wait(max(0.0, left)) and whole):
        exit_process()


def opened(
    bridge: Bridge,
    served: Served,
    *,
    status: Callable[[], str] = lambda: "ok",
    assistants: ToolServers | None = None,
    shown: Callable[[socket.socket], str] | None = None,
) -> tuple[FastAPI, socket.socket]:
    """Return the application and a socket that listens for it, and print the page's address.

    ``status`` and ``assistants`` are as in ``create``. ``shown`` makes the text to print from the socket. Raises
    SetupError for a port in use, or if others can reach the page and a user has no way to log in.
    """
    import typer

    names = (*served.names, *_outside_names(bridge.settings.url))
    local = served.host in LOOPBACK and not names
    if not local:
        check_passwords(bridge)
    log.configure(verbose=True)
    known = (*names, socket.gethostname()) if names or not local else ()
    app = create(bridge, local=local, names=known, status=status, assistants=assistants)
    listening = listen(served.host, served.port)
    typer.echo(shown(listening) if shown else f"open {address(listening)}/", err=True)
    if not local and served.host in LOOPBACK and not bridge.settings.trusted_proxies:
        typer.echo(UNNAMED_PROXY, err=True)
    return app, listening


def _outside_names(url: str | None) -> list[str]:
    name = urlsplit(url or "").hostname
    return [name] if name and name not in LOOPBACK else []


class Speaking:
    """ASGI middleware that sets a request's language to the one that the browser prefers. Programs get English."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        programs = scope["path"].startswith(PROGRAM_PATHS)
        language = ENGLISH if programs else accepted(Headers(scope=scope).get("accept-language", ""))
        with speaking(language, None if programs else installation.now().year):
            await self._app(scope, receive, send)


# No OAuth server is named, or some clients no longer send their token (anthropics/claude-code, issue 59467).
@dataclass(frozen=True, kw_only=True)
class Assistants:
    """The ASGI application at ``/mcp`` (Model Context Protocol, streamable HTTP), with a server of tools per user."""

    servers: ToolServers
    running: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(MESSAGES_AT_ONCE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if bearer(request) is None:
            raise NotLoggedIn
        user = (await run_in_threadpool(current_visit, request)).user
        with self.running.held(user.id):
            answer = await run_in_threadpool(self.servers, user.name)
            await answer(scope, receive, send)
