"""Changes of an instance and all that follow, and dates that say themselves how long they last."""

from datetime import date, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bridge.calendar.expansion import expand
from bridge.domain.types import Event, Response
from tests.calendar.entries import BERLIN, HOUR, event, series, starts, utc
from tests.pace import paces


def onwards(key="x", start="2026-11-09T11:00", original="2026-11-09T09:00", **of):
    """An exception that changes all later instances too."""
    line = f"RECURRENCE-ID;RANGE=THISANDFUTURE:{utc(original):%Y%m%dT%H%M%SZ}"
    return event(key, start, master="m", original_start=utc(original), recurrence=(line,), **of)


MONTHS = ("2026-10", "2026-11", "2026-12", "2027-01", "2027-02", "2027-03")


class TestThisAndFuture:
    def test_moves_and_lengthens_and_names_what_follows(self):
        later = onwards(hours=2, title="New")
        found = expand([series(title="Old"), later], since=utc("2026-11-01"), until=utc("2026-12-01"), zones=BERLIN)
        assert [(f"{o.start:%m-%d %H:%M}", o.end - o.start, o.event.title) for o in found] == [
            ("11-02 09:00", HOUR, "Old"),
            ("11-09 11:00", 2 * HOUR, "New"),
            ("11-16 11:00", 2 * HOUR, "New"),
            ("11-23 11:00", 2 * HOUR, "New"),
            ("11-30 11:00", 2 * HOUR, "New"),
        ]
        assert len({o.key for o in found}) == 5

    def test_holds_until_the_next(self):
        again = onwards("a", "2026-11-23T07:00", "2026-11-23T09:00")
        for events in ([series(), onwards(), again], [again, onwards(), series()]):
            assert starts(events) == ["11-02 09:00", "11-09 11:00", "11-16 11:00", "11-23 07:00", "11-30 07:00"]

    def test_leaves_exceptions_and_excluded_dates_alone(self):
        moved = event("z", "2026-11-16T15:00", master="m", original_start=utc("2026-11-16T09:00"))
        master = series("RRULE:FREQ=WEEKLY", "EXDATE:20261123T090000Z")
        assert starts([master, onwards(), moved]) == ["11-02 09:00", "11-09 11:00", "11-16 15:00", "11-30 11:00"]

    @pytest.mark.parametrize("of", [{"cancelled": True}, {"response": Response.DECLINED}])
    def test_ends_the_series_when_off(self, of):
        assert starts([series(), onwards(**of)]) == ["11-02 09:00"]

    def test_cancelled_may_come_without_times(self):
        line = ("RECURRENCE-ID;RANGE=THISANDFUTURE:20261109T090000Z",)
        end = Event(
            key="x", calendar="c", master="m", original_start=utc("2026-11-09T09:00"), recurrence=line, cancelled=True
        )
        assert starts([series(), end]) == ["11-02 09:00"]

    def test_keeps_the_wall_clock_over_dst(self):
        master = series(start="2026-10-05T07:00")
        later = onwards(start="2026-10-12T09:00", original="2026-10-12T07:00")
        found = starts([master, later], "2026-10-01", "2026-11-05")
        assert found == ["10-05 07:00", "10-12 09:00", "10-19 09:00", "10-26 10:00", "11-02 10:00"]

    @pytest.mark.parametrize("days", [-10, 10])
    def test_instances_moved_over_the_edges_of_the_window_are_found(self, days):
        begin = utc("2026-11-09T09:00") + timedelta(days=days)
        events = [series(), onwards(start=f"{begin:%Y-%m-%dT%H:%M}")]
        whole = starts(events, "2026-10-01", "2027-03-01")
        parts = [starts(events, f"{begin}-01", f"{end}-01") for begin, end in pairwise(MONTHS)]
        assert [at for part in parts for at in part] == whole

    def test_of_days(self):
        day = {"first_day": date(2026, 11, 2), "last_day": date(2026, 11, 2)}
        master = Event(key="m", calendar="c", recurrence=("RRULE:FREQ=WEEKLY",), **day)
        later = Event(
            key="x",
            calendar="c",
            master="m",
            original_day=date(2026, 11, 9),
            first_day=date(2026, 11, 11),
            last_day=date(2026, 11, 12),
            recurrence=("RECURRENCE-ID;RANGE=THISANDFUTURE:20261109",),
        )
        found = expand([master, later], since=utc("2026-11-01"), until=utc("2026-11-24"), zones=BERLIN)
        assert [(o.start.astimezone(ZoneInfo("Europe/Berlin")).date(), o.end - o.start) for o in found] == [
            (date(2026, 11, 2), 24 * HOUR),
            (date(2026, 11, 11), 48 * HOUR),
            (date(2026, 11, 18), 48 * HOUR),
        ]

    def test_is_one_instance_where_an_hour_became_a_day(self):
        day = {"first_day": date(2026, 11, 10), "last_day": date(2026, 11, 10)}
        line = ("RECURRENCE-ID;RANGE=THISANDFUTURE:20261109T090000Z",)
        later = Event(key="x", calendar="c", master="m", original_start=utc("2026-11-09T09:00"), recurrence=line, **day)
        found = expand([series(), later], since=utc("2026-11-01"), until=utc("2026-11-17"), zones=BERLIN)
        assert [(o.start, o.end - o.start) for o in found] == [
            (utc("2026-11-02T09:00"), HOUR),
            (utc("2026-11-09T23:00"), 24 * HOUR),
            (utc("2026-11-16T09:00"), HOUR),
        ]

    def test_is_one_instance_where_it_is_moved_by_decades(self):
        later = onwards(start="2099-01-01T09:00")
        assert starts([series(), later], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]


class TestPeriods:
    @pytest.mark.parametrize(
        ("period", "hours"),
        [
            ("20261109T090000Z/PT3H", 3),
            ("20261109T090000Z/P1DT30M", 24.5),
            ("20261109T090000Z/P1W", 168),
            ("20261109T100000/20261109T120000", 2),
            ("20261109T090000Z/20261109T093000Z", 0.5),
            ("20261109T090000Z/20261109T080000Z", 1),  # ends before it starts: the series' length
            ("20261109T090000Z/P9999W", 1),
            ("20261109T090000Z/P99999999999999999999W", 1),
            ("20261109T090000Z/20261110", 1),
            ("20261109T090000Z/soon", 1),
            ("20261109T090000Z/PT1H/PT2H", 1),
        ],
    )
    def test_an_rdate_that_is_a_period_lasts_that_long(self, period, hours):
        master = series(f"RDATE;TZID=Europe/Berlin;VALUE=PERIOD:{period}")
        found = expand([master], since=utc("2026-11-01"), until=utc("2026-12-01"), zones=BERLIN)
        assert [(o.start, o.end - o.start) for o in found] == [
            (utc("2026-11-02T09:00"), HOUR),
            (utc("2026-11-09T09:00"), hours * HOUR),
        ]

    def test_a_period_reaches_into_the_window(self):
        master = series("RDATE;VALUE=PERIOD:20261109T090000Z/P3D")
        assert starts([master], "2026-11-11", "2026-11-12") == ["11-09 09:00"]

    def test_a_period_over_a_dst_change_has_its_exact_length(self):
        master = series(
            "RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20261024T220000/20261025T060000", start="2026-10-20T09:00"
        )
        found = expand([master], since=utc("2026-10-24"), until=utc("2026-10-26"), zones=BERLIN)
        assert [o.end - o.start for o in found] == [9 * HOUR]


class TestExcludedExceptions:
    """A change of an instance that the series excludes was made before the instance was deleted."""

    @pytest.mark.parametrize(
        "line",
        ["EXDATE:20261109T090000Z", "EXDATE;TZID=Europe/Berlin:20261109T100000", "EXDATE;VALUE=DATE:20261109"],
    )
    def test_fall(self, line):
        moved = event("x", "2026-11-10T12:00", master="m", original_start=utc("2026-11-09T09:00"))
        other = event("y", "2026-11-17T12:00", master="m", original_start=utc("2026-11-16T09:00"))
        events = [series("RRULE:FREQ=WEEKLY", line), moved, other]
        assert starts(events, until="2026-11-24") == ["11-02 09:00", "11-17 12:00", "11-23 09:00"]

    def test_of_days_fall(self):
        day = {"first_day": date(2026, 11, 2), "last_day": date(2026, 11, 2)}
        lines = ("RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20261109")
        master = Event(key="m", calendar="c", recurrence=lines, **day)
        moved = Event(key="x", calendar="c", master="m", original_day=date(2026, 11, 9), **day)
        assert starts([master, moved], until="2026-11-17") == ["11-01 23:00", "11-15 23:00"]


def test_a_long_series_with_many_changes_and_holes_costs_no_more_than_both():
    days = [utc("2024-01-01T08:00") + timedelta(days=n) for n in range(800)]
    holes = (f"EXDATE:{day:%Y%m%dT%H%M%SZ}" for day in days[::2])
    master = series("RRULE:FREQ=DAILY", *holes, start=f"{days[0]:%Y-%m-%dT%H:%M}")
    moved = [event(f"{day}", f"{day:%Y-%m-%dT10:00}", master="m", original_start=day) for day in days[1::2]]
    assert paces(lambda: starts([master, *moved], "2026-03-01", "2026-03-08"), tries=2) < 100
