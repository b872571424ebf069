"""Serve the trends page with meters and their inputs over weeks, as charts that zoom and as tables."""

from __future__ import annotations

import json
from datetime import date, timedelta
from statistics import fmean, pstdev
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bridge.domain.errors import SetupError
from bridge.domain.languages import Text, _, date_text, number, say, shown
from bridge.domain.metrics import Metric
from bridge.domain.sport_names import sport_name
from bridge.query.change import DAYS_MIN, GAP_DAYS, OTHERS_MIN, Change, breaks, change
from bridge.web.as_of import as_of, trends_shown
from bridge.web.phrases import action_name, heading, meter_name, meter_word, source_title, unit_name
from bridge.web.render import page
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType, Meter

router = APIRouter()

WEEK_RANGES = ((4, say("4 weeks")), (12, say("12 weeks")), (26, say("half a year")), (52, say("a year")))
Weeks = Annotated[int, Query(ge=1, le=52)]
DAYS_PER_WEEK = 7
WEEKS_SHOWN, A_DAY = 12, timedelta(days=1)
Body = dict[str, Any]


@router.get("/trends")
def trends(visit: Visitor, weeks: Weeks | None = None, until: date | None = None) -> HTMLResponse:
    """Show ``weeks`` of trends (default twelve) up to the day ``until`` (default today, or the last day with data)."""
    weeks, then, wanted = weeks or WEEKS_SHOWN, as_of(visit), until
    found, until, older = _in_weeks(visit, weeks, until or (None if then is None else then.day))
    today = visit.today
    actions = [str(action) for action in ActionType]
    return page(
        "trends.html",
        visit,
        path="/trends",
        weeks=weeks,
        ranges=WEEK_RANGES,
        actions=actions,
        titles=[action_name(action) for action in actions],
        ending=f"&until={until}" if until else "",
        kept_ending=f"&until={wanted}" if wanted else "",
        until_text=until and until < today and date_text(until, "%-d %B %Y"),
        newest=then is not None and then.all_old and then.day == until,
        today=today,
        older=older,
        older_text=older and date_text(older, "%-d %B %Y"),
        **found,
    )


def _charts(body: Body) -> dict[str, Any]:
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
    found = {str(meter): _change_of_meter(body, str(meter)) for meter in Meter}
    for chart in charts:
        one = found[str(chart["meter"])]
        chart["changed"] = None if one is None else [body["days"][one.begin], body["days"][one.end - 1]]
    return {
        "charts": charts,
        "changes": [
            _changed(body, meter, one) for meter, one in sorted(found.items(), key=_clarity) if one is not None
        ],
        "few": all(chart["known"] < DAYS_MIN + OTHERS_MIN for chart in charts),
        "body": body,
        "sources": {row["source"]: source_title(row["source"]) for row in body["inputs"]},
        "sports": {title: shown(sport_name(title)) for one in body["happenings"] if (title := _sport(one))},
    }


def _change_of_meter(body: Body, meter: str) -> Change | None:
    return change(body["meters"][meter]["level"], _breaks(body, meter))


def clearest_change(visit: Visit, name: str, *, is_sure: bool) -> str | None:
    return change_in(_document(visit, WEEKS_SHOWN, None), name, WEEKS_SHOWN, is_sure=is_sure)


def change_in(body: Body, name: str, weeks: int, *, is_sure: bool = False) -> str | None:
    """Return the clearest change of a meter or metric in a trends document, in words. None if it is not there.

    Where a slope ``is_sure``, it is the verdict, and that no day stands out is not told.
    """
    columns = [row["values"] for row in body["inputs"] if row["metric"] == name]
    meter = name.upper()
    if meter in body["meters"]:
        one = _change_of_meter(body, meter)
        told = None if one is None else _changed(body, meter, one)["said"]
    elif columns:
        values = max(columns, key=lambda column: sum(value is not None for value in column))
        one = change(values, breaks([values]))
        unit = next(row["unit"] for row in body["inputs"] if row["metric"] == name)
        told = None if one is None else _shifted(body["days"], unit, one)
    else:
        return None
    if told is None:
        return (
            None
            if is_sure
            else _("In the last {weeks} weeks there is no change that chance could not explain.", weeks=weeks)
        )
    return _("The clearest change of the last {weeks} weeks: {change}", weeks=weeks, change=told)


def _shifted(days: list[str], unit: str, one: Change) -> str:
    values = {"off": f"{number(one.shift, '+.3g')} {unit_name(unit)}", "error": number(one.error, ".2g")}
    return shown(say(SHIFTED_TEXTS[one.lasts], **values, **_dates(days, one)))


def _dates(days: list[str], one: Change) -> dict[str, str | Text]:
    """Return the first and the last day of a change as texts, and when it ``began`` as part of a sentence."""
    earliest, latest = _short(days[one.earliest]), _short(days[one.latest])
    began = say("it began between {earliest} and {latest}", earliest=earliest, latest=latest)
    if earliest == latest:
        began = say("it began on {day}", day=latest)
    return {"begin": _short(days[one.begin]), "end": _short(days[one.end - 1]), "began": began}


def _breaks(body: Body, meter: str) -> set[int]:
    """Return the day indices at which data of the meter begin or end, those of its inputs, level and calendar."""
    columns = [row["values"] for row in body["inputs"] if meter in row["meters"]]
    planned = [day for day, hours in enumerate(zip(*body["planned_hours"].values(), strict=True)) if any(hours)]
    calendar = {planned[0], planned[-1] + 1} if planned else set()
    last = len(body["days"]) - GAP_DAYS
    return breaks([*columns, body["meters"][meter]["level"]]) | {day for day in calendar if GAP_DAYS < day < last}


def _in_weeks(visit: Visit, weeks: int, until: date | None) -> tuple[dict[str, Any], date | None, date | None]:
    """Return (values for the template, last day shown if not today, last night before the weeks), None if unused."""
    found = _charted(visit, weeks, until)
    if until is not None:
        return found, until, None
    older = _night_before(visit, found["body"]["days"][0])
    if older is not None and all(chart["known"] < DAYS_PER_WEEK for chart in found["charts"]):
        return _charted(visit, weeks, older), older, None
    return found, None, older


def _charted(visit: Visit, weeks: int, until: date | None) -> dict[str, Any]:
    text = trends_shown(visit, weeks, until).text
    return visit.app.results.get(visit.user, f"trends-{weeks}-{until}", (text,), lambda: _charts(json.loads(text)))


def _night_before(visit: Visit, first: str) -> date | None:
    store, today = visit.bridge.store, visit.today
    last = store.reading.last_night(visit.user.id, before=today + A_DAY, at=visit.now)
    return last if last is not None and last.isoformat() < first else None


def _clarity(pair: tuple[str, Change | None]) -> float:
    return 0.0 if pair[1] is None else -abs(pair[1].shift) / pair[1].error


def _changed(body: Body, meter: str, one: Change) -> dict[str, str | None]:
    days = body["days"]
    told = CHANGED_TEXTS[one.lasts, one.shift > 0]
    values = {"meter": meter_word(meter), "off": abs(one.shift), "error": one.error}
    around = [*_inputs_around(body, meter, one), *_happened_around(body, one)][:AROUND_MAX]
    said = shown(say(told, **values, **_dates(days, one)))
    return {"said": said, "around": "; ".join(around) or None}


def _inputs_around(body: Body, meter: str, one: Change) -> list[str]:
    """Return in words the inputs of a meter that differed most during a change from other days, at most two."""
    found = []
    for row in body["inputs"]:
        inside = [value for value in row["values"][one.begin : one.end] if value is not None]
        beside = [value for value in row["values"][: one.begin] + row["values"][one.end :] if value is not None]
        is_input = meter in row["meters"] and row["metric"] != Metric.SLEEP_NEED
        if is_input and len(inside) >= DAYS_MIN and len(beside) >= OTHERS_MIN:
            apart = abs(fmean(inside) - fmean(beside)) / (pstdev(beside) or 1.0)
            means = {"value": number(fmean(inside), ".3g"), "usual": number(fmean(beside), ".3g")}
            unit = "" if row["unit"].startswith("vendor") else f" {unit_name(row['unit'])}"
            text = _("{name} {value} instead of {usual}", name=heading(row["metric"]), **means) + unit
            found.append((apart, row["metric"], text))
    best = {metric: (apart, text) for apart, metric, text in sorted(found)}
    return [text for apart, text in sorted(best.values(), reverse=True) if apart >= 1][:2]


def _happened_around(body: Body, one: Change) -> list[str]:
    near = set(body["days"][max(one.earliest - 3, 0) : one.end + 1])
    rare = [each for each in body["happenings"] if each["day"] in near and _may_explain(body, each, near)]
    rare = list({each["title"]: each for each in reversed(rare)}.values())[::-1]
    return [f"{_name(each)} ({_short(each['day'])})" for each in rare]


def _may_explain(body: Body, happening: dict[str, Any], near: set[str]) -> bool:
    """Return True if a happening may explain a change, as another zone, a long entry or a new repeated entry may."""
    if happening["kind"] != "entry":
        return bool(happening["kind"] == "zone")
    like = [one["day"] for one in body["happenings"] if one["title"] == happening["title"]]
    repeats = len(near.intersection(like)) > 1 and min(like) >= min(near)
    return happening["days"] > 1 or (happening["title"] is not None and repeats)


CHANGED_TEXTS = {
    (True, True): say("Since {begin} your {meter} is {off:.2f} higher than before (± {error:.2f}; {began})."),
    (True, False): say("Since {begin} your {meter} is {off:.2f} lower than before (± {error:.2f}; {began})."),
    (False, True): say(
        "From {begin} to {end} your {meter} was {off:.2f} higher than on the other days (± {error:.2f}; {began})."
    ),
    (False, False): say(
        "From {begin} to {end} your {meter} was {off:.2f} lower than on the other days (± {error:.2f}; {began})."
    ),
}
SHIFTED_TEXTS = {
    True: say("{off} since {begin} against before (± {error}; {began})."),
    False: say("{off} from {begin} to {end} against the other days (± {error}; {began})."),
}
AROUND_MAX = 4


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
def table(
    visit: Visitor, of: Annotated[str, Query(max_length=40)], weeks: Weeks = 12, until: date | None = None
) -> HTMLResponse:
    """Show a chart's values as a table, newest day first. ``of`` is a meter, a metric or ``planned``."""
    body = _document(visit, weeks, until)
    columns = _columns(body, of)
    days = [day for day in reversed(range(len(body["days"]))) if any(c[day] is not None for c in columns.values())]
    rows = [
        [date_text(date.fromisoformat(body["days"][day]), "%a %-d %b %Y"), *(_cell(c[day]) for c in columns.values())]
        for day in days
    ]
    name = meter_name(of) if of in body["meters"] else _("Planned") if of == "planned" else heading(of)
    validated = body["meters"].get(of, {}).get("validated", True)
    caption = name if validated else _("{name} (not validated)", name=name)
    return page("trends/table.html", visit, caption=caption, columns=list(columns), rows=rows)


def _columns(body: Body, of: str) -> dict[str, list[Any]]:
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
        found.setdefault(happening["day"], []).append(_name(happening))
    return [", ".join(found[day]) if day in found else None for day in body["days"]]


def _name(happening: dict[str, Any]) -> str:
    kind, sport = happening["kind"], _sport(happening)
    if kind == "zone":
        return _("the clock was set to {zone}", zone=happening["title"])
    return shown(sport_name(sport)) if sport else happening["title"] or _(kind)


def _sport(happening: dict[str, Any]) -> str | None:
    return happening["title"] if happening["kind"] == "workout" else None


def _document(visit: Visit, weeks: int, until: date | None) -> Body:
    then = None if until else as_of(visit)
    body: Body = _in_weeks(visit, weeks, until or (None if then is None else then.day))[0]["body"]
    return body


def summary(body: Body, meter: str) -> str:
    """Return a meter's chart as a sentence, for people who cannot see it."""
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
