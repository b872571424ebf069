"""A server that plays Google Health, with data points by type, merged, filtered and in pages, and daily sums."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from bridge.recordings.server import Answer, Request
from connectors.google.health.client import ACTIVITY_SCOPE, KINDS, MEASUREMENTS, SLEEP_SCOPE
from lab.vendors import page_of
from lab.vendors.google import GoogleServer, refusal

MEMBER = "health-user-1"
PATH = re.compile(r"/v4/users/me/dataTypes/([a-z-]+)/dataPoints:(reconcile|dailyRollUp)")
BOUND = re.compile(r'(\S+) (>=|<) "(\d{4}-\d\d-\d\d)"')  # of a filter by dates
TYPES = {kind.name: (stream, kind) for stream, kind in KINDS.items()}
SESSIONS_MAX, POINTS_MAX = 25, 10_000
RANGE_DAYS, TOTAL_DAYS = 90, 14  # that a sum of days may be asked for


class Vendor(GoogleServer):
    scope = f"{SLEEP_SCOPE} {ACTIVITY_SCOPE} {MEASUREMENTS}"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.page_size = POINTS_MAX

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {"days": "60", "webhook_secret": ""}

    def answer_for(self, request: Request, query: Mapping[str, str]) -> Answer:
        """Answer with the user's identity, a list of data points, or daily sums."""
        if request.path == "/v4/users/me/identity":
            return Answer(body={"name": "users/me/identity", "healthUserId": MEMBER, "legacyUserId": "ABC123"})
        found = PATH.fullmatch(request.path)
        if found is None or found[1] not in TYPES:
            return refusal(404, "notFound")
        stream, kind = TYPES[found[1]]
        if kind.scope not in self.scopes(request):
            return uncovered()
        if (found[2] == "reconcile") != (kind.time is not None):
            return refusal(400, "INVALID_ARGUMENT")
        return self._points(stream, query) if kind.time else self._sums(stream, request)

    def _points(self, stream: str, query: Mapping[str, str]) -> Answer:
        """Answer with the data points of a filter, latest first, or with status 400 for a field that does not fit."""
        kind = KINDS[stream]
        bounds = BOUND.findall(query.get("filter", ""))
        if not bounds or any(name != f"{kind.name.replace('-', '_')}.{kind.time}" for name, _, _ in bounds):
            return refusal(400, "INVALID_DATA_POINT_FILTER_DATA_TYPE_MEMBER")
        rows = [row for row in self.account.get(stream, []) if _within(_civil(stream, row), bounds)]
        largest = SESSIONS_MAX if stream in ("sleep", "exercise") else POINTS_MAX
        return self._page("dataPoints", rows[::-1], query, min(int(query.get("pageSize", "25")), largest))

    def _sums(self, stream: str, request: Request) -> Answer:
        asked = json.loads(request.body)
        first, end = (_day(asked["range"][edge]["date"]) for edge in ("start", "end"))
        longest = TOTAL_DAYS if stream == "total_energy" else RANGE_DAYS
        if request.method != "POST" or not timedelta(0) < end - first <= timedelta(days=longest):
            return refusal(400, "INVALID_ARGUMENT")
        rows = [row for row in self.account.get(stream, []) if str(first) <= _civil(stream, row) < str(end)]
        return self._page("rollupDataPoints", rows, asked, longest)

    def _page(self, name: str, rows: list[Any], query: Mapping[str, Any], size: int) -> Answer:
        found, token = page_of(rows, query.get("pageToken"), min(size, self.page_size))
        return Answer(body=({name: found} if found else {}) | ({"nextPageToken": token} if token else {}))


def uncovered() -> Answer:
    """Return the answer to a request outside the consent's scopes, as google_health_api recorded it."""
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}
    error = {"code": 403, "message": "insufficient scopes", "status": "PERMISSION_DENIED", "details": [reason]}
    return Answer(status=403, body={"error": error})


def _within(day: str, bounds: list[tuple[str, str, str]]) -> bool:
    """Return True for a date that fulfils all ``bounds`` (field, ">=" or "<", date), and for an empty date."""
    return not day or all(day >= edge if sign == ">=" else day < edge for _, sign, edge in bounds)


def _civil(stream: str, row: Mapping[str, Any]) -> str:
    """Return the date by which a row is filtered, or "" if it has none."""
    names = {"sleep": "civilEndTime", "exercise": "civilStartTime"}
    inner = next((value for value in row.values() if isinstance(value, dict)), {})
    if stream in names:
        told = (inner.get("interval") or {}).get(names[stream]) or {}
    elif stream == "readings":
        told = (inner.get("sampleTime") or {}).get("civilTime") or {}
    else:
        told = row.get("civilStartTime") or inner
    try:
        return str(_day(told["date"]))
    except (KeyError, TypeError, ValueError):
        return ""


def _day(told: Mapping[str, int]) -> date:
    return date(told["year"], told["month"], told["day"])
