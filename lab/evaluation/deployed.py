"""A simulated person who is observed as a real user is, by the product's own observation code.

Hidden meters become the data of a band and a calendar, with noise, missing nights, and only a part of the actions. The
correlation of a night's data with the truth is drawn from the range measured on people. The product's meters are
computed from these data. Anomalies and events are unknown, and the history holds the answers of 30 days.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bridge import registry
from bridge.advice.observation import observe
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import Moment, ZoneSpan, moment_of, slot_bounds
from bridge.domain.types import Episode, EpisodeKind, Event, Label, Occurrence, Reading, Sample
from lab.environments import dynamics
from lab.environments.dynamics import sampled, standing, utilities
from lab.evaluation.worlds import Hidden, Make
from lab.people.answering import answer, own_choice
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS, P, S, V, start
from rhythm_env.interface import ActionType, Answer, Decision, Interaction, Meter, Observation, Policy, Slot
from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]

ZONES = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="UTC"),)
FIRST_MONDAY = date(2026, 1, 5)
VALIDITY = (0.1, 0.5)  # correlation of a night's reading with the truth (with reports: lab/validation/README.md)
MISSING_NIGHT = 0.1  # share of nights without the band
WARM_UP = (5, 60)  # nights recorded before the first week
WRITTEN_DOWN = 0.7  # share of what is done that the calendar shows
AGREEMENT = 0.85  # of a night's figures with each other
FURTHEST = 2.5  # standard deviations a hidden meter may lie from its middle
SPREAD = 0.14  # of a hidden meter, about its 0.7: what counts as one standard deviation
SOURCE = "simulated"
KEPT = timedelta(days=100)  # further back no reading looks
WAKING = time(6)
EVENT_WEEKS = 1000  # after which the same events come round again
# name -> (metric, centre, change per standard deviation, is the change relative)
NIGHTLY = {
    Metric.HRV_RMSSD: (45.0, 0.19, True),
    Metric.RESTING_HR: (58.0, -2.2, False),
    Metric.SLEEP_SCORE: (76.0, 6.0, False),
}
SLEEP_MINUTES, SLEEP_SPREAD = 430.0, 45.0
STRESS, STRESS_SPREAD = 33.0, 8.0
# (all answers so far, day of the week, instant) -> the probability that a slot gets advice
Gives = Callable[[Sequence[Interaction], int, datetime], float]


@dataclass(slots=True)
class Slice:
    """A slot with a recommendation, as it went. ``chances`` maps each action to its true probability of acceptance.

    ``before`` and ``after`` are the hidden meters' levels.
    """

    moment: Moment
    observation: Observation
    decision: Decision
    answer: Answer
    moved_to: Slot | None
    done: ActionType
    before: dict[Meter, float]
    after: dict[Meter, float]
    chances: Mapping[ActionType, float] = field(default_factory=dict)


@cache
def _rmssd_errors() -> Mapping[str, float]:
    return registry.rmssd_errors()


def about(week: int, moment: Moment, relative: Array) -> dict[str, object]:
    """Return the description of a slot for ``Person.chance``.

    ``relative`` (10,) are the actions' utilities less their mean, in standard deviations.
    """
    scores = {str(one): float(z) for one, z in zip(ACTIONS, relative, strict=True)}
    return {"week": week, "day": moment.day, "slot": int(moment.slot), "standing": scores}


@dataclass(slots=True)
class Life:
    """A simulated person's life over many weeks. Progress begins at 0 each Monday."""

    seed: int
    condition: str = "in"
    validity: float | None = None  # of its nights and stress; None: drawn from VALIDITY
    recorded: bool = True  # False: no band and no calendar, so that answers are all that is known
    answers_by: Make | None = None  # the people of a world; None: the simulator's own
    gives: Gives | None = None  # how often a slot gets advice; None: always
    weeks_before: int = 0  # lived and recorded without advice
    person: Profiles = field(init=False)
    meters: Array = field(init=False)
    _rng: random.Random = field(init=False)
    _validity: float = field(init=False)
    _nights: list[Sample | Episode] = field(default_factory=list)
    _day: list[Sample] = field(default_factory=list)
    _agenda: list[tuple[Occurrence, Label]] = field(default_factory=list)
    _history: list[Interaction] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)  # mean hidden level after every slot, as the person weighs them
    _earlier: dict[datetime, dict[Meter, Reading]] = field(default_factory=dict)
    _one: Hidden | None = None
    _advice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.person = sampled([self.seed], self.condition)
        self.meters = start(1)
        self._rng = random.Random(f"life/{self.seed}/{self.condition}")
        drawn = self._rng.uniform(*VALIDITY)
        self._validity = drawn if self.validity is None else self.validity
        self._advice = random.Random(f"advice/{self.seed}")
        if self.answers_by is not None:
            self._one = Hidden(self.answers_by, self.seed, self.person)
        for ago in range(self._rng.randint(*WARM_UP), 0, -1):
            self._sleep(FIRST_MONDAY - timedelta(days=ago, weeks=self.weeks_before), self._rng.gauss(0, 1))
        for week in range(-self.weeks_before, 0):
            for moment, event in self._moments(week):
                self._alone(moment, event)

    @property
    def answers(self) -> tuple[Interaction, ...]:
        """Return all answers so far, without a limit of age."""
        return tuple(self._history)

    def live(self, policy: Policy, weeks: int, *, first: int = 0) -> Iterator[Slice]:
        """Live ``weeks`` weeks from week ``first`` on, and yield every slot with a recommendation."""
        rng = random.Random(f"policy/{self.seed}")
        for week in range(first, first + weeks):
            for moment, event in self._moments(week):
                start = slot_bounds(moment, ZONES)[0]
                share = 1.0 if self.gives is None else self.gives(self._history, moment.day, start)
                if self._advice.random() < share:
                    yield self._slot(policy, rng, moment, event)
                else:
                    self._alone(moment, event)

    def _moments(self, week: int) -> Iterator[tuple[Moment, int]]:
        """Yield the slots of a week, each with its event (0 for none), and record a night before each morning."""
        monday = FIRST_MONDAY + timedelta(weeks=week)
        self.meters[P] = 0.0
        events = dynamics.drawn_events([self.seed * 1000 + week % EVENT_WEEKS])
        for step in range(STEPS):
            moment = moment_of(monday, step)
            if moment.slot is Slot.MORNING:
                self._sleep(slot_bounds(moment, ZONES)[0].date(), (float(self.meters[V, 0]) - 0.7) / SPREAD)
            yield moment, int(events[step, 0])

    def _alone(self, moment: Moment, event: int) -> None:
        done = self._own(moment, ACTIONS)
        self._advance(done, moment, event)
        if self.recorded:
            self._write_down(moment, done, *slot_bounds(moment, ZONES))

    def _slot(self, policy: Policy, rng: random.Random, moment: Moment, event: int) -> Slice:
        start, end = slot_bounds(moment, ZONES)
        seen, _ = observe(self.known(start), earlier=self._earlier if self._one is not None else None)
        decision = policy.decide(seen, rng)
        chances, chance, looked_at = self._chances(moment, seen.feasible, decision.action)
        given, moved = Answer.IGNORE, None
        if looked_at:
            given, moved = answer(
                self.meters, moment.slot, self.person, decision.action, seen.feasible, self._rng, chance=chance
            )
        accepted = given is Answer.ACCEPT
        done = decision.action if accepted else self._own(moment, seen.feasible)
        before = self._levels()
        self._advance(done, moment, event)
        self._remember(moment, seen, decision, given, moved)
        if self.recorded:
            self._write_down(moment, done, start, end)
        return Slice(moment, seen, decision, given, moved, done, before, self._levels(), chances)

    def _chances(
        self, moment: Moment, feasible: Sequence[ActionType], action: ActionType
    ) -> tuple[dict[ActionType, float], float | None, bool]:
        """Return (probability of acceptance by action, that of ``action``, True if the person looks at advice).

        The simulator's own person has no stated probabilities, which gives ({}, None, True).
        """
        if self._one is None:
            return {}, None, True
        relative = standing(utilities(self.meters, int(moment.slot), self.person)[:, 0], feasible)
        week = (moment.week - FIRST_MONDAY).days // 7
        return self._one.asked(about(week, moment, relative), feasible, action)

    def _own(self, moment: Moment, feasible: Sequence[ActionType]) -> ActionType:
        habit = None if self._one is None else self._one.habit(moment.day, int(moment.slot))
        return own_choice(self.meters, moment.slot, self.person, feasible, self._rng, habit=habit)

    def _advance(self, done: ActionType, moment: Moment, event: int) -> None:
        chosen, happens = np.array([ACTIONS.index(done)]), np.array([event])
        self.meters, _, _ = dynamics.step(self.meters, chosen, int(moment.slot), self.person, happens)
        self.levels.append(float(self.person.weights[:, 0] @ self.meters[:, 0]))

    def _levels(self) -> dict[Meter, float]:
        return {meter: float(level) for meter, level in zip(Meter, self.meters[:, 0], strict=True)}

    def known(self, at: datetime) -> Snapshot:
        """Return the data that the product would have of this person at an instant."""
        oldest = (at - KEPT).date()
        self._nights = [one for one in self._nights if one.day >= oldest]
        self._day = [one for one in self._day if one.day >= oldest]
        self._agenda = [one for one in self._agenda if one[0].end >= at - KEPT]
        samples = [i for i in (*self._nights, *self._day) if isinstance(i, Sample)]
        return Snapshot(
            at=at,
            zones=ZONES,
            samples=[(SOURCE, sample) for sample in samples],
            episodes=[(SOURCE, night) for night in self._nights if isinstance(night, Episode)],
            agenda=self._agenda,
            interactions=tuple(self._history),
            rmssd_errors=_rmssd_errors(),
        )

    def _noisy(self, z: float) -> float:
        """Return a measured deviation that has this person's correlation with the hidden deviation ``z``."""
        return self._validity * z + sqrt(1 - self._validity**2) * self._rng.gauss(0, 1)

    def _figure(self, felt: float) -> float:
        return AGREEMENT * felt + sqrt(1 - AGREEMENT**2) * self._rng.gauss(0, 1)

    def _sleep(self, woke: date, z: float) -> None:
        if not self.recorded or self._rng.random() < MISSING_NIGHT:
            return
        end = datetime.combine(woke, WAKING, UTC)
        felt = self._noisy(min(max(z, -FURTHEST), FURTHEST))  # what the whole night says; its figures agree with it
        minutes = min(max(SLEEP_MINUTES + SLEEP_SPREAD * self._figure(felt), 120.0), 640.0)
        start = end - timedelta(minutes=minutes + 30)
        key = f"night/{woke}"
        values = {Metric.ASLEEP: minutes, Metric.IN_BED: minutes + 30, Metric.DEEP_SLEEP: 0.17 * minutes}
        self._nights.append(
            Episode(key=key, kind=EpisodeKind.SLEEP, start=start, end=end, offset=0, day=woke, values=values)
        )
        for metric, (centre, change, relative) in NIGHTLY.items():
            score = self._figure(felt)
            value = centre * (1 + change * score) if relative else centre + change * score
            self._nights.append(
                Sample(
                    key=f"{key}/{metric}",
                    metric=metric,
                    start=start,
                    end=end,
                    offset=0,
                    day=woke,
                    value=max(value, 20.0),
                )
            )

    def _remember(
        self, moment: Moment, seen: Observation, decision: Decision, given: Answer, moved: Slot | None
    ) -> None:
        self._history.append(
            Interaction(
                at=slot_bounds(moment, ZONES)[0],
                day=moment.day,
                slot=moment.slot,
                levels={meter: state.level for meter, state in seen.meters.items()},
                recommended=decision.action,
                answer=given,
                moved_to=None if moved is None else (moment.day, moved),
            )
        )

    def _write_down(self, moment: Moment, done: ActionType, start: datetime, end: datetime) -> None:
        key = f"slot/{moment.week}/{moment.timestep}"
        if self._rng.random() < WRITTEN_DOWN:
            begun, ended = start + timedelta(hours=1), start + timedelta(hours=4)
            others = 2 if done in (ActionType.SOCIALIZE, ActionType.FAMILY_TIME, ActionType.ADMIN_WORK) else 0
            event = Event(key=key, calendar="simulated", start=begun, end=ended, others=others, zone="UTC")
            label = Label(action=done, confidence=1.0, by="simulated@1", why="it was done")
            self._agenda.append((Occurrence(key=key, event=event, start=begun, end=ended), label))
        if moment.slot is not Slot.NIGHT:
            tension = STRESS - STRESS_SPREAD * self._noisy((float(self.meters[S, 0]) - 0.7) / SPREAD)
            self._day.append(
                Sample(
                    key=f"{key}/stress",
                    metric=Metric.STRESS,
                    start=start,
                    end=end,
                    offset=0,
                    day=start.date(),
                    value=min(max(tension, 1.0), 99.0),
                )
            )
