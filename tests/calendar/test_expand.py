"""Series, exceptions and copies of one meeting."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.expansion import expand, midnight
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Response
from tests.calendar.entries import BERLIN, HOUR, NEW_YORK, event, series, starts, utc


class TestWallClock:
    def test_survives_both_dst_changes(self):
        spring = series(start="2026-03-23T08:00")
        autumn = series(start="2026-10-19T07:00")
        assert starts([spring], "2026-03-22", "2026-04-01") == ["03-23 08:00", "03-30 07:00"]
        assert starts([autumn], "2026-10-18", "2026-10-31") == ["10-19 07:00", "10-26 08:00"]

    def test_is_the_masters_not_the_persons(self):
        master = series(start="2026-03-02T14:00", zone="America/New_York")  # 09:00 there; its DST begins on 8 March
        assert starts([master], "2026-03-01", "2026-03-11") == ["03-02 14:00", "03-09 13:00"]

    def test_of_an_unknown_zone_is_the_persons(self):
        for zone in ("Customized Time Zone", "Europe", "../etc", None):
            master = series(start="2026-03-23T08:00", zone=zone)
            assert starts([master], "2026-03-22", "2026-04-01") == ["03-23 08:00", "03-30 07:00"]

    def test_that_does_not_exist_is_read_with_the_offset_before(self):
        nightly = series("RRULE:FREQ=DAILY", start="2026-03-28T01:30")  # 02:30, skipped on 29 March
        assert starts([nightly], "2026-03-28", "2026-03-31") == ["03-28 01:30", "03-29 01:30", "03-30 00:30"]

    def test_that_exists_twice_is_the_first(self):
        nightly = series("RRULE:FREQ=DAILY", start="2026-10-24T00:30")  # 02:30, twice on 25 October
        assert starts([nightly], "2026-10-24", "2026-10-27") == ["10-24 00:30", "10-25 00:30", "10-26 01:30"]

    def test_of_a_master_in_the_second_hour_stays(self):
        nightly = series("RRULE:FREQ=DAILY", start="2026-10-25T01:30")
        assert starts([nightly], "2026-10-25", "2026-10-27") == ["10-25 01:30", "10-26 01:30"]

    def test_leaves_the_duration_exact(self):
        night = series("RRULE:FREQ=DAILY", start="2026-10-24T20:00", hours=8)
        found = expand([night], since=utc("2026-10-24"), until=utc("2026-10-27"), zones=BERLIN)
        assert {o.end - o.start for o in found} == {8 * HOUR}


class TestAllDay:
    def test_reaches_from_midnight_to_midnight_in_the_persons_zone(self):
        day = Event(key="d", calendar="c", first_day=date(2026, 6, 10), last_day=date(2026, 6, 10))
        (berlin,) = expand([day], since=utc("2026-06-01"), until=utc("2026-07-01"), zones=BERLIN)
        (york,) = expand([day], since=utc("2026-06-01"), until=utc("2026-07-01"), zones=NEW_YORK)
        assert (berlin.start, berlin.end) == (utc("2026-06-09T22:00"), utc("2026-06-10T22:00"))
        assert (york.start, york.end) == (utc("2026-06-10T04:00"), utc("2026-06-11T04:00"))

    def test_is_thirty_hours_long_when_the_person_flies_west(self):
        zones = (*BERLIN, ZoneSpan(since=utc("2026-06-10T12:00"), zone="America/New_York"))
        day = Event(key="d", calendar="c", first_day=date(2026, 6, 10), last_day=date(2026, 6, 10))
        (found,) = expand([day], since=utc("2026-06-01"), until=utc("2026-07-01"), zones=zones)
        assert found.end - found.start == 30 * HOUR

    def test_follows_dst(self):
        days = Event(key="d", calendar="c", first_day=date(2026, 3, 28), last_day=date(2026, 3, 29))
        (found,) = expand([days], since=utc("2026-03-01"), until=utc("2026-04-01"), zones=BERLIN)
        assert found.end - found.start == 47 * HOUR

    def test_series_counts_days(self):
        weekly = Event(
            key="d",
            calendar="c",
            first_day=date(2026, 3, 23),
            last_day=date(2026, 3, 23),
            recurrence=("RRULE:FREQ=WEEKLY;UNTIL=20260406T000000Z", "EXDATE;VALUE=DATE:20260330"),
        )
        found = expand([weekly], since=utc("2026-03-01"), until=utc("2026-05-01"), zones=BERLIN)
        assert [o.key for o in found] == ["d_20260323", "d_20260406"]
        assert [o.start for o in found] == [utc("2026-03-22T23:00"), utc("2026-04-05T22:00")]

    def test_instance_is_replaced_by_day(self):
        weekly = Event(
            key="d",
            calendar="c",
            first_day=date(2026, 11, 2),
            last_day=date(2026, 11, 2),
            recurrence=("RRULE:FREQ=WEEKLY",),
        )
        moved = Event(
            key="x",
            calendar="c",
            master="d",
            first_day=date(2026, 11, 10),
            last_day=date(2026, 11, 10),
            original_day=date(2026, 11, 9),
        )
        found = expand([weekly, moved], since=utc("2026-11-01"), until=utc("2026-11-17"), zones=BERLIN)
        assert [o.key for o in found] == ["d_20261102", "x", "d_20261116"]


class TestExceptions:
    def test_replace_the_instance_they_name(self):
        moved = event("x", "2026-11-10T12:00", master="m", original_start=utc("2026-11-09T09:00"))
        assert starts([series(), moved], until="2026-11-17") == ["11-02 09:00", "11-10 12:00", "11-16 09:00"]

    def test_may_leave_the_window(self):
        moved = event("x", "2026-12-24T12:00", master="m", original_start=utc("2026-11-09T09:00"))
        assert starts([series(), moved], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]

    def test_may_enter_the_window(self):
        moved = event("x", "2026-11-03T12:00", master="m", original_start=utc("2026-11-30T09:00"))
        assert starts([series(), moved], until="2026-11-09") == ["11-02 09:00", "11-03 12:00"]

    @pytest.mark.parametrize("of", [{"cancelled": True}, {"response": Response.DECLINED}])
    def test_cancelled_or_declined_are_holes(self, of):
        hole = event("x", "2026-11-09T09:00", master="m", original_start=utc("2026-11-09T09:00"), **of)
        assert starts([series(), hole], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]

    def test_cancelled_may_come_without_times(self):
        hole = Event(key="x", calendar="c", master="m", original_start=utc("2026-11-09T09:00"), cancelled=True)
        assert starts([series(), hole], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]

    def test_cancelled_ones_that_do_not_tell_of_what_are_holes_in_days_and_hours(self):
        day, at = date(2026, 11, 9), utc("2026-11-08T23:00")
        hole = Event(key="x", calendar="c", master="m", original_start=at, original_day=day, cancelled=True)
        first = {"first_day": date(2026, 11, 2), "last_day": date(2026, 11, 2)}
        days = Event(key="m", calendar="c", recurrence=("RRULE:FREQ=WEEKLY",), **first)
        assert starts([days, hole], until="2026-11-17") == ["11-01 23:00", "11-15 23:00"]
        hours = series(start="2026-11-01T23:00")
        assert starts([hours, hole], until="2026-11-17") == ["11-01 23:00", "11-15 23:00"]
        assert len(starts([series("RRULE:FREQ=DAILY", start="2026-11-08T18:00"), hole], until="2026-11-11")) == 3

    def test_of_another_calendar_leave_the_series_alone(self):
        hole = event("x", "2026-11-09T09:00", master="m", original_start=utc("2026-11-09T09:00"), calendar="other")
        assert len(starts([series(), hole], until="2026-11-17")) == 4

    def test_without_a_master_stand_for_themselves(self):
        assert starts([event("x", master="unknown", original_start=utc("2026-11-02T09:00"))]) == ["11-02 09:00"]

    def test_go_with_a_cancelled_master(self):
        moved = event("x", "2026-11-10T12:00", master="m", original_start=utc("2026-11-09T09:00"))
        assert starts([series(cancelled=True), moved]) == []


class TestLines:
    @pytest.mark.parametrize(
        "line",
        [
            "EXDATE:20261109T090000Z",
            "EXDATE;TZID=Europe/Berlin:20261109T100000",
            "EXDATE;TZID=America/New_York:20261109T040000",
            "EXDATE;TZID=Nowhere/Land:20261109T100000",
            "EXDATE:20261109T100000",
            "EXDATE;VALUE=DATE:20261109",
            "EXDATE:nonsense,20261109T090000Z",
            "exdate:20261109T090000Z ",
        ],
    )
    def test_exdate_in_every_form(self, line):
        assert starts([series("RRULE:FREQ=WEEKLY", line)], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]

    @pytest.mark.parametrize("value", ["20261109T090000Z", "20261109", "20261109T100000", "20261109T090000Z/PT1H"])
    def test_rdate_adds_to_the_first(self, value):
        assert starts([series(f"RDATE:{value}")]) == ["11-02 09:00", "11-09 09:00"]

    @pytest.mark.parametrize("until", ["20261109", "20261109T090000Z", "20261109T100000", "20261109T235959"])
    def test_until_of_any_type_includes_its_day(self, until):
        assert starts([series(f"RRULE:FREQ=WEEKLY;UNTIL={until}")]) == ["11-02 09:00", "11-09 09:00"]

    def test_until_before_an_hour_excludes_it(self):
        assert starts([series("RRULE:FREQ=WEEKLY;UNTIL=20261109T085959Z")]) == ["11-02 09:00"]

    def test_count_and_until_both_hold(self):
        assert len(starts([series("RRULE:FREQ=WEEKLY;COUNT=3;UNTIL=20261109")])) == 2
        assert len(starts([series("RRULE:FREQ=WEEKLY;COUNT=2;UNTIL=20261130")])) == 2

    @pytest.mark.parametrize(
        "rule",
        [
            "FREQ=FORTNIGHTLY",
            "FREQ=WEEKLY;INTERVAL=0",
            "FREQ=WEEKLY;INTERVAL=x",
            "FREQ=WEEKLY;BYDAY=XX",
            "FREQ=WEEKLY;UNTIL=never",
            "FREQ=SECONDLY",
            "FREQ=YEARLY;BYEASTER=1000",
            "INTERVAL=2",
            "nonsense",
            "",
        ],
    )
    def test_a_broken_rule_leaves_the_first(self, rule):
        assert starts([series(f"RRULE:{rule}")]) == ["11-02 09:00"]

    @pytest.mark.parametrize("rule", ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=TU"])
    def test_a_rule_that_never_matches_comes_to_an_end(self, rule):
        assert starts([series(f"RRULE:{rule}")]) == ["11-02 09:00"]  # the first one needs no rule

    def test_an_endless_series_of_decades_ago_is_still_there(self):
        old = series("RRULE:FREQ=DAILY;INTERVAL=3", start="1990-01-01T08:00")
        assert starts([old], "2026-11-01", "2026-11-08") == ["11-03 08:00", "11-06 08:00"]  # 13,455 days later

    @given(st.text("FREQ=DAILYWKMONTHUINV;:,0123456789-BYSETPO", max_size=60))
    @settings(max_examples=60, deadline=None)
    def test_no_line_breaks_the_rest(self, text):
        found = starts([series(f"RRULE:{text}"), event("other", "2026-11-03T09:00")])
        assert "11-03 09:00" in found


days = st.lists(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1, unique=True).map(",".join)
rules = st.one_of(
    st.builds("FREQ=DAILY;INTERVAL={}".format, st.integers(1, 9)),
    st.builds("FREQ=DAILY;COUNT={}".format, st.integers(1, 400)),
    st.builds(
        "FREQ=WEEKLY;INTERVAL={};BYDAY={};WKST={}".format, st.integers(1, 5), days, st.sampled_from(["MO", "SU"])
    ),
    st.builds("FREQ=MONTHLY;BYMONTHDAY={}".format, st.integers(1, 31)),
    st.builds("FREQ=MONTHLY;BYDAY={}{}".format, st.sampled_from([1, 2, -1]), st.sampled_from(["MO", "FR"])),
    st.just("FREQ=YEARLY"),
)


firsts = st.builds(datetime.combine, st.dates(date(2015, 1, 1), date(2026, 12, 31)), st.times())


@given(rules, firsts, st.integers(-30, 300), st.integers(1, 60))
@settings(max_examples=150, deadline=None)
def test_series_are_those_of_dateutil_on_the_wall_clock(rule, first, ahead, length):
    zone = ZoneInfo("Europe/Berlin")
    first = first.replace(microsecond=0, second=0, hour=first.hour // 4 + 9)  # no hour that a DST change touches
    since = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=ahead)
    until = since + timedelta(days=length)
    master = Event(
        key="m",
        calendar="c",
        start=first.replace(tzinfo=zone),
        end=first.replace(tzinfo=zone) + HOUR,
        zone="Europe/Berlin",
        recurrence=(f"RRULE:{rule}",),
    )
    found = [o.start for o in expand([master], since=since, until=until, zones=BERLIN)]
    walls = {first, *_until(rrulestr(rule, dtstart=first), until)}  # the first, whether or not the rule matches it
    by_dateutil = (at.replace(tzinfo=zone).astimezone(UTC) for at in sorted(walls))
    assert found == [at for at in by_dateutil if at < until and at + HOUR > since]


def _until(rule, until):
    for at in rule:
        if at.replace(tzinfo=UTC) > until + timedelta(days=1):
            return
        yield at


class TestCopies:
    def test_of_one_meeting_appear_once(self):
        mine = event("a", series="uid", calendar="mine", others=2)
        team = event("b", series="uid", calendar="a team", others=2, organised_by_me=False)
        (found,) = expand([team, mine], since=utc("2026-11-01"), until=utc("2026-12-01"), zones=BERLIN)
        assert found.event is mine

    def test_prefer_the_accepted(self):
        maybe = event("a", series="uid", calendar="a", organised_by_me=False, response=Response.NEEDS_ACTION)
        yes = event("b", series="uid", calendar="b", organised_by_me=False, response=Response.ACCEPTED)
        (found,) = expand([maybe, yes], since=utc("2026-11-01"), until=utc("2026-12-01"), zones=BERLIN)
        assert found.event is yes

    def test_are_private_if_one_is(self):
        of = {"series": "uid", "response": Response.ACCEPTED}
        mine, theirs = event(private=True, organised_by_me=False, **of), event(calendar="theirs", **of)
        (found,) = expand([mine, theirs], since=utc("2026-11-01"), until=utc("2026-12-01"), zones=BERLIN)
        assert (found.event.calendar, found.event.private) == ("theirs", True)

    def test_of_a_series_appear_once_each_even_when_moved(self):
        copies = [series(key=key, series="uid", calendar=key) for key in ("a", "b")]
        moved = [
            event(
                f"{k}x", "2026-11-10T12:00", series="uid", calendar=k, master=k, original_start=utc("2026-11-09T09:00")
            )
            for k in ("a", "b")
        ]
        assert starts([*copies, *moved], until="2026-11-17") == ["11-02 09:00", "11-10 12:00", "11-16 09:00"]

    def test_one_that_i_declined_is_declined_unless_i_accepted_another(self):
        of = {"series": "uid", "organised_by_me": False}
        mine, team = event(response=Response.DECLINED, **of), event(calendar="team", **of)
        assert starts([mine, team]) == starts([team, mine]) == []
        assert starts([mine, event(calendar="work", response=Response.ACCEPTED, **of)]) == ["11-02 09:00"]
        weekly = [series(series="uid", calendar=key) for key in ("c", "team")]
        original = utc("2026-11-09T09:00")
        once = event("x", f"{original:%Y-%m-%dT%H:%M}", master="m", original_start=original, series="uid")
        gone = replace(once, response=Response.DECLINED)
        assert starts([*weekly, gone], until="2026-11-17") == ["11-02 09:00", "11-16 09:00"]

    def test_without_a_series_stay_apart(self):
        assert len(starts([event("a"), event("b")])) == 2

    def test_keys_are_unique_and_name_the_instance(self):
        found = expand([series(), event("x")], since=utc("2026-11-01"), until=utc("2026-11-10"), zones=BERLIN)
        assert [o.key for o in found] == ["m_20261102T090000Z", "x", "m_20261109T090000Z"]


def test_the_window_is_half_open():
    edge = event(start="2026-10-31T23:00")
    instant = event("i", "2026-11-01T00:00", hours=0)
    late = event("l", "2026-12-01T00:00")
    running = event("r", "2026-10-31T23:30")
    assert starts([edge, instant, late, running]) == ["10-31 23:30", "11-01 00:00"]


def test_declined_and_cancelled_are_left_out():
    assert starts([event("a", cancelled=True), event("b", response=Response.DECLINED)]) == []
    assert starts([event("c", response=Response.TENTATIVE)]) == ["11-02 09:00"]


@given(
    st.dates(date(2000, 1, 1), date(2040, 1, 1)), st.sampled_from(["Europe/Berlin", "Africa/Cairo", "America/Havana"])
)
def test_midnight_is_the_first_instant_of_the_day(day, name):
    zones = (ZoneSpan(since=utc("2000-01-01"), zone=name),)
    start, zone = midnight(day, zones), ZoneInfo(name)
    assert start.astimezone(zone).date() == day
    assert (start - timedelta(seconds=1)).astimezone(zone).date() < day
