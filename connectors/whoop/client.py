"""Pull WHOOP's collections newest first, filtered by the time of the event, and check its signed webhooks.

The API does not report changes, so every pull reads recent days again. Older data comes in the stream ``history``.
Webhooks: developer.whoop.com/docs/developing/webhooks (version 2). Some notices are lost.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import Forged, NotPermitted, SourceChanged
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Notice, Page, RawRecord
from connectors.answers import listing, raw_records
from connectors.instants import utc
from connectors.payload import words
from connectors.whoop import SPEC

authorise = partial(oauth.authorise, spec=SPEC)
revoke = partial(oauth.revoke, spec=SPEC)

PAGE_MAX_RECORDS = 25  # the API's maximum
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
SKEW = timedelta(minutes=5)
WEBHOOK_STREAMS = ("sleep", "recovery", "workout")  # of a recovery the id is that of its sleep
WHAT = {"updated": False, "deleted": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The position that a stream's pulls have reached, in ISO 8601 UTC.

    Everything between ``below`` (None if nothing older exists) and ``since`` (None at the first pull) was delivered.
    """

    since: str | None = None
    top: str | None = None
    low: str | None = None
    below: str | None = None


class Whoop:
    """Connector for an account at WHOOP. Methods raise NeedsLogin without consent, TryLater without an answer."""

    def __init__(self, account: Account) -> None:
        self._base = account.settings["base_url"].rstrip("/")
        self._session = oauth.open_session(account, SPEC)
        self._limited = http.LimitedSession(self._session)
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
        """Yield pages of records older than those that every pull reads again. ``lows`` is the cursor's content."""
        lows = self._below | lows
        queries = {stream: {"end": low} for stream, low in lows.items()}
        refused: set[str] = set()  # collections that may no longer be read: their history waits
        while left := {stream: low for stream, low in lows.items() if low != DONE and stream not in refused}:
            stream = _next(left)
            try:
                found, token = self._page(stream, queries[stream], now=now)
            except NotPermitted:
                refused.add(stream)
                continue
            lows[stream] = (_lowest(found) or lows[stream]) if token else DONE
            queries[stream]["nextToken"] = token or DONE
            yield Page(
                stream=HISTORY,
                records=_records(stream, found),
                member=_member(found),
                cursor=json.dumps(lows, sort_keys=True),
            )

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """Yield the record whose id a notice names, for a recovery after its sleep, or nothing if it is gone."""
        sleep = self._one(PATHS["sleep" if stream == "recovery" else stream], key, now=now)
        found = {"sleep" if stream == "recovery" else stream: sleep}
        if stream == "recovery" and sleep is not None:
            found[stream] = self._one(PATHS["cycle"], f"{sleep.get('cycle_id')}/recovery", now=now)
        for name, record in found.items():
            if record is not None:
                yield Page(stream=name, records=_records(name, [record]))

    def _one(self, path: str, key: str, *, now: datetime) -> Mapping[str, Any] | None:
        address = f"{self._base}{path}/{key}"
        body = http.get_json(self._limited, address, now=now, nothing=(404,))
        if body is not None and not isinstance(body, dict):
            raise SourceChanged("whoop answered something that is not a record; look for a newer release of the bridge")
        return body

    def _page(
        self, stream: str, query: Mapping[str, str], *, now: datetime
    ) -> tuple[list[Mapping[str, Any]], str | None]:
        params = {"limit": str(PAGE_MAX_RECORDS), **query}
        body = http.get_json(self._limited, self._base + PATHS[stream], now=now, params=params)
        return listing(body, "records", SPEC.name, stream), words(body.get("next_token"))


def _window(place: Place) -> datetime | None:
    return None if place.since is None else datetime.fromisoformat(place.since) - SPEC.overlap


def _reaches_history(stream: str, place: Place) -> bool:
    if place.since is not None or place.low is None or place.top is None:
        return False
    recent = RECENT + LEAD if stream == "sleep" else RECENT
    return datetime.fromisoformat(place.low) < datetime.fromisoformat(place.top) - recent


def _next(lows: Mapping[str, str]) -> str:
    # Recoveries count as 30 days further back than they are (LEAD), so that their sleeps come first.

    def depth(stream: str) -> datetime:
        at = datetime.fromisoformat(lows[stream])
        return at - LEAD if stream == "recovery" else at

    return max(lows, key=depth)


def _cursor(place: Place) -> str:
    return json.dumps({name: value for name, value in asdict(place).items() if value is not None})


def _text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _lowest(found: list[Mapping[str, Any]]) -> str | None:
    starts = [start for record in found if (start := _start(record)) is not None]
    return _text(min(starts) + timedelta(milliseconds=1)) if starts else None


def _start(record: Mapping[str, Any]) -> datetime | None:
    return utc(record.get("start" if "start" in record else "created_at"))


def _member(found: list[Mapping[str, Any]]) -> str | None:
    member = found[0].get("user_id") if found else None
    return str(member) if isinstance(member, int) else None


def _records(stream: str, found: Iterable[Mapping[str, Any]]) -> tuple[RawRecord, ...]:
    if stream != "recovery":
        return raw_records(stream, found)
    named = raw_records(stream, found, key="sleep_id")
    return tuple(replace(record, parent=f"sleep/{record.payload.get('sleep_id')}") for record in named)


def notice(headers: Mapping[str, str], body: bytes, *, settings: Mapping[str, str], now: datetime) -> Notice | None:
    """Return the notice in a correctly signed request, or None for a notice that the bridge does not use.

    Raises Forged for a wrong signature (HMAC-SHA256 of timestamp and raw body) or an old request.
    """
    stamp = headers.get("x-whoop-signature-timestamp", "")
    _check_signature(stamp, headers.get("x-whoop-signature", ""), body, settings["client_secret"])
    if abs(now - _instant(stamp)) > SKEW:
        raise Forged("a webhook's time differs from this machine's clock by over five minutes; check the clock")
    try:
        said = json.loads(body)
    except ValueError:
        return None
    return _notice(said) if isinstance(said, dict) else None


def _check_signature(stamp: str, given: str, body: bytes, secret: str) -> None:
    right = base64.b64encode(hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest())
    if not secret or not hmac.compare_digest(right, given.encode()):
        raise Forged("a webhook is not signed with this app's client secret; check the secret at WHOOP and here")


def _instant(stamp: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(stamp) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        raise Forged("a webhook does not say when it was sent; ignore it, for it is not WHOOP's") from None


def _notice(said: Mapping[str, Any]) -> Notice | None:
    stream, _, what = str(said.get("type", "")).partition(".")
    member, trace = said.get("user_id"), said.get("trace_id")
    if stream not in WEBHOOK_STREAMS or what not in WHAT or not isinstance(member, int) or not isinstance(trace, str):
        return None
    try:
        key = str(UUID(str(said.get("id"))))  # it becomes part of an address
    except ValueError:
        return None
    return Notice(member=str(member), stream=stream, key=key, deleted=WHAT[what], trace=trace[:100])
