"""A simulated person with hidden traits and meters, plans, answers and habits.

Every draw is seeded by person, slot and purpose, so that one person's lives under two policies differ by the policies
only.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from bridge.domain.slots import Moment, moment_of
from bridge.meters.fuse import level_of
from lab.environments import dynamics
from lab.environments.dynamics import sampled, standing, utilities
from lab.evaluation.deployed import FIRST_MONDAY, about
from lab.evaluation.worlds import Hidden, Make
from lab.people.answering import answer, own_choice
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS, P, start
from rhythm_env.interface import ActionType, Answer, Meter, Slot
from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]

HABIT_WEEKS = (3, 8)  # lived before anybody advises, as the watch has recorded them
PLANNED = 0.2  # of the slots of a week that are planned on the Sunday before
KEPT = 0.8  # of plans, unless other advice was accepted
NARROWEST = 0.03  # spread of a hidden meter that hardly ever moves
Levels = dict[Meter, float]


@dataclass(slots=True)
class Resident:
    """A simulated person with hidden ``meters`` (5, 1).

    ``normal`` maps a meter to its mean and standard deviation in the weeks without recommendations.
    """

    seed: int
    answers_by: Make | None = None  # the people of a world; None: the simulator's own
    person: Profiles = field(init=False)
    meters: Array = field(init=False)
    normal: dict[Meter, tuple[float, float]] = field(init=False)
    plans: dict[Moment, ActionType] = field(default_factory=dict)
    weeks_before: int = field(init=False)
    _hidden: Hidden | None = None

    def __post_init__(self) -> None:
        self.person = sampled([self.seed])
        if self.answers_by is not None:
            self._hidden = Hidden(self.answers_by, self.seed, self.person)
        self.meters = start(1)
        self.weeks_before = self.dice("before").randint(*HABIT_WEEKS)

    def dice(self, *what: object) -> random.Random:
        return random.Random("/".join(map(str, ("live", self.seed, *what))))

    @property
    def first_monday(self) -> date:
        """The first Monday that was recorded."""
        return FIRST_MONDAY - timedelta(weeks=self.weeks_before)

    def levels(self) -> Levels:
        return {meter: float(level) for meter, level in zip(Meter, self.meters[:, 0], strict=True)}

    def weighted(self) -> float:
        """The mean of the hidden meters by the person's weights."""
        return float(self.person.weights[:, 0] @ self.meters[:, 0])

    def plan_week(self, monday: date) -> dict[Moment, ActionType]:
        """Enter the person's habitual actions into some slots of the week's calendar, and return them."""
        found: dict[Moment, ActionType] = {}
        for step in range(STEPS):
            moment, rng = moment_of(monday, step), self.dice("plan", monday, step)
            if moment.slot is not Slot.NIGHT and rng.random() < PLANNED:
                found[moment] = self._by_habit(moment, rng)
        self.plans |= found
        return found

    def respond(
        self, moment: Moment, advised: ActionType, feasible: Sequence[ActionType]
    ) -> tuple[Answer, Slot | None, ActionType]:
        """Return (answer, slot chosen instead, action that is done).

        A planned action is done as often with a recommendation as without, and is accepted if the recommendation is
        seen. Any other recommendation is answered by the person's probability.
        """
        rng = self.dice("answer", moment.week, moment.timestep)
        chance, seen = self._chance(moment, advised, feasible)
        if seen and advised is self._kept(moment):
            return Answer.ACCEPT, None, advised
        given, moved = Answer.IGNORE, None
        if seen:
            given, moved = answer(self.meters, moment.slot, self.person, advised, feasible, rng, chance=chance)
        return given, moved, advised if given is Answer.ACCEPT else self.chosen(moment)

    def _chance(self, moment: Moment, advised: ActionType, feasible: Sequence[ActionType]) -> tuple[float | None, bool]:
        """Return (probability of acceptance by the person's own rule or None, True if the recommendation is seen)."""
        if self._hidden is None:
            return None, True
        relative = standing(utilities(self.meters, int(moment.slot), self.person)[:, 0], feasible)
        week = (moment.week - FIRST_MONDAY).days // 7
        _, chance, seen = self._hidden.asked(about(week, moment, relative), feasible, advised)
        return chance, seen

    def chosen(self, moment: Moment) -> ActionType:
        """Return the action done without a recommendation, which is the planned one if kept, else one by habit."""
        rng = self.dice("own", moment.week, moment.timestep)
        rng.random()  # the draw of _kept
        return self._kept(moment) or self._by_habit(moment, rng)

    def _kept(self, moment: Moment) -> ActionType | None:
        kept = self.dice("own", moment.week, moment.timestep).random() < KEPT
        return self.plans.get(moment) if kept else None

    def _by_habit(self, moment: Moment, rng: random.Random) -> ActionType:
        habit = None if self._hidden is None else self._hidden.habit(moment.day, int(moment.slot))
        return own_choice(self.meters, moment.slot, self.person, ACTIONS, rng, habit=habit)

    def live(self, moment: Moment, done: ActionType) -> None:
        """Advance the hidden meters by a slot with the action ``done`` and random events."""
        week = (moment.week - FIRST_MONDAY).days // 7
        happens = dynamics.drawn_events([self.seed * 1000 + 100 + week])[moment.timestep]
        chosen = np.array([ACTIONS.index(done)])
        self.meters, _, _ = dynamics.step(self.meters, chosen, int(moment.slot), self.person, happens)

    def begin_week(self) -> None:
        """Set progress to 0 for the new week."""
        self.meters = self.meters.copy()
        self.meters[P] = 0.0

    def remember_normal(self, lived: Sequence[Levels]) -> None:
        """Set the normal levels from the meters of the slots before the first recommendation."""
        for_each = {meter: np.array([levels[meter] for levels in lived]) for meter in Meter}
        self.normal = {meter: (float(of.mean()), max(float(of.std()), NARROWEST)) for meter, of in for_each.items()}

    def score(self, meter: Meter, level: float) -> float:
        """Return a hidden level's deviation from the person's normal level, in standard deviations."""
        mean, spread = self.normal[meter]
        return (level - mean) / spread

    def on_scale(self, levels: Levels) -> Levels:
        """Return hidden levels on the product's scale, on which the person's normal is 0.70. Progress is unchanged."""
        read = {meter: level_of(self.score(meter, level)) for meter, level in levels.items()}
        return read | {Meter.PROGRESS: levels[Meter.PROGRESS]}
