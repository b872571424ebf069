"""Send plain GET requests without the work that ``requests`` does for requests of any kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from requests import PreparedRequest, Request, Response, Session
from requests.cookies import extract_cookies_to_jar

# An address that ``requests`` would send as it is: https://datatracker.ietf.org/doc/html/rfc3986#section-3
_PLAIN_ADDRESS = re.compile(
    r"https?://[a-z0-9][a-z0-9.-]*(?::\d+)?/(?!.*/\.)(?!\.)(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*"
    r"(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*)?",
    re.ASCII,
)
PLAIN_OPTIONS = frozenset({"params", "headers", "timeout", "allow_redirects"})


def unsigned(request: PreparedRequest) -> PreparedRequest:
    """Return a request unchanged. As ``auth`` of a session it keeps ``requests`` from reading ``~/.netrc``."""
    return request


class QuickSession(Session):
    """A session of ``requests`` that sends plain GETs by itself, in a fraction of the library's time."""

    def request(self, method: Any, url: Any, *rest: Any, **options: Any) -> Response:
        """Send a request. A plain GET skips hooks and cookies. A redirect is followed by the library."""
        plain, given = None, {name for name, value in options.items() if value is not None}
        if method == "GET" and not rest and given <= PLAIN_OPTIONS and options.get("allow_redirects", True):
            plain = self._plain(url, options.get("headers") or {}, options.get("params"))
        around: Any = self.merge_environment_settings(url, {}, None, None, None) if plain else {"proxies": True}
        if plain is None or around["proxies"] or around["stream"] or around["cert"]:
            return super().request(method, url, *rest, **options)
        sending: dict[str, Any] = {**around, "timeout": options.get("timeout")}
        answer = self.get_adapter(url=str(plain.url)).send(plain, **sending)
        if "Set-Cookie" in answer.headers:
            extract_cookies_to_jar(self.cookies, plain, answer.raw)  # type: ignore[no-untyped-call]
        if answer.is_redirect:
            plain.prepare_cookies({})
            history = [answer, *self.resolve_redirects(answer, plain, **sending)]
            answer = history.pop()
            answer.history = history
        _ = answer.content
        return answer

    def prepare_request(self, request: Request) -> PreparedRequest:
        more = request.data or request.json or request.files or request.cookies or any(request.hooks.values())
        if request.method == "GET" and not more and not request.auth:
            plain = self._plain(request.url, request.headers, request.params)
            if plain is not None:
                plain.prepare_cookies({})
                return plain
        return super().prepare_request(request)

    def _plain(self, url: Any, headers: Any, params: Any) -> PreparedRequest | None:
        """Return the GET prepared as the library would do it, or None if only the library can prepare it."""
        if self.cookies or self.params or any(self.hooks.values()) or self.auth is not unsigned:
            return None
        address = _address(str(url), params) if _are_texts(headers) else None
        if address is None:
            return None
        prepared = PreparedRequest()
        prepared.method, prepared.url = "GET", address
        prepared.prepare_headers({**self.headers, **headers})
        return prepared


def _address(address: str, params: Any) -> str | None:
    if params:
        if not _are_texts(params) or "?" in address:
            return None
        address = f"{address}?{urlencode(params)}"
    return address if _PLAIN_ADDRESS.fullmatch(address) else None


def _are_texts(values: Any) -> bool:
    return isinstance(values, Mapping) and all(isinstance(value, str) for value in values.values())
