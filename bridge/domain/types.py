"""The frozen values into which every source's data is converted. Instants are in UTC, with the local offset beside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from html import unescape
from typing import Any

from bridge.domain.facts import Fact
from bridge.domain.metrics import Metric
from rhythm_env.interface import ActionType, MeterState

ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def require_aware(at: datetime) -> datetime:
    """Return ``at`` in UTC. Raises ValueError for a naive time."""
    if at.tzinfo is UTC:
        return at
    if at.tzinfo is None:
        raise ValueError("a time without zone reached the vocabulary")
    return at.astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A measured value. ``day`` is its local date, for nightly shapes the date of waking.

    ``key`` is unique within (connection, record), so upserts match. ``value`` is the mean of ``count`` readings.
    """

    key: str
    metric: Metric
    start: datetime
    end: datetime | None = None  # None for an instant
    offset: int | None = None  # minutes east of UTC; None when the source does not tell
    day: date
    value: float
    device: str | None = None
    count: int | None = None  # None for a single reading
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.start.tzinfo is not UTC:
            object.__setattr__(self, "start", require_aware(self.start))
        if self.end is not None and self.end.tzinfo is not UTC:
            object.__setattr__(self, "end", require_aware(self.end))


class EpisodeKind(StrEnum):
    """The kind of an episode: the main sleep of a day, a nap, or a workout."""

    SLEEP = "sleep"  # the main sleep
    NAP = "nap"
    WORKOUT = "workout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A night, nap or workout with its measured values. ``offset`` is in minutes east of UTC, or None if unknown.

    Raises ValueError for naive times, and for an end before the start.
    """

    key: str
    kind: EpisodeKind
    start: datetime
    end: datetime
    offset: int | None = None
    day: date  # the local date of waking for sleep, of the start otherwise
    label: str | None = None  # the sport, as the vendor names it
    values: Mapping[Metric, float] = field(default_factory=dict)  # in the metric's unit
    device: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", require_aware(self.start))
        object.__setattr__(self, "end", require_aware(self.end))
        if self.end < self.start:
            raise ValueError("an episode cannot end before it starts")


class Response(StrEnum):
    ACCEPTED = "accepted"
    TENTATIVE = "tentative"
    NEEDS_ACTION = "needs_action"
    DECLINED = "declined"


def plain_title(title: str | None) -> str | None:
    """Return a title with its HTML entities decoded, because some programs store titles as HTML.

    >>> plain_title("Rock &#39;n&#39; roll &amp; run"), plain_title("R&D"), plain_title(None)
    ("Rock 'n' roll & run", 'R&D', None)
    """
    return title if title is None or "&" not in title else ENTITY.sub(lambda found: unescape(found[0]), title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A calendar entry as its source keeps it: a single event, the master of a series, or an exception to a series.

    Timed events have ``start`` and ``end``. All-day events have ``first_day`` and ``last_day`` (inclusive) and no zone.
    ``recurrence`` holds the RRULE, RDATE and EXDATE lines of a master. An exception names its master in ``master`` and
    the start that it replaces in ``original_start``. In an all-day series, it names the day in ``original_day``
    instead. Both are set where the source does not say whether the series is all-day. ``cancelled`` makes the exception
    a hole in the series. An exception that also changes all later instances has a ``RECURRENCE-ID;RANGE=THISANDFUTURE``
    line in ``recurrence``.
    """

    key: str
    calendar: str
    series: str | None = None  # iCalUID, equal for the same meeting on several calendars
    title: str | None = None  # None when untitled or private
    start: datetime | None = None
    end: datetime | None = None
    zone: str | None = None  # IANA name; the recurrence is expanded in it
    end_zone: str | None = None  # IANA name, for an entry that ends in another zone, such as a flight
    first_day: date | None = None
    last_day: date | None = None
    recurrence: tuple[str, ...] = ()
    master: str | None = None
    original_start: datetime | None = None
    original_day: date | None = None
    cancelled: bool = False
    busy: bool = True
    kind: str = "default"  # default, focusTime, outOfOffice, workingLocation, birthday, fromGmail, task, advice:ACTION
    response: Response | None = None  # None without invitations
    others: int = 0  # other people invited, rooms excluded
    organised_by_me: bool = True
    conference: bool = False
    located: bool = False  # the entry names a place; the name itself is not kept
    private: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", plain_title(self.title))
        for name, at in (("start", self.start), ("end", self.end), ("original_start", self.original_start)):
            if at is not None and at.tzinfo is not UTC:
                object.__setattr__(self, name, require_aware(at))

    @property
    def all_day(self) -> bool:
        return self.first_day is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task of the task list ``list``. ``due_at`` is the instant on the date ``due``, if it is known.

    ``due`` is None for a task without a due date, and ``completed`` is None while the task is open.
    """

    key: str
    list: str
    title: str | None = None
    due: date | None = None
    completed: datetime | None = None
    effort: float | None = None  # hours, when the user gives them
    due_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", plain_title(self.title))
        for name in ("completed", "due_at"):
            if (at := getattr(self, name)) is not None:
                object.__setattr__(self, name, require_aware(at))


Item = Sample | Episode | Event | Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """An instance of an event after recurrences were expanded. ``key`` is unique per instance."""

    key: str
    event: Event
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A classifier's decision about the action that a calendar event is.

    ``by`` is the classifier's name@version, and ``why`` gives the reason in a few words.
    """

    action: ActionType | None  # None for no activity, for example a birthday
    confidence: float  # 0 to 1
    by: str
    why: str
    runner_up: ActionType | None = None  # the second most likely action
    shares: tuple[float, ...] = ()  # the probability of each ActionType before doubt, where the classifier tells it


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An accepted recommendation, to be written into the user's calendar. ``key`` never changes.

    If the user moved the entry in the calendar, it stays there until ``slot`` changes.
    """

    key: str
    slot: str  # <week's Monday>/<timestep>
    action: ActionType
    start: datetime
    end: datetime
    agreed_at: datetime


# Prefix of the parent of a record that belongs to a file and not to a newer version of that file.
FILE_PARENT_PREFIX = "file/"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """A record as the vendor sent it.

    ``parent`` names ("stream/key") another record of the connection, without which this record cannot be read. For
    example, a recovery needs its sleep. ``normalise(record, parent)`` is given the parent, or None while it has not
    come or after it was deleted. Whenever the parent comes or changes, its children are normalised again, in any order
    of delivery. A normaliser that needs the parent raises BadRecord without it. The parent's stream belongs in
    ``SPEC.lasting``, so that its payload is kept for later children.

    A record that ``adds`` comes in pieces, for example a day spread over many files. The stored payload is the union of
    all pieces, object by object. Where two pieces have a value, the later piece's value counts.

    ``as_of`` is the date of the export that holds the record. Exports may be imported in any order. A record of an
    older export never replaces the record of a newer export. An older piece only adds what newer pieces lack. Without a
    date, each delivery is newer than the deliveries before it.
    """

    stream: str
    key: str
    payload: Mapping[str, object]
    parent: str | None = None
    deleted: bool = False
    adds: bool = False
    as_of: datetime | None = None

    @property
    def path(self) -> str:
        """Return the record's stream and key as ``stream/key``."""
        return f"{self.stream}/{self.key}"

    @property
    def sequence(self) -> int:
        """Return the revision number that a calendar program gave the entry, or 0.

        Of two versions the one with the higher number is newer. If they are equal, ``as_of`` decides.
        """
        stated = self.payload.get("sequence")
        return stated if isinstance(stated, int) else 0

    @property
    def is_compared(self) -> bool:
        """Return True if the stored version may win over this record, as for pieces and records of exports or files."""
        return self.adds or self.as_of is not None or self.of_file

    @property
    def of_file(self) -> bool:
        return (self.parent or "").startswith(FILE_PARENT_PREFIX)


def union(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return two payloads merged. Objects in both are merged recursively, and any other value in ``after`` wins."""
    both = {
        key: union(before[key], after[key])
        for key in before.keys() & after.keys()
        if isinstance(before[key], Mapping) and isinstance(after[key], Mapping)
    }
    return {**before, **after, **both}


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """The part of a stream that a pull delivered completely. Stored records in that part that did not come are deleted.

    ``since``, ``prefix`` (of keys) and ``parents`` limit the part, unless empty or None. With ``as_of``, records of
    newer exports stay.
    """

    prefix: str = ""
    since: datetime | None = None
    parents: frozenset[str] | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """Stored records that are unchanged in a newer export, dated ``as_of``, and thus not delivered again.

    ``records`` maps a prefix of record keys to the number of records. All of them come from one earlier export.
    """

    records: Mapping[str, int]
    as_of: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Records of a stream that are stored together, in one transaction with ``cursor``.

    ``cursor`` is None if a later pull must not resume after these records.
    """

    stream: str
    records: tuple[RawRecord, ...]
    cursor: str | None = None
    covers: Covers | None = None  # set on the last page of a stretch listed from its beginning in this very pull
    still: Still | None = None
    member: str | None = None  # the source's own name for the user, where webhooks use that name
    set_aside: Mapping[tuple[str, str], int] = field(
        default_factory=dict
    )  # (what, why) -> number skipped while reading
    left_out: Mapping[str, int] = field(default_factory=dict)  # what is not read on purpose, and why -> number

    @property
    def count(self) -> int:
        """The number of records, including unchanged records that were not delivered again."""
        return len(self.records) + (sum(self.still.records.values()) if self.still else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A webhook's message that a record has changed or was deleted.

    ``member`` is the source's name for the user. A message sent again has the same ``trace``.
    """

    member: str
    stream: str
    key: str
    deleted: bool
    trace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """An input's effect on a meter's level. ``source`` is None if no single source gives the input."""

    signal: str
    source: str | None
    z: float  # standardised distance from the user's normal; positive is good
    contribution: float
    age_hours: float
    fact: Fact

    @property
    def share(self) -> float:
        """The contribution rounded to two decimals, as the level is shown. 0.0 stands for nothing."""
        return round(self.contribution, 2) or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A meter's level at an instant, with its uncertainty and the inputs behind it. 0.70 is the user's normal.

    ``validity`` is the correlation with users' own reports, None if not measured. ``model`` is the state that policies
    get if it differs from this reading.
    """

    level: float  # 0..1
    sd: float
    coverage: float  # share of the meter's weight that had fresh input, 0..1
    because: tuple[Because, ...] = ()
    validity: float | None = None
    note: str | None = None
    model: MeterState | None = None

    @property
    def strongest(self) -> tuple[Because, ...]:
        """The reasons in descending order of their contribution's absolute size."""
        return tuple(sorted(self.because, key=lambda one: -abs(one.contribution)))

    @property
    def validated(self) -> bool:
        return self.validity is not None

    @property
    def state(self) -> MeterState:
        """The meter's level, sd and coverage as policies get them: ``model`` if set, otherwise the reading's own."""
        return self.model or MeterState(level=self.level, sd=self.sd, coverage=self.coverage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A file that was not read. ``source`` is the source that leaves out such files on purpose, or None."""

    file: str
    kind: str  # the source's name for such files, otherwise the file's extension
    source: str | None = None


STOPS = ("stopped", "needs_login")  # outcomes after which the user must act


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a sync or import of a connection.

    ``skipped_because`` is the reason of an outcome other than ``ok``.
    """

    source: str
    connection: str
    outcome: str  # ok, skipped, interrupted, failed (tried again), or one of ``STOPS``
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    set_aside: int = 0
    reasons: tuple[str, ...] = ()  # of records set aside, without personal data
    skipped_because: str | None = None
    retry_at: datetime | None = None
    limited: bool = False  # the source's rate limit is exceeded until ``retry_at``
    unasked: bool = False  # nothing was requested, because the rate limit was exceeded before
    odd: bool = False  # the source gave an odd answer; several in a row pause the connection
    streams: Mapping[str, int] = field(default_factory=dict)
    items: Mapping[str, int] = field(default_factory=dict)  # "sample", "episode", "event", "task" -> derived this time
    files: int = 0  # read, of an import
    truncated: bool = False  # a file was cut short
    seconds: float | None = None  # duration of an import
    set_aside_by: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # what -> why -> number
    left_out: Mapping[str, int] = field(default_factory=dict)  # what was not read on purpose, and why -> number
    failed_files: tuple[tuple[str, str], ...] = ()  # (file, reason why the file was not read to its end)
    not_permitted: tuple[str, ...] = ()  # streams without permission
    unread: tuple[Unread, ...] = ()  # files of an import that no source reads

    @property
    def stops(self) -> bool:
        return self.outcome in STOPS

    @property
    def is_news(self) -> bool:
        """Return False for a success without new, changed, deleted or unreadable records and without files."""
        return self.outcome != "ok" or any((self.new, self.updated, self.deleted, self.set_aside, self.files))
