"""Answer a query from its rows: conditions, grouping, aggregate, comparison."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import fsum, sqrt
from statistics import fmean, median
from typing import TypeVar

from bridge.domain import sports
from bridge.domain.languages import Text, say
from bridge.query import statistics
from bridge.query.conditions import DAY_MINUTES, NOON, compared, from_noon, test_of
from bridge.query.model import (
    AVERAGED,
    CLOCK_UNIT,
    CLOCKS,
    PERIOD_VALUE,
    Aggregate,
    By,
    Condition,
    Kind,
    Query,
    Span,
    Subject,
    Versus,
)
from bridge.query.rows import Row, Tables
from bridge.query.understood import what_of

DAY_PLACE = Row._fields.index("day")
Value = tuple[date, float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figure of the rows with the same key. ``unit`` is its own, or None for that of the answer."""

    key: str
    value: float | None
    n: int
    unit: str | None = None


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
    if query.subject.parts:
        return _several(query, tables)
    untold = sorted(_metrics(query) & tables.untold)
    if untold:
        none = say("none of your sources told {what}", what=", ".join(untold))
        return Answer(query=query, value=None, unit=_unit(query), n=0, reason=none)
    if isinstance(query.against, Subject):
        return _correlation(query, query.against, tables)
    if query.ofs:
        return _of_several(query, tables)
    rows = _rows(query.subject, tables, query)
    if query.of is Aggregate.SHARE:
        return _share(query, _taken(query, rows), tables)
    if isinstance(query.against, Versus):
        sides = [
            list(_taken(query, _held(replace(query, where=(*query.where, one)), rows, tables))) for one in query.against
        ]
        return _minus(query, (sides[0], sides[1]), (query.against.one.text, query.against.other.text))
    if isinstance(query.against, Condition):
        return _difference(query, query.against, rows, tables)
    if isinstance(query.against, Span):
        return _change(query, query.against, rows, tables)
    kept = _taken(query, _held(query, rows, tables))
    if query.per is not None:
        kept = _periods(query, kept, tables)
    value, at, reason = _figure(query, kept)
    nothing = _untold(query, rows, tables)
    return Answer(
        query=query,
        value=None if nothing else value,
        unit=_unit(query),
        n=len(kept),
        at=at,
        groups=tuple(_top(query, kept) if query.top else _groups(query, kept)),
        reason=nothing or reason or _why_none(query, tables, value),
    )


def _several(query: Query, tables: Tables) -> Answer:
    """Return the figure of each part that is known as a group."""
    found = [answer(replace(query, subject=part), tables) for part in query.subject.parts]
    groups = tuple(
        Group(key=one.query.subject.name, value=one.value, n=one.n, unit=one.unit)
        for one in found
        if one.value is not None
    )
    reason = None if groups else say("nothing of {what} is stored in that span", what=query.subject.name)
    n = max((one.n for one in groups), default=0)
    return Answer(query=query, value=None, unit=query.subject.unit, n=n, groups=groups, reason=reason)


def _of_several(query: Query, tables: Tables) -> Answer:
    """Return each of several figures of the same rows as a group."""
    found = [answer(replace(query, of=of, ofs=()), tables) for of in query.ofs]
    groups = tuple(Group(key=str(one.query.of), value=one.value, n=one.n, unit=one.unit) for one in found)
    first = found[0]
    return Answer(query=query, value=None, unit=first.unit, n=first.n, groups=groups, reason=first.reason)


def _top(query: Query, rows: Sequence[Row]) -> Iterable[Group]:
    """Yield the highest or lowest rows with their days, the first of them first."""
    values = sorted(_values(query, rows), key=lambda one: one[1], reverse=query.of is Aggregate.MAX)
    for day, value in values[: query.top]:
        yield Group(key=day.isoformat(), value=_told(value, query), n=1)


def _untold(query: Query, rows: Sequence[Row], tables: Tables) -> Text | None:
    """Return the reason where a count of 0 would be of days of which nothing is stored, and not of days without any."""
    before = bool(tables.days and query.until and query.until < tables.days[0])
    daily = query.per is None and query.subject.kind in (Kind.DAYS, Kind.NIGHTS)
    if rows or query.of is not Aggregate.COUNT or not (before or daily):
        return None
    return say("nothing of {what} is stored in that span", what=what_of(query.subject))


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
        return (
            str(query.per) + "s"
            if query.per
            else query.subject.unit
            if query.subject.counted
            else str(query.subject.kind)
        )
    unit = query.subject.unit
    if unit == CLOCK_UNIT and (query.of in (Aggregate.STD, Aggregate.TREND) or query.against is not None):
        unit = "min"
    return f"{unit} a week" if query.of is Aggregate.TREND else unit


def _why_none(query: Query, tables: Tables, value: float | None) -> Text | None:
    if value is not None:
        return None
    if query.subject.kind is Kind.DAYS and not tables.by_day(query.subject.name):
        return say("nothing of {what} is stored in that span", what=what_of(query.subject))
    return say("no row is left of which the figure could be made")


def _rows(subject: Subject, tables: Tables, query: Query) -> list[Row]:
    found: Iterable[Row]
    if subject.kind is Kind.DAYS and subject.counted:
        first, last = tables.days or (date.max, date.min)
        first, last = max(first, query.since or first), min(last, query.until or last)
        found = (Row(first + timedelta(days=n), {"value": 1.0}) for n in range((last - first).days + 1))
    elif subject.kind is Kind.DAYS:
        found = (Row(day, {"value": value}) for day, value in tables.by_day(subject.name).items())
    else:
        of_kind: Mapping[Kind, Iterable[Row]] = {
            Kind.NIGHTS: tables.nights.values(),
            Kind.WORKOUTS: tables.workouts,
            Kind.ENTRIES: [row for row in tables.entries if row.is_meeting or not subject.of_meetings],
        }
        found = of_kind[subject.kind]
        if subject.field in CLOCKS and subject.kind is not Kind.ENTRIES:
            found = (_timed(row, subject) for row in found)
        elif subject.field is not None:
            found = (row for row in found if subject.field in row.values)
    if query.since or query.until:
        since, until = query.since or date.min, query.until or date.max
        found = (row for row in found if since <= row.day <= until)
    return sorted(found, key=operator.itemgetter(DAY_PLACE))


def _timed(row: Row, subject: Subject) -> Row:
    """Return a row with its clock time among the values, in an order in which a night's begins are one evening."""
    field = str(subject.field)
    return row._replace(values={**row.values, field: _ordered(getattr(row, field), subject)})


def _ordered(minutes: float, subject: Subject) -> float:
    return from_noon(minutes) if subject.kind is Kind.NIGHTS and subject.field == "start" else minutes


def _told(value: float | None, query: Query) -> float | None:
    """Return a figure of clock times, as they are ordered, as minutes after midnight."""
    if value is None or _unit(query) != CLOCK_UNIT or query.subject.kind is not Kind.NIGHTS:
        return value
    return (value + NOON) % DAY_MINUTES if query.subject.field == "start" else value


def _held(query: Query, rows: Sequence[Row], tables: Tables) -> list[Row]:
    where = [one for one in query.where if one.name != PERIOD_VALUE]
    return list(filter(test_of(where, tables, query.subject.kind), rows))


BEGINS: Mapping[By, Callable[[date], date]] = {
    By.DAY: lambda day: day,
    By.WEEK: lambda day: day - timedelta(days=day.weekday()),
    By.MONTH: lambda day: day.replace(day=1),
}


def _periods(query: Query, rows: Sequence[Row], tables: Tables) -> list[Row]:
    """Return a row for each day, week or month, with the sum or else the mean of its rows.

    Of workouts and entries, and of all that is counted, a period without any has 0.
    """
    begin = BEGINS[query.per or By.DAY]
    found: dict[date, list[float]] = {}
    subject = query.subject
    if subject.added and (subject.counted or subject.kind is not Kind.DAYS) and tables.days is not None:
        first, last = tables.days
        first, last = max(first, query.since or first), min(last, query.until or last)
        found = {begin(first + timedelta(days=n)): [] for n in range((last - first).days + 1)}
    for day, value in _values(replace(query, per=None), rows):
        found.setdefault(begin(day), []).append(value)
    reduced: Callable[[Sequence[float]], float] = sum if subject.added else fmean
    tests = [compared(one) for one in query.where if one.name == PERIOD_VALUE]
    values = ((day, float(reduced(some))) for day, some in sorted(found.items()))
    return [Row(day, {"value": value}) for day, value in values if all(test(value) for test in tests)]


def _taken(query: Query, rows: Sequence[T]) -> Sequence[T]:
    if query.first is not None:
        return rows[: query.first]
    return rows if query.last is None else rows[-query.last :]


def _values(query: Query, rows: Sequence[Row]) -> list[Value]:
    field = "value" if query.subject.kind is Kind.DAYS or query.per else query.subject.field
    return [(row.day, 1.0 if field is None else row.values[field]) for row in rows]


def _figure(query: Query, rows: Sequence[Row]) -> tuple[float | None, date | None, Text | None]:
    value, at, reason = _reduced(query, rows)
    return _told(value, query), at, reason


def _reduced(query: Query, rows: Sequence[Row]) -> tuple[float | None, date | None, Text | None]:
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
    test = test_of(query.where, tables, query.subject.kind)
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
    if subject.kind is Kind.ENTRIES and not query.where and (days := tables.by_day(subject.name)):
        since, until = query.since or date.min, query.until or date.max
        return {day: value for day, value in days.items() if since <= day <= until}  # with 0 on the days without
    values: dict[date, list[float]] = {}
    field = "value" if subject.kind is Kind.DAYS else subject.field
    for row in filter(test_of(query.where, tables, subject.kind), _rows(subject, tables, query)):
        values.setdefault(row.day, []).append(1.0 if field is None else row.values[field])
    return {day: fmean(some) if field in AVERAGED else sum(some) for day, some in values.items()}


def _with_zeros(subject: Subject, counts: dict[date, float], other: Mapping[date, float]) -> dict[date, float]:
    return {**dict.fromkeys(other, 0.0), **counts} if subject.counted else counts


def _difference(query: Query, split: Condition, rows: Sequence[Row], tables: Tables) -> Answer:
    kept = _taken(query, _held(query, rows, tables))
    if (known := _known_days(split, tables)) is not None:
        kept = [row for row in kept if row.day - timedelta(days=split.of_day_before) in known]
    sides: tuple[list[Row], list[Row]] = ([], [])
    with_it = test_of([split], tables, query.subject.kind)
    for row in kept:
        sides[with_it is not None and not with_it(row)].append(row)
    return _minus(query, sides, ("with", "without"))


def _change(query: Query, other: Span, rows: Sequence[Row], tables: Tables) -> Answer:
    """Return the figure of the query's own span minus that of another."""
    before = _rows(query.subject, tables, replace(query, since=other.since, until=other.until))
    ours, theirs = (list(_taken(query, _held(query, some, tables))) for some in (rows, before))
    return _minus(query, (ours, theirs), (Span(query.since, query.until).text, other.text))


def _minus(query: Query, sides: tuple[list[Row], list[Row]], keys: tuple[str, str]) -> Answer:
    """Return the figure of one side minus that of the other, with its interval and both sides as groups."""
    figures = [_reduced(query, side)[0] for side in sides]
    value = None if figures[0] is None or figures[1] is None else figures[0] - figures[1]
    numbers = [[value for _, value in _values(query, side)] for side in sides]
    interval = None
    if value is not None and query.of is Aggregate.MEAN:
        interval = statistics.mean_difference(numbers[0], numbers[1])
    elif value is not None and query.of in FIGURES:
        interval = statistics.resampled_difference(numbers[0], numbers[1], str(query.of))
    missing = say("a difference needs values of both spans")
    if isinstance(query.against, Condition | Versus):
        missing = say("a difference needs values with and without it")
    plain = replace(query, against=None)
    unit = None if (own := _unit(plain)) == _unit(query) else own
    groups = tuple(
        Group(key=key, value=_told(figure, plain), n=len(side), unit=unit)
        for key, figure, side in zip(keys, figures, sides, strict=True)
    )
    return Answer(
        query=query,
        value=value,
        unit=_unit(query),
        n=sum(map(len, sides)),
        groups=groups,
        interval=interval,
        reason=None if value is not None else missing,
    )


def _known_days(split: Condition, tables: Tables) -> Container[date] | None:
    """Return the days of which a condition can be told, or None for all days."""
    if split.name in ("weekday", "action") or split.of_workout:
        return None
    return tables.nights if split.name.startswith("night.") else tables.by_day(split.name)
