"""Each rule of the typed query, over a life of three weeks that can be read at a glance."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import EpisodeKind
from bridge.installation import Bridge
from bridge.query import said as sentences
from bridge.query.answered import Answer
from tests.query.life import DAYS, FIRST, ask, at, episode, lived, steps
from tests.query.wearer import land

__all__ = ["lived"]

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
    # of frequent readings, the highest and lowest are those of single ones
    ("heart_rate", (), {"of": "max"}, 95, 1),
    ("heart_rate", (), {"of": "min"}, 60, 1),
    ("heart_rate", (), {"of": "max", "since": "2025-12-23"}, None, 0),
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
    assert "in all" not in str(sentences.said(counted))
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
    night = episode("spring", EpisodeKind.SLEEP, start, end, {Metric.ASLEEP: 400.0})
    land(bridge.store, user, [replace(night, offset=120)])  # of summer time, which began at 02:00
    asked = [ask(lived, "nights", f"night.start > {clock}", since="2026-03-29").value for clock in ("23:05", "23:15")]
    assert asked == [1, 0]
    assert ask(lived, "nights", "night.end = 07:00", since="2026-03-29").value == 1


def test_a_night_without_minutes_asleep_counts_as_a_night(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    day = FIRST + timedelta(days=30)
    start = at(day - timedelta(days=1), "23:00")
    whole = episode("bed", EpisodeKind.SLEEP, start, at(day, "06:00"), {Metric.IN_BED: 420.0})
    for others in ([], [episode("again", EpisodeKind.SLEEP, at(FIRST, "00:15"), at(FIRST, "03:30"), {})]):
        land(bridge.store, user, [whole, *others])
        assert ask(lived, "nights", since=day.isoformat()).value == 1
        assert ask(lived, "nights").value == 22
        assert ask(lived, "in_bed").value == 420
