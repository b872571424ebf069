"""The typed query: a subject, a span of dates, conditions, a grouping and an aggregate."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from bridge.domain.metrics import METRICS, Metric, Shape
from rhythm_env.interface import ActionType, Meter


class Kind(StrEnum):
    """The rows of a subject: days with a value, nights, workouts, calendar entries or tasks."""

    DAYS = "days"
    NIGHTS = "nights"
    WORKOUTS = "workouts"
    ENTRIES = "entries"
    TASKS = "tasks"


class Aggregate(StrEnum):
    """The figure that is made of the rows."""

    MEAN = "mean"
    MEDIAN = "median"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    STD = "std"  # of a sample: the divisor is n - 1
    COUNT = "count"
    FIRST = "first"
    LAST = "last"
    SHARE = "share"  # of the rows for which all conditions hold
    TREND = "trend"  # change a week, by least squares over the dates
    STREAK = "streak"  # most days in a row with such a row
    AGO = "ago"  # days from the last such row to today


class By(StrEnum):
    """The grouping of the rows."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    WEEKDAY = "weekday"
    SPORT = "sport"
    ACTION = "action"
    ROW = "row"  # each row by itself, with its day, time and name


COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPERATORS = ("!=", "<=", ">=", "=", "<", ">", "~")

# The figures of a workout, by the metric of its episode. ``minutes``, ``start`` and ``end`` come from its times.
WORKOUT_METRICS: Mapping[str, tuple[Metric, ...]] = MappingProxyType(
    {
        "distance": (Metric.DISTANCE,),
        "energy": (Metric.ACTIVE_ENERGY, Metric.TOTAL_ENERGY),
        "speed": (Metric.SPEED,),
        "ascent": (Metric.ASCENT,),
        "steps": (Metric.STEPS,),
        "zone_minutes": (Metric.ZONE_MINUTES,),
        "average_hr": (Metric.HEART_RATE,),
    }
)
WORKOUT_UNITS: Mapping[str, str] = MappingProxyType(
    {"minutes": "min"} | {name: METRICS[metrics[0]].unit for name, metrics in WORKOUT_METRICS.items()}
)
PACKED = frozenset(str(metric) for metric, spec in METRICS.items() if spec.packed)  # of frequent readings
READINGS = PACKED - {"stress"}  # whose highest and lowest are those of single readings; of stress they are of days
PEAK = "max_hr"  # the highest heart rate that was read during a workout
FIGURE_UNITS: Mapping[str, str] = MappingProxyType({**WORKOUT_UNITS, PEAK: METRICS[Metric.HEART_RATE].unit})
CLOCKS = ("start", "end")  # of nights and workouts, as minutes after midnight
CLOCK_UNIT = "min after midnight"
# Minutes of a day's calendar entries of an action.
PLANNED: Mapping[str, ActionType] = MappingProxyType({f"{action.lower()}.minutes": action for action in ActionType})
AVERAGED = frozenset({"speed", "average_hr", PEAK})  # of a day's workouts, in a correlation by day; others add up


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a query: the kind of its rows and the ``field`` that is computed, or None if rows are counted.

    A field of days is a metric, a meter, a factor or planned minutes, divided by the metric ``over`` if there is one.
    ``parts`` are the subjects of a query for several figures.
    """

    name: str
    kind: Kind
    field: str | None = None
    over: Metric | None = None
    parts: tuple[Subject, ...] = ()

    @property
    def counted(self) -> bool:
        """Return True if the rows themselves are counted: days, nights, workouts or entries."""
        return self.field is None and not self.parts

    @property
    def of_meetings(self) -> bool:
        """Return True for calendar entries that are meetings."""
        return self.name.partition(".")[0] == MEETINGS

    @property
    def added(self) -> bool:
        """Return True if the values of several rows can be summed."""
        if self.kind is not Kind.DAYS or self.field is None:
            return self.field not in (*AVERAGED, *CLOCKS)
        return (
            self.over is None and self.field not in METER_NAMES and (self.metric not in METRICS or self.field in SUMMED)
        )

    @property
    def metric(self) -> str:
        """Return the field, or for readings of a part of the day their metric, or an empty text for rows."""
        return metric_in(self.field or "")

    @property
    def unit(self) -> str:
        """Return the unit of the subject's values."""
        if self.field is None:
            return "several" if self.parts else self.name if self.of_meetings else str(self.kind)
        if self.field in CLOCKS:
            return CLOCK_UNIT
        if self.kind is not Kind.DAYS:
            return FIGURE_UNITS[self.field]
        if self.field in (*PLANNED, NAPS):
            return "min"
        if self.field in TASKS:
            return "tasks"
        if self.field not in METER_NAMES and self.metric not in METRICS:
            return "noted"
        if self.over is not None:
            return (
                "share"
                if METRICS[Metric(self.field)].unit == METRICS[self.over].unit
                else (f"{METRICS[Metric(self.field)].unit}/{METRICS[self.over].unit}")
            )
        return "level" if self.field in METER_NAMES else METRICS[Metric(self.metric)].unit

    @property
    def metrics(self) -> frozenset[Metric]:
        """Return the daily metrics from which the subject is computed."""
        if self.kind is not Kind.DAYS or self.metric not in METRICS:
            return frozenset()
        return frozenset({Metric(self.metric)} | ({self.over} if self.over else set()))


METER_NAMES: Mapping[str, Meter] = MappingProxyType({meter.lower(): meter for meter in Meter})
# Tasks of a day by what they are on it: done, due whether done or not, or due and open still, with 0 on other days.
TASKS: tuple[str, ...] = ("tasks_done", "tasks_due", "tasks_overdue")
SUMMED: frozenset[str] = frozenset(TASKS) | frozenset(  # figures of a day of which several days make a sum
    metric
    for metric, spec in METRICS.items()
    if metric in (Metric.MINDFUL, Metric.FOCUS)
    or (spec.shape is Shape.DAILY and spec.unit in ("count", "m", "kcal", "min"))
)
# Subjects that stand for several figures.
SEVERAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "night": (
            "nights.start",
            "nights.end",
            "asleep",
            "in_bed",
            "deep_sleep",
            "rem_sleep",
            "light_sleep",
            "awake",
            "sleep_efficiency",
            "sleep_score",
            "resting_hr",
            "hrv_rmssd",
        ),
        "meters": tuple(METER_NAMES),
    }
)
MEETINGS = "meetings"  # the entries that are meetings
NAPS = "nap_minutes"  # asleep in naps of a day, with 0 on days of which only the night is told
NOTES = "notes"  # in a plain question, all that was noted in its span
SPORT_COUNT = "workouts."  # leads a field of days: how many of a day's workouts are of a sport, or of several by |
VERSUS = " vs "  # between two conditions of --against
BEFORE = "before."  # leads a field of the day before, as in ``before.steps``
DAY_FIELDS = ("weekday", "action")
# Of a day, with 0 on the days without.
DAY_COUNTS = ("entries", "entries.minutes", MEETINGS, "meetings.minutes", "workouts")
LATEST = "latest"  # the last minute of a day on which an entry of several days is
ENTRY_FIELDS = ("entry.minutes", "entry.start", "entry.title")
TASK_STATE, STATES = "task.state", ("open", "done", "overdue", "undated")
PERIOD_VALUE = "value"  # of a day, week or month of --per
TITLED = "titled "  # leads a factor: how many of a day's calendar entries have some words in their title
# A note, or so much of it as is of a time of day: "coffee from 15:00", "wine from 12:00 before 18:00".
TIMED = re.compile(r"(?P<name>.+?)(?: from (?P<begin>\d\d:\d\d))?(?: before (?P<end>\d\d:\d\d))?")
IN_NIGHTS = " in nights"  # behind a metric of readings: those of recorded nights
NIGHT_FIELDS = ("night.start", "night.end")
CLOCK_FIELDS = frozenset({*NIGHT_FIELDS, "workout.start", "workout.end", "entry.start"})
WORKOUT_FIELDS = ("workout.sport", "workout.start", "workout.end", *(f"workout.{name}" for name in WORKOUT_UNITS))
ASKED = tuple(metric for metric in METRICS if metric is not Metric.NOTED)  # notes are fields by their own names
ROW_FIELDS = (*ENTRY_FIELDS, TASK_STATE, *NIGHT_FIELDS, *WORKOUT_FIELDS)
OWN_FIELDS = (*DAY_FIELDS, *DAY_COUNTS, NAPS, PERIOD_VALUE, *PLANNED, *TASKS, *ROW_FIELDS)
FIELDS: tuple[str, ...] = (*map(str, ASKED), *METER_NAMES, *OWN_FIELDS)
SUBJECTS: tuple[str, ...] = (
    *(*map(str, ASKED), *METER_NAMES, *SEVERAL, "days", "tasks", "nights", *(f"nights.{name}" for name in CLOCKS)),
    *("workouts", *(f"workouts.{name}" for name in (*FIGURE_UNITS, *CLOCKS))),
    *(f"{rows}{figure}" for rows in (Kind.ENTRIES, MEETINGS) for figure in ("", ".minutes", ".start")),
    *(*PLANNED, *TASKS, NAPS),
)


def untimed(name: str) -> str:
    """Return the name of a note without its time of day, as "coffee" of "coffee from 15:00"."""
    found = TIMED.fullmatch(name)
    return found["name"] if found else name


def metric_in(name: str) -> str:
    """Return the metric of "heart_rate from 18:00" or "stress in nights", and any other name as it is."""
    plain = name.removesuffix(IN_NIGHTS) if name.endswith(IN_NIGHTS) else untimed(name)
    return plain if plain in PACKED else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A field compared with a value: a number, a clock time in minutes after midnight, or a text.

    Of several ``values``, = holds if one of them is met, and != if none is.
    """

    field: str
    operator: str
    values: tuple[float | str, ...]
    text: str  # as it was written

    @property
    def value(self) -> float | str:
        """Return the first value."""
        return self.values[0]

    @property
    def name(self) -> str:
        """Return the field's name without the prefix by which it means the day before."""
        return self.field.removeprefix(BEFORE)

    @property
    def of_day_before(self) -> bool:
        """Return True for a condition on the day before the row's."""
        return self.field.startswith(BEFORE)

    @property
    def of_workout(self) -> bool:
        """Return True for a condition on a workout."""
        return self.name.startswith("workout.")


class Versus(NamedTuple):
    """Two conditions whose rows are compared."""

    one: Condition
    other: Condition

    @property
    def text(self) -> str:
        """Return both conditions as they are written in a query."""
        return f"{self.one.text}{VERSUS}{self.other.text}"


class Span(NamedTuple):
    """The first and last date of a second span. Both dates belong to it, and None is no limit."""

    since: date | None
    until: date | None

    @property
    def text(self) -> str:
        """Return the span as it is written in a query."""
        return "..".join("" if one is None else one.isoformat() for one in self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question about a person's rows between two local dates. Both dates belong to the span, and None is no limit.

    ``per`` first sums or averages the rows of each day, week or month. ``against`` subtracts the figure of another
    span. ``ofs`` are several aggregates asked for at once, and ``top`` is the number of highest or lowest rows to list.
    """

    subject: Subject
    of: Aggregate
    ofs: tuple[Aggregate, ...] = ()
    top: int | None = None
    since: date | None = None
    until: date | None = None
    first: int | None = None
    last: int | None = None
    by: By | None = None
    per: By | None = None
    where: tuple[Condition, ...] = ()
    against: Subject | Condition | Versus | Span | None = None

    @property
    def of_readings(self) -> bool:
        """Return True if the highest or lowest single reading is asked for, and not that of the days' means."""
        return (
            metric_in(self.subject.name) in READINGS and self.of in (Aggregate.MIN, Aggregate.MAX) and self.per is None
        )

    @property
    def subjects(self) -> Sequence[Subject]:
        """Return the parts of the subject, and the subject with which it is correlated."""
        return [*(self.subject.parts or [self.subject]), *([self.against] if isinstance(self.against, Subject) else [])]

    @property
    def reach(self) -> Span:
        """Return the span of dates that covers the query's own span and the compared one."""
        if not isinstance(self.against, Span):
            return Span(self.since, self.until)
        firsts, lasts = (self.since, self.against.since), (self.until, self.against.until)
        return Span(
            min((first for first in firsts if first), default=None) if all(firsts) else None,
            max((last for last in lasts if last), default=None) if all(lasts) else None,
        )

    @property
    def conditions(self) -> Sequence[Condition]:
        """Return all conditions of the query: those on its rows and those of the two compared sides."""
        against = self.against
        compared = [against] if isinstance(against, Condition) else against if isinstance(against, Versus) else []
        return [*self.where, *compared]

    def to_json(self) -> dict[str, Any]:
        """Return the query as plain JSON, in the words in which it may be asked."""
        against = self.against
        return {
            "what": self.subject.name,
            "of": ",".join(self.ofs or [self.of]),
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
            "first": self.first,
            "last": self.last,
            "by": None if self.by is None else str(self.by),
            "per": None if self.per is None else str(self.per),
            "top": self.top,
            "where": [one.text for one in self.where],
            "against": against.text if isinstance(against, Condition | Versus | Span) else against and against.name,
        }
