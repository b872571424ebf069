"""Make figures of the rows of a query: which rows it leaves, their values, and what becomes of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import zip_longest
from math import fsum, sqrt
from statistics import fmean, median
from typing import TypeVar

from bridge.domain.languages import Text, say
from bridge.query.conditions import DAY_MINUTES, NOON, compared, from_noon, test_of
from bridge.query.model import CLOCK_UNIT, CLOCKS, PERIOD_VALUE, Aggregate, By, Kind, Query, Subject
from bridge.query.tables import Row, Tables

DAY_PLACE = Row._fields.index("day")
Value = tuple[date, float]
T = TypeVar("T")


def unit_of(query: Query) -> str:
    """Return the unit of a query's figure, as "bpm", "share" or "steps a week"."""
    if isinstance(query.against, Subject):
        return "correlation"
    if query.of is Aggregate.SHARE:
        return "share"
    if query.of in (Aggregate.STREAK, Aggregate.AGO):
        return "days"
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


def rows_of(subject: Subject, tables: Tables, query: Query) -> list[Row]:
    """Return the rows of a subject within the query's span, each with its value, by day."""
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
            Kind.TASKS: tables.tasks,
        }
        found = of_kind[subject.kind]
        if subject.field in CLOCKS and subject.kind is not Kind.ENTRIES:
            found = (_timed(row, subject) for row in found)
        elif subject.kind is Kind.ENTRIES and subject.field == "minutes" and query.of not in ENDS:
            counted = (row for row in found if row.values.get("counted") or row.values.get("minutes") == 0)
            found = (row._replace(values={**row.values, "minutes": row.values["counted"]}) for row in counted)
        elif subject.field is not None:
            found = (row for row in found if subject.field in row.values)
    if query.since or query.until:
        since, until = query.since or date.min, query.until or date.max
        found = (row for row in found if since <= row.day <= until)
    return sorted(found, key=operator.itemgetter(DAY_PLACE))


def _timed(row: Row, subject: Subject) -> Row:
    """Return a row with its clock time as a value, shifted so that bedtimes around midnight keep their order."""
    field = str(subject.field)
    return row._replace(values={**row.values, field: _ordered(getattr(row, field), subject)})


def _ordered(minutes: float, subject: Subject) -> float:
    return from_noon(minutes) if subject.kind is Kind.NIGHTS and subject.field == "start" else minutes


def told(value: float | None, query: Query) -> float | None:
    """Return a bedtime's shifted value as minutes after midnight, and any other value unchanged."""
    if value is None or unit_of(query) != CLOCK_UNIT or query.subject.kind is not Kind.NIGHTS:
        return value
    return (value + NOON) % DAY_MINUTES if query.subject.field == "start" else value


def held(query: Query, rows: Sequence[Row], tables: Tables) -> list[Row]:
    """Return the rows that meet a query's conditions, with an entry of several days once."""
    where = [one for one in query.where if one.name != PERIOD_VALUE]
    kept = list(filter(test_of(where, tables, query.subject.kind), rows))
    return _once(query, kept) if any(row.entry for row in kept) else kept


def _once(query: Query, rows: Sequence[Row]) -> list[Row]:
    over, found = query.per or query.by, dict[tuple[object, ...], Row]()
    for number, row in enumerate(rows):
        begin = row.day if over is By.WEEKDAY else BEGINS[over](row.day) if over and over in BEGINS else None
        key = (number,) if row.entry is None else (row.entry, begin)
        if key in found:
            before = found[key].values
            sums = {name: before[name] + row.values[name] for name in LENGTHS if name in before}
            row = found[key]._replace(values={**before, **sums})
        found[key] = row
    return list(found.values())


LENGTHS = ("minutes", "counted")  # of the days of an entry, which add up
ENDS = (Aggregate.MIN, Aggregate.MAX)
BEGINS: Mapping[By, Callable[[date], date]] = {
    By.DAY: lambda day: day,
    By.WEEK: lambda day: day - timedelta(days=day.weekday()),
    By.MONTH: lambda day: day.replace(day=1),
}


def whole(by: By, since: date, until: date) -> list[date]:
    """Return the first days of the whole weeks or months of a span, and at the end the day after the last of them."""
    days = (since + timedelta(days=n) for n in range((until - since).days + 2))
    return [day for day in days if BEGINS[by](day) == day]


def periods(query: Query, rows: Sequence[Row], tables: Tables) -> list[Row]:
    """Return one row per day, week or month, with the sum of its rows, or the mean where they cannot be summed.

    A period without a row has 0 if workouts, entries or rows themselves are counted, except days of other weekdays.
    """
    begin = BEGINS[query.per or By.DAY]
    found: dict[date, list[float]] = {}
    subject = query.subject
    if subject.added and (subject.counted or subject.kind is not Kind.DAYS) and tables.days is not None:
        first, last = tables.days
        ahead = (
            query.until if subject.kind is Kind.ENTRIES and query.until else last
        )  # a calendar knows what is to come
        first, last = max(first, query.since or first), min(max(last, ahead), query.until or last)
        days = (first + timedelta(days=n) for n in range((last - first).days + 1))
        weekdays = [compared(one) for one in query.where if one.field == "weekday" and query.per is By.DAY]
        found = {begin(day): [] for day in days if all(test(day.isoweekday()) for test in weekdays)}
    for day, value in values_of(replace(query, per=None), rows):
        found.setdefault(begin(day), []).append(value)
    reduced: Callable[[Sequence[float]], float] = sum if subject.added else fmean
    tests = [compared(one) for one in query.where if one.name == PERIOD_VALUE]
    values = ((day, float(reduced(some))) for day, some in sorted(found.items()))
    return [Row(day, {"value": value}) for day, value in values if all(test(value) for test in tests)]


def taken(query: Query, rows: Sequence[T]) -> Sequence[T]:
    """Return the first or last so many of some rows, if the query asks for them."""
    if query.first is not None:
        return rows[: query.first]
    return rows if query.last is None else rows[-query.last :]


def values_of(query: Query, rows: Sequence[Row]) -> list[Value]:
    """Return the day and value of each row; a counted row is 1."""
    field = "value" if query.subject.kind is Kind.DAYS or query.per else query.subject.field
    return [(row.day, 1.0 if field is None else row.values[field]) for row in rows]


def figure(query: Query, rows: Sequence[Row]) -> tuple[float | None, date | None, Text | None]:
    """Return a query's figure of some rows, its day, and the reason if there is none."""
    value, at, reason = reduced(query, rows)
    return told(value, query), at, reason


def reduced(query: Query, rows: Sequence[Row]) -> tuple[float | None, date | None, Text | None]:
    """Return the figure before a bedtime is shifted back; see ``figure``."""
    values = values_of(query, rows)
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
    return sqrt(fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1))


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


def in_days(query: Query, rows: Sequence[Row], tables: Tables) -> tuple[float | None, date | None, Text | None]:
    """Return the longest streak of days and its last day, or the number of days since the last row and its day."""
    days = sorted({row.day for row in rows})
    if query.of is Aggregate.STREAK:
        longest = max(streaks(days), default=(0, None), key=operator.itemgetter(0))
        return float(longest[0]), longest[1], None
    if not days or tables.days is None:
        return None, None, None
    return float((tables.days[1] - days[-1]).days), days[-1], None


def streaks(days: Sequence[date]) -> Iterator[tuple[int, date]]:
    """Yield (length, last day) of each run of consecutive days."""
    length = 0
    for day, following in zip_longest(days, days[1:]):
        length += 1
        if following != day + timedelta(days=1):
            yield length, day
            length = 0


def streak_now(days: Sequence[date], today: date) -> int:
    """Return the length of the run of days up to today, or up to yesterday because today is not over."""
    last = list(streaks(days))[-1:]
    return last[0][0] if last and last[0][1] >= today - timedelta(days=1) else 0
