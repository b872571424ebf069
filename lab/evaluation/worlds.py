"""Worlds of people who answer recommendations by other rules than the simulator's, to test policies on them.

A world is a class ``Person`` with a method ``chance``, the probability that a recommendation is accepted. All else
stays the simulator's. ``chance`` is called on the person once for every recommendation, so that a person may count
them. Other questions are put to a copy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from math import exp
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from rhythm_env.dynamics import EAGERNESS, READINESS
from rhythm_env.interface import WEEKEND, ActionType

if TYPE_CHECKING:
    from rhythm_env.profiles import Profiles

NAMES = tuple(str(action) for action in ActionType)
SLOTS_A_DAY = 4
REFUSED = 3  # actions that are never taken, of ten
SEEN = 0.4  # share of advice that is looked at
RARE, FREQUENT = -2.55, 1.2  # offsets at which random advice is taken 15 % and 70 % of the time
FLAT = 0.5  # slope at which worth hardly matters: the best advice is taken 60 % of the time
STEP = 0.6  # how far a taste drifts in a week, standard deviation
TURN = 4  # the week in which tastes are drawn anew
TIRED, FORGOTTEN = 0.8, 0.9  # logits lost per recent advice of the same action, and what is left of it one advice later
SLEEPS_IN, SLEEPY = 3, 3.0  # everybody's habit: the slot, and its standard score
HABIT = 1.6  # logits per standard deviation by which habits differ


class Person(Protocol):
    """A person who answers. Optional methods are ``seen`` (arguments of ``chance``, bool) and ``habit``."""

    def chance(
        self,
        *,
        week: int,
        day: int,
        slot: int,
        action: str,
        feasible: Sequence[str],
        standing: Mapping[str, float],
    ) -> float: ...


Make = Callable[[random.Random, "Profiles"], Person]


class Here(NamedTuple):
    """A recommendation and its slot. ``standing`` maps an action to its relative value in standard deviations."""

    week: int
    day: int
    slot: int
    action: str
    standing: Mapping[str, float]

    @property
    def number(self) -> int:
        return NAMES.index(self.action)


def logistic(x: float) -> float:
    """Return the probability of a logit.

    >>> round(logistic(0.0), 2)
    0.5
    """
    return 1 / (1 + exp(-min(max(x, -30.0), 30.0)))


def _tastes(rng: random.Random) -> list[list[float]]:
    """Return random tastes by slot and action, with mean 0 and standard deviation 1 within each slot."""
    return [_even([rng.gauss(0, 1) for _ in NAMES]) for _ in range(SLOTS_A_DAY)]


def _even(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    spread = (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5 or 1.0
    return [(v - mean) / spread for v in values]


class Simulated:
    """The simulator's own person, who accepts by a logistic function of the action's value."""

    offset: ClassVar[float] = READINESS
    slope: ClassVar[float] = EAGERNESS

    def __init__(self, rng: random.Random, profile: Profiles) -> None:  # noqa: ARG002 - other worlds read the profile
        self.rng = rng
        self.settle()

    def settle(self) -> None:
        """Draw the traits of this person, if the class has any."""

    def liking(self, here: Here) -> float:
        """Return how much the person likes the action in this slot, as a standard score."""
        return here.standing[here.action]

    def chance(
        self,
        *,
        week: int,
        day: int,
        slot: int,
        action: str,
        feasible: Sequence[str],  # noqa: ARG002 - other worlds may look at it
        standing: Mapping[str, float],
    ) -> float:
        liked = self.liking(Here(week, day, slot, action, standing))
        return logistic(self.offset + self.slope * liked)


class Tastes(Simulated):
    """A person with random tastes for every slot of the day and action."""

    def settle(self) -> None:
        self.tastes = _tastes(self.rng)

    def liking(self, here: Here) -> float:
        return self.tastes[here.slot][here.number]


class Leanings(Tastes):
    """A person whose tastes depend mostly on the action, less on the slot."""

    def settle(self) -> None:
        mostly, rest = [self.rng.gauss(0, 1) for _ in NAMES], _tastes(self.rng)
        self.tastes = [_even([m + 0.6 * r for m, r in zip(mostly, row, strict=True)]) for row in rest]


class Half(Tastes):
    """A person who decides half by the action's value and half by own tastes."""

    def liking(self, here: Here) -> float:
        return (super().liking(here) + here.standing[here.action]) / 2**0.5


class Refusing(Simulated):
    """A person who always refuses REFUSED of the ten actions."""

    def settle(self) -> None:
        self.refused = self.rng.sample(NAMES, REFUSED)

    def liking(self, here: Here) -> float:
        return -30.0 if here.action in self.refused else here.standing[here.action]


class Unseen(Simulated):
    """A person who looks at the share SEEN of recommendations. Others count as Ignore."""

    def seen(self, **_: Any) -> bool:
        return self.rng.random() < SEEN


class Reluctant(Simulated):
    """A person who accepts few recommendations."""

    offset = RARE


class Eager(Simulated):
    """A person who accepts most recommendations."""

    offset = FREQUENT


class Indifferent(Simulated):
    """A person whose answers hardly depend on the action's value."""

    slope = FLAT


class Opposite(Simulated):
    """A person who refuses what would be good."""

    slope = -EAGERNESS


class Drifting(Tastes):
    """A person whose tastes change a little every week."""

    def settle(self) -> None:
        self.week, self.tastes = 0, _tastes(self.rng)

    def liking(self, here: Here) -> float:
        while self.week < here.week:
            self.week += 1
            self.tastes = [_even([v + self.rng.gauss(0, STEP) for v in row]) for row in self.tastes]
        return self.tastes[here.slot][here.number]


class Changing(Tastes):
    """A person whose tastes are drawn again in week TURN."""

    def settle(self) -> None:
        self.before, self.after = _tastes(self.rng), _tastes(self.rng)

    def liking(self, here: Here) -> float:
        return (self.before if here.week < TURN else self.after)[here.slot][here.number]


class Weekends(Tastes):
    """A person with different tastes on workdays and weekends."""

    def settle(self) -> None:
        self.working, self.free = _tastes(self.rng), _tastes(self.rng)

    def liking(self, here: Here) -> float:
        return (self.free if here.day >= WEEKEND else self.working)[here.slot][here.number]


class Accepting(Simulated):
    """A person who accepts almost everything."""

    offset, slope = 2.5, 0.3


class Declining(Simulated):
    """A person who accepts almost nothing."""

    offset, slope = -3.0, 0.3


class Tiring(Simulated):
    """The simulator's person, but tired of an action that is recommended often."""

    def settle(self) -> None:
        self.heard = dict.fromkeys(NAMES, 0.0)

    def liking(self, here: Here) -> float:
        liked = here.standing[here.action] - TIRED / self.slope * self.heard[here.action]
        self.heard = {name: FORGOTTEN * times for name, times in self.heard.items()}
        self.heard[here.action] += 1.0
        return liked


class Habits(Tastes):
    """A person whose habits decide calendar, watch and answers, so that usual actions are accepted."""

    def settle(self) -> None:
        self.working, self.free = _tastes(self.rng), _tastes(self.rng)
        for of in (self.working, self.free):
            of[SLEEPS_IN][NAMES.index(ActionType.SLEEP)] = SLEEPY

    def liking(self, here: Here) -> float:
        return self._usual(here.day, here.slot)[here.number]

    def habit(self, *, day: int, slot: int) -> list[float]:
        """Return the weights (10,) of the actions that the person does without a recommendation."""
        return [exp(HABIT * z) for z in self._usual(day, slot)]

    def _usual(self, day: int, slot: int) -> list[float]:
        return (self.free if day >= WEEKEND else self.working)[slot]


WORLDS: Mapping[str, type[Simulated]] = {
    "simulated": Simulated,
    "tastes": Tastes,
    "leanings": Leanings,
    "half": Half,
    "refusing": Refusing,
    "unseen": Unseen,
    "reluctant": Reluctant,
    "eager": Eager,
    "indifferent": Indifferent,
    "opposite": Opposite,
    "drift": Drifting,
    "change": Changing,
    "weekend": Weekends,
    "acceptors": Accepting,
    "refusers": Declining,
    "fatigue": Tiring,
    "habits": Habits,
}


def world(name: str) -> Make:
    """Return the class of a world, by its name or from a Python file with a class ``Person``.

    Raises ValueError for an unknown name, and for a file that cannot be run or has no such class.
    """
    if name in WORLDS:
        return WORLDS[name]
    if not name.endswith(".py"):
        raise ValueError(f"there is no world {name!r}; there are: {', '.join(WORLDS)}, or a Python file")
    if not Path(name).is_file():
        raise ValueError(f"there is no file {name!r}; worlds by name are: {', '.join(WORLDS)}")
    try:
        person: Make | None = run_path(name).get("Person")
    except Exception as error:
        raise ValueError(f"{name} cannot be run ({type(error).__name__}: {error})") from error
    if person is None or not callable(getattr(person, "chance", None)):
        raise ValueError(
            f"{name} has no class Person with chance(self, *, week, day, slot, action, feasible, standing)"
        )
    return person


class Hidden:
    """A person of a world who answers each recommendation once. A copy answers hypothetical questions."""

    def __init__(self, make: Make, seed: int, profile: Profiles) -> None:
        self._rng = random.Random(f"person/{seed}")
        self.person = make(self._rng, profile)

    def asked(
        self, about: Mapping[str, Any], feasible: Sequence[ActionType], action: ActionType
    ) -> tuple[dict[ActionType, float], float, bool]:
        """Return (probability of acceptance by action, that of ``action``, True if the person looks at the
        recommendation).

        ``about`` holds week, day, slot and standing, as ``Person.chance`` takes them.
        """
        known = {**about, "feasible": tuple(map(str, feasible))}
        chances = {one: float(self._copied().chance(action=str(one), **known)) for one in feasible}
        looks: Callable[..., bool] | None = getattr(self.person, "seen", None)
        seen = looks is None or bool(looks(action=str(action), **known))
        return chances, float(self.person.chance(action=str(action), **known)), seen

    def habit(self, day: int, slot: int) -> Sequence[float] | None:
        """Return the weights (10,) of actions without a recommendation, or None for the simulator's own."""
        own: Callable[..., Sequence[float]] | None = getattr(self.person, "habit", None)
        return None if own is None else own(day=day, slot=slot)

    def _copied(self) -> Person:
        rng = random.Random()
        rng.setstate(self._rng.getstate())
        return deepcopy(self.person, {id(self._rng): rng})
