"""What every route of one running server shares, and who is visiting."""

from __future__ import annotations

import hashlib
import hmac
import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, HTTPException, Request

from bridge import access, app
from bridge.ports import User
from bridge.push.server import OFTEN
from bridge.throttle import Throttle
from bridge.web.gate import OWN, SAFE, UPLOADS
from bridge.web.jobs import Jobs
from bridge.web.sight import Sights

if TYPE_CHECKING:
    from bridge.app import Bridge

COOKIE = "bridge_session"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, kw_only=True)
class Site:
    """``local``: only this very machine reaches it, and whoever has no password needs none."""

    bridge: Bridge
    local: bool = True
    jobs: Jobs = field(default_factory=Jobs)
    sights: Sights = field(default_factory=Sights)
    logins: Throttle = field(default_factory=lambda: Throttle(allowed=5, seconds=300))
    arrived: threading.Event = field(default_factory=threading.Event)
    pushes: Throttle = field(default_factory=lambda: Throttle(allowed=OFTEN, seconds=60))


class Stranger(Exception):
    """Nobody is known to be there: a page leads to the login, the JSON door answers 401."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A person looking at their own data. ``csrf`` is what their pages send back with every change."""

    site: Site
    user: User
    now: datetime
    csrf: str
    session: bool = False  # they have logged in, and may leave

    @property
    def bridge(self) -> Bridge:
        return self.site.bridge


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def visit(request: Request) -> Visit:
    """The one place that says whose data a request may touch. Raises Stranger."""
    site, now = site_of(request), app.now()
    user = _visitor(request, site, now)
    if user is None:
        raise Stranger
    return Visit(site=site, user=user, now=now, csrf=csrf(request), session=COOKIE in request.cookies)


Visitor = Annotated[Visit, Depends(visit)]


def _visitor(request: Request, site: Site, now: datetime) -> User | None:
    """By token, by session, or the only person there is where none is needed; a wrong token is nobody's."""
    store = site.bridge.store
    people = store.users()
    token, session = bearer(request), request.cookies.get(COOKIE)
    if token is not None:
        number = store.access.token(access.digest(token))
        return next((user for user in people if user.id == number), None)
    if session:
        number = store.access.session(access.digest(session), now=now)
        found = next((user for user in people if user.id == number), None)
        if found is not None:
            return found
    alone = site.local and len(people) == 1 and not access.has_password(store, people[0])
    return people[0] if alone else None


def bearer(request: Request) -> str | None:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def is_looking(request: Request, visit: Visit) -> bool:
    """Whether the person sees the answer: they have opened a page of ours. A program with a token has not, nor has
    another site that makes a browser fetch from us; where nobody logs in only the browser can tell the two apart.
    """
    if bearer(request) is not None:
        return False
    opened = visit.session and request.headers.get("sec-fetch-dest") == "document"
    return opened or request.headers.get("sec-fetch-site", "none" if visit.session else "") in OWN


def csrf(request: Request) -> str:
    """What only our own pages know of this browser: made of a cookie that no script can read."""
    seed = str(request.state.seed)
    return hmac.new(seed.encode(), request.cookies.get(COOKIE, "").encode(), hashlib.sha256).hexdigest()


async def genuine(request: Request) -> None:
    """Refuses a change that does not carry its page's token; a program's own token cannot be sent by a browser.

    An upload carries it in a header: nothing of its body is read before it is known whose it is.
    """
    if request.method in SAFE or bearer(request) is not None:
        return
    given = request.headers.get("x-csrf-token")
    form = request.scope["path"] not in UPLOADS and request.headers.get("content-type", "").startswith(FORM)
    if given is None and form:
        given = str((await request.form()).get("csrf"))
    if not hmac.compare_digest((given or "").encode(), csrf(request).encode()):
        raise HTTPException(403, "this page has grown too old; load it again")
