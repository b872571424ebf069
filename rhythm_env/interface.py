"""The model interface: the only thing the bridge and the simulator share about models. Standard library only.

A policy gets an ``Observation`` and a random generator and returns a ``Decision``. It cannot tell a simulated week
from a real one: fields that real life cannot know (anomalies, the active event) are None there.
Names are spelled in upper case in all JSON.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum, StrEnum
from itertools import zip_longest
from typing import Any, Protocol
from zoneinfo import ZoneInfo

OBSERVATION_VERSION = 1
STEPS_PER_WEEK = 28
SLOTS_PER_DAY = 4
HISTORY_STEPS = 7  # completed steps shown in the observation
HISTORY_DAYS = 30  # days of interactions a deployed policy adapts from


class Meter(StrEnum):
    """The five life meters, each between 0 and 1."""

    VITALITY = "VITALITY"
    COGNITION = "COGNITION"
    PROGRESS = "PROGRESS"
    SERENITY = "SERENITY"
    CONNECTION = "CONNECTION"


class ActionType(StrEnum):
    """The ten actions. The order is part of the interface: networks index by it."""

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
    """A quarter of a day by the local clock. Night (00-06) closes the day before it."""

    MORNING = 0  # 06-12
    AFTERNOON = 1  # 12-18
    EVENING = 2  # 18-24
    NIGHT = 3  # 00-06 of the next calendar date


DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SLOT_START = {Slot.MORNING: 6, Slot.AFTERNOON: 12, Slot.EVENING: 18, Slot.NIGHT: 24}


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneSpan:
    """From this instant on the person lives in this IANA zone."""

    since: datetime
    zone: str


ZoneHistory = Sequence[ZoneSpan]  # ascending by ``since``; the first span also covers everything before it


def zone_at(instant: datetime, zones: ZoneHistory) -> ZoneInfo:
    """The person's zone at an instant. Raises ValueError for a naive instant or an empty history."""
    if instant.tzinfo is None or not zones:
        raise ValueError("zone_at needs an aware instant and at least one zone")
    current = zones[0]
    for span in zones:
        if span.since <= instant:
            current = span
    return ZoneInfo(current.zone)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Moment:
    """A slot of a person's life: ``week`` is the date of its Monday, ``day`` 0 (Monday) to 6."""

    week: date
    day: int
    slot: Slot

    @property
    def timestep(self) -> int:
        """0 (Monday morning) to 27 (the night that ends on the next Monday at 06:00)."""
        return self.day * SLOTS_PER_DAY + int(self.slot)

    @property
    def date(self) -> date:
        """The calendar date this slot's day began on; for a night, the date before its hours."""
        return self.week + timedelta(days=self.day)

    def shifted(self, steps: int) -> Moment:
        """The slot ``steps`` later (or earlier), across weeks."""
        weeks, step = divmod(self.timestep + steps, STEPS_PER_WEEK)
        return moment_of(self.week + timedelta(weeks=weeks), step)


def moment_of(week: date, timestep: int) -> Moment:
    """The slot of a week by its step 0..27."""
    return Moment(week=week, day=timestep // SLOTS_PER_DAY, slot=Slot(timestep % SLOTS_PER_DAY))


def moment_at(instant: datetime, zones: ZoneHistory) -> Moment:
    """(week, day, slot) of an instant by the person's own clock; the week starts on Monday at 06:00 local.

    >>> zones = [ZoneSpan(since=datetime(2026, 1, 1, tzinfo=UTC), zone="Europe/Berlin")]
    >>> moment_at(datetime(2026, 11, 23, 4, 30, tzinfo=UTC), zones)  # Monday 05:30: still Sunday's night
    Moment(week=datetime.date(2026, 11, 16), day=6, slot=<Slot.NIGHT: 3>)
    """
    local = instant.astimezone(zone_at(instant, zones))
    night = local.hour < SLOT_START[Slot.MORNING]
    day = local.date() - timedelta(days=1) if night else local.date()
    slot = Slot.NIGHT if night else Slot((local.hour - 6) // 6)
    return Moment(week=day - timedelta(days=day.weekday()), day=day.weekday(), slot=slot)


def slot_start(moment: Moment, zones: ZoneHistory) -> datetime:
    """The instant (UTC) a slot begins on the person's clock; a slot that crosses a DST change is shorter or longer.

    On a travel day a slot begins when the clock of the zone the person is in by then first shows its hour or a later
    one. Eastward, slots the clock jumped over are empty and begin on arrival; westward, hours the clock shows again
    belong to the slot they come round in for ``moment_at``, while that slot's bounds stay those of its first time.
    """
    days, hour = divmod(SLOT_START[moment.slot], 24)
    wall = datetime.combine(moment.date + timedelta(days=days), time(hour))
    arrived = datetime.min.replace(tzinfo=UTC)
    for span, following in zip_longest(zones, zones[1:]):
        start = max(wall.replace(tzinfo=ZoneInfo(span.zone)).astimezone(UTC), arrived)
        if following is None or start < following.since:
            return start.astimezone(UTC)
        arrived = following.since
    raise ValueError("slot_start needs at least one zone")


def slot_bounds(moment: Moment, zones: ZoneHistory) -> tuple[datetime, datetime]:
    """Begin and end (exclusive) of a slot in UTC."""
    return slot_start(moment, zones), slot_start(moment.shifted(1), zones)


class Answer(StrEnum):
    """What the person did with a recommendation. Reschedule is kept apart: right action, wrong time."""

    ACCEPT = "ACCEPT"
    IGNORE = "IGNORE"
    RESCHEDULE = "RESCHEDULE"


REWARD = {Answer.ACCEPT: 1.0, Answer.IGNORE: -1.0, Answer.RESCHEDULE: -1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterState:
    """What a model sees of a meter: level 0..1, its standard deviation, and the share of inputs that were fresh.

    In the simulator's meter-dense mode sd is 0 and coverage 1.
    """

    level: float
    sd: float = 0.0
    coverage: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One completed slot. ``action`` is what the person did where that is known, ``recommended`` what was advised.

    ``anomalies`` (actual minus a neutral person's change) exist in the simulator only.
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
    """One recommendation of the last 30 days and its answer, with the levels the person had then."""

    at: datetime
    day: int
    slot: Slot
    levels: Mapping[Meter, float]
    recommended: ActionType
    answer: Answer
    moved_to: tuple[int, Slot] | None = None  # (day, slot) chosen instead, for RESCHEDULE

    @property
    def reward(self) -> float:
        return REWARD[self.answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """Who the person is thought to be: social (0 hates, 1 loves company), morning (0 night owl, 1 morning person),
    work (0 avoids, 1 lives for it)."""

    social: float = 0.5
    morning: float = 0.5
    work: float = 0.5

    def __post_init__(self) -> None:
        if wrong := [name for name in ("social", "morning", "work") if not 0.0 <= getattr(self, name) <= 1.0]:
            raise ValueError(f"belief {wrong[0]} must lie in 0..1")

    def vector(self) -> tuple[float, float, float]:
        return (self.social, self.morning, self.work)

    def digits(self) -> str:
        """The wire format of language-model policies: three digits 0-9, e.g. ``3 8 7``."""
        return " ".join(str(round(x * 9)) for x in self.vector())


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Everything a policy may know at the start of a slot.

    The upper block is the published simulator's; ``history`` and ``feasible`` are what a deployed person adds.
    ``reward`` is the last step's reward (in life: the last answer's, 0 before the first).
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
    version: int = OBSERVATION_VERSION

    def to_json(self) -> dict[str, Any]:
        """A JSON document; ``observation_from_json`` reads it back equal."""
        return _plain(self)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A policy's answer. ``probabilities`` are what ``action`` was drawn from; ``scores`` are in the policy's unit."""

    action: ActionType
    belief: Belief
    scores: Mapping[ActionType, float]
    probabilities: Mapping[ActionType, float]
    reasons: tuple[str, ...] = ()
    belief_sd: tuple[float, float, float] | None = None
    by: str = ""  # a person's prior or adapter, or what stood in; empty: the policy as everybody has it


class Policy(Protocol):
    """A model. ``name`` is its file's name, ``version`` goes up whenever the same input may give another decision."""

    name: str
    version: int

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Choose one of ``observation.feasible``; must not change its input; same input and seed, same decision."""


def observation_from_json(body: Mapping[str, Any]) -> Observation:
    """Read ``Observation.to_json`` back. Raises ValueError for another version."""
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
