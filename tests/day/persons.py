"""Somebody who sleeps from eleven to seven and works from nine to five, at an hour of a Friday or a Sunday."""

from datetime import timedelta

from bridge.day.choice import look, options
from bridge.day.grid import grid_of
from bridge.day.person import Person
from bridge.day.plan import Week
from bridge.day.routine import learn_routine
from bridge.domain.rendering import for_person
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, days, entry, known, nights, workout

A = ActionType
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
SUNDAY = TODAY + 2 * DAY


def office():
    return [
        entry(day, start, start + 120, A.DEEP_WORK, "Write")
        for day in days(40, TODAY - DAY)
        if day.weekday() < 5
        for start in (540, 900)
    ]


def person(*agenda, hour=8.0, day=TODAY, episodes=None, tasks=(), work=True, **of):
    now = at(day, 60 * hour)
    slept = nights(30, -60, 420, last=day) if episodes is None else episodes
    life = known(slept, [*agenda, *(office() if work else [])], tasks, now=now)
    return Person(known=life, now=now, routine=learn_routine(life), **of)


def free_sunday(*agenda, hour=9.0, episodes=(), **of):
    slept = [*nights(30, -60, 420, last=SUNDAY), *episodes]
    return person(*agenda, hour=hour, day=SUNDAY, episodes=slept, work=False, **of)


def runs(*ago):
    return [workout(SUNDAY - back * DAY, 1080, 45) for back in ago]


def meetings(count):
    return [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, "Review", others=4) for k in range(count)]


def found(one, hours=4.0, readings=None):
    """(action -> option, action -> the fact against it) of the coming hours."""
    view = look(one, one.now) if readings is None else look(one, one.now, readings)
    return options(view, (one.now, one.now + hours * HOUR))


def grid(one):
    return grid_of(one, one.now)


def against(one, action, hours=4.0):
    (text,) = for_person([found(one, hours)[1][action]])
    return text


def week(one, **of):
    return Week(person=one, ask=lambda _moment, feasible: dict.fromkeys(feasible, 0.0), **of)


def blocks(one, kind, day=None):
    return [block for block in week(one).blocks(day or one.date_of(one.now)) if block.kind == kind]
