"""Store frequent readings, such as heart rates, with many readings of a record, metric and day in a row."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, TypeGuard

import sqlalchemy as sa

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Item, Sample, require_aware
from bridge.store import inserts, names, tables
from bridge.store.packing import READINGS_MAX, Known, pack, unpack

METRICS_PACKED = frozenset(metric for metric, spec in METRICS.items() if spec.packed)
FIRST_NUMBER = 10**15  # of a packed reading; numbers of plain rows stay far below, and JavaScript knows both exactly
MINUTE = timedelta(minutes=1)


def packs(item: Item) -> TypeGuard[Sample]:
    return type(item) is Sample and item.metric in METRICS_PACKED


class Day(NamedTuple):
    """The key of rows that hold many readings each, which is a record, a metric and a local day."""

    record_id: int
    metric: Metric
    day: date


def day_of(record_id: int, sample: Sample) -> Day:
    """Return the key of the rows that hold a sample among many readings."""
    return Day(record_id, sample.metric, sample.day)


def write(
    db: sa.Connection,
    owner: tuple[int, int],
    days: Mapping[Day, Sequence[Known]],
    there: Mapping[Day, Collection[int]],
) -> None:
    """Replace the stored readings of ``days`` by these readings. ``there`` maps a day to the ids of its stored rows.

    ``owner`` is (user id, connection id).
    """
    changed: list[tuple[Any, ...]] = []
    new: list[tuple[Any, ...]] = []
    gone: list[dict[str, int]] = []
    for day, readings in days.items():
        stored = sorted(there.get(day, ()))  # ids ascend with the parts, because only the last parts come and go
        rows = list(_rows(readings))
        changed += [(*values, number) for number, values in zip(stored, rows, strict=False)]
        gone += [{"row": number} for number in stored[len(rows) :]]
        for part in range(len(stored), len(rows)):
            place = (day.record_id, names.number(db, tables.metrics, day.metric), day.day.isoformat(), part)
            new.append((*owner, *place, *rows[part]))
    inserts.update_many(db, tables.packed_samples, _HELD, changed)
    if gone:
        db.execute(_DELETE, gone)
    inserts.insert_many(db, tables.packed_samples, (*_PLACE, *_HELD), new)


_PLACE = ("user_id", "connection_id", "record_id", "metric_id", "day", "part")
_HELD = ("count", "start", "first_end", "last_end", "body", "known_at")
_DELETE = sa.delete(tables.packed_samples).where(tables.packed_samples.c.id == sa.bindparam("row"))


def _rows(readings: Sequence[Known]) -> Iterator[tuple[Any, ...]]:
    ordered = sorted(readings, key=lambda one: (one.sample.start, one.sample.key))
    for begin in range(0, len(ordered), READINGS_MAX):
        some = ordered[begin : begin + READINGS_MAX]
        ends = [one.sample.end or one.sample.start for one in some]
        first, *bounds = map(tables.microseconds, (some[0].sample.start, min(ends), max(ends)))
        yield len(some), first, *bounds, pack(some), min(one.known_at for one in some)


_p = tables.packed_samples.c
# The columns that ``readings_of`` reads. Their values stay as the driver gives them, because that is quicker.
NAMES_OF_DAY = ("metric_id", "day", "start", "body")
COLUMNS_OF_DAY: tuple[sa.ColumnElement[Any], ...] = tuple(
    sa.type_coerce(_p[name], sa.BigInteger) if name == "start" else _p[name] for name in NAMES_OF_DAY
)


def readings_of(found: Iterable[Sequence[Any]], db: sa.Connection) -> Iterator[tuple[Sequence[Any], list[Known]]]:
    """Yield (further columns, readings) of rows of many readings, which begin with the columns ``NAMES_OF_DAY``."""
    for metric_id, day, start, body, *more in found:
        yield more, unpack(body, names.metric_of(db, metric_id), tables.day_of(day), start)


def of_records(db: sa.Connection, record_ids: Sequence[int]) -> Iterator[tuple[int, int, Known]]:
    """Yield (record id, number of the reading, reading) of those readings of records that are stored many in a row."""
    columns = (*NAMES_OF_DAY, "id", "record_id")
    found = inserts.select_many(db, tables.packed_samples, columns, "record_id", record_ids)
    for (row, record_id), readings in readings_of(found, db):
        for position, known in enumerate(readings):
            yield record_id, number_of(row, position), known


def number_of(row: int, position: int) -> int:
    """Return a number that identifies a reading in a row of many, by the row's id and its ``position`` from 0."""
    return FIRST_NUMBER + row * READINGS_MAX + position


def row_of(number: int) -> int:
    """Return the id of the row that holds the reading with this number (from ``number_of``)."""
    return (number - FIRST_NUMBER) // READINGS_MAX


def newest_end(db: sa.Connection, connection_id: int, at: datetime, *, within: timedelta) -> datetime | None:
    """Return the latest end, by ``at``, of a connection's readings that are stored many in a row, or None.

    Only the last day with readings and the time ``within`` before it are searched.
    """
    bound = {"connection": connection_id, "at": at}
    if db.execute(_ANY, bound).first() is None:  # else the search for the last day reads all of the user's rows
        return None
    day: date | None = db.execute(_LAST_DAY, bound).scalar()
    if day is None:
        return None
    ends: list[datetime] = []
    for last_end, row in ((row.last_end, row[1:]) for row in db.execute(_LAST, {**bound, "since": day - within})):
        if last_end <= at:
            ends.append(last_end)
            continue
        for _, readings in readings_of([row], db):
            some = (reading.sample.end or reading.sample.start for reading in readings)
            ends += [end for end in some if end <= at]
    return max(ends, default=None)


_CONNECTION = sa.bindparam("connection", type_=tables.ID)
_ANY = sa.select(_p.id).where(_p.connection_id == _CONNECTION).limit(1)
_ENDED = (  # by the user's days, because no index holds a connection's
    _p.user_id
    == sa.select(tables.connections.c.user_id).where(tables.connections.c.id == _CONNECTION).scalar_subquery(),
    _p.connection_id == _CONNECTION,
    _p.first_end <= sa.bindparam("at", type_=tables.Instant),
)
_LAST_DAY = sa.select(_p.day).where(*_ENDED).order_by(_p.day.desc()).limit(1)
_LAST = sa.select(_p.last_end, *COLUMNS_OF_DAY).where(*_ENDED, _p.day >= sa.bindparam("since", type_=sa.Date))


class Place(NamedTuple):
    """A reading in a row of many, with its number (``id``), record and connection."""

    id: int
    user_id: int
    connection_id: int
    record_id: int
    known_at: datetime
    item: Sample
    source: str


_PLACES = (
    sa.select(*COLUMNS_OF_DAY, _p.id, _p.user_id, _p.connection_id, _p.record_id, tables.sources.c.name)
    .join(tables.connections, tables.connections.c.id == _p.connection_id)
    .join(tables.sources, tables.sources.c.id == tables.connections.c.source_id)
    .order_by(_p.id)
)


def places(db: sa.Connection, wanted: sa.ColumnElement[bool]) -> Iterator[Place]:
    """Yield each reading in the rows that meet the SQL condition ``wanted``, by row and start."""
    for (row, user_id, connection_id, record_id, source), readings in readings_of(
        db.execute(_PLACES.where(wanted)).all(), db
    ):
        for position, (sample, known_at) in enumerate(readings):
            yield Place(
                id=number_of(row, position),
                user_id=user_id,
                connection_id=connection_id,
                record_id=record_id,
                known_at=tables.instant(known_at),
                item=sample,
                source=source,
            )


def numbered(db: sa.Connection, number: int) -> Place | None:
    """Return the reading with a number (from ``number_of``), or None if it is gone."""
    return next((place for place in places(db, _p.id == row_of(number)) if place.id == number), None)


def with_key(db: sa.Connection, key: str) -> list[int]:
    """Return the numbers of those readings of all users, stored many in a row, whose key is ``key``."""
    written = json.dumps(key)
    wanted = _p.body.contains(written, autoescape=True)
    metric, _, instant = key.partition("/")
    if metric in METRICS_PACKED:
        usual = sa.select(tables.metrics.c.id).where(tables.metrics.c.name == metric).scalar_subquery()
        wanted = sa.or_(wanted, sa.and_(_p.metric_id == usual, *_around(instant)))
    return [place.id for place in places(db, wanted) if place.item.key == key]


def _around(instant: str) -> Iterator[sa.ColumnElement[bool]]:
    try:
        at = require_aware(datetime.fromisoformat(instant))
    except ValueError:
        return
    yield _p.start < at + MINUTE
    yield _p.last_end >= at
