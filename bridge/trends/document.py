"""Trends as JSON: columns, a value per day, so that a year is some ten kilobytes and a chart takes them as they are."""

from __future__ import annotations

from typing import Any

from bridge.trends import Trends
from rhythm_env.interface import Meter


def document(found: Trends) -> dict[str, Any]:
    """``at``: when it was computed; ``normal``: everybody's own 0.70; null: a day on which nothing was known."""
    return {
        "at": found.at.isoformat(),
        "zone": found.zone,
        "map": found.map,
        "normal": 0.70,
        "days": [day.isoformat() for day in found.days],
        "meters": {
            str(meter): {
                "validated": meter in found.validated,
                "level": list(track.level),
                "sd": list(track.sd),
                "coverage": list(track.coverage),
            }
            for meter, track in found.meters.items()
        },
        "inputs": [
            {
                "metric": str(one.metric),
                "unit": one.unit,
                "source": one.source,
                "meters": [str(meter) for meter in one.meters],
                "values": list(one.values),
            }
            for one in found.inputs
        ],
        "planned_hours": {str(action): list(hours) for action, hours in found.planned.items()},
        "happenings": [
            {
                "day": one.day.isoformat(),
                "kind": one.kind,
                "title": one.title,
                "hours": one.hours,
                "private": one.private,
            }
            for one in found.happenings
        ],
    }


def weekly(body: dict[str, Any]) -> dict[str, Any]:
    """The same by week, means of the days that have a value, for readers that count every word."""
    weeks = [body["days"][k : k + 7] for k in range(len(body["days"]) % 7, len(body["days"]), 7)]
    at = {day: number for number, day in enumerate(body["days"])}
    return {
        "at": body["at"],
        "normal": body["normal"],
        "weeks_from": [week[0] for week in weeks],
        "meters": {
            str(meter): {"validated": body["meters"][meter]["validated"]}
            | {
                name: [_mean([body["meters"][meter][name][at[day]] for day in week]) for week in weeks]
                for name in ("level", "sd")
            }
            for meter in Meter
        },
        "inputs": [
            {**one, "values": [_mean([one["values"][at[day]] for day in week]) for week in weeks]}
            for one in body["inputs"]
        ],
        "happenings": body["happenings"],
    }


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
