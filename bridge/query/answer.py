"""Answer a query from its rows: conditions, grouping, aggregate, comparison."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, partial
from math import fsum, sqrt
from statistics import fmean, median
from typing import Any, TypeVar

from bridge.domain import sports
from bridge.domain.languages import Text, say
from bridge.query import statistics
from bridge.query.model import AVERAGED, COMPARED, Aggregate, By, Condition, Kind, Query, Subject
from bridge.query.rows import Row, Tables

NOON, DAY_MINUTES = 12 * 60, 24 * 60
DAY_PLACE = Row._fields.index("day")
Value = tuple[date, float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figure of the rows with the same key."""

    key: str
    value: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The figure of a query, with the number of rows that it rests on (``n``).

    ``at`` is the date of a lowest, highest, first or last value. ``value`` is None where ``reason`` says why.
    """

    query: Query
    value: float | None
    unit: str
    n: int
    at: date | None = None
    groups: tuple[Group, ...] = ()
    interval: tuple[float, float] | None = None
    reason: Text | None = None
    translated_by: str | None = None  # the language model that read the query in a plain question


def answer(query: Query, tables: Tables) -> Answer:
    """Return the answer to a query from the rows it rests on."""
    untold = sorted(_metrics(query) & tables.untold)
    if untold:
        none = say("none of your sources told {what}", what=", ".join(untold))
        return Answer(query=query, value=None, unit=_unit(query), n=0, reason=none)
    if isinstance(query.against, Subject):
        return _correlation(query, query.against, tables)
    rows = _rows(query.subject, tables, query)
    if query.of is Aggregate.SHARE:
        return _share(query, _taken(query, rows), tables)
    if isinstance(query.against, Condition):
        return _difference(query, query.against, rows, tables)
    kept = _taken(query, list(filter(_test(query.where, tables, query.subject.kind), rows)))
    value, at, reason = _figure(query, kept)
    return Answer(
        query=query,
        value=value,
        unit=_unit(query),
        n=len(kept),
        at=at,
        groups=tuple(_groups(query, kept)),
        reason=reason or _why_none(query, tables, value),
    )


def _metrics(query: Query) -> set[str]:
    """Return the names of all that a query compares or makes a figure of."""
    names = [*(part.name for part in query.subjects), *(part.name for part in query.conditions)]
    return {part for name in names for part in name.split("/")}


def _unit(query: Query) -> str:
    if isinstance(query.against, Subject):
        return "correlation"
    if query.of is Aggregate.SHARE:
        return "share"
    if query.of is Aggregate.COUNT:
        return str(query.subject.kind)
    return f"{query.subject.unit} a week" if query.of is Aggregate.TREND else query.subject.unit


def _why_none(query: Query, tables: Tables, value: float | None) -> Text | None:
    if value is not None:
        return None
    if query.subject.kind is Kind.DAYS and not tables.by_day(query.subject.name):
        return say("nothing of {what} is stored in that span", what=query.subject.name)
    return say("no row is left of which the figure could be made")


def _rows(subject: Subject, tables: Tables, query: Query) -> list[Row]:
    found: Iterable[Row]
    if subject.kind is Kind.DAYS:
        found = (Row(day, {"value": value}) for day, value in tables.by_day(subject.name).items())
    else:
        of_kind: Mapping[Kind, Iterable[Row]] = {
            Kind.NIGHTS: tables.nights.values(),
            Kind.WORKOUTS: tables.workouts,
            Kind.ENTRIES: tables.entries,
        }
        found = of_kind[subject.kind]
        if subject.field is not None:
            found = (row for row in found if subject.field in row.values)
    if query.since or query.until:
        since, until = query.since or date.min, query.until or date.max
        found = (row for row in found if since <= row.day <= until)
    return sorted(found, key=operator.itemgetter(DAY_PLACE))


def _taken(query: Query, rows: Sequence[T]) -> Sequence[T]:
    if query.first is not None:
        return rows[: query.first]
    return rows if query.last is None else rows[-query.last :]


Test = Callable[[Row], bool]


def _test(conditions: Sequence[Condition], tables: Tables, kind: Kind) -> Test | None:
    """Return the test whether all conditions hold for a row, or for the day before it where they ask for that."""
    now = _test_of_row([one for one in conditions if not one.of_day_before], tables, kind)
    before = _test_of_row([one for one in conditions if one.of_day_before], tables, Kind.DAYS)
    if before is None:
        return now
    return lambda row: (now is None or now(row)) and before(Row(day=row.day - timedelta(days=1)))


def _test_of_row(conditions: Sequence[Condition], tables: Tables, kind: Kind) -> Test | None:
    """Return the test whether all hold for a row. Of a day, those on workouts must hold for one and the same."""
    tests = [_test_of_day(one, tables, kind) for one in conditions if not one.of_workout]
    of_workout = [_test_of_workout(one) for one in conditions if one.of_workout]
    if kind is Kind.WORKOUTS:
        tests += of_workout
    elif of_workout:
        days = {workout.day for workout in tables.workouts if all(test(workout) for test in of_workout)}
        tests.append(lambda row: row.day in days)
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda row: all(test(row) for test in tests)


def _test_of_day(one: Condition, tables: Tables, kind: Kind) -> Test:
    compared: Callable[[Any, Any], bool] = COMPARED.get(one.operator, operator.eq)
    if one.name == "weekday":
        return lambda row: compared(row.day.isoweekday(), one.value)
    if one.name == "action":
        return lambda row: _named(
            one, [entry.name or "" for entry in ([row] if kind is Kind.ENTRIES else tables.planned_on.get(row.day, ()))]
        )
    if one.name == "night.end":
        return lambda row: (night := tables.nights.get(row.day)) is not None and compared(night.end, one.value)
    if one.name == "night.start":
        # From noon on, so that half past midnight is later than eleven in the evening.
        asked = _from_noon(float(one.value))
        return lambda row: (
            (night := tables.nights.get(row.day)) is not None and compared(_from_noon(night.start), asked)
        )
    values = tables.by_day(one.name)
    return lambda row: (value := values.get(row.day)) is not None and compared(value, one.value)


def _from_noon(minutes: float) -> float:
    return (minutes - NOON) % DAY_MINUTES


def _named(one: Condition, names: Sequence[str]) -> bool:
    if one.operator == "~":
        return any(str(one.value).casefold() in name.casefold() for name in names)
    return (one.value in names) is (one.operator == "=")


def _test_of_workout(one: Condition) -> Test:
    name = one.name.removeprefix("workout.")
    if name == "sport":
        named = cache(partial(_is_named, one))
        return lambda workout: named(workout.name)
    compared = COMPARED[one.operator]
    if name in ("start", "end"):
        return lambda workout: compared(getattr(workout, name), one.value)
    return lambda workout: (value := workout.values.get(name)) is not None and compared(value, one.value)


def _is_named(one: Condition, label: str | None) -> bool:
    asked = str(one.value)
    if one.operator == "~":
        return any(asked.casefold() in word.casefold() for word in sports.names(label or ""))
    return sports.is_sport(label, asked) is (one.operator == "=")


def _values(query: Query, rows: Sequence[Row]) -> list[Value]:
    field = "value" if query.subject.kind is Kind.DAYS else query.subject.field
    return [(row.day, 1.0 if field is None else row.values[field]) for row in rows]


def _figure(query: Query, rows: Sequence[Row]) -> tuple[float | None, date | None, Text | None]:
    values = _values(query, rows)
    if query.of is Aggregate.COUNT:
        return len(values), None, None
    if not values:
        return None, None, None
    numbers = [value for _, value in values]
    if query.of in (Aggregate.MIN, Aggregate.MAX):
        best = (min if query.of is Aggregate.MIN else max)(numbers)
        return best, next(day for day, value in values if value == best), None
    if query.of in (Aggregate.FIRST, Aggregate.LAST):
        day, value = values[0 if query.of is Aggregate.FIRST else -1]
        return value, day, None
    if query.of is Aggregate.TREND:
        return _trend(values)
    if query.of is Aggregate.STD and len(numbers) < 2:
        return None, None, say("a spread needs at least two values")
    return FIGURES[query.of](numbers), None, None


def _spread(numbers: Sequence[float]) -> float:
    middle = fmean(numbers)  # ``statistics.stdev`` reckons in fractions, which takes ten times as long
    return sqrt(fsum((one - middle) ** 2 for one in numbers) / (len(numbers) - 1))


FIGURES: Mapping[Aggregate, Callable[[Sequence[float]], float]] = {
    Aggregate.MEAN: fmean,
    Aggregate.MEDIAN: median,
    Aggregate.SUM: sum,
    Aggregate.STD: _spread,
    Aggregate.MIN: min,
    Aggregate.MAX: max,
}


def _trend(values: Sequence[Value]) -> tuple[float | None, date | None, Text | None]:
    days = [day.toordinal() for day, _ in values]
    middle, level = fmean(days), fmean([value for _, value in values])
    spread = sum((day - middle) ** 2 for day in days)
    if spread == 0:
        return None, None, say("a trend needs values of at least two days")
    slope = sum((day.toordinal() - middle) * (value - level) for day, value in values) / spread
    return 7 * slope, None, None


def _groups(query: Query, rows: Sequence[Row]) -> Iterable[Group]:
    if query.by is None:
        return
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(_key(query.by, row), []).append(row)
    for key, some in sorted(groups.items()):
        yield Group(key=key, value=_figure(query, some)[0], n=len(some))


def _key(by: By, row: Row) -> str:
    year, week, weekday = row.day.isocalendar()
    if by is By.SPORT:
        return sports.normalised(row.name or "")
    return {
        By.DAY: row.day.isoformat(),
        By.WEEK: f"{year}-W{week:02}",
        By.MONTH: f"{row.day:%Y-%m}",
        By.WEEKDAY: str(weekday),
        By.ACTION: row.name or "",
    }[by]


def _share(query: Query, rows: Sequence[Row], tables: Tables) -> Answer:
    """Return the share of the subject's rows for which the conditions hold. What a row lacks does not hold."""
    test = _test(query.where, tables, query.subject.kind)
    held = [test is None or test(row) for row in rows]
    groups: dict[str, list[bool]] = {}
    for row, holds in zip(rows, held, strict=True):
        if query.by is not None:
            groups.setdefault(_key(query.by, row), []).append(holds)
    value = fmean(held) if held else None
    return Answer(
        query=query,
        value=value,
        unit=_unit(query),
        n=len(held),
        groups=tuple(Group(key=k, value=fmean(some), n=len(some)) for k, some in sorted(groups.items())),
        reason=_why_none(query, tables, value),
    )


def _correlation(query: Query, other: Subject, tables: Tables) -> Answer:
    one, two = (_held_by_day(part, tables, query) for part in (query.subject, other))
    if query.subject.counted or other.counted:
        one, two = _with_zeros(query.subject, one, two), _with_zeros(other, two, one)
    days = _taken(query, sorted(one.keys() & two.keys()))
    found = statistics.rank_correlation([one[day] for day in days], [two[day] for day in days])
    reason = None if found else say("a correlation needs days on which both are known and differ")
    return Answer(
        query=query,
        value=found[0] if found else None,
        unit=_unit(query),
        n=len(days),
        interval=found[1] if found else None,
        reason=reason,
    )


def _held_by_day(subject: Subject, tables: Tables, query: Query) -> dict[date, float]:
    """Return local day -> the figure of the subject's rows for which the conditions hold."""
    values: dict[date, list[float]] = {}
    field = "value" if subject.kind is Kind.DAYS else subject.field
    for row in filter(_test(query.where, tables, subject.kind), _rows(subject, tables, query)):
        values.setdefault(row.day, []).append(1.0 if field is None else row.values[field])
    return {day: fmean(some) if field in AVERAGED else sum(some) for day, some in values.items()}


def _with_zeros(subject: Subject, counts: dict[date, float], other: Mapping[date, float]) -> dict[date, float]:
    return {**dict.fromkeys(other, 0.0), **counts} if subject.counted else counts


def _difference(query: Query, split: Condition, rows: Sequence[Row], tables: Tables) -> Answer:
    kept = _taken(query, list(filter(_test(query.where, tables, query.subject.kind), rows)))
    if (known := _known_days(split, tables)) is not None:
        kept = [row for row in kept if row.day - timedelta(days=split.of_day_before) in known]
    sides: tuple[list[Row], list[Row]] = ([], [])
    with_it = _test([split], tables, query.subject.kind)
    for row in kept:
        sides[with_it is not None and not with_it(row)].append(row)
    figures = [_figure(query, side)[0] for side in sides]
    value = None if figures[0] is None or figures[1] is None else figures[0] - figures[1]
    numbers = [[value for _, value in _values(query, side)] for side in sides]
    interval = None
    if value is not None and query.of is Aggregate.MEAN:
        interval = statistics.mean_difference(numbers[0], numbers[1])
    elif value is not None and query.of in FIGURES:
        interval = statistics.resampled_difference(numbers[0], numbers[1], str(query.of))
    reason = None if value is not None else say("a difference needs values with and without it")
    keys = ("with", "without")
    groups = tuple(Group(key=k, value=f, n=len(side)) for k, f, side in zip(keys, figures, sides, strict=True))
    return Answer(
        query=query,
        value=value,
        unit=query.subject.unit,
        n=len(kept),
        groups=groups,
        interval=interval,
        reason=reason,
    )


def _known_days(split: Condition, tables: Tables) -> Container[date] | None:
    """Return the days of which a condition can be told, or None for all days."""
    if split.name in ("weekday", "action") or split.of_workout:
        return None
    return tables.nights if split.name.startswith("night.") else tables.by_day(split.name)
