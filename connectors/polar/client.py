"""Pull Polar's lists. Activity is asked for by dates, and the other lists always hold the last weeks.

The API knows neither changes nor deletions, so every pull reads the trailing window again (``SPEC.overlap``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge import http
from bridge.auth import oauth
from bridge.domain.ports import Account
from bridge.domain.types import Page, RawRecord
from connectors.payload import calendar_date, listing, raw_records
from connectors.polar import SPEC
from connectors.windows import Window

if TYPE_CHECKING:
    import requests

PATHS = {
    "sleep": "users/sleep",
    "nightly_recharge": "users/nightly-recharge",
    "activities": "users/activities",
    "exercises": "exercises",
}
LISTS = {"sleep": "nights", "nightly_recharge": "recharges"}  # in an object; the others are the answer itself
KEYS = {"sleep": "date", "nightly_recharge": "date", "activities": "start_time", "exercises": "id"}
DATED = {"sleep": "date", "nightly_recharge": "date", "activities": "start_time", "exercises": "start_time"}
HELD = {"sleep": 28, "nightly_recharge": 28, "exercises": 30}  # days in a list that is not asked for by dates
ASKED_MAX = 28  # days of activity in a request
NO_DATA = 204


class Polar:
    """An open account. Raises the errors of ``bridge.http`` and ``bridge.auth.oauth``."""

    def __init__(self, account: Account) -> None:
        self._base = oauth.filled("{base_url}/v3/", account.settings)
        self._days = int(account.settings["days"])
        self._session = oauth.open_session(account, SPEC)
        self._waiting = _Waiting(self._session)

    def close(self) -> None:
        """Let go of the network."""
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield activity since the cursor four weeks at a time, and any other list in one page."""
        held = HELD.get(stream)
        days = self._days if held is None else held - 1  # less a day, because the window ends tomorrow
        window = Window.after(cursor, now=now, days=days, overlap=SPEC.overlap)
        if held is not None:  # what has left the list has not vanished, however long ago the last pull was
            window = replace(window, since=max(window.since, window.until - timedelta(days=days)))
        yield from window.pages(stream, held or ASKED_MAX, lambda first, last: self._records(stream, first, last, now))

    def _records(self, stream: str, first: date, last: date, now: datetime) -> Iterator[tuple[RawRecord, ...]]:
        asked = None if stream in HELD else {"from": str(first), "to": str(last)}
        body = http.get_json(self._waiting, self._base + PATHS[stream], now=now, params=asked, nothing=(NO_DATA,))
        name = LISTS.get(stream)
        rows: list[Mapping[str, Any]] = []
        if body is not None:
            rows = listing(body if name else {"rows": body}, name or "rows", SPEC.name, stream)
        rows = [row for row in rows if not _is_before(row.get(DATED[stream]), first)]
        records = raw_records(stream, rows, key=KEYS[stream])
        if stream == "nightly_recharge":
            records = tuple(replace(record, parent=f"sleep/{record.key}") for record in records)
        yield records


def _is_before(told: Any, first: date) -> bool:
    """Say if a date or time tells a date before ``first``. A row without a date is not."""
    day = calendar_date(told[:10]) if isinstance(told, str) else None
    return day is not None and day < first


class _Waiting:
    """A session whose answers tell the wait that Polar asks for under the name that ``bridge.http`` reads."""

    def __init__(self, session: http.HttpSession) -> None:
        self._session = session

    def get(self, url: str, **options: Any) -> requests.Response:
        return _told(self._session.get(url, **options))

    def post(self, url: str, **options: Any) -> requests.Response:
        return _told(self._session.post(url, **options))


def _told(answer: requests.Response) -> requests.Response:
    if "RateLimit-Reset" in answer.headers:
        answer.headers.setdefault("Retry-After", answer.headers["RateLimit-Reset"])
    return answer
