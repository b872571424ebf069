"""Judge sport after illness and short nights: the warning before it, and how long usual sport waits."""

from __future__ import annotations

from datetime import date, timedelta

from bridge.day.body import ModeKind
from bridge.day.known import AT_RISK, LONG_SPORT
from bridge.day.person import Person
from bridge.day.sleep import TO_GET_UP
from bridge.day.typical import DAY, MINUTE
from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Occurrence

LITTLE_SLEEP = timedelta(hours=4)  # of a night that is hardly one; our choice, as what follows
MADE_GOOD = timedelta(hours=6)  # of a later night, after which hardly any sleep no longer counts
HELD_BACK = 2  # days after illness, hardly any sleep or long sport, without sport that is merely usual


def asleep(night: Episode) -> Fact:
    """Return how long a night's sleep was, as the page tells it everywhere."""
    return length(night.values.get(Metric.ASLEEP, (night.end - night.start) / MINUTE))


def hardly_slept(person: Person, day: date) -> Fact | None:
    """Return the fact of a night of under four hours that ended on a date, or None."""
    night = person.slept(day)
    little = night is not None and night.end - night.start < LITTLE_SLEEP
    return fact("hardly_slept", day=day.isoformat(), asleep=asleep(night)) if night and little else None


def at_risk(person: Person, sport: Occurrence | None = None) -> tuple[Fact, ...]:
    """Return why ``sport``, or the next, should be left out or be easy, and which it is. Empty without a reason.

    It uses illness and the last night only, so that the advice stays the same all day.
    """
    now, out = person.now, person.left_out
    ahead = (o for o in person.sport if o.key in out or now < o.start < now + AT_RISK)
    one = next((o for o in ahead if sport in (None, o)), None)
    if one is None:
        return ()
    today = person.date_of(now)
    last = today if person.slept(today) is not None else today - DAY
    if one.key in out:
        why: Fact | None = person.body.why if person.body.ill else fact("said_ill")
    else:
        why = hardly_slept(person, last) or person.fought(last) or _ill_before(person, person.date_of(one.start))
    told = fact("race_can_wait" if one.key in out else "go_easy", time=person.local(one.start))
    return () if why is None else (why, told)


def leaving_for(person: Person, race: Occurrence) -> tuple[Fact, ...]:
    """Return when to leave for a race, if that is ahead: in time for the way and the start."""
    at = race.start - TO_GET_UP
    long = race in person.races and race.end - race.start >= LONG_SPORT
    return (fact("leave_by_then", time=person.local(at)),) if long and person.now < at else ()


def if_at_all(person: Person, told: Fact) -> Fact:
    """Return a fact about something ahead, in the conditional ("if at all") if the person should leave it out."""
    doubted = at_risk(person)
    ahead = told.values.get("entry", told.values.get("time"))
    return fact("if_at_all", told=told) if doubted and doubted[-1].values["time"] == ahead else told


def held_back(person: Person, day: date, *, wished: bool = False) -> Fact | None:
    """Return why sport should rest: illness, little sleep or long sport in the two days before. Else None.

    Sport that is ``wished`` rests for illness only.
    """
    made_good = False
    for ago in range(1, HELD_BACK + 1):
        before = day - ago * DAY
        until = (before + (HELD_BACK + 1) * DAY).isoformat()
        if (ill := _ill(person, before, day)) is not None:
            return fact("sport_rests_ill", day=until, why=ill)
        night = person.slept(before + DAY)
        made_good = made_good or (night is not None and night.end - night.start >= MADE_GOOD)
        why = (None if made_good else hardly_slept(person, before)) or _raced(person, before)
        if why is not None and not wished:
            return fact("sport_rests", day=until, why=why)
    return None


def easier(person: Person, day: date) -> tuple[Fact, ...]:
    """Return the advice to go easy in sport on a date on which it should rest because of illness, with the reason."""
    why = _ill_before(person, day)
    return () if why is None else (fact("easy_then", why=why),)


def _ill_before(person: Person, day: date) -> Fact | None:
    found = (_ill(person, day - ago * DAY, day) for ago in range(1, HELD_BACK + 1))
    return next((why for why in found if why is not None), None)


def _ill(person: Person, day: date, after: date) -> Fact | None:
    """Return the fact of illness on a date: as said, if it was over by the date ``after``, or as the watch showed."""
    said = person.mode.on(day) is ModeKind.ILL and person.mode.on(after) is not ModeKind.ILL
    return fact("ill_until", day=day.isoformat()) if said else person.fought(day)


def _raced(person: Person, day: date) -> Fact | None:
    long = (o for o in person.races if person.date_of(o.start) == day and o.end - o.start >= LONG_SPORT)
    race = next((o for o in long if o.end <= person.now and o.key not in person.missed), None)
    return None if race is None else fact("long_sport_then", time=person.local(race.start))
