"""Put a user's routine in words for the page: usual sleep, working hours, and habits that go on or have ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bridge.day.routine import Habit
from bridge.day.sleep import recorded
from bridge.documents.planning import HabitDocument, UsualDocument, routine_document
from bridge.domain.languages import SHORT_WEEKDAYS, WEEKDAYS, _, date_text, many, shown
from bridge.domain.records import Snapshot
from bridge.domain.slots import local_time
from bridge.domain.types import EpisodeKind
from bridge.web import phrases
from bridge.web.as_of import as_of
from bridge.web.day import local
from bridge.web.result_cache import data_version
from bridge.web.state import Visit
from rhythm_env.interface import ActionType

HABIT_DAILY = 6.5  # times a week that read as every day
HABIT_PAUSE = timedelta(days=15)  # after which a weekly habit was missed twice, and has ended unless an entry is ahead
ACTION_OF_EPISODE = {EpisodeKind.WORKOUT: ActionType.EXERCISE, EpisodeKind.NAP: ActionType.SLEEP}

Newest = Mapping[tuple[ActionType, int], datetime]  # action and weekday -> start of the newest time, also ahead


def routine(visit: Visit) -> dict[str, Any]:
    """Return the visiting user's routine, as of the newest data, with a row per weekday and the habits in words."""
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
    both = list(zip(found["habits"], learnt.habits.values(), strict=True))
    return {
        "as_of": then if then is not None and then.all_old else None,
        "days": days,
        "nights": _nights(visit, known) if round(learnt.nights[0].nights) else 0,
        "until": learnt.until and date_text(learnt.until, "%-d %B %Y"),
        "from_calendar": learnt.nights[0].nights > 0,
        "work_known": found["work_known"],
        "habits": [
            _habit(one, newest, habit, visit) for one, habit in both if not _has_ended(one, newest, habit, visit)
        ],
        "ended": [_ended(one, habit, visit) for one, habit in both if _has_ended(one, newest, habit, visit)],
    }


def _nights(visit: Visit, known: Snapshot) -> int:
    version = data_version(visit.bridge, visit.user, visit.now)
    return visit.app.results.get(visit.user, "nights", version, lambda: len(recorded(known)))


def newest_times(known: Snapshot) -> dict[tuple[ActionType, int], datetime]:
    """Return (action, weekday) -> start of the newest calendar entry, workout or nap, also of an entry ahead."""
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
    """Return a habit in words."""
    action, often = ActionType(one["action"]), one["per_week"]
    last = habit.last or visit.now
    return {
        "name": _name(one),
        "often": many("about once a week", "about {count} times a week", max(round(often), 1))
        if often < HABIT_DAILY
        else _("every day"),
        "minutes": one["minutes"],
        "usual": _usual(
            [at for at in one["usual"] if newest.get((action, at["weekday"]), last) >= visit.now - HABIT_PAUSE]
        ),
    }


def _usual(starts: Sequence[UsualDocument]) -> list[str]:
    """Return usual starts in words, each name and each time once: ``Mon, Wed 09:45 Design doc``."""
    names: dict[str, dict[str, list[str]]] = {}
    for at in starts:
        times = names.setdefault(at["name"] or "", {})
        times.setdefault(at["start"], []).append(shown(SHORT_WEEKDAYS[at["weekday"]]))
    told = {
        name: ", ".join(f"{', '.join(days)} {start}" for start, days in times.items()) for name, times in names.items()
    }
    return [f"{when} {name}".strip() for name, when in told.items()]


def _ended(one: HabitDocument, habit: Habit, visit: Visit) -> str:
    last = local(visit, habit.last or visit.now)
    return _("{habit}, the last time on {day}", habit=_name(one), day=date_text(last, "%-d %b"))


def _name(one: HabitDocument) -> str:
    return _("Nap") if one["action"] == ActionType.SLEEP else phrases.action_name(one["action"])
