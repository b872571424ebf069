"""Nights of the trailing window, pulses that changed since the last pull. Each planted fault at its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import BadRecord, TryLater
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.ports import Account, Browser, Envelope, Revocation
from bridge.domain.types import Covers, Episode, EpisodeKind, Item, Page, RawRecord, Sample
from connectors.answers import listing
from connectors.tide import SPEC
from tests.contract.planted import planted

DAY = timedelta(days=1)
HELD = timedelta(days=30)  # what the list of nights tells
OAUTH = oauth.oauth_of(SPEC)
LIMITLESS = replace(SPEC, oauth=replace(OAUTH, envelope=Envelope(meanings={401: 401})))  # knows no status of a limit


class Forgetful:
    """An account whose tokens are not saved."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self.settings, self.zone = account.settings, account.zone

    def token(self) -> dict[str, Any] | None:
        return self._account.token()

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Forget it."""

    def refresh_lock(self) -> Any:
        return self._account.refresh_lock()


def authorise(account: Account, browser: Browser) -> None:
    """Ask to read sleeps and pulses."""
    keeper = Forgetful(account) if planted("the consent is not saved") else account
    blanks = replace(SPEC, oauth=replace(OAUTH, scope_separator=" "))
    oauth.authorise(keeper, browser, blanks if planted("scopes are divided by blanks") else SPEC)


def revoke(account: Account) -> bool:
    """Withdraw the consent."""
    if planted("a consent is withdrawn here alone"):
        return True
    signed = replace(SPEC, oauth=replace(OAUTH, revocation=Revocation(address="{base_url}/revoke")))
    return oauth.revoke(account, signed if planted("a withdrawal names no token") else SPEC)


class Tide:
    """An open account."""

    def __init__(self, account: Account) -> None:
        self._base = account.settings["base_url"]
        keeper = Forgetful(account) if planted("a rotated token is not saved") else account
        self._session = oauth.open_session(keeper, LIMITLESS if planted("a limit is answered as stop") else SPEC)

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield a single page, because there are few rows."""
        since = datetime.fromtimestamp(json.loads(cursor)["until"], UTC) if cursor else None
        yield self._nights(since, now) if stream == "night" else self._pulses(since, now)

    def _nights(self, since: datetime | None, now: datetime) -> Page:
        start = (since - 7 * DAY) if since else now - HELD
        if not planted("what left the list is deleted"):
            start = max(start, now - HELD)
        rows = self._rows("sleep", {"startdate": str(int(start.timestamp()))}, now)
        told = since is not None and not planted("deletions are not delivered")
        ahead = DAY if planted("the cursor is a day past now") else timedelta(0)
        return _page("night", rows, now + ahead, covers=Covers(since=start + DAY) if told else None)

    def _pulses(self, since: datetime | None, now: datetime) -> Page:
        ahead = DAY if planted("lastupdate lies in the future") else timedelta(0)
        asked = {"lastupdate": str(int((since + ahead).timestamp()))} if since else {}
        return _page("pulse", self._rows("measure", asked, now), now)

    def _rows(self, path: str, asked: dict[str, str], now: datetime) -> list[dict[str, Any]]:
        try:
            body = http.get_json(self._session, f"{self._base}/{path}", now=now, params=asked)
        except TryLater as error:
            raise TryLater(str(error), limited=True) if planted("a limit's time is not read") else error from None
        return [dict(row) for row in listing(body, "series", SPEC.name, path)]


def _page(stream: str, rows: list[dict[str, Any]], until: datetime, covers: Covers | None = None) -> Page:
    records = tuple(RawRecord(stream=stream, key=str(row.get("id", "?")), payload=row) for row in rows)
    return Page(stream=stream, records=records, cursor=json.dumps({"until": int(until.timestamp())}), covers=covers)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """Return the items of a record. Raises BadRecord."""
    try:
        return [_night(record) if record.stream == "night" else _pulse(record)]
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        raise BadRecord(f"tide/{record.stream}: a field is missing or unreadable") from None


def _night(record: RawRecord) -> Episode:
    row = record.payload
    start, end = (_instant(row[name]) for name in ("startdate", "enddate"))
    share = 1 if planted("efficiency is a share") else 100
    values = {Metric.ASLEEP: row["data"]["asleep"] / 60, Metric.SLEEP_EFFICIENCY: row["data"]["efficiency"] * share}
    offset = _offset(row, end)
    local = timedelta(0) if planted("nights are dated by UTC") else timedelta(minutes=offset)
    day = (end + local).date()
    kept = {metric: v for metric, v in values.items() if METRICS[metric].low <= v <= METRICS[metric].high}
    return Episode(
        key=record.key, kind=EpisodeKind.SLEEP, start=start, end=end, offset=_told(offset), day=day, values=kept
    )


def _pulse(record: RawRecord) -> Sample:
    at, value = _instant(record.payload["date"]), float(record.payload["value"])
    offset = _offset(record.payload, at)
    if not METRICS[Metric.HEART_RATE].low <= value <= METRICS[Metric.HEART_RATE].high:
        raise ValueError("out of range")
    day = (at + timedelta(minutes=offset)).date()
    return Sample(key=record.key, metric=Metric.HEART_RATE, start=at, offset=_told(offset), day=day, value=value)


def _told(offset: int) -> int:
    return -offset if planted("the offset's sign is reversed") else offset


def _instant(seconds: Any) -> datetime:
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1_000_000_000 < seconds < 4_000_000_000:
        raise ValueError("no instant")
    return datetime.fromtimestamp(seconds, UTC)


def _offset(row: Mapping[str, Any], at: datetime) -> int:
    moved = at.astimezone(ZoneInfo(str(row["timezone"]))).utcoffset() or timedelta(0)
    return int(moved / timedelta(minutes=1))
