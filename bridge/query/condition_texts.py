"""Write what is said of a day, night, workout or entry as a condition of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from bridge.query import plain_kinds as w
from bridge.query.model import METER_NAMES, NAPS, PLANNED, READINGS, SPORT_COUNT, SUMMED, TASKS, TITLED, WORKOUT_UNITS
from bridge.query.settled import OF_WORKOUT

NAMED_BY_UNIT = ("minutes", "distance", "speed", "energy", "average_hr")
NIGHT = {"asleep", "in_bed", "awake", "light_sleep", "deep_sleep", "rem_sleep"}
PERCENT = 100.0
# A condition on what a day brought is of that day, of the day before, or of the day before for certain. What is asked
# for settles which: the night that follows a day is of the next day.
ON, AFTER, NEXT, AHEAD = "on.", "after.", "next.", "ahead."
BETWEEN = "between:"  # leads the highest value of a range, which its lowest follows
BY_DAY = SUMMED | {"stress"}  # figures of what is done by day, whose night is the one that follows


def lead_of(of: dict[str, object]) -> str:
    """Return the lead of a condition on what a day brought: of that day, or after it."""
    return ON if w.AFTER not in of else NEXT if of[w.AFTER] == "day" or w.DAYS in of else AFTER


def before_it(of: dict[str, object]) -> Sequence[str]:
    """Return the conditions of "the night before a run"."""
    told = {kind: one for kind, one in of.items() if kind not in (w.ON_DAYS, w.DAYS, w.NIGHTS)}
    found: str | Sequence[str] | None = (
        noted_on(told) if w.FACTOR in of else of_action(told) if w.ACTION in of else with_entries(told)
    )
    if of.keys() & {w.SPORT, w.ACTIVITY, w.WORKOUTS}:
        found = of_workouts(told)
    return [AHEAD + one.removeprefix(ON) for one in ([found] if isinstance(found, str) else found or [])]


def of_workouts(of: dict[str, object]) -> Sequence[str] | None:
    """Return the conditions for a workout on a day, of a sport, a time or a length, or None."""
    if w.SPORT in of and w.ACTIVITY in of and of[w.SPORT] != of[w.ACTIVITY]:
        return None
    sport = of.get(w.SPORT) or of.get(w.ACTIVITY)
    found = [f"workout.sport = {sport}" if sport else "workout.minutes > 0"]
    if w.CLOCK in of:
        found = [*([found[0]] if sport else []), clocked("workout.start", of)]
    if w.COMPARED in of:
        sign, number, unit = amount(of[w.COMPARED])
        if unit is None and not sport and w.AFTER not in of:
            return [f"{ON}workouts {sign} {number:g}"]
        if (long := of_workout({w.COMPARED: of[w.COMPARED]})) is None:
            return None
        found = [*([found[0]] if sport else []), long]
    return [lead_of(of) + one for one in found]


def of_action(of: dict[str, object]) -> str:
    """Return the condition for an action in a day's calendar."""
    return f"{lead_of(of)}action = {of[w.ACTION]}"


def planned(of: dict[str, object]) -> str | None:
    """Return the condition for the planned minutes of an action, or None."""
    sign, number, unit = amount(of[w.COMPARED])
    name = f"{str(of[w.ACTION]).lower()}.minutes"
    return f"{ON}{name} {sign} {number:g}" if unit == "min" and name in PLANNED else None


def of_entries(of: dict[str, object]) -> str | None:
    """Return the condition for the number or minutes of a day's calendar entries, or None."""
    sign, number, unit = amount(of[w.COMPARED])
    return f"{lead_of(of)}entries{'.minutes' if unit else ''} {sign} {number:g}" if unit in (None, "min") else None


def with_entries(_: dict[str, object]) -> str:
    """Return the condition for a day with calendar entries."""
    return f"{ON}entries > 0"


def of_entry(of: dict[str, object]) -> str | None:
    """Return the condition for the length of an entry, or None."""
    sign, number, unit = amount(of[w.COMPARED])
    return f"entry.minutes {sign} {number:g}" if unit == "min" else None


def of_other_sports(of: dict[str, object]) -> str:
    """Return the condition for workouts of any other sport."""
    return f"workout.sport != {of.get(w.SPORT) or of[w.ACTIVITY]}"


def absent(of: dict[str, object]) -> str | None:
    """Return the condition for a day without an action, entries or workouts, or None."""
    if w.ACTION in of:
        return f"{ON}action != {of[w.ACTION]}"
    if w.ENTRIES in of:
        return f"{ON}entries = 0"
    sports = {str(of[kind]) for kind in (w.SPORT, w.ACTIVITY) if kind in of}
    if len(sports) > 1:
        return None
    return f"{ON}{SPORT_COUNT}{sports.pop()} = 0" if sports else f"{ON}workouts = 0"


def after_none(of: dict[str, object]) -> str | None:
    """Return the condition for the day after one without entries or workouts, or None."""
    found = absent(of)
    return found and NEXT + found.removeprefix(ON)


def weekday_after(of: dict[str, object]) -> str | None:
    """Return the condition of "the night before workdays", or None for what is no weekday."""
    told = str(of[w.CONDITION])
    return f"{AHEAD}{told}" if told.startswith("weekday") else None


def noted_on(of: dict[str, object]) -> str | None:
    """Return the condition for a day on which something was noted, or so much of it, or None."""
    sign, number, unit = amount(of.get(w.COMPARED, (">", 0.0, None)))
    if w.COMPARED in of and str(of[w.FACTOR]).startswith(TITLED):
        return None
    return (
        f"{lead_of(of)}{of[w.FACTOR]} {sign} {number:g}" if unit in (None, *["min"] * (of[w.FACTOR] == NAPS)) else None
    )


def clocked(field: str, of: dict[str, object]) -> str:
    """Return the condition for a field before, at or after a time of day."""
    return f"{field} {' '.join(amount(of[w.CLOCK]))}"


def amount(value: object) -> tuple[Any, ...]:
    """Return the sign, the number and the unit of an amount, or nothing of another value."""
    return value if isinstance(value, tuple) else ()


def of_nights(of: dict[str, object]) -> str | None:
    """Return the condition for nights of some length, as in "in nights shorter than 6 hours"."""
    asks = of[w.ON_DAYS] == "nights" and amount(of[w.COMPARED])[2] == "min"
    return of_metric({**of, w.METRIC: "asleep"}) if asks else None


def after_it(of: dict[str, object]) -> str | None:
    """Return the condition of "after": on the same row for a metric of the night, else on the day before."""
    found, night = of_metric(of), str(of[w.METRIC]) in NIGHT
    return found if night or found is None else f"before.{found}"


def of_metric(of: dict[str, object]) -> str | None:
    """Return the condition for an amount of a metric in its unit, or None."""
    name = str(of[w.METRIC])
    sign, number, unit = amount(of[w.COMPARED])
    if name in TASKS:
        return f"{name} {sign} {number:g}" if unit is None else None
    own = "level" if name in METER_NAMES else METRICS[Metric(name)].unit
    if name in READINGS:
        return None  # of a reading, or of the day's mean
    if own == "level" and sign.startswith(BETWEEN):
        return None
    if own == "level" and unit in (None, "%") and 0 <= number <= PERCENT:
        return f"{name} {sign} {number / PERCENT if number > 1 or unit else number:g}"
    if own.startswith("vendor") and unit in (None, "%"):
        return f"{name} {sign} {number:g}"
    told = unit or ("" if own in ("m", "level") or name in NIGHT else own)
    return f"{name} {sign} {number:g}" if told == own else None


def of_workout(of: dict[str, object]) -> str | None:
    """Return the condition for an amount of a workout's figure in its unit, or None."""
    sign, number, unit = amount(of[w.COMPARED])
    if w.METRIC in of and of[w.METRIC] not in OF_WORKOUT:
        return None
    field = str(of.get(w.FIGURE) or OF_WORKOUT.get(str(of.get(w.METRIC)), ""))
    if not field:
        field = {own: name for name, own in WORKOUT_UNITS.items() if name in NAMED_BY_UNIT}.get(unit or "", "")
    allowed: dict[str, tuple[str | None, ...]] = {
        name: (own,) for name, own in WORKOUT_UNITS.items() if name in NAMED_BY_UNIT
    }
    allowed |= {"ascent": ("m", None), "average_hr": ("bpm", None), "energy": ("kcal", None)}
    if not field or unit not in allowed.get(field, (None,)):
        return None
    return f"workout.{field} {sign} {number:g}"
