"""The record and the meaning of a component, one construct at a time."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from bridge.domain.errors import BadRecord
from bridge.domain.types import Event, Response, Task
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.parse import pages
from tests.ics.components import AT_EIGHT, ME, items, records, utc, vevent, vtodo
from tests.pace import paces


def event(*lines: str, head: tuple[str, ...] = ()) -> Event:
    (found,) = items(*head, *vevent(*lines))
    assert isinstance(found, Event)
    return found


def task(*lines: str) -> Task:
    (found,) = items(*vtodo(*lines))
    assert isinstance(found, Task)
    return found


class TestPrivacy:
    LINES = vevent(
        AT_EIGHT,
        "SUMMARY:Title",
        "DESCRIPTION:secret-description https://zoom.us/j/secret-meeting",
        "LOCATION:secret-place",
        "ORGANIZER;CN=Secret Name:mailto:secret-organiser@example.com",
        f"ATTENDEE;CN=Ana;PARTSTAT=tentative:MAILTO:{ME.upper()}",
        "ATTENDEE;CN=Secret Guest:mailto:secret-guest@example.com",
        "ATTENDEE;CUTYPE=ROOM:mailto:secret-room@example.com",
        "CONFERENCE;VALUE=URI:https://meet.example.com/secret-conference",
        "URL:https://example.com/secret-url",
        "COMMENT:secret-comment",
        "CONTACT:secret-contact",
        "X-ALT-DESC:secret-html",
        "ATTACH:https://example.com/secret-attachment",
        "GEO:52.5;13.4",
    )

    def test_only_counts_and_marks_go_on(self) -> None:
        (record,) = records(*self.LINES)
        text = json.dumps(record.payload).lower()
        assert "secret" not in text
        assert ME not in text
        assert "52.5" not in text
        (found,) = normalise(record, None)
        assert isinstance(found, Event)
        assert (found.others, found.organised_by_me, found.response) == (2, False, Response.TENTATIVE)
        assert found.conference

    def test_not_knowing_me_one_of_them_is_me(self) -> None:
        (record,) = records(*self.LINES, mine="")
        (found,) = normalise(record, None)
        assert isinstance(found, Event)
        assert (found.others, found.response) == (2, None)

    def test_errors_name_the_field_only(self) -> None:
        for lines in (vevent("SUMMARY:secret", "DTSTART:secret"), vevent("RECURRENCE-ID:secret", AT_EIGHT)):
            (record,) = records(*lines)
            with pytest.raises(BadRecord) as caught:
                normalise(record, None)
            assert "secret" not in str(caught.value)


class TestTimes:
    @pytest.mark.parametrize(
        ("start", "zone", "name"),
        [
            ("DTSTART:20261119T080000Z", "2026-11-19T08:00", "UTC"),
            ("DTSTART;TZID=Europe/Berlin:20261119T090000", "2026-11-19T08:00", "Europe/Berlin"),
            ("DTSTART;TZID=W. Europe Standard Time:20261119T090000", "2026-11-19T08:00", "Europe/Berlin"),
            ("DTSTART;TZID=Eastern Standard Time:20260719T090000", "2026-07-19T13:00", "America/New_York"),
            ("DTSTART:20261119T090000", "2026-11-19T08:00", "Europe/Berlin"),  # floating
        ],
    )
    def test_zones_by_any_name(self, start: str, zone: str, name: str) -> None:
        found = event(start)
        assert (found.start, found.zone) == (utc(zone), name)

    def test_a_zone_another_calendar_defined_is_not_this_ones(self) -> None:
        rules = ("BEGIN:STANDARD", "DTSTART:20200101T000000", "TZOFFSETFROM:+0900", "TZOFFSETTO:+0900", "END:STANDARD")
        head = ("BEGIN:VTIMEZONE", "TZID:Eastern Standard Time", *rules, "END:VTIMEZONE")
        start = "DTSTART;TZID=Eastern Standard Time:20260719T090000"
        assert event(start, head=head).start == utc("2026-07-19T00:00")
        assert event(start).start == utc("2026-07-19T13:00")

    @pytest.mark.parametrize(
        "rule", ["FREQ=SECONDLY", "FREQ=YEARLY;BYMONTH=99999", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"]
    )
    def test_a_zone_that_never_changes_as_it_says_holds_nobody_up(self, rule: str) -> None:
        steps = ("DTSTART:16010101T000000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0900", f"RRULE:{rule}")
        head = ("BEGIN:VTIMEZONE", "TZID:Ours", "BEGIN:STANDARD", *steps, "END:STANDARD", "END:VTIMEZONE")
        found = []
        start = ("DTSTART;TZID=Ours:20261119T090000",)
        assert paces(lambda: found.append(records(*head, *vevent(*start))), tries=1) < 2000
        with pytest.raises(BadRecord, match=r"DTSTART is in a time zone that the calendar does not explain"):
            normalise(found[0][0], None)

    def test_floating_ones_run_on_the_calendars_clock(self) -> None:
        found = event("DTSTART:20261119T090000", head=("X-WR-TIMEZONE:America/New_York",))
        assert (found.start, found.zone) == (utc("2026-11-19T14:00"), "America/New_York")

    def test_a_zone_of_its_own_is_the_one_that_behaves_like_it(self) -> None:
        fixed = ["BEGIN:VTIMEZONE", "TZID:Mine", "BEGIN:STANDARD", "DTSTART:19700101T000000"]
        fixed += ["TZOFFSETFROM:+0530", "TZOFFSETTO:+0530", "END:STANDARD", "END:VTIMEZONE"]
        found = event("DTSTART;TZID=Mine:20261119T133000", head=tuple(fixed))
        assert (found.start, found.zone) == (utc("2026-11-19T08:00"), "Asia/Calcutta")

    def test_all_day_ends_are_exclusive_there_and_inclusive_here(self) -> None:
        found = event("DTSTART;VALUE=DATE:20261119", "DTEND;VALUE=DATE:20261122")
        assert (found.first_day, found.last_day) == (date(2026, 11, 19), date(2026, 11, 21))

    @pytest.mark.parametrize("end", ["DTEND;VALUE=DATE:20261119", "DURATION:P1D", "X-NONE:1", "DURATION:PT0S"])
    def test_a_day_is_a_day(self, end: str) -> None:
        found = event("DTSTART;VALUE=DATE:20261119", end)
        assert (found.first_day, found.last_day) == (date(2026, 11, 19), date(2026, 11, 19))

    @pytest.mark.parametrize(
        ("end", "hours"),
        [("DTEND:20261119T093000Z", 1.5), ("DURATION:PT90M", 1.5), ("DURATION:P1W", 168), ("X-NONE:1", 0)],
    )
    def test_ends(self, end: str, hours: float) -> None:
        found = event(AT_EIGHT, end)
        assert found.end == utc("2026-11-19T08:00") + timedelta(hours=hours)

    @pytest.mark.parametrize(
        "lines",
        [
            ("SUMMARY:no start",),
            ("DTSTART:20261319T080000Z",),
            (AT_EIGHT, "DTEND:20261119T070000Z"),
            (AT_EIGHT, "DTEND:soon"),
            (AT_EIGHT, "DURATION:-PT1H"),
            ("DTSTART:00010101T000000Z",),
            ("DTSTART:18500101T000000Z",),
        ],
    )
    def test_what_cannot_be_read_is_set_aside(self, lines: tuple[str, ...]) -> None:
        (record,) = records(*vevent(*lines))
        with pytest.raises(BadRecord, match="ics/event"):
            normalise(record, None)


class TestFacts:
    @pytest.mark.parametrize(
        ("line", "facts"),
        [
            ("TRANSP:TRANSPARENT", {"busy": False}),
            ("TRANSP:transparent", {"busy": False}),
            ("TRANSP:OPAQUE", {"busy": True}),
            ("X-MICROSOFT-CDO-BUSYSTATUS:FREE", {"busy": False, "kind": "default"}),
            ("X-MICROSOFT-CDO-BUSYSTATUS:OOF", {"busy": True, "kind": "outOfOffice"}),
            ("X-MICROSOFT-CDO-BUSYSTATUS:WORKINGELSEWHERE", {"busy": False, "kind": "workingLocation"}),
            ("X-MICROSOFT-CDO-BUSYSTATUS:BUSY", {"busy": True, "kind": "default"}),
            ("CLASS:PRIVATE", {"private": True}),
            ("CLASS:Confidential", {"private": True}),
            ("CLASS:PUBLIC", {"private": False}),
            ("STATUS:cancelled", {"cancelled": True}),
            ("STATUS:TENTATIVE", {"cancelled": False}),
            ("SUMMARY:", {"title": None}),
            ("X-GOOGLE-CONFERENCE:https://meet.google.com/x", {"conference": True}),
            ("LOCATION:Microsoft Teams https://teams.microsoft.com/l/x", {"conference": True}),
            ("LOCATION:Room 4", {"conference": False}),
        ],
    )
    def test_line(self, line: str, facts: dict[str, Any]) -> None:
        found = event(AT_EIGHT, line)
        assert {name: getattr(found, name) for name in facts} == facts

    def test_a_series_keeps_its_lines_and_their_zones(self) -> None:
        found = event(
            "DTSTART;TZID=Europe/Berlin:20261119T090000",
            "RRULE:FREQ=DAILY;COUNT=3",
            "EXDATE;TZID=Europe/Berlin:20261120T090000",
            "RDATE;VALUE=PERIOD:20261130T080000Z/PT3H",
        )
        assert found.recurrence == (
            "RRULE:FREQ=DAILY;COUNT=3",
            "RDATE:20261130T080000Z/PT3H",
            "EXDATE;TZID=Europe/Berlin:20261120T090000",
        )

    def test_a_changed_instance_names_its_series(self) -> None:
        found = event("RECURRENCE-ID:20261118T080000Z", AT_EIGHT)
        assert (found.key, found.master) == ("file/1/2026-11-18T08:00:00+00:00", "file/1")
        assert (found.original_start, found.recurrence) == (utc("2026-11-18T08:00"), ())

    def test_a_change_that_lasts_says_so(self) -> None:
        found = event("RECURRENCE-ID;RANGE=THISANDFUTURE:20261118T080000Z", AT_EIGHT)
        assert found.recurrence == ("RECURRENCE-ID;RANGE=THISANDFUTURE:20261118T080000Z",)

    def test_a_cancelled_instance_may_carry_nothing_else(self) -> None:
        found = event("RECURRENCE-ID:20261118T080000Z", "STATUS:CANCELLED")
        assert (found.cancelled, found.start, found.original_start) == (True, None, utc("2026-11-18T08:00"))

    def test_the_instance_of_an_all_day_series_is_a_day(self) -> None:
        for original in (
            "RECURRENCE-ID;VALUE=DATE:20261118",
            "RECURRENCE-ID:20261118",
            "RECURRENCE-ID:20261118T000000",
        ):
            found = event(original, "DTSTART;VALUE=DATE:20261119", head=("X-WR-TIMEZONE:UTC",))
            assert (found.original_day, found.original_start) == (date(2026, 11, 18), None)

    def test_a_midnight_is_the_day_that_begins_with_it_wherever_the_person_lives(self) -> None:
        day = "DTSTART;VALUE=DATE:20261119"
        for original in (";TZID=Europe/Berlin:20261118T000000", ":20261118T000000", ":20261117T230000Z"):
            moved = event(f"RECURRENCE-ID{original}", day)
            assert moved.original_day == date(2026, 11, 18)
            assert moved.original_start == (utc("2026-11-17T23:00") if original.endswith("Z") else None)
            gone = event(f"RECURRENCE-ID{original}", "STATUS:CANCELLED")
            assert (gone.original_day, gone.original_start) == (date(2026, 11, 18), utc("2026-11-17T23:00"))
        turned = event("RECURRENCE-ID;TZID=America/New_York:20261118T180000", day)  # an hour that became a day
        assert (turned.original_day, turned.original_start) == (date(2026, 11, 18), utc("2026-11-18T23:00"))

    def test_the_newest_version_stays_wherever_it_stands(self) -> None:
        versions = [vevent(AT_EIGHT, f"SEQUENCE:{n}", f"SUMMARY:{n}") for n in (1, 3, 2)]
        (found,) = items(*versions[0], *versions[1], *versions[2])
        assert isinstance(found, Event)
        assert found.title == "3"


class TestTasks:
    @pytest.mark.parametrize(
        "due",
        [
            "DUE;VALUE=DATE:20261130",
            "DUE;TZID=America/New_York:20261130T233000",  # on its own wall clock
            "DUE:20261130T225900Z",
            "DUE:20261130T010000",
        ],
    )
    def test_due_is_a_date(self, due: str) -> None:
        assert task(due).due == date(2026, 11, 30)

    def test_a_due_time_is_kept_and_midnight_stands_for_the_date(self) -> None:
        assert task("DUE;TZID=America/Recife:20261130T120000").due_at == utc("2026-11-30T15:00")
        for due in ("DUE;VALUE=DATE:20261130", "DUE;TZID=America/Recife:20261130T000000"):
            assert task(due).due_at is None

    def test_open_and_done(self) -> None:
        assert task("STATUS:NEEDS-ACTION").completed is None
        assert task("STATUS:COMPLETED", "COMPLETED:20261118T101500Z").completed == utc("2026-11-18T10:15")
        assert task("COMPLETED:20261118T101500Z").completed == utc("2026-11-18T10:15")
        assert task("STATUS:completed", "LAST-MODIFIED:20261118T101500Z").completed == utc("2026-11-18T10:15")

    def test_one_that_was_opened_again_is_open(self) -> None:
        assert task("STATUS:NEEDS-ACTION", "COMPLETED:20261118T101500Z").completed is None
        assert task("STATUS:IN-PROCESS", "COMPLETED:20261118T101500Z").completed is None

    def test_cancelled_is_neither(self) -> None:
        assert items(*vtodo("STATUS:CANCELLED")) == []

    @pytest.mark.parametrize("line", ["STATUS:COMPLETED", "DUE:some day"])
    def test_what_cannot_be_read_is_set_aside(self, line: str) -> None:
        (record,) = records(*vtodo(line))
        with pytest.raises(BadRecord, match="ics/task"):
            normalise(record, None)

    def test_may_share_an_identifier_with_an_event(self) -> None:
        found = items(*vtodo("SUMMARY:a"), *vevent(AT_EIGHT, "SUMMARY:b"))
        assert sorted(type(item).__name__ for item in found) == ["Event", "Task"]


SERIES_OF_TODOS = (
    *("BEGIN:VTODO", "UID:p", "DTSTAMP:20261101T000000Z", "SUMMARY:Plants", "DUE;VALUE=DATE:20261116"),
    *("RRULE:{rule}", "STATUS:NEEDS-ACTION", "END:VTODO"),
    *("BEGIN:VTODO", "UID:p", "DTSTAMP:20261101T000000Z", "SUMMARY:Plants", "RECURRENCE-ID;VALUE=DATE:20261116"),
    *("DUE;VALUE=DATE:20261116", "STATUS:COMPLETED", "COMPLETED:20261116T170000Z", "END:VTODO"),
)


@pytest.mark.parametrize(
    ("rule", "due"),
    [
        ("FREQ=DAILY", date(2026, 11, 17)),
        ("FREQ=WEEKLY;BYDAY=MO", date(2026, 11, 23)),
        ("FREQ=WEEKLY;UNTIL=20261130T000000Z", date(2026, 11, 23)),
        ("FREQ=DAILY;COUNT=1", None),  # nothing is left
        ("FREQ=MONTHLY;BYDAY=1MO", date(2026, 12, 7)),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", None),  # the only one is done
        ("FREQ=SECONDLY", None),  # the only one that is known is done
    ],
)
def test_a_series_of_todos_is_due_at_its_first_instance_that_is_left(rule: str, due: date | None) -> None:
    lines = [line.format(rule=rule) for line in SERIES_OF_TODOS]
    content = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]).encode()
    found = [record for page in pages(content, name="x", zone="Europe/Berlin") for record in page.records]
    told = [record for record in found if "unreadable" in record.payload]
    assert [record.payload["why"] for record in told] == (["RRULE"] if rule == "FREQ=SECONDLY" else [])
    read = (record for record in found if record not in told)
    tasks = [item for record in read for item in normalise(record, None) if isinstance(item, Task)]
    assert [task.due for task in tasks if task.completed is None] == ([] if due is None else [due])
    assert [task.due for task in tasks if task.completed is not None] == [date(2026, 11, 16)]
