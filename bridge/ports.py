"""The seams: what a source, a classifier and a store have to offer. ``Policy`` lives in ``rhythm_env.interface``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, BinaryIO, Protocol

from bridge.types import Covers, Episode, Event, Item, Label, Metric, Occurrence, Outcome, Page, RawRecord, Sample, Task
from rhythm_env.interface import ActionType, Answer, Interaction, Moment, ZoneSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of a source, read from ``BRIDGE_<SOURCE>_<NAME>`` or the settings file."""

    name: str
    help: str
    default: str | None = None
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorSpec:
    """A source in plain data; importing it loads nothing heavy. Dotted paths are ``module:name``.

    ``normalise(record, parent) -> Sequence[Item]`` is pure. ``opens`` is called as ``opens(account)`` and gives a
    ``Connector``. ``authorise(account, browser)`` obtains consent. ``recognise(file) -> bool`` looks at name and head
    of a file; ``read(file, zone=) -> Iterator[Page]`` reads it; folders and zips were walked before. None: it cannot.
    """

    name: str
    title: str
    delivers: frozenset[Metric | str]  # metrics, and the words "episodes", "events", "tasks"
    streams: tuple[str, ...]
    normaliser: str
    normaliser_version: int = 1
    cursor_version: int = 1
    overlap: timedelta = timedelta(days=7)  # trailing window every sync reads again
    settings: tuple[Setting, ...] = ()
    opens: str | None = None
    authorises: str | None = None
    revokes: str | None = None
    recognises: str | None = None
    reads: str | None = None
    keeps_raw: bool = True


class Account(Protocol):
    """One user's consent at one source, as a connector sees it."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The source's settings by name."""
        ...

    @property
    def zone(self) -> str:
        """The IANA zone the person lives in now, for sources that do not tell theirs."""
        ...

    def token(self) -> dict[str, Any] | None:
        """The stored token, unsealed; None before the first consent."""
        ...

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Seal and keep a token; it is durable when this returns."""
        ...


class Connector(Protocol):
    """An open source."""

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Pages of one stream after ``cursor``; raises the errors of ``bridge.errors`` and catches none of them.

        A cursor is set on a page only where it is safe to resume after that page has landed.
        """
        ...

    def close(self) -> None:
        """Let go of the network; nothing is pulled afterwards."""
        ...


Normaliser = Callable[[RawRecord, RawRecord | None], Sequence[Item]]


class Browser(Protocol):
    """How a consent reaches the person."""

    def open(self, url: str) -> None:
        """Show ``url``."""
        ...

    def paste(self) -> str | None:
        """The redirected URL typed in by the person, or None when only the loopback redirect is wanted."""
        ...

    def ask(self, question: str) -> str | None:
        """A secret the person types in (it is not shown), e.g. an API key; None when nobody is there to answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a classifier may look at of an event: never more than this."""

    title: str
    start_hour: int | None = None  # local
    minutes: float | None = None
    all_day: bool = False
    others: int = 0
    organised_by_me: bool = True
    conference: bool = False
    recurring: bool = False
    kind: str = "default"


class EventClassifier(Protocol):
    """Event -> action type."""

    name: str
    version: int

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """One label per event, in order; never raises on a title."""
        ...


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What became of one delivered record: new, updated, unchanged or deleted; ``set_aside`` holds the reason.

    ``items`` counts what was derived from it this time: "sample", "episode", "event", "task".
    """

    outcome: str
    set_aside: str | None = None
    items: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Advice for one slot. ``belief`` and ``probabilities`` are what the policy stated when it gave it."""

    id: int
    user_id: int
    moment: Moment
    action: ActionType
    policy: str  # name@version
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


class Store(Protocol):
    """Everything durable. All instants in and out are aware UTC; ``at`` limits reads to what was known then."""

    def transaction(self) -> AbstractContextManager[None]:
        """All calls inside land together or not at all. Nested calls join the outer transaction."""
        ...

    def close(self) -> None: ...

    # people
    def add_user(self, name: str, zone: str, *, now: datetime) -> User:
        """Raises SetupError when the name is taken or the zone unknown."""
        ...

    def user(self, name: str) -> User:
        """Raises SetupError naming ``bridge user add`` when there is none."""
        ...

    def users(self) -> list[User]: ...
    def dump(self, user_id: int) -> dict[str, list[dict[str, Any]]]:
        """Table -> rows of all a person has but consents, as JSON can hold it, in the order it can be put back."""
        ...

    def restore(self, user_id: int, saved: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        """Put dumped rows back for a person who has none. Raises SetupError for one who has, or rows that misfit."""
        ...

    def forget(self, user_id: int) -> None:
        """Delete a person with everything; the bytes are overwritten, not only unlinked."""
        ...

    def set_zone(self, user_id: int, zone: str, *, since: datetime) -> None: ...

    # connections
    def connect(self, user_id: int, source: str, name: str, *, now: datetime) -> Connection:
        """Create or return the connection; a paused one is resumed."""
        ...

    def connections(self, user_id: int) -> list[Connection]: ...
    def disconnect(self, connection_id: int) -> None:
        """Delete a connection with all that came through it."""
        ...

    def secret(self, connection_id: int) -> bytes | None: ...
    def save_secret(self, connection_id: int, sealed: bytes) -> None: ...
    def claim(self, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
        """Take the connection's lease unless another holder has an unexpired one."""
        ...

    def claim_due(self, holder: str, *, now: datetime, lease: timedelta, limit: int) -> list[Connection]:
        """Take the leases of connections that are due, longest due first; no two holders get the same one.

        Due is what has an account or a folder, is not paused, and was never synced or whose ``due_at`` has come.
        """
        ...

    def holder(self, connection_id: int) -> str | None:
        """Who holds the lease, expired or not."""
        ...

    def release(self, connection_id: int, holder: str) -> None: ...
    def cursor(self, connection_id: int, stream: str, version: int) -> str | None:
        """The stored cursor, or None when there is none of that version."""
        ...

    def save_cursor(self, connection_id: int, stream: str, cursor: str, version: int) -> None: ...
    def drop_cursors(self, connection_id: int) -> None: ...

    # records and what they mean
    def land(
        self,
        connection: Connection,
        records: Sequence[RawRecord],
        normalise: Normaliser,
        *,
        version: int,
        now: datetime,
        keep_raw: bool = True,
    ) -> list[Landing]:
        """Keep each record as it arrived, derive its items and upsert them; one ``Landing`` per record, in order.

        A record equal to the last delivered one is unchanged and derives nothing. A ``BadRecord`` sets the record
        aside with its reason; what it meant before stays. Items that a newer delivery no longer yields disappear.
        Old versions of nightly and daily samples, episodes, events and tasks move to the revisions. Records whose
        ``parent`` just changed are derived again.
        """
        ...

    def missing(self, connection_id: int, stream: str, covers: Covers, delivered: frozenset[str]) -> list[RawRecord]:
        """Deletions (to be landed) for the records of a covered stretch whose keys were not delivered."""
        ...

    def rebuild(
        self,
        connection: Connection,
        normalise: Normaliser,
        *,
        version: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Landing]:
        """Derive every row again from the kept records, in arrival order with their arrival times."""
        ...

    def set_aside(self, connection_id: int) -> list[tuple[str, str]]:
        """(stream, reason) of every record now set aside."""
        ...

    def samples(
        self,
        user_id: int,
        *,
        metrics: Iterable[Metric] | None = None,
        since: date | None = None,
        until: date | None = None,
        at: datetime | None = None,
    ) -> list[tuple[str, Sample]]:
        """(source, sample) by local ``day`` in [since, until], ascending by start; known at ``at`` (default: now)."""
        ...

    def episodes(
        self, user_id: int, *, since: date | None = None, until: date | None = None, at: datetime | None = None
    ) -> list[tuple[str, Episode]]: ...

    def events(
        self, user_id: int, *, since: datetime, until: datetime, at: datetime | None = None
    ) -> list[tuple[str, Event]]:
        """Single events touching [since, until), and every master and exception of series that might."""
        ...

    def tasks(self, user_id: int, *, at: datetime | None = None) -> list[tuple[str, Task]]: ...
    def counts(self, user_id: int) -> dict[str, dict[str, int]]:
        """source -> kind (a metric, an episode kind, "event", "task") -> rows."""
        ...

    # outcomes of syncs
    def finish_sync(
        self,
        connection_id: int,
        outcome: Outcome,
        *,
        started: datetime,
        finished: datetime,
        error: str | None,
        paused: str | None,
        due_at: datetime | None,
    ) -> None: ...
    def last_outcome(self, connection_id: int) -> tuple[datetime, Outcome] | None: ...

    # advice and answers
    def open_recommendation(self, user_id: int, moment: Moment) -> Recommendation | None:
        """The slot's recommendation, answered or not."""
        ...

    def recommendation(self, recommendation_id: int) -> Recommendation | None: ...
    def add_recommendation(self, recommendation: Recommendation) -> Recommendation:
        """Keep it (its ``id`` is ignored) unless the slot has one; return what the slot has."""
        ...

    def mark_shown(self, recommendation_id: int, *, now: datetime) -> None: ...
    def answer(
        self, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
    ) -> Recommendation:
        """Record the answer; a later one replaces an earlier one."""
        ...

    def recommendations(self, user_id: int, *, since: datetime, until: datetime) -> list[Recommendation]:
        """By creation time in [since, until), ascending."""
        ...


class File(Protocol):
    """One file, on disk or in a zip."""

    @property
    def name(self) -> str:
        """The last part, e.g. ``export.xml``."""
        ...

    @property
    def path(self) -> str:
        """Where it was found, below what was asked for, e.g. ``export.zip/apple_health_export/export.xml``."""
        ...

    @property
    def size(self) -> int:
        """Bytes, unpacked."""
        ...

    @property
    def head(self) -> bytes:
        """The first 4096 bytes."""
        ...

    def open(self) -> BinaryIO:
        """The content from its beginning, not necessarily seekable."""
        ...


class FileReader(Protocol):
    """What ``ConnectorSpec.reads`` points to."""

    def __call__(self, file: File, *, zone: str) -> Iterator[Page]: ...
