"""Judge the body and the mode of life, and what illness, hardly any sleep and long sport hold back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from bridge.day.sleep import TO_GET_UP
from bridge.day.typical import DAY, MINUTE
from bridge.domain.facts import Fact, fact, length
from bridge.domain.metrics import Metric
from bridge.domain.types import Because, Episode, Occurrence, Reading
from bridge.meters.vitality import CALLED_KIND

if TYPE_CHECKING:
    from bridge.day.person import Person

LONG_SPORT, PREPARES = 90 * MINUTE, 75 * MINUTE  # sport such as a race, and what it takes before the way to it
AT_RISK = timedelta(hours=36)  # ahead, in which sport is spoken of
ILLNESS = (CALLED_KIND, "illness_of_night")  # kinds of the fact that the body fights something
OF_NIGHT = ("signs_of_night", "illness_of_night")
SIGNS_LAST = 30.0  # hours after waking in which a night's signs of illness tell of today
LOW, VERY_LOW = 0.60, 0.45  # Vitality that lies below them by more than its spread strains, and with signs is illness
LITTLE_SLEEP = timedelta(hours=4)  # of a night that is hardly one; our choice, as what follows
HELD_BACK = 2  # days after illness, hardly any sleep or long sport, without sport that is merely usual


class Condition(StrEnum):
    """The state of a person's body."""

    WELL = "well"
    STRAINED = "strained"
    ILL = "ill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The state of the body, with the facts that tell it: those of illness on the page, low Vitality, or being told."""

    state: Condition = Condition.WELL
    facts: tuple[Fact, ...] = ()

    @property
    def ill(self) -> bool:
        return self.state is Condition.ILL

    def tells_of(self, day: date) -> bool:
        """Return True where one is ill on a date, or signs of illness are of the night that ended on it."""
        first = next(iter(self.facts), None)
        dated = first is not None and first.kind in OF_NIGHT and first.values["day"] == day.isoformat()
        return self.ill or dated

    @property
    def why(self) -> Fact:
        return self.facts[0] if self.facts else fact("said_ill")


class ModeKind(StrEnum):
    """A mode of life. The routine learns from days in the normal one alone."""

    NORMAL = "normal"
    ILL = "ill"
    AWAY = "away"
    HOLIDAY = "holiday"
    ODD = "odd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """The mode that the person ``said`` (ill, away, ...), from ``since`` to the end of ``until``. None is an open end.

    ``planned`` are modes that the person announced for later days.
    """

    kind: ModeKind = ModeKind.NORMAL
    since: date | None = None
    until: date | None = None
    said: bool = False
    planned: tuple[Mode, ...] = ()

    def on(self, day: date) -> ModeKind:
        """Return the mode of a date. A mode ends by itself."""
        begun = self.since is None or self.since <= day
        if self.kind is not ModeKind.NORMAL and begun and (self.until is None or day <= self.until):
            return self.kind
        return next((one.kind for one in self.planned if one.on(day) is not ModeKind.NORMAL), ModeKind.NORMAL)


def body_of(vitality: Reading, mode: ModeKind = ModeKind.NORMAL, now: datetime | None = None) -> Body:
    """Return the state of the body, from what the person says, the signs of illness and a very low Vitality.

    Small signs name their night if ``now`` is given, on the person's clock.
    """
    if mode is ModeKind.ILL:
        return Body(state=Condition.ILL, facts=(fact("said_ill"),))
    signs = tuple(_dated(b, now) for b in vitality.because if b.signal == "illness" and b.age_hours <= SIGNS_LAST)
    below = vitality.level + vitality.sd if vitality.coverage > 0 else 1.0
    low = (fact("low_vitality", level=round(vitality.level, 3), sd=round(vitality.sd, 3)),) if below < LOW else ()
    if any(one.kind in ILLNESS for one in signs) or (signs and below < VERY_LOW):
        return Body(state=Condition.ILL, facts=signs + low)
    return Body(state=Condition.STRAINED if signs or low else Condition.WELL, facts=signs + low)


def _dated(because: Because, now: datetime | None) -> Fact:
    day = None if now is None else (now - timedelta(hours=because.age_hours)).date()
    if day is None or (now is not None and day == now.date() and because.fact.kind == CALLED_KIND):
        return because.fact
    return of_night(because.fact, day)


def of_night(signs: Fact, day: date) -> Fact:
    kind = "illness_of_night" if signs.kind == CALLED_KIND else "signs_of_night"
    return fact(kind, day=day.isoformat(), signs=signs.values["signs"])


# What waits -----------------------------------------------------------------------------------------------------------


def asleep(night: Episode) -> Fact:
    """Return how long a night's sleep was, as the page tells it everywhere."""
    return length(night.values.get(Metric.ASLEEP, (night.end - night.start) / MINUTE))


def hardly_slept(person: Person, day: date) -> Fact | None:
    """Return the fact of a night of under four hours that ended on a date, or None."""
    night = person.slept(day)
    little = night is not None and night.end - night.start < LITTLE_SLEEP
    return fact("hardly_slept", day=day.isoformat(), asleep=asleep(night)) if night and little else None


def at_risk(person: Person) -> tuple[Fact, ...]:
    """Return why sport ahead should be left out or be easy, and which sport. Empty without a reason.

    It uses the last night only, so that the advice stays the same all day.
    """
    ahead = next((o for o in person.sport if person.now < o.start < person.now + AT_RISK), None)
    if ahead is None:
        return ()
    today = person.date_of(person.now)
    last = today if person.slept(today) is not None else today - DAY
    why = person.body.why if person.body.ill else hardly_slept(person, last) or person.fought(last)
    told = fact("race_can_wait" if person.body.ill else "go_easy", time=person.local(ahead.start))
    return () if why is None else (why, told)


def leaving_for(person: Person, race: Occurrence) -> tuple[Fact, ...]:
    """Return when to leave for a race, if that is ahead: in time for the way and the start."""
    at = race.start - TO_GET_UP
    long = race in person.races and race.end - race.start >= LONG_SPORT
    return (fact("leave_by_then", time=person.local(at)),) if long and person.now < at else ()


def if_at_all(person: Person, told: Fact) -> Fact:
    """Return a fact that names what is ahead, in the conditional if it should be left out."""
    doubted = at_risk(person)
    ahead = told.values.get("entry", told.values.get("time"))
    return fact("if_at_all", told=told) if doubted and doubted[-1].values["time"] == ahead else told


def held_back(person: Person, day: date) -> Fact | None:
    """Return the fact that holds back usual sport: illness, little sleep, or long sport of the last two days."""
    for ago in range(1, HELD_BACK + 1):
        before = day - ago * DAY
        why = person.fought(before) or hardly_slept(person, before) or _raced(person, before)
        if why is not None:
            return fact("sport_rests", day=(before + (HELD_BACK + 1) * DAY).isoformat(), why=why)
    return None


def _raced(person: Person, day: date) -> Fact | None:
    long = (o for o in person.races if person.date_of(o.start) == day and o.end - o.start >= LONG_SPORT)
    race = next((o for o in long if o.end <= person.now and o.key not in person.missed), None)
    return None if race is None else fact("long_sport_then", time=person.local(race.start))
