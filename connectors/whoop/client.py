"""Pull WHOOP's collections: newest first, 25 a page, filtered by the time of the event.

The API knows neither a change token nor a modified-since filter, so every pull reads the trailing window again
(``SPEC.overlap``): scores that were pending and values that arrived late are found there. A first pull brings what the
meters look back on; the years before come afterwards, a page of each collection in turn (stream ``history``), so that a
limit or a crash in the middle of them costs nobody the days that count.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from bridge import http, oauth
from bridge.errors import SourceChanged
from bridge.ports import Account
from bridge.types import Covers, Page, RawRecord
from connectors.whoop import SPEC
from connectors.whoop.consent import token_url

PAGE = 25  # the API's maximum
RECENT = timedelta(days=60)  # what the meters' baselines look back on comes first
HISTORY = "history"
DONE = ""  # where the history of a collection stands that was read to its beginning
LEAD = timedelta(days=30)  # a page of recoveries and more: they mean nothing before their sleeps have come
PATHS = {
    "cycle": "/developer/v2/cycle",
    "sleep": "/developer/v2/activity/sleep",
    "recovery": "/developer/v2/recovery",
    "workout": "/developer/v2/activity/workout",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a stream's pulls stand. All times are ISO 8601 UTC.

    ``since``: everything that began before was delivered in full, down to ``below``, from where on it is history's.
    While a pull runs, ``top`` is when it began and ``low`` how far down it has come: resuming asks for what lies below
    ``low`` only.
    """

    since: str | None = None
    top: str | None = None
    low: str | None = None
    below: str | None = None


class Whoop:
    """An open account. Raises what ``bridge.http`` and ``bridge.oauth`` raise."""

    def __init__(self, account: Account) -> None:
        self._base = account.settings["base_url"].rstrip("/")
        self._session = oauth.Signed(
            account,
            source=SPEC.name,
            token_url=token_url(account),
            refresh_scope="offline",
        )
        self._limit = http.Limit()
        self._below: dict[str, str] = {}  # of the streams pulled so far

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        if stream == HISTORY:
            yield from self._history(dict(json.loads(cursor)) if cursor else {}, now=now)
            return
        place = Place(**json.loads(cursor)) if cursor else Place()
        if (since := _window(place)) is not None and since > now:  # the clock was ahead by more than is read again
            place = Place()
        if place.top is not None:  # a pull that was interrupted: finish it, then read what came since
            place = yield from self._down(stream, place, now=now)
        place = yield from self._down(stream, replace(place, top=_text(now)), now=now)
        if place.below is not None:
            self._below[stream] = place.below

    def _down(self, stream: str, place: Place, *, now: datetime) -> Generator[Page, None, Place]:
        """From the top (or where it was interrupted) down to the window's start; a first time, past what is recent."""
        began, since = place.low is None, _window(place)
        query = {"end": place.low or place.top or _text(now)}
        if since is not None:
            query["start"] = _text(since)
        while True:
            found, token = self._page(stream, query, now=now)
            place = replace(place, low=_lowest(found) or place.low)
            if not token or _reaches_history(stream, place):
                break
            yield Page(
                stream=stream,
                records=_records(stream, found),
                member=_member(found),
                cursor=_cursor(place) if place.low else None,
            )
            query["nextToken"] = token
        # Never a whole history on one answer's word.
        covers = Covers(since=since) if began and since is not None else None
        finished = Place(since=place.top, below=place.low if token else place.below)
        yield Page(
            stream=stream,
            records=_records(stream, found),
            member=_member(found),
            cursor=_cursor(finished),
            covers=covers,
        )
        return finished

    def _history(self, lows: dict[str, str], *, now: datetime) -> Iterator[Page]:
        """What lies below the recent, newest first over all collections; ``lows``: how far down each has come."""
        lows = self._below | lows
        queries = {stream: {"end": low} for stream, low in lows.items()}
        while left := {stream: low for stream, low in lows.items() if low != DONE}:
            stream = _next(left)
            found, token = self._page(stream, queries[stream], now=now)
            lows[stream] = (_lowest(found) or lows[stream]) if token else DONE
            queries[stream]["nextToken"] = token or DONE
            yield Page(
                stream=HISTORY,
                records=_records(stream, found),
                member=_member(found),
                cursor=json.dumps(lows, sort_keys=True),
            )

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """What a notice is about, as it is now; of a recovery its sleep first, which leads to it."""
        sleep = self._one(PATHS["sleep" if stream == "recovery" else stream], key, now=now)
        found = {"sleep" if stream == "recovery" else stream: sleep}
        if stream == "recovery" and sleep is not None:
            found[stream] = self._one(PATHS["cycle"], f"{sleep.get('cycle_id')}/recovery", now=now)
        for name, record in found.items():
            if record is not None:
                yield Page(stream=name, records=_records(name, [record]))

    def _one(self, path: str, key: str, *, now: datetime) -> Mapping[str, Any] | None:
        """One record; None when there is none (any more)."""
        address = f"{self._base}{path}/{key}"
        body = http.get_json(self._session, address, now=now, nothing=(404,), limit=self._limit)
        if body is not None and not isinstance(body, dict):
            raise SourceChanged("whoop answered something that is no record; look for a newer release of the bridge")
        return body

    def _page(
        self, stream: str, query: Mapping[str, str], *, now: datetime
    ) -> tuple[list[Mapping[str, Any]], str | None]:
        """The records of a page and the token of the next one."""
        params = {"limit": str(PAGE), **query}
        body = http.get_json(self._session, self._base + PATHS[stream], now=now, params=params, limit=self._limit)
        found = body.get("records") if isinstance(body, dict) else None
        if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
            raise SourceChanged("whoop answered a collection without records; look for a newer release of the bridge")
        token = body.get("next_token")
        return found, token if isinstance(token, str) and token else None


def _window(place: Place) -> datetime | None:
    return None if place.since is None else datetime.fromisoformat(place.since) - SPEC.overlap


def _reaches_history(stream: str, place: Place) -> bool:
    """Whether a first pull has come past what is recent."""
    if place.since is not None or place.low is None or place.top is None:
        return False
    recent = RECENT + LEAD if stream == "sleep" else RECENT
    return datetime.fromisoformat(place.low) < datetime.fromisoformat(place.top) - recent


def _next(lows: Mapping[str, str]) -> str:
    """The collection that has come down least; recoveries stay behind."""

    def depth(stream: str) -> datetime:
        at = datetime.fromisoformat(lows[stream])
        return at - LEAD if stream == "recovery" else at

    return max(lows, key=depth)


def _cursor(place: Place) -> str:
    return json.dumps({name: value for name, value in asdict(place).items() if value is not None})


def _text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _lowest(found: list[Mapping[str, Any]]) -> str | None:
    """Just after the start of the page's oldest record, so that a resumed pull delivers that one again.

    A recovery has no start of its own. It is listed by that of its sleep, and made after it: what lies below a page of
    recoveries lies below the moment the first of them was made.
    """
    starts = [start for record in found if (start := _start(record)) is not None]
    return _text(min(starts) + timedelta(milliseconds=1)) if starts else None


def _start(record: Mapping[str, Any]) -> datetime | None:
    try:
        at = datetime.fromisoformat(record["start"] if "start" in record else record["created_at"])
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo else None


def _member(found: list[Mapping[str, Any]]) -> str | None:
    """WHOOP's number of the person; every record has it."""
    member = found[0].get("user_id") if found else None
    return str(member) if isinstance(member, int) else None


def _records(stream: str, found: list[Mapping[str, Any]]) -> tuple[RawRecord, ...]:
    key = "sleep_id" if stream == "recovery" else "id"
    return tuple(
        RawRecord(
            stream=stream,
            key=str(record.get(key, "?")),
            payload=record,
            parent=f"sleep/{record.get(key)}" if stream == "recovery" else None,
        )
        for record in found
    )
