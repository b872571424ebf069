"""Open HTTP sessions for sources, and raise every failed request as an error of ``bridge.domain.errors``."""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Collection, Container, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from bridge.domain.errors import BridgeError, CursorExpired, NeedsLogin, NotPermitted, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from bridge.http import egress
from bridge.http.allowance import TOO_DEEP

if TYPE_CHECKING:
    import requests
    from urllib3.util import Retry

    from bridge.http.certificates import Trust

TIMEOUT = (10.0, 60.0)  # seconds to connect, to read
MAX_WAIT = timedelta(days=1)  # for a vendor's wait; a longer wait is a mistake
NOT_ACCEPTED = say("the source refused the stored consent (HTTP {status})")
RETRY_LATER_STATUSES = (408, 425, 429)  # time-out, too early, too many
RETRIED_STATUSES = (500, 502, 503, 504)
REFUSAL_STATUSES = (403, 404)  # possibly of a single collection that the consent leaves out
SCOPE_PATTERN = re.compile(rb"\bscopes?\b|insufficient_scope", re.IGNORECASE)
EXPIRED_PATTERN = re.compile(rb"\bexpired\b|invalid_token", re.IGNORECASE)  # a new token may help
SCOPE_SEARCH_BYTES = 4096  # of a refusal; a refusal that names a scope is short


def open_session() -> requests.Session:
    """Return a ``requests`` session whose GETs are retried after connection errors and server errors."""
    from bridge.http.transport import QuickSession

    return prepare(QuickSession())


def open_typed_session(allowed: Collection[str], trust: Trust | None = None) -> requests.Session:
    """Return a ``requests`` session for URLs that users type, with the retries of ``open_session``.

    It connects only to public addresses and to the hosts in ``allowed``, and ignores proxies of the environment.
    ``trust`` holds certificates to accept for one address.
    """
    from bridge.http.transport import QuickSession

    session = QuickSession()
    _ignore_proxies(session)
    return prepare(session, partial(egress.adapter, allowed), trust)


def prepare(
    session: requests.Session,
    transport: Callable[..., requests.adapters.HTTPAdapter] | None = None,
    trust: Trust | None = None,
) -> requests.Session:
    """Give a session the retries and the limits on an answer's size and time. Return the same session.

    ``transport(max_retries=...)`` makes the adapter. ``trust`` holds certificates to accept for one address.
    """
    from bridge.http.transport import Bounded, unsigned

    adapter = _kept() if transport is None else transport(max_retries=_retries())
    for scheme in ("https://", "http://"):
        session.mount(scheme, adapter)
    if trust is not None:
        trust.mount(session, transport or Bounded, max_retries=_retries())
    session.auth = session.auth or unsigned
    if session.trust_env and not _may_have_proxies():
        _ignore_proxies(session)
    _cache_environment(session)
    return session


@cache
def _retries() -> Retry:
    from urllib3.util import Retry

    return Retry(
        total=2,
        backoff_factor=0.2,
        status_forcelist=RETRIED_STATUSES,
        allowed_methods=frozenset({"GET"}),
        respect_retry_after_header=False,
        raise_on_status=False,
    )


@cache
def _kept() -> requests.adapters.HTTPAdapter:
    from bridge.http.transport import Kept

    return Kept(max_retries=_retries())


def _may_have_proxies() -> bool:
    """Return True if the environment may name proxies, which ``requests`` takes ten times as long to find out."""
    from urllib.request import getproxies, getproxies_environment

    return getproxies is not getproxies_environment or any(name.lower().endswith("_proxy") for name in os.environ)


def _ignore_proxies(session: requests.Session) -> None:
    session.trust_env = False
    session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True


def _cache_environment(session: requests.Session) -> None:
    look_up, cache = session.merge_environment_settings, dict[tuple[object, ...], Any]()

    def cached(url: str, proxies: Any, stream: Any, verify: Any, cert: Any) -> Any:
        key = *url.split("/", 3)[:3], *(proxies or {}).items(), stream, verify, cert
        if key not in cache:
            cache[key] = look_up(url, proxies, stream, verify, cert)
        return dict(cache[key])

    session.merge_environment_settings = cached  # type: ignore[method-assign, assignment]


class HttpSession(Protocol):
    """The methods of an HTTP session that connectors use. ``requests.Session`` and ``TokenSession`` have them."""

    def get(self, url: str, **options: Any) -> requests.Response: ...

    def post(self, url: str, **options: Any) -> requests.Response: ...


class LimitedSession:
    """A session that heeds a vendor's rate limit, as reported in ``RateLimit-Remaining`` and ``RateLimit-Reset``.

    After a report that no request is left, requests raise TryLater, with the time left, until the reset (seconds).
    """

    def __init__(self, session: HttpSession) -> None:
        self._session = session
        self._closed_until = 0.0  # on the monotonic clock

    def get(self, url: str, **options: Any) -> requests.Response:
        return self._noted(self._session.get, url, options)

    def post(self, url: str, **options: Any) -> requests.Response:
        return self._noted(self._session.post, url, options)

    def _noted(self, send: Callable[..., requests.Response], url: str, options: dict[str, Any]) -> requests.Response:
        left = self._closed_until - time.monotonic()
        if left > 0:
            raise TryLater(
                say("the source allows no more requests for now"), after=timedelta(seconds=left), limited=True
            )
        answer = send(url, **options)
        seconds = parse_seconds(_rate_limit(answer, "Reset"))
        if seconds is not None and _rate_limit(answer, "Remaining") == "0":
            self._closed_until = time.monotonic() + seconds
        return answer


def get_json(
    session: HttpSession,
    url: str,
    *,
    now: datetime,
    nothing: Container[int] = (),
    blank: bool = False,
    **sent: Mapping[str, str] | None,
) -> Any:
    """GET a URL with ``params``, or POST ``data`` (a form) or ``json``, and return the parsed JSON.

    Returns None for a status in ``nothing``, and with ``blank`` for an empty answer. Raises NotPermitted for a missing
    scope, 403 or 404, TryLater without an answer, and otherwise what ``raise_for_status`` raises.
    """
    import requests

    try:
        answer = (session.post if sent.keys() & {"data", "json"} else session.get)(url, timeout=TIMEOUT, **sent)
    except requests.RequestException as error:
        raise TryLater(say("no answer from the source ({kind})", kind=type(error).__name__)) from error
    if answer.status_code in nothing:
        return None
    try:
        raise_for_status(answer, now=now)
    except BridgeError as error:
        named = names_scope(answer)
        if named or (answer.status_code in REFUSAL_STATUSES and not is_page(answer)):
            raise NotPermitted(error, named=named) from None
        raise
    if blank and not answer.content:
        return None
    return parse_json(answer.content)


def parse_json(content: bytes | str) -> Any:
    """Return the parsed JSON. Raises TryLater for other text, such as a log-in page, SourceChanged if too deep."""
    try:
        return json.loads(content)
    except ValueError as error:
        raise TryLater(say("the source answered something that is not JSON")) from error
    except RecursionError:
        raise SourceChanged(TOO_DEEP) from None


def names_scope(answer: requests.Response) -> bool:
    """Return True for a 401 or 403 that names a missing scope (RFC 6750, 3.1), so that a new token would not help."""
    if answer.status_code not in (401, 403) or is_page(answer):
        return False
    text = answer.headers.get("WWW-Authenticate", "").encode() + b"\n" + answer.content[:SCOPE_SEARCH_BYTES]
    return SCOPE_PATTERN.search(text) is not None and EXPIRED_PATTERN.search(text) is None


def is_page(answer: requests.Response) -> bool:
    """Return True for an answer in HTML, such as a captive portal's."""
    return "html" in answer.headers.get("Content-Type", "").lower()


def raise_for_status(answer: requests.Response, *, now: datetime) -> None:
    """Raise the BridgeError for an HTTP status of 400 or more. Its text never quotes the body, which may be personal.

    401 gives NeedsLogin, 403 Refused and 410 CursorExpired. 408, 425, 429 and from 500 on give TryLater. Any other
    status gives SourceChanged.
    """
    status = answer.status_code
    if status < 400:
        return
    if status == 401:
        raise NeedsLogin(say(NOT_ACCEPTED, status=status))
    if status == 403:
        raise Refused(say(NOT_ACCEPTED, status=status))
    if status == 410:
        raise CursorExpired(
            "the source no longer knows where the last sync ended (HTTP 410); the data are fetched again from the "
            "beginning"
        )
    if status in RETRY_LATER_STATUSES or status >= 500:
        raise busy_error(say("the source"), answer, now=now)
    raise SourceChanged(
        say("the source refused the request (HTTP {status}); look for a newer release of the bridge", status=status)
    )


def busy_error(server: str, answer: requests.Response, *, now: datetime | None = None) -> TryLater:
    """Return (not raise) a TryLater for a server that refuses for now, with the wait it asked for."""
    status, after = answer.status_code, retry_after(answer, now=now or datetime.now(UTC))
    return TryLater(
        say("{server} is busy (HTTP {status})", server=server, status=status), after=after, limited=status == 429
    )


def retry_after(answer: requests.Response, *, now: datetime) -> timedelta | None:
    """Return the wait that an answer's headers ask for, at most a day, or None without a readable one."""
    text = answer.headers.get("Retry-After") or _rate_limit(answer, "Reset")
    found = parse_seconds(text)
    if text is None or found is not None:
        return None if found is None else timedelta(seconds=found)
    try:
        return min(max(timedelta(0), parsedate_to_datetime(text).astimezone(UTC) - now), MAX_WAIT)
    except ValueError:
        return None


def _rate_limit(answer: requests.Response, name: str) -> str | None:
    text = answer.headers.get(f"X-RateLimit-{name}") or answer.headers.get(f"RateLimit-{name}")
    return None if text is None else text.partition(",")[0].strip()


def parse_seconds(text: str | None) -> float | None:
    """Return a header's number of seconds, limited to between 0 and a day. None for other texts."""
    try:
        found = float(text or "")
    except ValueError:
        return None
    return min(max(0.0, found), MAX_WAIT.total_seconds()) if math.isfinite(found) else None
