"""Pull Google's calendars and their events, first a full listing, then changes by a sync token per calendar.

A token is valid only for the same parameters. Whoever changes these must raise ``SPEC.cursor_version``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from bridge.domain.errors import CursorExpired
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Page, RawRecord
from connectors.google.answers import Forbidden, Gone, NotFound, answered
from connectors.google.auth import open_service
from connectors.google.calendar.calendars import CALENDAR, calendars, items, next_token
from connectors.google.calendar.normalise import OURS, TASK_LINK, THEIRS
from connectors.lists import dropped
from connectors.payload import mapping

PAGE_MAX_EVENTS = 2500  # the API's maximum
BEGUN = ""  # in place of a token: some of the calendar is stored, but not yet all of it
EVENT_FIELDS = (
    "nextPageToken,nextSyncToken,items(id,iCalUID,status,summary,description,location,start,end,eventType,transparency,"
    "visibility,recurringEventId,originalStartTime,recurrence,organizer(self),"
    "attendees(self,organizer,resource,responseStatus),attendeesOmitted,conferenceData(conferenceSolution/key/type),"
    "hangoutLink,extendedProperties(private),updated)"
)  # no e-mail addresses


class GoogleCalendar:
    """Connector for an account at Google Calendar, for a single sync and thread."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._followed: dict[str, bool] | None = None

    def close(self) -> None:
        if "_service" in vars(self):
            self._service.close()

    @cached_property
    def _service(self) -> Any:
        return open_service(self._account, CALENDAR, "calendar", "v3", "/calendar/v3/")

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the changes of the calendar list (stream ``calendar``), or of the events of all read calendars.

        Events of a removed calendar are deleted. Raises Forbidden if all calendars are forbidden.
        """
        if stream == "calendar":
            self._followed, page = calendars(self._service, cursor, now)
            yield page
            return
        if self._followed is None:
            self._followed, _ = calendars(self._service, None, now)
        tokens: dict[str, str] = json.loads(cursor) if cursor else {}
        for calendar in sorted(set(tokens) - set(self._followed)):
            yield dropped("event", calendar, tokens)
        shut: list[str] = []
        for calendar, theirs in self._followed.items():
            try:
                yield from self._follow(calendar, tokens, now, theirs=theirs)
            except NotFound:  # unshared or removed since the list was read
                yield dropped("event", calendar, tokens)
            except Forbidden:
                shut.append(calendar)
                if len(shut) == len(self._followed):  # it is not about one calendar
                    raise
        for calendar in shut:
            yield dropped("event", calendar, tokens)

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:  # noqa: ARG002 - the port's shape
        """Yield a page without records, because a push does not tell what changed and a pull follows."""
        yield Page(stream=stream, records=())

    def _follow(self, calendar: str, tokens: dict[str, str], now: datetime, *, theirs: bool) -> Iterator[Page]:
        ended = _Ended(calendar=calendar, theirs=theirs)
        if tokens.get(calendar):
            try:
                yield from self._listing(calendar, tokens, now, ended)
            except Gone:
                tokens[calendar] = BEGUN
            else:
                return
        try:
            anew = _Ended(calendar=calendar, theirs=theirs, before=ended.alive)
            yield from self._listing(calendar, tokens, now, anew)
        except Gone:
            raise CursorExpired(
                "google_calendar refused a full listing (HTTP 410), which the next sync tries again: "
                "bridge sync --user NAME"
            ) from None

    def _listing(self, calendar: str, tokens: dict[str, str], now: datetime, ended: _Ended) -> Iterator[Page]:
        """Yield a calendar's pages, with the changes since its sync token, or with all events if there is none."""
        # Its cursor notes that the listing began, because its stored events must be deleted if the calendar is
        # removed.
        options: dict[str, Any] = {
            "calendarId": calendar,
            "maxResults": PAGE_MAX_EVENTS,
            "singleEvents": False,
            "fields": EVENT_FIELDS,
        }
        full = not tokens.get(calendar)
        if not full:
            options["syncToken"] = tokens[calendar]
        while True:
            body = answered(self._service.events().list(**options), CALENDAR, now)
            records = ended.read(items(body))
            if "nextPageToken" not in body:
                break
            tokens.setdefault(calendar, BEGUN)
            yield Page(stream="event", records=records, cursor=json.dumps(tokens, sort_keys=True) if full else None)
            options["pageToken"] = body["nextPageToken"]
        tokens[calendar] = next_token(body)
        covers = Covers(prefix=f"{calendar}/") if full else ended.covers()
        cursor = json.dumps(tokens, sort_keys=True)
        yield Page(stream="event", records=(*records, *ended.deletions()), cursor=cursor, covers=covers)


@dataclass(slots=True, kw_only=True)
class _Ended:
    """The events that a listing ends without naming them, such as exceptions of a deleted series."""

    calendar: str
    theirs: bool  # somebody else's
    before: set[str] = field(default_factory=set)  # keys a listing delivered that broke off
    alive: set[str] = field(default_factory=set)
    _gone: set[str] = field(default_factory=set)
    _holes: dict[str, str] = field(default_factory=dict)  # key of a cancelled exception -> path of its series

    def read(self, listed: Sequence[Mapping[str, Any]]) -> tuple[RawRecord, ...]:
        records = tuple(_record(self.calendar, item, theirs=self.theirs) for item in listed)
        for record in records:
            if record.deleted:
                self._gone.add(record.path)
                continue
            self.alive.add(record.key)
            if record.parent is not None and record.payload.get("status") == "cancelled":
                self._holes[record.key] = record.parent
        return records

    def deletions(self) -> Iterator[RawRecord]:
        ended = {key for key, series in self._holes.items() if series in self._gone}
        for key in sorted(ended | (self.before - self.alive)):
            yield RawRecord(stream="event", key=key, payload={}, deleted=True)

    def covers(self) -> Covers | None:
        return Covers(parents=frozenset(self._gone)) if self._gone else None


def _record(calendar: str, item: Mapping[str, Any], *, theirs: bool) -> RawRecord:
    # A cancelled exception is stored, because it says that the series has no instance at that time.
    gone = item.get("status") == "cancelled" and "recurringEventId" not in item
    series = item.get("recurringEventId")
    return RawRecord(
        stream="event",
        key=f"{calendar}/{item.get('id', '?')}",
        payload={} if gone else _kept(item) | ({THEIRS: True} if theirs else {}),
        parent=f"event/{calendar}/{series}" if isinstance(series, str) else None,
        deleted=gone,
    )


def _kept(item: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(item)
    if TASK_LINK in str(kept.pop("description", "")):
        kept["description"] = TASK_LINK
    private = mapping(mapping(kept.pop("extendedProperties", None)).get("private"))
    if OURS in private:
        kept["extendedProperties"] = {"private": {OURS: private[OURS]}}
    return kept
