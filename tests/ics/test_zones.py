"""Time zones by any name: a clock is read by the calendar's own definition, by its name or offset, or it is told."""

from __future__ import annotations

import pytest

from bridge.calendar.expansion import expand
from bridge.calendar.flights import same_clock
from bridge.domain.errors import BadRecord
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event
from connectors.icalendar.meaning import of_file as normalise
from tests.ics.components import AT_EIGHT, items, records, utc, vevent
from tests.ics.test_components import event

SHOWN = "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"
NEW_YORK = "America/New_York"
# Changes as no place does: one hour on 1 May's first Monday, back on September's first, at St John's offset.
OF_ITS_OWN = (
    *("BEGIN:VTIMEZONE", "TZID:tzone://Microsoft/Custom"),
    *("BEGIN:STANDARD", "DTSTART:16010101T020000", "TZOFFSETFROM:-0230", "TZOFFSETTO:-0330"),
    *("RRULE:FREQ=YEARLY;BYDAY=1MO;BYMONTH=9", "END:STANDARD"),
    *("BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:-0330", "TZOFFSETTO:-0230"),
    *("RRULE:FREQ=YEARLY;BYDAY=1MO;BYMONTH=5", "END:DAYLIGHT", "END:VTIMEZONE"),
)


@pytest.mark.parametrize(
    ("start", "at", "name"),
    [
        ("DTSTART;TZID=w. europe STANDARD TIME:20261119T090000", "2026-11-19T08:00", "Europe/Berlin"),
        ("DTSTART;TZID=EUROPE/BERLIN:20261119T090000", "2026-11-19T08:00", "Europe/Berlin"),
        ("DTSTART;TZID=/x.org/2005_1/America/New_York:20260719T090000", "2026-07-19T13:00", "America/New_York"),
        (f"DTSTART;TZID={SHOWN}:20260719T090000", "2026-07-19T07:00", "Europe/Amsterdam"),
        (f'DTSTART;TZID="{SHOWN}":20260719T090000', "2026-07-19T07:00", "Europe/Amsterdam"),
        ('DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20260719T090000', "2026-07-19T13:00", NEW_YORK),
        ("DTSTART;TZID=UTC-06:00:20260719T090000", "2026-07-19T15:00", "Etc/GMT+6"),
        ("DTSTART;TZID=GMT+0545:20260719T090000", "2026-07-19T03:15", "Asia/Kathmandu"),
        ("DTSTART;TZID=tzone://Microsoft/Utc:20260719T090000", "2026-07-19T09:00", "UTC"),
    ],
)
def test_zones_by_any_name(start: str, at: str, name: str) -> None:
    found = event(start)
    assert (found.start, found.zone) == (utc(at), name)


@pytest.mark.parametrize("zone", ["Pacific", "Nowhere in particular", "tzone://Microsoft/Custom", "CEST", "UTC+99"])
@pytest.mark.parametrize("name", ["DTSTART", "DTEND", "RECURRENCE-ID"])
def test_a_zone_that_is_not_understood_is_told(name: str, zone: str) -> None:
    of = {"DTSTART": AT_EIGHT} | {name: f"{name};TZID={zone}:20261119T090000"}
    with pytest.raises(BadRecord, match=f"{name} is in a time zone that the calendar does not explain"):
        event(*of.values())


def test_a_calendars_own_zone_that_is_not_understood_is_told() -> None:
    head = ("X-WR-TIMEZONE:Nowhere in particular",)
    assert event(AT_EIGHT, head=head).start == utc("2026-11-19T08:00")
    with pytest.raises(BadRecord, match="DTSTART is in a time zone"):
        event("DTSTART:20261119T090000", head=head)
    shown = event("DTSTART:20261119T090000", head=("X-WR-TIMEZONE:Eastern Standard Time",))
    assert (shown.start, shown.zone) == (utc("2026-11-19T14:00"), NEW_YORK)


@pytest.mark.parametrize("name", ["EXDATE", "RDATE"])
def test_dates_of_a_series_in_a_zone_that_is_not_understood_are_told(name: str) -> None:
    lines = (AT_EIGHT, "RRULE:FREQ=DAILY;COUNT=3", f"{name};TZID=Nowhere:20261120T080000")
    whole, aside = records(*vevent(*lines))
    assert normalise(whole, None)
    with pytest.raises(BadRecord, match=rf"of a series \({name}\) are in a time zone"):
        normalise(aside, None)


@pytest.mark.parametrize("behind", [False, True])
def test_a_clock_that_no_place_keeps_is_the_calendars_own(behind: bool) -> None:
    lines = ("DTSTART;TZID=tzone://Microsoft/Custom:20260430T090000", "RRULE:FREQ=MONTHLY;COUNT=6")
    entry = vevent(*lines, "EXDATE;TZID=TZONE://Microsoft/custom:20260630T090000")
    found = items(*(*entry, *OF_ITS_OWN) if behind else (*OF_ITS_OWN, *entry), zone="Europe/Berlin")
    (series,) = (item for item in found if isinstance(item, Event))
    since, until, berlin = utc("2026-01-01"), utc("2027-01-01"), (ZoneSpan(since=utc("1970-01-01"), zone="UTC"),)
    starts = [o.start for o in expand([series], since=since, until=until, zones=berlin)]
    assert starts == [
        utc(f"2026-{day}") for day in ("04-30T12:30", "05-30T11:30", "07-30T11:30", "08-30T11:30", "09-30T12:30")
    ]


def test_a_clock_that_no_place_keeps_is_no_journey() -> None:
    start, end = (
        f"{name};TZID=tzone://Microsoft/Custom:20260701T{hour}0000" for name, hour in (("DTSTART", "09"), ("DTEND", 10))
    )
    found = event(
        start, end.replace("TZID=tzone://Microsoft/Custom", "TZID=Europe/Berlin").replace("T10", "T18"), head=OF_ITS_OWN
    )
    assert (found.zone, found.end_zone) == ("<-0330>3:30<-0230>2:30,M5.1.1/2:00,M9.1.1/2:00", None)
    assert found.start is not None
    assert found.zone is not None
    assert not same_clock(found.start, found.zone, "Europe/Berlin")
