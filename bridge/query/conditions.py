"""Test whether the conditions of a query hold for a row."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, partial
from typing import Any

from bridge.domain import sports
from bridge.query.exposures import has_words
from bridge.query.model import CLOCKS, COMPARED, ENTRY_FIELDS, LATEST, TASK_STATE, Condition, Kind
from bridge.query.tables import Row, Tables

NOON, DAY_MINUTES = 12 * 60, 24 * 60
Test = Callable[[Row], bool]


def test_of(conditions: Sequence[Condition], tables: Tables, kind: Kind) -> Test | None:
    """Return a function that tests whether a row meets all conditions, or None without conditions.

    Conditions on the day before are tested on that day.
    """
    now = _test_of_row([condition for condition in conditions if not condition.of_day_before], tables, kind)
    before = _test_of_row([condition for condition in conditions if condition.of_day_before], tables, Kind.DAYS)
    if before is None:
        return now
    return lambda row: (now is None or now(row)) and before(Row(day=row.day - timedelta(days=1)))


def _test_of_row(conditions: Sequence[Condition], tables: Tables, kind: Kind) -> Test | None:
    """Return a function that tests a row. Conditions on workouts must hold for the same workout of a day."""
    tests = [_test_of_day(condition, tables, kind) for condition in conditions if not condition.of_workout]
    of_workout = [_test_of_workout(condition) for condition in conditions if condition.of_workout]
    if kind is Kind.WORKOUTS:
        tests += of_workout
    elif of_workout:
        days = {workout.day for workout in filter(_every(of_workout), tables.workouts)}
        tests.append(lambda row: row.day in days)
    return _every(tests) if tests else None


def _every(tests: Sequence[Test]) -> Test:
    return tests[0] if len(tests) == 1 else lambda row: all(test(row) for test in tests)


def _test_of_day(one: Condition, tables: Tables, kind: Kind) -> Test:
    compared_to = compared(one)
    if one.name == "weekday":
        return lambda row: compared_to(row.day.isoweekday())
    if one.name == "action":
        return lambda row: _named(
            one, [entry.name or "" for entry in ([row] if kind is Kind.ENTRIES else tables.planned_on.get(row.day, ()))]
        )
    if one.name == "night.end":
        return lambda row: (night := tables.nights.get(row.day)) is not None and compared_to(night.end)
    if one.name == "night.start":
        # From noon on, so that half past midnight is later than eleven in the evening.
        compared_to = compared(replace(one, values=tuple(from_noon(float(value)) for value in one.values)))
        return lambda row: (night := tables.nights.get(row.day)) is not None and compared_to(from_noon(night.start))
    if one.name == "entry.title":
        has = has_words(str(one.value))
        return lambda row: has(row.title)
    if one.name == TASK_STATE:
        states = {*one.values} | ({"overdue"} if "open" in one.values else set())  # what is overdue is open still
        undated = "undated" in states  # of open tasks, which have no day
        return lambda row: (row.name in states or (undated and row.day == date.max)) is (one.operator != "!=")
    if one.name in ENTRY_FIELDS:
        field = one.name.removeprefix("entry.")
        if field == "start":  # an entry of several days is there from the begin to the end of its part of the day
            clocks = ("start", LATEST)
            return lambda row: any(compared_to(row.values[clock]) for clock in clocks if clock in row.values)
        return lambda row: (value := row.values.get(field)) is not None and compared_to(value)
    values = tables.by_day(one.name)
    return lambda row: (value := values.get(row.day)) is not None and compared_to(value)


def compared(one: Condition) -> Callable[[Any], bool]:
    """Return a function that tests a value against a condition."""
    if len(one.values) > 1:
        return lambda value: (value in one.values) is (one.operator == "=")
    test: Callable[[Any, Any], bool] = COMPARED.get(one.operator, operator.eq)
    asked = one.value
    return lambda value: test(value, asked)


def from_noon(minutes: float) -> float:
    """Return minutes after midnight as minutes after noon, by which nights are compared."""
    return (minutes - NOON) % DAY_MINUTES


def _named(one: Condition, names: Sequence[str]) -> bool:
    if one.operator == "~":
        return any(str(one.value).casefold() in name.casefold() for name in names)
    return any(value in names for value in one.values) is (one.operator == "=")


def _test_of_workout(one: Condition) -> Test:
    name = one.name.removeprefix("workout.")
    if name == "sport":
        named = cache(partial(_is_named, one))
        return lambda workout: named(workout.name)
    compared_to = compared(one)
    if name in CLOCKS:
        return lambda workout: compared_to(getattr(workout, name))
    return lambda workout: (value := workout.values.get(name)) is not None and compared_to(value)


def _is_named(one: Condition, label: str | None) -> bool:
    asked = str(one.value)
    if one.operator == "~":
        return any(asked.casefold() in word.casefold() for word in sports.names(label or ""))
    return any(sports.is_sport(label, str(value)) for value in one.values) is (one.operator == "=")
