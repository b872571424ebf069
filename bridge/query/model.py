"""The typed query: a subject, a span of dates, conditions, a grouping and an aggregate."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from rhythm_env.interface import Meter


class Kind(StrEnum):
    """The rows of a subject: days with a value, nights, workouts or calendar entries."""

    DAYS = "days"
    NIGHTS = "nights"
    WORKOUTS = "workouts"
    ENTRIES = "entries"


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


class By(StrEnum):
    """The grouping of the rows."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    WEEKDAY = "weekday"
    SPORT = "sport"
    ACTION = "action"


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
AVERAGED = frozenset({"speed", "average_hr"})  # of several workouts of a day, in a correlation by day; others add up
COUNTED = (Kind.NIGHTS, Kind.WORKOUTS, Kind.ENTRIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a query. ``field`` is a figure of the rows; a counted subject has none.

    Of days it is a metric or a meter, and ``over`` is the metric by which it is divided.
    """

    name: str
    kind: Kind
    field: str | None = None
    over: Metric | None = None

    @property
    def counted(self) -> bool:
        """Return True for nights, workouts or entries themselves."""
        return self.field is None

    @property
    def unit(self) -> str:
        """Return the unit of the subject's values."""
        if self.field is None:
            return str(self.kind)
        if self.kind is not Kind.DAYS:
            return WORKOUT_UNITS[self.field]
        if self.over is not None:
            return (
                "share"
                if METRICS[Metric(self.field)].unit == METRICS[self.over].unit
                else (f"{METRICS[Metric(self.field)].unit}/{METRICS[self.over].unit}")
            )
        return "level" if self.field in METER_NAMES else METRICS[Metric(self.field)].unit

    @property
    def metrics(self) -> frozenset[Metric]:
        """Return the metrics of a day that the subject reads."""
        if self.kind is not Kind.DAYS or self.field is None or self.field in METER_NAMES:
            return frozenset()
        return frozenset({Metric(self.field)} | ({self.over} if self.over else set()))


METER_NAMES: Mapping[str, Meter] = MappingProxyType({meter.lower(): meter for meter in Meter})
BEFORE = "before."  # leads a field of the day before, as in ``before.steps``
DAY_FIELDS = ("weekday", "action")
NIGHT_FIELDS = ("night.start", "night.end")
WORKOUT_FIELDS = ("workout.sport", "workout.start", "workout.end", *(f"workout.{name}" for name in WORKOUT_UNITS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A field compared with a value. ``value`` is a number, a clock time in minutes after midnight, or a text."""

    field: str
    operator: str
    value: float | str
    text: str  # as it was written

    @property
    def name(self) -> str:
        """Return the field without what says that it is of the day before."""
        return self.field.removeprefix(BEFORE)

    @property
    def of_day_before(self) -> bool:
        """Return True for a condition on the day before the row's."""
        return self.field.startswith(BEFORE)

    @property
    def of_workout(self) -> bool:
        """Return True for a condition on a workout."""
        return self.name.startswith("workout.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question over a person's rows. Both dates are local and inside the span; None is no limit."""

    subject: Subject
    of: Aggregate
    since: date | None = None
    until: date | None = None
    first: int | None = None
    last: int | None = None
    by: By | None = None
    where: tuple[Condition, ...] = ()
    against: Subject | Condition | None = None

    @property
    def subjects(self) -> Sequence[Subject]:
        """Return what is asked for, and what it is correlated with."""
        return [self.subject, *([self.against] if isinstance(self.against, Subject) else [])]

    @property
    def conditions(self) -> Sequence[Condition]:
        """Return the conditions that hold, and the one whose difference is asked for."""
        return [*self.where, *([self.against] if isinstance(self.against, Condition) else [])]

    def to_json(self) -> dict[str, Any]:
        """Return the query as plain JSON, in the words in which it may be asked."""
        against = self.against
        return {
            "what": self.subject.name,
            "of": str(self.of),
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
            "first": self.first,
            "last": self.last,
            "by": None if self.by is None else str(self.by),
            "where": [one.text for one in self.where],
            "against": against.text if isinstance(against, Condition) else against and against.name,
        }
