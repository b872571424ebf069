"""Check requests before the pages, to protect browsers against DNS rebinding and cross-site request forgery."""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge.web.bounds import ASSISTANTS_PATH, PROGRAM_PATHS, refusal

SEED_COOKIE = "bridge_seed"  # the CSRF token of a browser's pages is derived from its value
SEED_BYTES = 24
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
PROXY_HEADERS = ("forwarded", "via", "x-forwarded-", "x-real-ip")  # how the headers that proxies add begin
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SAME_SITE = frozenset({"same-origin", "none"})  # Sec-Fetch-Site of the bridge's pages, and of a typed address
SECURITY_HEADERS = {
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


class Security:
    """ASGI middleware that refuses forged requests and adds security headers to every answer.

    ``names`` are the page's host names. With ``local``, proxies are refused. A foreign host name gets 421, a forged
    request 403.
    """

    def __init__(self, app: ASGIApp, *, local: bool, names: frozenset[str]) -> None:
        self._app, self._local, self._names = app, local, LOOPBACK | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = _seed(Headers(scope=scope).get("cookie", ""))
        seed = given or secrets.token_urlsafe(SEED_BYTES)
        scope.setdefault("state", {})["seed"] = seed

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                _add_headers(scope, headers)
                # A file may come without cookies. A page and a redirect begin something that their browser must end.
                begins = headers.get("content-type", "").startswith("text/html") or "location" in headers
                if given is None and begins and not scope["path"].startswith(PROGRAM_PATHS):
                    secure = "; Secure" if scope["scheme"] == "https" else ""
                    headers.append("set-cookie", f"{SEED_COOKIE}={seed}; Path=/; HttpOnly; SameSite=Lax{secure}")
            await send(message)

        await (self._refused(scope) or self._app)(scope, receive, send_secured)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_name(host):
            return refusal(
                scope, 421, "the page does not go by this name; to allow it, start with: bridge up --name NAME"
            )
        if self._local and _is_forwarded(scope, headers):
            return refusal(scope, 421, "behind a proxy the page needs its name: bridge up --name NAME")
        if scope["method"] in SAFE_METHODS and scope["path"] != ASSISTANTS_PATH:  # whose protocol asks for the check
            return None
        if _is_foreign(headers.get("origin"), host) or headers.get("sec-fetch-site", "none") not in SAME_SITE:
            return refusal(scope, 403, "another site asked for that; open the page itself and try again")
        return None

    def _is_own_name(self, host: str) -> bool:
        try:
            asked = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return asked in self._names or (not self._local and _is_address(asked))


def _is_forwarded(scope: Scope, headers: Headers) -> bool:
    return scope["http_version"] == "1.0" or any(name.startswith(PROXY_HEADERS) for name in headers)


def _is_foreign(origin: str | None, host: str) -> bool:
    try:
        return origin is not None and urlsplit(origin).netloc != host
    except ValueError:
        return True


def _seed(cookie: str) -> str | None:
    try:
        found = SimpleCookie(cookie).get(SEED_COOKIE)
    except CookieError:
        return None
    return found.value if found is not None and len(found.value) >= 32 else None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _add_headers(scope: Scope, headers: MutableHeaders) -> None:
    # Caches may keep static files only, because pages are personal.
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    static = scope["path"].startswith("/static/")
    headers.setdefault("cache-control", "public, max-age=31536000, immutable" if static else "no-store")
