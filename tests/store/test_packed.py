"""Packed metrics: the store says of packed readings what it says of plain rows, in every way it can be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import Connection
from bridge.domain.types import Item, RawRecord, Sample
from bridge.store import Store, packed, tables
from bridge.store.packing import READINGS_MAX, Known, pack, unpack

BEGIN = datetime(2026, 10, 24, 20, tzinfo=UTC)  # a clock is set back in the night
DAY = date(2026, 10, 25)
LATER = timedelta(hours=1)
ORIGINS_MAX = 12  # readings of a day whose origin is asked for: each unpacks all of its day
METRICS = (Metric.HEART_RATE, Metric.STRESS, Metric.HRV_SDNN, Metric.STEPS)  # two packed, two not
numbers = st.floats(20, 100) | st.integers(20, 100).map(float)
maybe = st.none() | numbers

readings = st.builds(
    lambda key, at, length, **values: Sample(
        key=key or f"heart_rate/{BEGIN + at:%Y-%m-%dT%H:%MZ}",
        metric=Metric.HEART_RATE,
        start=BEGIN + at,
        end=None if length is None else BEGIN + at + length,
        day=DAY,
        **values,
    ),
    key=st.sampled_from(["", "", "a", 'quoted "b"', "ä\n", "heart_rate/2026"]),
    at=st.integers(0, 100).map(lambda n: timedelta(minutes=15 * n)) | st.timedeltas(timedelta(), timedelta(hours=25)),
    length=st.sampled_from([None, timedelta(), timedelta(minutes=15)]),
    offset=st.sampled_from([None, 120, 60]),
    value=numbers,
    device=st.sampled_from([None, "watch", "another"]),
    count=st.none() | st.integers(1, 500),
    low=maybe,
    high=maybe,
)


@given(st.lists(st.builds(Known, readings, st.integers(0, 2**52)), min_size=1, max_size=120))
def test_what_was_packed_is_unpacked(found: list[Known]) -> None:
    found.sort(key=lambda one: one.sample.start)
    body = pack(found)
    assert unpack(body, Metric.HEART_RATE, DAY, tables.microseconds(found[0].sample.start)) == found
    assert json.loads(body)["at"][0] == 0


def test_means_of_whole_numbers_take_little_room() -> None:
    day = [mean(n, total=190 + n % 7, count=3) for n in range(96)]
    assert len(pack([Known(sample, 1) for sample in day])) < 1400


def mean(quarter: int, *, total: int, count: int) -> Sample:
    start = BEGIN + timedelta(minutes=15 * quarter)
    key = f"heart_rate/{start:%Y-%m-%dT%H:%MZ}"
    end, value = start + timedelta(minutes=15), total / count
    return Sample(
        key=key, metric=Metric.HEART_RATE, start=start, end=end, day=DAY, value=value, count=count, low=50.0, high=90.0
    )


@pytest.mark.parametrize(
    "damage", ["{", "{}", '{"unit":1,"at":[]}', '{"unit":1,"at":[0,1],"value":[60],"known":[[1,2]]}', "[1]"]
)
def test_a_damaged_row_says_what_to_do(damage: str) -> None:
    with pytest.raises(SetupError, match="bridge rebuild"):
        unpack(damage, Metric.HEART_RATE, DAY, 0)


def test_a_row_holds_no_more_readings_than_allowed() -> None:
    many = {"unit": 1, "at": [*range(READINGS_MAX + 1)], "value": [60] * (READINGS_MAX + 1), "known": [[1, 10**9]]}
    with pytest.raises(SetupError, match="damaged"):
        unpack(json.dumps(many), Metric.HEART_RATE, DAY, 0)


def normalise(record: RawRecord, _parent: RawRecord | None) -> Sequence[Item]:
    """The payload's ``items`` are (minute, metric, value, length, offset, key)."""
    return [_sample(*item) for item in record.payload["items"]]  # type: ignore[attr-defined]


def _sample(minute: int, metric: int, value: int, length: int | None, offset: int, key: str | None) -> Sample:
    start = BEGIN + timedelta(minutes=minute)
    usual = f"{METRICS[metric]}/{start:%Y-%m-%dT%H:%MZ}"
    return Sample(
        key=key or usual,
        metric=METRICS[metric],
        start=start,
        end=None if length is None else start + timedelta(minutes=length),
        offset=offset,
        day=(start + timedelta(minutes=offset)).date(),
        value=value / 7,
        device=("watch", None)[value % 2],
        count=None if value % 3 == 0 else 7,
    )


items = st.lists(
    st.tuples(
        st.integers(0, 40).map(lambda n: 15 * n) | st.integers(0, 2000),
        st.integers(0, len(METRICS) - 1),
        st.integers(200, 600),
        st.sampled_from([None, 15]),
        st.sampled_from([120, 60]),
        st.sampled_from([None, None, None, "own key", "another"]),
    ),
    max_size=12,
    unique_by=lambda item: item[5] or (item[0], item[1]),
)
deliveries = st.lists(
    st.lists(st.tuples(st.sampled_from(["x", "y"]), st.none() | items), min_size=1, max_size=3), min_size=1, max_size=5
)


def delivered(store: Store, pages: Any) -> list[Connection]:
    """Land the same pages through two connections of different sources, a little apart, and return them."""
    user = store.people.add_user("ana", "Europe/Berlin", now=BEGIN)
    connections = [store.connections.connect(user.id, source, source, now=BEGIN) for source in ("one", "two")]
    for number, page in enumerate(pages):
        records = [
            RawRecord(stream="day", key=key, payload={"items": found or []}, deleted=found is None)
            for key, found in page
        ]
        for connection in connections[: 1 + number % 2]:
            store.ingest.land(connection, records, normalise, version=1, now=BEGIN + number * LATER)
    return connections


def told(store: Store, connections: Sequence[Connection], pages: int) -> Iterator[Any]:
    """All that the store can be asked about samples."""
    user = connections[0].user_id
    for at in (None, *(BEGIN + number * LATER for number in range(pages))):
        every = store.reading.samples(user, at=at)
        assert every == sorted(every, key=lambda pair: (pair[1].start, pair[0], pair[1].key))
        stress = store.reading.samples(user, metrics=[Metric.STRESS], since=DAY, until=DAY, at=at)
        yield sorted(every, key=repr), sorted(stress, key=repr)  # two records may tell the same key and start
    yield store.reading.counts(user)
    yield store.reading.extent(user)
    yield store.reading.extent(user, "two")
    for connection in connections:
        for hours in (0, 3, 30, 60):
            yield store.reading.newest_measurement(connection.id, BEGIN + timedelta(hours=hours))
    for day in (DAY - timedelta(days=1), DAY):
        found = sorted(store.tracing.samples_of_day(user, day), key=lambda row: repr(row[1:]))
        yield [(source, sample) for _, source, sample in found]
        origins = []
        texts = sorted({repr(row[1:]) for row in found})
        asked = set(texts[:: len(texts) // ORIGINS_MAX + 1])  # all that look alike, of whichever record
        for number, _, sample in (row for row in found if repr(row[1:]) in asked):
            origin = store.tracing.provenance("sample", number)
            assert store.tracing.row_ids("sample", str(number)) == [origin.id] == [number]
            assert number in store.tracing.row_ids("sample", sample.key)
            assert origin.item == sample
            connection_id, twins = origin.connection.id, len(origin.twins)
            origins.append(repr((sample, origin.record, origin.known_at, origin.past, twins, connection_id)))
        yield sorted(origins)
    yield sorted(repr({**row, "id": None}) for row in store.exports.dump(user)["samples"])
    with store.database.write() as db:
        store.maintenance.make_views()
        yield sorted(db.exec_driver_sql("SELECT * FROM view_measurements").all(), key=repr)
        store.maintenance.drop_views()


@settings(max_examples=30)
@given(pages=deliveries)
def test_packed_rows_say_what_plain_rows_say(pages: Any) -> None:
    say_the_same(pages)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=100)
@given(pages=deliveries)
def test_so_they_do_however_they_came(pages: Any) -> None:
    say_the_same(pages)


def say_the_same(pages: Any) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(Store("sqlite://")) as plain:
        patch.setattr(packed, "METRICS_PACKED", frozenset())
        connections = delivered(plain, pages)
        wanted = list(told(plain, connections, len(pages)))
    with closing(Store("sqlite://")) as store:
        connections = delivered(store, pages)
        assert list(told(store, connections, len(pages))) == wanted
        before = [row for table, row in _rows(store) if table == "samples"]
        assert not any(row.metric_id in _packed_ids(store) for row in before)
        packed_before = [row for table, row in _rows(store) if table == "packed_samples"]
        for connection in connections:  # the same again changes nothing, and derives the same anew
            store.ingest.rebuild(connection, normalise, version=1)
        assert _bodies(store) == sorted(map(_body, packed_before))
        again = store.people.add_user("ben", "Europe/Berlin", now=BEGIN)
        saved = store.exports.dump(connections[0].user_id)
        store.exports.restore(again.id, saved)
        copied = store.exports.dump(again.id)["samples"]
        assert sorted(map(_owned, copied)) == sorted(map(_owned, saved["samples"]))


def _owned(row: dict[str, Any]) -> str:
    return repr({name: value for name, value in row.items() if name not in ("id", "connection_id", "record_id")})


def _rows(store: Store) -> Iterator[tuple[str, Any]]:
    with store.database.read() as db:
        for table in (tables.samples, tables.packed_samples):
            for row in db.execute(sa.select(table)):
                yield table.name, row


def _body(row: Any) -> str:
    return repr((row.record_id, row.metric_id, row.day, row.part, row.count, row.start, row.body, row.known_at))


def _bodies(store: Store) -> list[str]:
    return sorted(_body(row) for table, row in _rows(store) if table == "packed_samples")


def _packed_ids(store: Store) -> set[int]:
    with store.database.read() as db:
        names = [str(metric) for metric in packed.METRICS_PACKED]
        return set(db.execute(sa.select(tables.metrics.c.id).where(tables.metrics.c.name.in_(names))).scalars())


def quarters(*values: int, metric: int = 0) -> list[Any]:
    return [(15 * n, metric, value, 15, 120, None) for n, value in enumerate(values)]


PAGES = [
    [("x", [*quarters(400, 410, 420), *quarters(300, metric=1), *quarters(350, metric=3)])],
    [
        ("x", [*quarters(400, 411, 420, 430), (700, 0, 500, None, 60, "own key")]),
        ("y", [*quarters(*range(300, 420)), *quarters(350, metric=3)]),
    ],
]


def test_both_databases_say_the_same_through_views(store: Store) -> None:
    connections = delivered(store, PAGES)
    *_, seen = told(store, connections, len(PAGES))
    samples = store.reading.samples(connections[0].user_id)
    wanted = [(int(sample.start.timestamp()), str(sample.metric), source) for source, sample in samples]
    assert sorted((row.time, row.metric, row.source) for row in seen) == sorted(wanted)
    assert sorted(row.value for row in seen) == sorted(sample.value for _, sample in samples)


def test_only_the_row_of_a_changed_day_is_written(tmp_path: Any) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'x.db'}")) as store:
        user = store.people.add_user("ana", "UTC", now=BEGIN)
        connection = store.connections.connect(user.id, "one", "one", now=BEGIN)

        def land(*values: int, hours: int) -> list[str]:
            two_days = [*quarters(*values), *((2880 + m, *rest) for m, *rest in quarters(300, 310))]
            record = RawRecord(stream="day", key="x", payload={"items": [*two_days, *quarters(300, 310, metric=1)]})
            some = store.ingest.land(connection, [record], normalise, version=1, now=BEGIN + hours * LATER)
            return [one.outcome for one in some]

        assert land(400, 410, hours=0) == ["new"]
        with store.database.write() as db:
            db.exec_driver_sql("CREATE TABLE written (id INTEGER)")
            for what in ("INSERT", "UPDATE", "DELETE"):
                row = "OLD" if what == "DELETE" else "NEW"
                then = f"INSERT INTO written VALUES ({row}.id)"  # noqa: S608 - ours
                db.exec_driver_sql(f"CREATE TRIGGER t{what} AFTER {what} ON packed_samples BEGIN {then}; END")
        assert land(400, 410, hours=1) == ["unchanged"]
        assert _written(store) == []
        assert land(400, 411, 420, hours=2) == ["updated"]
        (number,) = _written(store)
        (place,) = {one.record_id for one in _places(store, number)}
        assert [one.known_at for one in _places(store, number)] == [BEGIN, BEGIN + 2 * LATER, BEGIN + 2 * LATER]
        assert place == 1


def _written(store: Store) -> list[int]:
    with store.database.read() as db:
        return list(db.exec_driver_sql("SELECT id FROM written").scalars())


def _places(store: Store, number: int) -> list[packed.Place]:
    with store.database.read() as db:
        return list(packed.places(db, tables.packed_samples.c.id == number))


def test_a_day_with_very_many_readings_takes_several_rows(store: Store) -> None:
    user = store.people.add_user("ana", "UTC", now=BEGIN)
    connection = store.connections.connect(user.id, "one", "one", now=BEGIN)

    def land(count: int, hours: int) -> None:
        found = [(0, 0, 400, None, 120, f"reading {n:05}") for n in range(count)]
        record = RawRecord(stream="day", key="x", payload={"items": found})
        store.ingest.land(connection, [record], normalise, version=1, now=BEGIN + hours * LATER)
        assert len(store.reading.samples(user.id)) == count
        assert sum(table == "packed_samples" for table, _ in _rows(store)) == -(-count // READINGS_MAX)

    for hours, count in enumerate((2 * READINGS_MAX + 5, READINGS_MAX, 0, READINGS_MAX + 1, 3 * READINGS_MAX)):
        land(count, hours)


def test_an_export_with_a_key_twice_is_refused(store: Store) -> None:
    connections = delivered(store, PAGES)
    saved = store.exports.dump(connections[0].user_id)
    again = next(row for row in saved["samples"] if row["metric"] == "heart_rate")
    other = store.people.add_user("ben", "UTC", now=BEGIN)
    with pytest.raises(SetupError, match="samples cannot be read"):
        store.exports.restore(other.id, {**saved, "samples": [*saved["samples"], again]})


def test_who_is_forgotten_leaves_no_reading(store: Store) -> None:
    connections = delivered(store, PAGES)
    store.connections.disconnect(connections[0].id)
    store.connections.disconnect(connections[1].id)
    assert list(_rows(store)) == []
