"""The types that the product, the simulator and the policies share. The module imports the standard library only.

An observation of a real week has the form of a simulated one, with None for anomalies and the active event.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Any, Protocol

OBSERVATION_VERSION = 1
STEPS_PER_WEEK = 28
SLOTS_PER_DAY = 4
WEEKEND = 5  # the first day of the weekend, with Monday as 0
HISTORY_STEPS = 7  # completed steps shown in the observation
HISTORY_DAYS = 30  # days of interactions that a policy reads


class Meter(StrEnum):
    """The five life meters, each between 0 and 1."""

    VITALITY = "VITALITY"
    COGNITION = "COGNITION"
    PROGRESS = "PROGRESS"
    SERENITY = "SERENITY"
    CONNECTION = "CONNECTION"


class ActionType(StrEnum):
    """The ten actions. Their order is part of the interface, because networks use it as index."""

    DEEP_WORK = "DEEP_WORK"
    ADMIN_WORK = "ADMIN_WORK"
    LEARN = "LEARN"
    SLEEP = "SLEEP"
    EXERCISE = "EXERCISE"
    MEDITATE = "MEDITATE"
    FAMILY_TIME = "FAMILY_TIME"
    SOCIALIZE = "SOCIALIZE"
    ME_TIME = "ME_TIME"
    BINGE_WATCH = "BINGE_WATCH"


class Slot(IntEnum):
    """A quarter of a day by the local clock. The night (00-06) belongs to the day before it."""

    MORNING = 0  # 06-12
    AFTERNOON = 1  # 12-18
    EVENING = 2  # 18-24
    NIGHT = 3  # 00-06 of the next calendar date


DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def kind_of_slot(day: int, slot: int) -> str:
    """Return the kind of a slot, which is workday or weekend and the part of the day.

    ``day`` is 0 (Monday) to 6, and ``slot`` 0 to 3. The weekend is Saturday and Sunday.

    >>> kind_of_slot(0, Slot.MORNING), kind_of_slot(6, Slot.NIGHT)
    ('workday/morning', 'weekend/night')
    """
    return f"{'weekend' if day >= WEEKEND else 'workday'}/{Slot(slot).name.lower()}"


class Answer(StrEnum):
    """The user's answer to a recommendation. Reschedule means the right action at the wrong time."""

    ACCEPT = "ACCEPT"
    IGNORE = "IGNORE"
    RESCHEDULE = "RESCHEDULE"


REWARD = {Answer.ACCEPT: 1.0, Answer.IGNORE: -1.0, Answer.RESCHEDULE: -1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterState:
    """A meter as a model sees it: level from 0 to 1, standard deviation, and share of fresh inputs.

    A simulator that shows meters without error has sd 0 and coverage 1.
    """

    level: float
    sd: float = 0.0
    coverage: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """A completed slot. ``action`` is what was done and ``recommended`` what was advised, each None if unknown.

    ``deltas`` are the changes of the meters. ``anomalies``, known in the simulator only, are the changes less those of
    a person with neutral traits.
    """

    timestep: int
    day: int
    slot: Slot
    action: ActionType | None = None
    recommended: ActionType | None = None
    answer: Answer | None = None
    reward: float | None = None
    deltas: Mapping[Meter, float] | None = None
    anomalies: Mapping[Meter, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A recommendation of the last HISTORY_DAYS days with its answer and the meters' levels (0 to 1) at that time.

    ``day`` is 0 (Monday) to 6.
    """

    at: datetime
    day: int
    slot: Slot
    levels: Mapping[Meter, float]
    recommended: ActionType
    answer: Answer
    moved_to: tuple[int, Slot] | None = None  # (day, slot) chosen instead, for RESCHEDULE

    @property
    def reward(self) -> float:
        """Return the reward of the answer: 1 for ACCEPT, otherwise -1."""
        return REWARD[self.answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """The estimate of three traits, each from 0 to 1, for liking company, mornings and work.

    Raises ValueError for values outside 0..1.
    """

    social: float = 0.5
    morning: float = 0.5
    work: float = 0.5

    def __post_init__(self) -> None:
        if wrong := [name for name in ("social", "morning", "work") if not 0.0 <= getattr(self, name) <= 1.0]:
            raise ValueError(f"belief {wrong[0]} must lie in 0..1")

    def vector(self) -> tuple[float, float, float]:
        return (self.social, self.morning, self.work)

    def digits(self) -> str:
        """Return the belief in the form that language-model policies use, three digits 0-9 such as ``3 8 7``."""
        return " ".join(str(round(x * 9)) for x in self.vector())


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Everything a policy may know at the start of a slot. None means unknown, or no ``active_event``.

    Fields up to ``done`` are those of the published simulator. ``history`` holds answers, oldest first. ``reward`` is
    that of the last step or answer.
    """

    timestep: int
    day: int
    slot: Slot
    meters: Mapping[Meter, MeterState]
    deltas: Mapping[Meter, float] | None = None
    anomalies: Mapping[Meter, float] | None = None
    active_event: str | None = None
    step_history: tuple[StepRecord, ...] = ()
    remaining_steps: int = STEPS_PER_WEEK
    reward: float = 0.0
    done: bool = False
    history: tuple[Interaction, ...] = ()
    feasible: tuple[ActionType, ...] = tuple(ActionType)
    planned: Mapping[ActionType, float] = field(default_factory=dict)  # share of this slot already in the calendar
    # Kind of slot (``kind_of_slot``) -> action -> number of such slots in which the calendar shows the action without
    # a recommendation. Empty if the calendar shows nothing.
    routine: Mapping[str, Mapping[ActionType, float]] = field(default_factory=dict)
    version: int = OBSERVATION_VERSION

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object, from which ``observation_from_json`` builds an equal observation."""
        return _plain(self)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A policy's choice, drawn from ``probabilities``. A higher score is better, in a unit of the policy's own.

    ``belief_sd`` are the standard deviations of social, morning and work, or None if the policy states none.
    """

    action: ActionType
    belief: Belief
    scores: Mapping[ActionType, float]
    probabilities: Mapping[ActionType, float]
    reasons: tuple[str, ...] = ()
    belief_sd: tuple[float, float, float] | None = None
    by: str = ""  # the user's prior or adapter, or a substitute; empty for the general policy


class Policy(Protocol):
    """A policy, which chooses actions. ``name`` is that of its module.

    ``version`` rises with every change after which an equal observation may give another decision.
    """

    name: str
    version: int

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return a decision for an action of ``observation.feasible``.

        The observation stays unchanged. An equal observation and an equally seeded ``rng`` give an equal decision.
        """


def observation_from_json(body: Mapping[str, Any]) -> Observation:
    """Return the observation that ``to_json`` converted into ``body``. Raises ValueError for another version."""
    if body.get("version") != OBSERVATION_VERSION:
        raise ValueError(f"observation version {body.get('version')!r}, this code reads {OBSERVATION_VERSION}")
    return Observation(
        timestep=body["timestep"],
        day=body["day"],
        slot=Slot(body["slot"]),
        meters={Meter(m): MeterState(**s) for m, s in body["meters"].items()},
        deltas=_meters(body["deltas"]),
        anomalies=_meters(body["anomalies"]),
        active_event=body["active_event"],
        step_history=tuple(_step(s) for s in body["step_history"]),
        remaining_steps=body["remaining_steps"],
        reward=body["reward"],
        done=body["done"],
        history=tuple(_interaction(i) for i in body["history"]),
        feasible=tuple(ActionType(a) for a in body["feasible"]),
        planned={ActionType(a): share for a, share in body["planned"].items()},
        routine={
            kind: {ActionType(a): slots for a, slots in shown.items()}
            for kind, shown in body.get("routine", {}).items()
        },
    )


def _meters(body: Mapping[str, float] | None) -> dict[Meter, float] | None:
    return None if body is None else {Meter(m): v for m, v in body.items()}


def _action(name: str | None) -> ActionType | None:
    return None if name is None else ActionType(name)


def _step(body: Mapping[str, Any]) -> StepRecord:
    return StepRecord(
        timestep=body["timestep"],
        day=body["day"],
        slot=Slot(body["slot"]),
        action=_action(body["action"]),
        recommended=_action(body["recommended"]),
        answer=None if body["answer"] is None else Answer(body["answer"]),
        reward=body["reward"],
        deltas=_meters(body["deltas"]),
        anomalies=_meters(body["anomalies"]),
    )


def _interaction(body: Mapping[str, Any]) -> Interaction:
    moved = body["moved_to"]
    return Interaction(
        at=datetime.fromisoformat(body["at"]),
        day=body["day"],
        slot=Slot(body["slot"]),
        levels={Meter(m): v for m, v in body["levels"].items()},
        recommended=ActionType(body["recommended"]),
        answer=Answer(body["answer"]),
        moved_to=None if moved is None else (moved[0], Slot(moved[1])),
    )


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Slot):
        return int(value)
    return str(value) if isinstance(value, StrEnum) else value
