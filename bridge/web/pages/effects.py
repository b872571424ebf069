"""Serve the page of effects, with what recommendations change, the user's own trials, and the watch for harm."""

from __future__ import annotations

from statistics import fmean
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse

from bridge.advice import harm, trial
from bridge.advice.effect import OF_ADVICE, effects
from bridge.advice.trial import OUTCOMES, Told
from bridge.documents import trials, watch
from bridge.documents.inputs import parse_day
from bridge.domain.errors import SetupError
from bridge.domain.guard import ADVICE, WATCH, Switch, is_on
from bridge.domain.languages import Text, _, date_text, say, shown
from bridge.domain.trials import DAY
from bridge.web.render import page
from bridge.web.result_cache import Version, effects_version
from bridge.web.state import Visit, Visitor

router = APIRouter()
WIDTH, HEIGHT, MARGIN = 600, 160, 12  # of the picture of a trial
MORE = {
    "next_check_in": say("your next check-in, in points of 5"),
    "next_night_asleep_min": say("the next night, in minutes asleep"),
    "next_night_hrv_ms": say("heart rate variability of the next night, in ms"),
    "next_day_vitality": say("Vitality of the next day"),
    "next_day_serenity": say("Serenity of the next day"),
}
Number = Annotated[int, Path(ge=1, le=2**53)]
Words = Annotated[str, Form(max_length=300)]


@router.get("/effects")
def show(visit: Visitor) -> HTMLResponse:
    """Show what recommendations change, each trial with a picture, and what the watch for harm has found."""
    store, user = visit.bridge.store, visit.user
    switches = store.people.preferences(user.id).switches
    version, results = effects_version(visit.bridge, user, visit.now), visit.app.results
    found = results.get(user, "watched", version, lambda: harm.watched(store, user, now=visit.now))
    return page(
        "effects.html",
        visit,
        path="/effects",
        advice=_advice(visit, version),
        trials=[_trial(visit, one) for one in trial.told_of(visit.bridge, user, now=visit.now)],
        outcomes=[(name, shown(trials.NAMES[name])) for name in OUTCOMES],
        watch_line=shown(watch.watch_line(found, switches)),
        finds=shown(watch.finds_line()),
        stopped=not is_on(switches, ADVICE),
        watching=is_on(switches, WATCH),
        history=[shown(watch.event_line(one, user)) for one in reversed(switches)],
    )


def _advice(visit: Visit, version: Version) -> list[str]:
    """Return the known effects of recommendations, compared with none, in words. Cached until the data change."""

    def computed() -> list[Text]:
        told = effects(visit.bridge.store, [visit.user], now=visit.now)["advice"]
        return [_line(name, told[name]) for name in OF_ADVICE if told[name]["effect"] is not None]

    return list(map(shown, visit.app.results.get(visit.user, "effects of advice", version, computed)))


def _line(name: str, one: dict[str, Any]) -> Text:
    low, high = one["ci95"]
    values = {"what": MORE[name], "effect": one["effect"], "low": low, "high": high}
    if low <= 0 <= high:
        return say("Advice may change nothing in {what}: {effect:+.2f} (between {low:+.2f} and {high:+.2f}).", **values)
    return say("Advice changes {what}: {effect:+.2f} (between {low:+.2f} and {high:+.2f}).", **values)


def _trial(visit: Visit, told: Told) -> dict[str, Any]:
    one = told.trial
    today = visit.today
    arms = one.arms()
    return {
        "id": one.id,
        "text": one.text,
        "outcome": shown(trials.NAMES[one.outcome]),
        "first": date_text(one.start, "%-d %b"),
        "last": date_text(one.end - DAY, "%-d %b %Y"),
        "power": shown(trials.power_line(told)),
        "result": shown(trials.result_line(told)),
        "kept": shown(trials.kept_line(told)) if one.kept else None,
        "today": arms.get(today),
        "said": one.kept.get(today),
        "running": not told.over,
        "picture": _picture(told) if told.over else None,
    }


def _picture(told: Told) -> dict[str, Any] | None:
    """Return the positions for drawing a trial's days, the mean of each of its two arms, and the effect's interval."""
    arms, days = told.trial.arms(), told.days
    means = {way: [days[day] for day in days if arms.get(day) is way] for way in (True, False)}
    if not all(means.values()):
        return None
    on, off = fmean(means[True]), fmean(means[False])
    ends = [] if told.result is None else [off + told.result.low, off + told.result.high]
    low, high = min([*days.values(), *ends]), max([*days.values(), *ends])
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return round(MARGIN + (HEIGHT - 2 * MARGIN) * (high - value) / span, 1)

    def x(number: int) -> float:
        return round(MARGIN + (WIDTH - 4 * MARGIN) * number / max(len(arms) - 1, 1), 1)

    dots = [{"x": x(n), "y": y(days[day]), "on": arms[day]} for n, day in enumerate(arms) if day in days]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "dots": dots,
        "on": y(on),
        "off": y(off),
        "low": None if not ends else y(ends[0]),
        "high": None if not ends else y(ends[1]),
        "edge": WIDTH - 1.5 * MARGIN,
        "label": _(
            "Days as dots: filled with it, hollow without it; a line is the mean of each, the bar the interval."
        ),
    }


@router.post("/effects/trial")
def begin(
    visit: Visitor,
    text: Annotated[str, Form(max_length=1000)],
    weeks: Annotated[int, Form()] = 4,
    outcome: Annotated[str, Form(max_length=30)] = "sleep",
) -> RedirectResponse:
    """Begin a trial of what ``text`` says. Raises SetupError for an invalid text, length or outcome."""
    trial.begin(visit.bridge, visit.user, trial.drafted(text, weeks, outcome), now=visit.now)
    return RedirectResponse("/effects", 303)


@router.post("/effects/trial/{number}")
def answer(visit: Visitor, number: Number, said: Words, at: Words = "today", back: Words = "") -> RedirectResponse:
    """Save if the user did what a trial's draw asked for on a day (``said`` is yes or no), or stop the trial.

    Raises SetupError for another word.
    """
    if said == "stop":
        trial.stop(visit.bridge, visit.user, number, now=visit.now)
    elif said in ("yes", "no"):
        day = parse_day(at, visit.today)
        trial.keep(visit.bridge, visit.user, number, {day: said == "yes"}, now=visit.now)
    else:
        raise SetupError(_("this answer about a trial is unknown; open the page again and choose yes, no or stop"))
    return RedirectResponse("/" if back == "/" else "/effects", 303)


@router.post("/effects/watch")
def switch(visit: Visitor, what: Words, because: Words = "") -> RedirectResponse:
    """Switch recommendations or the watch for harm. Raises SetupError without a reason or for another word."""
    if what not in (ADVICE, WATCH):
        raise SetupError(_("this switch is unknown; open the page again and choose advice or watch"))
    on = not is_on(visit.bridge.store.people.preferences(visit.user.id).switches, what)
    harm.switch(visit.bridge.store, visit.user, Switch(at=visit.now, what=what, on=on, reason=because))
    return RedirectResponse("/effects", 303)
