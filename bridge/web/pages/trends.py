"""Serve the trends page with meters and their inputs over weeks, as charts that zoom and as tables."""

from __future__ import annotations

from datetime import date
from statistics import fmean
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bridge.documents.trends_cache import load_trends
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, date_text, number, say, shown
from bridge.web.kinds import heading, unit_name
from bridge.web.phrases import action_name, meter_name, source_title
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType, Meter

router = APIRouter()

WEEK_RANGES = ((4, say("4 weeks")), (12, say("12 weeks")), (26, say("half a year")), (52, say("a year")))
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
            "known": _known_days(body, str(meter)),
            "needs": shown(NEEDS[meter]),
            "validated": body["meters"][str(meter)]["validated"],
            "inputs": [
                {**row, "source": source_title(row["source"]), "name": heading(m), "unit_name": unit_name(row["unit"])}
                for m, row in metrics.items()
                if str(meter) in row["meters"]
            ],
        }
        for meter in Meter
    ]
    actions = [str(action) for action in ActionType]
    return page(
        "trends.html",
        visit,
        path="/trends",
        weeks=weeks,
        ranges=WEEK_RANGES,
        charts=charts,
        body=body,
        actions=actions,
        titles=[action_name(action) for action in actions],
        sources={row["source"]: source_title(row["source"]) for row in body["inputs"]},
    )


def _known_days(body: Body, meter: str) -> int:
    return sum(level is not None for level in body["meters"][meter]["level"])


# What a meter is read from, in words for people without it.
NEEDS = {
    Meter.VITALITY: say("It is read from nights, heart and steps, by a watch or ring, and from check-ins."),
    Meter.COGNITION: say("It is read from nights, by a watch or ring, from a calendar, and from check-ins."),
    Meter.PROGRESS: say("It is read from tasks, from focus in a calendar or ActivityWatch, and from check-ins."),
    Meter.SERENITY: say(
        "It is read from stress, heart and nights, by a watch or ring, from meetings, and from check-ins."
    ),
    Meter.CONNECTION: say(
        "It is read from entries with others in a calendar, from counts of messages, and from check-ins."
    ),
}


@router.get("/trends/table")
def table(visit: Visitor, of: Annotated[str, Query(max_length=40)], weeks: Weeks = 12) -> HTMLResponse:
    """Show a chart's values as a table, newest day first. ``of`` is a meter, a metric or ``planned``."""
    body = _body(visit, weeks)
    columns = _columns(body, of)
    days = [day for day in reversed(range(len(body["days"]))) if any(c[day] is not None for c in columns.values())]
    rows = [
        [date_text(date.fromisoformat(body["days"][day]), "%a %d %b %Y"), *(_cell(c[day]) for c in columns.values())]
        for day in days
    ]
    name = meter_name(of) if of in body["meters"] else _("Planned") if of == "planned" else heading(of)
    validated = body["meters"].get(of, {}).get("validated", True)
    caption = name if validated else _("{name} (not validated)", name=name)
    return page("trends/table.html", visit, caption=caption, columns=list(columns), rows=rows)


def _columns(body: Body, of: str) -> dict[str, list[Any]]:
    """Return heading -> values by day for the chart ``of``."""
    if of in body["meters"]:
        level, sd = body["meters"][of]["level"], body["meters"][of]["sd"]
        return {_("level"): level, "±": sd, _("what happened"): _happenings(body)}
    if of == "planned":
        return {action_name(action): hours for action, hours in body["planned_hours"].items()}
    found = {
        f"{source_title(row['source'])}, {unit_name(row['unit'])}": row["values"]
        for row in body["inputs"]
        if row["metric"] == of
    }
    if not found:
        raise SetupError(_("no chart has this name; go back to the trends"))
    return found


def _cell(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return number(int(value), ",") if value.is_integer() else number(value)


def _happenings(body: Body) -> list[str | None]:
    found: dict[str, list[str]] = {}
    for happening in body["happenings"]:
        kind = happening["kind"]
        found.setdefault(happening["day"], []).append(happening["title"] or _(kind))
    return [", ".join(found[day]) if day in found else None for day in body["days"]]


def _body(visit: Visit, weeks: int) -> Body:
    return load_trends(visit.bridge, visit.user, at=visit.now, days=DAYS_PER_WEEK * weeks, wait=False).body


def summary(body: Body, meter: str) -> str:
    """Return a sentence with the levels of a meter's chart, for people who cannot see the chart."""
    levels: list[float | None] = body["meters"][meter]["level"]
    known = {day: level for day, level in zip(body["days"], levels, strict=True) if level is not None}
    if not known:
        return _("Nothing is known yet.")
    last_days = [level for level in levels[-DAYS_PER_WEEK:] if level is not None]
    low, high = min(known, key=lambda day: known[day]), max(known, key=lambda day: known[day])
    values = {
        "recent": fmean(last_days) if last_days else 0.0,
        "mean": fmean(known.values()),
        "low": known[low],
        "on_low": _short(low),
        "high": known[high],
        "on_high": _short(high),
    }
    return shown(say(RECENT_TEXT if last_days else LONG_AGO_TEXT, **values))


RECENT_TEXT = say(
    "{recent:.2f} over the last seven days, {mean:.2f} over the whole chart; lowest {low:.2f} ({on_low}), "
    "highest {high:.2f} ({on_high})."
)
LONG_AGO_TEXT = say(
    "Not known over the last seven days, {mean:.2f} over the whole chart; lowest {low:.2f} ({on_low}), "
    "highest {high:.2f} ({on_high})."
)


def _short(day: str) -> str:
    return date_text(date.fromisoformat(day), "%-d %b")
