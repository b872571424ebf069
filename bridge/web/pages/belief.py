"""What the model believes about me: three dimensions over time, the answers that moved them, and beginning anew."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse

from bridge.belief import DIMENSIONS, Beliefs, beliefs, leaning, said
from bridge.web import words
from bridge.web.curve import HEIGHT, WIDTH, curve
from bridge.web.day import local
from bridge.web.render import page
from bridge.web.site import Visit, Visitor

router = APIRouter()

TITLES = {"social": "Company", "morning": "Time of day", "work": "Work"}


@router.get("/belief")
def belief(visit: Visitor) -> HTMLResponse:
    found = _found(visit)
    since = next((one.made_at for one in found.resets if one.taken_back_at is None), None)
    return page(
        "belief.html",
        visit,
        path="/belief",
        dimensions=[_dimension(found, name, visit) for name in DIMENSIONS] if found.days else [],
        box=(WIDTH, HEIGHT),
        first=f"{found.days[0].day:%d %b %Y}" if found.days else "",
        last=f"{found.days[-1].day:%d %b %Y}" if found.days else "",
        moves=[said(one, words.action(str(one.advice.action))) for one in found.moves],
        answers=found.answers,
        stated=any(one.sd is not None for one in found.days) or len({str(one.mean) for one in found.days}) > 1,
        since=None if since is None else f"{local(visit, since):%d %b %Y, %H:%M}",
    )


def _dimension(found: Beliefs, name: str, visit: Visit) -> dict[str, Any]:
    newest = found.days[-1]
    sd = None if newest.sd is None else newest.sd[name]
    days = [one.day for one in found.days]
    sds = [None if one.sd is None else one.sd[name] for one in found.days]
    drawn = curve(days, [one.mean[name] for one in found.days], sds)
    breaks = [local(visit, one.made_at).date() for one in found.resets if one.taken_back_at is None]
    low, high = DIMENSIONS[name]
    return {
        "name": name,
        "title": TITLES[name],
        "low": low,
        "high": high,
        "now": leaning(name, newest.mean[name], sd),
        "figure": f"{newest.mean[name]:.2f}" + (f" ± {sd:.2f}" if sd is not None else ""),
        "curve": drawn,
        "resets": [drawn.at[day] for day in days if day in breaks],
    }


@router.get("/belief/table")
def table(visit: Visitor, of: Annotated[str, Query(max_length=40)] = "social") -> HTMLResponse:
    """Day by day, the newest first."""
    found = _found(visit)
    chosen = of if of in DIMENSIONS else "social"
    rows = [
        [
            f"{one.day:%a %d %b %Y}",
            f"{one.mean[chosen]:.2f}",
            None if one.sd is None else f"{one.sd[chosen]:.2f}",
            one.policy,
        ]
        for one in reversed(found.days)
    ]
    columns = [f"0 {DIMENSIONS[chosen][0]}, 1 {DIMENSIONS[chosen][1]}", "±", "by"]
    return page("trends/table.html", visit, caption=TITLES[chosen], columns=columns, rows=rows)


@router.post("/belief/reset")
def reset(visit: Visitor) -> RedirectResponse:
    """Let nothing count that was answered so far; nothing is deleted."""
    visit.bridge.store.choices.reset(visit.user.id, now=visit.now)
    return RedirectResponse("/belief", 303)


@router.post("/belief/restore")
def restore(visit: Visitor) -> RedirectResponse:
    """Let it count again."""
    visit.bridge.store.choices.take_back_reset(visit.user.id, now=visit.now)
    return RedirectResponse("/belief", 303)


def _found(visit: Visit) -> Beliefs:
    return beliefs(visit.bridge.store, visit.user, now=visit.now)
