"""Fates of delivered records: outcomes, set aside, parents, deletions, stretches that were swept."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from bridge.domain.metrics import Metric
from bridge.domain.types import Covers, Event, Item, RawRecord, Sample, Task
from bridge.store import Store, codec
from bridge.store import tables as schema
from tests.store.toy import HOUR, T0, connected, day, gone, known, land, normalise, part, tables


def test_each_delivery_is_told_apart(store: Store) -> None:
    connection = connected(store)
    assert land(store, connection, day("a", 1), day("b", 1)) == ["new", "new"]
    assert land(store, connection, day("a", 1), day("b", 2), gone(day("c", 0))) == ["unchanged", "updated", "unchanged"]
    assert land(store, connection, gone(day("a", 1))) == ["deleted"]
    again = RawRecord(stream="day", key="a", payload={"status": "cancelled"}, deleted=True)
    assert land(store, connection, again) == ["unchanged"]
    assert land(store, connection, day("a", 1)) == ["updated"]


def test_the_order_of_a_payloads_keys_is_no_change(store: Store) -> None:
    connection = connected(store)
    land(store, connection, RawRecord(stream="day", key="a", payload={"n": 1, "x": {"b": 1, "a": [1, 2]}}))
    turned = RawRecord(stream="day", key="a", payload={"x": {"a": [1, 2], "b": 1}, "n": 1})
    assert land(store, connection, turned, now=T0 + HOUR) == ["unchanged"]


def test_an_unreadable_record_keeps_what_it_meant(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1))
    before = known(store, connection)
    assert land(store, connection, day("a", 1, bad=True)) == ["updated, aside"]
    assert land(store, connection, day("b", 1, bad=True)) == ["new, aside"]
    assert store.ingest.set_aside(connection.id) == [("day", "toy: cannot be read")] * 2
    assert known(store, connection) == before != []
    assert land(store, connection, day("a", 1), gone(day("b", 1))) == ["updated", "deleted"]
    assert store.ingest.set_aside(connection.id) == []


@pytest.mark.parametrize("order", [0, 1])
def test_a_child_waits_for_its_parent(store: Store, order: int) -> None:
    """On one page in either order, or a page earlier."""
    page = [part("x", 1, "a"), day("a", 1)][:: -1 if order else 1]
    one_page, two_pages = connected(store), connected(store)
    land(store, one_page, *page)
    for record in page:
        land(store, two_pages, record)
    assert store.ingest.set_aside(one_page.id) == store.ingest.set_aside(two_pages.id) == []
    assert known(store, one_page) == known(store, two_pages)
    assert any(isinstance(item, Event) for item in known(store, one_page))


def test_a_changed_parent_changes_what_its_children_mean(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1), part("x", 1, "a"))
    land(store, connection, day("a", 2), now=T0 + HOUR)
    assert store.reading.episodes(connection.user_id) == []
    assert [task.title for _, task in store.reading.tasks(connection.user_id)] == ["write 3"]
    assert len(store.reading.episodes(connection.user_id, at=T0)) == 1


@pytest.mark.parametrize("pages", [1, 2])
def test_what_needed_a_deleted_parent_is_gone_until_it_comes_back(store: Store, pages: int) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1), part("x", 1, "a"), day("b", 1))
    before = known(store, connection)
    assert any(isinstance(item, Event) for item in before)
    deletion = [gone(day("a", 1)), part("x", 1, "a")]
    for page in (deletion,) if pages == 1 else ([deletion[0]], [deletion[1]]):
        land(store, connection, *page, now=T0 + HOUR)
    assert [item for item in known(store, connection) if not isinstance(item, Sample)] == []
    assert len(store.reading.episodes(connection.user_id, at=T0)) == 1
    land(store, connection, day("a", 1), now=T0 + 2 * HOUR)
    assert known(store, connection) == before


def test_a_parent_of_another_connection_is_a_stranger(store: Store) -> None:
    mine, theirs = connected(store), connected(store)
    land(store, theirs, day("a", 1))
    assert land(store, mine, part("x", 1, "a")) == ["new, aside"]


def test_a_newer_normaliser_reads_what_comes_again(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1), day("b", 0))
    before = known(store, connection)

    def better(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
        return [*normalise(record, parent), *([Task(key="t", list="l")] if record.key == "a" else [])]

    page = [day("a", 1), day("b", 0)]
    landings = store.ingest.land(connection, page, better, version=2, now=T0 + HOUR)
    assert [landing.outcome for landing in landings] == ["updated", "unchanged"]
    assert known(store, connection, T0) == before
    assert len(known(store, connection)) == len(before) + 1
    landings = store.ingest.land(connection, page, better, version=2, now=T0 + 2 * HOUR)
    assert [landing.outcome for landing in landings] == ["unchanged", "unchanged"]


def test_a_programming_error_is_not_set_aside(store: Store) -> None:
    connection = connected(store)
    before = tables(store)
    with pytest.raises(KeyError):
        land(store, connection, day("a", 1), RawRecord(stream="day", key="b", payload={}))
    assert tables(store) == before


def test_a_failed_transaction_leaves_nothing_of_the_calls_inside(store: Store) -> None:
    connection = connected(store)
    before = tables(store)

    def fail() -> None:
        with store.transaction():
            land(store, connection, day("a", 1))
            with store.transaction():
                store.ingest.save_cursor(connection.id, "day", "1", 1)
            assert store.ingest.cursor(connection.id, "day", 1) == "1"
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert tables(store) == before
    assert land(store, connection, day("a", 1)) == ["new"]


def test_a_large_page_lands_whole(store: Store) -> None:
    connection = connected(store)
    page = [day(f"k{i}", 1) for i in range(2500)]
    assert set(land(store, connection, *page)) == {"new"}
    assert set(land(store, connection, *page)) == {"unchanged"}
    assert len(store.reading.samples(connection.user_id)) == 5000


def test_any_text_of_a_source_comes_back_as_it_was(store: Store) -> None:
    connection = connected(store)
    title = "nul \x00, half a pair \ud83d, 会議, \u2028 and 🙂"

    def tasks(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
        return [Task(key="t", list="l", title=str(record.payload["title"]), completed=T0)]

    record = RawRecord(stream="tasks", key="é%_", payload={"title": title})
    store.ingest.land(connection, [record], tasks, version=1, now=T0)
    store.ingest.rebuild(connection, tasks, version=1)
    assert store.reading.tasks(connection.user_id) == [("toy", Task(key="t", list="l", title=title, completed=T0))]


def swept(store: Store, covers: Covers, *delivered: str) -> list[str]:
    """The keys missing from a stretch of the days ``b1``, ``b2``, ``b_3`` and the empty ``b4``."""
    connection = connected(store)
    land(store, connection, day("b1", 1), day("b2", 2), day("b_3", 1), day("b4", 0), gone(day("b5", 1)))
    missing = store.ingest.missing(connection.id, "day", covers, frozenset(delivered))
    assert all(record.deleted and record.stream == "day" for record in missing)
    return [record.key for record in missing]


def test_what_a_whole_stretch_did_not_bring_is_missing(store: Store) -> None:
    assert swept(store, Covers(), "b1") == ["b2", "b4", "b_3"]
    assert swept(store, Covers(prefix="b_")) == ["b_3"]
    assert swept(store, Covers(prefix="other/")) == []


def test_a_stretch_with_a_beginning_spares_what_began_before(store: Store) -> None:
    starts = {key: min(sample.start for sample in samples(key)) for key in ("b1", "b2", "b_3")}
    since = sorted(starts.values())[1]
    assert swept(store, Covers(since=since)) == sorted(key for key, start in starts.items() if start >= since)
    assert swept(store, Covers(since=max(starts.values()) + timedelta(seconds=1))) == []


def samples(key: str) -> list[Sample]:
    return [item for item in normalise(day(key, 1), None) if isinstance(item, Sample)]


@given(st.binary(max_size=300).flatmap(lambda some: st.integers(1, 60).map(lambda times: some * times)))
def test_a_payload_is_compressed_as_well_in_a_window_of_its_size(text: bytes) -> None:
    made = codec.compressed(text)
    assert zlib.decompress(made) == text
    assert len(made) <= 1.02 * len(zlib.compress(text)) + 8
    window = 256 << (made[0] >> 4)  # RFC 1950, 2.2
    assert window <= max(1024, 2 * (len(text) + 262))


def test_a_body_that_another_release_wrote_in_another_way_is_no_change(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 3), part("x", 1, "a"))
    before = known(store, connection)
    with store.database.write() as db:
        for table in (schema.events, schema.tasks, schema.episodes):
            for row in db.execute(sa.select(table)).all():
                turned = json.dumps(dict(reversed(json.loads(row.body).items())), indent=1)
                db.execute(sa.update(table).where(table.c.id == row.id).values(body=turned))
    results = store.ingest.land(connection, [day("a", 3)], normalise, version=2, now=T0 + HOUR)
    assert [result.outcome for result in results] == ["unchanged"]
    assert known(store, connection) == before


def test_a_samples_text_is_that_of_json(store: Store) -> None:
    at = T0.replace(microsecond=5)
    for value in (1.0, 1e22, float("inf")):
        more: dict[str, Any]
        for more in ({}, {"end": T0, "offset": -60, "device": 'a"é', "count": 2, "low": value, "high": 2.5}):
            sample = Sample(key="k/é", metric=Metric.HEART_RATE, start=at, day=at.date(), value=value, **more)
            body = json.loads(codec.encode(sample))
            assert codec.of_fields("sample", body) == sample
            assert codec.encode(sample) == json.dumps(body)
    assert schema.iso(schema.microseconds(at)) == at.isoformat()
