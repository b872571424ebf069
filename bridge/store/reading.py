"""What is known about a person: current rows, or rows and revisions as of an earlier moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.metrics import Metric
from bridge.store import codec, rows, tables
from bridge.types import Covers, Episode, Event, Item, RawRecord, Sample, Task


def samples(
    db: sa.Connection,
    user_id: int,
    *,
    metrics: Iterable[Metric] | None,
    since: date | None,
    until: date | None,
    at: datetime | None,
) -> list[tuple[str, Sample]]:
    wanted = None if metrics is None else frozenset(metrics)
    t = tables.samples.c
    query = _between(_of_user(tables.samples, user_id, at), t.day, since, until)
    if wanted is not None:
        named = sa.select(tables.metrics.c.id).where(tables.metrics.c.name.in_([str(m) for m in wanted]))
        query = query.where(t.metric_id.in_(named))
    found = [(row.source, rows.item_of("sample", row, db)) for row in db.execute(query)]
    found += [
        (source, item)
        for source, item in _revised(db, user_id, "sample", at)
        if _in_days(item, since, until) and (wanted is None or item.metric in wanted)
    ]
    return sorted(found, key=_by_start)  # type: ignore[arg-type]


def episodes(
    db: sa.Connection, user_id: int, *, since: date | None, until: date | None, at: datetime | None
) -> list[tuple[str, Episode]]:
    query = _between(_of_user(tables.episodes, user_id, at), tables.episodes.c.day, since, until)
    found = [(row.source, codec.decode("episode", row.body)) for row in db.execute(query)]
    found += [(s, item) for s, item in _revised(db, user_id, "episode", at) if _in_days(item, since, until)]
    return sorted(found, key=_by_start)  # type: ignore[arg-type]


def events(
    db: sa.Connection, user_id: int, *, since: datetime, until: datetime, at: datetime | None
) -> list[tuple[str, Event]]:
    t = tables.events.c
    touches = sa.and_(sa.or_(t.start.is_(None), t.start < until), sa.or_(t.end.is_(None), t.end >= since))
    found = [
        (row.source, codec.decode("event", row.body))
        for row in db.execute(_of_user(tables.events, user_id, at).where(touches))
    ]
    found += [(s, item) for s, item in _revised(db, user_id, "event", at) if _touches(item, since, until)]
    return sorted(found, key=lambda pair: pair[1].key)  # type: ignore[arg-type]


def tasks(db: sa.Connection, user_id: int, *, at: datetime | None) -> list[tuple[str, Task]]:
    found = [(row.source, codec.decode("task", row.body)) for row in db.execute(_of_user(tables.tasks, user_id, at))]
    found += _revised(db, user_id, "task", at)
    return sorted(found, key=lambda pair: pair[1].key)  # type: ignore[arg-type]


def _of_user(table: sa.Table, user_id: int, at: datetime | None) -> sa.Select[Any]:
    joined = table.join(tables.connections, tables.connections.c.id == table.c.connection_id).join(tables.sources)
    query = sa.select(table, tables.sources.c.name.label("source")).select_from(joined)
    query = query.where(table.c.user_id == user_id)
    return query if at is None else query.where(table.c.known_at <= at)


def _between(
    query: sa.Select[Any], day: sa.ColumnElement[date], since: date | None, until: date | None
) -> sa.Select[Any]:
    if since is not None:
        query = query.where(day >= since)
    return query if until is None else query.where(day <= until)


def _revised(db: sa.Connection, user_id: int, kind: str, at: datetime | None) -> Iterator[tuple[str, Any]]:
    """What was known at a moment and has changed since."""
    if at is None:
        return
    t = tables.revisions.c
    query = _of_user(tables.revisions, user_id, at).where(t.kind == kind, t.superseded_at > at)
    for row in db.execute(query):
        yield row.source, codec.decode(kind, row.body)


def _in_days(item: Sample | Episode, since: date | None, until: date | None) -> bool:
    return (since is None or item.day >= since) and (until is None or item.day <= until)


def _touches(event: Event, since: datetime, until: datetime) -> bool:
    start, end = rows.span(event)
    return (start is None or start < until) and (end is None or end >= since)


def _by_start(pair: tuple[str, Any]) -> tuple[datetime, str, str]:
    source, item = pair
    return item.start, source, item.key


def counts(db: sa.Connection, user_id: int) -> dict[str, dict[str, int]]:
    """source -> metric, episode kind, "event" or "task" -> rows."""
    found: dict[str, dict[str, int]] = {}
    by_metric = (
        sa.select(tables.sources.c.name, tables.metrics.c.name, sa.func.count())
        .select_from(_to_source(tables.samples).join(tables.metrics))
        .where(tables.samples.c.user_id == user_id)
        .group_by(tables.sources.c.name, tables.metrics.c.name)
    )
    for source, metric, count in db.execute(by_metric):
        found.setdefault(source, {})[metric] = count
    for source, episode in episodes(db, user_id, since=None, until=None, at=None):
        kinds = found.setdefault(source, {})
        kinds[str(episode.kind)] = kinds.get(str(episode.kind), 0) + 1
    for kind, table in (("event", tables.events), ("task", tables.tasks)):
        query = (
            sa.select(tables.sources.c.name, sa.func.count())
            .select_from(_to_source(table))
            .where(table.c.user_id == user_id)
            .group_by(tables.sources.c.name)
        )
        for source, count in db.execute(query):
            found.setdefault(source, {})[kind] = count
    return found


def _to_source(table: sa.Table) -> sa.Join:
    return table.join(tables.connections, tables.connections.c.id == table.c.connection_id).join(tables.sources)


def missing(
    db: sa.Connection, connection_id: int, stream: str, covers: Covers, delivered: frozenset[str]
) -> list[RawRecord]:
    """Deletions for the records of a covered stretch that were not delivered."""
    r = tables.records.c
    query = sa.select(r.id, r.key).where(
        r.connection_id == connection_id,
        r.stream == stream,
        r.deleted.is_(False),
        r.key.startswith(covers.prefix, autoescape=True),
    )
    if covers.since is not None:  # of ten years, only what may begin there is looked at
        query = query.where(r.id.in_(_beginning_about(connection_id, covers.since)))
    parts = [query] if covers.parents is None else [query.where(r.parent.in_(p)) for p in rows.chunks(covers.parents)]
    absent = {row.id: row.key for part in parts for row in db.execute(part) if row.key not in delivered}
    if covers.since is not None:
        stored = rows.current(db, list(absent))
        absent = {r: key for r, key in absent.items() if _begins_after(stored.get(r, {}).values(), covers.since)}
    return [RawRecord(stream=stream, key=key, payload={}, deleted=True) for key in sorted(absent.values())]


def _beginning_about(connection_id: int, since: datetime) -> sa.CompoundSelect[tuple[int]]:
    """The records of a connection with a row that may begin at or after ``since``; days are local."""
    c = tables.connections.c
    user = sa.select(c.user_id).where(c.id == connection_id).scalar_subquery()
    day = since.date() - timedelta(days=2)
    bounds = ((tables.samples, "day", day), (tables.episodes, "day", day), (tables.events, "start", since))
    return sa.union(
        *(
            sa.select(t.c.record_id).where(t.c.user_id == user, t.c.connection_id == connection_id, t.c[name] >= bound)
            for t, name, bound in bounds
        )
    )


def _begins_after(stored: Collection[rows.Stored], since: datetime) -> bool:
    """True when the record means something and all of it begins at or after ``since``, in whatever zone."""
    starts = [_start(row.item) for row in stored]
    return bool(starts) and all(start is not None and start >= since for start in starts)


def _start(item: Item) -> datetime | None:
    return rows.span(item)[0] if isinstance(item, Event) else getattr(item, "start", None)
