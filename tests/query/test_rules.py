"""Each rule of the typed query, over a life of three weeks that can be read at a glance."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.cli import query as query_command
from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import Episode, EpisodeKind, Event, Item, Sample, Task
from bridge.installation import Bridge, open_bridge
from bridge.query import asking, statistics
from bridge.query import said as sentences
from bridge.query.answer import answer
from bridge.query.answered import Answer
from bridge.query.parse import Words, query_of
from bridge.query.rows import load_tables
from tests.query.wearer import NOW, land

BERLIN = ZoneInfo("Europe/Berlin")
FIRST = date(2025, 12, 22)  # a Monday
DAYS, DAY = 21, timedelta(days=1)
BEDS = ("22:30", "23:30", "00:30", "01:15", "23:00", "00:00", "12:30")  # by weekday of waking; the last by day
WAKES = ("06:30", "07:00", "07:30", "09:15", "12:30", "08:00", "18:30")
# Day number -> (sport as told, begin, minutes, distance, ascent).
WORKOUTS: dict[int, Sequence[tuple[str, str, int, float, float | None]]] = {
    0: [("Run", "07:00", 30, 5_000, 40)],
    1: [("running", "18:00", 60, 10_000, 120), ("HKWorkoutActivityTypeYoga", "20:00", 45, 0, None)],
    5: [("Outdoor Bike", "09:00", 90, 30_000, 300)],
    9: [("Ride", "23:30", 60, 20_000, 10)],
    13: [("Kiting", "10:00", 120, 8_000, None)],
}


def steps(n: int) -> float:
    """Steps of a day number: 1,000 more each day."""
    return 1_000.0 * (n + 1)


def at(day: date, clock: str) -> datetime:
    """An instant by the clock in Berlin."""
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=BERLIN).astimezone(UTC)


def life() -> Iterator[Item]:
    """Steps on each day but the fourth, nights with deep sleep of 60 to 80 minutes, some workouts and sessions."""
    for clock, minutes in (("08:00", 10.0), ("20:00", 20.0)):
        start, key = at(FIRST, clock), f"mindful/{clock}"
        yield Sample(key=key, metric=Metric.MINDFUL, start=start, day=FIRST, value=minutes)
    for clock, rate, count in (("08:00", 60.0, 1), ("20:00", 80.0, 3)):
        start, key = at(FIRST, clock), f"heart_rate/{clock}"
        yield Sample(key=key, metric=Metric.HEART_RATE, start=start, day=FIRST, value=rate, count=count)
    for n in range(DAYS):
        day = FIRST + timedelta(days=n)
        if n != 3:
            yield Sample(key=f"steps/{n}", metric=Metric.STEPS, start=at(day, "00:00"), day=day, value=steps(n))
        bed, wake = BEDS[n % 7], WAKES[n % 7]
        evening = day - timedelta(days=1) if bed > "20:00" else day
        start, end = at(evening, bed), at(day, wake)
        values = {Metric.ASLEEP: (end - start) / timedelta(minutes=1) - 30, Metric.DEEP_SLEEP: 60.0 + n}
        yield _episode(f"night/{n}", EpisodeKind.SLEEP, start, end, values)
        for begin in WORKOUTS.get(n, ()):
            sport, clock, minutes, distance, ascent = begin
            told = {Metric.DISTANCE: distance, Metric.ASCENT: ascent}
            figures = {metric: value for metric, value in told.items() if value is not None}
            start = at(day, clock)
            yield _episode(
                f"workout/{n}/{clock}", EpisodeKind.WORKOUT, start, start + timedelta(minutes=minutes), figures, sport
            )


def _episode(
    key: str, kind: EpisodeKind, start: datetime, end: datetime, values: dict[Metric, float], label: str | None = None
) -> Episode:
    day = (end if kind is EpisodeKind.SLEEP else start).astimezone(BERLIN).date()
    return Episode(key=key, kind=kind, start=start, end=end, offset=60, day=day, values=values, label=label)


@pytest.fixture
def lived(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bridge, User]]:
    """An installation that holds this life."""
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with ExitStack() as stack:
        bridge = stack.enter_context(open_bridge())
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=900))
        land(bridge.store, user, list(life()))
        yield bridge, bridge.person("ana", at=NOW)


def ask(lived: tuple[Bridge, User], what: str, *where: str, **words: str | int) -> Answer:
    """The answer to a question."""
    query = query_of(Words(what=what, where=where, **words))
    return answer(query, load_tables(*lived, query, now=NOW))


TOLD = [n for n in range(DAYS) if n != 3]
# A question, with the value and the number of rows that it must have.
RULES: list[tuple[str, tuple[str, ...], dict[str, str | int], float | None, int]] = [
    # mean by default, count for what is counted
    ("steps", (), {}, sum(map(steps, TOLD)) / 20, 20),
    ("nights", (), {}, 21, 21),
    ("workouts", (), {}, 6, 6),
    ("entries", (), {}, 0, 0),
    ("deep_sleep/asleep", ("weekday = 1",), {}, (60 / 450 + 67 / 450 + 74 / 450) / 3, 3),
    # minutes of a day are added, other measurements averaged by their counts
    ("mindful", (), {}, 30, 1),
    ("heart_rate", (), {}, 75, 1),
    # both ends inside
    ("steps", (), {"of": "count", "since": "2025-12-23", "until": "2025-12-26"}, 3, 3),
    ("workouts", (), {"since": "2025-12-31", "until": "2025-12-31"}, 1, 1),
    # weekdays: 1 is Monday
    ("steps", ("weekday = 1",), {"of": "min"}, 1_000, 3),
    ("steps", ("weekday = Sunday",), {"of": "min"}, 7_000, 3),
    ("nights", ("weekday >= 6",), {}, 6, 6),
    # several conditions must all hold
    ("steps", ("steps > 5000", "steps <= 8000", "weekday != 6"), {"of": "count"}, 2, 2),
    # the first or last of those that the conditions leave
    ("workouts.distance", (), {"first": 2, "of": "sum"}, 15_000, 2),
    ("workouts.distance", ("workout.distance > 6000",), {"last": 2, "of": "sum"}, 28_000, 2),
    ("asleep", ("weekday = 2",), {"last": 1}, 420, 1),
    ("nights", (), {"last": 100}, 21, 21),
    # the bed of a night across midnight; waking by the clock
    ("nights", ("night.start > 23:30",), {}, 9, 9),
    ("nights", ("night.start >= 23:30",), {}, 12, 12),
    ("nights", ("night.start < 00:30",), {}, 15, 15),
    ("nights", ("night.start >= 23:30", "night.start <= 00:30"), {}, 9, 9),
    ("nights", ("night.end > 09:00",), {}, 9, 9),
    ("nights", ("night.end <= 07:00",), {}, 6, 6),
    ("steps", ("night.end = 06:30",), {}, (1_000 + 8_000 + 15_000) / 3, 3),
    # sports by synonym, normalised name, label as told, in any case, or by what a name contains
    ("workouts", ("workout.sport = jogging",), {}, 2, 2),
    ("workouts", ("workout.sport = RUNNING",), {}, 2, 2),
    ("workouts", ("workout.sport = laufen",), {}, 2, 2),
    ("workouts", ("workout.sport = hkworkoutactivitytypeyoga",), {}, 1, 1),
    ("workouts", ("workout.sport = yoga",), {}, 1, 1),
    ("workouts", ("workout.sport = cycling",), {}, 1, 1),
    ("workouts", ("workout.sport ~ CYCL",), {}, 2, 2),
    ("workouts", ("workout.sport ~ bike",), {}, 2, 2),
    ("workouts", ("workout.sport = kiting",), {}, 1, 1),
    ("workouts", ("workout.sport != running",), {}, 4, 4),
    # figures of a workout; a workout is of the day on which it began
    ("workouts.minutes", ("workout.start >= 20:00",), {}, 52.5, 2),
    ("workouts", ("workout.end < 01:00",), {}, 1, 1),
    ("workouts.ascent", (), {"of": "count"}, 4, 4),
    ("workouts", ("workout.ascent < 100",), {}, 2, 2),
    # a day's field of workouts is that of the day; a workout's field keeps the days with one such workout
    ("workouts", ("steps > 5000",), {}, 3, 3),
    ("workouts.minutes", ("weekday = 2",), {}, 52.5, 2),
    ("steps", ("workout.sport = yoga",), {}, 2_000, 1),
    ("steps", ("workout.sport = yoga", "workout.minutes > 50"), {}, None, 0),
    ("steps", ("workout.minutes > 50",), {"of": "count"}, 4, 4),
    ("nights", ("workout.distance >= 10000",), {}, 3, 3),
    # shares of days, with what a day lacks as not so
    ("steps", ("steps > 10000",), {"of": "share"}, 11 / 20, 20),
    ("asleep", ("steps > 10000",), {"of": "share"}, 11 / 21, 21),
    ("nights", ("night.start > 00:00",), {"of": "share"}, 6 / 21, 21),
    ("steps", ("steps > 10000", "weekday > 5"), {"of": "share", "last": 7}, 2 / 7, 7),
    # change a week
    ("steps", (), {"of": "trend"}, 7_000, 20),
    ("deep_sleep", ("weekday = 4",), {"of": "trend"}, 7, 3),
    # spreads, extremes and places
    ("deep_sleep", (), {"of": "std"}, math.sqrt(21 * 22 / 12), 21),
    ("deep_sleep", (), {"of": "median"}, 70, 21),
    ("steps", (), {"of": "first"}, 1_000, 20),
    ("steps", (), {"of": "last"}, 21_000, 20),
    # quotients and meters may be compared, too
    ("nights", ("deep_sleep/asleep > 0.2",), {}, 2, 2),
    # of the day before, also of the one before the span
    ("steps", ("before.workout.sport = yoga",), {}, 3_000, 1),
    ("steps", ("before.steps > 19000",), {}, 21_000, 1),
    ("nights", ("before.weekday = 7",), {}, 2 + 1, 3),
    (
        "steps",
        ("before.workout.minutes > 0",),
        {"since": "2025-12-23"},
        (2_000 + 3_000 + 7_000 + 11_000 + 15_000) / 5,
        5,
    ),
    # counting nothing gives 0, any other figure of nothing none
    ("steps", ("steps > 90000",), {"of": "count"}, 0, 0),
    ("workouts", ("workout.sport = golf",), {}, 0, 0),
    ("workouts.minutes", ("workout.sport = golf",), {"of": "sum"}, None, 0),
    ("steps", ("steps > 90000",), {}, None, 0),
    ("steps", (), {"since": "2020-01-01", "until": "2020-02-01"}, None, 0),
    *(
        (
            what,
            where,
            {"since": "2020-01-01", "until": "2020-02-01", "of": "count"},
            0,
            0,
        )  # said as "nothing is stored"
        for what, where in (("steps", ()), ("nights", ("asleep < 360",)), ("days", ("steps > 1",)), ("workouts", ()))
    ),
    ("steps", ("steps > 90000",), {"of": "share", "since": "2020-01-01", "until": "2020-02-01"}, None, 0),
    ("steps", ("steps = 1000",), {"of": "std"}, None, 1),
    ("steps", ("steps = 1000",), {"of": "trend"}, None, 1),
    # a metric that no source told
    ("rem_sleep", (), {}, None, 0),
    ("hrv_rmssd", (), {"of": "count"}, None, 0),
    ("steps", ("zone_minutes > 20",), {"of": "count"}, None, 0),
    ("steps", (), {"against": "resting_hr"}, None, 0),
]


def test_each_rule_gives_its_value(lived: tuple[Bridge, User]) -> None:
    for what, where, words, value, n in RULES:
        found = ask(lived, what, *where, **words)
        assert (found.value is None) == (value is None), (what, where, words, found.value)
        assert value is None or found.value == pytest.approx(value, rel=1e-12), (what, where, words)
        assert found.n == n, (what, where, words)
        assert bool(found.reason) == (value is None), (what, where, words)


def test_extremes_and_places_have_their_dates(lived: tuple[Bridge, User]) -> None:
    dates = {"min": "2025-12-22", "first": "2025-12-22", "max": "2026-01-11", "last": "2026-01-11", "mean": "None"}
    assert {of: str(ask(lived, "steps", of=of).at) for of in dates} == dates


def groups(found: Answer) -> dict[str, tuple[float | None, int]]:
    """Groups as key -> (value, number)."""
    return {one.key: (one.value, one.n) for one in found.groups}


def test_groups_go_across_the_year_by_iso_weeks(lived: tuple[Bridge, User]) -> None:
    by_week = groups(ask(lived, "nights", by="week"))
    assert by_week == {"2025-W52": (7, 7), "2026-W01": (7, 7), "2026-W02": (7, 7)}
    assert groups(ask(lived, "nights", by="month")) == {"2025-12": (10, 10), "2026-01": (11, 11)}
    assert groups(ask(lived, "steps", by="weekday", of="max"))["7"] == (21_000, 3)
    assert groups(ask(lived, "steps", by="day", since="2026-01-10")) == {
        "2026-01-10": (20_000, 1),
        "2026-01-11": (21_000, 1),
    }


def test_a_weekday_limits_the_days_without_a_workout_that_count_as_none(lived: tuple[Bridge, User]) -> None:
    whole = ask(lived, "workouts.minutes", of="mean", per="day")
    parts = [ask(lived, "workouts.minutes", f"weekday = {day}", of="mean", per="day") for day in range(1, 8)]
    assert sum(one.n for one in parts) == whole.n > 7 * min(one.n for one in parts)
    assert sum((one.value or 0) * one.n for one in parts) == pytest.approx((whole.value or 0) * whole.n)


def test_groups_of_sports_bear_the_normalised_name(lived: tuple[Bridge, User]) -> None:
    by_sport = groups(ask(lived, "workouts.minutes", by="sport", of="sum"))
    assert by_sport == {
        "running": (90, 2),
        "yoga": (45, 1),
        "outdoor cycling": (90, 1),
        "cycling": (60, 1),
        "kiting": (120, 1),
    }


def test_a_share_has_groups(lived: tuple[Bridge, User]) -> None:
    assert groups(ask(lived, "steps", "steps > 7000", of="share", by="week")) == {
        "2025-W52": (0, 6),
        "2026-W01": (1, 7),
        "2026-W02": (1, 7),
    }


def test_the_first_rows_are_taken_before_they_are_grouped(lived: tuple[Bridge, User]) -> None:
    assert groups(ask(lived, "workouts", first=3, by="week")) == {"2025-W52": (3, 3)}


def test_a_difference_is_with_minus_without(lived: tuple[Bridge, User]) -> None:
    found = ask(lived, "deep_sleep", against="weekday >= 6")
    assert found.value == pytest.approx(72.5 - 69)
    assert groups(found) == {"with": (72.5, 6), "without": (69, 15)}
    low, high = found.interval or (0, 0)
    assert low < found.value < high
    assert ask(lived, "deep_sleep", against="workout.sport = yoga").groups[0].n == 1
    assert ask(lived, "steps", against="workout.minutes > 50").n == 20
    assert ask(lived, "deep_sleep", against="steps > 90000").value is None
    after = ask(lived, "deep_sleep", against="before.workout.minutes > 0")
    assert groups(after)["with"] == ((61 + 62 + 66 + 70 + 74) / 5, 5)
    assert ask(lived, "deep_sleep", against="before.steps > 5000").n == 19


def test_spans_of_unlike_length_are_compared_by_their_days(lived: tuple[Bridge, User]) -> None:
    spans = {"since": "2025-12-22", "until": "2025-12-23", "against": "2025-12-24..2025-12-31"}
    counted = ask(lived, "workouts", of="mean", per="day", **spans)
    assert (counted.value, [(one.value, one.n) for one in counted.groups]) == (1.5 - 2 / 8, [(1.5, 2), (2 / 8, 8)])
    minutes = ask(lived, "workouts.minutes", of="mean", per="day", **spans)
    assert [one.value for one in minutes.groups] == [135 / 2, 150 / 8]
    assert minutes.interval is not None


def test_a_correlation_is_of_ranks_by_day(lived: tuple[Bridge, User]) -> None:
    found = ask(lived, "deep_sleep", against="steps")
    assert (found.value, found.n, found.unit) == (pytest.approx(1), 20, "correlation")
    part = ask(lived, "asleep", "weekday < 6", against="steps", last=6)
    assert part.n == 6
    assert part.interval is not None
    assert ask(lived, "workouts", against="steps").n == 20  # a day without a workout has none
    long = ask(lived, "workouts.minutes", "workout.start < 19:00", "workout.minutes > 45", against="steps")
    assert long.n == 3  # the conditions hold for the workouts whose minutes are added up, too


WRONG = [
    (["stps"], "steps"),
    (["hr"], "resting_hr"),
    (["workouts.minuts"], "workouts.minutes"),
    (["deep_sleep/aslep"], "asleep"),
    (["steps", "--of", "meen"], "mean"),
    (["steps", "--by", "wek"], "week"),
    (["steps", "--where", "wekday = 1"], "weekday"),
    (["steps", "--where", "steps"], "FIELD OP VALUE"),
    (["steps", "--where", "night.start > late"], "23:30"),
    (["steps", "--where", "workout.minutes ~ 5"], "number"),
    (["steps", "--since", "yesterday"], "2026-11-20"),
    (["steps", "--first", "0"], "1 to"),
    (["steps", "--of", "share"], "--where"),
    (["nights", "--of", "mean"], "counted"),
    (["steps", "--by", "sport"], "workouts"),
]


def test_what_is_no_query_exits_with_the_nearest_name(lived: tuple[Bridge, User]) -> None:
    for words, said in WRONG:
        with pytest.raises(SetupError, match=said):
            CliRunner().invoke(app, ["query", *words, "--user", "ana"], catch_exceptions=False)


def test_the_command_prints_all_parts_and_exits_well_over_nothing(lived: tuple[Bridge, User]) -> None:
    done = CliRunner().invoke(app, ["query", "rem_sleep", "--user", "ana", "--json"], catch_exceptions=False)
    told = json.loads(done.stdout)
    assert (done.exit_code, told["value"], told["n"], told["at"], told["interval"]) == (0, None, 0, None, None)
    assert "REM sleep" in told["reason"]
    done = CliRunner().invoke(app, ["query", "workouts", "--where", "workout.sport = golf", "--user", "ana", "--json"])
    assert (json.loads(done.stdout)["value"], json.loads(done.stdout)["reason"]) == (0, None)


def test_a_night_began_by_the_clock_of_its_begin(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    start, end = datetime(2026, 3, 28, 22, 10, tzinfo=UTC), datetime(2026, 3, 29, 5, 0, tzinfo=UTC)
    night = _episode("spring", EpisodeKind.SLEEP, start, end, {Metric.ASLEEP: 400.0})
    land(bridge.store, user, [replace(night, offset=120)])  # of summer time, which began at 02:00
    asked = [ask(lived, "nights", f"night.start > {clock}", since="2026-03-29").value for clock in ("23:05", "23:15")]
    assert asked == [1, 0]
    assert ask(lived, "nights", "night.end = 07:00", since="2026-03-29").value == 1


def test_a_night_without_minutes_asleep_counts_as_a_night(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    day = FIRST + timedelta(days=30)
    start = at(day - timedelta(days=1), "23:00")
    whole = _episode("bed", EpisodeKind.SLEEP, start, at(day, "06:00"), {Metric.IN_BED: 420.0})
    for others in ([], [_episode("again", EpisodeKind.SLEEP, at(FIRST, "00:15"), at(FIRST, "03:30"), {})]):
        land(bridge.store, user, [whole, *others])
        assert ask(lived, "nights", since=day.isoformat()).value == 1
        assert ask(lived, "nights").value == 22
        assert ask(lived, "in_bed").value == 420


def test_tasks_are_counted_by_day(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    today = NOW.astimezone(BERLIN).date()
    told: list[Item] = [
        Task(key="1", list="l", due=FIRST, completed=at(FIRST, "23:30")),
        Task(key="2", list="l", due=FIRST + timedelta(days=1), completed=at(FIRST + timedelta(days=2), "00:30")),
        Task(key="3", list="l", due=FIRST + timedelta(days=1)),
        Task(key="4", list="l", due=today + timedelta(days=1)),
    ]
    land(bridge.store, user, told)
    assert ask(lived, "tasks_done", of="sum").value == 2
    assert ask(lived, "tasks_done", of="sum", since=FIRST.isoformat(), until=FIRST.isoformat()).value == 1
    assert ask(lived, "tasks_due", of="sum", since=(today + timedelta(days=1)).isoformat()).value == 1
    assert ask(lived, "tasks_overdue", of="sum").value == 1
    assert ask(lived, "steps", "tasks_done > 0").n == 2


def test_titles_part_days_on_the_persons_own_surfaces_only(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    day = FIRST + timedelta(days=5)
    evening = at(day, "19:00")
    land(
        bridge.store,
        user,
        [
            Event(
                key="e", calendar="c", title="Rehearsals of the choir", start=evening, end=evening + timedelta(hours=1)
            )
        ],
    )
    words = Words(what="steps", where=["titled rehearsal > 0"])
    assert asking.typed(bridge, user, words, now=NOW, titles=True)[0].value == steps(5)
    with pytest.raises(SetupError):
        asking.typed(bridge, user, words, now=NOW)
    found, _ = asking.plain(bridge, user, "steps on choir days", now=NOW, titles=True)
    assert (found.value, found.n) == (steps(5), 1)
    within = Words(what="steps", where=["titled hear > 0"])  # of "rehearsal", and another word
    assert asking.typed(bridge, user, within, now=NOW, titles=True)[0].n == 0
    found, _ = asking.plain(bridge, user, "steps on court days", now=NOW, titles=True)
    assert found.value is None
    assert "court" in str(found.reason)


def test_tasks_and_entries_are_listed_with_their_titles(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    today = NOW.date()
    tasks = [
        Task(key="a", list="l", title="Tax", due=today + timedelta(days=2)),
        Task(key="b", list="l", title="Roof", due=today - timedelta(days=2)),
        Task(key="c", list="l", title="Hedge", completed=NOW - timedelta(days=1)),
    ]
    begin = NOW + timedelta(days=3)
    visit = Event(key="v", calendar="c", title="Dentist", start=begin, end=begin + timedelta(hours=1))
    land(bridge.store, user, [*tasks, visit])

    def listed(text: str) -> list[str]:
        groups = asking.plain(bridge, user, text, now=NOW, titles=True)[0].groups
        return [one.key.split(" ", 1)[1] for one in groups]

    assert listed("what do I need to get done") == ["Roof", "Tax"]
    assert listed("what did I tick off yesterday") == ["Hedge"]
    found, _ = asking.plain(bridge, user, "when is my next dentist appointment", now=NOW, titles=True)
    assert found.at == begin.date()
    words = Words(what="entries", where=["entry.title ~ dentist"], until=begin.date().isoformat())
    assert asking.typed(bridge, user, words, now=NOW, titles=True)[0].value == 1
    with pytest.raises(SetupError):
        asking.typed(bridge, user, words, now=NOW)
    bare = Words(what="tasks", by="row", where=["task.state = open"])
    assert not any("Tax" in one.key for one in asking.typed(bridge, user, bare, now=NOW)[0].groups)


def test_a_span_runs_since_the_only_entry_of_a_name(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    for day in (FIRST, FIRST + timedelta(days=2)):
        begin = at(day, "10:00")
        title = "Removal" if day == FIRST else "Choir"
        land(
            bridge.store,
            user,
            [Event(key=title, calendar="c", title=title, start=begin, end=begin + timedelta(hours=1))],
        )
    found, _ = asking.plain(bridge, user, "average steps since my removal", now=NOW, titles=True)
    assert found.query.since == FIRST
    found, _ = asking.plain(bridge, user, "average steps since I got the parrot", now=NOW, titles=True)
    assert (found.value, found.query.since) == (None, None)
    assert "parrot" in str(found.reason)


def test_meetings_are_the_entries_of_work_that_are_one(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    told = {"Gym": {}, "Dentist": {"others": 1}, "Team sync": {}, "Quarterly figures": {"others": 3}, "Deep work": {}}
    entries = []
    for hour, (title, of) in enumerate(told.items(), 9):
        start = at(FIRST, f"{hour:02}:00")
        entries.append(
            Event(key=title, calendar="c", title=title, start=start, end=start + timedelta(minutes=30), **of)
        )
    land(bridge.store, user, entries)
    found, _ = asking.plain(bridge, user, "how many meetings did I have", now=NOW)
    assert (found.value, found.unit, found.query.subject.name) == (2, "meetings", "meetings")
    assert str(sentences.said(found)).startswith("you had 2 meetings (work with others, or named a meeting or call)")
    assert asking.plain(bridge, user, "how many appointments did I have", now=NOW)[0].value == len(told)
    assert asking.plain(bridge, user, "how many hours of meetings did I have", now=NOW)[0].value == 60
    assert asking.plain(bridge, user, "steps on days with more than 1 meeting", now=NOW)[0].value == steps(0)
    assert asking.plain(bridge, user, "how many appointments started after 10:30", now=NOW)[0].value == 3
    earliest = asking.plain(bridge, user, "what was my earliest meeting", now=NOW)[0]
    assert (earliest.value, earliest.query.subject.name, earliest.at) == (11 * 60, "meetings.start", FIRST)
    by_title = asking.plain(bridge, user, "how often did I see the dentist", now=NOW, titles=True)[0]
    assert by_title.value == 1


def test_entries_ahead_are_spoken_of_as_ahead_with_their_minutes(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    begin = at(NOW.date() + timedelta(days=1), "10:00")
    land(
        bridge.store,
        user,
        [
            Event(key="v", calendar="c", title="Dentist", start=begin, end=begin + timedelta(minutes=40)),
            Event(key="w", calendar="c", title="Fair", first_day=begin.date(), last_day=begin.date()),
        ],
    )
    found, _ = asking.plain(bridge, user, "what do I have tomorrow", now=NOW)
    assert (found.value, found.column) == (2, "min")
    assert sorted((one.unit or "", found.in_column(one)) for one in found.groups) == [("", None), ("min", 40.0)]
    assert (told := sentences.said(found)) is not None
    assert told.startswith("you have 2 calendar entries, ")
    assert told.in_language("de").startswith("du hast 2 Kalendereinträge, ")
    assert told.in_language("fr").startswith("tu as 2 entrées de calendrier, ")
    over, _ = asking.plain(bridge, user, "how many appointments did I have last week", now=NOW)
    assert str(sentences.said(over)) == "no calendar of yours reaches back that far."
    printed = CliRunner().invoke(app, ["ask", "what do I have tomorrow", "--user", "ana"]).output
    assert "┃ min ┃" in printed


def test_an_entry_of_several_days_is_of_each_of_them_and_counted_once(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    monday = NOW.date() - timedelta(days=NOW.weekday() + 7)  # of last week
    trip, night = at(monday + timedelta(days=1), "08:00"), at(monday, "21:00")
    talks = {title: at(monday + timedelta(days=2), f"{hour}:00") for hour, title in ((10, "Standup"), (19, "Theatre"))}
    land(
        bridge.store,
        user,
        [
            Event(key="t", calendar="c", title="Deep work retreat", start=trip, end=trip + timedelta(hours=58)),
            Event(key="n", calendar="c", title="Party", start=night, end=night + timedelta(hours=4)),
            *(Event(key=k, calendar="c", title=k, start=v, end=v + timedelta(hours=1)) for k, v in talks.items()),
        ],
    )

    def told(text: str) -> Answer:
        return asking.plain(bridge, user, text, now=NOW, titles=True)[0]

    dates = (monday + timedelta(days=k) for k in range(5))
    days = [told(f"how many appointments did I have on {day:%-d %B %Y}").value for day in dates]
    assert days == [1, 1, 3, 1, 0]  # the party is of the evening on which it began
    week = "last week"
    assert told(f"how many appointments did I have {week}").value == 4
    (listed,) = [one for one in told(f"list my appointments {week}").groups if "retreat" in one.key]
    assert listed.value == 58 * 60
    assert told(f"how many hours of focused work did I have {week}").value in (None, 0)  # nobody works at night
    assert told(f"how many free evenings did I have {week}").value == 4
    days_off = Event(key="b", calendar="c", title="Business trip", start=NOW - DAY, end=NOW + 2 * DAY)
    land(bridge.store, user, [days_off])
    assert "from 27 Nov 2026 to 30 Nov 2026" in str(sentences.said(told("when is my business trip")))


def test_what_no_source_tells_is_not_said_to_be_zero(lived: tuple[Bridge, User]) -> None:
    bridge, _ = lived
    other = bridge.store.people.add_user("ben", "Europe/Berlin", now=NOW)
    steps_only = [Sample(key="s", metric=Metric.STEPS, start=at(FIRST, "00:00"), day=FIRST, value=1.0)]
    land(bridge.store, other, steps_only)
    for text, what in (
        ("how many workouts did I do in the last 7 days", "workouts"),
        ("how many workouts a week", "workouts"),
        ("how many appointments did I have in the last 7 days", "calendar entries"),
        ("how many meetings did I have in the last 7 days", "calendar entries"),
        ("what do I have tomorrow", "calendar entries"),
    ):
        found, _ = asking.plain(bridge, other, text, now=NOW)
        assert (found.value, found.groups) == (0, ())
        assert str(sentences.said(found)) == f"none of your sources told {what}."
    printed = CliRunner().invoke(app, ["query", "workouts", "--user", "ben"]).output
    assert printed == "none of your sources told workouts\n"
    either = ask(lived, "workouts", "workout.sport = golf|running", by="week")
    assert (either.value, either.untold, len(either.groups)) == (2, None, 1)
    for text in ("how often did I play tennis", "when did I last play tennis"):
        found, _ = asking.plain(*lived, text, now=NOW)
        assert str(sentences.said(found) or found.reason).startswith("none of your sources told a workout of tennis")
    none, _ = asking.plain(*lived, "how many workouts did I do yesterday", now=NOW)
    assert str(sentences.said(none)).startswith("you did 0 workouts")  # a watch that tells workouts told none


def test_a_count_under_a_condition_on_a_figure_that_was_never_told_is_null(lived: tuple[Bridge, User]) -> None:
    reason = "none of your sources told average heart rate of workouts"
    for what, words in (("workouts", {}), ("days", {}), ("workouts.average_hr", {"of": "count"}), ("steps", {})):
        found = ask(lived, what, "workout.average_hr < 150", **words)
        assert (found.value, str(found.reason)) == (None, reason), what
    found, _ = asking.plain(*lived, "number of runs with an average heart rate below 150", now=NOW)
    assert (found.value, str(found.reason)) == (None, f"{reason}, for running")
    for condition in ("workout.distance > 90000", "workout.minutes > 900"):  # which is told
        found = ask(lived, "workouts", condition)
        assert (found.value, found.reason, found.untold) == (0, None, None)
    found = ask(lived, "workouts", "workout.sport = yoga", "workout.ascent < 50")  # of which runs are told
    assert (found.value, str(found.untold)) == (0, "none of your sources told ascent of workouts, for yoga")


def test_the_figures_of_one_answer_agree(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    for day, asleep in ((1, 384.4), (2, 370.6)):  # told as 6 h 24 min and 6 h 11 min
        start = at(FIRST - day * DAY, "00:00")
        values = {Metric.ASLEEP: asleep}
        land(bridge.store, user, [_episode(f"n{day}", EpisodeKind.SLEEP, start, start + timedelta(hours=8), values)])
    days = [(FIRST - day * DAY).isoformat() for day in (1, 2)]
    found = ask(lived, "asleep", since=days[0], until=days[0], against=f"{days[1]}..{days[1]}")
    assert "so 13 min apart" in str(sentences.said(found))
    shortest, tables = asking.plain(*lived, "lowest workout distance in km", now=NOW)
    assert shortest.value == 0
    assert str(query_command._chart(shortest, tables)).endswith(", 0 to 30,000")


def test_all_groups_with_the_highest_figure_are_named(lived: tuple[Bridge, User]) -> None:
    told = str(sentences.said(ask(lived, "workouts", "workout.sport = cycling|running", by="week")))
    assert "the highest is week 52 of 2025" in told
    told = str(sentences.said(ask(lived, "workouts", "workout.minutes > 80", by="week")))
    assert "the highest is week 52 of 2025, week 1 of 2026 with 1" in told


def test_a_peak_is_told_of_workouts_during_which_the_heart_was_read_often(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    first = at(FIRST, "07:00")
    read = [
        Sample(key=f"hr/{n}", metric=Metric.HEART_RATE, start=first + timedelta(minutes=n), day=FIRST, value=100.0 + n)
        for n in range(600)
    ]
    land(bridge.store, user, read)
    found = ask(lived, "workouts.max_hr", of="max")
    assert (found.value, found.n, found.at) == (130.0, 1, FIRST)


def test_stress_is_asked_of_the_figure_that_a_source_tells(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    assert asking.plain(bridge, user, "average stress", now=NOW)[0].reason == "none of your sources told stress"
    start = at(FIRST, "00:00")
    for metric, value in ((Metric.STRESS_MANAGEMENT, 70.0), (Metric.DAILY_STRESS, 30.0)):
        land(bridge.store, user, [Sample(key=str(metric), metric=metric, start=start, day=FIRST, value=value)])
        assert asking.plain(bridge, user, "average stress", now=NOW)[0].value == value
    assert asking.plain(bridge, user, "steps on days with stress above 20", now=NOW)[0].value == steps(0)


def test_a_slope_has_an_interval_from_ten_values_of_two_days_on() -> None:
    days, values = [1, 2] * 5, [float(n * n % 7) for n in range(10)]
    assert statistics.slope_interval(days, values) is not None
    assert statistics.slope_interval(days[1:], values[1:]) is None
    assert statistics.slope_interval([1] * 10, values) is None


def test_workouts_of_a_sport_are_counted_by_day(lived: tuple[Bridge, User]) -> None:
    span = {"since": FIRST.isoformat(), "until": (FIRST + (DAYS - 1) * DAY).isoformat()}
    assert ask(lived, "days", "workouts.running = 0", **span).value == DAYS - 2
    assert ask(lived, "days", "workouts.running|yoga > 1", **span).value == 1
    assert ask(lived, "days", "before.workouts.running > 0", **span).value == 2
    assert ask(lived, "steps", "workouts.running > 0").value == (steps(0) + steps(1)) / 2
    found = ask(lived, "steps", "workouts.running = 0")
    assert "on days without running" in str(sentences.said(found))
    for field in ("workouts.runing", "workouts.minutes", "workouts.running|knitting"):
        with pytest.raises(SetupError, match="is not a field"):
            query_of(Words(what="days", where=[f"{field} = 0"]))
