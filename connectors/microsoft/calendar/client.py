"""Pull Microsoft's calendars and events by delta queries over a window of time, in which Graph expands series.

Graph states only the times and the series of an occurrence (microsoftgraph/microsoft-graph-docs, issue 7632).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote

from bridge.domain.errors import CursorExpired
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Covers, Page, RawRecord
from connectors.microsoft.calendar import SPEC
from connectors.microsoft.calendar.normalise import MASTER, kept
from connectors.microsoft.consent import obtain
from connectors.microsoft.graph import REMOVED, Closed, Graph, Missing, Rejected, Thing

BACK, AHEAD = timedelta(days=370), timedelta(days=120)  # of a window, around the moment at which it was opened
RENEWED = timedelta(days=30)
BEGUN = ""  # in place of a link: some of the calendar is stored, but not all of it in this window
CALENDAR_FIELDS = ("id", "isDefaultCalendar", "canEdit")  # no names
WRITE_SCOPE = "Calendars.ReadWrite"


@dataclass(slots=True, kw_only=True)
class _State:
    """The content of a cursor, with the start of the window of time and each calendar's link to its next changes."""

    opened: datetime
    links: dict[str, str]

    @classmethod
    def of(cls, cursor: str | None, now: datetime) -> _State:
        """Return the state in a cursor. Without one, or after the window's time, a new window begins at ``now``."""
        if cursor is None:
            return cls(opened=now, links={})
        saved = json.loads(cursor)
        opened, links = datetime.fromisoformat(saved["opened"]), saved["links"]
        if opened <= now < opened + RENEWED:
            return cls(opened=opened, links=links)
        return cls(opened=now, links=dict.fromkeys(links, BEGUN))

    @property
    def since(self) -> datetime:
        return self.opened - BACK

    @property
    def window(self) -> dict[str, str]:
        return {"startDateTime": _text(self.since), "endDateTime": _text(self.opened + AHEAD)}

    def cursor(self) -> str:
        return json.dumps({"opened": self.opened.isoformat(), "links": self.links}, sort_keys=True)


@dataclass(slots=True, kw_only=True)
class _Round:
    """The events of a calendar that a listing's pages hold, by id. ``removed`` are the ids of deleted events."""

    calendar: str
    events: dict[str, Thing] = field(default_factory=dict)  # by id
    removed: list[str] = field(default_factory=list)
    changed_series: set[str] = field(default_factory=set)  # ids of series whose occurrences were listed anew

    def take(self, things: list[Thing]) -> None:
        for thing in things:
            key = str(thing.get("id", "?"))
            if REMOVED in thing:
                self.events.pop(key, None)
                self.removed.append(key)
            else:
                self.events[key] = kept(thing)

    def series(self) -> set[str]:
        return {str(event["seriesMasterId"]) for event in self.events.values() if event.get("seriesMasterId")}

    def masters(self) -> set[str]:
        return {key for key, one in self.events.items() if one.get("type") == MASTER}

    def drop_series(self, master: str) -> None:
        self.events = {key: one for key, one in self.events.items() if one.get("seriesMasterId") != master}
        self.removed.append(master)

    def records(self) -> tuple[RawRecord, ...]:
        order = sorted(self.events.items(), key=lambda one: (one[1].get("type") != MASTER, one[0]))
        gone = [key for key in dict.fromkeys(self.removed) if key not in self.events]
        return (
            *(_record(self.calendar, key, one) for key, one in order),
            *(RawRecord(stream="event", key=f"{self.calendar}/{key}", payload={}, deleted=True) for key in gone),
        )


class MicrosoftCalendar:
    def __init__(self, account: Account) -> None:
        self._graph = Graph(account, SPEC)
        self._read: dict[str, Thing] | None = None

    def close(self) -> None:
        self._graph.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the list of calendars (stream ``calendar``), or the changed events of all read calendars.

        Events of a removed calendar are deleted. Raises Closed if none of the calendars may be read.
        """
        if self._read is None:
            self._read = self._calendars(now)
        if stream == "calendar":
            records = tuple(RawRecord(stream=stream, key=key, payload=one) for key, one in self._read.items())
            yield Page(stream=stream, records=records, covers=Covers())
            return
        state = _State.of(cursor, now)
        for gone in sorted(set(state.links) - set(self._read)):
            yield _dropped(gone, state)
        shut: list[str] = []
        for calendar in self._read:
            try:
                yield from self._follow(calendar, state, now)
            except Missing:  # it was removed since the list was read
                yield _dropped(calendar, state)
            except Closed:
                shut.append(calendar)
                if len(shut) == len(self._read):  # it is not about one calendar
                    raise
        for calendar in shut:
            yield _dropped(calendar, state)

    def _calendars(self, now: datetime) -> dict[str, Thing]:
        listed = self._graph.listed("/me/calendars", now=now)
        wanted = (one for one in listed if one.get("isDefaultCalendar") is True or one.get("canEdit") is True)
        found = {str(one.get("id", "?")): {name: one.get(name) for name in CALENDAR_FIELDS} for one in wanted}
        return dict(sorted(found.items()))

    def _follow(self, calendar: str, state: _State, now: datetime) -> Iterator[Page]:
        link = state.links.get(calendar) or None
        try:
            found, following = self._changes(calendar, link, state, now)
        except (CursorExpired, Rejected):
            if link is None:
                raise
            link = None
            found, following = self._changes(calendar, None, state, now)
        if link is not None:
            self._expand_changed_series(found, state, now)
        self._add_masters(found, now)
        yield from _pages(found, following, state, whole=link is None)

    def _changes(self, calendar: str, link: str | None, state: _State, now: datetime) -> tuple[_Round, str]:
        found = _Round(calendar=calendar)
        begin = f"/me/calendars/{quote(calendar, safe='')}/calendarView/delta"
        things, following = self._graph.changes(link or begin, now=now, params=None if link else state.window)
        found.take(things)
        return found, following

    def _expand_changed_series(self, found: _Round, state: _State, now: datetime) -> None:
        """Replace the occurrences of each changed series by a full listing, as Graph may name only some of them."""
        for master in sorted(found.masters()):
            try:
                path = f"/me/events/{quote(master, safe='')}/instances"
                instances = self._graph.listed(path, now=now, params=state.window)
            except Missing:
                found.drop_series(master)
                continue
            found.events = {key: one for key, one in found.events.items() if one.get("seriesMasterId") != master}
            found.take(instances)
            found.changed_series.add(master)

    def _add_masters(self, found: _Round, now: datetime) -> None:
        for master in sorted(found.series() - found.masters()):
            try:
                found.take([self._graph.get(f"/me/events/{quote(master, safe='')}", now=now)])
            except Missing:
                found.drop_series(master)


def _pages(found: _Round, following: str, state: _State, *, whole: bool) -> Iterator[Page]:
    calendar = found.calendar
    if whole:
        state.links[calendar] = following
        covers = Covers(prefix=f"{calendar}/", since=state.since)
        yield Page(stream="event", records=found.records(), cursor=state.cursor(), covers=covers)
        return
    changed = frozenset(f"event/{calendar}/{key}" for key in found.changed_series)
    removed = frozenset(f"event/{calendar}/{key}" for key in found.removed)
    listed = Covers(parents=changed, since=state.since) if changed else None
    yield Page(stream="event", records=found.records(), covers=listed)
    state.links[calendar] = following
    gone = Covers(parents=removed) if removed else None
    yield Page(stream="event", records=(), cursor=state.cursor(), covers=gone)


def _record(calendar: str, key: str, event: Thing) -> RawRecord:
    series = event.get("seriesMasterId")
    return RawRecord(
        stream="event",
        key=f"{calendar}/{key}",
        payload=event,
        parent=f"event/{calendar}/{series}" if event.get("type") != MASTER and series else None,
    )


def _dropped(calendar: str, state: _State) -> Page:
    state.links.pop(calendar, None)
    return Page(stream="event", records=(), cursor=state.cursor(), covers=Covers(prefix=f"{calendar}/"))


def _text(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def authorise(account: Account, browser: Browser, *, write: bool = False, also: Sequence[str] = ()) -> None:
    """Ask for consent to read calendars, with ``write`` also to write, and for the scopes ``also``, and save it.

    Raises NeedsLogin if the user declines or a needed scope is missing.
    """
    obtain(account, browser, SPEC, writes=(WRITE_SCOPE,) if write else (), also=also)
