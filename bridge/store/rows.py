"""Write items (samples, episodes, events, tasks) as rows, but only where they differ from the stored rows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import chain, product
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
    id: int  # of a packed reading, its number
    record_id: int
    key: str
    values: Any  # of its kind's ``OWN_COLUMNS`` as drivers take them, or the sample that is stored packed
    known_at: int  # microseconds since 1970


def write(
    db: sa.Connection, connection: Connection, desired: Desired, *, now: datetime, fresh: frozenset[int] = frozenset()
) -> set[int]:
    """Insert, update and delete rows so that each record has exactly its items in ``desired``.

    Returns the ids of records whose rows changed. Records in ``fresh`` have no rows yet.
    """
    stored = current(db, [record_id for record_id in desired if record_id not in fresh])
    wanted, number = _by_kind(), cache(partial(names.number, db))
    for record_id, items in desired.items():
        for item in items:
            kind = _kind(item)
            wanted[kind].setdefault(record_id, {})[item.key] = _values(kind, item, number)
    new, changed, gone = New(list), Changed(list), Gone(list)
    kinds = [kind for kind in wanted if wanted[kind] or stored[kind]]
    for kind, record_id in product(kinds, desired):
        after, before = wanted[kind].get(record_id, NOTHING), stored[kind].get(record_id, NOTHING)
        for key, row in before.items():
            values = after.get(key)
            if values is None:
                gone[kind].append(row)
            elif values != row.values and _differ(kind, values, row.values):
                changed[kind].append((row, values))
        if after.keys() != before.keys():
            new[kind] += [(record_id, key, values) for key, values in after.items() if key not in before]
    written = {one[0] for some in new.values() for one in some}
    written.update(row.record_id for some in changed.values() for row, _ in some)
    written.update(row.record_id for some in gone.values() for row in some)
    if days := _days(new.pop(PACKED, ()), changed.pop(PACKED, ()), gone.pop(PACKED, ())):
        packed.write(
            db, (connection.user_id, connection.id), *_readings_of(days, wanted[PACKED], stored[PACKED], now=now)
        )
    _revise(db, connection, changed, gone, now=now)
    _delete(db, gone)
    _update(db, changed, now=now)
    _insert(db, connection, new, now=now)
    return written


PACKED = "packed"  # the kind of a sample that is stored packed
NOTHING: Mapping[str, Any] = {}
ByKind = dict[str, dict[int, dict[str, Any]]]  # kind -> record id -> key


def _by_kind() -> ByKind:
    return {kind: {} for kind in (*TABLE_OF_KIND, PACKED)}


New = defaultdict[str, list[tuple[int, str, Any]]]  # by kind, each with its record's id, key and values
Changed = defaultdict[str, list[tuple[Stored, Any]]]  # each with its new values
Gone = defaultdict[str, list[Stored]]


def _kind(item: Item) -> str:
    return PACKED if packs(item) else codec.KIND_OF_CLASS[type(item)]


def _differ(kind: str, one: Any, other: Any) -> bool:
    """Return True if two stored values differ in meaning, and False if only in the format of a release."""
    return kind in ("sample", PACKED) or codec.decode(kind, one[-1]) != codec.decode(kind, other[-1])


def _days(
    new: Iterable[tuple[int, str, Sample]], changed: Iterable[tuple[Stored, Sample]], gone: Iterable[Stored]
) -> set[packed.Day]:
    both = ((row.record_id, one) for row, sample in changed for one in (sample, row.values))
    readings = chain(((record_id, sample) for record_id, _, sample in new), both)
    return {packed.day_of(*reading) for reading in chain(readings, ((row.record_id, row.values) for row in gone))}


def _readings_of(
    days: Collection[packed.Day],
    wanted: Mapping[int, Mapping[str, Sample]],
    stored: Mapping[int, Mapping[str, Stored]],
    *,
    now: datetime,
) -> tuple[dict[packed.Day, list[Known]], dict[packed.Day, set[int]]]:
    readings: dict[packed.Day, list[Known]] = {day: [] for day in sorted(days)}
    there: dict[packed.Day, set[int]] = defaultdict(set)
    known_at = tables.microseconds(now)
    for record_id in {day.record_id for day in days}:
        before = stored.get(record_id, {})
        for row in before.values():
            there[packed.day_of(record_id, row.values)].add(packed.row_of(row.id))
        for key, sample in wanted.get(record_id, {}).items():
            if (day := packed.day_of(record_id, sample)) in readings:
                same = key in before and before[key].values == sample
                readings[day].append(Known(sample, before[key].known_at if same else known_at))
    return readings, there


def current(db: sa.Connection, record_ids: Sequence[int]) -> ByKind:
    """Return kind -> record id -> key -> stored row, for the given records."""
    found = _by_kind()
    has_dates = db.dialect.name == "postgresql"
    for kind, table in TABLE_OF_KIND.items():
        of, named = found[kind], ("id", "record_id", "key", "known_at", *OWN_COLUMNS[kind])
        for row in inserts.select_many(db, table, named, "record_id", record_ids):
            number, record_id, key, known_at = row[:4]
            values = tuple(map(tables.plain, row[4:])) if has_dates else row[4:]
            of.setdefault(record_id, {})[key] = Stored(number, record_id, key, values, known_at)
    for record_id, number, (sample, known_at) in packed.of_records(db, record_ids):
        row = Stored(number, record_id, sample.key, sample, known_at)
        found[PACKED].setdefault(record_id, {})[sample.key] = row
    return found


_RECORDS: sa.BindParameter[Any] = sa.bindparam("records", expanding=True)


def first_starts(db: sa.Connection, record_ids: Sequence[int]) -> dict[int, datetime | None]:
    """Return record id -> earliest start of the record's items, or None if they have none, like tasks."""
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
    """Return the item in a row of the given kind (sample, episode, event or task)."""
    if kind != "sample":
        return codec.decode(kind, row.body)
    metric, device = names.metric_of(db, row.metric_id), names.name(db, tables.devices, row.device_id)
    return codec.record_of(Sample, row, metric=metric, device=device)


# The columns that ``samples_of`` reads. Their values stay as the driver gives them, because that is quicker.
SAMPLE_NAMES = ("key", "metric_id", "device_id", "start", "end", "offset", "day", "value", "count", "low", "high")
PLAIN_SAMPLE: tuple[sa.ColumnElement[Any], ...] = tuple(
    sa.type_coerce(tables.samples.c[name], sa.BigInteger) if name in ("start", "end") else tables.samples.c[name]
    for name in SAMPLE_NAMES
)


def samples_of(found: Iterable[Sequence[Any]], db: sa.Connection) -> Iterator[tuple[Sequence[Any], Sample]]:
    """Yield (further columns, sample) of rows that begin with the columns ``SAMPLE_NAMES``."""
    metric_of, device_of = cache(partial(names.metric_of, db)), cache(partial(names.name, db, tables.devices))
    day_of = cache(tables.day_of)
    for key, metric, device, start, end, offset, day, value, count, low, high, *more in found:
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
    """Yield ``ids`` in lists that are short enough for an IN list of SQL."""
    rest = list(ids)
    for begin in range(0, len(rest), IN_LIST_MAX):
        yield rest[begin : begin + IN_LIST_MAX]


def columns(item: Episode | Event | Task) -> dict[str, Any]:
    """Return column -> value of an item, without ids and times of storing."""
    match item:
        case Episode():
            return {"day": item.day, "body": codec.encode(item)}
        case Event():
            start, end = span(item)
            return {"start": start, "end": end, "body": codec.encode(item)}
        case Task():
            return {"body": codec.encode(item)}


def span(event: Event) -> tuple[datetime | None, datetime | None]:
    """Return (start, end) of the time that an event may touch in any zone. None is an open end."""
    if event.master is not None:
        return None, None
    start, end = event.start, event.end
    if event.first_day is not None and event.last_day is not None:
        start = tables.EPOCH + timedelta(days=(event.first_day - tables.EPOCH.date()).days - 1)
        end = tables.EPOCH + timedelta(days=(event.last_day - tables.EPOCH.date()).days + 2)
    return start, None if event.recurrence else end or start


OWN_COLUMNS = {  # of a kind, whose values ``_values`` gives
    "sample": SAMPLE_NAMES[1:],
    "episode": ("day", "body"),
    "event": ("start", "end", "body"),
    "task": ("body",),
}
FIGURES_BEGIN = SAMPLE_NAMES[1:].index("value")  # those that are in no index, which are quick to update


def _insert(db: sa.Connection, connection: Connection, new: New, *, now: datetime) -> None:
    owner, known_at = (connection.user_id, connection.id), tables.microseconds(now)
    for kind, some in new.items():
        named = ("user_id", "connection_id", "record_id", "key", "known_at", *OWN_COLUMNS[kind])
        values = [(*owner, record_id, key, known_at, *values) for record_id, key, values in some]
        inserts.insert_many(db, TABLE_OF_KIND[kind], named, values)


def _values(kind: str, item: Item, number: Callable[[sa.Table, str], int]) -> Any:
    if kind == PACKED:
        return item
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
    known_at, begin = tables.microseconds(now), FIGURES_BEGIN
    for kind, some in changed.items():
        moved: list[tuple[Any, ...]] = []
        figures: list[tuple[Any, ...]] = []
        for row, values in some:
            if kind == "sample" and values[:begin] == row.values[:begin]:
                figures.append((known_at, *values[begin:], row.id))
            else:
                moved.append((known_at, *values, row.id))
        table, named = TABLE_OF_KIND[kind], OWN_COLUMNS[kind]
        inserts.update_many(db, table, ("known_at", *named), moved)
        inserts.update_many(db, table, ("known_at", *named[begin:]), figures)


def _delete(db: sa.Connection, gone: Gone) -> None:
    for kind, rows in gone.items():
        for some in chunks(row.id for row in rows):
            db.execute(sa.delete(TABLE_OF_KIND[kind]).where(TABLE_OF_KIND[kind].c.id.in_(some)))


REVISION_COLUMNS = ("user_id", "connection_id", "record_id", "kind", "key", "body", "known_at", "superseded_at")


def _revise(db: sa.Connection, connection: Connection, changed: Changed, gone: Gone, *, now: datetime) -> None:
    owner, until = (connection.user_id, connection.id), tables.microseconds(now)
    metric_of, device_of = cache(partial(names.metric_of, db)), cache(partial(names.name, db, tables.devices))
    iso = cache(tables.iso)  # rows of a record often share it

    def body(kind: str, row: Stored) -> str:
        if kind != "sample":
            return str(row.values[-1])
        metric, device, start, end, offset, day, value, count, low, high = row.values
        ends, name = None if end is None else iso(end), device and device_of(device)
        more = (ends, offset, day, value, name, count, low, high)
        return codec.sample_text((row.key, metric_of(metric), iso(start), *more))

    for kind in TABLE_OF_KIND:
        values = [
            (*owner, row.record_id, kind, row.key, body(kind, row), row.known_at, until)
            for row in (*(row for row, _ in changed.get(kind, ())), *gone.get(kind, ()))
            if row.known_at != until and not (kind == "sample" and metric_of(row.values[0]) in INTRADAY)
        ]
        inserts.insert_many(db, tables.revisions, REVISION_COLUMNS, values)


INTRADAY = frozenset(metric for metric, spec in METRICS.items() if spec.shape is Shape.INTRADAY)
