"""Serve the page that answers a plain question."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bridge.domain.errors import SetupError
from bridge.domain.languages import WEEKDAYS, date_text, number, shown, told
from bridge.query import asking
from bridge.query.answer import Answer
from bridge.query.model import By
from bridge.query.understood import sentence
from bridge.web.kinds import unit_name
from bridge.web.render import page
from bridge.web.state import Visitor

router = APIRouter()
GROUPS_MAX = 400


@router.get("/ask")
def ask(visit: Visitor, text: Annotated[str, Query(max_length=300)] = "") -> HTMLResponse:
    """Show a field for a question and, where it has one, the answer as a sentence and bars."""
    found, wrong = None, None
    if text.strip():
        try:
            found, _ = asking.plain(visit.bridge, visit.user, text, now=visit.now)
        except SetupError as error:
            wrong = told(error)
    status = 200 if wrong is None else 400
    return page("ask.html", visit, status=status, path="/ask", text=text, answer=_answer(found), wrong=wrong)


def _answer(found: Answer | None) -> dict[str, object] | None:
    if found is None:
        return None
    highest = max((one.value or 0 for one in found.groups), default=0)
    unit = unit_name(found.unit)
    return {
        "understood": shown(sentence(found.query, found.translated_by)),
        "figure": None if found.value is None else f"{_written(found.value)} {unit}",
        "reason": None if found.reason is None else shown(found.reason),
        "interval": found.interval and [_written(end) for end in found.interval],
        "at": found.at and date_text(found.at, "%a %d %b %Y"),
        "n": found.n,
        "groups": [
            {
                "key": shown(WEEKDAYS[int(one.key) - 1]) if found.query.by is By.WEEKDAY else one.key,
                "n": one.n,
                "value": "–" if one.value is None else _written(one.value),
                "percent": max(0.0, 100 * one.value / highest) if one.value is not None and highest > 0 else 0,
            }
            for one in found.groups[-GROUPS_MAX:]
        ],
        "unit": unit,
    }


def _written(value: float) -> str:
    return number(int(value), ",") if float(value).is_integer() else number(value, ".4g")
