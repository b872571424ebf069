"""Serve the trends page with meters and their inputs over weeks, as charts that zoom and as tables."""

from __future__ import annotations

from datetime import date
from statistics import fmean
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bridge.documents.trends_cache import load_trends
from bridge.domain.errors import SetupError
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType, Meter

router = APIRouter()

WEEK_RANGES = ((4, "4 weeks"), (12, "12 weeks"), (26, "half a year"), (52, "a year"))
Weeks = Annotated[int, Query(ge=1, le=52)]
DAYS_PER_WEEK = 7
Body = dict[str, Any]


@router.get("/trends")
def trends(visit: Visitor, weeks: Weeks = 12) -> HTMLResponse:
    body = _body(visit, weeks)
    metrics = {row["metric"]: row for row in body["inputs"]}
    charts = [
        {
            "meter": str(meter),
            "summary": summary(body, str(meter)),
            "validated": body["meters"][str(meter)]["validated"],
            "inputs": [{**row, "name": name(m)} for m, row in metrics.items() if str(meter) in row["meters"]],
        }
        for meter in Meter
    ]
    actions = [str(action) for action in ActionType]
    return page(
        "trends.html", visit, path="/trends", weeks=weeks, ranges=WEEK_RANGES, charts=charts, body=body, actions=actions
    )


@router.get("/trends/table")
def table(visit: Visitor, of: Annotated[str, Query(max_length=40)], weeks: Weeks = 12) -> HTMLResponse:
    """Show a chart's values as a table, newest day first. ``of`` is a meter, a metric or ``planned``."""
    body = _body(visit, weeks)
    columns = _columns(body, of)
    days = [day for day in reversed(range(len(body["days"]))) if any(c[day] is not None for c in columns.values())]
    rows = [
        [f"{date.fromisoformat(body['days'][day]):%a %d %b %Y}", *(c[day] for c in columns.values())] for day in days
    ]
    caption = name(of) if body["meters"].get(of, {}).get("validated", True) else f"{name(of)} (not validated)"
    return page("trends/table.html", visit, caption=caption, columns=list(columns), rows=rows)


def _columns(body: Body, of: str) -> dict[str, list[Any]]:
    """Return heading -> values by day for the chart ``of``. Raises SetupError for a name without a chart."""
    if of in body["meters"]:
        return {"level": body["meters"][of]["level"], "±": body["meters"][of]["sd"], "what happened": _happenings(body)}
    if of == "planned":
        return {name(action): hours for action, hours in body["planned_hours"].items()}
    found = {f"{row['source']}, {row['unit']}": row["values"] for row in body["inputs"] if row["metric"] == of}
    if not found:
        raise SetupError("no chart has this name; go back to the trends")
    return found


def _happenings(body: Body) -> list[str | None]:
    found: dict[str, list[str]] = {}
    for happening in body["happenings"]:
        found.setdefault(happening["day"], []).append(happening["title"] or happening["kind"])
    return [", ".join(found[day]) if day in found else None for day in body["days"]]


def _body(visit: Visit, weeks: int) -> Body:
    return load_trends(visit.bridge, visit.user, at=visit.now, days=DAYS_PER_WEEK * weeks, wait=False).body


def summary(body: Body, meter: str) -> str:
    """Return a sentence with the levels of a meter's chart, for people who cannot see the chart."""
    levels: list[float | None] = body["meters"][meter]["level"]
    known = {day: level for day, level in zip(body["days"], levels, strict=True) if level is not None}
    if not known:
        return "Nothing is known yet."
    last_days = [level for level in levels[-DAYS_PER_WEEK:] if level is not None]
    recent = f"{fmean(last_days):.2f} over the last seven days" if last_days else "not known over the last seven days"
    low, high = min(known, key=lambda day: known[day]), max(known, key=lambda day: known[day])
    return (
        f"{recent.capitalize()}, {fmean(known.values()):.2f} over the whole chart; lowest {known[low]:.2f} "
        f"({_short(low)}), highest {known[high]:.2f} ({_short(high)})."
    )


def _short(day: str) -> str:
    return f"{date.fromisoformat(day):%d %b}".lstrip("0")


def name(metric: str) -> str:
    """Return the display name of a metric or an activity.

    >>> name("hrv_rmssd"), name("DEEP_WORK"), name("planned")
    ('HRV (RMSSD)', 'Deep work', 'Planned')
    """
    special = {
        "hrv_rmssd": "HRV (RMSSD)",
        "hrv_rmssd_spot": "HRV (RMSSD of minutes)",
        "hrv_rmssd_beats": "HRV (RMSSD of single beats)",
        "hrv_sdnn": "HRV (SDNN)",
        "resting_hr": "Resting heart rate",
        "spo2": "SpO₂",
    }
    return special.get(metric, metric.replace("_", " ").capitalize())
