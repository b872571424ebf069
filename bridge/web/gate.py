"""What every request passes before it reaches a route, and what every answer carries.

Names other than ours are refused (DNS rebinding), changes that another site asks a browser for (cross-site request
forgery), and bodies larger than a route takes.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

SEED = "bridge_seed"  # the cookie that a page's token is made of
WITHOUT = ("/static/", "/api/", "/push/", "/hooks/")  # no browser pages: no cookie
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
FORWARDED = ("forwarded", "via", "x-forwarded-", "x-real-ip")  # how headers begin that proxies add
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OWN = frozenset({"same-origin", "none"})  # Sec-Fetch-Site of our own pages, and of what a person typed
MEGABYTE = 1_000_000
UPLOADS = frozenset({"/connections/import", "/api/v1/import"})  # their bodies go to disk, and are never a form
UPLOAD, PUSHED = 4_000 * MEGABYTE, 200 * MEGABYTE
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class TooLarge(Exception):
    """More was sent than the route takes."""


class Gate:
    """ASGI middleware. ``names``: under which people come, beside addresses in figures; ``local``: loopback only."""

    def __init__(self, app: ASGIApp, *, local: bool, names: frozenset[str]) -> None:
        self._app, self._local, self._names = app, local, LOOPBACK | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False
        given = _seed(Headers(scope=scope).get("cookie", ""))
        seed = given or secrets.token_urlsafe(24)
        scope.setdefault("state", {})["seed"] = seed

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                _dress(scope, headers)
                if given is None and not scope["path"].startswith(WITHOUT):
                    secure = "; Secure" if scope["scheme"] == "https" else ""
                    headers.append("set-cookie", f"{SEED}={seed}; Path=/; HttpOnly; SameSite=Lax{secure}")
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await refused(scope, receive, sending)
            return
        try:
            await self._app(scope, _limited(receive, limit_of(scope["path"])), sending)
        except TooLarge:
            await _too_large(scope)(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - the text may be personal, the kind is not
            log.error("%s: unexpected %s", _place(scope["path"]), type(error).__name__)
            if not begun:
                await _said(scope, 500, "something went wrong here; see: bridge doctor")(scope, receive, sending)

    def _is_ours(self, host: str) -> bool:
        """A name that was rebound is never an address in figures."""
        try:
            asked = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return asked in self._names or (not self._local and _is_address(asked))

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return _said(scope, 421, "this is not its name; see: bridge web --help")
        if self._local and _is_forwarded(scope, headers):
            return _said(scope, 421, "behind a proxy it has to be told its name: bridge web --name NAME")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > limit_of(scope["path"]):
            return _too_large(scope)
        if scope["method"] in SAFE:
            return None
        if _is_foreign(headers.get("origin"), host) or headers.get("sec-fetch-site", "none") not in OWN:
            return _said(scope, 403, "another site asked for that")
        return None


def _is_forwarded(scope: Scope, headers: Headers) -> bool:
    """nginx adds nothing by itself, but speaks HTTP/1.0 to what is behind it: no browser has for decades."""
    return scope["http_version"] == "1.0" or any(name.startswith(FORWARDED) for name in headers)


def _is_foreign(origin: str | None, host: str) -> bool:
    try:
        return origin is not None and urlsplit(origin).netloc != host
    except ValueError:
        return True


def _place(path: str) -> str:
    """Where something went wrong, for the log: the first part of a path, unless somebody made up an odd one.

    >>> _place("/"), _place("/answer/a-token"), _place("/one\\ntwo")
    ('today', 'answer', 'elsewhere')
    """
    first = path.lstrip("/").partition("/")[0] or "today"
    return first if first.isidentifier() else "elsewhere"


def _said(scope: Scope, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """Why not: as JSON to programs, to people as plain text."""
    if scope["path"].startswith(WITHOUT):
        return JSONResponse({"error": text}, status, headers)
    return PlainTextResponse(text, status, headers)


def _too_large(scope: Scope) -> Response:
    """What is still being sent would be taken for the next request."""
    return _said(scope, 413, "that is too large", {"connection": "close"})


def _seed(cookie: str) -> str | None:
    try:
        found = SimpleCookie(cookie).get(SEED)
    except CookieError:
        return None
    return found.value if found is not None and len(found.value) >= 32 else None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def limit_of(path: str) -> int:
    if path in UPLOADS:
        return UPLOAD
    return PUSHED if path.startswith("/push/") else MEGABYTE


def _limited(receive: Receive, limit: int) -> Receive:
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise TooLarge
        return message

    return counted


def _dress(scope: Scope, headers: MutableHeaders) -> None:
    """What an answer carries: our pages are personal and kept nowhere, static files for as long as you like."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    static = scope["path"].startswith("/static/")
    headers.setdefault("cache-control", "public, max-age=31536000, immutable" if static else "no-store")
