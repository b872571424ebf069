"""Serve the page that answers a plain question."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bridge.domain.errors import SetupError
from bridge.domain.fact_messages import Plural
from bridge.domain.languages import capital, date_text, number, say, say_many, shown, told
from bridge.domain.metric_names import METRIC_NAMES
from bridge.query import asking
from bridge.query.answered import Answer
from bridge.query.group_names import group_name
from bridge.query.meaning import is_sure
from bridge.query.model import Aggregate
from bridge.query.plain import EXAMPLE, NotRead
from bridge.query.said import said
from bridge.query.understood import sentence
from bridge.query.written import as_time, rounded, written
from bridge.web.pages.trends import clearest_change
from bridge.web.phrases import unit_name
from bridge.web.render import page
from bridge.web.state import Visit, Visitor

router = APIRouter()
GROUPS_MAX = 400
COUNTED = {
    "entries": Plural("{count} calendar entry", "{count} calendar entries"),
    "meetings": Plural("{count} meeting", "{count} meetings"),
    "workouts": Plural("{count} workout", "{count} workouts"),
    "nights": Plural("{count} night", "{count} nights"),
    "days": Plural("{count} day", "{count} days"),
}
LARGE = 1000  # from which a figure has no decimals


@router.get("/ask")
def ask(visit: Visitor, text: Annotated[str, Query(max_length=300)] = "") -> HTMLResponse:
    """Show a field for a question and, if one was asked, the answer as a sentence and bars."""
    found, wrong, example = None, None, None
    if text.strip():
        try:
            found, _ = asking.plain(visit.bridge, visit.user, text, now=visit.now, titles=True)
        except NotRead as error:
            wrong = shown(say("This question is not understood as a whole. Ask a plainer one, such as:"))
            if error.unread:
                words = ", ".join(error.unread)
                wrong = shown(say("Not understood in this question: {words}. Ask, for example:", words=words))
            example = error.near or shown(EXAMPLE)
        except SetupError as error:
            wrong = told(error)
    status = 200 if wrong is None else 400
    return page(
        "ask.html",
        visit,
        status=status,
        path="/ask",
        text=text,
        answers=[] if found is None else [_answer(one, visit.today) for one in (found, *found.also)],
        change=_change(visit, found),
        wrong=wrong,
        example=example,
    )


def _change(visit: Visit, found: Answer | None) -> str | None:
    """Return the clearest change of a figure in words, if the question was for its trend, else None."""
    if found is None or found.query.of is not Aggregate.TREND or found.query.where or found.query.by:
        return None
    return clearest_change(visit, found.query.subject.name, is_sure=is_sure(found))


def _answer(found: Answer, today: date) -> dict[str, object]:
    highest = max((group.value or 0 for group in found.groups), default=0)
    unit = unit_name(found.column) if found.groups else ""
    text, dated = said(found), found.days or found.query.subject.counted  # then the figure is its day
    return {
        "understood": shown(sentence(found.query, found.read_as)),
        "said": None if text is None else capital(shown(text)).replace(" -", " −"),
        "figure": None if found.value is None or found.untold is not None else _figure(found, found.value),
        "reason": None if found.reason is None else capital(shown(found.reason)),
        "known": any(group.value is not None for group in found.groups),
        "interval": found.interval and [_written(end, found.unit) for end in found.interval],
        "at": None if dated else found.at and date_text(found.at, "%a %-d %b %Y"),
        "ahead": found.at is not None and found.at >= today,
        "n": found.n,
        "groups": [
            {
                "key": capital(shown(group_name(found.query, group.key))),
                "n": group.n,
                "value": "–"
                if (value := found.in_column(group)) is None
                else _written(value, group.unit or found.unit, named=bool(found.query.subject.parts)),
                "percent": max(0.0, 100 * value / highest)
                if value is not None and highest > 0 and not found.query.subject.parts
                else 0,
            }
            for group in found.groups[-GROUPS_MAX:]
        ],
        "unit": "" if found.query.subject.parts else unit,
    }


def _figure(found: Answer, value: float) -> str:
    if found.query.subject.counted and found.at is not None:  # the first or last of them
        return " – ".join(date_text(day, "%a %-d %b %Y") for day in found.days or (found.at,))
    if found.unit in COUNTED and found.query.per is None:
        return shown(say_many(COUNTED[found.unit].one, COUNTED[found.unit].several, round(value, 2)))
    if found.unit.endswith("a week") or found.unit in ("level", "noted", "share", "correlation"):
        return shown(written(value, found.unit)).replace("-", "−")
    if found.unit != "count":
        return _written(value, found.unit, named=True)
    return f"{_written(value, found.unit)} {shown(METRIC_NAMES.get(found.query.subject.name, ''))}".strip()


def _written(value: float, unit: str, *, named: bool = False) -> str:
    value, time = rounded(value, unit), as_time(value, unit)
    if time is not None:
        return time
    whole = float(value).is_integer() or abs(value) >= LARGE
    plain = number(round(value), ",") if whole else number(value, ".3g")
    plain = plain.replace("-", "−")
    return f"{plain} {unit_name(unit)}" if named else plain
