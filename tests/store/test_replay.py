"""Whatever arrives, in whatever pages: reads as of any moment are right, and a rebuild gives the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import METRICS, Shape
from bridge.domain.types import Covers, Item, RawRecord, Sample
from bridge.store import Store
from tests.store.toy import HOUR, T0, connected, day, gone, known, land, normalise, part, tables


@dataclass
class Row:
    item: Item
    known_at: datetime


@dataclass
class Model:
    """The contract, one record at a time, without any batching."""

    records: dict[str, RawRecord] = field(default_factory=dict)
    rows: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    past: list[tuple[Item, datetime, datetime]] = field(default_factory=list)

    def deliver(self, record: RawRecord, now: datetime) -> None:
        before = self.records.get(record.path)
        if before == record or (record.deleted and (before is None or before.deleted)):
            return
        self.records[record.path] = record
        self._derive(record, now)
        for child in self.records.values():
            if child.parent == record.path and not child.deleted:
                self._derive(child, now, orphaned=record.deleted)

    def _derive(self, record: RawRecord, now: datetime, *, orphaned: bool = False) -> None:
        parent = self.records.get(record.parent or "")
        try:
            items = [] if record.deleted else normalise(record, None if parent and parent.deleted else parent)
        except BadRecord:
            if not orphaned:
                return
            items = []
        wanted = {(record.path, type(item).__name__, item.key): item for item in items}
        for key in [key for key in self.rows if key[0] == record.path]:
            if key not in wanted or wanted[key] != self.rows[key].item:
                self._retire(self.rows.pop(key), now)
        for key, item in wanted.items():
            self.rows.setdefault(key, Row(item, now))

    def _retire(self, row: Row, now: datetime) -> None:
        intraday = isinstance(row.item, Sample) and METRICS[row.item.metric].shape is Shape.INTRADAY
        if not intraday and row.known_at != now:
            self.past.append((row.item, row.known_at, now))

    def known(self, at: datetime) -> list[Item]:
        found = [row.item for row in self.rows.values() if row.known_at <= at]
        found += [item for item, since, until in self.past if since <= at < until]
        return sorted(found, key=repr)


_n, _bad = st.integers(0, 3), st.sampled_from([False, False, False, True])
_days = st.builds(lambda key, n, bad: day(key, n, bad=bad), st.sampled_from("abc"), _n, _bad)
_parts = st.builds(
    lambda key, n, parent, bad: part(key, n, parent, bad=bad), st.sampled_from("xyz"), _n, st.sampled_from("abc"), _bad
)
_records = st.one_of(_days, _parts, st.one_of(_days, _parts).map(gone))
_pages = st.lists(_records, min_size=1, max_size=6)
_steps = st.lists(st.tuples(st.booleans(), st.booleans(), _pages), min_size=1, max_size=6)
quickly = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quickly
@given(steps=_steps)
@example(steps=[(False, False, [day("a", 1)]), (True, False, [day("a", 2), day("a", 1)])])
@example(steps=[(False, False, [day("a", 1)]), (True, False, [day("a", 2)]), (False, False, [day("a", 1)])])
@example(steps=[(False, False, [part("x", 1, "a"), day("a", 1)])])
def test_reads_follow_the_contract_and_a_rebuild_changes_nothing(
    store: Store, steps: Sequence[tuple[bool, bool, list[RawRecord]]]
) -> None:
    connection, model, now, times = connected(store), Model(), T0, [T0]
    for later, whole, page in steps:
        now = now + HOUR if later else now
        if whole:  # the page was the whole stream of days
            keys = frozenset(record.key for record in page)
            page = [*page, *store.ingest.missing(connection.id, "day", Covers(), keys)]
        land(store, connection, *page, now=now)
        for record in page:
            model.deliver(record, now)
        times.append(now)
    for at in (T0 - HOUR, *times):
        assert known(store, connection, at) == model.known(at)
    assert known(store, connection) == model.known(now)
    before = tables(store)
    store.ingest.rebuild(connection, normalise, version=1)
    assert tables(store) == before
    live = [record for record in model.records.values() if not record.deleted]
    assert set(land(store, connection, *live, now=now + HOUR)) <= {"unchanged"}
    assert tables(store) == before


def test_a_rebuild_tells_how_far_it_is_and_what_is_set_aside(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1), part("x", 1, "nowhere"))
    told: list[tuple[int, int]] = []
    landings = store.ingest.rebuild(connection, normalise, version=1, progress=lambda *done: told.append(done))
    assert told[-1] == (2, 2)
    assert [landing.set_aside for landing in landings if landing.set_aside] == ["toy: its day has not come"]


def test_a_rebuild_with_a_better_normaliser_keeps_the_arrival_times(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1))
    land(store, connection, day("a", 2), now=T0 + 2 * HOUR)
    store.ingest.rebuild(connection, lambda record, parent: normalise(record, parent)[-1:], version=2)
    values = [
        [sample.value for _, sample in store.reading.samples(connection.user_id, at=T0 + hours * HOUR)]
        for hours in (-1, 1, 3)
    ]
    assert values == [[], [41], [42]]


def test_a_rebuild_leaves_what_was_not_kept_raw(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("file", 2), keep_raw=False)
    land(store, connection, day("kept", 2))
    before = known(store, connection)
    assert store.ingest.rebuild(connection, normalise, version=1) != []
    assert known(store, connection) == before


def test_a_rebuild_that_fails_leaves_everything(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1))
    before = tables(store)

    def broken(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.ingest.rebuild(connection, broken, version=2)
    assert tables(store) == before
