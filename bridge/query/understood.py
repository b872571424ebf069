"""Say a typed query as a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from bridge.domain.languages import WEEKDAYS, Text, listed, say
from bridge.domain.metric_names import METRIC_NAMES
from bridge.domain.titles import ACTION_WORDS
from bridge.query.model import COMPARED, PLANNED, Aggregate, By, Condition, Kind, Query, Span, Subject, Versus
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
    Kind.NIGHTS: say("nights"),
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
    "start": say("start"),
    "end": say("end"),
}
SEVERAL = {"night": say("the figures of a night"), "meters": say("all meters")}
PER = {
    By.DAY: say("of all rows of a day together"),
    By.WEEK: say("of all rows of a week together"),
    By.MONTH: say("of all rows of a month together"),
}
BY = {
    By.DAY: say("by day"),
    By.WEEK: say("by week"),
    By.MONTH: say("by month"),
    By.WEEKDAY: say("by weekday"),
    By.SPORT: say("by sport"),
    By.ACTION: say("by action"),
    By.ROW: say("each by itself"),
}


def sentence(query: Query, translated_by: str | None = None) -> Text:
    """Return what a query asks, and which model read it in a question, as a text to be shown in any language."""
    parts = list(_parts(query))
    if translated_by:
        parts.append(say("as {model} translated the question", model=translated_by))
    return say("{query}.", query=listed(parts))


def _parts(query: Query) -> Iterator[str]:
    yield _figure(query)
    if isinstance(query.against, Condition):
        yield say("with minus without {condition}", condition=query.against.text)
    if isinstance(query.against, Versus):
        one, other = query.against
        yield say("where {condition} minus where {other}", condition=one.text, other=other.text)
    if query.per:
        yield PER[query.per]
    if query.since or query.until:
        yield span_of(query)
    if isinstance(query.against, Span):
        yield say("minus that {span}", span=dates(*query.against))
    for condition in query.where:
        yield (
            weekdays_of(query, condition) or _of_action(condition) or say("where {condition}", condition=condition.text)
        )
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


def weekdays_of(query: Query, condition: Condition) -> Text | None:
    """Return the weekdays that a condition leaves, or None for another condition."""
    if condition.field != "weekday":
        return None
    test = COMPARED[condition.operator]
    of = any if condition.operator == "=" else all
    left = [n for n in range(1, 8) if of(test(n, value) for value in condition.values)]
    evening = query.subject.name == BEDTIME
    return _on(query, listed([name for n, name in enumerate(WEEKDAYS, 1) if (n % 7 + 1 if evening else n) in left]))


def _of_action(condition: Condition) -> Text | None:
    """Return the actions that a condition leaves, in words, or None for another condition."""
    words = [ACTION_WORDS[one] for one in ActionType if one in condition.values]
    if condition.field != "action" or len(words) != len(condition.values):
        return None
    named = listed(words)
    return say("of {actions}", actions=named) if condition.operator == "=" else say("not of {actions}", actions=named)


def _on(query: Query, day: str) -> Text:
    return say("on the evening of {day}", day=day) if query.subject.name == BEDTIME else say("on {day}", day=day)


def on_day(query: Query, day: date) -> Text:
    """Return the day of an answer within a sentence: a bedtime is of the evening before the day of waking."""
    return _on(query, day_of(day - DAY if query.subject.name == BEDTIME else day))


def span_of(query: Query) -> Text:
    """Return the span of a query, of which one end may be open, within a sentence."""
    if query.since and query.since == query.until:
        return on_day(query, query.since)
    return dates(query.since, query.until)


def what_of(subject: Subject) -> str:
    """Return the name of a subject within a sentence."""
    if subject.parts:
        return SEVERAL.get(subject.name) or listed([what_of(one) for one in subject.parts])
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
    """Return the name of a metric, a meter or a note within a sentence."""
    return METRIC_NAMES.get("sleep" if name == "asleep" else name, name.replace("_", " "))


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
    return say("{day:%-d %b %Y}", day=day)
