"""A simulated person who lives on, advised or not: hidden profile, hidden meters, plans, answers and habits.

Every draw has its own seed (person, slot, what for), so that one person's lives under two policies differ by what the
policies did and by nothing else.
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
    """``meters``: (5, 1) hidden; ``normal``: meter -> (mean, spread) of the weeks without advice."""

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
        """Return the first Monday that was recorded."""
        return FIRST_MONDAY - timedelta(weeks=self.weeks_before)

    def levels(self) -> Levels:
        return {meter: float(level) for meter, level in zip(Meter, self.meters[:, 0], strict=True)}

    def weighted(self) -> float:
        """The mean of the hidden meters as the person weighs them."""
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
        """Return the answer, the slot that advice is put off to, and the action that is done.

        A planned action is done as often when it is advised as without advice, and is then accepted if the advice is
        seen. Any other advice is answered by the person's chance.
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
        """Return the probability of acceptance in the person's world, and whether the advice is seen."""
        if self._hidden is None:
            return None, True
        relative = standing(utilities(self.meters, int(moment.slot), self.person)[:, 0], feasible)
        week = (moment.week - FIRST_MONDAY).days // 7
        _, chance, seen = self._hidden.asked(about(week, moment, relative), feasible, advised)
        return chance, seen

    def chosen(self, moment: Moment) -> ActionType:
        """Return the action that is done without advice: the planned one if the plan is kept, else one by habit."""
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
        """A slot passes."""
        week = (moment.week - FIRST_MONDAY).days // 7
        happens = dynamics.drawn_events([self.seed * 1000 + 100 + week])[moment.timestep]
        chosen = np.array([ACTIONS.index(done)])
        self.meters, _, _ = dynamics.step(self.meters, chosen, int(moment.slot), self.person, happens)

    def begin_week(self) -> None:
        """Progress is made anew."""
        self.meters = self.meters.copy()
        self.meters[P] = 0.0

    def remember_normal(self, lived: Sequence[Levels]) -> None:
        """Keep the person's normal levels: mean and spread before the first advice."""
        for_each = {meter: np.array([levels[meter] for levels in lived]) for meter in Meter}
        self.normal = {meter: (float(of.mean()), max(float(of.std()), NARROWEST)) for meter, of in for_each.items()}

    def score(self, meter: Meter, level: float) -> float:
        """A hidden level as a standard score against the person's own normal."""
        mean, spread = self.normal[meter]
        return (level - mean) / spread

    def on_scale(self, levels: Levels) -> Levels:
        """Hidden levels on the scale the bridge reads in: 0.70 is the person's normal; progress is counted as it is."""
        read = {meter: level_of(self.score(meter, level)) for meter, level in levels.items()}
        return read | {Meter.PROGRESS: levels[Meter.PROGRESS]}
