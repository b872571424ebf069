"""Pull the Personal API: ranges where it has them, else a day at a time, oldest first; two requests at once at most.

The API knows no changes, so every pull reads the trailing window again (``SPEC.overlap``): scores settle days later.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import Any

from bridge import http
from bridge.errors import NeedsLogin, SourceChanged
from bridge.ports import Account
from bridge.types import Covers, Page, RawRecord
from connectors.garmin import SPEC
from connectors.garmin.consent import AGAIN, EARLY, exchanged
from connectors.garmin.files import kept, key_of

DAY = timedelta(days=1)
AT_ONCE = 100  # activities per page
RANGES = {  # stream -> path, days per request
    "summary": ("/usersummary-service/v2/dailysummaries?startDate={first}&endDate={last}", 28),
    "hrv": ("/hrv-service/hrv/daily/{first}/{last}", 28),
    "body_battery": ("/wellness-service/wellness/bodyBattery/reports/daily?startDate={first}&endDate={last}", 28),
    "sleep": ("/sleep-service/sleep/dailySleep?date={first}", 1),
    "heart_rate": ("/wellness-service/wellness/dailyHeartRate?date={first}", 1),
}
ACTIVITIES = "/activitylist-service/activities/search/activities"
WRAPPED = {"summary": "data", "hrv": "hrvSummaries"}  # where a range's list lies


class Garmin:
    """An open account. Raises what ``bridge.http`` raises; a token that is refused is exchanged anew once."""

    def __init__(self, account: Account) -> None:
        self._token = account.token() or {}
        if not self._token.get("api_key"):
            raise NeedsLogin(f"garmin needs its Personal API key: {AGAIN}")
        self._account = account
        self._base = account.settings["base_url"].rstrip("/")
        self._days = int(account.settings["days"])
        self._session = http.open_session()

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """From the cursor's date, less the overlap, or the first sync's window, to tomorrow."""
        until = (now + DAY).date()  # the person's date may be ahead of UTC's
        since = until - timedelta(days=self._days)
        known = until if cursor is None else date.fromisoformat(json.loads(cursor)["until"])
        if known - SPEC.overlap > until:  # the clock was ahead by more than is read again: begin anew
            cursor = None
        if cursor is not None:
            again = min(known, until) - SPEC.overlap
            since = again if known < since else max(since, again)  # away for longer than a first sync reads: all of it
        if stream == "activity":
            yield from self._activities(since, until, now, again=cursor is not None)
        else:
            yield from self._days_of(stream, since, until, now)

    def _days_of(self, stream: str, since: date, until: date, now: datetime) -> Iterator[Page]:
        path, length = RANGES[stream]
        first = since
        while first <= until:
            last = min(first + timedelta(days=length - 1), until)
            single = length == 1  # a date without data may be answered 400 or 404; a range that is refused is a fault
            body = self._get(path.format(first=first, last=last), now, nothing=(400, 404) if single else (404,))
            yield Page(stream=stream, records=_records(stream, body), cursor=_cursor(last))
            first = last + DAY

    def _activities(self, since: date, until: date, now: datetime, *, again: bool) -> Iterator[Page]:
        """Newest first, so that only the last page is safe to resume after.

        Read ``again``, a list that came whole in one answer tells what was deleted; a day inside of it, as dates are
        the person's.
        """
        start = 0
        while True:
            query = f"?startDate={since}&endDate={until}&start={start}&limit={AT_ONCE}"
            body = self._get(ACTIVITIES + query, now)
            found = _records("activity", body)
            if len(found) < AT_ONCE:
                break
            yield Page(stream="activity", records=found)
            start += AT_ONCE
        whole = again and start == 0 and isinstance(body, list)
        covers = Covers(since=datetime.combine(since + DAY, clock(), UTC)) if whole else None
        yield Page(stream="activity", records=found, cursor=_cursor(until), covers=covers)

    def _get(self, path: str, now: datetime, *, nothing: tuple[int, ...] = (404,)) -> Any:
        return http.get_json(self, self._base + path, now=now, nothing=nothing, blank=True)

    def get(self, url: str, **options: Any) -> Any:
        """A signed GET; the shape ``bridge.http`` asks for."""
        if _ends(self._token):
            self._renew()
        answer = self._send(url, **options)
        if answer.status_code == 401:
            self._renew()
            answer = self._send(url, **options)
        return answer

    def _send(self, url: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self._token['access_token']}", "Accept": "application/json"}
        return self._session.get(url, headers=headers, **options)

    def _renew(self) -> None:
        """Take what another has stored meanwhile, or exchange the key that is stored: it may be a new one."""
        with self._account.swapping():
            stored = self._account.token() or self._token
            if stored.get("access_token") == self._token.get("access_token") or _ends(stored):
                stored = exchanged(self._account, stored["api_key"])
                self._account.save_token(stored)
            self._token = stored


def _ends(token: Mapping[str, Any]) -> bool:
    """Whether it ends within minutes; one that does not say when has ended."""
    return float(token.get("expires_at", 0)) - time.time() < EARLY


def _cursor(last: date) -> str:
    return json.dumps({"until": last.isoformat()})


def _records(stream: str, body: Any) -> tuple[RawRecord, ...]:
    """One record per day or activity; an empty answer is a date without data."""
    rows = body.get(WRAPPED[stream], body or None) if isinstance(body, Mapping) and stream in WRAPPED else body
    if rows is None or rows == {}:
        return ()
    if isinstance(rows, Mapping) and stream not in WRAPPED:
        rows = [rows]
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise SourceChanged(f"garmin answered {stream} in an unknown shape; look for a newer release of the bridge")
    wrapped = [{"hrvSummary": row} if stream == "hrv" and "hrvSummary" not in row else row for row in rows]
    return tuple(RawRecord(stream=stream, key=key_of(stream, row), payload=kept(row)) for row in wrapped)
