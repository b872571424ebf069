"""Pull Garmin's Personal API, oldest dates first. Every pull reads recent days again, whose scores may come late."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import partial
from typing import Any

from bridge import http
from bridge.auth.oauth import TokenSession
from bridge.domain.errors import NeedsLogin, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Page, RawRecord
from connectors.garmin import SPEC
from connectors.garmin.files import kept, key_of, started
from connectors.windows import Window

JSON = {"Accept": "application/json"}
ACTIVITIES_PER_PAGE = 100  # activities per page
RANGE_PATHS = {  # stream -> path, days per request
    "summary": ("/usersummary-service/v2/dailysummaries?startDate={first}&endDate={last}", 28),
    "hrv": ("/hrv-service/hrv/daily/{first}/{last}", 28),
    "body_battery": ("/wellness-service/wellness/bodyBattery/reports/daily?startDate={first}&endDate={last}", 28),
    "sleep": ("/sleep-service/sleep/dailySleep?date={first}", 1),
    "heart_rate": ("/wellness-service/wellness/dailyHeartRate?date={first}", 1),
}
ACTIVITIES = "/activitylist-service/activities/search/activities"
WRAPPED = {"summary": "data", "hrv": "hrvSummaries"}  # where a range's list lies
KEYS_PAGE = "https://connect.garmin.com/app/settings/personalApiToken"
TOKEN_PATH = "/personalapitoken-service/personal-api/personal-api-key/token"  # noqa: S105 - a path
TOKEN_PATTERN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, 2.1
TOKEN_LIFE_SECONDS = 86_400  # what a token lasts that does not say
CONNECT_AGAIN = "bridge connect garmin --user NAME"


class Garmin:
    """Connector for an account at Garmin. Raises NeedsLogin if no API key is stored, or if Garmin refuses the key.

    After a refused token, the API key is exchanged for a new token once. Requests raise TryLater without an answer.
    """

    def __init__(self, account: Account) -> None:
        if not (account.token() or {}).get("api_key"):
            raise NeedsLogin(f"garmin needs its Personal API key: {CONNECT_AGAIN}")
        self._base = account.settings["base_url"].rstrip("/")
        self._days = int(account.settings["days"])
        self._session = TokenSession(account, lambda token: _exchanged(account, token["api_key"]), headers=JSON)

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        if stream == "activity":
            yield from self._activities(window, now)
        else:
            length = RANGE_PATHS[stream][1]
            read = partial(self._listed, stream, now)
            yield from window.pages(stream, length, read, tells_deletions=stream not in SPEC.deletions_unknown)

    def _listed(self, stream: str, now: datetime, first: date, last: date) -> Iterator[tuple[RawRecord, ...]]:
        path, length = RANGE_PATHS[stream]
        nothing = (400, 404) if length == 1 else (404,)
        yield _records(stream, self._get(path.format(first=first, last=last), now, nothing=nothing))

    def _activities(self, window: Window, now: datetime) -> Iterator[Page]:
        # Only the last page has a cursor, because older activities follow.
        start = 0
        while True:
            query = f"?startDate={window.since}&endDate={window.until}&start={start}&limit={ACTIVITIES_PER_PAGE}"
            body = self._get(ACTIVITIES + query, now)
            found = _records("activity", body)
            if len(found) < ACTIVITIES_PER_PAGE:
                break
            yield Page(stream="activity", records=found)
            start += ACTIVITIES_PER_PAGE
        covers = window.covers(window.until) if start == 0 and isinstance(body, list) else None
        yield Page(stream="activity", records=found, cursor=window.cursor(window.until), covers=covers)

    def _get(self, path: str, now: datetime, *, nothing: tuple[int, ...] = (404,)) -> Any:
        return http.get_json(self._session, self._base + path, now=now, nothing=nothing, blank=True)


def _records(stream: str, body: Any) -> tuple[RawRecord, ...]:
    rows = body.get(WRAPPED[stream], body or None) if isinstance(body, Mapping) and stream in WRAPPED else body
    if rows is None or rows == {}:
        return ()
    if isinstance(rows, Mapping) and stream not in WRAPPED:
        rows = [rows]
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise SourceChanged(f"garmin answered {stream} in an unknown shape; look for a newer release of the bridge")
    wrapped = [{"hrvSummary": row} if stream == "hrv" and "hrvSummary" not in row else row for row in rows]
    return tuple(_record(stream, row) for row in wrapped)


def _record(stream: str, row: Mapping[str, Any]) -> RawRecord:
    parent = f"workout/{started(row)}" if stream == "activity" else None  # what a file holds of the same one
    return RawRecord(stream=stream, key=key_of(stream, row), payload=kept(row), parent=parent)


def authorise(account: Account, browser: Browser) -> None:
    """Ask for the API key unless the settings hold it, exchange it for a token, and save both.

    Raises NeedsLogin without a key, or for a key that Garmin refuses, and TryLater if Garmin does not answer.
    """
    key = account.settings["api_key"]
    if not key:
        browser.open(KEYS_PAGE)
        key = browser.ask(say("Your Garmin Personal API key")) or ""
    if not key:
        text = say(
            "garmin needs a Personal API key; make one at {page}, then: {command}",
            page=KEYS_PAGE,
            command=CONNECT_AGAIN,
        )
        raise NeedsLogin(text)
    try:
        account.save_token(_exchanged(account, key))
    except TryLater as error:
        raise TryLater(f"{error}; try again later: {CONNECT_AGAIN}", after=error.after) from None


def _exchanged(account: Account, key: str) -> dict[str, Any]:
    """Exchange an API key for a token, and return {"api_key", "access_token", "expires_at" in Unix seconds}."""
    import requests

    address = account.settings["base_url"].rstrip("/") + TOKEN_PATH
    with http.open_session() as session:
        try:
            headers = {"Authorization": f"ApiKey {key}", "Accept": "*/*"}
            answer = session.post(address, headers=headers, timeout=http.TIMEOUT)
        except requests.RequestException as error:
            raise TryLater(f"garmin's token server does not answer ({type(error).__name__})") from error
    if answer.status_code in (400, 401, 403, 404):
        meaning = NeedsLogin if answer.status_code in (400, 401) else Refused
        raise meaning(
            say("garmin refused this Personal API key; make a new one, then: {command}", command=CONNECT_AGAIN)
        )
    if answer.status_code >= 400:
        raise http.busy_error("garmin's token server", answer)
    token = answer.text.strip().strip('"')
    if not TOKEN_PATTERN.fullmatch(token):
        raise TryLater("garmin's token server answered something that is not a token")
    return {"api_key": key, "access_token": token, "expires_at": _ends(token)}


def _ends(token: str) -> float:
    try:
        claims = token.split(".")[1]
        body = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        return float(body["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return time.time() + TOKEN_LIFE_SECONDS
