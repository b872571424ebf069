"""Build and save the outcomes of syncs and imports with their counts, and set the time of the next sync."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from bridge.domain.errors import (
    BridgeError,
    Interrupted,
    NeedsLogin,
    NotPermitted,
    Odd,
    SetupError,
    SourceChanged,
    TryLater,
)
from bridge.domain.languages import reason, say
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import AfterSync, Connection, RecordResult
from bridge.domain.types import Outcome, Page
from bridge.leases import Lease

if TYPE_CHECKING:
    from bridge.store import Store

log = logging.getLogger(__name__)

SYNC_CADENCE = timedelta(minutes=30)  # between two successful syncs
BACKOFF = timedelta(minutes=15)  # after a failure without a time to retry; doubles with each failure in a row
BACKOFF_MAX = timedelta(hours=4)
BACKOFF_JITTER = 0.2  # of a backoff is random
LIMITED_WAIT_MIN = timedelta(seconds=15)  # least wait where the source names a time; doubles with each failure in a row
LIMITED_WAIT_MAX = timedelta(minutes=15)
PUSHES_ALIVE = timedelta(days=1)  # after its last notice, a source's webhooks count as proven
BESIDE_PUSHES = timedelta(hours=3)  # between two syncs of a source whose webhooks are proven
MISSED = "push missed"  # a cursor: when a sync found what no notice had told, in a stream that has notices


@dataclass(slots=True)
class SyncCounts:
    """Counts of what a sync or import has stored so far, by outcome, stream, reason and kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    aside: Counter[tuple[str, str]] = field(default_factory=Counter)  # (stream, or the file's own name for it; reason)
    derived: dict[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)  # by stream and key of a record
    left_out: Counter[str] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)  # permitted streams
    refused: dict[str, NotPermitted] = field(default_factory=dict)  # stream -> the refusal
    untold: set[str] = field(default_factory=set)  # streams in which a poll found changes that no notice had named

    def not_permitted(self, before: Iterable[str]) -> tuple[str, ...]:
        """Return the streams without permission, sorted.

        They are those refused now, and those of ``before`` that did not answer now.
        """
        sure = self.answered or any(error.named for error in self.refused.values())
        return tuple(sorted((set(before) - self.answered) | (set(self.refused) if sure else set())))

    def add(self, page: Page, results: list[RecordResult]) -> None:
        """Add a stored page to the counts. ``results`` tells for each record what became of it."""
        self.streams[page.stream] += page.count
        for record, result in zip_longest(page.records, results):
            if result is None or (record is not None and record.deleted and result.outcome == "unchanged"):
                self.streams[page.stream] -= result is not None  # what was to be deleted is not there
                continue
            self.outcomes[result.outcome] += 1
            if record is not None and result.items:  # a record that came in pieces was derived again with each
                self.derived[record.stream, record.key] = result.items
            reasons = result.outside if result.set_aside is None else (result.set_aside,)
            for why in reasons:
                self.aside[page.stream, why] += 1
        self.aside.update(page.set_aside)
        self.left_out.update(page.left_out)

    def reasons(self) -> Counter[str]:
        """Return reason -> number of records and values set aside. Each reason begins with its stream."""
        found: Counter[str] = Counter()
        for (what, why), count in self.aside.items():
            found[why if "/" in why else f"{what}: {why}"] += count
        return found

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return stream, or kind that a file names -> reason -> number of records and values set aside."""
        found: dict[str, dict[str, int]] = {}
        for (what, why), count in self.aside.items():
            found.setdefault(what, {})[why] = count
        return found


class RateLimited(TryLater):
    """The sync sent no request, because the source's rate limit still holds."""


def record_defect(store: Store, connection: Connection, error: Exception, *, holder: str, now: datetime) -> Outcome:
    """Return the outcome of a sync that ended in a program error. It is saved if ``holder`` still has the lock."""
    outcome = defect_outcome(store, connection, error)
    with store.transaction():
        if store.scheduling.lease_holder(connection.id) == holder:
            record_outcome(Lease(store=store, connection=connection, holder=holder, now=now), outcome)
    return outcome


def defect_outcome(store: Store, connection: Connection, error: Exception) -> Outcome:
    """Return the failed outcome for a program error, unsaved. It names the error's type and the next command."""
    user = store.people.user_by_id(connection.user_id)
    because = say(
        "an unexpected {kind}; run: {command}", kind=type(error).__name__, command=f"bridge sync --user {user.name}"
    )
    return outcome_of(connection, SyncCounts(), "failed", because=because)


def minimum_wait(connection: Connection) -> timedelta:
    """Return the shortest wait after an answer that too many requests came. It doubles with each failure in a row."""
    return min(LIMITED_WAIT_MIN * int(2 ** min(connection.failures, 8)), LIMITED_WAIT_MAX)


def backoff(connection: Connection, at: datetime) -> timedelta:
    """Return the wait after a failure for which the source named no time. It doubles each time, partly at random."""
    drawn = random.Random(f"{connection.id}/{at.isoformat()}").random()
    wait = min(BACKOFF * int(2 ** min(connection.failures, 8)), BACKOFF_MAX)
    return wait * (1 + BACKOFF_JITTER * drawn)


def polling_cadence(
    connection: Connection, spec: ConnectorSpec, store: Store, untold: Collection[str], *, now: datetime
) -> timedelta:
    """Return the time to the next sync, the source's own interval, or longer while webhooks announce all changes.

    ``untold`` are streams with changes that the last sync found and no webhook had announced.
    """
    number = connection.id
    last = store.ingest.last_notice(number) if spec.notices is not None else None
    if last is None or last < now - PUSHES_ALIVE:
        return spec.cadence
    if store.ingest.noticed_streams(number) & set(untold):
        store.ingest.save_cursor(number, MISSED, now.isoformat(), 1)
        return spec.cadence
    missed = store.ingest.cursor(number, MISSED, 1)
    if missed is not None and datetime.fromisoformat(missed) >= last:
        return spec.cadence
    return max(spec.cadence, BESIDE_PUSHES)


def record_outcome(lease: Lease, outcome: Outcome, *, cadence: timedelta | None = SYNC_CADENCE) -> None:
    """Save a sync's outcome and the time of the next sync, and release the lease (the lock on the connection).

    ``cadence`` is the time from a success to the next sync. None means that no sync follows by itself.
    """
    connection, at, due_at = lease.connection, lease.now, None
    if cadence is not None and not outcome.stops:
        due_at = outcome.retry_at or at + (cadence if outcome.outcome == "ok" else backoff(connection, at))
    failures = _failures_in_a_row(connection, outcome)
    after = AfterSync(at=at, due_at=due_at, failures=failures, holder=lease.holder)
    lease.store.scheduling.finish_sync(connection.id, outcome, after)
    counted = {"source": connection.source, "connection": connection.id, "outcome": outcome.outcome, "new": outcome.new}
    log.info("%s %s: %s, %d new", connection.source, connection.name, outcome.outcome, outcome.new, extra=counted)


def _failures_in_a_row(connection: Connection, outcome: Outcome) -> int:
    """Return the number of syncs in a row that failed, with this one. A failure that stored new records counts as 1."""
    if outcome.outcome == "ok":
        return 0
    if outcome.outcome == "interrupted" or outcome.unasked:
        return connection.failures
    return 1 if outcome.new else connection.failures + 1


def _total(derived: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for kinds in derived:
        for kind, number in kinds.items():
            total[kind] += number
    return total


def failure_outcome(connection: Connection, counts: SyncCounts, error: BridgeError, *, at: datetime) -> Outcome:
    because = reason(error)
    match error:
        case NeedsLogin():
            return outcome_of(connection, counts, "needs_login", because=because)
        case SourceChanged() | SetupError():
            return outcome_of(connection, counts, "stopped", because=because)
        case Interrupted():
            return outcome_of(connection, counts, "interrupted", because=because, retry_at=error.due(at))
        case TryLater():
            named = error.due(at)
            unasked = isinstance(error, RateLimited)
            due = named if named is None or unasked else max(named, at + minimum_wait(connection))
            failed = outcome_of(connection, counts, "failed", because=because, retry_at=due)
            limited = error.limited and due is not None
            return replace(failed, limited=limited, odd=isinstance(error, Odd), unasked=unasked)
        case _:
            return outcome_of(connection, counts, "failed", because=because)


def outcome_of(
    connection: Connection,
    counts: SyncCounts,
    outcome: str,
    *,
    because: str | None = None,
    retry_at: datetime | None = None,
) -> Outcome:
    return Outcome(
        source=connection.source,
        connection=connection.name,
        outcome=outcome,
        new=counts.outcomes["new"],
        updated=counts.outcomes["updated"],
        unchanged=counts.outcomes["unchanged"],
        deleted=counts.outcomes["deleted"],
        set_aside=sum(counts.aside.values()),
        set_aside_by=counts.by_kind(),
        reasons=tuple(f"{reason} ({count})" for reason, count in counts.reasons().most_common(5)),
        skipped_because=because,
        retry_at=retry_at,
        streams=dict(counts.streams),
        items=dict(_total(counts.derived.values())),
        not_permitted=counts.not_permitted(connection.not_permitted),
        left_out=dict(counts.left_out),
    )
