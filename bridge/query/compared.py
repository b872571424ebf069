"""Compare two sides of a query: a correlation, or the difference that a condition or another span makes."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from statistics import fmean

from bridge.domain.languages import Text, say
from bridge.query import statistics
from bridge.query.answered import Answer, Group
from bridge.query.conditions import test_of
from bridge.query.model import AVERAGED, WORKOUT_UNITS, Aggregate, Condition, Kind, Query, Span, Subject
from bridge.query.reduced import FIGURES, held, periods, reduced, rows_of, taken, told, unit_of, values_of
from bridge.query.tables import Row, Tables
from bridge.query.understood import sides_said

AVERAGES = (Aggregate.MEAN, Aggregate.MEDIAN)
DIFFERENCE_LEAST = 4  # values with and without; two or three that are alike by chance give a narrow interval
TOO_FEW = say("of so few values nothing tells whether this is chance")


def correlation(query: Query, other: Subject, tables: Tables) -> Answer:
    """Return the rank correlation by day of the query's subject with another one."""
    one, two = (_held_by_day(part, tables, query) for part in (query.subject, other))
    if query.subject.counted or other.counted:
        one, two = _with_zeros(query.subject, one, two), _with_zeros(other, two, one)
    days = taken(query, sorted(one.keys() & two.keys()))
    found = statistics.rank_correlation([one[day] for day in days], [two[day] for day in days])
    reason = None if found else say("a correlation needs days on which both are known and differ")
    return Answer(
        query=query,
        value=found[0] if found else None,
        unit=unit_of(query),
        n=len(days),
        interval=found[1] if found else None,
        reason=reason,
    )


def _held_by_day(subject: Subject, tables: Tables, query: Query) -> dict[date, float]:
    if subject.kind in (Kind.DAYS, Kind.ENTRIES) and not query.where and (days := tables.by_day(subject.name)):
        since, until = query.since or date.min, query.until or date.max
        return {day: value for day, value in days.items() if since <= day <= until}  # entries: with 0 on days without
    values: dict[date, list[float]] = {}
    field = "value" if subject.kind is Kind.DAYS else subject.field
    for row in filter(test_of(query.where, tables, subject.kind), rows_of(subject, tables, query)):
        values.setdefault(row.day, []).append(1.0 if field is None else row.values[field])
    return {day: fmean(some) if field in AVERAGED else sum(some) for day, some in values.items()}


def _with_zeros(subject: Subject, counts: dict[date, float], other: Mapping[date, float]) -> dict[date, float]:
    return {**dict.fromkeys(other, 0.0), **counts} if subject.counted else counts


def difference(query: Query, split: Condition, rows: Sequence[Row], tables: Tables) -> Answer:
    """Return the figure of the rows that meet a condition minus that of the others."""
    kept = taken(query, held(query, rows, tables))
    if (known := _known_days(split, tables)) is not None:
        kept = [row for row in kept if row.day - timedelta(days=split.of_day_before) in known]
    figure = split.field.removeprefix("workout.")
    if query.subject.kind is Kind.WORKOUTS and split.of_workout and figure in WORKOUT_UNITS:
        kept = [row for row in kept if figure in row.values]  # of others, nothing says on which side they are
    sides: tuple[list[Row], list[Row]] = ([], [])
    with_it = test_of([split], tables, query.subject.kind)
    for row in kept:
        sides[with_it is not None and not with_it(row)].append(row)
    found = minus(query, sides, ("with", "without"))
    few = query.of in AVERAGES and found.value is not None and min(map(len, sides)) < DIFFERENCE_LEAST
    return replace(found, interval=None, meant=TOO_FEW) if few else found


def change(query: Query, other: Span, rows: Sequence[Row], tables: Tables) -> Answer:
    """Return the query's figure in its own span minus the figure in the other span."""
    then = replace(query, since=other.since, until=other.until)
    ours, theirs = (
        list(taken(query, periods(one, kept, tables) if query.per else kept))
        for one, some in ((query, rows), (then, rows_of(query.subject, tables, then)))
        for kept in [held(query, some, tables)]
    )
    return minus(query, (ours, theirs), (Span(query.since, query.until).text, other.text))


def minus(query: Query, sides: tuple[list[Row], list[Row]], keys: tuple[str, str]) -> Answer:
    """Return the figure of one side minus the figure of the other, with its interval and both sides as groups."""
    figures = [reduced(query, side)[0] for side in sides]
    value = None if figures[0] is None or figures[1] is None else figures[0] - figures[1]
    numbers = [[value for _, value in values_of(query, side)] for side in sides]
    interval = None
    if value is not None and query.of is Aggregate.MEAN:
        interval = statistics.mean_difference(numbers[0], numbers[1])
    elif value is not None and query.of in FIGURES:
        interval = statistics.resampled_difference(numbers[0], numbers[1], str(query.of))
    plain = replace(query, against=None)
    unit = None if (own := unit_of(plain)) == unit_of(query) else own
    groups = tuple(
        Group(key=key, value=told(figure, plain), n=len(side), unit=unit)
        for key, figure, side in zip(keys, figures, sides, strict=True)
    )
    return Answer(
        query=query,
        value=value,
        unit=unit_of(query),
        n=sum(map(len, sides)),
        groups=groups,
        interval=interval,
        reason=None if value is not None else _missing(query, *map(len, sides)),
    )


def _missing(query: Query, one: int, other: int) -> Text:
    """Return how many values each side of a comparison has, of which one has too few."""
    first, second = sides_said(query)
    return say(
        "a difference needs values of both sides; there are {one} {first}, and {other} {second}",
        one=one,
        first=first,
        other=other,
        second=second,
    )


def _known_days(split: Condition, tables: Tables) -> Container[date] | None:
    """Return the days for which a condition's field is known, or None for all days."""
    if split.name in ("weekday", "action") or split.of_workout:
        return None
    return tables.nights if split.name.startswith("night.") else tables.by_day(split.name)
