"""The state of the body, from signs of illness and Vitality, and the mode of life that a person names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from bridge.domain.facts import Fact, fact
from bridge.domain.types import Because, Reading

ILLNESS = ("illness", "illness_of_night")  # kinds of the fact that the body fights something
OF_NIGHT = ("signs_of_night", "illness_of_night")
SIGNS_LAST = 30.0  # hours after waking in which a night's signs of illness tell of today
LOW, VERY_LOW = 0.60, 0.45  # Vitality that lies below them by more than its spread strains, and with signs is illness


class Condition(StrEnum):
    """The state of a person's body."""

    WELL = "well"
    STRAINED = "strained"
    ILL = "ill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The state of the body, with the facts behind it: signs of illness, low Vitality, or the person's statement."""

    state: Condition = Condition.WELL
    facts: tuple[Fact, ...] = ()

    @property
    def ill(self) -> bool:
        return self.state is Condition.ILL

    def tells_of(self, day: date) -> bool:
        """Return True if the person is ill, or showed signs of illness in the night that ended on a date."""
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

    ``planned`` are modes that the person announced for later days, ``past`` those that have ended.
    """

    kind: ModeKind = ModeKind.NORMAL
    since: date | None = None
    until: date | None = None
    said: bool = False
    planned: tuple[Mode, ...] = ()
    past: tuple[Mode, ...] = ()

    def on(self, day: date) -> ModeKind:
        """Return the mode of a date. A mode ends by itself."""
        begun = self.since is None or self.since <= day
        if self.kind is not ModeKind.NORMAL and begun and (self.until is None or day <= self.until):
            return self.kind
        for one in (*self.planned, *self.past):
            if (kind := one.on(day)) is not ModeKind.NORMAL:
                return kind
        return ModeKind.NORMAL


def body_of(vitality: Reading, mode: ModeKind = ModeKind.NORMAL, now: datetime | None = None) -> Body:
    """Return the state of the body, from what the person says, the signs of illness and a very low Vitality.

    Small signs name their night if ``now`` is given, on the person's clock.
    """
    if mode is ModeKind.ILL:
        return Body(state=Condition.ILL, facts=(fact("said_ill"),))
    signs = tuple(_dated(b, now) for b in vitality.because if b.signal == "illness" and b.age_hours <= SIGNS_LAST)
    below = vitality.level + vitality.sd if vitality.coverage > 0 else 1.0
    low = (fact("low_vitality", level=round(vitality.level, 3), sd=round(vitality.sd, 3)),) if below < LOW else ()
    if any(sign.kind in ILLNESS for sign in signs) or (signs and below < VERY_LOW):
        return Body(state=Condition.ILL, facts=signs + low)
    return Body(state=Condition.STRAINED if signs or low else Condition.WELL, facts=signs + low)


def _dated(because: Because, now: datetime | None) -> Fact:
    day = None if now is None else (now - timedelta(hours=because.age_hours)).date()
    if day is None or (now is not None and day == now.date() and because.fact.kind == "illness"):
        return because.fact
    return of_night(because.fact, day)


def of_night(signs: Fact, day: date) -> Fact:
    kind = "illness_of_night" if signs.kind == "illness" else "signs_of_night"
    return fact(kind, day=day.isoformat(), signs=signs.values["signs"])
