"""Pull Oura's collections: a month at a time, oldest first.

The API knows neither changes nor deletions, so every pull reads the trailing window again (``SPEC.overlap``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from bridge import http, oauth
from bridge.errors import SourceChanged
from bridge.ports import Account
from bridge.types import Covers, Page, RawRecord
from connectors.oura import SPEC
from connectors.oura.consent import token_url

DAY = timedelta(days=1)
MONTH = 30 * DAY  # the longest stretch of heart rate one request may ask for
BULKY = frozenset({"movement_30_sec", "met", "class_5_min"})  # thousands of values that nothing here is made of
Rows = list[Mapping[str, Any]]


class Oura:
    """An open account. Raises what ``bridge.http`` and ``bridge.oauth`` raise."""

    def __init__(self, account: Account) -> None:
        self._base = account.settings["base_url"].rstrip("/") + "/v2/usercollection/"
        self._days, self._zone = int(account.settings["days"]), account.zone
        self._session = oauth.Signed(account, source=SPEC.name, token_url=token_url(account))

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
        for first, last in _months(since, until):
            *pages, final = self._pages(stream, first, last, now)
            for rows in pages:
                yield Page(stream=stream, records=_records(stream, rows))
            # Only what lies a day inside of it was surely listed; and never a whole history on one answer's word.
            covers = Covers(since=_midnight(since + DAY)) if cursor is not None and last == until else None
            yield Page(stream=stream, records=_records(stream, final), cursor=_cursor(last), covers=covers)

    def _pages(self, stream: str, first: date, last: date, now: datetime) -> Iterator[Rows]:
        """The pages of a stretch of dates; heart rate in one piece, which then falls into days."""
        if stream == "heartrate":
            asked = {"start_datetime": _text(first), "end_datetime": _text(last + DAY)}
            yield _by_day([row for rows in self._listed(stream, asked, now) for row in rows], self._zone)
        else:  # a sleep that is dated on the end is left out, anything else is not
            yield from self._listed(stream, {"start_date": str(first), "end_date": str(last + DAY)}, now)

    def _listed(self, stream: str, asked: dict[str, str], now: datetime) -> Iterator[Rows]:
        token: str | None = ""
        while token is not None:
            more = {"next_token": token} if token else {}
            body = http.get_json(self._session, self._base + stream, now=now, params=asked | more)
            rows = body.get("data") if isinstance(body, Mapping) else None
            if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
                raise SourceChanged(f"oura answered {stream} without data; look for a newer release of the bridge")
            yield rows
            following = body.get("next_token")
            token = following if isinstance(following, str) and following else None


def _months(since: date, until: date) -> Iterator[tuple[date, date]]:
    first = since
    while first <= until:
        last = min(first + MONTH - DAY, until)
        yield first, last
        first = last + DAY


def _by_day(rows: Sequence[Mapping[str, Any]], zone: str) -> Rows:
    """Heart rates have no id: they become a record per date in UTC, with the zone the person lives in."""
    days: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        try:
            at = datetime.fromisoformat(str(row.get("timestamp")))
            day = str(at.astimezone(UTC).date()) if at.tzinfo else "?"
        except (ValueError, OverflowError):
            day = "?"
        days.setdefault(day, []).append(row)
    return [{"id": day, "zone": zone, "data": found} for day, found in sorted(days.items())]


def _records(stream: str, rows: Rows) -> tuple[RawRecord, ...]:
    return tuple(
        RawRecord(
            stream=stream,
            key=str(row.get("id", "?")),
            payload={name: value for name, value in row.items() if name not in BULKY},
        )
        for row in rows
    )


def _cursor(last: date) -> str:
    return json.dumps({"until": last.isoformat()})


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _text(day: date) -> str:
    return _midnight(day).isoformat()
