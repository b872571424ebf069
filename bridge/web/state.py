"""Hold the state that the routes share, find the user of a request, and keep values between two requests."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from fastapi import Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from bridge import installation
from bridge.advice.recommend import person_of
from bridge.auth import access, oidc
from bridge.auth.passkeys import Challenge
from bridge.day.person import Person
from bridge.domain.languages import _, speak
from bridge.domain.records import User
from bridge.domain.slots import local_time, today_at
from bridge.domain.types import Reading
from bridge.web.bounds import ASSISTANTS_PATH, PROGRAM_PATHS, UPLOAD_PATHS
from bridge.web.jobs import Jobs
from bridge.web.logins import LoginLimits
from bridge.web.result_cache import ResultCache
from bridge.web.security import SAFE_METHODS, SAME_SITE
from bridge.web.throttle import ConcurrencyLimit, RateLimit
from bridge.web.today_cache import PlanCache, TodayCache
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.installation import Bridge


PENDING_SECONDS = 600.0
PENDING_MAX = 1_000  # the oldest are forgotten beyond that number

T = TypeVar("T")


class Pending(Generic[T]):
    """A store of values between two requests of one browser, such as the two halves of a login.

    A value can be taken once and for a limited time. Of too many values the oldest is dropped.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, float, T]] = {}
        self._lock = threading.Lock()

    def put(self, browser: str, key: str, value: T) -> None:
        """Keep a value for a browser under a key that is not to be guessed."""
        with self._lock:
            self._kept[key] = (browser, time.monotonic() + PENDING_SECONDS, value)
            if len(self._kept) > PENDING_MAX:
                del self._kept[next(iter(self._kept))]

    def take(self, browser: str, key: str) -> T | None:
        """Return and forget the value of a key. Returns None if it is unknown, taken, too old, or another browser's."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != browser:
                return None
            del self._kept[key]
        return found[2] if time.monotonic() < found[1] else None


SESSION_COOKIE = "bridge_session"
FORM_TYPE = "application/x-www-form-urlencoded"
PROVIDER_AT_ONCE = 8  # requests of logins to a provider, which may be slow
WRONG_NAMES, WRONG_NAMES_SECONDS = 10, 3600.0  # of a user, who tries names to share meters with
UPLOADS_AT_ONCE, EXPORTS_AT_ONCE, TESTS_AT_ONCE = 2, 1, 1  # of a user


@dataclass(frozen=True, kw_only=True)
class AppState:
    """The state that all requests to a web application share, with the open bridge, jobs, caches and limits.

    With ``local``, only this machine is served, and a single user without a password needs no login.
    """

    bridge: Bridge
    local: bool = True
    jobs: Jobs = field(default_factory=Jobs)
    today_cache: TodayCache = field(default_factory=TodayCache)
    plan_cache: PlanCache = field(init=False)
    results: ResultCache = field(default_factory=ResultCache)
    logins: LoginLimits = field(default_factory=LoginLimits)
    provider: oidc.Client | None = field(init=False)
    attempts: Pending[oidc.Attempt] = field(default_factory=Pending)
    challenges: Pending[Challenge] = field(default_factory=Pending)
    asking_provider: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(PROVIDER_AT_ONCE))
    wrong_names: RateLimit = field(default_factory=lambda: RateLimit(allowed=WRONG_NAMES, seconds=WRONG_NAMES_SECONDS))
    uploading: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(UPLOADS_AT_ONCE))
    exporting: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(EXPORTS_AT_ONCE))
    sending: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(TESTS_AT_ONCE))

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan_cache", PlanCache(self.today_cache))
        object.__setattr__(self, "provider", oidc.client_of(self.bridge.settings))


class NotLoggedIn(Exception):
    """A request belongs to no user. A page redirects to the login, and the JSON interface answers 401."""


class NotProved(Exception):
    """A request asks for the password again. Then ``section`` of the settings is shown."""

    def __init__(self, section: str) -> None:
        super().__init__()
        self.section = section


class UnknownUser(Exception):
    """A proxy names a user that does not exist. The answer is 403."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A user's request for their own data, with its time. ``session`` is True if a cookie names the user.

    Pages send ``csrf`` back with every change. ``language`` is None if the user chose none, and ``proved_at`` without a
    session.
    """

    app: AppState
    user: User
    now: datetime
    csrf: str
    session: bool = False
    language: str | None = None
    proved_at: datetime | None = None

    @property
    def bridge(self) -> Bridge:
        return self.app.bridge

    def local(self, at: datetime) -> datetime:
        """Return an instant in the time zone in which the user is then."""
        return local_time(at, self.user.zones)

    @property
    def today(self) -> date:
        return today_at(self.now, self.user.zones)

    def person(self) -> Person:
        """Return the user's data, wishes and learnt habits, as a plan needs them, at the visit's time."""
        known = self.app.today_cache.planning_snapshot(self.bridge, self.user, self.now)
        return person_of(self.bridge, self.user, known)

    def readings_of(self, user: User) -> Mapping[Meter, Reading]:
        """Return meter -> current reading of ``user``, who may be another user, from the cache."""
        return self.app.today_cache.today(self.bridge, self.bridge.travelled(user, at=self.now), self.now).readings


def app_state(request: Request) -> AppState:
    """Return the AppState of the web app that received a request."""
    state: AppState = request.app.state.page
    return state


async def visit_in_language(request: Request) -> Visit:
    """Return the visit of a request as ``current_visit`` does, and set the user's language for its pages."""
    visit = await run_in_threadpool(current_visit, request)
    if visit.language is not None and not request.url.path.startswith(PROGRAM_PATHS):
        speak(visit.language)
    return visit


def current_visit(request: Request) -> Visit:
    """Return the visit of a request, with its user. This function alone decides on access to data.

    Raises NotLoggedIn if the request belongs to no user, UnknownUser if a proxy names a user that does not exist.
    """
    state, now = app_state(request), installation.now()
    user, proved_at = _user(request, state, now)
    if user is None:
        raise NotLoggedIn
    with state.bridge.store.view():
        user = state.bridge.travelled(user, at=now)
        language = state.bridge.store.people.language(user.id)
    is_session = SESSION_COOKIE in request.cookies and proxy_user(request) is None
    return Visit(
        app=state,
        user=user,
        now=now,
        csrf=csrf(request),
        session=is_session,
        language=language,
        proved_at=proved_at,
    )


Visitor = Annotated[Visit, Depends(visit_in_language)]


def _user(request: Request, state: AppState, now: datetime) -> tuple[User | None, datetime | None]:
    """Return the user of a token, of the proxy's header or of a session, and when the session was last proved."""
    store = state.bridge.store
    token, cookie = bearer(request), request.cookies.get(SESSION_COOKIE)
    if token is not None:
        if token.startswith(access.ASSISTANT_TOKEN_PREFIX) and request.scope["path"] != ASSISTANTS_PATH:
            return None, None
        return store.people.present(store.access.token(access.digest(token))), None
    if (name := proxy_user(request)) is not None:
        found = store.people.named(name)
        if found is None:
            raise UnknownUser(name)
        return found, None
    if cookie and (session := access.session_of(store, cookie, now=now)):
        found = store.people.present(session.user_id)
        if found is not None:
            return found, session.proved_at
    alone = store.people.alone() if state.local else None
    return (alone if alone is not None and not store.credentials.is_protected(alone.id) else None), None


def proxy_user(request: Request) -> str | None:
    """Return the user name in the header that a trusted proxy sets, or None without one."""
    return getattr(request.state, "proxy_user", None)


def bearer(request: Request) -> str | None:
    """Return the token in ``Authorization: Bearer``, or None without such a header."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def in_browser(request: Request) -> None:
    """Raise HTTPException 403 for a program with a token. A token must not make further tokens or change a password."""
    if bearer(request) is not None:
        raise HTTPException(403, _("settings are changed in a browser or by commands; see: bridge --help"))


def is_seen(request: Request, visit: Visit) -> bool:
    if bearer(request) is not None:
        return False
    opened = visit.session and request.headers.get("sec-fetch-dest") == "document"
    return opened or request.headers.get("sec-fetch-site", "none" if visit.session else "") in SAME_SITE


def lead_to(request: Request, place: str) -> Response:
    """Return a response that takes the browser to the address ``place``, also for a request by htmx."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


def csrf(request: Request) -> str:
    """Return the CSRF token of a browser's pages, derived from cookies that no script can read."""
    seed = str(request.state.seed)
    return hmac.new(seed.encode(), request.cookies.get(SESSION_COOKIE, "").encode(), hashlib.sha256).hexdigest()


async def check_csrf(request: Request) -> None:
    """Raise HTTPException 403 for a request that changes something without the CSRF token of its page.

    Requests with a bearer token pass, because no other site can make a browser send that header.
    """
    if request.method in SAFE_METHODS or bearer(request) is not None:
        return
    given = request.headers.get("x-csrf-token")
    form = request.scope["path"] not in UPLOAD_PATHS and request.headers.get("content-type", "").startswith(FORM_TYPE)
    if given is None and form:
        given = str((await request.form()).get("csrf"))
    if not hmac.compare_digest((given or "").encode(), csrf(request).encode()):
        raise HTTPException(403, "this page is too old; load it again")
