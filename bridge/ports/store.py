"""Everything durable, as the services see it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from bridge.metrics import Metric
from bridge.ports.access import Access
from bridge.ports.choices import Choices
from bridge.ports.keeping import Keeping
from bridge.ports.personal import Prior
from bridge.ports.plugins import Normaliser
from bridge.ports.post import Post
from bridge.ports.records import Connection, Correction, Landing, Origin, Recommendation, Stated, User
from bridge.ports.work import Work
from bridge.types import Covers, Episode, Event, Notice, Outcome, RawRecord, Sample, Task
from rhythm_env.interface import Answer, Moment


class Store(Protocol):
    """Everything durable. All instants in and out are aware UTC; ``at`` limits reads to what was known then."""

    @property
    def post(self) -> Post: ...
    @property
    def work(self) -> Work: ...
    @property
    def keeping(self) -> Keeping: ...

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[None]:
        """All calls inside land together or not at all. Nested calls join the outer transaction.

        Not ``durable``: a power cut, but no crash, may take the last of them back, each as a whole and in order. For
        what would then simply be done again: waiting for the disk costs more than most syncs.
        """
        ...

    def close(self) -> None: ...
    @property
    def access(self) -> Access:
        """Passwords, sessions and tokens."""
        ...

    @property
    def choices(self) -> Choices:
        """What a person allows assistants, and beginning anew."""
        ...

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Inside, no other process and no other thread is; a thread may enter again. It ends with its process.

        Raises TryLater when it is held elsewhere for long. Enter locks before transactions, or two may wait for each
        other.
        """
        ...

    # people
    def add_user(self, name: str, zone: str, *, now: datetime) -> User:
        """Raises SetupError when the name is taken or the zone unknown."""
        ...

    def user(self, name: str) -> User:
        """Raises SetupError naming ``bridge user add`` when there is none."""
        ...

    def person(self, user_id: int) -> User:
        """The user of that number. Raises SetupError when there is none (any more)."""
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
    def connection(self, connection_id: int) -> Connection | None:
        """The connection of that number; None when it is gone."""
        ...

    def disconnect(self, connection_id: int) -> None:
        """Delete a connection with all that came through it."""
        ...

    def secret(self, connection_id: int) -> bytes | None: ...
    def save_secret(self, connection_id: int, sealed: bytes) -> None:
        """Raises TryLater where another writes for long."""
        ...

    def secrets(self) -> list[tuple[int, bytes]]:
        """(connection, sealed) of everybody, by connection."""
        ...

    def claim(self, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
        """Take the connection's lease unless another holder has an unexpired one."""
        ...

    def claim_due(
        self,
        holder: str,
        *,
        now: datetime,
        lease: timedelta,
        limit: int,
        source: str | None = None,
        but: Collection[int] = (),
    ) -> list[Connection]:
        """Take the leases of connections that are due, longest due first; no two holders get the same one.

        Due is what has an account or a folder, is not paused, and was never synced or whose ``due_at`` has come, and
        whose source does not rest. ``source``: only its connections; ``but``: none of these, be their leases over.
        """
        ...

    def due(self, *, now: datetime, limit: int) -> list[Connection]:
        """What ``claim_due`` would take, without taking it."""
        ...

    def busy(self, source: str | None = None, *, now: datetime) -> int:
        """How many connections (of a source) somebody holds an unexpired lease of."""
        ...

    def holder(self, connection_id: int) -> str | None:
        """Who holds the lease, expired or not."""
        ...

    def release(self, connection_id: int, holder: str) -> None: ...
    def cursor(self, connection_id: int, stream: str, version: int) -> str | None:
        """The stored cursor, or None when there is none of that version."""
        ...

    def cursors(self, connection_id: int, version: int) -> dict[str, str]:
        """Stream -> its cursor, of those of that version."""
        ...

    def save_cursor(self, connection_id: int, stream: str, cursor: str, version: int) -> None: ...
    def drop_cursors(self, connection_id: int) -> None: ...

    def rest(self, source: str, until: datetime) -> None:
        """Let no connection of a source be due before ``until``."""
        ...

    def resting(self, source: str) -> datetime | None:
        """Until when a source rests, past or not."""
        ...

    # what webhooks say
    def meet(self, connection_id: int, member: str) -> None:
        """Keep the source's own name for the person."""
        ...

    def met(self, source: str, member: str) -> list[Connection]:
        """The connections whose person the source calls so."""
        ...

    def note(self, connection_id: int, notice: Notice, *, now: datetime) -> bool:
        """Keep a notice and make the connection due; False when it came before."""
        ...

    def notices(self, connection_id: int) -> list[Notice]:
        """Those not yet followed, in the order they came."""
        ...

    def followed(self, connection_id: int, trace: str, *, now: datetime) -> None:
        """A notice needs nothing more. It is remembered for a while: vendors send again."""
        ...

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

    # where rows come from
    def rows_named(self, kind: str, name: str) -> list[int]:
        """The rows of a kind (sample, episode, event, task): the one with that number, or all with that key."""
        ...

    def samples_of_day(self, user_id: int, day: date) -> list[tuple[int, str, Sample]]:
        """(number, source, sample) of a person's local day."""
        ...

    def origin(self, kind: str, number: int) -> Origin:
        """The way back from a row that is there."""
        ...

    def newest(self, connection_id: int, at: datetime) -> datetime | None:
        """The end of the newest thing measured that had ended by ``at``; None for a source that measures nothing."""
        ...

    def changed(self, connection_id: int) -> datetime | None:
        """When a record last arrived that was new or changed."""
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
        failures: int = 0,
    ) -> None:
        """``failures``: in a row, of those for which the source named no time to come back.

        After one that went well, a connection with a notice that is not followed is due at once.
        """
        ...

    def last_outcome(self, connection_id: int) -> tuple[datetime, Outcome] | None: ...

    # what a policy has learnt of a person
    def add_prior(self, user_id: int, prior: Prior) -> None: ...
    def priors(self, user_id: int, policy: str = "", *, kept: bool = False, most: int | None = None) -> list[Prior]:
        """Attempts, the newest first: all, those for one policy (name@version), the kept ones, the newest so many."""
        ...

    def take_back_prior(self, user_id: int, policy: str) -> datetime | None:
        """No longer keep the newest kept one of a policy (name@version); when it was made, None where none is."""
        ...

    # what events are, in the person's own word
    def correct(self, user_id: int, correction: Correction) -> None:
        """Keep a correction beside the earlier ones."""
        ...

    def corrections(self, user_id: int, *, at: datetime | None = None) -> list[Correction]:
        """Of each series the last one made by ``at``, the newest first."""
        ...

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

    def answer_once(
        self, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
    ) -> bool:
        """Record the answer unless there is one, whoever else tries at the same time; whether it was recorded."""
        ...

    def recommendations(self, user_id: int, *, since: datetime, until: datetime) -> list[Recommendation]:
        """By creation time in [since, until), ascending."""
        ...

    def answered(self, user_id: int, *, since: datetime, until: datetime) -> list[datetime]:
        """When advice of [since, until) was made that by then was answered, or seen and ran out; quick for years."""
        ...

    def stated(self, user_id: int, *, since: datetime, until: datetime) -> list[Stated]:
        """What was believed with each recommendation made in [since, until), ascending; quick for years of them."""
        ...
