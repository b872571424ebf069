"""JSON documents of trends, as columns with a value per day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import TypedDict

from bridge.documents.filling import filled
from bridge.trends import Trends
from rhythm_env.interface import Meter


class MeterTrendDocument(TypedDict):
    """A meter with a value per day, null if nothing was known.

    ``validated`` is true if the meter was compared with people's own reports.
    """

    validated: bool
    level: list[float | None]
    sd: list[float | None]
    coverage: list[float]


class InputTrendDocument(TypedDict):
    """A metric of a source with a value per day, null where nothing was measured.

    ``meters`` are the meters that use the metric.
    """

    metric: str
    unit: str
    source: str
    meters: list[str]
    values: list[float | None]


class HappeningDocument(TypedDict):
    """An event that may explain a trend, which is a workout, an all-day entry or a change of time zone.

    ``hours`` is the length of a workout, otherwise null, and ``days`` that of an entry. ``private`` is true for a
    private calendar entry.
    """

    day: str
    kind: str
    title: str | None
    hours: float | None
    days: int
    private: bool


class TrendsDocument(TypedDict):
    """Columns with a value for each of ``days``, as computed ``at`` an instant.

    ``map`` is the version of the meters' inputs and weights, and ``normal`` is 0.70 for every user. ``planned_hours``
    is action -> hours a day.
    """

    at: str
    zone: str
    map: str
    normal: float
    days: list[str]
    meters: dict[str, MeterTrendDocument]
    inputs: list[InputTrendDocument]
    planned_hours: dict[str, list[float]]
    happenings: list[HappeningDocument]


def trends_document(found: Trends) -> TrendsDocument:
    return {
        "at": found.at.isoformat(),
        "zone": found.zone,
        "map": found.map,
        "normal": 0.70,
        "days": [day.isoformat() for day in found.days],
        "meters": {
            str(meter): filled(MeterTrendDocument, track, validated=meter in found.validated)
            for meter, track in found.meters.items()
        },
        "inputs": [filled(InputTrendDocument, given) for given in found.inputs],
        "planned_hours": {str(action): list(hours) for action, hours in found.planned.items()},
        "happenings": [filled(HappeningDocument, happening) for happening in found.happenings],
    }


def weekly_trends(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a shorter trends document for language models, with means per week.

    Weeks are counted back from the last day. A mean is null for a week without values.
    """
    weeks = [body["days"][k : k + 7] for k in range(len(body["days"]) % 7, len(body["days"]), 7)]
    index = {day: number for number, day in enumerate(body["days"])}
    return {
        "at": body["at"],
        "normal": body["normal"],
        "weeks_from": [week[0] for week in weeks],
        "meters": {
            str(meter): {"validated": body["meters"][meter]["validated"]}
            | {
                name: [_mean([body["meters"][meter][name][index[day]] for day in week]) for week in weeks]
                for name in ("level", "sd")
            }
            for meter in Meter
        },
        "inputs": [
            {**one, "values": [_mean([one["values"][index[day]] for day in week]) for week in weeks]}
            for one in body["inputs"]
        ],
        "happenings": body["happenings"],
    }


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return round(sum(present) / len(present), 3) if present else None
