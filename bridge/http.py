"""One polite HTTP session: time-outs, a few quick retries, and every failure as one of ``bridge.errors``.

Seconds are waited here; minutes belong to the scheduler, so a 429 is raised at once with the vendor's own time.
"""

from __future__ import annotations

from collections.abc import Container
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol

from bridge.errors import CursorExpired, NeedsLogin, SourceChanged, TryLater

if TYPE_CHECKING:
    import requests

TIMEOUT = (10.0, 60.0)  # seconds to connect, to read
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
    return session


class Asks(Protocol):
    """A session, plain or signed."""

    def get(self, url: str, **options: Any) -> requests.Response: ...


def get_json(
    session: Asks, url: str, *, now: datetime, params: dict[str, str] | None = None, nothing: Container[int] = ()
) -> Any:
    """GET a JSON document. None for an empty body or a status in ``nothing`` (a day without data); raises ours."""
    import requests

    try:
        answer = session.get(url, params=params, timeout=TIMEOUT)
    except requests.RequestException as error:
        raise TryLater(f"no answer from the source ({type(error).__name__})") from error
    if answer.status_code in nothing:
        return None
    check(answer, now=now)
    if not answer.content:
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
    if status == 429 or status >= 500:
        raise TryLater(f"the source is busy (HTTP {status})", retry_at=retry_at(answer, now=now))
    raise SourceChanged(f"the source refused the request (HTTP {status})")


def retry_at(answer: requests.Response, *, now: datetime) -> datetime | None:
    """The vendor's own time to come back: ``Retry-After`` (seconds or date) or ``X-RateLimit-Reset`` (seconds)."""
    text = answer.headers.get("Retry-After") or answer.headers.get("X-RateLimit-Reset")
    if text is None:
        return None
    try:
        return now + timedelta(seconds=max(0.0, float(text)))
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).astimezone(UTC)
    except ValueError:
        return None
