"""Answer an assistant's typed question from what its consent allows, and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bridge import installation
from bridge.documents.query import answer_document
from bridge.domain import sports
from bridge.domain.errors import SetupError
from bridge.domain.metrics import CHECK_INS, METRICS, Metric, Shape
from bridge.domain.records import User
from bridge.query.answer import answer
from bridge.query.model import CLOCKS, NIGHT_FIELDS, PERIOD_VALUE, WORKOUT_FIELDS, WORKOUT_UNITS, Query
from bridge.query.parse import Words, query_of
from bridge.query.rows import load_tables

GROUPS_MAX = 400
Short = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
Rows = Annotated[int, Field(strict=True, ge=1, le=4000)]


class Asked(BaseModel):
    """The parts that narrow a question: aggregate, dates (both inside), number of rows, grouping and conditions."""

    model_config = ConfigDict(extra="forbid")

    of: Literal["mean", "median", "sum", "min", "max", "std", "count", "first", "last", "share", "trend"] | None = None
    since: Annotated[str, Field(max_length=10)] | None = Field(default=None, description="such as 2026-10-01")
    until: Annotated[str, Field(max_length=10)] | None = Field(default=None, description="such as 2026-10-31")
    first: Rows | None = None
    last: Rows | None = None
    by: Literal["day", "week", "month", "weekday"] | None = None
    per: Literal["day", "week", "month"] | None = Field(
        default=None, description="first make one row of each day, week or month"
    )
    where: list[Short] = Field(default=[], max_length=8, description='"FIELD OP VALUE", such as "weekday < 6"')


@dataclass(frozen=True, slots=True)
class Allowed:
    """The subjects that a tool answers about, and the fields that its conditions may compare."""

    subjects: frozenset[str]
    fields: frozenset[str]

    def answer(
        self, bridge: installation.Bridge, user: User, what: str, asked: Asked | None, *, against: str | None = None
    ) -> dict[str, Any]:
        """Return the answer to a question as a JSON document. Raises SetupError for what the consent does not cover."""
        query = query_of(Words(what=what, against=against, **(asked or Asked()).model_dump()))
        self._check(query)
        found = answer(query, load_tables(bridge, user, query, now=installation.now()))
        if len(found.groups) > GROUPS_MAX:
            raise SetupError(f"these are more than {GROUPS_MAX} groups; name a shorter span, or group by week or month")
        return dict(answer_document(found))

    def _check(self, query: Query) -> None:
        names = {name for part in query.subjects for name in part.name.split("/")}
        fields = {name for one in query.conditions for name in one.name.split("/")}
        outside = sorted(names - self.subjects) + sorted(fields - self.fields)
        if outside:
            raise SetupError(f"this tool does not read {outside[0]}; another tool may, with the person's consent")
        for one in query.conditions:
            # A sport's name may be the person's own words, which could be found out letter by letter.
            if one.name == "workout.sport" and (
                one.operator == "~" or not all(sports.is_known(str(value)) for value in one.values)
            ):
                raise SetupError(f"name a sport in full, such as: {', '.join([*sports.SYNONYMS][:5])}")


# What the person says, a score or a note, is no measurement.
_MEASURED: Mapping[str, Shape] = {
    str(name): spec.shape for name, spec in METRICS.items() if name not in {*CHECK_INS.values(), Metric.NOTED}
}
_NIGHTLY = frozenset(name for name, shape in _MEASURED.items() if shape is Shape.NIGHTLY)
_DAILY = frozenset(_MEASURED) - _NIGHTLY
NIGHTS = Allowed(
    _NIGHTLY | {"nights", *(f"nights.{name}" for name in CLOCKS)}, _NIGHTLY | {"weekday", PERIOD_VALUE, *NIGHT_FIELDS}
)
WORKOUTS = Allowed(
    frozenset({"workouts", *(f"workouts.{name}" for name in (*WORKOUT_UNITS, *CLOCKS))}),
    frozenset({"weekday", PERIOD_VALUE, *WORKOUT_FIELDS}),
)
MEASUREMENTS = Allowed(_DAILY, _DAILY | {"weekday", PERIOD_VALUE})
COMPARE = Allowed(
    NIGHTS.subjects | WORKOUTS.subjects | MEASUREMENTS.subjects, NIGHTS.fields | WORKOUTS.fields | MEASUREMENTS.fields
)
