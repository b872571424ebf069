"""The last night and the last workout, as entities of Home Assistant and their states."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge.domain import sports
from bridge.domain.metrics import METRICS, NIGHT_MINUTES, Metric
from bridge.domain.slots import local_time
from bridge.query.model import WORKOUT_UNITS
from bridge.query.parse import Words, query_of
from bridge.query.rows import Row, load_tables

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

NIGHT_DAYS, WORKOUT_DAYS = 1, 30  # how old the night and the workout may be
OF_NIGHT = (
    *sorted(NIGHT_MINUTES),
    *(Metric.SLEEP_EFFICIENCY, Metric.SLEEP_SCORE, Metric.RESTING_HR, Metric.HRV_RMSSD, Metric.RESPIRATORY_RATE),
)
SLEEP, WORKOUT = "night", "last_workout"  # parts of a device
TIMES = {"sleep_start": ("Sleep start", "start", "mdi:bed-clock"), "sleep_end": ("Sleep end", "end", "mdi:alarm")}


def sensors(topics: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return entity -> its own fields of discovery. ``topics`` maps the parts SLEEP and WORKOUT to their topics."""
    found: dict[str, dict[str, Any]] = {
        part: {
            "name": name,
            "icon": icon,
            "state_topic": topics[SLEEP],
            "value_template": f"{{{{ value_json.{field} }}}}",
            "device_class": "timestamp",
        }
        for part, (name, field, icon) in TIMES.items()
    }
    found["last_night"] = {
        "name": "Asleep last night",
        "icon": "mdi:sleep",
        "state_topic": topics[SLEEP],
        "value_template": "{{ value_json.asleep }}",
        "json_attributes_topic": topics[SLEEP],
        "device_class": "duration",
        "unit_of_measurement": METRICS[Metric.ASLEEP].unit,
    }
    found[WORKOUT] = {
        "name": "Last workout",
        "icon": "mdi:run",
        "state_topic": topics[WORKOUT],
        "value_template": "{{ value_json.sport }}",
        "json_attributes_topic": topics[WORKOUT],
    }
    return found


def states(bridge: Bridge, user: User, now: datetime, *, titles: bool) -> dict[str, dict[str, Any]]:
    """Return the states of SLEEP and WORKOUT, with None in all fields of which nothing is known.

    A sport that is none of the usual is told as "workout" without ``titles``, because people name theirs themselves.
    """
    today = local_time(now, user.zones).date()
    since = str(today - timedelta(days=WORKOUT_DAYS))
    where = (*(f"{metric} > 0" for metric in OF_NIGHT), "workout.minutes > 0")  # so that all of these are read
    tables = load_tables(bridge, user, query_of(Words(what="nights", since=since, where=where)), now=now)
    day = max((one for one in tables.nights if one >= today - timedelta(days=NIGHT_DAYS)), default=None)
    night = {str(metric): None if day is None else tables.values[metric].get(day) for metric in OF_NIGHT}
    workout = max(tables.workouts, key=lambda row: str(row.fields["start"]), default=None)
    figures = {name: None if workout is None else workout.values.get(name) for name in WORKOUT_UNITS}
    return {
        SLEEP: {"day": day and str(day), **_times(None if day is None else tables.nights[day]), **night},
        WORKOUT: {"sport": workout and _sport(workout, titles=titles), **_times(workout), **figures},
    }


def _times(row: Row | None) -> dict[str, Any]:
    return {end: row and row.fields[end] for end in ("start", "end")}


def _sport(workout: Row, *, titles: bool) -> str:
    label = workout.name or ""
    if sports.is_known(label):
        return sports.normalised(label)
    return label if titles and label else "workout"
