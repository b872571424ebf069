"""The vocabulary: what every source is normalised to, in one place, frozen.

Instants are aware and in UTC; the offset that was valid for the person at that record is kept beside them.
What is measured, in which unit, stands in ``bridge.metrics``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from bridge.metrics import Metric
from rhythm_env.interface import ActionType, MeterState


def require_aware(at: datetime) -> datetime:
    """Return ``at`` in UTC; a naive time is an error, never a guess."""
    if at.tzinfo is UTC:
        return at
    if at.tzinfo is None:
        raise ValueError("a time without zone reached the vocabulary")
    return at.astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One measured value. ``day`` is the local date it belongs to: of waking for nightly shapes, civil otherwise.

    ``key`` is stable across re-deliveries and unique within (connection, record): upserts match on it. What is
    measured many times an hour is kept as means: then ``value`` is the mean of ``count`` measurements between ``start``
    and ``end``, the smallest and largest of which are ``low`` and ``high``.
    """

    key: str
    metric: Metric
    start: datetime
    end: datetime | None = None  # None: an instant
    offset: int | None = None  # minutes east of UTC valid for this record; None when the source does not tell
    day: date
    value: float
    device: str | None = None
    count: int | None = None  # None: one measurement
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", require_aware(self.start))
        if self.end is not None:
            object.__setattr__(self, "end", require_aware(self.end))


class EpisodeKind(StrEnum):
    """What kind of stretch of time a device saw."""

    SLEEP = "sleep"  # the main sleep
    NAP = "nap"
    WORKOUT = "workout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A stretch of time with its own figures, e.g. a night with its stages (metric -> value in the metric's unit)."""

    key: str
    kind: EpisodeKind
    start: datetime
    end: datetime
    offset: int | None = None
    day: date  # the local date of waking for sleep, of the start otherwise
    label: str | None = None  # the sport, as the vendor names it
    values: Mapping[Metric, float] = field(default_factory=dict)
    device: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", require_aware(self.start))
        object.__setattr__(self, "end", require_aware(self.end))
        if self.end < self.start:
            raise ValueError("an episode cannot end before it starts")


class Response(StrEnum):
    """My answer to an invitation."""

    ACCEPTED = "accepted"
    TENTATIVE = "tentative"
    NEEDS_ACTION = "needs_action"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A calendar entry as its source keeps it: a single event, the master of a series, or one changed instance.

    Timed events have ``start``/``end``; all-day ones have ``first_day``/``last_day`` (inclusive) and no zone.
    ``recurrence`` holds the RRULE/RDATE/EXDATE lines of a master. An exception names its master in ``master`` and
    the start it replaces in ``original_start`` (of an all-day series ``original_day``, and both where it does not
    tell which it is); ``cancelled`` makes it a hole in the series. One that changes all that follow as well
    carries a ``RECURRENCE-ID;RANGE=THISANDFUTURE`` line in ``recurrence``.
    """

    key: str
    calendar: str
    series: str | None = None  # iCalUID: equal for the same meeting on several calendars
    title: str | None = None  # None: untitled or private
    start: datetime | None = None
    end: datetime | None = None
    zone: str | None = None  # IANA name the recurrence is expanded in
    first_day: date | None = None
    last_day: date | None = None
    recurrence: tuple[str, ...] = ()
    master: str | None = None
    original_start: datetime | None = None
    original_day: date | None = None
    cancelled: bool = False
    busy: bool = True
    kind: str = "default"  # default, focusTime, outOfOffice, workingLocation, birthday, fromGmail, task, advice:ACTION
    response: Response | None = None  # None: nobody was invited
    others: int = 0  # other people invited, rooms excluded
    organised_by_me: bool = True
    conference: bool = False
    private: bool = False

    def __post_init__(self) -> None:
        for name in ("start", "end", "original_start"):
            at = getattr(self, name)
            if at is not None:
                object.__setattr__(self, name, require_aware(at))

    @property
    def all_day(self) -> bool:
        return self.first_day is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to be done. ``due`` is a date: the sources give no time of day."""

    key: str
    list: str
    title: str | None = None
    due: date | None = None
    completed: datetime | None = None
    effort: float | None = None  # hours, when the person says so

    def __post_init__(self) -> None:
        if self.completed is not None:
            object.__setattr__(self, "completed", require_aware(self.completed))


Item = Sample | Episode | Event | Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One stretch of calendar time after recurrences were expanded; ``key`` is unique per instance."""

    key: str
    event: Event
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What an event is, how sure, by which classifier (``name@version``), and why in a few words."""

    action: ActionType | None  # None: no activity (a birthday, a working location)
    confidence: float
    by: str
    why: str
    runner_up: ActionType | None = None  # what it would be otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Something a person agreed to do, to be put into a calendar of theirs.

    ``key`` is the advice's and stays; ``slot`` changes with the slot it is meant for, and as long as it does not, the
    plan is left wherever the person moves it.
    """

    key: str
    slot: str  # <week's Monday>/<timestep>
    action: ActionType
    start: datetime
    end: datetime
    agreed_at: datetime


FILE = "file/"  # begins the parent of a record that belongs to a file, where another file of its kind is no newer one


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """One record as the vendor sent it. ``parent`` names ("stream/key") the record it belongs to, if any.

    A record that ``adds`` comes in pieces, e.g. a day spread over many files: what is kept is the union of all pieces'
    payloads, object by object, the later piece's value where both have one.
    """

    stream: str
    key: str
    payload: Mapping[str, object]
    parent: str | None = None
    deleted: bool = False
    adds: bool = False

    @property
    def path(self) -> str:
        return f"{self.stream}/{self.key}"


def union(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two pieces of one payload: objects are united, anything else is the later piece's."""
    both = {
        key: union(before[key], after[key])
        for key in before.keys() & after.keys()
        if isinstance(before[key], Mapping) and isinstance(after[key], Mapping)
    }
    return {**before, **after, **both}


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """A stretch of a stream that one pull has now delivered whole: what is stored of it and did not come is gone.

    It means the records whose key begins with ``prefix`` and, if ``since`` is set, whose items start at or after it; if
    ``parents`` ("stream/key") are named, only the records that belong to one of them.
    """

    prefix: str = ""
    since: datetime | None = None
    parents: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Records of one stream and, only where it is safe to resume, the cursor to save with them."""

    stream: str
    records: tuple[RawRecord, ...]
    cursor: str | None = None
    covers: Covers | None = None  # set on the last page of a stretch listed from its beginning in this very pull
    member: str | None = None  # the source's own name for the person, where its webhooks use it
    set_aside: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (what, why) -> passed over while reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a webhook says: a record has changed or is gone. It carries no data; sent again it has the same trace."""

    member: str
    stream: str
    key: str
    deleted: bool
    trace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """One input's share in a reading: ``contribution`` sums, over inputs, to the level's distance from 0.70."""

    signal: str
    source: str | None
    z: float  # standardised distance from the person's normal, signed so that + is good
    contribution: float
    age_hours: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A meter at a moment: level 0..1 (0.70 is the person's normal), its uncertainty, and what it rests on.

    ``validity`` is the within-person rank correlation with people's own reports; None where nobody has measured it.
    ``model`` is what the model is given, where that is another quantity than the one shown.
    """

    level: float
    sd: float
    coverage: float  # share of the meter's weight that had fresh input, 0..1
    because: tuple[Because, ...] = ()
    validity: float | None = None
    note: str | None = None
    model: MeterState | None = None

    @property
    def validated(self) -> bool:
        return self.validity is not None

    @property
    def state(self) -> MeterState:
        """The meter as the model sees it."""
        return self.model or MeterState(level=self.level, sd=self.sd, coverage=self.coverage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one sync of one connection did. ``skipped_because`` set means nothing could be fetched: never a success."""

    source: str
    connection: str
    outcome: str  # ok | skipped | interrupted | failed (these come back) | stopped | needs_login (a person must act)
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    set_aside: int = 0
    reasons: tuple[str, ...] = ()  # of records set aside, without personal data
    skipped_because: str | None = None
    retry_at: datetime | None = None
    limited: bool = False  # the source allows no more requests before ``retry_at``
    streams: Mapping[str, int] = field(default_factory=dict)
    items: Mapping[str, int] = field(default_factory=dict)  # "sample", "episode", "event", "task" -> derived this time
    files: int = 0  # read, of an import
    truncated: bool = False  # a file ended before its end
    seconds: float | None = None  # an import took
    set_aside_by: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # what -> why -> how many
    failed_files: tuple[tuple[str, str], ...] = ()  # (file, why it could not be read, or not to its end)
