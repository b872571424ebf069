"""Serve the first visit, a demo with made-up data, the login by name and password, and the logout."""

from __future__ import annotations

import contextlib
import math
from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge import config, installation
from bridge.advice import requests
from bridge.auth import access
from bridge.domain.errors import BridgeError
from bridge.domain.languages import ENGLISH, _, current, many, say, told
from bridge.domain.records import Recommendation, User
from bridge.domain.zones import zone_meant, zones_by_place
from bridge.ingest import connecting
from bridge.recordings import recorded_life
from bridge.web.jobs import DONE, Job
from bridge.web.logins import (
    DEVICE_COOKIE_SECONDS,
    TooManyTries,
    cookie_name,
    known_device,
    new_device,
    uncount,
)
from bridge.web.render import page
from bridge.web.state import SESSION_COOKIE, AppState, Visit, Visitor, app_state, csrf, proxy_user

router = APIRouter()
Text = Annotated[str, Form(max_length=300)]
LOOKED_AT = 3  # of the made-up person's sources, the calendars and tasks, tell most hours at which nothing is said
TIME_TO_LOOK = timedelta(minutes=30)  # after which there must still be a suggestion


@router.get("/welcome")
def welcome(request: Request) -> Response:
    """Show the page on which the first user is added, or the progress of making the demo.

    If there are users, or if other machines reach the page, redirect to the start page.
    """
    state = app_state(request)
    if not _is_first(state):
        return RedirectResponse("/", 303)
    running = next(iter(state.jobs.running(None)), None)
    return _welcome_page(request) if running is None else page("demo.html", None, csrf=csrf(request), job=running)


def _is_first(state: AppState) -> bool:
    return state.local and not state.bridge.store.people.users()


def _welcome_page(request: Request, wrong: str | None = None, name: str = "", zone: str = "") -> HTMLResponse:
    return page(
        "welcome.html",
        None,
        status=400 if wrong else 200,
        csrf=csrf(request),
        wrong=wrong,
        name=name,
        zone=zone or config.local_zone(),
        zones=zones_by_place(),
    )


@router.post("/welcome")
def add_first_user(request: Request, name: Text = "", zone: Text = "UTC") -> Response:
    state = app_state(request)
    if not _is_first(state):
        return RedirectResponse("/", 303)
    try:
        user = state.bridge.store.people.add_user(name.strip(), zone_meant(zone), now=installation.now())
        if current() != ENGLISH:  # messages go to no browser that tells its language
            state.bridge.store.people.set_language(user.id, current(), now=installation.now())
    except BridgeError as error:
        return _welcome_page(request, told(error), name, zone)
    return RedirectResponse("/begin", 303)


@router.post("/welcome/demo")
def show_demo(request: Request) -> Response:
    state = app_state(request)
    if not _is_first(state):
        return RedirectResponse("/", 303)
    job = begin_demo(state)
    return page("demo.html", None, csrf=csrf(request), job=job)


@router.get("/welcome/demo/{name}")
def demo_progress(request: Request, name: str) -> Response:
    job = app_state(request).jobs.find(None, name)
    if job is None or job.state == DONE:
        return Response(headers={"HX-Redirect": "/"})
    return page("demo.html", None, csrf=csrf(request), job=job)


@router.get("/welcome/own")
def ask_to_leave(visit: Visitor) -> Response:
    if visit.user.name != recorded_life.DEMO_USER:
        return RedirectResponse("/", 303)
    return page("leave.html", visit, path="/welcome/own")


@router.post("/welcome/own")
def leave_demo(visit: Visitor) -> Response:
    """Delete the demo's made-up user, to begin with real data. Any other user is led to today's page."""
    if visit.user.name != recorded_life.DEMO_USER:
        return RedirectResponse("/", 303)
    connecting.forget(visit.bridge, visit.user)
    answer = RedirectResponse("/welcome", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


@router.get("/login")
def login(request: Request) -> Response:
    state = app_state(request)
    if proxy_user(request) is not None:
        return RedirectResponse("/", 303)
    if _is_first(state):
        return RedirectResponse("/welcome", 303)
    return login_page(request)


def login_page(request: Request, wrong: str | None = None, status: int = 200) -> HTMLResponse:
    """Return the login page. If only this machine is served, it offers the names of users without a password.

    ``wrong`` is the reason why a login failed, or None.
    """
    state = app_state(request)
    store = state.bridge.store
    users = store.people.users() if state.local else []
    free = [user.name for user in users if not store.credentials.is_protected(user.id)]
    provider = "" if state.provider is None else state.provider.host
    return page("login.html", None, status=status, csrf=csrf(request), wrong=wrong, free=free, provider=provider)


@router.post("/login")
def log_in(request: Request, name: Text = "", password: Text = "") -> Response:
    state = app_state(request)
    device = known_device(state.bridge.vault, name, request.cookies.get(cookie_name(name)))
    try:
        counted = state.logins.begin(name, request.client.host if request.client else "", device)
    except TooManyTries as error:
        return too_many_tries(request, error.seconds)
    try:
        user = _authenticate(state, name, password)
    except BridgeError:  # the password was not compared
        uncount(counted)
        raise
    if user is None:
        return login_page(request, _("That name and password do not belong together."), 403)
    uncount(counted)
    return begin_session(request, user)


def too_many_tries(request: Request, seconds: float) -> Response:
    wait = math.ceil(seconds)
    text = many(
        "Too many tries. Wait {count} second, or use a browser in which you have logged in before.",
        "Too many tries. Wait {count} seconds, or use a browser in which you have logged in before.",
        wait,
    )
    answer = login_page(request, text, 429)
    answer.headers["Retry-After"] = str(wait)
    return answer


def begin_session(request: Request, user: User, to: str = "/") -> Response:
    """Begin a session of the browser that sent the request, and lead it to the page ``to``.

    The browser also gets a cookie that marks it as known for the user.
    """
    bridge = app_state(request).bridge
    answer = RedirectResponse(to, 303)
    session = access.begin_session(bridge.store, user, now=installation.now())
    _set_cookie(request, answer, SESSION_COOKIE, session, access.SESSION_LASTS.total_seconds())
    device = new_device(bridge.vault, user.name)
    if device is not None:
        _set_cookie(request, answer, cookie_name(user.name), device, DEVICE_COOKIE_SECONDS)
    return answer


def stay(request: Request, visit: Visit, what: str) -> Response:
    """Redirect to the settings, which say that ``what`` (a way to log in) is saved.

    A browser without a session gets one, because the page now needs a login.
    """
    to = f"/settings?saved={what}#{what}"
    if visit.session or proxy_user(request) is not None:
        return RedirectResponse(to, 303)
    return begin_session(request, visit.user, to=to)


def _authenticate(state: AppState, name: str, password: str) -> User | None:
    store = state.bridge.store
    if state.local and not password:
        free = (user for user in store.people.users() if user.name == name)
        return next((user for user in free if not store.credentials.is_protected(user.id)), None)
    return access.user_with_password(store, name, password)


def _set_cookie(request: Request, answer: Response, name: str, value: str, seconds: float) -> None:
    answer.set_cookie(name, value, max_age=int(seconds), httponly=True, samesite="lax", secure=_is_encrypted(request))


def _is_encrypted(request: Request) -> bool:
    origin = request.headers.get("origin", "") or outside(request)
    return request.url.scheme == "https" or origin.startswith("https:")


def outside(request: Request) -> str:
    """Return the page's address as the browser sees it, without a path. Its scheme is that of ``BRIDGE_URL``."""
    url = app_state(request).bridge.settings.url
    host = request.headers.get("host", "")
    if url is not None and urlsplit(url).netloc.lower() == host.lower():
        return f"{urlsplit(url).scheme}://{host}"
    return f"{request.url.scheme}://{host}"


@router.post("/logout")
def log_out(request: Request) -> Response:
    session = request.cookies.get(SESSION_COOKIE)
    if session:
        app_state(request).bridge.store.access.end_session(access.digest(session))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def begin_demo(state: AppState) -> Job:
    """Start and return a job that stores the data of a made-up user, or return such a job that is running."""
    running = next(iter(state.jobs.running(None)), None)
    return running or state.jobs.start(None, say("A made-up person"), lambda job: _land_demo(state, job))


def _land_demo(state: AppState, job: Job) -> None:
    """Store the demo's user in a time zone where it is now an hour at which the bridge recommends something."""
    # Here if it can be: often it is deep night here, or the person is at an entry of the calendar.
    now = installation.now()
    zones = recorded_life.homes(now, config.local_zone())
    for zone in zones:
        if _lands(state, job, zone, now, stays=False) and _lands(state, job, zone, now, stays=True):
            return
    with state.bridge.store.transaction():
        _land(state, job, zones[0], now)


def _lands(state: AppState, job: Job, zone: str, now: datetime, *, stays: bool) -> bool:
    """Return True if the demo's user gets a recommendation in ``zone``. Unless ``stays``, or without one, undo it."""
    bridge, spoken_to = state.bridge, False
    with contextlib.suppress(_Undone), bridge.store.transaction():
        user = _land(state, job, zone, now, most=None if stays else LOOKED_AT)
        moments = [now] if stays else [now, now + TIME_TO_LOOK]
        advice = (requests.recommend(bridge, user, now=at, seen=False) for at in moments)
        spoken_to = all(isinstance(one, Recommendation) for one in advice)
        if not (stays and spoken_to):
            raise _Undone
    return spoken_to


def _land(state: AppState, job: Job, zone: str, now: datetime, *, most: int | None = None) -> User:
    """Add the demo's user with the data of all sources, or of ``most`` of them, the smallest."""
    user = state.bridge.store.people.add_user(recorded_life.DEMO_USER, zone, now=now)
    sources = sorted(recorded_life.sources(), key=recorded_life.size)[:most]
    for number, source in enumerate(sources):
        job.text = say("Reading eleven weeks of {source}", source=source)
        job.progress(number, len(sources))
        recorded_life.land(state.bridge, user, source, at=recorded_life.last_morning(now, zone))
    return user


class _Undone(Exception):
    """The exception that rolls back the made-up user of the demo."""
