"""Answer a query from its rows: conditions, grouping, aggregate, comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from statistics import fmean

from bridge.domain import sports
from bridge.domain.languages import Text, listed, say
from bridge.query.answered import Answer, Group
from bridge.query.compared import change, correlation, difference, minus
from bridge.query.conditions import test_of
from bridge.query.model import Aggregate, By, Condition, Kind, Query, Span, Subject, Versus, metric_in
from bridge.query.reduced import (
    figure,
    held,
    in_days,
    periods,
    rows_of,
    streak_now,
    taken,
    told,
    unit_of,
    values_of,
)
from bridge.query.tables import Row, Tables
from bridge.query.understood import metric_name, what_of

IN_DAYS = frozenset({Aggregate.STREAK, Aggregate.AGO})
KEYS: Mapping[By, Callable[[Row], str]] = {
    By.DAY: lambda row: row.day.isoformat(),
    By.WEEK: lambda row: "{}-W{:02}".format(*row.day.isocalendar()[:2]),
    By.MONTH: lambda row: row.day.isoformat()[:7],
    By.WEEKDAY: lambda row: str(row.day.isoweekday()),
    By.SPORT: lambda row: sports.normalised(row.name or ""),
    By.ACTION: lambda row: row.name or "",
}


def answer(query: Query, tables: Tables) -> Answer:
    """Return the answer to a query from the rows it rests on."""
    found = _found(query, tables)
    if tables.unreached is not None and found.value is not None:
        found = replace(found, groups=(), untold=tables.unreached)
    elif tables.unreached is not None:
        found = replace(found, reason=tables.unreached)
    return replace(found, ahead=bool(query.since and tables.today and query.since > tables.today))


def _found(query: Query, tables: Tables) -> Answer:
    untold = [] if query.subject.parts else [metric_name(one) for one in sorted(_metrics(query) & tables.untold)]
    none = tables.reason or (say("none of your sources told {what}", what=listed(untold)) if untold else None)
    if none is not None:
        return Answer(query=query, value=None, unit=unit_of(query), n=0, reason=none)
    if query.subject.parts:
        return _several(query, tables)
    if isinstance(query.against, Subject):
        return correlation(query, query.against, tables)
    if query.ofs:
        return _of_several(query, tables)
    rows = rows_of(query.subject, tables, query)
    if query.of is Aggregate.SHARE:
        return _share(query, taken(query, rows), tables)
    if isinstance(query.against, Versus):
        sides = [
            list(taken(query, held(replace(query, where=(*query.where, one)), rows, tables))) for one in query.against
        ]
        return minus(query, (sides[0], sides[1]), (query.against.one.text, query.against.other.text))
    if isinstance(query.against, Condition):
        return difference(query, query.against, rows, tables)
    if isinstance(query.against, Span):
        return change(query, query.against, rows, tables)
    kept = taken(query, held(query, rows, tables))
    if query.per is not None:
        kept = periods(query, kept, tables)
    value, at, reason = in_days(query, kept, tables) if query.of in IN_DAYS else figure(query, kept)
    return Answer(
        query=query,
        value=value,
        unit=unit_of(query),
        n=len(kept),
        at=at,
        days=_days(query, kept),
        clock=_clock(row) if (row := _row(query, kept)) else None,
        title=row.title if row else None,
        groups=tuple(_told(query, kept, tables)),
        reason=reason or _why_none(query, tables, value),
        untold=_untold(query, rows, tables),
    )


def _days(query: Query, kept: Sequence[Row]) -> tuple[date, date] | None:
    if query.of not in (Aggregate.FIRST, Aggregate.LAST) or not kept:
        return None
    entry = kept[0 if query.of is Aggregate.FIRST else -1].entry
    return entry and entry[1:]


def _row(query: Query, kept: Sequence[Row]) -> Row | None:
    """Return the first or last entry or workout if it is asked for by itself, or None."""
    asked = query.of in (Aggregate.FIRST, Aggregate.LAST) and query.subject.counted and query.per is None
    if not asked or query.subject.kind not in (Kind.ENTRIES, Kind.WORKOUTS) or not kept:
        return None
    return kept[0 if query.of is Aggregate.FIRST else -1]


def _clock(row: Row) -> str:
    minutes = row.values.get("start", row.start if row.fields else None)
    return "" if minutes is None else f"{int(minutes) // 60:02}:{int(minutes) % 60:02}"


def _told(query: Query, kept: Sequence[Row], tables: Tables) -> Iterable[Group]:
    if query.of is Aggregate.STREAK and tables.days is not None:
        now = streak_now(sorted({row.day for row in kept}), tables.days[1])
        return [Group(key="now", value=float(now), n=now)]
    if query.by is By.ROW:
        return _listed(kept)
    return _top(query, kept) if query.top else _groups(query, kept)


def _several(query: Query, tables: Tables) -> Answer:
    """Return the answer to a query of several figures, one group per figure, without figures that have no value."""
    found = [answer(replace(query, subject=part), tables) for part in query.subject.parts]
    groups = tuple(
        Group(key=one.query.subject.name, value=one.value, n=one.n, unit=one.unit)
        for one in found
        if one.value is not None
    )
    reason = None if groups else say("nothing of {what} is stored in that span", what=what_of(query.subject))
    n = max((group.n for group in groups), default=0)
    return Answer(query=query, value=None, unit=query.subject.unit, n=n, groups=groups, reason=reason)


def _of_several(query: Query, tables: Tables) -> Answer:
    """Return the answer to a query of several aggregates, such as min and max, one group per aggregate."""
    found = [answer(replace(query, of=of, ofs=()), tables) for of in query.ofs]
    groups = tuple(Group(key=str(one.query.of), value=one.value, n=one.n, unit=one.unit) for one in found)
    first = found[0]
    return Answer(query=query, value=None, unit=first.unit, n=first.n, groups=groups, reason=first.reason)


def _top(query: Query, rows: Sequence[Row]) -> Iterable[Group]:
    values = sorted(values_of(query, rows), key=lambda one: one[1], reverse=query.of is Aggregate.MAX)
    for day, value in values[: query.top]:
        yield Group(key=day.isoformat(), value=told(value, query), n=1)


def _untold(query: Query, rows: Sequence[Row], tables: Tables) -> Text | None:
    before = bool(tables.days and query.until and query.until < tables.days[0])
    daily = query.per is None and query.subject.kind in (Kind.DAYS, Kind.NIGHTS)
    if rows or query.of is not Aggregate.COUNT or not (before or daily):
        return None
    return say("nothing of {what} is stored in that span", what=what_of(query.subject))


def _metrics(query: Query) -> set[str]:
    of_workouts = [f"workout.{part.field}" for part in query.subjects if part.kind is Kind.WORKOUTS]
    names = [*of_workouts, *(part.name for part in query.subjects), *(part.name for part in query.conditions)]
    return {metric_in(part) for name in names for part in name.split("/")}


def _why_none(query: Query, tables: Tables, value: float | None) -> Text | None:
    if value is not None:
        return None
    if query.subject.kind is Kind.DAYS and not tables.by_day(query.subject.name):
        return say("nothing of {what} is stored in that span", what=what_of(query.subject))
    return say("nothing of {what} is stored that fits", what=what_of(query.subject))


def _groups(query: Query, rows: Sequence[Row]) -> Iterable[Group]:
    if query.by is None:
        return
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(KEYS[query.by](row), []).append(row)
    for key, some in sorted(groups.items()):
        yield Group(key=key, value=figure(query, some)[0], n=len(some))


def _share(query: Query, rows: Sequence[Row], tables: Tables) -> Answer:
    """Return the share of the rows that meet the conditions. A row without the compared field does not meet them."""
    test = test_of(query.where, tables, query.subject.kind)
    held = [test is None or test(row) for row in rows]
    groups: dict[str, list[bool]] = {}
    for row, holds in zip(rows, held, strict=True):
        if query.by is not None:
            groups.setdefault(KEYS[query.by](row), []).append(holds)
    value = fmean(held) if held else None
    return Answer(
        query=query,
        value=value,
        unit=unit_of(query),
        n=len(held),
        groups=tuple(Group(key=k, value=fmean(some), n=len(some)) for k, some in sorted(groups.items())),
        reason=_why_none(query, tables, value),
    )


def _row_key(row: Row, n: int) -> str:
    day = "" if row.day == date.max else row.day.isoformat()
    name = row.title or (row.name or "").replace("_", " ").lower()
    return " ".join(one for one in (day, _clock(row), name) if one) or str(n)


def _listed(rows: Sequence[Row]) -> Iterable[Group]:
    for n, row in enumerate(rows):
        value, unit = (row.values["minutes"], "min") if "minutes" in row.values else (1.0, None)
        yield Group(key=_row_key(row, n), value=value, n=1, unit=unit)
