"""Pull calendars and their events: a full listing once, then what changed, one sync token per calendar.

Series are kept as masters and exceptions and expanded locally, so a change needs no window. The parameters of every
request are the same: Google ties a sync token to them, and changing them means raising ``SPEC.cursor_version``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from bridge.errors import CursorExpired, SourceChanged
from bridge.google import Gone, NotFound, answered, open_service
from bridge.ports import Account
from bridge.types import Covers, Page, RawRecord
from connectors.google_calendar.consent import CALENDAR
from connectors.google_calendar.normalise import TASK_LINK

PAGE = 2500  # the API's maximum
IGNORED = (
    "#holiday@group.v.calendar.google.com",
    "#contacts@group.v.calendar.google.com",
    "#sports@group.v.calendar.google.com",
)
CALENDAR_FIELDS = "nextPageToken,items(id,summary,primary,selected,hidden,deleted,accessRole,timeZone)"
EVENT_FIELDS = (
    "nextPageToken,nextSyncToken,timeZone,items(id,iCalUID,status,summary,description,start,end,eventType,transparency,"
    "visibility,recurringEventId,originalStartTime,recurrence,organizer(self),"
    "attendees(self,organizer,resource,responseStatus),attendeesOmitted,conferenceData(conferenceSolution/key/type),"
    "hangoutLink,updated)"
)  # no e-mail addresses


class GoogleCalendar:
    """An open account, for one sync: httplib2 underneath is not safe to share between threads."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._calendars: list[str] | None = None

    def close(self) -> None:
        if "_service" in vars(self):
            self._service.close()

    @cached_property
    def _service(self) -> Any:
        return open_service(self._account, CALENDAR, "calendar", "v3", "/calendar/v3/")

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """``calendar`` lists whole; ``event`` follows each listed calendar's token."""
        if stream == "calendar":
            yield self._list_calendars(now)
            return
        if self._calendars is None:
            self._list_calendars(now)
        tokens: dict[str, str] = json.loads(cursor) if cursor else {}
        for calendar in sorted(set(tokens) - set(self._calendars or ())):
            yield _dropped(calendar, tokens)
        for calendar in self._calendars or ():
            try:
                yield from self._follow(calendar, tokens, now)
            except NotFound:  # unshared or removed since the list was read
                yield _dropped(calendar, tokens)

    def _list_calendars(self, now: datetime) -> Page:
        found: list[Mapping[str, Any]] = []
        resource, options = self._service.calendarList(), {"fields": CALENDAR_FIELDS, "maxResults": 250}
        request = resource.list(**options)
        while request is not None:
            body = answered(request, CALENDAR, now)
            found += _items(body)
            request = resource.list_next(request, body)
        kept = [entry for entry in found if _wanted(entry)]
        self._calendars = [str(entry["id"]) for entry in kept]
        records = tuple(RawRecord(stream="calendar", key=str(entry["id"]), payload=entry) for entry in kept)
        return Page(stream="calendar", records=records, covers=Covers())

    def _follow(self, calendar: str, tokens: dict[str, str], now: datetime) -> Iterator[Page]:
        """What changed since the token; a dead token means the whole calendar again, once."""
        if calendar in tokens:
            try:
                yield from self._listing(calendar, tokens, now)
            except Gone:
                del tokens[calendar]
            else:
                return
        try:
            yield from self._listing(calendar, tokens, now)
        except Gone:
            raise CursorExpired("google_calendar refused a full listing (HTTP 410)") from None

    def _listing(self, calendar: str, tokens: dict[str, str], now: datetime) -> Iterator[Page]:
        """Pages of one calendar; safe to resume only after the last one, which carries the next token."""
        options: dict[str, Any] = {
            "calendarId": calendar,
            "maxResults": PAGE,
            "singleEvents": False,
            "fields": EVENT_FIELDS,
        }
        full = calendar not in tokens
        if not full:
            options["syncToken"] = tokens[calendar]
        while True:
            body = answered(self._service.events().list(**options), CALENDAR, now)
            records = tuple(_record(calendar, item) for item in _items(body))
            if "nextPageToken" not in body:
                break
            yield Page(stream="event", records=records)
            options["pageToken"] = body["nextPageToken"]
        if not isinstance(body.get("nextSyncToken"), str):
            raise SourceChanged("google_calendar ended a listing without a sync token; look for a newer release")
        tokens[calendar] = body["nextSyncToken"]
        covers = Covers(prefix=f"{calendar}/") if full else None
        yield Page(stream="event", records=records, cursor=json.dumps(tokens, sort_keys=True), covers=covers)


def _dropped(calendar: str, tokens: dict[str, str]) -> Page:
    """A calendar that is no longer there takes its events with it."""
    tokens.pop(calendar, None)
    cursor = json.dumps(tokens, sort_keys=True)
    return Page(stream="event", records=(), cursor=cursor, covers=Covers(prefix=f"{calendar}/"))


def _wanted(entry: Mapping[str, Any]) -> bool:
    """Calendars the person looks at, without holidays, birthdays of contacts and sports."""
    calendar = entry.get("id")
    if not isinstance(calendar, str) or calendar.endswith(IGNORED) or entry.get("deleted") is True:
        return False
    return entry.get("primary") is True or (entry.get("selected") is True and entry.get("hidden") is not True)


def _items(body: Any) -> list[Mapping[str, Any]]:
    items = body.get("items", []) if isinstance(body, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise SourceChanged("google_calendar answered a listing of an unknown shape; look for a newer release")
    return items


def _record(calendar: str, item: Mapping[str, Any]) -> RawRecord:
    """A cancelled exception is a hole in its series and stays; any other cancelled event is gone."""
    gone = item.get("status") == "cancelled" and "recurringEventId" not in item
    key = f"{calendar}/{item.get('id', '?')}"
    return RawRecord(stream="event", key=key, payload={} if gone else _kept(item), deleted=gone)


def _kept(item: Mapping[str, Any]) -> dict[str, Any]:
    """The event without its description, of which only a link to a task is of use."""
    kept = {name: value for name, value in item.items() if name != "description"}
    if TASK_LINK in str(item.get("description", "")):
        kept["description"] = TASK_LINK
    return kept
