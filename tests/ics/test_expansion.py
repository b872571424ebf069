"""Our expansion against recurring-ical-events, on the fixtures and on other people's calendars."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import lab
from bridge.calendar.expansion import expand
from bridge.domain.errors import BadRecord, BridgeError
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Page
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.files import begins
from connectors.ics.parse import pages
from tests.samples import sample

HOME = "Europe/Berlin"
ZONES = (ZoneSpan(since=datetime(1970, 1, 1, tzinfo=UTC), zone=HOME),)
CASES = ("week", "awkward")
SAME_DAY = "an all-day event that ends on its first day lasts that day: it is no instant"
BOTH = "a date and a time in one event cannot both be meant"
KEPT = "events with one UID and equal versions that start at different times are all kept"
UNKNOWN = "a time in a zone that nothing explains is set aside, and not read on the clock of home"
WITHOUT = "entries without a UID are told apart by what they say"
KNOWN = {  # calendars on which the two differ, and why ours stays as it is
    "calendar_labs_same_day_dtend.ics": SAME_DAY,
    "rrule-exdate-mismatch.ics": SAME_DAY,
    "calendars__example.ics": SAME_DAY,
    "Germany_Holidays.ics": SAME_DAY,
    "issue_526_calendar_with_different_events.ics": UNKNOWN,
    "issue_526_calendar_with_event_subset.ics": UNKNOWN,
    "issue_526_calendar_with_events.ics": UNKNOWN,
    "issue_526_calendar_with_shuffeled_events.ics": UNKNOWN,
    "issue_722_missing_VTIMEZONE_custom.ics": UNKNOWN,
    "docs__tutorials__example.ics": KEPT,
    "issue_253_additional_recurrence_id.ics": "a changed instance its series no longer has takes place nevertheless",
    "issue_15_duplicated_events.ics": WITHOUT,
    "recurring_ical_events__test__calendars__rdate.ics": WITHOUT,
    "issue_75_range_parameter.ics": "a rule that is said to end on a day may still match on that day",
    "issue_132_swapped_start_and_end.ics": "what ends before it starts is set aside",
    "issue_201_mixed_datetime_and_date.ics": BOTH,
    "issue_201_test_matrix.ics": BOTH,
}


def ours(content: bytes, since: datetime, until: datetime) -> Counter[tuple[str, str]]:
    events: list[Event] = []
    for page in pages(content, name="x", zone=HOME):
        for record in page.records:
            try:
                events += [item for item in normalise(record, None) if isinstance(item, Event)]
            except BadRecord:
                continue
    found = expand(events, since=since, until=until, zones=ZONES)
    return Counter((o.start.isoformat(), o.end.isoformat()) for o in found)


def theirs(content: bytes, since: datetime, until: datetime) -> Counter[tuple[str, str]]:
    import recurring_ical_events
    from icalendar import Calendar

    calendar = Calendar.from_ical(content)
    found: set[tuple[str, str, str]] = set()
    for event in recurring_ical_events.of(calendar).between(since, until):
        if str(event.get("STATUS", "")) == "CANCELLED":
            continue
        start, end = event["DTSTART"].dt, event["DTEND"].dt if "DTEND" in event else None
        length = event["DURATION"].dt if "DURATION" in event else None
        begun = instant(start, calendar)
        ended = instant(end, calendar) if end is not None else begun + (length or _default(start))
        if begun < until and (ended > since or begun == ended == since):
            found.add((str(event.get("UID")), begun.isoformat(), ended.isoformat()))
    return Counter((begun, ended) for _, begun, ended in found)


def _default(start: Any) -> timedelta:
    return timedelta(0) if isinstance(start, datetime) else timedelta(days=1)


def instant(at: Any, calendar: Any) -> datetime:
    home = ZoneInfo(str(calendar.get("X-WR-TIMEZONE", HOME)))
    if not isinstance(at, datetime):
        return datetime(at.year, at.month, at.day, tzinfo=ZoneInfo(HOME)).astimezone(UTC)
    return (at.replace(tzinfo=home) if at.tzinfo is None else at).astimezone(UTC)


@pytest.mark.parametrize("case", CASES)
def test_the_fixtures(case: str) -> None:
    content = "\r\n".join([*lab.account("ics", case)["text"], ""]).encode()
    since, until = datetime(2026, 9, 1, tzinfo=UTC), datetime(2027, 9, 1, tzinfo=UTC)
    blocks = re.split(rb"(?=BEGIN:VEVENT)", content)
    readable = b"".join(block for block in blocks if b"Invalid month" not in block) + b"END:VCALENDAR\r\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = theirs(readable.replace(b"END:VCALENDAR\r\nEND:VCALENDAR", b"END:VCALENDAR"), since, until)
    assert sum(wanted.values()) > 3
    found = ours(content, since, until)
    swapped = ("2026-11-19T17:00:00+00:00", "2026-11-19T18:00:00+00:00")
    wanted.pop(swapped, None)  # what ends before it starts is set aside here
    older = ("2026-11-18T20:00:00+00:00", "2026-11-18T20:30:00+00:00")
    wanted.pop(older, None)  # a superseded version of an event
    assert found == wanted


@pytest.mark.slow
def test_other_peoples_calendars() -> None:
    """Every calendar that both can read expands alike, but for exactly those whose reason is written above."""
    different: list[str] = []
    compared = 0
    for path in sorted(sample("calendar").rglob("*.ics")):
        content = path.read_bytes()
        if not begins(content):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = theirs(content, *_five_years(content))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError):
            continue
        compared += 1
        try:
            found = ours(content, *_five_years(content))
        except BridgeError:
            found = Counter()
        if found != wanted:
            different.append(next((name for name in KNOWN if path.name.endswith(name)), path.name))
    assert compared > 200
    assert sorted(different) == sorted(KNOWN)


def _five_years(content: bytes) -> tuple[datetime, datetime]:
    """Five years on from the calendar's first event, from and to noon so that no bound is anybody's midnight."""
    found = re.search(rb"DTSTART[^:\r\n]*:(\d{4})(0[1-9]|1[0-2])", content)
    year, month = (int(part) for part in found.groups()) if found else (2026, 1)
    start = datetime(max(year, 1971), month, 1, 12, tzinfo=UTC) - timedelta(days=31)
    return start, start + timedelta(days=31 + 5 * 366)


def test_a_file_that_is_no_calendar_is_one_line() -> None:
    with pytest.raises(BridgeError, match="the file holds no calendar"):
        list(pages(b"BEGIN:VCALENDAR\r\nnothing", name="x", zone=HOME))


def test_a_calendar_that_is_cut_off_is_read_up_to_there_and_deletes_nothing() -> None:
    text = "\r\n".join([*lab.account("ics", "week")["text"], ""]).encode()
    cut = text[: text.index(b"UID:trip@example.com")]
    found: list[Page] = []
    with pytest.raises(BridgeError, match="the file is cut off"):
        found.extend(pages(cut, name="x", zone=HOME))
    assert sum(len(page.records) for page in found) == 3
    assert all(page.covers is None for page in found)
