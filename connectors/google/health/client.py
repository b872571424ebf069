"""Pull data points of Google Health, which Google merges over devices and apps, and its sums of days.

The API reports neither changes nor deletions, so every pull reads the last days again (``SPEC.overlap``).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlencode

from bridge.domain.errors import Forged, NotPermitted, SourceChanged
from bridge.domain.ports import Account
from bridge.domain.slots import DAY
from bridge.domain.types import Notice, Page, RawRecord
from connectors.answers import listing, token_pages
from connectors.google import auth
from connectors.google.answers import Service, Uncovered, answered
from connectors.google.auth import open_http
from connectors.google.health import SPEC
from connectors.instants import calendar_date
from connectors.payload import Fields, mapping, rows, words
from connectors.windows import Window

SCOPE_PREFIX = "https://www.googleapis.com/auth/googlehealth."
SLEEP_SCOPE = f"{SCOPE_PREFIX}sleep.readonly"
ACTIVITY_SCOPE = f"{SCOPE_PREFIX}activity_and_fitness.readonly"
MEASUREMENTS = f"{SCOPE_PREFIX}health_metrics_and_measurements.readonly"

HEALTH = Service(
    source="google_health",
    api="Google Health API",
    scope=SLEEP_SCOPE,
    more=(ACTIVITY_SCOPE, MEASUREMENTS),
    reads="health data",
    fades="Google ends consents to health data after some days or weeks, even for apps in production",
)
authorise = partial(auth.authorise, service=HEALTH)

POINTS_MAX, SESSIONS_MAX = 1000, 25  # rows of a page; of sleeps and workouts Google sends no more than 25
PIECE_DAYS, TOTAL_DAYS = 30, 14  # days of a request; Google sums up total calories over 14 days at most
WRITTEN_BY_PEOPLE = ("displayName", "notes")  # of a workout
NOTICED_DAYS_MAX = 31  # days that are read for a notice
NOTICES_MAX = 100  # of a body; the sync reads the last days anyway
REPEATED = 600  # seconds within which the same notice is the same message, sent again


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A data type of Google Health, with its name in addresses and the scope that permits reading it.

    ``time`` is the field that requests filter by, None for sums of days. ``key`` is the field that identifies a point.
    """

    name: str
    scope: str
    key: str
    time: str | None = None
    rows: int = POINTS_MAX
    days: int = PIECE_DAYS


def _daily(name: str, field: str) -> Kind:
    return Kind(name=name, scope=MEASUREMENTS, time="date", key=f"{field}.date")


KINDS = {
    "sleep": Kind(
        name="sleep",
        scope=SLEEP_SCOPE,
        time="interval.civil_end_time",
        key="sleep.interval.startTime",
        rows=SESSIONS_MAX,
    ),
    "exercise": Kind(
        name="exercise",
        scope=ACTIVITY_SCOPE,
        time="interval.civil_start_time",
        key="exercise.interval.startTime",
        rows=SESSIONS_MAX,
    ),
    "readings": Kind(
        name="heart-rate-variability",
        scope=MEASUREMENTS,
        time="sample_time.civil_time",
        key="heartRateVariability.sampleTime.physicalTime",
    ),
    "resting_heart_rate": _daily("daily-resting-heart-rate", "dailyRestingHeartRate"),
    "variability": _daily("daily-heart-rate-variability", "dailyHeartRateVariability"),
    "oxygen": _daily("daily-oxygen-saturation", "dailyOxygenSaturation"),
    "respiration": _daily("daily-respiratory-rate", "dailyRespiratoryRate"),
    "temperature": _daily("daily-sleep-temperature-derivations", "dailySleepTemperatureDerivations"),
    "steps": Kind(name="steps", scope=ACTIVITY_SCOPE, key="civilStartTime.date"),
    "distance": Kind(name="distance", scope=ACTIVITY_SCOPE, key="civilStartTime.date"),
    "active_energy": Kind(name="active-energy-burned", scope=ACTIVITY_SCOPE, key="civilStartTime.date"),
    "zone_minutes": Kind(name="active-zone-minutes", scope=ACTIVITY_SCOPE, key="civilStartTime.date"),
    "total_energy": Kind(name="total-calories", scope=ACTIVITY_SCOPE, key="civilStartTime.date", days=TOTAL_DAYS),
}
STREAM_OF_KIND = {kind.name: stream for stream, kind in KINDS.items()}  # data type -> stream


class GoogleHealth:
    """Connector for an account at Google Health. Raises NeedsLogin if the consent is missing or has ended."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._base = account.settings["base_url"].rstrip("/") + "/v4/users/me/"
        self._days = int(account.settings["days"])

    def close(self) -> None:
        if "_http" in vars(self):
            self._http.http.close()

    @cached_property
    def _http(self) -> Any:
        return open_http(self._account, HEALTH)

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield a stream's pages from ``SPEC.overlap`` before the cursor. Raises NotPermitted without its scope."""
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        member = self._member(now) if stream == SPEC.streams[0] else None
        for page in window.pages(stream, KINDS[stream].days, lambda first, last: self._read(stream, first, last, now)):
            yield page if member is None else replace(page, member=member)

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """Yield the pages of the dates in a notice's key, such as ``2026-11-01/2026-11-02``."""
        first, last = (date.fromisoformat(text) for text in key.split("/"))
        for records in self._read(stream, first, min(last, first + NOTICED_DAYS_MAX * DAY), now):
            yield Page(stream=stream, records=records)

    def _member(self, now: datetime) -> str | None:
        if not self._account.settings["webhook_secret"]:
            return None
        return words(mapping(self._ask("identity", now)).get("healthUserId"))

    def _read(self, stream: str, first: date, last: date, now: datetime) -> Iterator[tuple[RawRecord, ...]]:
        kind = KINDS[stream]
        granted = (self._account.token() or {}).get("scopes")
        if granted and kind.scope not in granted:
            raise NotPermitted(Uncovered(f"the consent leaves out {stream}; connect again: {HEALTH.again}"), named=True)
        try:
            yield from (self._points if kind.time else self._sums)(stream, kind, first, last, now)
        except Uncovered as error:
            raise NotPermitted(error, named=True) from None

    def _points(
        self, stream: str, kind: Kind, first: date, last: date, now: datetime
    ) -> Iterator[tuple[RawRecord, ...]]:
        field = f"{kind.name.replace('-', '_')}.{kind.time}"
        asked = {"filter": f'{field} >= "{first}" AND {field} < "{last + DAY}"', "pageSize": str(kind.rows)}
        address = f"dataTypes/{kind.name}/dataPoints:reconcile?"
        yield from _pages(stream, "dataPoints", lambda more: self._ask(address + urlencode(asked | more), now))

    def _sums(self, stream: str, kind: Kind, first: date, last: date, now: datetime) -> Iterator[tuple[RawRecord, ...]]:
        civil = {"start": {"date": _written(first)}, "end": {"date": _written(last + DAY)}}
        asked: dict[str, Any] = {"range": civil, "windowSizeDays": 1}
        address = f"dataTypes/{kind.name}/dataPoints:dailyRollUp"
        yield from _pages(stream, "rollupDataPoints", lambda more: self._ask(address, now, asked | more))

    def _ask(self, path: str, now: datetime, body: Mapping[str, Any] | None = None) -> Any:
        from googleapiclient.http import HttpRequest
        from googleapiclient.model import JsonModel

        request = HttpRequest(
            self._http,
            JsonModel().response,
            self._base + path,
            method="GET" if body is None else "POST",
            body=None if body is None else json.dumps(body),
            headers={"accept": "application/json", "content-type": "application/json"},
        )
        return answered(request, HEALTH, now)


def _pages(stream: str, rows: str, ask: Callable[[dict[str, str]], Any]) -> Iterator[tuple[RawRecord, ...]]:
    for body in token_pages(ask, parameter="pageToken", field="nextPageToken"):
        if not isinstance(body, dict) or (body and not {rows, "nextPageToken"} & set(body)):
            raise SourceChanged(
                f"{SPEC.name} answered {stream} in an unknown shape; look for a newer release of the bridge"
            )
        yield tuple(_record(stream, row) for row in (listing(body, rows, SPEC.name, stream) if rows in body else ()))


def _record(stream: str, row: Mapping[str, Any]) -> RawRecord:
    named = words(row.get("dataPointName"))
    told = named.rpartition("/")[2] if named else Fields(row, SPEC.name).get(KINDS[stream].key)
    key = "-".join(str(told.get(part)) for part in ("year", "month", "day")) if isinstance(told, Mapping) else told
    return RawRecord(stream=stream, key=str(key or "?"), payload={name: _kept(value) for name, value in row.items()})


def _kept(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {name: inner for name, inner in value.items() if name not in WRITTEN_BY_PEOPLE}


def _written(day: date) -> dict[str, int]:
    return {"year": day.year, "month": day.month, "day": day.day}


def notice(
    headers: Mapping[str, str], body: bytes, *, settings: Mapping[str, str], now: datetime
) -> list[Notice] | None:
    """Return the notices in a request, or None if it holds none. Raises Forged if it lacks the registered secret."""
    secret = settings["webhook_secret"]
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if not secret or not hmac.compare_digest(given.encode(), secret.encode()):
        raise Forged("a webhook lacks the secret; register it with the value of BRIDGE_GOOGLE_HEALTH_WEBHOOK_SECRET")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    told = [mapping(one) for one in (said if isinstance(said, list) else [said])][:NOTICES_MAX]
    return [found for one in told for found in _notices(mapping(one.get("data")), now)] or None


def _notices(data: Mapping[str, Any], now: datetime) -> Iterator[Notice]:
    member, stream = words(data.get("healthUserId")), STREAM_OF_KIND.get(str(data.get("dataType")))
    dates = sorted(_dates(data))
    if member is None or stream is None or not dates:
        return
    key = f"{dates[0] - DAY}/{dates[-1] + DAY}"  # the times may be in UTC
    seal = f"{member} {stream} {key} {data.get('operation')} {int(now.timestamp()) // REPEATED}"
    trace = hashlib.sha256(seal.encode()).hexdigest()
    yield Notice(member=member, stream=stream, key=key, deleted=False, trace=trace)


def _dates(data: Mapping[str, Any]) -> Iterator[date]:
    told = [data, *map(mapping, rows(data.get("intervals"))[:NOTICES_MAX])]
    for one in told:
        for name in ("physicalTimeInterval", "civilIso8601TimeInterval"):
            for edge in ("startTime", "endTime"):
                day = calendar_date(str(mapping(one.get(name)).get(edge))[:10])
                if day is not None:
                    yield day
