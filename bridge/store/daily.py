"""Read one value per local day, metric and source, such as a sum of steps, mostly computed by the database."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any, cast

import sqlalchemy as sa

from bridge.domain.metrics import METRICS, Metric, Shape, name_noted
from bridge.domain.types import Episode, EpisodeKind
from bridge.store import codec, packed, tables
from bridge.store.connections import joined_to_source
from bridge.store.database import Part, reads

DayValue = tuple[date, str, str, float]  # local day, metric, source, value
_s, _p = tables.samples.c, tables.packed_samples.c


class Daily(Part):
    """The part of the store that reads values by day."""

    @reads
    def values(
        self, db: sa.Connection, user_id: int, metrics: Collection[Metric], *, since: date, until: date
    ) -> list[DayValue]:
        """Return a value per local day, metric and source, sorted by day, computed as in ``bridge.meters.daily``."""
        plain = [str(metric) for metric in metrics if metric not in packed.METRICS_PACKED]
        bound = {"user": user_id, "since": since, "until": until}
        found = list(_values(db, bound | {"names": plain})) if plain else []
        if len(plain) < len(metrics):
            found += _packed_means(db, bound | {"names": [str(m) for m in metrics if m in packed.METRICS_PACKED]})
        return sorted(found)

    @reads
    def ends(
        self, db: sa.Connection, user_id: int, metric: Metric, span: tuple[date, date], *, highest: bool
    ) -> list[DayValue]:
        """Return the highest or lowest reading of a packed metric per local day and source, sorted by day."""
        bound = {"user": user_id, "since": span[0], "until": span[1], "names": [str(metric)]}
        end, found = max if highest else min, dict[tuple[date, str, str], float]()
        for (source,), readings in packed.readings_of(db.execute(_PACKED, bound).all(), db):
            for sample, _known_at in readings:
                told, key = sample.high if highest else sample.low, (sample.day, str(metric), source)
                value = sample.value if told is None else told  # of a mean of readings, its highest one
                found[key] = end(value, found.get(key, value))
        return sorted((*key, value) for key, value in found.items())

    @reads
    def episodes(
        self, db: sa.Connection, user_id: int, kinds: Collection[EpisodeKind], *, since: date, until: date
    ) -> list[tuple[str, dict[str, Any]]]:
        """Return (source, fields as JSON values) of episodes of ``kinds`` on local days from ``since`` to ``until``.

        Both days are included. Decode the fields by ``episode_of`` only where needed, because decoding takes most of
        the time.
        """
        from pydantic_core import from_json  # two thirds of the time of ``json``

        asked = _EPISODES
        if set(kinds) != set(EpisodeKind):  # texts within the JSON escape their quotes, so that only the kind matches
            asked = asked.where(sa.or_(*(_e.body.like(f'%"kind": "{kind}"%') for kind in kinds)))
        bodies, connections = db.execute(asked, {"user": user_id, "since": since, "until": until}).one()
        if not bodies:
            return []
        sources = {str(number): name for number, name in _sources(db, user_id).items()}
        told = from_json(f"[{bodies}]", cache_strings="keys")
        return list(zip(map(sources.__getitem__, connections.split(",")), told, strict=True))

    @reads
    def told(self, db: sa.Connection, user_id: int, metrics: Collection[Metric]) -> frozenset[str]:
        """Return the names of the ``metrics`` with a value of the user. Time asleep counts if there is any night."""
        return frozenset(str(one) for one in metrics if any(_is_told(db, user_id, one, table) for table in _DERIVED))

    @reads
    def told_episode(self, db: sa.Connection, user_id: int, kind: EpisodeKind) -> bool:
        which = sa.exists().where(_e.user_id == user_id, _e.body.like(f'%"kind": "{kind}"%'))
        return bool(db.execute(sa.select(which)).scalar())

    @reads
    def told_in_nights(self, db: sa.Connection, user_id: int, metrics: Collection[Metric]) -> bool:
        """Return True if any sleep of the user holds a value of one of the metrics."""
        return any(_is_told(db, user_id, one, tables.episodes) for one in metrics)

    @reads
    def noted(self, db: sa.Connection, user_id: int) -> list[str]:
        """Return the sorted names of all things that the user has noted."""
        name = sa.select(tables.metrics.c.id).where(tables.metrics.c.name == str(Metric.NOTED)).scalar_subquery()
        found = sa.select(_s.key).distinct().where(_s.user_id == user_id, _s.metric_id == name)
        return sorted({name_noted(key) for key in db.execute(found).scalars()})

    @reads
    def first_day(self, db: sa.Connection, user_id: int) -> date | None:
        """Return the first local day with a sample or episode of a user, or None without any."""
        first = (sa.select(sa.func.min(table.c.day)).where(table.c.user_id == user_id) for table in _DERIVED)
        return min((day for query in first if (day := db.execute(query).scalar()) is not None), default=None)

    @reads
    def first_event(self, db: sa.Connection, user_id: int) -> date | None:
        """Return the UTC date on which the user's first calendar entry begins, or None without any."""
        found = db.execute(sa.select(sa.func.min(tables.events.c.start)).where(tables.events.c.user_id == user_id))
        at = found.scalar()
        return None if at is None else at.date()


_INTRADAY = {str(metric): spec.unit for metric, spec in METRICS.items() if spec.shape is Shape.INTRADAY}
_DERIVED = (tables.samples, tables.packed_samples, tables.episodes)


def _is_told(db: sa.Connection, user_id: int, metric: Metric, table: sa.Table) -> bool:
    if table is tables.episodes:
        figure = "" if metric is Metric.ASLEEP else f'"{metric}":%'
        which: sa.ColumnElement[bool] = table.c.body.like(f'%"kind": "sleep"%{figure}')
    else:
        name = sa.select(tables.metrics.c.id).where(tables.metrics.c.name == str(metric)).scalar_subquery()
        which = table.c.metric_id == name
    return bool(db.execute(sa.select(sa.exists().where(table.c.user_id == user_id, which))).scalar())


def episode_of(fields: dict[str, Any]) -> Episode:
    """Return an episode from its fields as JSON values."""
    return cast(Episode, codec.of_fields("episode", fields))


def _sources(db: sa.Connection, user_id: int) -> dict[int, str]:
    return {row[0]: row[1] for row in db.execute(_SOURCES, {"user": user_id})}


def _values(db: sa.Connection, bound: dict[str, Any]) -> Iterator[DayValue]:
    sources = _sources(db, bound["user"])
    names = {row[0]: row[1] for row in db.execute(sa.select(tables.metrics.c.id, tables.metrics.c.name))}
    highest: dict[tuple[date, str, str], float] = {}
    sums: dict[tuple[date, str, str], tuple[float, float, int]] = {}
    for day, metric, connection, value, count in db.execute(_VALUES, bound).all():
        key = (day, name := names[metric], sources[connection])
        if name in _INTRADAY:
            total, weighted, weight = sums.get(key, (0.0, 0.0, 0))
            sums[key] = total + value, weighted + value * (count or 1), weight + (count or 1)
        elif key not in highest or value > highest[key]:
            highest[key] = value
    yield from ((*key, value) for key, value in highest.items())
    for key, (total, weighted, weight) in sums.items():
        yield *key, total if _INTRADAY[key[1]] == "min" else weighted / weight


def _packed_means(db: sa.Connection, bound: dict[str, Any]) -> Iterator[DayValue]:
    sums: dict[tuple[date, str, str], tuple[float, int]] = {}
    for (source,), readings in packed.readings_of(db.execute(_PACKED, bound).all(), db):
        for sample, _known_at in readings:
            key = (sample.day, str(sample.metric), source)
            total, count = sums.get(key, (0.0, 0))
            weight = sample.count or 1
            sums[key] = (total + weight * sample.value, count + weight)
    for (day, metric, source), (total, count) in sums.items():
        yield day, metric, source, total / count


_IN_DAYS = {
    table.name: (
        table.c.user_id == sa.bindparam("user", type_=tables.ID),
        table.c.day >= sa.bindparam("since", type_=sa.Date),
        table.c.day <= sa.bindparam("until", type_=sa.Date),
        table.c.metric_id.in_(
            sa.select(tables.metrics.c.id).where(tables.metrics.c.name.in_(sa.bindparam("names", expanding=True)))
        ),
    )
    for table in (tables.samples, tables.packed_samples)
}
_VALUES = sa.select(_s.day, _s.metric_id, _s.connection_id, _s.value, _s.count).where(*_IN_DAYS["samples"])
_SOURCES = (  # joined to each row, they would take as long as all else
    sa.select(tables.connections.c.id, tables.sources.c.name)
    .join(tables.sources)
    .where(tables.connections.c.user_id == sa.bindparam("user", type_=tables.ID))
)
_e = tables.episodes.c
# Joined to one text by the database, because the driver and SQLAlchemy take as long for thousands of rows as all else.
_EPISODES = sa.select(
    sa.func.aggregate_strings(_e.body, ","), sa.func.aggregate_strings(sa.cast(_e.connection_id, sa.Text), ",")
).where(
    _e.user_id == sa.bindparam("user", type_=tables.ID),
    _e.day >= sa.bindparam("since", type_=sa.Date),
    _e.day <= sa.bindparam("until", type_=sa.Date),
)
_PACKED = (
    sa.select(*packed.COLUMNS_OF_DAY, tables.sources.c.name)
    .select_from(joined_to_source(tables.packed_samples))
    .where(*_IN_DAYS["packed_samples"])
)
