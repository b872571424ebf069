"""A Google Calendar server for one account: calendar list, events with page and sync tokens, OAuth with PKCE.

Every change to an event has a number; a sync token is the number up to which its holder has seen everything.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlencode

from bridge.lab.server import Answer, Request

API = "/calendar/v3"
CLIENT = {"client_id": "lab-client.apps.example.com", "client_secret": "lab-secret"}
SCOPE = "https://www.googleapis.com/auth/calendar.readonly"
LIFE = 3600
FORBIDDEN = {
    "iCalUID",
    "orderBy",
    "privateExtendedProperty",
    "q",
    "sharedExtendedProperty",
    "timeMin",
    "timeMax",
    "updatedMin",
}


class Vendor:
    """Serves ``account``; change it through ``put``, ``delete`` and ``remove_calendar`` so that sync tokens work."""

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.page_size = 2500
        self.empty_first_page = False
        self.granted_scope = SCOPE
        self._changes: dict[str, dict[str, int]] = {
            c: dict.fromkeys((e["id"] for e in es), 1) for c, es in account["events"].items()
        }
        self._number = 1
        self._oldest_token = 0
        self._access: dict[str, float] = {}
        self._refresh: set[str] = set()
        self._codes: dict[str, str] = {}

    def settings(self, url: str) -> dict[str, str]:
        """The connector's settings for this server."""
        oauth = {name: f"{url}/{path}" for name, path in _OAUTH.items()}
        return {"base_url": url, **oauth, **CLIENT}

    def grant(self) -> dict[str, Any]:
        """A consent that is valid now, as the connector stores it."""
        body = self._issue()
        expiry = datetime.now(UTC) + timedelta(seconds=LIFE)
        return {
            "token": body["access_token"],
            "refresh_token": body["refresh_token"],
            "expiry": expiry.isoformat(),
            "scopes": [SCOPE],
        }

    def put(self, calendar: str, event: dict[str, Any]) -> None:
        """Add or replace an event."""
        events = self.account["events"].setdefault(calendar, [])
        events[:] = [e for e in events if e["id"] != event["id"]] + [event]
        self._touch(calendar, event["id"])

    def delete(self, calendar: str, event_id: str) -> None:
        """Cancel a single event or a whole series with its exceptions."""
        events = self.account["events"][calendar]
        gone = [e["id"] for e in events if event_id in (e["id"], e.get("recurringEventId"))]
        events[:] = [e for e in events if e["id"] not in gone]
        for one in gone:
            self._touch(calendar, one)

    def remove_calendar(self, calendar: str) -> None:
        self.account["calendars"] = [c for c in self.account["calendars"] if c["id"] != calendar]

    def expire_sync_tokens(self) -> None:
        """Tokens given out so far answer 410 from now on."""
        self._number += 1
        self._oldest_token = self._number

    def tokens_expire(self) -> None:
        self._access.clear()

    def revoke(self) -> None:
        """The person withdraws every consent."""
        self._access.clear()
        self._refresh.clear()

    def _touch(self, calendar: str, event_id: str) -> None:
        self._number += 1
        self._changes.setdefault(calendar, {})[event_id] = self._number

    def application(self, request: Request) -> Answer:
        match request.method, request.path:
            case "GET", "/o/oauth2/auth":
                return self._agree(request)
            case "POST", "/token":
                return self._token(request.form)
            case "POST", "/revoke":
                self.revoke()
                return Answer(body={})
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._access.get(token, 0.0) < time.time():
            return refusal(401, "authError")
        return self._api(request, _query(request))

    def _api(self, request: Request, query: Mapping[str, str]) -> Answer:
        path = request.path.removeprefix(API)
        if path == "/users/me/calendarList":
            return self._page(self.account["calendars"], query, {"nextSyncToken": "calendar-list"})
        if path == "/users/me/settings/timezone":
            return Answer(body={"id": "timezone", "value": self.account.get("zone", "UTC")})
        parts = path.strip("/").split("/")
        known = {c["id"]: c for c in self.account["calendars"]}
        calendar = known.get(unquote(parts[1])) if len(parts) > 1 and parts[0] == "calendars" else None
        if calendar is None:
            return refusal(404, "notFound")
        return self._events(calendar, query) if parts[2:] == ["events"] else Answer(body=calendar)

    def _events(self, calendar: Mapping[str, Any], query: Mapping[str, str]) -> Answer:
        """Masters and exceptions; with a sync token only what changed since, deleted ones as cancelled."""
        events = {e["id"]: e for e in self.account["events"].get(calendar["id"], [])}
        found = list(events.values())
        if "syncToken" in query:
            if FORBIDDEN & set(query) or query.get("showDeleted") == "false":
                return refusal(400, "invalid")
            since = int(query["syncToken"].removeprefix("sync-"))
            if since < self._oldest_token:
                return refusal(410, "fullSyncRequired")
            changed = [i for i, number in self._changes.get(calendar["id"], {}).items() if number > since]
            found = [events.get(i, {"id": i, "status": "cancelled"}) for i in changed]
        last = {"nextSyncToken": f"sync-{self._number}", "timeZone": calendar.get("timeZone", "UTC")}
        return self._page(found, query, last)

    def _page(self, items: list[dict[str, Any]], query: Mapping[str, str], last: Mapping[str, str]) -> Answer:
        """Short and even empty pages are normal; the sync token stands on the last one only."""
        size = min(int(query.get("maxResults", "250")), self.page_size)
        if self.empty_first_page and "pageToken" not in query:
            return Answer(body={"items": [], "nextPageToken": "page-0"})
        begin = int(query.get("pageToken", "page-0").removeprefix("page-"))
        body: dict[str, Any] = {"items": items[begin : begin + size]}
        more = begin + size < len(items)
        return Answer(body=body | ({"nextPageToken": f"page-{begin + size}"} if more else dict(last)))

    def _issue(self, *, refresh: bool = True) -> dict[str, Any]:
        body = {
            "access_token": secrets.token_urlsafe(24),
            "expires_in": LIFE,
            "token_type": "Bearer",
            "scope": self.granted_scope,
        }
        self._access[str(body["access_token"])] = time.time() + LIFE
        if refresh:
            body["refresh_token"] = secrets.token_urlsafe(24)
            self._refresh.add(str(body["refresh_token"]))
        return body

    def _agree(self, request: Request) -> Answer:
        """The person agrees at once, or refuses when the account says so."""
        query = request.query
        if query.get("client_id") != CLIENT["client_id"]:
            return refusal(401, "invalid_client")
        given = {"state": query.get("state", "")}
        if self.account.get("refuses"):
            given["error"] = "access_denied"
        else:
            given |= {"code": secrets.token_urlsafe(16), "scope": self.granted_scope}
            self._codes[given["code"]] = query.get("code_challenge", "")
        return Answer(status=302, headers={"Location": query["redirect_uri"] + "?" + urlencode(given)})

    def _token(self, form: Mapping[str, str]) -> Answer:
        if form.get("grant_type") == "refresh_token":
            known = form.get("refresh_token") in self._refresh
            return Answer(body=self._issue(refresh=False)) if known else _invalid_grant()
        challenge = self._codes.pop(form.get("code", ""), None)
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if challenge is None or base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != challenge:
            return _invalid_grant()
        return Answer(body=self._issue())


_OAUTH = {"auth_uri": "o/oauth2/auth", "token_uri": "token", "revoke_uri": "revoke"}


def _query(request: Request) -> dict[str, str]:
    """The client turns a very long GET into a POST with its parameters in the body."""
    return dict(request.query) | (request.form if request.body else {})


def _invalid_grant() -> Answer:
    return Answer(
        status=400, body={"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
    )


def refusal(status: int, reason: str, **headers: str) -> Answer:
    """An error in the shape of Google's APIs."""
    error = {"code": status, "message": reason, "errors": [{"domain": "calendar", "reason": reason}]}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": error}, headers=named)
