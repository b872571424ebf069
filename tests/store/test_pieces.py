"""Dated deliveries of a record come to the same in any order: whole ones, pieces and deletions."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations

import pytest

from bridge.domain.types import Item, RawRecord, union
from bridge.store import Store
from tests.store.toy import T0, connected, day, known, normalise

DAYS = timedelta(days=1)


def at(days: int) -> datetime:
    return T0 + days * DAYS


def whole(days: int, n: int, **more: object) -> RawRecord:
    return replace(day("a", n, **more), as_of=at(days))


def piece(days: int, **more: object) -> RawRecord:
    return RawRecord(stream="day", key="a", payload=more, adds=True, as_of=at(days))


def gone(days: int) -> RawRecord:
    return RawRecord(stream="day", key="a", payload={}, deleted=True, as_of=at(days))


def numbered(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """The toy's day, also where no piece with its number has come."""
    return normalise(replace(record, payload={"n": 0, **record.payload}), parent)


def stored(store: Store, records: tuple[RawRecord, ...]) -> tuple[object, list[Item]]:
    """Return the record's content after the deliveries, each of them on a page of its own."""
    connection = connected(store)
    for record in records:
        store.ingest.land(connection, [record], numbered, version=1, now=T0)
    last = store.exports.dump(connection.user_id)["arrivals"][-1]
    return json.loads(last["payload"]), known(store, connection)


CASES = [
    [whole(1, 1, x=1, old=1), whole(2, 2, x=2), piece(3, x=3)],
    [whole(1, 1, old=1), piece(3, x=3, deep={"u": 3}), whole(2, 2, deep={"u": 2, "v": 2}), piece(4, deep={"w": 4})],
    [piece(1, n=1, x=1), piece(2, x=2), piece(3, y=3)],
    [whole(1, 1, old=1), gone(2), piece(3, n=3)],
    [whole(1, 1, x=1, old=1), piece(1, x=5), piece(2, y=2)],
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_dated_deliveries_come_to_the_same_in_any_order(store: Store, case: int) -> None:
    expected = stored(store, tuple(CASES[case]))
    for order in permutations(CASES[case]):
        if order[0].deleted:
            continue  # the deletion of an unknown record is remembered by its stretch
        assert stored(store, order) == expected


def test_the_newest_value_counts_whatever_comes_when() -> None:
    """Random exports against the plain rule: the newest whole one, then every later piece in turn."""
    rng = random.Random(7)
    store = Store("sqlite://")
    for _ in range(60):
        days = rng.sample(range(1, 30), 6)
        exports = [
            whole(n, n, **{name: n for name in "uvw" if rng.random() < 0.5})
            if rng.random() < 0.4
            else piece(n, n=n, deep={name: n for name in "uvw" if rng.random() < 0.5})
            for n in days
        ]
        told: dict[str, object] = {}
        for export in sorted(exports, key=lambda one: one.as_of or T0):
            told = union(told, export.payload) if export.adds else dict(export.payload)
        assert stored(store, tuple(exports))[0] == told
    store.close()
