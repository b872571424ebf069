"""What passes between the services and the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bridge.ports.proxies import ProxyMap
from bridge.types import Episode, Item, Label, Occurrence, Sample, Task
from rhythm_env.interface import ActionType, Answer, Interaction, Moment, ZoneSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    id: int
    name: str
    zones: tuple[ZoneSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One user's connection to one source; ``name`` tells two connections to the same source apart."""

    id: int
    user_id: int
    source: str
    name: str
    created_at: datetime
    paused: str | None = None  # why syncing stopped until the person acts
    due_at: datetime | None = None
    last_success: datetime | None = None
    last_error: str | None = None
    member: str | None = None  # the source's own name for the person
    failures: int = 0  # in a row, for which the source named no time to come back


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What became of one delivered record: new, updated, unchanged or deleted; ``set_aside`` holds the reason.

    ``waits``: because what it belongs to has not come; it is read again when that comes. ``items`` counts what was
    derived from it this time: "sample", "episode", "event", "task".
    """

    outcome: str
    set_aside: str | None = None
    waits: bool = False
    items: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What a row said before: known from ``known_at`` until ``superseded_at``."""

    item: Item
    known_at: datetime
    superseded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The way back from a row: what it says, the record it was derived from, by which version, through which door.

    ``payload`` is the record as it last arrived, None where it is not kept; ``arrivals`` are the instants at which it
    came, the first one first; ``twins`` are rows of the same metric and day from other connections: (source, id).
    """

    kind: str  # sample, episode, event, task
    id: int
    item: Item
    known_at: datetime
    user: str
    connection: Connection
    stream: str
    record: str  # its key
    parent: str | None
    version: int  # of the normaliser that last read it
    reason: str | None  # why the record is set aside: then the row is what it meant before
    arrivals: tuple[datetime, ...]
    payload: Mapping[str, Any] | None
    past: tuple[Earlier, ...]
    twins: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Advice for one slot. ``belief`` and ``probabilities`` are what the policy stated when it gave it."""

    id: int
    user_id: int
    moment: Moment
    action: ActionType
    policy: str  # name@version, and +what where a person's own prior or adapter decided, or something stood in
    belief: Mapping[str, float]
    scores: Mapping[str, float]
    probabilities: Mapping[str, float]
    reasons: tuple[str, ...]
    observation: Mapping[str, Any]
    created_at: datetime
    expires_at: datetime
    shown_at: datetime | None = None
    answer: Answer | None = None
    answered_at: datetime | None = None
    moved_to: Moment | None = None
    belief_sd: tuple[float, float, float] | None = None  # of social, morning, work, where the policy says

    @property
    def levels(self) -> Mapping[str, float]:
        """Meter -> the level that the policy was shown, as later advice looks back on it: four digits are enough."""
        return {name: round(state["level"], 4) for name, state in self.observation.get("meters", {}).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a policy believed of a person when it gave advice, and the advice it came with, without the situation."""

    moment: Moment
    action: ActionType
    policy: str
    belief: Mapping[str, float]
    sd: tuple[float, float, float] | None
    levels: Mapping[str, float]
    created_at: datetime
    expires_at: datetime
    shown_at: datetime | None
    answer: Answer | None
    answered_at: datetime | None
    moved_to: Moment | None
    lapsed: bool  # shown and expired without an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a person said an event is. It holds for its whole series, and for titles like its own."""

    series: str
    title: str | None
    action: ActionType | None  # None: no activity
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything known about a person at ``at`` that the meters and the observation are made of."""

    at: datetime
    zones: tuple[ZoneSpan, ...]
    samples: Sequence[tuple[str, Sample]] = ()  # with their source: two sources may give equal keys
    episodes: Sequence[tuple[str, Episode]] = ()
    agenda: Sequence[tuple[Occurrence, Label]] = ()  # from 60 days back to 14 days ahead, ascending
    tasks: Sequence[Task] = ()
    interactions: Sequence[Interaction] = ()  # last 30 days, ascending
    proxies: ProxyMap | None = None  # None: as shipped
