"""Limit every HTTP answer in size and time, because a socket's time-out starts again with every byte."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from http.client import HTTPResponse
from typing import Any
from urllib.parse import quote, urlencode

from requests import PreparedRequest, Request, Response, Session
from requests.adapters import HTTPAdapter
from requests.cookies import extract_cookies_to_jar
from requests.structures import CaseInsensitiveDict

from bridge.domain.errors import SourceChanged, TryLater
from bridge.http import allowance

ANSWER_MAX_BYTES = 25_000_000
ANSWER_MAX_SECONDS = 120.0
IDLE_MAX_SECONDS = 60.0  # of a connection that is used again; routers forget it after minutes, without a word
POOLS_MAX = 8  # that are kept; urllib3 closes the one used longest ago when there are more than ten
# An address that ``requests`` would send as it is: https://datatracker.ietf.org/doc/html/rfc3986#section-3
_LETTERS = r"[\w.~!$&'()*+,;=:@/-]*"
_PLAIN_ADDRESS = re.compile(
    rf"https?://[a-z0-9][a-z0-9.-]*(?::\d+)?/(?!.*/\.)(?!\.){_LETTERS}(?:%[0-9A-F]{{2}}{_LETTERS})*"
    rf"(?:\?{_LETTERS}(?:(?:\?|%[0-9A-F]{{2}}){_LETTERS})*)?",
    re.ASCII,
)
_MAY_STAND = ",:()/@"  # in a query as they are, which spares urllib3 a look at each letter
_ESCAPES = {quote(letter, safe=""): letter for letter in _MAY_STAND}
PLAIN_OPTIONS = frozenset({"params", "headers", "timeout", "allow_redirects"})


class TooLarge(SourceChanged):
    """An answer is larger than allowed. Asking for less at once may help."""


class Bounded(HTTPAdapter):
    """A transport of ``requests`` that limits the size and time of each answer.

    During a sync it also counts each request against the sync's allowance.
    """

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        granted, address = allowance.current(), str(request.url)
        if granted is not None:
            granted.ask(address)
        answer = super().send(request, *args, **options)
        if granted is not None:
            granted.note(address, ok=answer.ok)
        return answer

    def build_response(self, request: PreparedRequest, answer: Any) -> Response:
        answer.stream = _bounded(answer.stream, answer.close)
        return super().build_response(request, answer)

    def get_connection_with_tls_context(
        self, request: PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        """Return the pool of a request's host. The last pools are cached unless there is a proxy."""
        key = (*str(request.url).split("/", 3)[:3], verify)
        pool: Any = None if proxies or cert else self._pools.get(key)
        if pool is None:
            pool = super().get_connection_with_tls_context(request, verify, proxies, cert)
            pool.ConnectionCls = _bounded_connection(pool.ConnectionCls)
            if not proxies and not cert:
                if len(self._pools) >= POOLS_MAX:
                    self._pools.clear()
                self._pools[key] = pool
        return pool

    def close(self) -> None:
        self._pools.clear()
        super().close()

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        self._pools: dict[tuple[Any, ...], Any] = {}
        super().init_poolmanager(*args, **options)


class Kept(Bounded):
    """A transport whose connections stay open after a session ends, so that the next session can use them."""

    def close(self) -> None:
        """Close nothing, because other sessions may be using the connections."""


def _bounded(stream: Callable[..., Iterator[bytes]], close: Callable[[], None]) -> Callable[..., Iterator[bytes]]:
    """Return ``stream`` (yields a body's unpacked bytes), limited so that it raises TooLarge for too many bytes."""

    def pieces(*args: Any, **options: Any) -> Iterator[bytes]:
        size = 0
        for piece in stream(*args, **options):
            size += len(piece)
            if size > ANSWER_MAX_BYTES:
                close()
                raise _too_large()
            yield piece

    return pieces


def _too_large() -> TooLarge:
    return TooLarge(
        f"the source answered more than {ANSWER_MAX_BYTES / 1e6:.0f} MB at once; look for a newer release of the bridge"
    )


@cache
def _bounded_connection(kind: type) -> type:
    return kind if issubclass(kind, _BoundedConnection) else type(kind.__name__, (_BoundedConnection, kind), {})


class _Answer(HTTPResponse):
    """An HTTP answer that is read, headers included, through a ``_BoundedReader``."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp: Any = io.BufferedReader(_BoundedReader(self.fp.detach(), sock))


class _BoundedConnection:
    """A mixin for connections that limits the size and time of their answers, and how long they stay open unused."""

    response_class = _Answer
    _asked = 0.0  # on the monotonic clock, when the last request was sent

    def request(self, *args: Any, **options: Any) -> None:
        self._asked = time.monotonic()
        super().request(*args, **options)  # type: ignore[misc]

    @property
    def is_connected(self) -> bool:
        fresh = time.monotonic() - self._asked < IDLE_MAX_SECONDS
        return fresh and super().is_connected  # type: ignore[misc]


class _BoundedReader(io.RawIOBase):
    """The raw bytes of one answer, read from a socket.

    Reading too many bytes raises TooLarge, and too long TryLater.
    """

    def __init__(self, raw: Any, sock: Any) -> None:
        self._raw, self._sock = raw, sock
        self._timeout: float | None = sock.gettimeout()  # between two bytes
        self._granted = allowance.current()
        self._ends = time.monotonic() + ANSWER_MAX_SECONDS
        if self._granted is not None:
            self._ends = min(self._ends, self._granted.ends)
        self._left = ANSWER_MAX_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise self._too_slow()
        is_last_wait = self._timeout is None or left < self._timeout
        if is_last_wait:
            self._sock.settimeout(left)
        try:
            read: int | None = self._raw.readinto(buffer)
        except TimeoutError:
            if is_last_wait:
                raise self._too_slow() from None
            raise
        self._left -= read or 0
        if self._left < 0:
            raise _too_large()
        return read

    def _too_slow(self) -> TryLater:
        if self._granted is not None:
            self._granted.check()
        return TryLater(f"the source took longer than {ANSWER_MAX_SECONDS:.0f} s for one answer")

    def close(self) -> None:
        self._raw.close()
        super().close()


def unsigned(request: PreparedRequest) -> PreparedRequest:
    """Return a request unchanged. As ``auth`` of a session it keeps ``requests`` from reading ``~/.netrc``."""
    return request


class QuickSession(Session):
    """A session of ``requests`` that sends plain GETs by itself, in a fraction of the library's time."""

    _given: tuple[tuple[str, Any], ...] = ()  # the headers of the last plain request
    _headers: CaseInsensitiveDict[Any] = CaseInsensitiveDict()  # the same, checked

    def request(self, method: Any, url: Any, *rest: Any, **options: Any) -> Response:
        """Send a request. A plain GET is sent without the library's hooks, except that redirects are followed."""
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
        """Return the GET as the library would prepare it, or None if only the library can prepare it."""
        if self.cookies or self.params or any(self.hooks.values()) or self.auth is not unsigned:
            return None
        address = _address(str(url), params) if _are_texts(headers) else None
        if address is None:
            return None
        prepared = PreparedRequest()
        prepared.method, prepared.url = "GET", address
        given = (*self.headers.items(), *headers.items())
        if given != self._given:
            prepared.prepare_headers(dict(given))
            self._given, self._headers = given, prepared.headers
        prepared.headers = self._headers.copy()
        return prepared


def _address(address: str, params: Any) -> str | None:
    path, mark, query = address.partition("?")
    if params:
        if not _are_texts(params) or mark:
            return None
        mark, query = "?", urlencode(params, safe=_MAY_STAND)
    if "%" in query:
        for escape, letter in _ESCAPES.items():
            query = query.replace(escape, letter)
    address = f"{path}{mark}{query}"
    return address if _PLAIN_ADDRESS.fullmatch(address) else None


def _are_texts(values: Any) -> bool:
    return isinstance(values, Mapping) and all(isinstance(value, str) for value in values.values())
