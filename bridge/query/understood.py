"""Say a typed query as a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from bridge.domain.languages import WEEKDAYS, Text, listed, say
from bridge.domain.metric_names import METRIC_NAMES
from bridge.domain.metrics import METRICS, NIGHT_MINUTES, Metric
from bridge.domain.noted import name_of
from bridge.domain.sport_names import sport_name
from bridge.domain.titles import ACTION_WORDS
from bridge.query.model import (
    CLOCK_FIELDS,
    CLOCK_UNIT,
    COMPARED,
    ENTRY_FIELDS,
    IN_NIGHTS,
    METER_NAMES,
    NAPS,
    OWN_FIELDS,
    PERIOD_VALUE,
    PLANNED,
    SPORT_COUNT,
    TASK_STATE,
    TIMED,
    TITLED,
    WORKOUT_UNITS,
    Aggregate,
    By,
    Condition,
    Kind,
    Query,
    Span,
    Subject,
    Versus,
)
from bridge.query.written import written
from rhythm_env.interface import ActionType

A = Aggregate
BEDTIME = "nights.start"
DAY = timedelta(days=1)
OF: Mapping[Aggregate, Text] = {
    A.MEAN: say("the mean of {what}"),
    A.MEDIAN: say("the median of {what}"),
    A.SUM: say("the sum of {what}"),
    A.MIN: say("the lowest value of {what}"),
    A.MAX: say("the highest value of {what}"),
    A.STD: say("the standard deviation of {what}"),
    A.COUNT: say("the number of {what}"),
    A.FIRST: say("the first of {what}"),
    A.LAST: say("the last of {what}"),
    A.SHARE: say("the share of {what}"),
    A.TREND: say("the change a week of {what}"),
    A.STREAK: say("the most days in a row with {what}"),
    A.AGO: say("the days since the last of {what}"),
}
TOP = {A.MIN: say("the {count} lowest of {what}"), A.MAX: say("the {count} highest of {what}")}
PERIODS = {
    By.DAY: say("the number of days, by {what}"),
    By.WEEK: say("the number of weeks, by {what}"),
    By.MONTH: say("the number of months, by {what}"),
}
ROWS = {
    Kind.DAYS: say("days"),
    Kind.NIGHTS: say("recorded nights"),
    Kind.WORKOUTS: say("workouts"),
    Kind.ENTRIES: say("calendar entries"),
    Kind.TASKS: say("tasks"),
}
MEETINGS_MEANT = say("meetings (work with others, or named a meeting or call)")
FIGURES = {
    "minutes": say("minutes"),
    "distance": say("distance"),
    "energy": say("calories"),
    "speed": say("speed"),
    "ascent": say("ascent"),
    "steps": say("steps"),
    "zone_minutes": say("zone minutes"),
    "average_hr": say("average heart rate"),
    "max_hr": say("highest heart rate"),
    "start": say("start"),
    "end": say("end"),
}
SEVERAL = {"night": say("the figures of a night"), "meters": say("all meters")}
PER = {By.DAY: say("in a day"), By.WEEK: say("in a week"), By.MONTH: say("in a month")}
BY = {
    By.DAY: say("by day"),
    By.WEEK: say("by week"),
    By.MONTH: say("by month"),
    By.WEEKDAY: say("by weekday"),
    By.SPORT: say("by sport"),
    By.ACTION: say("by action"),
    By.ROW: say("each by itself"),
}


# A condition by its operator, and its lead: of days, of the days before, of nights, and of rows themselves.
AMOUNTS: Mapping[str, Text] = {
    "=": say("{what} of {value}"),
    "!=": say("{what} other than {value}"),
    "<": say("{what} below {value}"),
    "<=": say("{what} of at most {value}"),
    ">": say("{what} above {value}"),
    ">=": say("{what} of at least {value}"),
    "~": say("{value} in {what}"),
}
TIMES: Mapping[str, Text] = {
    "=": say("{what} at {value}"),
    "!=": say("{what} other than {value}"),
    "<": say("{what} before {value}"),
    "<=": say("{what} by {value}"),
    ">": say("{what} after {value}"),
    ">=": say("{what} from {value} on"),
}
LEADS: Mapping[str, tuple[Text, Text]] = {  # with and without something
    "days": (say("on days with {what}"), say("on days without {what}")),
    "before": (say("after days with {what}"), say("after days without {what}")),
    "nights": (say("in nights with {what}"), say("in nights without {what}")),
    "after nights": (say("after nights with {what}"), say("after nights without {what}")),
    "rows": (say("with {what}"), say("without {what}")),
}
STATES: Mapping[str, Text] = {
    "open": say("open"),
    "done": say("done"),
    "overdue": say("overdue"),
    "undated": say("without a due date"),
}
THINGS: Mapping[str, Text] = {
    "workout.minutes": say("a workout"),
    "workouts": say("a workout"),
    "entries": say("a calendar entry"),
    "meetings": say("a meeting"),
    NAPS: say("a nap"),
}
FIELDS: Mapping[str, Text] = {
    "night.start": say("sleep that began"),
    "night.end": say("sleep that ended"),
    "workout.start": say("a start"),
    "workout.end": say("an end"),
    "entry.start": say("a start"),
    "entry.minutes": say("a length"),
    "entry.title": say("the title"),
    "workouts": say("a number of workouts"),
    "entries": say("a number of calendar entries"),
    "meetings": say("a number of meetings"),
    "entries.minutes": say("minutes of calendar entries"),
    "meetings.minutes": say("minutes of meetings"),
    PERIOD_VALUE: say("a value"),
}


def sentence(query: Query, read_as: Text | None = None) -> Text:
    """Return a query as a sentence, with a note on how its question was read."""
    return say("{query}.", query=listed([*_parts(query), *([read_as] if read_as else [])]))


def _parts(query: Query) -> Iterator[str]:
    yield _figure(query)
    if isinstance(query.against, Condition):
        yield say("{condition} compared with the others", condition=condition_said(query, query.against))
    if isinstance(query.against, Versus):
        one, other = (condition_said(query, part) for part in query.against)
        yield say("{condition} compared with {other}", condition=one, other=other)
    if query.per and query.of is not A.COUNT:
        yield PER[query.per]
    if query.since or query.until:
        yield span_of(query)
    if isinstance(query.against, Span):
        yield say("compared with that {span}", span=dates(*query.against))
    for condition in query.where:
        yield condition_said(query, condition)
    if query.first or query.last:
        first = say("only the first {count}", count=query.first) if query.first else None
        yield first or say("only the last {count}", count=query.last)
    if query.by:
        yield BY[query.by]


def _figure(query: Query) -> str:
    what = what_of(query.subject)
    if isinstance(query.against, Subject):
        return say("the rank correlation of {what} and {other}", what=what, other=what_of(query.against))
    if query.subject.kind is Kind.DAYS and query.subject.field and query.of in (A.COUNT, A.SHARE) and not query.per:
        what = say("days with {what}", what=what)
    if query.top:
        return say(TOP[query.of].message, count=query.top, what=what)
    if query.per and query.of is A.COUNT:
        return say(PERIODS[query.per].message, what=what)
    return listed([say(OF[of].message, what=what) for of in query.ofs or (query.of,)])


def sides_said(query: Query) -> tuple[str, str]:
    """Return the two sides of a comparison with a condition or a span within a sentence."""
    if isinstance(query.against, Versus):
        return condition_said(query, query.against.one), condition_said(query, query.against.other)
    if isinstance(query.against, Condition):
        return condition_said(query, query.against), say("otherwise")
    return span_of(query), dates(*(query.against if isinstance(query.against, Span) else (None, None)))


def condition_said(query: Query, one: Condition) -> Text:
    """Return a condition within a sentence, as "after days with alcohol"."""
    if (weekdays := weekdays_of(query, one)) is not None:
        return weekdays
    kind = query.subject.kind
    own = (one.of_workout and kind is Kind.WORKOUTS) or (one.name in ENTRY_FIELDS and kind is Kind.ENTRIES)
    own = own or one.name == PERIOD_VALUE or (one.name == "action" and kind is Kind.ENTRIES)
    nightly = one.name.startswith("night.") or one.name.split("/")[0] in NIGHT_MINUTES
    slept = kind is Kind.NIGHTS or query.subject.name.split("/")[0] in (*NIGHT_MINUTES, "night", "sleep_score")
    in_night = "nights" if slept else "after nights"
    lead = "before" if one.of_day_before else "rows" if own else in_night if nightly else "days"
    if one.name == "workout.sport" and own and one.operator == "=":
        return say("of {actions}", actions=listed([sport_name(str(value)) for value in one.values]))
    if one.name == "action" and own and one.operator in ("=", "!="):
        named = _named(one)
        return say("of {actions}", actions=named) if one.operator == "=" else say("not of {actions}", actions=named)
    if one.name == TASK_STATE:
        return say("state: {state}", state=listed([STATES[str(value)] for value in one.values]))
    present, thing = _thing(one)
    return say(LEADS[lead][not present].message, what=thing)


def _thing(one: Condition) -> tuple[bool, str]:
    counted = one.name in THINGS or not (one.name in {*METER_NAMES, *METRICS, *OWN_FIELDS} or "/" in one.name)
    bare = counted and one.values == (0.0,) and one.operator in ("=", ">", "!=")
    if bare or (one.name in ("workout.sport", "action") and one.operator != "~"):
        absent = one.operator == ("=" if bare else "!=")
        return not absent, THINGS.get(one.name) or (metric_name(one.name) if bare else _named(one))
    clock = one.name in CLOCK_FIELDS
    value = listed([str(part) if isinstance(part, str) else written(part, unit_asked(one.name)) for part in one.values])
    message = (TIMES if clock else AMOUNTS)[one.operator].message
    return True, say(message, what=_field(one.name), value=value)


def _field(name: str) -> str:
    if name in FIELDS:
        return FIELDS[name]
    if name.startswith("workout."):
        return FIGURES.get(name.removeprefix("workout."), say("workouts"))
    if name in PLANNED:
        return say("planned minutes of {action}", action=ACTION_WORDS[PLANNED[name]])
    return metric_name(name) if "/" not in name else " / ".join(map(metric_name, name.split("/")))


def _named(one: Condition) -> str:
    if one.name == "action":
        return listed([ACTION_WORDS[action] for action in ActionType if action in one.values])
    return listed([sport_name(str(value)) for value in one.values])


def unit_asked(name: str) -> str:
    """Return the unit of a condition's field."""
    if name in CLOCK_FIELDS:
        return CLOCK_UNIT
    if name.endswith(".minutes") or name == NAPS:
        return "min"
    if name.startswith("workout."):
        return WORKOUT_UNITS.get(name.removeprefix("workout."), "count")
    return METRICS[Metric(name)].unit if name in METRICS else "count"


def weekdays_of(query: Query, condition: Condition) -> Text | None:
    """Return the text of the weekdays that a condition allows, or None for another condition."""
    if condition.field != "weekday":
        return None
    test = COMPARED[condition.operator]
    of = any if condition.operator == "=" else all
    left = [n for n in range(1, 8) if of(test(n, value) for value in condition.values)]
    evening = query.subject.name == BEDTIME
    return _on(query, listed([name for n, name in enumerate(WEEKDAYS, 1) if (n % 7 + 1 if evening else n) in left]))


def _on(query: Query, day: str) -> Text:
    return say("on the evening of {day}", day=day) if query.subject.name == BEDTIME else say("on {day}", day=day)


def on_day(query: Query, day: date) -> Text:
    """Return the text "on DAY". A bedtime is on the evening before its day of waking."""
    return _on(query, day_of(day - DAY if query.subject.name == BEDTIME else day))


def span_of(query: Query) -> Text:
    """Return the text of a query's span. One of its ends may be open."""
    if query.since and query.since == query.until:
        return on_day(query, query.since)
    return dates(query.since, query.until)


def what_of(subject: Subject) -> str:
    """Return the name of a subject within a sentence."""
    if subject.parts:
        return SEVERAL.get(subject.name) or listed([what_of(part) for part in subject.parts])
    rows = MEETINGS_MEANT if subject.of_meetings else ROWS[subject.kind]
    if subject.field is None:
        return rows
    if subject.kind is Kind.DAYS and subject.field in PLANNED:
        return say("planned minutes of {action}", action=ACTION_WORDS[PLANNED[subject.field]])
    if subject.kind is not Kind.DAYS:
        return say("{figure} of {rows}", figure=FIGURES[subject.field], rows=rows)
    if subject.over is not None:
        return say("{one} divided by {other}", one=metric_name(subject.field), other=metric_name(str(subject.over)))
    return metric_name(subject.field)


def metric_name(name: str) -> str:
    """Return the name of a metric, a meter, a note or a figure of workouts within a sentence."""
    if name.startswith("workout."):
        return say("{figure} of {rows}", figure=FIGURES[name.removeprefix("workout.")], rows=ROWS[Kind.WORKOUTS])
    if name.startswith(SPORT_COUNT):
        return listed([sport_name(one) for one in name.removeprefix(SPORT_COUNT).split("|")])
    if name.endswith(IN_NIGHTS):
        return say("{what} in recorded nights", what=metric_name(name.removesuffix(IN_NIGHTS)))
    if (timed := TIMED.fullmatch(name)) and timed["name"] != name:
        told = metric_name(timed["name"])
        for sign, at in ((">=", timed["begin"]), ("<", timed["end"])):
            told = say(TIMES[sign].message, what=told, value=at) if at else told
        return told
    named = METRIC_NAMES.get("sleep" if name == "asleep" else name)
    return named or name_of(name.removeprefix(TITLED).replace("_", " "))


def dates(first: date | None, last: date | None) -> Text:
    """Return a span as part of a sentence. One end may be open."""
    if first and last:
        if first == last:
            return say("on {day}", day=day_of(first))
        return say("from {first} to {last}", first=day_of(first), last=day_of(last))
    if first:
        return say("since {day}", day=day_of(first))
    return say("until {day}", day="" if last is None else day_of(last))


def day_of(day: date) -> Text:
    """Return a date within a sentence."""
    return say("{day:%-d %b %Y}", day=day)
