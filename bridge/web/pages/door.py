"""Coming in: the first visit, the login, and leaving."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import available_timezones

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge import access, app
from bridge.cli.people import local_zone
from bridge.errors import BridgeError
from bridge.ports import User
from bridge.web import demo
from bridge.web.jobs import DONE
from bridge.web.render import page
from bridge.web.site import COOKIE, Site, csrf, site_of

router = APIRouter()
Text = Annotated[str, Form(max_length=300)]


@router.get("/welcome")
def welcome(request: Request) -> Response:
    """The first visit; once somebody is there, new people are made at the command line."""
    if not _first(site_of(request)):
        return RedirectResponse("/", 303)
    return _welcome(request)


def _first(site: Site) -> bool:
    return site.local and not site.bridge.store.users()


def _welcome(request: Request, wrong: str | None = None, name: str = "") -> HTMLResponse:
    return page(
        "welcome.html",
        None,
        status=400 if wrong else 200,
        csrf=csrf(request),
        wrong=wrong,
        name=name,
        zone=local_zone(),
        zones=sorted(available_timezones()),
    )


@router.post("/welcome")
def begin(request: Request, name: Text = "", zone: Text = "UTC") -> Response:
    site = site_of(request)
    if not _first(site):
        return RedirectResponse("/", 303)
    try:
        site.bridge.store.add_user(name.strip(), zone, now=app.now())
    except BridgeError as error:
        return _welcome(request, str(error), name)
    return RedirectResponse("/connections", 303)


@router.post("/welcome/demo")
def show_demo(request: Request) -> Response:
    site = site_of(request)
    if not _first(site):
        return RedirectResponse("/", 303)
    job = demo.begin(site)
    return page("demo.html", None, csrf=csrf(request), job=job)


@router.get("/welcome/demo/{name}")
def demo_progress(request: Request, name: str) -> Response:
    job = site_of(request).jobs.of(None, name)
    if job is None or job.state == DONE:
        return Response(headers={"HX-Redirect": "/"})
    return page("demo.html", None, csrf=csrf(request), job=job)


@router.get("/login")
def login(request: Request) -> Response:
    site = site_of(request)
    if _first(site):
        return RedirectResponse("/welcome", 303)
    return _login(request)


def _login(request: Request, wrong: str | None = None, status: int = 200) -> HTMLResponse:
    """On this machine alone, those without a password are offered by name."""
    site = site_of(request)
    store = site.bridge.store
    free = [user.name for user in store.users() if not access.has_password(store, user)] if site.local else []
    return page("login.html", None, status=status, csrf=csrf(request), wrong=wrong, free=free)


@router.post("/login")
def enter(request: Request, name: Text = "", password: Text = "") -> Response:
    site = site_of(request)
    keys = (f"name/{name}", f"from/{request.client.host if request.client else ''}")
    wait = max(site.logins.wait(key) for key in keys)
    if wait:
        return _login(request, f"Too many tries. Wait {wait:.0f} seconds, then try again.", 429)
    user = _known(site, name, password)
    if user is None:
        return _login(request, "That name and password do not belong together.", 403)
    for key in keys:
        site.logins.forget(key)
    answer = RedirectResponse("/", 303)
    _remember(request, answer, access.begin(site.bridge.store, user, now=app.now()))
    return answer


def _known(site: Site, name: str, password: str) -> User | None:
    store = site.bridge.store
    if site.local and not password:
        free = (user for user in store.users() if user.name == name)
        return next((user for user in free if not access.has_password(store, user)), None)
    return access.known(store, name, password)


def _remember(request: Request, answer: Response, token: str) -> None:
    answer.set_cookie(
        COOKIE,
        token,
        max_age=int(access.LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=_is_sealed(request),
    )


def _is_sealed(request: Request) -> bool:
    """Whether the browser speaks TLS: not every proxy says so, but the browser does, with a form of ours."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")


@router.post("/logout")
def leave(request: Request) -> Response:
    session = request.cookies.get(COOKIE)
    if session:
        site_of(request).bridge.store.access.end_session(access.digest(session))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer
