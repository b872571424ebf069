"""Say the answer to a question as one sentence: "You fell asleep at 23:40, on average, over 30 nights."."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bridge.domain.fact_messages import Plural
from bridge.domain.languages import Text, listed, say, say_many
from bridge.query.conditions import from_noon
from bridge.query.group_names import group_name
from bridge.query.model import CLOCK_UNIT, Aggregate, By, Condition, Kind, Query, Span, Subject, Versus
from bridge.query.understood import (
    BEDTIME,
    OF,
    PER,
    condition_said,
    dates,
    on_day,
    sides_said,
    span_of,
    weekdays_of,
    what_of,
)
from bridge.query.written import as_time, changed, written

if TYPE_CHECKING:
    from datetime import date

    from bridge.query.answered import Answer, Group

A = Aggregate
LEADS: Mapping[str, Text] = {
    "asleep": say("you slept {value}"),
    "in_bed": say("you were in bed for {value}"),
    "awake": say("you lay awake for {value}"),
    "deep_sleep": say("you slept deeply for {value}"),
    "nap_minutes": say("you napped for {value}"),
    "nights.start": say("you fell asleep at {value}"),
    "nights.end": say("you got up at {value}"),
}
COUNTED: Mapping[str, Plural] = {
    "steps": Plural("you took {value} step", "you took {value} steps"),
    "workouts": Plural("you did {value} workout", "you did {value} workouts"),
    "entries": Plural("you had {value} calendar entry", "you had {value} calendar entries"),
    "meetings": Plural(
        "you had {value} meeting (work with others, or named a meeting or call)",
        "you had {value} meetings (work with others, or named a meeting or call)",
    ),
    "nights": Plural("there was {value} such night", "there were {value} such nights"),
    "days": Plural("there was {value} such day", "there were {value} such days"),
    "weeks": Plural("there was {value} such week", "there were {value} such weeks"),
    "months": Plural("there was {value} such month", "there were {value} such months"),
    "tasks": Plural("there is {value} such task", "there are {value} such tasks"),
    "tasks_done": Plural("you did {value} task", "you did {value} tasks"),
}
AHEAD: Mapping[str, Plural] = {  # of a span that is still to come
    "entries": Plural("you have {value} calendar entry", "you have {value} calendar entries"),
    "meetings": Plural(
        "you have {value} meeting (work with others, or named a meeting or call)",
        "you have {value} meetings (work with others, or named a meeting or call)",
    ),
    "days": Plural("there is {value} such day", "there are {value} such days"),
}
HOW: Mapping[Aggregate, Text] = {
    A.MEAN: say("on average"),
    A.MEDIAN: say("in the median"),
    A.SUM: say("in all"),
    A.MIN: say("at the least"),
    A.MAX: say("at the most"),
}
IN_DAYS = {
    A.STREAK: say("at most {days} in a row"),
    A.AGO: say("the last was {days} ago"),
}
OVER: Mapping[By, Plural] = {
    By.DAY: Plural("over {count} day", "over {count} days"),
    By.WEEK: Plural("over {count} week", "over {count} weeks"),
    By.MONTH: Plural("over {count} month", "over {count} months"),
}
SECONDS_OF_HOUR = 3600
KILOMETRE = 1000
PACED = {A.MEAN, A.MEDIAN, A.MIN, A.MAX, A.FIRST, A.LAST}  # of a speed, which are told as a pace, too
ROWS_MAX = 12  # that are told one by one
# Figures that stand for themselves, and those that a question about an amount asks for.
LED = {*HOW, A.COUNT}


def said(found: Answer) -> Text | None:
    """Return the answer as a sentence, or None where there is no single figure."""
    if found.value is None or found.query.ofs or found.query.top:
        return None
    if found.untold is not None:
        return say("{query}.", query=found.untold)
    if found.verdict is not None:
        parts = [*_parts(found, found.value), *([found.meant] if found.meant else [])]
        return say("{verdict}: {query}.", verdict=found.verdict, query=listed(parts))
    return say("{query}.", query=listed([*_parts(found, found.value), *([found.meant] if found.meant else [])]))


def _next_named(found: Answer) -> Text | None:
    names = [str(value) for one in found.query.where if one.name == "entry.title" for value in one.values]
    if not (found.ahead and found.at and found.query.of is A.FIRST and names):
        return None
    day = _at(found, found.at)
    return say("the next entry named {name} is {day}", name=listed(names), day=day)


def _at(found: Answer, day: date) -> Text:
    """Return the day of a value, with the time of an entry or workout, or the days of an entry of several."""
    told = dates(*found.days) if found.days else on_day(found.query, day)
    return say("{day} at {time}", day=told, time=found.clock) if found.clock and not found.days else told


def _parts(found: Answer, value: float) -> Iterator[str]:
    query = found.query
    if (following := _next_named(found)) is not None:
        yield following
        return
    yield _lead(found, value)
    yield from _besides(found, value)
    known = [(group.value, group.key) for group in found.groups if group.value is not None]
    if query.of is A.STREAK and found.groups:
        now = found.groups[0].n
        yield say_many("{value} day in a row now", "{value} days in a row now", now, value=now)
    counted = query.of is A.COUNT and query.subject.kind in (Kind.DAYS, Kind.NIGHTS)
    if (query.by is By.ROW or ((query.per or counted) and query.by is By.DAY)) and known:
        yield listed([group_name(query, key) for _, key in known[:ROWS_MAX]])
    if query.by not in (None, By.DAY, By.ROW) and len(known) > 1:
        late = from_noon if query.subject.name == BEDTIME else float  # half past midnight is later than eleven
        ranked = sorted((value for value, _ in known), key=late)
        least, most = ranked[0], ranked[-1]
        yield say("the highest is {highest} with {most}", highest=_named(query, known, most), most=_told(found, most))
        if query.of is not A.COUNT and least != most:  # a week with none has no row
            lowest = _named(query, known, least)
            yield say("the lowest is {lowest} with {least}", lowest=lowest, least=_told(found, least))
    such = query.of is A.COUNT and (query.per or query.subject.kind in (Kind.DAYS, Kind.NIGHTS, Kind.TASKS))
    yield from filter(None, (weekdays_of(query, one) if such else condition_said(query, one) for one in query.where))
    if found.at is not None:
        yield _at(found, found.at)
        yield from [found.title] if found.title and all(one.name != "entry.title" for one in query.where) else []
    elif (query.since or query.until) and not isinstance(query.against, Span):
        yield span_of(query)
    if query.of not in (A.COUNT, A.SUM, A.STREAK, A.AGO) and found.n > 1:
        yield _over(found)


def _named(query: Query, groups: Sequence[tuple[float, str]], value: float) -> str:
    """Return the names of all groups with a value, up to as many as are told one by one."""
    names = [group_name(query, key) for one, key in groups if one == value]
    return listed([*names[:ROWS_MAX], *(["…"] if len(names) > ROWS_MAX else [])])


def _apart(groups: Sequence[Group], value: float) -> float:
    """Return a difference of times as that of the minutes that are told, so that the three figures agree."""
    one, other = (group.value or 0.0 for group in groups)
    units = {group.unit or "" for group in groups}
    whole = all(as_time(group.value or 0.0, group.unit or "min") for group in groups) and units <= {
        "",
        "min",
        CLOCK_UNIT,
    }
    told = round(one) - round(other)
    return told if whole and abs(told - value) <= 1 else value


def _besides(found: Answer, value: float) -> Iterator[str]:
    query = found.query
    if query.subject.field == "speed" and query.of in PACED and not query.against and value:
        seconds = round(SECONDS_OF_HOUR / value)
        yield say("{pace} min/km", pace=f"{seconds // 60}:{seconds % 60:02}")
    if query.per and query.of is not A.COUNT:
        yield PER[query.per]
    if query.of in HOW and not query.against and found.n > 1:
        yield HOW[query.of]
    if query.per and query.of is A.MEAN and query.subject.counted and not query.against:
        yield say("{value} in all", value=written(round(value * found.n), found.unit))


def _told(found: Answer, value: float, unit: str | None = None) -> str:
    """Write a value of the answer, and a distance of a kilometre or more in kilometres."""
    unit = unit or found.unit
    far = unit == "m" and abs(value) >= KILOMETRE and found.query.subject.field not in ("ascent", None)
    return written(value / KILOMETRE, "km") if far else written(value, unit)


def _lead(found: Answer, value: float) -> str:
    query, what = found.query, what_of(found.query.subject)
    told = _told(found, value)
    if query.of is A.STD:
        what = say("the spread of {what}", what=what)
    if isinstance(query.against, Subject):
        return say("{what} and {other}: a correlation of {value}", what=what, other=what_of(query.against), value=told)
    if isinstance(query.against, Condition | Versus | Span) and len(found.groups) == 2:
        one, other = (_told(found, group.value or 0.0, group.unit) for group in found.groups)
        first, second = sides_said(query)
        apart = _apart(found.groups, value) if found.unit == "min" else value
        return say(
            "{what}: {one} {first}, {other} {second}, so {value} apart",
            what=what,
            one=one,
            first=first,
            other=other,
            second=second,
            value=told if found.unit == "m" else changed(apart, found.unit),
        )
    if query.of in (A.FIRST, A.LAST) and query.subject.counted:
        return say(OF[query.of].message, what=what)
    if query.of in IN_DAYS:
        days = say_many("{value} day", "{value} days", value, value=told)
        return say(IN_DAYS[query.of].message, days=days, what=what)
    if query.of is A.STD:
        return say("{what}: {value}", what=what, value=told)
    if query.of is A.TREND:
        return say("{what} changes by {value}", what=what, value=told)
    if query.of is A.SHARE:
        return say("{what}: {value}", what=what, value=told)
    name = query.subject.name if query.of in LED and not query.per else ""
    name = "days" if query.of is A.COUNT and not query.subject.counted else name
    name = f"{query.per}s" if query.of is A.COUNT and query.per else name
    counted = AHEAD.get(name) if found.ahead else None
    if counted := counted or COUNTED.get(name):
        return say_many(counted.one, counted.several, value, value=told)
    return say(LEADS[name].message, value=told) if name in LEADS else say("{what}: {value}", what=what, value=told)


def _over(found: Answer) -> Text:
    if found.query.per:
        over = OVER[found.query.per]
        return say_many(over.one, over.several, found.n)
    kind = found.query.subject.kind
    if kind is Kind.NIGHTS or found.query.subject.name in ("asleep", "in_bed", "awake", "deep_sleep"):
        return say_many("over {count} night", "over {count} nights", found.n)
    if kind is Kind.WORKOUTS:
        return say_many("over {count} workout", "over {count} workouts", found.n)
    if kind is Kind.ENTRIES:
        return say_many("over {count} entry", "over {count} entries", found.n)
    return say_many("over {count} day", "over {count} days", found.n)
