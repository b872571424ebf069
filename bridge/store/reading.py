"""Read a user's rows as they are now or as they were known at an earlier time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.domain.metrics import Metric
from bridge.domain.records import Extent
from bridge.domain.types import Episode, EpisodeKind, Event, Item, Sample, Task
from bridge.store import codec, names, packed, rows, tables
from bridge.store.connections import joined_to_source
from bridge.store.database import Part, reads
from bridge.store.tables import LAST_INSTANT
from bridge.store.task_notes import ticks, with_ticks

DAYS_TO_SEE_THE_NEWEST = timedelta(days=7)  # a measurement of an earlier day may end later, but not by a week
EPISODES_TO_SEE_THE_NEWEST = 5  # episodes of a day may end in any order


class Reading(Part):
    @reads
    def samples(
        self,
        db: sa.Connection,
        user_id: int,
        *,
        metrics: Iterable[Metric] | None = None,
        since: date | None = None,
        until: date | None = None,
        at: datetime | None = None,
    ) -> list[tuple[str, Sample]]:
        """Return (source, sample) of local days from ``since`` to ``until``, both included, by start.

        None as ``since``, ``until`` or ``metrics`` is no limit. With ``at``, samples are as known then, otherwise as
        now.
        """
        wanted = None if metrics is None else frozenset(metrics)
        bound: dict[str, Any] = {"user": user_id, "since": since or date.min, "until": until or date.max}
        bound |= {"at": at or LAST_INSTANT, "names": [str(metric) for metric in wanted or ()]}
        query = _SAMPLES if wanted is None else _SAMPLES_OF
        read = rows.samples_of(db.execute(query, bound).all(), db)
        found: list[tuple[str, Item]] = [(source, item) for (source,), item in read]
        if wanted is None or wanted & packed.METRICS_PACKED:
            query, until_known = (_PACKED if wanted is None else _PACKED_OF), tables.microseconds(bound["at"])
            for (source,), readings in packed.readings_of(db.execute(query, bound).all(), db):
                found += [(source, sample) for sample, known_at in readings if known_at <= until_known]
        found += [
            (source, item)
            for source, item in _revised(db, user_id, "sample", at)
            if _in_days(item, since, until) and (wanted is None or item.metric in wanted)
        ]
        return sorted(found, key=_by_start)  # type: ignore[arg-type]

    @reads
    def episodes(
        self,
        db: sa.Connection,
        user_id: int,
        *,
        since: date | None = None,
        until: date | None = None,
        at: datetime | None = None,
    ) -> list[tuple[str, Episode]]:
        """Return (source, episode) of local days from ``since`` to ``until``, both included, by start.

        None as ``since`` or ``until`` is no limit. With ``at``, episodes are as known then, otherwise as now.
        """
        bound = {"user": user_id, "at": at or LAST_INSTANT, "since": since or date.min, "until": until or date.max}
        found = [(source, codec.decode("episode", body)) for source, body in db.execute(_EPISODES, bound)]
        found += [(s, item) for s, item in _revised(db, user_id, "episode", at) if _in_days(item, since, until)]
        return sorted(found, key=_by_start)  # type: ignore[arg-type]

    @reads
    def events(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime, at: datetime | None = None
    ) -> list[tuple[str, Event]]:
        """Return (source, event) of events that touch the time from ``since`` to ``until``, sorted by key.

        Repeating events are not expanded. With ``at``, events are as known then, otherwise as now.
        """
        bound = {"user": user_id, "at": at or LAST_INSTANT, "since": since, "until": until}
        found = [(source, codec.decode("event", body)) for source, body in db.execute(_EVENTS, bound)]
        found += [(s, item) for s, item in _revised(db, user_id, "event", at) if _touches(item, since, until)]
        return sorted(found, key=lambda pair: pair[1].key)  # type: ignore[arg-type]

    @reads
    def events_since(self, db: sa.Connection, user_id: int) -> dict[str, datetime]:
        """Return key -> time at which the user's stored calendar entry first arrived."""
        e, r = tables.events.c, tables.revisions.c
        now = sa.select(e.key, e.known_at).where(e.user_id == user_id)
        before = sa.select(r.key, r.known_at).where(r.user_id == user_id, r.kind == "event")
        both = sa.union_all(now, before).subquery()
        query = sa.select(both.c.key, sa.func.min(both.c.known_at, type_=tables.Instant)).group_by(both.c.key)
        return {row.key: row[1] for row in db.execute(query)}

    @reads
    def arrivals(self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[Event]:
        return _arrivals(db, since, until, tables.events.c.user_id == user_id).get(user_id, [])

    @reads
    def all_arrivals(self, db: sa.Connection, *, since: datetime, until: datetime) -> dict[int, list[Event]]:
        """Return user id -> events that begin in [since, until) and end in another time zone, such as flights."""
        return _arrivals(db, since, until)

    @reads
    def tasks(
        self, db: sa.Connection, user_id: int, *, since: date | None = None, at: datetime | None = None
    ) -> list[tuple[str, Task]]:
        """Return (source, task) of the user's tasks, sorted by key, as known at ``at`` or now.

        Tasks completed before the UTC day ``since`` are left out. An open task that the user ticked here counts as
        completed until its due date changes.
        """
        bound, begin = {"user": user_id, "at": at or LAST_INSTANT}, "" if since is None else since.isoformat()
        kept = (*db.execute(_TASKS, bound), *_bodies_revised(db, user_id, "task", at))
        done = ((source, body, body.partition(_COMPLETED)[2]) for source, body in kept)
        found = [(source, codec.decode("task", body)) for source, body, day in done if not day or day >= begin]
        told = with_ticks(found, ticks(db, user_id, at or LAST_INSTANT))
        return sorted(told, key=lambda pair: pair[1].key)

    @reads
    def counts(self, db: sa.Connection, user_id: int) -> dict[str, dict[str, int]]:
        """Return source -> kind -> number of the user's rows.

        A kind is a metric, a kind of episode, ``event`` or ``task``.
        """
        source_of = {row.id: row.name for row in db.execute(_SOURCES, {"user": user_id})}
        found: dict[str, dict[str, int]] = {}
        for kind, query in _COUNTS.items():
            for connection_id, what, count in db.execute(query, {"user": user_id}):
                name = str(names.metric_of(db, what)) if kind in ("sample", "packed") else what
                kinds = found.setdefault(source_of[connection_id], {})
                kinds[name] = kinds.get(name, 0) + count
        return found

    @reads
    def measured_days(self, db: sa.Connection, user_id: int) -> dict[str, int]:
        """Return source -> number of local days with a sample of the user, for sources with samples."""
        return dict(Counter(name for name, _day in db.execute(_MEASURED_DAYS, {"user": user_id})))

    @reads
    def extent(self, db: sa.Connection, user_id: int, source: str | None = None) -> Extent | None:
        """Return the newest day and the first time of storing of the user's measurements, or None without any.

        ``source`` None stands for all sources.
        """
        found = []
        for table in (tables.samples, tables.packed_samples, tables.episodes):
            query = sa.select(sa.func.max(table.c.day), sa.func.min(table.c.known_at))
            query = query.select_from(joined_to_source(table)).where(table.c.user_id == user_id)
            newest, since = db.execute(query if source is None else query.where(tables.sources.c.name == source)).one()
            found += [(newest, since)] if newest is not None else []
        if not found:
            return None
        return Extent(newest=max(newest for newest, _ in found), known_since=min(since for _, since in found))

    @reads
    def newest_measurement(self, db: sa.Connection, connection_id: int, at: datetime) -> datetime | None:
        """Return the end of a connection's newest sample or episode that has ended by ``at``, or None."""
        bound = {"connection": connection_id, "at": at}
        measures = db.execute(_MEASURES, bound).first() is not None  # else the search for its last day reads all rows
        day = db.execute(_LAST_DAY, bound).scalar() if measures else None
        since = None if day is None else day - DAYS_TO_SEE_THE_NEWEST
        measured: datetime | None = None
        if since is not None:
            measured = db.execute(_NEWEST, {**bound, "since": since}).scalar()
        last = db.execute(_LAST_EPISODES, {"connection": connection_id}).scalars()
        episodes = [codec.decode("episode", body) for body in last]
        ends = [episode.end for episode in episodes if isinstance(episode, Episode) and episode.end <= at]
        known = (measured, packed.newest_end(db, connection_id, at, within=DAYS_TO_SEE_THE_NEWEST))
        return max([*ends, *(end for end in known if end is not None)], default=None)

    @reads
    def last_night(self, db: sa.Connection, user_id: int, *, before: date, at: datetime) -> date | None:
        """Return the local day of the user's newest sleep before the day ``before``, as known at ``at``, or None."""
        t = tables.episodes.c
        nights = sa.select(t.day).where(t.user_id == user_id, _KIND_OF_EPISODE.in_([str(EpisodeKind.SLEEP)]))
        known = nights.where(t.day < before, t.known_at <= at)
        found: date | None = db.execute(known.order_by(t.day.desc()).limit(1)).scalar()
        return found

    @reads
    def calendar_name(self, db: sa.Connection, connection_id: int) -> str | None:
        """Return the name of the calendar of some event of a connection, or None without events."""
        t = tables.events.c
        body = db.execute(sa.select(t.body).where(t.connection_id == connection_id).limit(1)).scalar()
        event = None if body is None else codec.decode("event", body)
        return event.calendar if isinstance(event, Event) else None

    @reads
    def last_event(self, db: sa.Connection, user_id: int, at: datetime) -> datetime | None:
        """Return the end of the user's newest calendar entry that has ended by ``at``, or None without any.

        Repeating entries do not count. An all-day entry ends a day later here, because its zone is unknown.
        """
        t = tables.events.c
        found: datetime | None = db.execute(
            sa.select(sa.func.max(t.end)).where(t.user_id == user_id, t.end <= at)
        ).scalar()
        return found

    @reads
    def changed_since(self, db: sa.Connection, user_id: int, since: datetime) -> bool:
        """Return True if the user's data, wishes or preferences changed after ``since``."""
        return any(db.execute(query, {"user": user_id, "at": since}).first() for query in _CHANGES)


def _arrivals(
    db: sa.Connection, since: datetime, until: datetime, *where: sa.ColumnElement[bool]
) -> dict[int, list[Event]]:
    t = tables.events.c
    near = sa.select(t.user_id, t.body).where(t.start >= since, t.start < until, t.body.contains('"end_zone"'), *where)
    found: dict[int, list[Event]] = {}
    for user_id, body in db.execute(near):
        item = codec.decode("event", body)
        if isinstance(item, Event) and item.end_zone is not None:
            found.setdefault(user_id, []).append(item)
    return found


def _counted(table: sa.Table, kind: sa.ColumnElement[Any]) -> sa.Select[Any]:
    # Names are looked up later, because joining takes longer.
    connection, named = table.c.connection_id, kind.label("counted")
    return sa.select(connection, named, sa.func.count()).where(table.c.user_id == _USER).group_by(connection, named)


_USER = sa.bindparam("user", type_=tables.ID)
_SAMPLES = (  # built once, because building takes longer than the query
    sa.select(*rows.PLAIN_SAMPLE, tables.sources.c.name)
    .select_from(
        tables.samples.join(tables.connections, tables.connections.c.id == tables.samples.c.connection_id).join(
            tables.sources
        )
    )
    .where(
        tables.samples.c.user_id == _USER,
        tables.samples.c.day >= sa.bindparam("since", type_=sa.Date),
        tables.samples.c.day <= sa.bindparam("until", type_=sa.Date),
        tables.samples.c.known_at <= sa.bindparam("at", type_=tables.Instant),
    )
)
_NAMED = sa.select(tables.metrics.c.id).where(tables.metrics.c.name.in_(sa.bindparam("names", expanding=True)))
_SAMPLES_OF = _SAMPLES.where(tables.samples.c.metric_id.in_(_NAMED))
_p = tables.packed_samples.c
_PACKED = (
    sa.select(*packed.COLUMNS_OF_DAY, tables.sources.c.name)
    .select_from(joined_to_source(tables.packed_samples))
    .where(
        _p.user_id == _USER,
        _p.day >= sa.bindparam("since", type_=sa.Date),
        _p.day <= sa.bindparam("until", type_=sa.Date),
        _p.known_at <= sa.bindparam("at", type_=tables.Instant),
    )
)
_PACKED_OF = _PACKED.where(_p.metric_id.in_(_NAMED))
_SOURCES = (
    sa.select(tables.connections.c.id, tables.sources.c.name)
    .join(tables.sources)
    .where(tables.connections.c.user_id == _USER)
)
# An episode's body is JSON, in which no other text holds these letters, because quotes within texts are escaped.
_KIND_OF_EPISODE = sa.case(*((tables.episodes.c.body.contains(f'"kind": "{kind}"'), str(kind)) for kind in EpisodeKind))
_ENDED = sa.func.coalesce(tables.samples.c.end, tables.samples.c.start)
_OF_CONNECTION = (  # by the user's days, because no index holds a connection's
    tables.samples.c.user_id
    == sa.select(tables.connections.c.user_id)
    .where(tables.connections.c.id == sa.bindparam("connection"))
    .scalar_subquery(),
    tables.samples.c.connection_id == sa.bindparam("connection"),
    sa.bindparam("at", type_=tables.Instant) >= _ENDED,
)
_MEASURES = sa.select(tables.samples.c.id).where(tables.samples.c.connection_id == sa.bindparam("connection")).limit(1)
_LAST_DAY = sa.select(tables.samples.c.day).where(*_OF_CONNECTION).order_by(tables.samples.c.day.desc()).limit(1)
_NEWEST = sa.select(sa.func.max(_ENDED)).where(
    *_OF_CONNECTION, tables.samples.c.day >= sa.bindparam("since", type_=sa.Date)
)
_LAST_EPISODES = (
    sa.select(tables.episodes.c.body)
    .where(tables.episodes.c.connection_id == sa.bindparam("connection"))
    .order_by(tables.episodes.c.day.desc())
    .limit(EPISODES_TO_SEE_THE_NEWEST)
)
_COUNTS = {
    "sample": _counted(tables.samples, tables.samples.c.metric_id),
    "packed": sa.select(_p.connection_id, _p.metric_id, sa.func.sum(_p.count))
    .where(_p.user_id == _USER)
    .group_by(_p.connection_id, _p.metric_id),
    "episode": _counted(tables.episodes, _KIND_OF_EPISODE),
    "event": _counted(tables.events, sa.literal("event")),
    "task": _counted(tables.tasks, sa.literal("task")),
}

_MEASURED_DAYS = sa.union(
    *(
        sa.select(tables.sources.c.name, table.c.day)
        .select_from(joined_to_source(table))
        .where(table.c.user_id == _USER)
        for table in (tables.samples, tables.packed_samples)
    )
)


def _known(table: sa.Table) -> sa.Select[Any]:
    return (
        sa.select(tables.sources.c.name, table.c.body)
        .select_from(joined_to_source(table))
        .where(table.c.user_id == _USER, table.c.known_at <= _AT)
    )


_AT = sa.bindparam("at", type_=tables.Instant)
_EPISODES = _known(tables.episodes).where(
    tables.episodes.c.day >= sa.bindparam("since", type_=sa.Date),
    tables.episodes.c.day <= sa.bindparam("until", type_=sa.Date),
)
_EVENTS = _known(tables.events).where(
    sa.or_(tables.events.c.start.is_(None), tables.events.c.start < sa.bindparam("until", type_=tables.Instant)),
    sa.or_(tables.events.c.end.is_(None), tables.events.c.end >= sa.bindparam("since", type_=tables.Instant)),
)
_TASKS = _known(tables.tasks)
_COMPLETED = '"completed": "'  # in a task's body, before the instant in UTC; in a title, quotes are escaped
_REVISED = _known(tables.revisions).where(
    tables.revisions.c.kind == sa.bindparam("kind", type_=sa.Text), tables.revisions.c.superseded_at > _AT
)
_SAID = ((tables.wishes, tables.wishes.c.set_at), (tables.preferences, tables.preferences.c.set_at))
_ARRIVED = (
    (tables.task_notes, tables.task_notes.c.said_at),
    (tables.corrections, tables.corrections.c.made_at),
    (tables.connections, tables.connections.c.last_change),
)
_CHANGES = [
    sa.select(table.c.user_id).where(table.c.user_id == _USER, when).limit(1)
    for table, when in (
        *((table, at >= _AT) for table, at in _SAID),  # what is said of a card in its own instant counts
        *((table, at > _AT) for table, at in _ARRIVED),
    )
]


def _bodies_revised(db: sa.Connection, user_id: int, kind: str, at: datetime | None) -> Iterable[Any]:
    return () if at is None else db.execute(_REVISED, {"user": user_id, "kind": kind, "at": at})


def _revised(db: sa.Connection, user_id: int, kind: str, at: datetime | None) -> Iterator[tuple[str, Any]]:
    return ((source, codec.decode(kind, body)) for source, body in _bodies_revised(db, user_id, kind, at))


def _in_days(item: Sample | Episode, since: date | None, until: date | None) -> bool:
    return (since is None or item.day >= since) and (until is None or item.day <= until)


def _touches(event: Event, since: datetime, until: datetime) -> bool:
    start, end = rows.span(event)
    return (start is None or start < until) and (end is None or end >= since)


def _by_start(pair: tuple[str, Any]) -> tuple[datetime, str, str]:
    source, item = pair
    return item.start, source, item.key
