"""Read a user's current rows, or rows as they were known at an earlier instant, with the help of revisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.domain.metrics import Metric
from bridge.domain.records import Connection, Extent, Provenance, Revision
from bridge.domain.types import Episode, EpisodeKind, Event, Item, Sample, Task
from bridge.store import codec, names, rows, tables
from bridge.store.connections import select_connections
from bridge.store.database import Part, reads
from bridge.store.tables import LAST_INSTANT
from bridge.store.task_notes import ticks, with_ticks

ROW_ID_MAX_DIGITS = 18  # PostgreSQL refuses a larger number
DAYS_TO_SEE_THE_NEWEST = timedelta(days=7)  # a measurement of an earlier day may end later, but not by a week
EPISODES_TO_SEE_THE_NEWEST = 5  # episodes of a day may end in any order


class Reading(Part):
    """The part of the store that reads rows derived from records, and traces a row to its record."""

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
        """Return (source, sample) for samples whose local ``day`` is from ``since`` to ``until``, both included, by
        start.

        ``metrics`` None means all metrics. With ``at``, the samples are as they were known then.
        """
        wanted = None if metrics is None else frozenset(metrics)
        bound: dict[str, Any] = {"user": user_id, "since": since or date.min, "until": until or date.max}
        bound |= {"at": at or LAST_INSTANT, "names": [str(metric) for metric in wanted or ()]}
        query = _SAMPLES if wanted is None else _SAMPLES_OF
        read = rows.samples_of(db.execute(query, bound).all(), db)
        found: list[tuple[str, Item]] = [(source, item) for (source,), item in read]
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
        """Return (source, episode) for episodes whose local ``day`` is from ``since`` to ``until``, both included, by
        start.

        With ``at``, the episodes are as they were known then.
        """
        bound = {"user": user_id, "at": at or LAST_INSTANT, "since": since or date.min, "until": until or date.max}
        found = [(source, codec.decode("episode", body)) for source, body in db.execute(_EPISODES, bound)]
        found += [(s, item) for s, item in _revised(db, user_id, "episode", at) if _in_days(item, since, until)]
        return sorted(found, key=_by_start)  # type: ignore[arg-type]

    @reads
    def events(
        self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime, at: datetime | None = None
    ) -> list[tuple[str, Event]]:
        """Return (source, event) for events that touch the time from ``since`` to ``until``, sorted by key.

        Series are not expanded. Every master and exception of a series that might touch that time is among them. With
        ``at``, the events are as they were known then.
        """
        bound = {"user": user_id, "at": at or LAST_INSTANT, "since": since, "until": until}
        found = [(source, codec.decode("event", body)) for source, body in db.execute(_EVENTS, bound)]
        found += [(s, item) for s, item in _revised(db, user_id, "event", at) if _touches(item, since, until)]
        return sorted(found, key=lambda pair: pair[1].key)  # type: ignore[arg-type]

    @reads
    def arrivals(self, db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[Event]:
        """Return the timed events that begin between two instants and end in another time zone, such as flights."""
        t = tables.events.c
        moving = t.body.contains('"end_zone"')
        near = sa.and_(t.user_id == user_id, t.start >= since, t.start < until, moving)
        found = [codec.decode("event", body) for body in db.execute(sa.select(t.body).where(near)).scalars()]
        return [item for item in found if isinstance(item, Event) and item.end_zone is not None]

    @reads
    def tasks(self, db: sa.Connection, user_id: int, *, at: datetime | None = None) -> list[tuple[str, Task]]:
        """Return (source, task) of all tasks, sorted by key. With ``at``, the tasks are as they were known then.

        A task that the user ticked is completed, whatever its source says.
        """
        bound = {"user": user_id, "at": at or LAST_INSTANT}
        found = [(source, codec.decode("task", body)) for source, body in db.execute(_TASKS, bound)]
        found += _revised(db, user_id, "task", at)
        told = with_ticks(found, ticks(db, user_id, at or LAST_INSTANT))
        return sorted(told, key=lambda pair: pair[1].key)

    @reads
    def counts(self, db: sa.Connection, user_id: int) -> dict[str, dict[str, int]]:
        """Return source -> kind -> number of the user's rows. A kind is a metric, a kind of episode, ``event`` or
        ``task``.
        """
        source_of = {row.id: row.name for row in db.execute(_SOURCES, {"user": user_id})}
        found: dict[str, dict[str, int]] = {}
        for kind, query in _COUNTS.items():
            for connection_id, what, count in db.execute(query, {"user": user_id}):
                name = str(names.metric_of(db, what)) if kind == "sample" else what
                kinds = found.setdefault(source_of[connection_id], {})
                kinds[name] = kinds.get(name, 0) + count
        return found

    @reads
    def extent(self, db: sa.Connection, user_id: int, source: str | None = None) -> Extent | None:
        """Return the newest local day with a measurement and the arrival of the first measurement, or None without any.

        ``source`` limits both to a single source.
        """
        found = []
        for table in (tables.samples, tables.episodes):
            query = sa.select(sa.func.max(table.c.day), sa.func.min(table.c.known_at))
            query = query.select_from(_joined_to_source(table)).where(table.c.user_id == user_id)
            newest, since = db.execute(query if source is None else query.where(tables.sources.c.name == source)).one()
            found += [(newest, since)] if newest is not None else []
        if not found:
            return None
        return Extent(newest=max(newest for newest, _ in found), known_since=min(since for _, since in found))

    @reads
    def row_ids(self, db: sa.Connection, kind: str, name: str) -> list[int]:
        """Return the ids of the rows of a kind (of all users) that ``name`` refers to.

        Up to 18 digits are a row's id. Anything else is a key, which several rows may have.
        """
        table = rows.TABLE_OF_KIND[kind]
        is_id = name.isdecimal() and len(name) <= ROW_ID_MAX_DIGITS
        wanted = table.c.id == int(name) if is_id else table.c.key == name
        return list(db.execute(sa.select(table.c.id).where(wanted).order_by(table.c.id)).scalars())

    @reads
    def samples_of_day(self, db: sa.Connection, user_id: int, day: date) -> list[tuple[int, str, Sample]]:
        """Return (row id, source, sample) of the samples of a user's local day, sorted by metric and source."""
        t = tables.samples
        query = _with_source(t).where(t.c.user_id == user_id, t.c.day == day)
        read = [(row.id, row.source, rows.item_of("sample", row, db)) for row in db.execute(query).all()]
        found = [(number, source, item) for number, source, item in read if isinstance(item, Sample)]
        return sorted(found, key=lambda row: (row[2].metric, row[1], row[2].start, row[0]))

    @reads
    def provenance(self, db: sa.Connection, kind: str, row_id: int) -> Provenance:
        """Return where an existing row came from: its record, normaliser version, connection and times of arrival.

        Earlier versions of the row are included, and rows of other connections that measure the same thing.
        """
        table = rows.TABLE_OF_KIND[kind]
        row = db.execute(sa.select(table).where(table.c.id == row_id)).one()
        record = db.execute(sa.select(tables.records).where(tables.records.c.id == row.record_id)).one()
        a = tables.arrivals.c
        arrived = db.execute(sa.select(a.arrived_at, a.payload).where(a.record_id == record.id).order_by(a.id)).all()
        item = rows.item_of(kind, row, db)
        return Provenance(
            kind=kind,
            id=row.id,
            item=item,
            known_at=row.known_at,
            user=db.execute(sa.select(tables.users.c.name).where(tables.users.c.id == row.user_id)).scalar_one(),
            connection=_connection(db, row.connection_id),
            stream=record.stream,
            record=record.key,
            parent=record.parent,
            version=record.version,
            reason=record.reason,
            arrivals=tuple(arrival.arrived_at for arrival in arrived),
            payload=codec.unpack(arrived[-1].payload) if arrived else None,
            past=_past(db, kind, row),
            twins=_twins(db, row, item),
        )

    @reads
    def newest_measurement(self, db: sa.Connection, connection_id: int, at: datetime) -> datetime | None:
        """Return the end of a connection's newest measurement that had ended by ``at``, or None without any."""
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
        return max([*ends, *([measured] if measured is not None else [])], default=None)

    @reads
    def calendar_name(self, db: sa.Connection, connection_id: int) -> str | None:
        """Return the name of the calendar of some entry that came from a connection, or None without any entry."""
        t = tables.events.c
        body = db.execute(sa.select(t.body).where(t.connection_id == connection_id).limit(1)).scalar()
        event = None if body is None else codec.decode("event", body)
        return event.calendar if isinstance(event, Event) else None

    @reads
    def last_event(self, db: sa.Connection, user_id: int, at: datetime) -> datetime | None:
        """Return the end of the user's last single calendar entry that had ended by ``at``, or None without any."""
        t = tables.events.c
        found: datetime | None = db.execute(
            sa.select(sa.func.max(t.end)).where(t.user_id == user_id, t.end <= at)
        ).scalar()
        return found

    @reads
    def changed_since(self, db: sa.Connection, user_id: int, since: datetime) -> bool:
        """Return True if data, corrections, wishes or the order of sources of the user have changed after ``since``."""
        return any(db.execute(query, {"user": user_id, "at": since}).first() for query in _CHANGES)


def _counted(table: sa.Table, kind: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Select (connection, kind, number of rows) of a user. Names are looked up later, because joining takes longer."""
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
_SAMPLES_OF = _SAMPLES.where(
    tables.samples.c.metric_id.in_(
        sa.select(tables.metrics.c.id).where(tables.metrics.c.name.in_(sa.bindparam("names", expanding=True)))
    )
)
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
    "episode": _counted(tables.episodes, _KIND_OF_EPISODE),
    "event": _counted(tables.events, sa.literal("event")),
    "task": _counted(tables.tasks, sa.literal("task")),
}


def _joined_to_source(table: sa.Table) -> sa.Join:
    return table.join(tables.connections, tables.connections.c.id == table.c.connection_id).join(tables.sources)


def _with_source(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table, tables.sources.c.name.label("source")).select_from(_joined_to_source(table))


def _known(table: sa.Table) -> sa.Select[Any]:
    """Select source and body of the rows of a user that were stored at an instant."""
    return (
        sa.select(tables.sources.c.name, table.c.body)
        .select_from(_joined_to_source(table))
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
_REVISED = _known(tables.revisions).where(
    tables.revisions.c.kind == sa.bindparam("kind", type_=sa.Text), tables.revisions.c.superseded_at > _AT
)
_CHANGES = [
    sa.select(table.c.user_id).where(table.c.user_id == _USER, changed > _AT).limit(1)
    for table, changed in (
        (tables.wishes, tables.wishes.c.set_at),
        (tables.task_notes, tables.task_notes.c.said_at),
        (tables.preferences, tables.preferences.c.set_at),
        (tables.corrections, tables.corrections.c.made_at),
        (tables.connections, tables.connections.c.last_change),
    )
]


def _revised(db: sa.Connection, user_id: int, kind: str, at: datetime | None) -> Iterator[tuple[str, Any]]:
    """Yield (source, item) as known at ``at``, for items that have changed or been deleted since. None yields
    nothing.
    """
    if at is None:
        return
    for source, body in db.execute(_REVISED, {"user": user_id, "kind": kind, "at": at}):
        yield source, codec.decode(kind, body)


def _in_days(item: Sample | Episode, since: date | None, until: date | None) -> bool:
    return (since is None or item.day >= since) and (until is None or item.day <= until)


def _touches(event: Event, since: datetime, until: datetime) -> bool:
    start, end = rows.span(event)
    return (start is None or start < until) and (end is None or end >= since)


def _by_start(pair: tuple[str, Any]) -> tuple[datetime, str, str]:
    source, item = pair
    return item.start, source, item.key


def _connection(db: sa.Connection, connection_id: int) -> Connection:
    return select_connections(db, tables.connections.c.id == connection_id)[0]


def _past(db: sa.Connection, kind: str, row: Any) -> tuple[Revision, ...]:
    t = tables.revisions.c
    mine = sa.and_(t.record_id == row.record_id, t.kind == kind, t.key == row.key)
    found = db.execute(sa.select(tables.revisions).where(mine).order_by(t.superseded_at))
    return tuple(
        Revision(item=codec.decode(kind, one.body), known_at=one.known_at, superseded_at=one.superseded_at)
        for one in found
    )


def _twins(db: sa.Connection, row: Any, item: Item) -> tuple[tuple[str, int], ...]:
    """Return (source, row id) of rows from other connections that measure the same thing.

    They have the same user, local day, and metric or kind of episode. Events and tasks have none.
    """
    if not isinstance(item, Sample | Episode):
        return ()
    table = tables.samples if isinstance(item, Sample) else tables.episodes
    others = sa.and_(table.c.user_id == row.user_id, table.c.day == row.day, table.c.connection_id != row.connection_id)
    query = _with_source(table).where(others).order_by(table.c.id)
    kind = "sample" if isinstance(item, Sample) else "episode"
    found = [(one.source, one.id, rows.item_of(kind, one, db)) for one in db.execute(query).all()]
    return tuple((source, number) for source, number, other in found if _measures(other) == _measures(item))


def _measures(item: Item) -> Metric | str | None:
    return item.metric if isinstance(item, Sample) else getattr(item, "kind", None)
