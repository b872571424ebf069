"""A flight in the calendar moves the person: the evening after it is planned on the clock of the arrival."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge import config
from bridge.advice.day_plan import plan_day
from bridge.advice.modes import noticed, say_mode
from bridge.advice.recommend import load_person
from bridge.calendar.flights import followed
from bridge.day.bedtime import of_bedtime
from bridge.day.body import Mode, ModeKind
from bridge.day.plan import DayPlan
from bridge.documents.plan import moved, plan_document
from bridge.domain.slots import ZoneSpan, zone_at
from bridge.domain.types import Event
from bridge.ingest import runs
from bridge.installation import Bridge
from bridge.store import Store

DAY = date(2026, 11, 20)  # a Friday
BEGIN = datetime(2026, 10, 1, tzinfo=UTC)
HOME = ZoneInfo("Europe/Berlin")
AIRPORT_WAY, WAY_FROM_AIRPORT = timedelta(minutes=150), timedelta(minutes=90)
FLIGHT = """BEGIN:VEVENT
UID:{number}@airline.example
SUMMARY:{title}
DTSTART;TZID={here}:{start}
DTEND;TZID={there}:{end}
{more}END:VEVENT
"""
WEST = ("Europe/Berlin", "20261120T120000", "America/New_York", "20261120T143000")  # 8.5 hours
EAST = ("Europe/Berlin", "20261120T133000", "Asia/Tokyo", "20261121T093000")  # 12 hours, over the night
BACK = ("America/New_York", "20261124T180000", "Europe/Berlin", "20261125T080000")
SHORT = ("Europe/Berlin", "20261120T160000", "Europe/London", "20261120T165000")


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    with closing(Store("sqlite://")) as store:
        store.people.add_user("ana", "Europe/Berlin", now=BEGIN)
        yield Bridge(settings=config.load(), store=store)


def flies(
    bridge: Bridge, folder: Path, *flights: tuple[str, str, str, str], title: str = "LH 400", more: str = ""
) -> None:
    """Import a calendar file with the flights, and with a lunch on each of two days."""
    texts = [
        FLIGHT.format(number=k, title=title, here=here, start=start, there=there, end=end, more=more)
        for k, (here, start, there, end) in enumerate(flights)
    ]
    texts += [
        FLIGHT.format(number=f"lunch{k}", title="Lunch", here=here, start=start, there=here, end=end, more="")
        for k, (here, start, end) in enumerate(
            [
                ("Europe/Berlin", "20261119T123000", "20261119T130000"),
                ("America/New_York", "20261122T123000", "20261122T130000"),
            ]
        )
    ]
    file = folder / "trips.ics"
    text = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//tests//EN\n" + "".join(texts) + "END:VCALENDAR\n"
    file.write_bytes(text.replace("\n", "\r\n").encode())
    runs.import_path(bridge, bridge.store.people.user("ana"), file, at=BEGIN)


def plan(bridge: Bridge, now: datetime, day: date | None = None) -> DayPlan:
    return plan_day(bridge, bridge.person("ana", at=now), day, now=now)


def wall(plan: DayPlan, kind: str, zone: str) -> list[tuple[str, str]]:
    """Begin and end of the blocks of a kind, on the clock of a zone."""
    place = ZoneInfo(zone)
    found = [block for block in plan.blocks if block.kind == kind]
    return [(f"{b.start.astimezone(place):%a %H:%M}", f"{b.end.astimezone(place):%a %H:%M}") for b in found]


def morning(day: date = DAY, hour: int = 7, zone: ZoneInfo = HOME) -> datetime:
    return datetime(day.year, day.month, day.day, hour, 30, tzinfo=zone).astimezone(UTC)


def test_after_a_flight_west_the_evening_is_local_and_begins_a_little_early(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST)
    found = plan(bridge, morning())
    usual = plan(bridge, morning(DAY - timedelta(days=7)))
    (_, at_home) = wall(usual, "sleep", "Europe/Berlin")[-1]
    (bed, wake) = wall(found, "sleep", "America/New_York")[-1]
    assert "Fri 21:30" <= bed <= "Fri 23:30"
    assert wake.startswith("Sat")
    assert abs(_minutes(wake) - _minutes(at_home)) <= 120  # a weekend's usual hour, on the new clock
    ((wind_down, until),) = wall(found, "wind_down", "America/New_York")
    assert "Fri 20:30" <= wind_down < until == bed
    assert [span.zone for span in found.moves] == ["Europe/Berlin", "America/New_York"]
    zones = bridge.person("ana", at=morning()).zones
    document = plan_document(found, zones)
    assert document["routine"]["bedtime"] == bed[4:]
    assert document["blocks"][-1]["start"].endswith("-05:00")
    assert "flight west" in document["blocks"][-2]["reasons"][0]
    (flight,) = (block for block in document["blocks"] if block["title"] == "LH 400")
    landing = datetime.fromisoformat(flight["end"])
    at_home = f"{landing.astimezone(HOME):%H:%M}"
    assert flight["reasons"] == [
        "leave for the airport by 09:00",
        f"arrives at {landing:%H:%M} New York time, which is {at_home} Berlin time",
    ]
    assert at_home != f"{landing:%H:%M}"


def test_a_journey_is_asked_about_once_it_has_begun(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST)
    there = morning(DAY + timedelta(days=1), 9, ZoneInfo("America/New_York"))
    people = [load_person(bridge, bridge.person("ana", at=at), now=at) for at in (morning(), there)]
    assert [[kind for kind, _ in noticed(person)] for person in people] == [[], [ModeKind.AWAY]]


def test_away_ends_with_the_journey_home_that_the_calendar_holds(bridge: Bridge, tmp_path: Path) -> None:
    back = ("America/New_York", "20261123T150000", "Europe/Berlin", "20261123T233000")
    for flights, days in (((WEST, back), 3), ((WEST,), 6)):
        flies(bridge, tmp_path, *flights)
        now = morning(hour=20, zone=ZoneInfo("America/New_York"))
        away = say_mode(bridge.store, bridge.person("ana", at=now), Mode(kind=ModeKind.AWAY), now=now)
        assert away.until == DAY + timedelta(days=days)


def test_bedtime_is_the_earlier_the_more_hours_a_flight_west_adds(bridge: Bridge, tmp_path: Path) -> None:
    """Nobody is kept up for 22 hours, and the reason is told."""
    flies(bridge, tmp_path, WEST)
    user = bridge.person("ana", at=morning())
    one, ends = load_person(bridge, user, now=morning()), DAY + timedelta(days=1)
    (bed, _), usual = one.sleep(ends), one.routine.sleep_ending_on(ends, one.zones)[0]
    assert timedelta(minutes=80) <= usual - bed <= timedelta(minutes=90)
    told, hours = of_bedtime(one, ends), (bed - one.sleep(DAY)[1]) / timedelta(hours=1)
    assert (told.kind, told.values["hours"]) == ("bedtime_awake", round(hours))


def _minutes(text: str) -> int:
    hours, minutes = text[-5:].split(":")
    return 60 * int(hours) + int(minutes)


@pytest.mark.parametrize("flight", [WEST, EAST, SHORT])
def test_no_block_lies_within_a_flight_or_on_the_way_to_it(
    bridge: Bridge, tmp_path: Path, flight: tuple[str, str, str, str]
) -> None:
    flies(bridge, tmp_path, flight)
    start, end = (
        datetime.strptime(at, "%Y%m%dT%H%M%S").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        for zone, at in (flight[:2], flight[2:])
    )
    for now in (morning(), morning(hour=9), end + timedelta(minutes=5)):
        for day in (DAY, DAY + timedelta(days=1)):
            for block in plan(bridge, now, day).blocks:
                if block.kind != "entry":
                    clear = block.end <= start - AIRPORT_WAY or block.start >= end + WAY_FROM_AIRPORT
                    assert clear, (flight, now, block)


def test_a_night_on_board_is_no_night_in_bed(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, EAST)
    assert wall(plan(bridge, morning()), "wind_down", "Europe/Berlin") == []
    arrived = datetime(2026, 11, 21, 12, tzinfo=ZoneInfo("Asia/Tokyo"))
    found = plan(bridge, arrived)
    assert found.date == date(2026, 11, 21)
    ((bed, wake),) = wall(found, "sleep", "Asia/Tokyo")
    assert "Sat 22:00" <= bed <= "Sun 00:30" or bed.startswith("Sun 00")
    assert wake.startswith("Sun 0")


def test_the_clock_follows_there_and_back(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST, BACK)
    zones = [
        zone_at(now, bridge.person("ana", at=now).zones).key
        for now in (morning(hour=13), morning(DAY + timedelta(days=2)), morning(DAY + timedelta(days=6)))
    ]
    assert zones == ["Europe/Berlin", "America/New_York", "Europe/Berlin"]


def test_without_a_flight_back_the_clock_is_that_of_home_again_after_two_weeks(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST)
    for days, zone in ((13, "America/New_York"), (16, "Europe/Berlin")):
        now = morning(DAY + timedelta(days=days))
        assert zone_at(now, bridge.person("ana", at=now).zones).key == zone


def test_the_zone_that_the_user_sets_counts_for_more_than_a_flight(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST)
    user = bridge.store.people.user("ana")
    bridge.store.people.set_zone(user.id, "America/Chicago", since=datetime(2026, 11, 20, 22, tzinfo=UTC))
    now = morning(DAY + timedelta(days=1), hour=20)
    assert zone_at(now, bridge.person("ana", at=now).zones).key == "America/Chicago"


@pytest.mark.parametrize("more", ["STATUS:CANCELLED\n", "TRANSP:TRANSPARENT\n"])
def test_a_flight_that_the_user_does_not_take_moves_nobody(bridge: Bridge, tmp_path: Path, more: str) -> None:
    flies(bridge, tmp_path, WEST, more=more)
    assert bridge.person("ana", at=morning()).zones == bridge.store.people.user("ana").zones


def test_a_flight_whose_zones_are_not_stated_moves_nobody() -> None:
    zones = (ZoneSpan(since=BEGIN, zone="Europe/Berlin"),)
    start = datetime(2026, 11, 20, 11, tzinfo=UTC)
    flight = Event(key="f", calendar="c", title="Flight to New York", start=start, end=start + timedelta(hours=8))
    assert followed(zones, [flight], now=start) == zones
    paris = Event(key="p", calendar="c", start=start, end=start + timedelta(hours=2), end_zone="Europe/Paris")
    assert followed(zones, [paris], now=start) == zones  # the same clock


def test_before_an_early_flight_the_night_ends_in_time_for_the_airport(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, ("Europe/Berlin", "20261121T080000", "Europe/London", "20261121T090000"))
    (bed, wake) = wall(plan(bridge, morning()), "sleep", "Europe/Berlin")[-1]
    assert bed <= "Sat 04:45"
    assert wake == "Sat 04:45"


def test_entries_of_home_in_the_night_abroad_do_not_move_the_night(bridge: Bridge, tmp_path: Path) -> None:
    flies(bridge, tmp_path, WEST)
    before = wall(plan(bridge, morning()), "sleep", "America/New_York")[-1]
    flies(bridge, tmp_path, WEST, ("Europe/Berlin", "20261121T093000", "Europe/Berlin", "20261121T110000"))
    assert wall(plan(bridge, morning()), "sleep", "America/New_York")[-1] == before
    flies(bridge, tmp_path, WEST, ("America/New_York", "20261121T043000", "America/New_York", "20261121T060000"))
    assert wall(plan(bridge, morning()), "sleep", "America/New_York")[-1] == (before[0], "Sat 03:45")


LONG = (  # entries that last from before a flight to after it
    "DTSTART;VALUE=DATE:20261118\nDTEND;VALUE=DATE:20261128",
    "DTSTART;TZID=Europe/Berlin:20261117T090000\nDTEND;TZID=America/New_York:20261127T170000",
    "DTSTART;TZID=Europe/Berlin:20261118T220000\nDTEND;TZID=Europe/Berlin:20261126T060000",
)


@pytest.mark.parametrize("times", LONG)
@pytest.mark.parametrize("title", ["Flight to New York", "✈ VOL AF 12", "LH 400"])
def test_a_change_of_clock_stands_on_its_day_alone_and_names_its_entry(
    bridge: Bridge, tmp_path: Path, times: str, title: str
) -> None:
    """An entry of several days, such as a whole journey, brings no change of a later day to its earlier ones."""
    flies(bridge, tmp_path, WEST, BACK, title=title)
    file = tmp_path / "long.ics"
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//tests//EN\nBEGIN:VEVENT\nUID:l\nSUMMARY:Tour\n{times}\n"
    file.write_bytes(f"{text}END:VEVENT\nEND:VCALENDAR\n".replace("\n", "\r\n").encode())
    runs.import_path(bridge, bridge.store.people.user("ana"), file, at=BEGIN)
    told = {}
    for number in range(-2, 8):
        now = morning(
            DAY + timedelta(days=number), 7, ZoneInfo("America/New_York" if 0 < number < 5 else "Europe/Berlin")
        )
        found, zones = plan(bridge, now), bridge.person("ana", at=now).zones
        told[number] = [str(moved(found, one, zones)) for one in found.rows if isinstance(one, ZoneSpan)]
    home, there = "Berlin time from here on", "New York time from here on"
    assert {number: lines for number, lines in told.items() if lines} == {
        0: [f"{home}, until {title}", f"{there}, after {title}"],
        5: [f"{home}, after {title}"],  # one lands in the morning
    }
