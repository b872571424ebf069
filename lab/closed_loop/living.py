"""Weeks of a simulated person through the real product, with sync, recommendation, answer and action in each slot."""

from __future__ import annotations

import random
import tempfile
from collections import deque
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from math import nan
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from bridge.advice import feedback, recommend
from bridge.advice.labels import labelled
from bridge.advice.observation import slot_around
from bridge.advice.recommend import build_observation
from bridge.domain.facts import prose
from bridge.domain.records import Feedback, FullRecommendation, Silence, User
from bridge.domain.slots import Moment, ZoneSpan, local_time, moment_at, moment_of, slot_start
from lab.closed_loop.ablations import Arm, Informed, classifier_of
from lab.closed_loop.home import Home, home
from lab.closed_loop.resident import Levels, Resident
from lab.evaluation.deployed import FIRST_MONDAY
from lab.evaluation.worlds import world
from lab.people.body import Tone
from lab.people.titles import meant
from rhythm_env.constants import STEPS
from rhythm_env.interface import ActionType, Answer, Meter, Policy, Slot
from rhythm_env.profiles import belief_target

if TYPE_CHECKING:
    from bridge.installation import Bridge

AFTER_WAKING = timedelta(minutes=45)  # by then the band's app has finished with the night
AFTER_START = timedelta(minutes=5)
TO_ANSWER = timedelta(minutes=2)
WRITTEN_DOWN = 0.7  # share of what is done that gets into the calendar, nights' sleep apart
DAY = timedelta(days=1)
SUGGESTED = "suggested"  # kind of advice without a time, too
NOTHING_STATED = (0.5, 0.5, 0.5)  # the belief before any was stated


@dataclass(slots=True, kw_only=True)
class Lived:
    """The results of a person's weeks, in lists with an element per slot.

    A slot without a recommendation has None as action and answer, NaN as meters, and the last belief stated before.
    """

    seed: int
    arm: Arm
    source: str
    answers: list[str | None] = field(default_factory=list)
    advised: list[str | None] = field(default_factory=list)
    kinds: list[str | None] = field(default_factory=list)  # suggested, keep or sleep
    weighted: list[float] = field(default_factory=list)  # mean of the hidden meters after the slot, as they weigh
    beliefs: list[tuple[float, float, float]] = field(default_factory=list)
    target: tuple[float, ...] = ()
    hidden: list[list[float]] = field(default_factory=list)  # on the scale the bridge reads in, five per slot
    read: list[list[tuple[float, float, float]]] = field(default_factory=list)  # level, sd, coverage
    labelled: tuple[int, int] = (0, 0)  # events told right, events
    by_lot: int = 0  # slots without advice that were drawn by lot; in the others nothing fitted
    days: list[dict[str, float]] = field(default_factory=list)  # what the body showed, for its moments
    seconds: dict[str, float] = field(default_factory=dict)  # by stage


@dataclass(slots=True)
class Life:
    """A person's life with an installation of the product and a policy."""

    resident: Resident
    home: Home
    policy: Informed
    lived: Lived
    _done: deque[ActionType] = field(default_factory=lambda: deque(maxlen=4))  # in the last four slots
    _spent: float = 0.0

    def before(self) -> None:
        """Simulate the weeks without recommendations, which give the product the person's normal levels."""
        weeks = self.resident.weeks_before
        days: list[tuple[date, list[tuple[Moment, ActionType]], Levels]] = []
        levels: list[Levels] = []
        self.home.diary.comes_round(self.resident.first_monday)
        for week in range(-weeks, 0):
            monday = FIRST_MONDAY + week * 7 * DAY
            self._plan(monday)
            for step in range(STEPS):
                moment = moment_of(monday, step)
                if moment.slot is Slot.MORNING:
                    days.append((moment.date, [], self.resident.levels()))
                levels.append(self.resident.levels())
                done = self.resident.chosen(moment)
                self.resident.live(moment, done)
                days[-1][1].append((moment, done))
        self.resident.remember_normal(levels)
        for day, slots, woke in days:
            self._wake(day, woke)
            for moment, done in slots:
                self._done.append(done)
                self._write_down(moment, done)

    def weeks(self, weeks: int) -> None:
        """Simulate the weeks with recommendations."""
        for week in range(weeks):
            monday = FIRST_MONDAY + week * 7 * DAY
            self._plan(monday)
            for step in range(STEPS):
                self._slot(moment_of(monday, step))
        self._count_labels(FIRST_MONDAY + weeks * 7 * DAY)

    def _plan(self, monday: date) -> None:
        self.resident.begin_week()
        for moment, action in self.resident.plan_week(monday).items():
            self.home.diary.write(moment, action, self._start(moment), today=monday)

    def _slot(self, moment: Moment) -> None:
        begun = process_time()
        at = self._asked(moment)
        self._charge("person", begun)
        found = self._advised(moment, at)
        before = self.resident.levels()
        given, done = (None, self.resident.chosen(moment)) if found is None else self._answered(moment, found, at)
        begun = process_time()
        self.resident.live(moment, done)
        self._done.append(done)
        self._write_down(moment, done)
        self.policy.lived.append((before, self.resident.levels()))
        self._note(given, before)
        self._charge("person", begun)

    def _answered(self, moment: Moment, found: FullRecommendation, at: datetime) -> tuple[Answer, ActionType]:
        begun = process_time()
        feasible = tuple(ActionType(name) for name in found.observation["feasible"])
        given, moved, done = self.resident.respond(moment, found.action, feasible)
        self._charge("person", begun)
        begun = process_time()
        to = None if moved is None else Moment(week=moment.week, day=moment.day, slot=moved)
        user, store = self.home.user, self.home.bridge.store
        feedback.give_feedback(store, user, found.id, Feedback(answer=given, moved_to=to), now=at + TO_ANSWER)
        self._charge("bridge", begun)
        if to is not None:
            self.resident.plans[to] = found.action
            self.home.diary.write(to, found.action, self._start(to), today=to.date)
        return given, done

    def _asked(self, moment: Moment) -> datetime:
        """Return the instant at which a slot's recommendation is requested. In the morning, sync the night first."""
        if moment.slot is not Slot.MORNING:
            return self._start(moment) + AFTER_START
        day = moment.date
        self.home.travel(day)
        woke = self._wake(day, self.resident.levels())
        begun = process_time()
        self.home.sync(woke + AFTER_WAKING, day)
        self._charge("sync", begun)
        self._spent += process_time() - begun
        return woke + AFTER_WAKING + AFTER_START

    def _wake(self, day: date, levels: Levels) -> datetime:
        """Simulate the night that ends on a day, and return its end. ``levels`` are the hidden meters."""
        score = self.resident.score
        tone = Tone(
            energy=score(Meter.VITALITY, levels[Meter.VITALITY]),
            calm=score(Meter.SERENITY, levels[Meter.SERENITY]),
            turned_in=not self._done or self._done[-1] is ActionType.SLEEP,
            trained=ActionType.EXERCISE in self._done,
            away=self.home.about.away(day),
        )
        morning = self.home.wake(day, tone)
        night = morning.night
        shown = {"hrv": night.hrv, "resting_hr": night.resting_hr, "asleep": night.asleep}
        shown |= {"steps": float(morning.steps), "stress": morning.stress}
        self.lived.days.append({"day": float(day.toordinal())} | (shown if morning.worn else {}))
        return night.end

    def _advised(self, moment: Moment, at: datetime) -> FullRecommendation | None:
        begun, before = process_time(), self.policy.spent
        bridge = self.home.bridge
        advise = advised_alone if self.lived.arm.alone else recommend.recommend
        found = advise(bridge, self.home.user, self.policy, now=at)
        if found.moment != moment:
            raise RuntimeError("advice for another slot than the one that is lived")
        spent = self.policy.spent - before
        self._told(found)
        self.lived.seconds["policy"] = self.lived.seconds.get("policy", 0.0) + spent
        self._charge("bridge", begun + spent)
        return None if isinstance(found, Silence) else found

    def _told(self, found: FullRecommendation | Silence) -> None:
        lived = self.lived
        if isinstance(found, Silence):
            lived.advised.append(None)
            lived.kinds.append(None)
            lived.read.append([(nan, nan, nan)] * len(Meter))
            lived.beliefs.append(lived.beliefs[-1] if lived.beliefs else NOTHING_STATED)
            lived.by_lot += found.by_lot
            return
        lived.advised.append(str(found.action))
        lived.kinds.append(found.kind or SUGGESTED)
        states = found.observation["meters"]
        lived.read.append([(states[m]["level"], states[m]["sd"], states[m]["coverage"]) for m in Meter])
        lived.beliefs.append((found.belief["social"], found.belief["morning"], found.belief["work"]))

    def _write_down(self, moment: Moment, done: ActionType) -> None:
        planned = self.resident.plans.get(moment)
        if planned is done:
            return
        if planned is not None:
            self.home.diary.strike(moment)
        asleep = moment.slot is Slot.NIGHT and done is ActionType.SLEEP
        rng = self.resident.dice("written", moment.week, moment.timestep)
        if rng.random() < WRITTEN_DOWN and not asleep:
            self.home.diary.write(moment, done, self._start(moment), today=moment.date + DAY)

    def _note(self, given: Answer | None, before: Levels) -> None:
        on_scale = self.resident.on_scale(before)
        self.lived.answers.append(None if given is None else str(given))
        self.lived.weighted.append(self.resident.weighted())
        self.lived.hidden.append([on_scale[meter] for meter in Meter])

    def _start(self, moment: Moment) -> datetime:
        return slot_start(moment, self._zones(moment.date))

    def _zones(self, day: date) -> tuple[ZoneSpan, ...]:
        known = self.home.user.zones
        return known if day >= FIRST_MONDAY else known[:1]

    def _count_labels(self, until: date) -> None:
        ends = [datetime(d.year, d.month, d.day, tzinfo=UTC) for d in (FIRST_MONDAY - 56 * DAY, until)]
        found = labelled(self.home.bridge, self.home.user, *ends, at=ends[1] + DAY)
        right = [label.action is meant()[o.event.title or ""] for o, label in found]
        self.lived.labelled = sum(right), len(right)

    def _charge(self, stage: str, since: float) -> None:
        """Add the processor time since ``since`` to the total of ``stage``, without time already added to another."""
        spent = process_time() - since - (self._spent if stage == "person" else 0.0)
        if stage == "person":
            self._spent = 0.0
        self.lived.seconds[stage] = self.lived.seconds.get(stage, 0.0) + spent


def lived(seed: int, arm: Arm, weeks: int, answers: str | None = None) -> Lived:
    """Simulate a person's life in a temporary folder, with the policy and options in ``arm``.

    ``answers`` names the rule by which the person answers (a world), by default the simulator's.
    """
    resident = Resident(seed, None if answers is None else world(answers))
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-live-") as name, home(resident, weeks, Path(name)) as place:
        told = Lived(seed=seed, arm=arm, source=place.about.worn[0][1])
        told.target = tuple(float(x) for x in belief_target(resident.person)[:, 0])
        policy = Informed(arm, resident)
        vars(place.bridge)["classifier"] = classifier_of(arm, place.bridge.settings)  # in place of that of the settings
        life = Life(resident, place, policy, told)
        begun = process_time()
        life.before()
        told.seconds["weeks before"] = process_time() - begun
        life.weeks(weeks)
    return told


def played(asked: tuple[int, Arm, int, str | None]) -> Lived:
    """Call ``lived`` without settings from this machine's environment, for use in another process."""
    import os

    for name in [name for name in os.environ if name.startswith("BRIDGE_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-live-") as nowhere:
        os.environ["BRIDGE_HOME"] = nowhere
        return lived(*asked)


def advised_alone(bridge: Bridge, user: User, policy: Policy, *, now: datetime) -> FullRecommendation:
    """Make and store a recommendation by the policy alone, without the product's choice of a time within the slot."""
    moment, guard = moment_at(now, user.zones), bridge.guard
    seen, _ = build_observation(bridge, user, at=now)
    observation, _ = guard.allowed(seen, now=local_time(now, user.zones))
    rng = random.Random(f"{user.name}/{moment.week}/{moment.timestep}")
    decision = guard.explored(policy.decide(observation, rng), observation, rng)
    return bridge.store.recommendations.add(
        FullRecommendation(
            id=0,
            user_id=user.id,
            moment=moment,
            action=decision.action,
            policy=f"{policy.name}@{policy.version}",
            belief=asdict(decision.belief),
            belief_sd=decision.belief_sd,
            scores={str(a): score for a, score in decision.scores.items()},
            probabilities={str(a): p for a, p in decision.probabilities.items()},
            facts=tuple(map(prose, decision.reasons)),
            observation=observation.to_json(),
            created_at=now,
            expires_at=slot_around(now, user.zones)[1],
        )
    )
