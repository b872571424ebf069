"""Calendars that people reported to other projects: one small text for each kind of fault, with its right reading."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bridge.calendar.expansion import expand
from bridge.domain.errors import BadRecord
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Occurrence, RawRecord, Task
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.files import begins
from connectors.ics.parse import pages
from tests.ics.components import calendar, utc, vevent, vtodo
from tests.pace import paces

BERLIN, LONDON, NEW_YORK, TOKYO = "Europe/Berlin", "Europe/London", "America/New_York", "Asia/Tokyo"
STAMP = "DTSTAMP:20260101T000000Z"


def read(content: bytes, zone: str) -> list[RawRecord]:
    return [record for page in pages(content, name="file", zone=zone) for record in page.records]


def occurrences(records: Iterable[RawRecord], zone: str) -> list[Occurrence]:
    """Return the occurrences from 2020 to 2030 of what can be read."""
    events = []
    for record in records:
        try:
            events += [item for item in normalise(record, None) if isinstance(item, Event)]
        except BadRecord:
            continue
    zones = (ZoneSpan(since=utc("1970-01-01"), zone=zone),)
    return expand(events, since=utc("2020-01-01"), until=utc("2030-01-01"), zones=zones)


def days(*lines: str, zone: str) -> list[date]:
    """Return the days that all-day entries take."""
    found = occurrences(read(calendar(*vevent(STAMP, *lines)), zone), zone)
    home = ZoneInfo(zone)
    spans = ((o.start.astimezone(home), o.end.astimezone(home)) for o in found)
    return [(a + timedelta(days=n)).date() for a, b in spans for n in range((b.date() - a.date()).days)]


def spans(*lines: str, zone: str = BERLIN) -> list[tuple[str, str]]:
    """Return (start, end) of each occurrence on the clock of ``zone``."""
    found = occurrences(read(calendar(*lines), zone), zone)
    home = ZoneInfo(zone)
    return [tuple(f"{at.astimezone(home):%m-%d %H:%M}" for at in (o.start, o.end)) for o in found]  # type: ignore[misc]


def tasks(*lines: str, zone: str = BERLIN) -> list[Task]:
    found = [item for record in read(calendar(*lines), zone) for item in normalise(record, None)]
    return [item for item in found if isinstance(item, Task)]


YEARLY = ("DTSTART;VALUE=DATE:20261020", "DTEND;VALUE=DATE:20261021")
OCTOBER = [date(2026, 10, 20)]


class TestDaysNamedByInstants:
    """Outlook ends a series of days at an instant in UTC (node-ical#544)."""

    @pytest.mark.parametrize(
        ("zone", "until"),
        [
            (LONDON, "20261019T230000Z"),
            (BERLIN, "20261019T220000Z"),
            (TOKYO, "20261019T150000Z"),
            ("Pacific/Auckland", "20261019T110000Z"),
            ("Asia/Kolkata", "20261019T183000Z"),
            (NEW_YORK, "20261020T040000Z"),
            (NEW_YORK, "20261021T035959Z"),  # the day's last second
            ("America/Los_Angeles", "20261020T070000Z"),
            ("Pacific/Honolulu", "20261020T100000Z"),
            (BERLIN, "20261020"),
            (BERLIN, "20261020T000000Z"),  # UTC's own midnight
            (BERLIN, "20261020T235959Z"),
            (NEW_YORK, "20261020T235959Z"),
            (NEW_YORK, "20261019T220000Z"),  # written in Berlin, read in New York
            (BERLIN, "20261020T040000Z"),  # and the other way round
            ("Asia/Kathmandu", "20261019T230000Z"),
        ],
    )
    def test_a_series_keeps_its_last_day(self, zone: str, until: str) -> None:
        rule = f"RRULE:FREQ=YEARLY;UNTIL={until};INTERVAL=1;BYMONTHDAY=20;BYMONTH=10"
        assert days(*YEARLY, rule, zone=zone) == OCTOBER

    def test_the_calendars_own_clock_outranks_that_of_home(self) -> None:
        rule = "RRULE:FREQ=YEARLY;UNTIL=20261019T110000Z"
        (record,) = read(calendar("X-WR-TIMEZONE:Pacific/Auckland", *vevent(STAMP, *YEARLY, rule)), LONDON)
        assert [o.start for o in occurrences([record], LONDON)] == [utc("2026-10-19T23:00")]

    @pytest.mark.parametrize(("zone", "until"), [(BERLIN, "20261021T215959Z"), (NEW_YORK, "20261022T035959Z")])
    def test_a_series_gains_no_day(self, zone: str, until: str) -> None:
        assert days(*YEARLY, f"RRULE:FREQ=DAILY;UNTIL={until}", zone=zone) == [*OCTOBER, date(2026, 10, 21)]

    @pytest.mark.parametrize(
        ("zone", "excluded"),
        [(BERLIN, "20261020T220000Z"), (TOKYO, "20261020T150000Z"), (NEW_YORK, "20261021T040000Z")],
    )
    def test_an_excluded_day_is_left_out(self, zone: str, excluded: str) -> None:
        lines = (*YEARLY, "RRULE:FREQ=DAILY;COUNT=3", f"EXDATE:{excluded}")
        assert days(*lines, zone=zone) == [date(2026, 10, 20), date(2026, 10, 22)]

    @pytest.mark.parametrize(
        ("zone", "instance"),
        [(BERLIN, "20261020T220000Z"), (TOKYO, "20261020T150000Z"), (NEW_YORK, "20261020T220000Z")],
    )
    def test_a_moved_day_leaves_its_place(self, zone: str, instance: str) -> None:
        moved = (STAMP, f"RECURRENCE-ID:{instance}", "DTSTART;VALUE=DATE:20261101", "DTEND;VALUE=DATE:20261102")
        lines = [*vevent(STAMP, *YEARLY, "RRULE:FREQ=DAILY;COUNT=2"), *vevent(*moved)]
        found = occurrences(read(calendar(*lines), zone), zone)
        at_home = [o.start.astimezone(ZoneInfo(zone)).date() for o in found]
        assert at_home == [date(2026, 10, 20), date(2026, 11, 1)]


class TestZones:
    def test_the_definition_in_the_file_counts(self) -> None:
        """home-assistant#149773, OutlookGoogleCalendarSync#2148."""
        zone = [
            *("BEGIN:VTIMEZONE", "TZID:tzone://Microsoft/Custom", "BEGIN:STANDARD", "DTSTART:16010101T030000"),
            *("TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10"),
            *("END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"),
            *("RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT", "END:VTIMEZONE"),
        ]
        of = "TZID=tzone://Microsoft/Custom:20250506T"
        entry = vevent(STAMP, f"DTSTART;{of}163000", f"DTEND;{of}173000")
        assert spans(*zone, *entry) == [("05-06 16:30", "05-06 17:30")]
        assert spans(*zone, *entry, zone=NEW_YORK) == [("05-06 10:30", "05-06 11:30")]

    def test_a_name_that_outlook_shows_is_read(self) -> None:
        of = 'TZID="(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":20260715T'
        entry = vevent(STAMP, f"DTSTART;{of}100000", f"DTEND;{of}110000")
        assert spans(*entry, zone=NEW_YORK) == [("07-15 04:00", "07-15 05:00")]

    @pytest.mark.parametrize("zone", ["W. Europe Standard Time", "w. europe standard time", "Europe/Berlin"])
    def test_a_date_is_excluded_in_any_zone(self, zone: str) -> None:
        times = ("DTSTART:20260105T080000Z", "DTEND:20260105T083000Z", "RRULE:FREQ=WEEKLY;COUNT=3")
        found = spans(*vevent(STAMP, *times, f"EXDATE;TZID={zone}:20260112T090000"))
        assert found == [("01-05 09:00", "01-05 09:30"), ("01-19 09:00", "01-19 09:30")]


PILL = ("DTSTART;TZID=Europe/Berlin:20261123T080000", "DTEND;TZID=Europe/Berlin:20261123T081000")


class TestRules:
    """Etar#1008, and rules that programs write with more than they need."""

    @pytest.mark.parametrize(
        ("rule", "starts"),
        [
            (
                "FREQ=HOURLY;INTERVAL=12;COUNT=6",
                ["11-23 08:00", "11-23 20:00", "11-24 08:00", "11-24 20:00", "11-25 08:00", "11-25 20:00"],
            ),
            ("FREQ=MINUTELY;INTERVAL=480;COUNT=3", ["11-23 08:00", "11-23 16:00", "11-24 00:00"]),
            ("FREQ=SECONDLY;INTERVAL=86400;COUNT=2", ["11-23 08:00", "11-24 08:00"]),
            ("FREQ=MINUTELY;INTERVAL=10;COUNT=3", ["11-23 08:00", "11-23 08:10", "11-23 08:20"]),
            ("FREQ=HOURLY;BYHOUR=8,20;COUNT=3", ["11-23 08:00", "11-23 20:00", "11-24 08:00"]),
            ("RSCALE=GREGORIAN;FREQ=WEEKLY;COUNT=2", ["11-23 08:00", "11-30 08:00"]),
            ("FREQ=WEEKLY; BYDAY = MO, WE ;COUNT=3", ["11-23 08:00", "11-25 08:00", "11-30 08:00"]),
            ("FREQ=YEARLY;BYYEARDAY=327,329;COUNT=2", ["11-23 08:00", "11-25 08:00"]),
            ("FREQ=WEEKLY;COUNT=2;X-OWN=1", ["11-23 08:00", "11-30 08:00"]),
            ("FREQ=WEEKLY;COUNT=2;", ["11-23 08:00", "11-30 08:00"]),
        ],
    )
    def test_each_instance_is_there(self, rule: str, starts: list[str]) -> None:
        assert [start for start, _ in spans(*vevent(STAMP, *PILL, f"RRULE:{rule}"))] == starts

    @pytest.mark.parametrize(
        ("skip", "starts"),
        [
            ("OMIT", ["01-31", "03-31", "05-31", "07-31"]),
            ("BACKWARD", ["01-31", "02-28", "03-31", "04-30"]),
            ("FORWARD", ["01-31", "03-01", "03-31", "05-01"]),
        ],
    )
    def test_a_day_that_a_month_lacks_moves_as_the_rule_says(self, skip: str, starts: list[str]) -> None:
        """RFC 7529, 4.1."""
        lines = ("DTSTART;VALUE=DATE:20260131", f"RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP={skip};COUNT=4")
        assert [f"{day:%m-%d}" for day in days(*lines, zone=BERLIN)] == starts

    @pytest.mark.parametrize("every", ["HOURLY", "HOURLY;INTERVAL=7", "MINUTELY;INTERVAL=15", "MINUTELY", "SECONDLY"])
    def test_a_rule_that_never_matches_holds_nobody_up(self, every: str) -> None:
        rule = f"RRULE:FREQ={every};BYHOUR=3;BYMONTH=2;BYMONTHDAY=30"
        assert paces(lambda: spans(*vevent(STAMP, *PILL, rule)), tries=1) < 2_000

    @pytest.mark.parametrize(
        "rule",
        [
            *("FREQ=FORTNIGHTLY", "FREQ=WEEKLY;INTERVAL=x", "RSCALE=CHINESE;FREQ=YEARLY", "BYDAY=MO", "nonsense"),
            *("FREQ=MINUTELY", "FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=1,2,3,4;BYMINUTE=" + ",".join(map(str, range(60)))),
        ],
    )
    def test_a_rule_that_cannot_be_followed_is_told(self, rule: str) -> None:
        whole, aside = read(calendar(*vevent(STAMP, *PILL, f"RRULE:{rule}")), BERLIN)
        assert len(occurrences([whole], BERLIN)) == 1
        with pytest.raises(BadRecord, match=r"the rule of a series \(RRULE\) is unreadable or too frequent"):
            normalise(aside, None)


class TestUids:
    """emfcamp/Website#2097."""

    DAYS = (16, 17, 18)

    def karaoke(self, day: int, *lines: str) -> list[str]:
        times = (f"{name};TZID=Europe/London:202607{day}T{hour}3000" for name, hour in (("DTSTART", 19), ("DTEND", 23)))
        return vevent(STAMP, *times, *lines, uid="2026-189")

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
    def test_events_that_share_one_are_all_there(self, order: tuple[int, ...]) -> None:
        lines = [line for n in order for line in self.karaoke(self.DAYS[n])]
        assert [start for start, _ in spans(*lines, zone=LONDON)] == [f"07-{day} 19:30" for day in self.DAYS]
        assert len({record.key for record in read(calendar(*lines), LONDON)}) == 3

    def test_the_series_keeps_the_key_that_its_changes_name(self) -> None:
        series = self.karaoke(17, "RRULE:FREQ=DAILY;COUNT=3")
        changed = self.karaoke(20, "RECURRENCE-ID;TZID=Europe/London:20260718T193000")
        found = [start for start, _ in spans(*self.karaoke(16), *series, *changed, zone=LONDON)]
        assert found == ["07-16 19:30", "07-17 19:30", "07-19 19:30", "07-20 19:30"]

    def test_a_newer_version_replaces_an_older_one(self) -> None:
        lines = [*self.karaoke(17, "SEQUENCE:2"), *self.karaoke(16, "SEQUENCE:1")]
        assert [start for start, _ in spans(*lines, zone=LONDON)] == ["07-17 19:30"]

    def test_a_calendar_per_event_is_read_alike(self) -> None:
        content = b"".join(calendar(*self.karaoke(day)) for day in self.DAYS)
        assert len(occurrences(read(content, LONDON), LONDON)) == 3


class TestStates:
    def test_a_cancellation_cancels(self) -> None:
        invited = vevent(STAMP, *PILL)
        assert spans("METHOD:REQUEST", *invited) == [("11-23 08:00", "11-23 08:10")]
        assert spans("METHOD:CANCEL", *invited) == spans("METHOD:cancel", *invited) == []

    @pytest.mark.parametrize("mark", ["X-MICROSOFT-CDO-ALLDAYEVENT", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT"])
    @pytest.mark.parametrize(
        ("start", "end"),
        [
            (";TZID=Europe/Berlin:20261020T000000", ";TZID=Europe/Berlin:20261023T000000"),
            (":20261019T220000Z", ":20261022T220000Z"),
            (":20261020T000000", ":20261023T000000"),
        ],
    )
    def test_what_outlook_calls_all_day_is_all_day(self, mark: str, start: str, end: str) -> None:
        (record,) = read(calendar(*vevent(STAMP, f"DTSTART{start}", f"DTEND{end}", f"{mark}:TRUE")), BERLIN)
        (event,) = normalise(record, None)
        assert isinstance(event, Event)
        assert (event.first_day, event.last_day) == (date(2026, 10, 20), date(2026, 10, 22))

    def test_an_hour_is_no_day_whatever_it_is_called(self) -> None:
        (record,) = read(calendar(*vevent(STAMP, *PILL, "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE")), BERLIN)
        (event,) = normalise(record, None)
        assert isinstance(event, Event)
        assert event.first_day is None


class TestTimes:
    @pytest.mark.parametrize(("day", "end"), [("20260116", "01-16 00:00"), ("20260115", "01-16 00:00")])
    def test_an_end_that_is_a_day_is_its_midnight(self, day: str, end: str) -> None:
        times = ("DTSTART;TZID=Europe/Berlin:20260115T100000", f"DTEND;VALUE=DATE:{day}")
        assert spans(*vevent(STAMP, *times)) == [("01-15 10:00", end)]

    @pytest.mark.parametrize(
        ("length", "end", "hours"),
        [
            ("P1D", "03-29 12:00", 23),
            ("PT24H", "03-29 13:00", 24),
            ("P1DT2H", "03-29 14:00", 25),
            ("P1W", "04-04 12:00", 167),
        ],
    )
    def test_a_day_of_a_length_is_a_day_of_the_wall_clock(self, length: str, end: str, hours: int) -> None:
        """RFC 5545, 3.3.6."""
        start = "DTSTART;TZID=Europe/Berlin:20260328T120000"
        entry = vevent(STAMP, start, f"DURATION:{length}")
        assert spans(*entry) == [("03-28 12:00", end)]
        (whole,) = occurrences(read(calendar(*entry), BERLIN), BERLIN)
        assert whole.end - whole.start == timedelta(hours=hours)

    def test_each_instance_lasts_a_day_of_the_wall_clock(self) -> None:
        start = "DTSTART;TZID=Europe/Berlin:20260327T120000"
        found = spans(*vevent(STAMP, start, "DURATION:P1D", "RRULE:FREQ=DAILY;COUNT=3"))
        assert [end for _, end in found] == ["03-28 12:00", "03-29 12:00", "03-30 12:00"]
        period = "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260328T120000/P1D"
        found = spans(*vevent(STAMP, start, "DTEND;TZID=Europe/Berlin:20260327T130000", period))
        assert [end for _, end in found] == ["03-27 13:00", "03-29 12:00"]


TITLE = "Müllabfuhr für Öfen, 5 €"
TEXT = calendar(*vevent(STAMP, f"SUMMARY:{TITLE}", "DTSTART;VALUE=DATE:20260115")).decode()
FOLDED = TEXT.encode().replace("ü".encode(), "ü".encode()[:1] + b"\r\n " + "ü".encode()[1:])
MIXED = TEXT.encode().replace(b"END:VEVENT", "COMMENT:Büro\r\nEND:VEVENT".encode("latin-1"))


class TestText:
    @pytest.mark.parametrize(
        "content",
        [
            TEXT.encode("cp1252"),
            TEXT.encode("utf-16"),
            TEXT.encode("utf-16-le"),
            TEXT.encode("utf-16-be"),
            TEXT.encode("utf-8-sig"),
            TEXT.replace("\r\n", "\r").encode(),
            TEXT.replace("\r\n", "\n").encode(),
            TEXT.replace("\r\n", "\r\r\n").encode(),
            FOLDED,
            FOLDED.replace(b"\r\n", b"\r"),
            FOLDED.replace(b"\r\n", b"\n"),
            MIXED,
        ],
        ids=[
            "cp1252",
            "utf-16",
            "utf-16-le",
            "utf-16-be",
            "bom",
            "cr",
            "lf",
            "crcrlf",
            "fold",
            "fold-cr",
            "fold-lf",
            "mixed",
        ],
    )
    def test_a_title_is_read_in_any_encoding(self, content: bytes) -> None:
        assert begins(content)
        (record,) = read(content, BERLIN)
        assert record.payload["title"] == TITLE


DONE = "STATUS:COMPLETED"
SINCE = datetime(2026, 1, 6, 17, tzinfo=UTC)


class TestTasks:
    @pytest.mark.parametrize(
        ("due", "zone", "day"),
        [
            ("20261126T013000Z", NEW_YORK, date(2026, 11, 25)),
            ("20261125T160000Z", TOKYO, date(2026, 11, 26)),
            ("20261126T013000Z", BERLIN, date(2026, 11, 26)),
        ],
    )
    def test_one_is_due_on_the_persons_own_day(self, due: str, zone: str, day: date) -> None:
        assert [task.due for task in tasks(*vtodo(STAMP, f"DUE:{due}"), zone=zone)] == [day]

    def instance(self, start: str, due: str, *of: str) -> list[str]:
        named = (f"{name};VALUE=DATE:202601{day}" for name, day in (("DTSTART", start), ("DUE", due)))
        return vtodo(STAMP, *named, *of)

    @pytest.mark.parametrize(
        ("of", "done", "due"),
        [
            (("RRULE:FREQ=WEEKLY",), ("05",), date(2026, 1, 14)),
            (("RRULE:FREQ=WEEKLY",), ("05", "12"), date(2026, 1, 21)),
            (("RRULE:FREQ=WEEKLY",), (), date(2026, 1, 7)),
            (("RRULE:FREQ=MONTHLY;BYDAY=1MO",), ("05",), date(2026, 2, 4)),
            (("RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20260105"), (), date(2026, 1, 14)),
            (("RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20260112"), ("05",), date(2026, 1, 21)),
            (("RRULE:FREQ=WEEKLY;COUNT=1",), ("05",), None),
        ],
    )
    def test_a_series_is_due_at_its_first_open_instance(
        self, of: tuple[str, ...], done: tuple[str, ...], due: date | None
    ) -> None:
        ends = {day: f"{int(day) + 2:02}" for day in done}
        over = [self.instance(day, ends[day], DONE, f"RECURRENCE-ID;VALUE=DATE:202601{day}") for day in done]
        lines = [line for one in over for line in [*one[:-1], "COMPLETED:20260106T170000Z", one[-1]]]
        found = tasks(*self.instance("05", "07", *of), *lines)
        assert [task.due for task in found if task.completed is None] == ([] if due is None else [due])
        assert [task.completed for task in found if task.completed is not None] == [SINCE for _ in done]

    def test_a_series_of_hours_is_due_at_its_first_open_instance(self) -> None:
        of = ("DTSTART;TZID=America/New_York:20260105T220000", "DUE;TZID=America/New_York:20260107T220000")
        done = ("RECURRENCE-ID:20260106T030000Z", "STATUS:COMPLETED", "COMPLETED:20260106T170000Z")
        found = tasks(*vtodo(STAMP, *of, "RRULE:FREQ=WEEKLY"), *vtodo(STAMP, *of, *done), zone=NEW_YORK)
        assert sorted(task.due for task in found if task.due) == [date(2026, 1, 7), date(2026, 1, 14)]

    @pytest.mark.parametrize(
        ("lines", "due"),
        [
            (("DTSTART;VALUE=DATE:20260105", "DURATION:P2D"), date(2026, 1, 7)),
            (("DTSTART;TZID=Europe/Berlin:20260105T230000", "DURATION:PT2H"), date(2026, 1, 6)),
            (("DTSTART;TZID=Europe/Berlin:20260328T233000", "DURATION:P1D"), date(2026, 3, 29)),
        ],
    )
    def test_one_that_states_a_length_is_due_at_its_end(self, lines: tuple[str, ...], due: date) -> None:
        assert [task.due for task in tasks(*vtodo(STAMP, *lines))] == [due]

    def test_one_that_is_done_to_a_hundred_percent_is_done(self) -> None:
        since = "LAST-MODIFIED:20260106T170000Z"
        assert [task.completed for task in tasks(*vtodo(STAMP, since, "PERCENT-COMPLETE:100"))] == [SINCE]
        again = vtodo(STAMP, since, "PERCENT-COMPLETE:100", "STATUS:IN-PROCESS")
        assert [task.completed for task in tasks(*again, *vtodo(since, "PERCENT-COMPLETE:50", uid="2"))] == [None, None]
