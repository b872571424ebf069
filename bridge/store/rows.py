"""Write items (samples, episodes, events, tasks) as rows. Only the difference to a record's stored rows is written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import sqlalchemy as sa

from bridge.domain.metrics import METRICS, Shape
from bridge.domain.records import Connection
from bridge.domain.types import Episode, Event, Item, Sample, Task
from bridge.store import codec, inserts, names, packed, tables
from bridge.store.packed import packs
from bridge.store.packing import Known

TABLE_OF_KIND: dict[str, sa.Table] = {
    "sample": tables.samples,
    "episode": tables.episodes,
    "event": tables.events,
    "task": tables.tasks,
}
IN_LIST_MAX = 400  # both databases limit the number of bound values

Desired = Mapping[int, Sequence[Item]]  # record id -> its items


class Stored(NamedTuple):
    """A stored item (sample, episode, event or task), with the ids of its row and of its record."""

    id: int  # of a packed reading, its number
    record_id: int
    item: Item
    known_at: int  # microseconds since 1970


def write(
    db: sa.Connection, connection: Connection, desired: Desired, *, now: datetime, fresh: frozenset[int] = frozenset()
) -> set[int]:
    """Insert, update and delete rows so that each record has exactly the rows of its ``desired`` items.

    Returns the ids of records whose rows changed. Records in ``fresh`` have no rows yet.
    """
    stored = current(db, [record_id for record_id in desired if record_id not in fresh])
    wanted = {record_id: {(_kind(item), item.key): item for item in items} for record_id, items in desired.items()}
    new, changed, gone = New(list), Changed(list), Gone(list)
    for record_id, items in wanted.items():
        before = stored.get(record_id, {})
        for key, row in before.items():
            item = items.get(key)
            if item is None:
                gone[key[0]].append(row)
            elif item != row.item:
                changed[key[0]].append((row, item))
        if items.keys() != before.keys():
            for key, item in items.items():
                if key not in before:
                    new[key[0]].append((record_id, item))
    written = {record_id for some in new.values() for record_id, _ in some}
    written |= {row.record_id for some in changed.values() for row, _ in some}
    written |= {row.record_id for some in gone.values() for row in some}
    if days := _days(new.pop(PACKED, ()), changed.pop(PACKED, ()), gone.pop(PACKED, ())):
        packed.write(db, (connection.user_id, connection.id), *_readings_of(days, wanted, stored, now=now))
    _revise(db, connection, changed, gone, now=now)
    _delete(db, gone)
    _update(db, changed, now=now)
    _insert(db, connection, new, now=now)
    return written


PACKED = "packed"  # the kind of a sample that is stored packed
New = defaultdict[str, list[tuple[int, Item]]]  # by kind, each with the id of its record
Changed = defaultdict[str, list[tuple[Stored, Item]]]
Gone = defaultdict[str, list[Stored]]


def _kind(item: Item) -> str:
    return PACKED if packs(item) else codec.KIND_OF_CLASS[type(item)]


def _days(
    new: Iterable[tuple[int, Item]], changed: Iterable[tuple[Stored, Item]], gone: Iterable[Stored]
) -> set[packed.Day]:
    """Return the keys of packed rows to write again, because one of their readings is new, changed or gone."""
    both = ((row.record_id, one) for row, item in changed for one in (item, row.item))
    readings = chain(new, both, ((row.record_id, row.item) for row in gone))
    return {packed.day_of(record_id, item) for record_id, item in readings if packs(item)}


def _readings_of(
    days: Collection[packed.Day],
    wanted: Mapping[int, Mapping[tuple[str, str], Item]],
    stored: Mapping[int, Mapping[tuple[str, str], Stored]],
    *,
    now: datetime,
) -> tuple[dict[packed.Day, list[Known]], dict[packed.Day, set[int]]]:
    """Return the readings of the packed rows to write, and the ids of the rows that they replace."""
    readings: dict[packed.Day, list[Known]] = {day: [] for day in sorted(days)}
    there: dict[packed.Day, set[int]] = defaultdict(set)
    known_at = tables.microseconds(now)
    for record_id in {day.record_id for day in days}:
        before = stored.get(record_id, {})
        for row in before.values():
            if packs(row.item):
                there[packed.day_of(record_id, row.item)].add(packed.row_of(row.id))
        for key, item in wanted[record_id].items():
            if packs(item) and (day := packed.day_of(record_id, item)) in readings:
                same = key in before and before[key].item == item
                readings[day].append(Known(item, before[key].known_at if same else known_at))
    return readings, there


def current(db: sa.Connection, record_ids: Sequence[int]) -> dict[int, dict[tuple[str, str], Stored]]:
    """Return record id -> (kind, key) -> stored row, for the records with these ids."""
    found: dict[int, dict[tuple[str, str], Stored]] = defaultdict(dict)
    plain = inserts.select_many(db, tables.samples, (*SAMPLE_NAMES, *_ROW), "record_id", record_ids)
    for (number, record_id, known_at), sample in samples_of(plain, db):
        found[record_id]["sample", sample.key] = Stored(number, record_id, sample, known_at)
    for record_id, number, (sample, known_at) in packed.of_records(db, record_ids):
        found[record_id][PACKED, sample.key] = Stored(number, record_id, sample, known_at)
    for kind in ("episode", "event", "task"):
        table = TABLE_OF_KIND[kind]
        for body, number, record_id, known_at in inserts.select_many(
            db, table, ("body", *_ROW), "record_id", record_ids
        ):
            item = codec.decode(kind, body)
            found[record_id][kind, item.key] = Stored(number, record_id, item, known_at)
    return found


_ROW = ("id", "record_id", "known_at")
_RECORDS: sa.BindParameter[Any] = sa.bindparam("records", expanding=True)


def first_starts(db: sa.Connection, record_ids: Sequence[int]) -> dict[int, datetime | None]:
    """Return record id -> earliest start of its rows. It is None if a row has no start, like tasks and some events."""
    found: dict[int, datetime | None] = {}
    for ids in chunks(record_ids):
        for record_id, start, body in db.execute(_STARTS, {"records": ids}):
            own = start if body is None else datetime.fromisoformat(json.loads(body)["start"])
            first = found.get(record_id, own)
            found[record_id] = None if own is None or first is None else min(own, first)
    return found


_NO_START, _NO_BODY = sa.cast(sa.null(), tables.Instant), sa.cast(sa.null(), sa.Text)
_STARTS = sa.union_all(
    *(
        sa.select(table.c.record_id, start, body).where(table.c.record_id.in_(_RECORDS))
        for table, start, body in (
            (tables.samples, tables.samples.c.start, _NO_BODY),
            (tables.packed_samples, tables.packed_samples.c.start, _NO_BODY),
            (tables.events, tables.events.c.start, _NO_BODY),
            (tables.tasks, _NO_START, _NO_BODY),
            (tables.episodes, _NO_START, tables.episodes.c.body),
        )
    )
)


def item_of(kind: str, row: Any, db: sa.Connection) -> Item:
    """Return the item that a row of a kind (sample, episode, event or task) holds."""
    if kind != "sample":
        return codec.decode(kind, row.body)
    metric, device = names.metric_of(db, row.metric_id), names.name(db, tables.devices, row.device_id)
    return codec.record_of(Sample, row, metric=metric, device=device)


# The columns that ``samples_of`` reads. Their values stay as the driver gives them, because that is quicker.
SAMPLE_NAMES = ("key", "metric_id", "start", "end", "offset", "day", "value", "device_id", "count", "low", "high")
PLAIN_SAMPLE: tuple[sa.ColumnElement[Any], ...] = tuple(
    sa.type_coerce(tables.samples.c[name], sa.BigInteger) if name in ("start", "end") else tables.samples.c[name]
    for name in SAMPLE_NAMES
)


def samples_of(found: Iterable[Sequence[Any]], db: sa.Connection) -> Iterator[tuple[Sequence[Any], Sample]]:
    """Yield (further columns, sample) of rows that begin with the columns ``SAMPLE_NAMES``. A day may be ISO text."""
    metric_of, device_of = cache(partial(names.metric_of, db)), cache(partial(names.name, db, tables.devices))
    day_of = cache(tables.day_of)
    for key, metric, start, end, offset, day, value, device, count, low, high, *more in found:
        yield (
            more,
            Sample(
                key=key,
                metric=metric_of(metric),
                start=tables.instant(start),
                end=None if end is None else tables.instant(end),
                offset=offset,
                day=day_of(day),
                value=value,
                device=device_of(device),
                count=count,
                low=low,
                high=high,
            ),
        )


def chunks(ids: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield ``ids`` in lists of at most 400, which are short enough for a database's IN list."""
    rest = list(ids)
    for begin in range(0, len(rest), IN_LIST_MAX):
        yield rest[begin : begin + IN_LIST_MAX]


def columns(item: Episode | Event | Task) -> dict[str, Any]:
    """Return the columns of an item itself, without those of its row, such as ids."""
    match item:
        case Episode():
            return {"day": item.day, "body": codec.encode(item)}
        case Event():
            start, end = span(item)
            return {"start": start, "end": end, "body": codec.encode(item)}
        case Task():
            return {"body": codec.encode(item)}


def span(event: Event) -> tuple[datetime | None, datetime | None]:
    """Return (start, end) of the time that an event may touch in any zone, where None is an open end."""
    if event.master is not None:
        return None, None
    start, end = event.start, event.end
    if event.first_day is not None and event.last_day is not None:
        start = tables.EPOCH + timedelta(days=(event.first_day - tables.EPOCH.date()).days - 1)
        end = tables.EPOCH + timedelta(days=(event.last_day - tables.EPOCH.date()).days + 2)
    return start, None if event.recurrence else end or start


OWN_COLUMNS = {  # of a kind, whose values ``_values`` gives
    "sample": ("metric_id", "device_id", "start", "end", "offset", "day", "value", "count", "low", "high"),
    "episode": ("day", "body"),
    "event": ("start", "end", "body"),
    "task": ("body",),
}


def _insert(db: sa.Connection, connection: Connection, new: New, *, now: datetime) -> None:
    owner, known_at = (connection.user_id, connection.id), tables.microseconds(now)
    number = cache(partial(names.number, db))
    for kind, some in new.items():
        named = ("user_id", "connection_id", "record_id", "key", "known_at", *OWN_COLUMNS[kind])
        values = [(*owner, record_id, item.key, known_at, *_values(item, number)) for record_id, item in some]
        inserts.insert_many(db, TABLE_OF_KIND[kind], named, values)


def _values(item: Item, number: Callable[[sa.Table, str], int]) -> tuple[Any, ...]:
    if not isinstance(item, Sample):
        return tuple(map(tables.plain, columns(item).values()))
    return (
        number(tables.metrics, item.metric),
        None if item.device is None else number(tables.devices, item.device),
        tables.microseconds(item.start),
        None if item.end is None else tables.microseconds(item.end),
        item.offset,
        item.day.isoformat(),
        item.value,
        item.count,
        item.low,
        item.high,
    )


def _update(db: sa.Connection, changed: Changed, *, now: datetime) -> None:
    number, known_at = cache(partial(names.number, db)), tables.microseconds(now)
    figures: list[tuple[Any, ...]] = []
    for kind, some in changed.items():
        moved: list[tuple[Any, ...]] = []
        for row, item in some:
            if isinstance(item, Sample) and _place(item) == _place(row.item):
                figures.append((known_at, item.value, item.count, item.low, item.high, row.id))
            else:
                moved.append((known_at, *_values(item, number), row.id))
        inserts.update_many(db, TABLE_OF_KIND[kind], ("known_at", *OWN_COLUMNS[kind]), moved)
    inserts.update_many(db, tables.samples, FIGURES, figures)


FIGURES = ("known_at", "value", "count", "low", "high")  # the columns of no index, which are quick to update


_place = attrgetter("metric", "device", "start", "end", "offset", "day")


def _delete(db: sa.Connection, gone: Gone) -> None:
    for kind, rows in gone.items():
        for some in chunks(row.id for row in rows):
            db.execute(sa.delete(TABLE_OF_KIND[kind]).where(TABLE_OF_KIND[kind].c.id.in_(some)))


REVISION_COLUMNS = ("user_id", "connection_id", "record_id", "kind", "key", "body", "known_at", "superseded_at")


def _revise(db: sa.Connection, connection: Connection, changed: Changed, gone: Gone, *, now: datetime) -> None:
    owner, until = (connection.user_id, connection.id), tables.microseconds(now)
    for kind in TABLE_OF_KIND:
        values = [
            (*owner, record_id, kind, item.key, codec.encode(item), known_at, until)
            for _, record_id, item, known_at in chain((row for row, _ in changed.get(kind, ())), gone.get(kind, ()))
            if known_at != until and not (type(item) is Sample and item.metric in INTRADAY)
        ]
        inserts.insert_many(db, tables.revisions, REVISION_COLUMNS, values)


INTRADAY = frozenset(metric for metric, spec in METRICS.items() if spec.shape is Shape.INTRADAY)
