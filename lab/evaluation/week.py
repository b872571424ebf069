"""Weeks that are simulated together, and the observation of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lab.environments import dynamics, grading
from lab.environments.dynamics import sampled, seeds_in
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, EVENT_NAMES, start
from rhythm_env.interface import HISTORY_STEPS, Meter, MeterState, Observation, Slot, StepRecord
from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

METER_NAMES = tuple(Meter)


@dataclass(slots=True)
class Weeks:
    """The state of n weeks that advance together. Lists hold one array for each completed slot."""

    people: Profiles
    events: Ints  # (28, n)
    meters: Array  # (5, n), now
    actions: list[Ints] = field(default_factory=list)
    levels: list[Array] = field(default_factory=list)  # after the step
    deltas: list[Array] = field(default_factory=list)
    anomalies: list[Array] = field(default_factory=list)
    rewards: list[Array] = field(default_factory=list)  # without the terminal part

    @property
    def n(self) -> int:
        return int(self.meters.shape[1])

    @property
    def step(self) -> int:
        return len(self.actions)

    @property
    def done(self) -> bool:
        return self.step >= STEPS

    def advance(self, actions: Ints) -> Array:
        """Simulate a slot with the given actions and return its reward (n,). Raises ValueError after the last slot."""
        at = self.step
        if at >= STEPS:
            raise ValueError("the week is over")
        after, deltas, anomaly = dynamics.step(self.meters, actions, at % SLOTS, self.people, self.events[at])
        self.actions.append(actions)
        self.levels.append(after)
        self.deltas.append(deltas)
        self.anomalies.append(anomaly)
        self.rewards.append(grading.step_reward(deltas, after, self.people.weights))
        self.meters = after
        return self.rewards[-1]

    def components(self, accuracy: Array | float = 0.0) -> dict[str, Array]:
        """Return the parts of the grade by name. ``accuracy`` (0 to 1) is that of the belief."""
        return grading.components(np.array(self.levels), np.array(self.rewards), accuracy)

    def final_score(self, accuracy: Array | float = 0.0) -> Array:
        return grading.grade_v2(self.components(accuracy))

    def mean_level(self) -> Array:
        return grading.mean_level(np.array(self.levels), self.people.weights)


def begin(seeds: Sequence[int], condition: str = "in") -> Weeks:
    """Return weeks on Monday morning for one person per seed. Equal seeds give equal people and events."""
    seeds = seeds_in(seeds, condition)
    people = sampled(seeds, condition)
    return Weeks(people=people, events=dynamics.drawn_events(seeds), meters=start(len(people)))


def observation(weeks: Weeks, i: int) -> Observation:
    """Return the observation of episode ``i`` with the published fields and true meters, but no hidden traits."""
    step = min(weeks.step, STEPS - 1)
    event = EVENT_NAMES[weeks.events[step, i]]
    return Observation(
        timestep=step,
        day=step // SLOTS,
        slot=Slot(step % SLOTS),
        meters={m: MeterState(level=float(x)) for m, x in zip(METER_NAMES, weeks.meters[:, i], strict=True)},
        deltas=_named(weeks.deltas[-1], i) if weeks.deltas else None,
        anomalies=_named(weeks.anomalies[-1], i) if weeks.anomalies else None,
        active_event=None if weeks.done else event,
        step_history=tuple(_record(weeks, t, i) for t in range(max(0, weeks.step - HISTORY_STEPS), weeks.step)),
        remaining_steps=STEPS - weeks.step,
        reward=float(weeks.rewards[-1][i]) if weeks.rewards else 0.0,
        done=weeks.done,
    )


def _named(values: Array, i: int) -> dict[Meter, float]:
    return {meter: float(x) for meter, x in zip(METER_NAMES, values[:, i], strict=True)}


def _record(weeks: Weeks, t: int, i: int) -> StepRecord:
    action = ACTIONS[weeks.actions[t][i]]
    return StepRecord(
        timestep=t,
        day=t // SLOTS,
        slot=Slot(t % SLOTS),
        action=action,
        recommended=action,
        reward=float(weeks.rewards[t][i]),
        deltas=_named(weeks.deltas[t], i),
        anomalies=_named(weeks.anomalies[t], i),
    )
