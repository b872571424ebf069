"""Figures that no source tells, that agree, and that are told of some workouts only."""

from __future__ import annotations

from datetime import timedelta

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.cli import query as query_command
from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import EpisodeKind, Sample
from bridge.installation import Bridge
from bridge.query import asking, statistics
from bridge.query import said as sentences
from bridge.query.parse import Words, query_of
from tests.query.life import DAY, DAYS, FIRST, ask, at, episode, lived, steps
from tests.query.wearer import NOW, land

__all__ = ["lived"]


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
        land(bridge.store, user, [episode(f"n{day}", EpisodeKind.SLEEP, start, start + timedelta(hours=8), values)])
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


def test_a_difference_of_so_few_days_says_that_it_may_be_chance(lived: tuple[Bridge, User]) -> None:
    values = sorted(group.value or 0.0 for group in ask(lived, "steps", by="day").groups)
    for least, few in ((values[-3], True), (values[len(values) // 2], False)):
        found = ask(lived, "asleep", against=f"steps > {least}")
        assert found.value is not None
        assert (found.interval is None, found.meant is not None) == (few, few)


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
