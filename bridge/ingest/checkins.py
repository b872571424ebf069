"""Store check-ins, which are a user's ratings of life or of a meter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge import registry
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.domain.samples import CHECK_INS
from bridge.domain.slots import MINUTE, ZoneHistory, local_time
from bridge.domain.types import Outcome, Page, RawRecord, require_aware
from bridge.ingest.outcomes import record_outcome
from bridge.ingest.sync import Source, store_page
from bridge.leases import Lease
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.store import Store

CHECK_IN_SOURCE, CHECK_IN_CONNECTION, CHECK_IN_STREAM = "check_in", "self", "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckIn:
    """A user's rating at the moment ``at``, kept in UTC. ``about`` is a meter, or None for life as a whole.

    Raises ValueError for a time without a zone. The score is checked when it is stored.
    """

    at: datetime
    score: float
    about: Meter | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", require_aware(self.at).replace(microsecond=0))


def record_check_in(store: Store, user: User, said: CheckIn, *, now: datetime) -> str:
    """Store a check-in, and return ``new``, ``updated`` or ``unchanged``.

    Raises SetupError for a future time or an invalid score.
    """
    again = f"bridge checkin SCORE --user {user.name}"
    if said.at > now:
        raise SetupError(f"--at is in the future; leave it out for a check-in about now: {again}")
    return store_said(store, user, record(said, user.zones), again=again, now=now)


def forget_last(store: Store, user: User, *, now: datetime) -> CheckIn:
    """Delete the user's newest check-in, and return it. Raises SetupError if there is none."""
    newest = next(iter(recent(store, user, since=date.min)), None)
    if newest is None:
        raise SetupError(f"there is no check-in yet; say how you are: bridge checkin SCORE --user {user.name}")
    forget(store, user, newest, now=now)
    return newest


def forget(store: Store, user: User, said: CheckIn, *, now: datetime) -> None:
    take_back(store, user, record(said, user.zones), now=now)


def take_back(store: Store, user: User, said: RawRecord, *, now: datetime) -> None:
    """Delete a check-in or a note of the user, which ``said`` identifies."""
    gone = replace(said, payload={}, deleted=True)
    store_said(store, user, gone, again=f"bridge checkin --user {user.name}", now=now)


def store_said(store: Store, user: User, said: RawRecord, *, again: str, now: datetime) -> str:
    """Store a check-in or a note of the user, and return ``new``, ``updated`` or ``unchanged``.

    If it is invalid, nothing is stored and SetupError is raised, which tells to run the command ``again``.
    """
    spec = registry.spec(CHECK_IN_SOURCE)
    normalise = registry.resolve(spec.normaliser)
    page = Page(stream=said.stream, records=(said,))
    with store.transaction():
        connection = store.connections.connect(user.id, CHECK_IN_SOURCE, CHECK_IN_CONNECTION, now=now)
        source = Source(connection=connection, spec=spec, open=None, normalise=normalise)
        (landing,) = store_page(source, store, page, frozenset(), now=now)
        if landing.set_aside is not None:
            what = "check-in" if said.stream == CHECK_IN_STREAM else said.stream
            raise SetupError(f"{landing.set_aside}; the {what} was not stored; try again: {again}")
        outcome = Outcome(
            source=CHECK_IN_SOURCE,
            connection=CHECK_IN_CONNECTION,
            outcome="ok",
            new=int(landing.outcome == "new"),
            updated=int(landing.outcome == "updated"),
            unchanged=int(landing.outcome == "unchanged"),
            streams={said.stream: 1},
            items=landing.items,
        )
        record_outcome(Lease(store=store, connection=connection, holder="", now=now), outcome, cadence=None)
    return landing.outcome


def record(said: CheckIn, zones: ZoneHistory) -> RawRecord:
    """Return a check-in as a raw record. Its key is the minute in UTC and the meter, so a later score replaces it."""
    about = None if said.about is None else said.about.lower()
    offset = local_time(said.at, zones).utcoffset() or timedelta(0)
    payload = {"at": said.at.isoformat(), "offset": offset // MINUTE, "score": said.score, "about": about}
    return RawRecord(stream=CHECK_IN_STREAM, key=f"{said.at:%Y-%m-%dT%H:%MZ}/{about or 'all'}", payload=payload)


def recent(store: Store, user: User, *, since: date) -> list[CheckIn]:
    """Return the user's stored check-ins since the local day ``since``, of all meters, newest first."""
    about = {metric: meter for meter, metric in CHECK_INS.items()}
    found = store.reading.samples(user.id, metrics=about, since=since)
    return [CheckIn(at=s.start, score=s.value, about=about[s.metric]) for _, s in reversed(found)]
