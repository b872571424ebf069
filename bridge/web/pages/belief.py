"""Serve the page about the user's routine (learnt hours of sleep and work) and the model's belief about the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse

from bridge.advice.belief_history import DIMENSIONS, Beliefs, beliefs, interval, is_known, leaning, said
from bridge.advice.foresight import Foresight, foresight
from bridge.day.routine import Habit
from bridge.day.sleep import recorded
from bridge.day.work import NO_HOURS
from bridge.documents.meters import load_sensitivity
from bridge.documents.planning import HabitDocument, UsualDocument, routine_document
from bridge.domain.languages import SHORT_WEEKDAYS, WEEKDAYS, _, date_text, many, number, say, shown
from bridge.domain.records import Snapshot
from bridge.domain.slots import local_time
from bridge.domain.sport_names import subject
from bridge.domain.types import EpisodeKind
from bridge.meters.sensitivity import FELT_BY_BODY
from bridge.web import phrases
from bridge.web.as_of import as_of
from bridge.web.render import page
from bridge.web.result_cache import advice_version, data_version
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType

router = APIRouter()

CURVE_WIDTH, CURVE_HEIGHT = 600, 150
CURVE_GAP = timedelta(days=14)  # without a value, after which the line is broken
TRAIT_TITLES = {"social": say("Company"), "morning": say("Time of day"), "work": say("Work")}
HABIT_WEEKLY, HABIT_DAILY = 0.6, 6.5  # times a week that read as once a week, and as every day
HABIT_PAUSE = timedelta(days=15)  # after which a weekly habit was missed twice, and has ended unless an entry is ahead
ACTION_OF_EPISODE = {EpisodeKind.WORKOUT: ActionType.EXERCISE, EpisodeKind.NAP: ActionType.SLEEP}

Newest = Mapping[tuple[ActionType, int], datetime]  # action and weekday -> start of the newest time, also ahead


def routine(visit: Visit) -> dict[str, Any]:
    """Return the user's routine for the template, as of the newest data, with a row per weekday and habits in words."""
    known = visit.app.today_cache.snapshot(visit.bridge, visit.user, visit.now)
    then = as_of(visit)
    if then is None or not then.all_old:
        learnt = visit.app.today_cache.routine(visit.bridge, visit.user, visit.now)
    else:
        known, learnt = then.known, then.learnt
    found, newest = routine_document(visit.user.name, learnt), newest_times(known)
    nights = found["sleep"]
    days = [
        {
            "day": shown(WEEKDAYS[before["weekday"]]),
            "wake": before["wake"],
            "wake_sd": before["wake_sd_minutes"],
            "work": ", ".join("–".join(span) for span in work["spans"]),
            "bed": after["bedtime"],
            "bed_sd": after["bedtime_sd_minutes"],
        }
        for before, after, work in zip(nights, [*nights[1:], nights[0]], found["work"], strict=True)
    ]
    both = list(zip(found["habits"], learnt.told_habits.values(), strict=True))
    return {
        "as_of": then if then is not None and then.all_old else None,
        "days": days,
        "nights": _nights(visit, known) if round(learnt.nights[0].nights) else 0,
        "until": learnt.until and date_text(learnt.until, "%-d %B %Y"),
        "from_calendar": learnt.nights[0].nights > 0,
        "work_known": found["work_known"],
        "work_differs": learnt.work == NO_HOURS,
        "habits": [
            _habit(one, newest, habit, visit) for one, habit in both if not _has_ended(one, newest, habit, visit)
        ],
        "ended": [_ended(one, habit, visit) for one, habit in both if _has_ended(one, newest, habit, visit)],
    }


def _nights(visit: Visit, known: Snapshot) -> int:
    version = data_version(visit.bridge, visit.user, visit.now)
    return visit.app.results.get(visit.user, "nights", version, lambda: len(recorded(known)))


def newest_times(known: Snapshot) -> dict[tuple[ActionType, int], datetime]:
    """Return (action, weekday) -> latest start of an entry of the calendar, workout or nap, future ones included."""
    zones = known.zones
    found: dict[tuple[ActionType, int], datetime] = {}
    times = [(label.action, one.start) for one, label in known.agenda if label.action is not None]
    times += [(ACTION_OF_EPISODE[one.kind], one.start) for _, one in known.episodes if one.kind in ACTION_OF_EPISODE]
    for action, start in times:
        key = action, local_time(start, zones).weekday()
        found[key] = max(start, found.get(key, start))
    return found


def _has_ended(one: HabitDocument, newest: Newest, habit: Habit, visit: Visit) -> bool:
    times = [at for (action, _day), at in newest.items() if action == one["action"]]
    return max([*times, habit.last or visit.now]) < visit.now - HABIT_PAUSE


def _habit(one: HabitDocument, newest: Newest, habit: Habit, visit: Visit) -> dict[str, Any]:
    action, often = ActionType(one["action"]), one["per_week"]
    last = habit.last or visit.now
    usual = [at for at in one["usual"] if newest.get((action, at["weekday"]), last) >= visit.now - HABIT_PAUSE]
    some = [_("not on all of them every week")] if len(usual) > often + 1 else []
    return {
        "name": _name(one),
        "often": _often(often),
        "minutes": one["minutes"],
        "usual": [*_usual(usual), *some],
    }


def _often(times: float) -> str:
    if times < HABIT_WEEKLY:
        return _("less than once a week")
    return (
        many("about once a week", "about {count} times a week", round(times)) if times < HABIT_DAILY else _("every day")
    )


def _usual(starts: Sequence[UsualDocument]) -> list[str]:
    names: dict[str, dict[str, list[str]]] = {}
    for at in starts:
        times = names.setdefault(shown(subject(at["name"] or "")), {})
        times.setdefault(at["start"], []).append(shown(SHORT_WEEKDAYS[at["weekday"]]))
    told = {
        name: ", ".join(f"{', '.join(days)} {start}" for start, days in times.items()) for name, times in names.items()
    }
    return [f"{when} {name}".strip() for name, when in told.items()]


def _ended(one: HabitDocument, habit: Habit, visit: Visit) -> str:
    last = visit.local(habit.last or visit.now)
    return _("{habit}, the last time on {day}", habit=_name(one), day=date_text(last, "%-d %b"))


def _name(one: HabitDocument) -> str:
    return _("Nap") if one["action"] == ActionType.SLEEP else phrases.action_name(one["action"])


@router.get("/belief")
def belief(visit: Visitor) -> HTMLResponse:
    with visit.bridge.store.view():
        content, routine_, felt = _shown(visit), routine(visit), _felt(visit)
    found = content.beliefs
    since = next((reset.made_at for reset in found.resets if reset.taken_back_at is None), None)
    return page(
        "belief.html",
        visit,
        path="/belief",
        dimensions=content.dimensions,
        believed=[dimension for dimension in content.dimensions if dimension["known"]],
        open_questions=[dimension for dimension in content.dimensions if not dimension["known"]],
        box=(CURVE_WIDTH, CURVE_HEIGHT),
        first=date_text(found.days[0].day, "%-d %b %Y") if found.days else "",
        last=date_text(found.days[-1].day, "%-d %b %Y") if found.days else "",
        moves=[shown(said(move)) for move in found.moves],
        answers=found.answers,
        stated=any(day.sd is not None for day in found.days) or len({str(day.mean) for day in found.days}) > 1,
        foretold=content.foretold,
        since=None if since is None else date_text(visit.local(since), "%-d %b %Y, %H:%M"),
        routine=routine_,
        felt=felt,
    )


def _felt(visit: Visit) -> list[dict[str, Any]]:
    def computed() -> list[dict[str, Any]]:
        found = {m: load_sensitivity(visit.bridge, visit.user, visit.now, m) for m in FELT_BY_BODY}
        return [{"meter": phrases.meter_name(meter), **felt} for meter, felt in found.items() if felt is not None]

    return visit.app.results.get(visit.user, "felt", data_version(visit.bridge, visit.user, visit.now), computed)


VERDICTS = {
    "well": say("Your answers are foretold well."),
    "badly": say("Your answers are foretold badly. While that lasts, advice goes by what you accepted alone."),
    "no better than by your usual share": say("Your answers are foretold no better than by your usual share."),
    "not known yet": say("There are too few answers to tell how well they are foretold."),
}


def _foretold(found: Foresight) -> dict[str, Any] | None:
    if not found.answers:
        return None
    return {
        "verdict": shown(VERDICTS[found.verdict]),
        "scores": _(
            "mean squared error {score:.3f}, by your usual share {usual:.3f}", score=found.score, usual=found.usual
        ),
        "weeks": [
            (date_text(week.monday, "%-d %b %Y"), week.answers, number(week.foretold, ".0%"), number(week.taken, ".0%"))
            for week in reversed(found.weeks)
        ],
    }


def _dimension(found: Beliefs, name: str, visit: Visit) -> dict[str, Any]:
    newest = found.days[-1]
    sd = None if newest.sd is None else newest.sd[name]
    days = [row.day for row in found.days]
    sds = [None if row.sd is None else row.sd[name] for row in found.days]
    curve = draw_curve(days, [row.mean[name] for row in found.days], sds)
    breaks = [visit.local(reset.made_at).date() for reset in found.resets if reset.taken_back_at is None]
    low, high = map(shown, DIMENSIONS[name])
    return {
        "known": any(map(is_known, sds)),
        "name": name,
        "title": shown(TRAIT_TITLES[name]),
        "low": low,
        "high": high,
        "now": shown(leaning(name, newest.mean[name], sd)),
        "figure": number(newest.mean[name], ".2f") + (f" ± {number(sd, '.2f')}" if sd is not None else ""),
        "meaning": "" if sd is None else _meaning(found.answers, *interval(newest.mean[name], sd)),
        "curve": curve,
        "resets": [curve.at[day] for day in days if day in breaks],
    }


def _meaning(answers: int, low: float, high: float) -> str:
    return many(
        "After {count} answer: of 10 people who answer like you, about 9 lie between {low} and {high}.",
        "After {count} answers: of 10 people who answer like you, about 9 lie between {low} and {high}.",
        answers,
        low=number(low, ".2f"),
        high=number(high, ".2f"),
    )


@router.get("/belief/table")
def table(visit: Visitor, of: Annotated[str, Query(max_length=40)] = "social") -> HTMLResponse:
    """Show, day by day, what the model believed about a trait of the user, by default ``social``."""
    found = _beliefs(visit)
    chosen = of if of in DIMENSIONS else "social"
    rows = [
        [
            date_text(row.day, "%a %-d %b %Y"),
            number(row.mean[chosen], ".2f"),
            None if row.sd is None else number(row.sd[chosen], ".2f"),
            row.policy,
        ]
        for row in reversed(found.days)
    ]
    low, high = map(shown, DIMENSIONS[chosen])
    columns = [f"0 {low}, 1 {high}", "±", _("by")]
    return page("trends/table.html", visit, caption=shown(TRAIT_TITLES[chosen]), columns=columns, rows=rows)


@router.post("/belief/reset")
def reset(visit: Visitor) -> RedirectResponse:
    """Let the model ignore all answers given so far. Nothing is deleted."""
    visit.bridge.store.lessons.add_reset(visit.user.id, now=visit.now)
    return RedirectResponse("/belief", 303)


@router.post("/belief/restore")
def restore(visit: Visitor) -> RedirectResponse:
    """Undo the newest reset, so that the answers before it count again. Without a reset nothing changes."""
    visit.bridge.store.lessons.withdraw_reset(visit.user.id, now=visit.now)
    return RedirectResponse("/belief", 303)


def _beliefs(visit: Visit) -> Beliefs:
    version = advice_version(visit.bridge, visit.user, visit.now)

    def computed() -> Beliefs:
        return beliefs(visit.bridge.store, visit.user, now=visit.now)

    return visit.app.results.get(visit.user, "beliefs", version, computed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    beliefs: Beliefs
    dimensions: Sequence[dict[str, Any]]
    foretold: dict[str, Any] | None


def _shown(visit: Visit) -> _Shown:
    def computed() -> _Shown:
        found = _beliefs(visit)
        return _Shown(
            beliefs=found,
            dimensions=[_dimension(found, name, visit) for name in DIMENSIONS] if found.days else [],
            foretold=_foretold(foresight(visit.bridge.store, visit.user, now=visit.now)),
        )

    return visit.app.results.get(visit.user, "belief", advice_version(visit.bridge, visit.user, visit.now), computed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line and the band of its standard deviations, as SVG path data. ``at`` maps a day to its x position.

    The drawing is CURVE_WIDTH wide and CURVE_HEIGHT high, with the value 1 at the top.
    """

    line: str
    band: str
    at: dict[date, float]


def draw_curve(days: Sequence[date], means: Sequence[float], sds: Sequence[float | None]) -> Curve:
    """Return the Curve of ``means`` (0 to 1) on ascending ``days``, with a band of ``sds`` above and below.

    The band is cut at 0 and 1, and has a gap where ``sds`` is None. Days more than CURVE_GAP apart are not joined.
    """
    span = max((days[-1] - days[0]).days, 1) if days else 1
    at = {day: round(CURVE_WIDTH * (day - days[0]).days / span, 1) for day in days}
    line = [
        f"{'M' if number == 0 or day - days[number - 1] > CURVE_GAP else 'L'}{at[day]} {_y(mean)}"
        for number, (day, mean) in enumerate(zip(days, means, strict=True))
    ]
    return Curve(line="".join(line), band="".join(_bands(days, means, sds, at)), at=at)


def _bands(
    days: Sequence[date], means: Sequence[float], sds: Sequence[float | None], at: dict[date, float]
) -> list[str]:
    """Return a closed SVG shape for each run of two or more days with known standard deviations."""
    stretches: list[list[tuple[float, float, float]]] = [[]]
    for place, (day, mean, sd) in enumerate(zip(days, means, sds, strict=True)):
        if sd is None or (place and day - days[place - 1] > CURVE_GAP):
            stretches.append([])
        if sd is not None:
            stretches[-1].append((at[day], _y(min(mean + sd, 1)), _y(max(mean - sd, 0))))
    return [
        f"M{'L'.join(f'{x} {high}' for x, high, _ in points)}L{'L'.join(f'{x} {low}' for x, _, low in points[::-1])}Z"
        for points in stretches
        if len(points) > 1
    ]


def _y(value: float) -> float:
    return round(CURVE_HEIGHT * (1 - value), 1)
