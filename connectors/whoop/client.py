"""Pull WHOOP's collections: newest first, 25 a page, filtered by the time of the event.

The API knows neither a change token nor a modified-since filter, so every pull reads the trailing window again
(``SPEC.overlap``): scores that were pending and values that arrived late are found there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
PATHS = {
    "cycle": "/developer/v2/cycle",
    "sleep": "/developer/v2/activity/sleep",
    "recovery": "/developer/v2/recovery",
    "workout": "/developer/v2/activity/workout",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a stream's pulls stand. All times are ISO 8601 UTC.

    ``since``: everything that began before was delivered in full. While a pull runs, ``top`` is when it began and
    ``low`` how far down it has come: resuming asks for what lies below ``low`` only.
    """

    since: str | None = None
    top: str | None = None
    low: str | None = None


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

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        place = Place(**json.loads(cursor)) if cursor else Place()
        if place.top is not None:  # a pull that was interrupted: finish it, then read what came since
            yield from self._down(stream, place, now=now)
            place = Place(since=place.top)
        yield from self._down(stream, replace(place, top=_text(now)), now=now)

    def _down(self, stream: str, place: Place, *, now: datetime) -> Iterator[Page]:
        """From the top (or where it was interrupted) down to the window's start."""
        began, since = place.low is None, _window(place)
        query = {"limit": str(PAGE), "end": place.low or place.top or _text(now)}
        if since is not None:
            query["start"] = _text(since)
        while True:
            body = http.get_json(self._session, self._base + PATHS[stream], now=now, params=query)
            found, token = _collection(body)
            place = replace(place, low=_lowest(found) or place.low)
            if not token:
                covers = (
                    Covers(since=since) if began and since is not None else None
                )  # never a whole history on one answer's word
                finished = Place(since=place.top)
                yield Page(stream=stream, records=_records(stream, found), cursor=_cursor(finished), covers=covers)
                return
            # Recoveries carry no time of their own, so there is no "below" to resume at.
            resumable = stream != "recovery" and place.low is not None
            yield Page(stream=stream, records=_records(stream, found), cursor=_cursor(place) if resumable else None)
            query["nextToken"] = token


def _window(place: Place) -> datetime | None:
    return None if place.since is None else datetime.fromisoformat(place.since) - SPEC.overlap


def _cursor(place: Place) -> str:
    return json.dumps({name: value for name, value in asdict(place).items() if value is not None})


def _text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _collection(body: Any) -> tuple[list[Mapping[str, Any]], str | None]:
    """The records of a page and the token of the next one."""
    found = body.get("records") if isinstance(body, dict) else None
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise SourceChanged("whoop answered a collection without records; look for a newer release of the bridge")
    token = body.get("next_token")
    return found, token if isinstance(token, str) and token else None


def _lowest(found: list[Mapping[str, Any]]) -> str | None:
    """Just after the start of the page's oldest record, so that a resumed pull delivers that one again."""
    starts = [start for record in found if (start := _start(record)) is not None]
    return _text(min(starts) + timedelta(milliseconds=1)) if starts else None


def _start(record: Mapping[str, Any]) -> datetime | None:
    try:
        at = datetime.fromisoformat(record["start"])
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo else None


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
