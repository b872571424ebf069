"""A server that plays the Garmin Personal API, with API keys, limits of date ranges, and empty answers.

``account`` holds ``summaries``, ``hrv``, ``body_battery`` and ``activities`` as lists, ``sleeps`` and ``heart_rates``
by date, each row in Garmin's own format.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from bridge.recordings.server import Answer, Request

KEY = "lab-personal-api-key"
TOKEN = "/personalapitoken-service/personal-api/personal-api-key/token"
GARMIN_TOKEN_LIFE_SECONDS = 86_400
RANGE_MAX_DAYS = {"summaries": 365, "hrv": 35, "body_battery": 31}  # days per request


class Vendor:
    paths: Mapping[str, str | None] = {
        "summary": "/dailysummaries",
        "sleep": "/dailySleep",
        "hrv": "/hrv/daily/",
        "heart_rate": "/dailyHeartRate",
        "body_battery": "/bodyBattery/",
        "activity": "/activities",
    }
    pages = "number"
    no_data = (200, 204, 404)
    tokens_end = speaks_json = True

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.key = KEY
        self.days = 90  # a first sync reads
        self._access: dict[str, float] = {}

    def settings(self, url: str) -> dict[str, str]:
        return {"base_url": url, "api_key": self.key, "days": str(self.days)}

    def grant(self) -> dict[str, Any]:
        return {
            "api_key": self.key,
            "access_token": self._issue(),
            "expires_at": time.time() + GARMIN_TOKEN_LIFE_SECONDS,
        }

    def tokens_expire(self) -> None:
        self._access.clear()

    def revoke(self) -> None:
        self.key = secrets.token_urlsafe(16)
        self._access.clear()

    def application(self, request: Request) -> Answer:
        if request.method == "POST" and request.path == TOKEN:
            return self._token(request.headers.get("authorization", ""))
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._access.get(token, 0.0) < time.time():
            return Answer(status=401, body={"message": "unauthorized"})
        return self._answer(request)

    def _token(self, header: str) -> Answer:
        if header != f"ApiKey {self.key}":
            return Answer(status=401, body={"message": "invalid key"})
        return Answer(body=self._issue().encode(), headers={"Content-Type": "text/plain"})

    def _issue(self) -> str:
        """Return a JWT that ends in a day. Its signature is not valid."""
        claims = json.dumps({"exp": int(time.time()) + GARMIN_TOKEN_LIFE_SECONDS, "jti": secrets.token_hex(8)}).encode()
        token = f"e30.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.lab"
        self._access[token] = time.time() + GARMIN_TOKEN_LIFE_SECONDS
        return token

    def _answer(self, request: Request) -> Answer:
        for path, answer in self._routes().items():
            if request.path.startswith(path):
                return answer(request)
        return Answer(status=404, body={"message": "not found"})

    def _routes(self) -> Mapping[str, Callable[[Request], Answer]]:
        return {
            "/usersummary-service/v2/dailysummaries": lambda r: self._range("summaries", *_dates(r), wrap="data"),
            "/hrv-service/hrv/daily/": lambda r: self._range("hrv", *_in_path(r), wrap="hrvSummaries"),
            "/wellness-service/wellness/bodyBattery/reports/daily": lambda r: self._range(
                "body_battery", *_dates(r), by="date"
            ),
            "/sleep-service/sleep/dailySleep": lambda r: self._one("sleeps", r),
            "/wellness-service/wellness/dailyHeartRate": lambda r: self._one("heart_rates", r),
            "/activitylist-service/activities/search/activities": self._activities,
        }

    def _range(self, what: str, first: str, last: str, *, by: str = "calendarDate", wrap: str | None = None) -> Answer:
        """Answer with the rows of a range of dates, with status 400 for a range too long and 204 for no rows."""
        if (date.fromisoformat(last) - date.fromisoformat(first)).days >= RANGE_MAX_DAYS[what]:
            return Answer(status=400, body={"message": "range too long"})
        rows = [row for row in self.account.get(what, []) if first <= row[by] <= last]
        if not rows:
            return Answer(status=204, body=b"")
        return Answer(body={wrap: rows} if wrap else rows)

    def _one(self, what: str, request: Request) -> Answer:
        asked = request.query["date"]
        found = self.account.get(what, {}).get(asked)
        if found is None and what == "sleeps":
            return Answer(body={"dailySleepDTO": {"id": None, "calendarDate": asked, "sleepStartTimestampGMT": None}})
        return Answer(status=204, body=b"") if found is None else Answer(body=found)

    def _activities(self, request: Request) -> Answer:
        first, last = _dates(request)
        rows = [a for a in self.account.get("activities", []) if first <= a["startTimeLocal"][:10] <= last]
        newest = sorted(rows, key=lambda a: str(a["startTimeLocal"]), reverse=True)
        begin = int(request.query.get("start", "0"))
        return Answer(body=newest[begin : begin + int(request.query.get("limit", "20"))])


def _dates(request: Request) -> tuple[str, str]:
    return request.query["startDate"], request.query["endDate"]


def _in_path(request: Request) -> tuple[str, str]:
    first, last = request.path.strip("/").split("/")[-2:]
    return first, last
