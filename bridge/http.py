"""One polite HTTP session: time-outs, a few quick retries, and every failure as one of ``bridge.errors``.

Seconds are waited here; minutes belong to the scheduler, so a 429 is raised at once with the vendor's own time. The
request after the last one a vendor allows is not made at all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from bridge.errors import CursorExpired, NeedsLogin, SourceChanged, TryLater

if TYPE_CHECKING:
    import requests

TIMEOUT = (10.0, 60.0)  # seconds to connect, to read
LONGEST = timedelta(days=1)  # that a source may have us wait: more is a mistake
SOON = (408, 425, 429)  # time-out, too early, too many
RETRIED = (500, 502, 503, 504)


def open_session() -> requests.Session:
    """A ``requests`` session that retries connection errors and 5xx on GET twice within about a second."""
    import requests

    return prepare(requests.Session())


def prepare(session: requests.Session) -> requests.Session:
    """Give an existing session (plain or OAuth) our retry rules."""
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    retry = Retry(
        total=2,
        backoff_factor=0.2,
        status_forcelist=RETRIED,
        allowed_methods=frozenset({"GET"}),
        respect_retry_after_header=False,
        raise_on_status=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    _look_once(session)
    return session


def _look_once(session: requests.Session) -> None:
    """Let a session ask the environment for proxies once per host: every time would cost as much as a request."""
    look, seen = session.merge_environment_settings, dict[tuple[object, ...], Any]()

    def once(url: str, proxies: Any, stream: Any, verify: Any, cert: Any) -> Any:
        asked = urlsplit(url)[:2], tuple((proxies or {}).items()), stream, verify, cert
        if asked not in seen:
            seen[asked] = look(url, proxies, stream, verify, cert)
        return dict(seen[asked])

    session.merge_environment_settings = once  # type: ignore[method-assign, assignment]


class Asks(Protocol):
    """A session, plain or signed."""

    def get(self, url: str, **options: Any) -> requests.Response: ...


class Limit:
    """How many requests a source says it still allows (``X-RateLimit-Remaining`` and ``-Reset``, in seconds)."""

    def __init__(self) -> None:
        self._ends = 0.0  # on the monotonic clock

    def check(self) -> None:
        """Raises TryLater while none is left."""
        left = self._ends - time.monotonic()
        if left > 0:
            raise TryLater("the source allows no more requests for now", after=timedelta(seconds=left), limited=True)

    def note(self, answer: requests.Response) -> None:
        wait = seconds(answer.headers.get("X-RateLimit-Reset"))
        if wait is not None and answer.headers.get("X-RateLimit-Remaining", "").strip() == "0":
            self._ends = time.monotonic() + wait


def get_json(
    session: Asks,
    url: str,
    *,
    now: datetime,
    params: dict[str, str] | None = None,
    nothing: Container[int] = (),
    blank: bool = False,
    limit: Limit | None = None,
) -> Any:
    """GET a JSON document. None for a status in ``nothing`` and, if ``blank``, for no content; raises ours."""
    import requests

    if limit is not None:
        limit.check()
    try:
        answer = session.get(url, params=params, timeout=TIMEOUT)
    except requests.RequestException as error:
        raise TryLater(f"no answer from the source ({type(error).__name__})") from error
    if limit is not None:
        limit.note(answer)
    if answer.status_code in nothing:
        return None
    check(answer, now=now)
    if blank and not answer.content:
        return None
    try:
        return answer.json()
    except ValueError as error:
        raise TryLater("the source answered something that is not JSON") from error


def check(answer: requests.Response, *, now: datetime) -> None:
    """Turn a status into what happens next; the text never quotes the body, which may be personal."""
    status = answer.status_code
    if status < 400:
        return
    if status in (401, 403):
        raise NeedsLogin(f"the source refused the stored consent (HTTP {status})")
    if status == 410:
        raise CursorExpired("the source no longer knows the cursor (HTTP 410)")
    if status in SOON or status >= 500:
        raise busy("the source", answer, now=now)
    raise SourceChanged(f"the source refused the request (HTTP {status})")


def busy(who: str, answer: requests.Response, *, now: datetime | None = None) -> TryLater:
    """What an answer means whose sender cannot or does not want to now, with the time it gave."""
    status, after = answer.status_code, wait(answer, now=now or datetime.now(UTC))
    return TryLater(f"{who} is busy (HTTP {status})", after=after, limited=status == 429)


def wait(answer: requests.Response, *, now: datetime) -> timedelta | None:
    """How long the vendor asks to wait, a day at most: ``Retry-After`` (seconds or date), ``X-RateLimit-Reset``."""
    text = answer.headers.get("Retry-After") or answer.headers.get("X-RateLimit-Reset")
    found = seconds(text)
    if text is None or found is not None:
        return None if found is None else timedelta(seconds=found)
    try:
        return min(max(timedelta(0), parsedate_to_datetime(text).astimezone(UTC) - now), LONGEST)
    except ValueError:
        return None


def seconds(text: str | None) -> float | None:
    """A header's number of seconds, at most a day; None where it is none."""
    try:
        found = float(text or "")
    except ValueError:
        return None
    return min(max(0.0, found), LONGEST.total_seconds()) if math.isfinite(found) else None
