"""Reads: windows, metrics, series, counts, several sources, and one consistent view while somebody writes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.records import Connection
from bridge.domain.types import Covers, Event, Item, RawRecord, Task
from bridge.store import Store
from tests.store.toy import HOUR, T0, connected, day, land, part

NOON = datetime(2026, 5, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)
EVENTS = {
    event.key: event
    for event in (
        Event(key="inside", calendar="c", start=NOON, end=NOON + HOUR),
        Event(key="across", calendar="c", start=NOON - 9 * HOUR, end=NOON + 9 * HOUR),
        Event(key="before", calendar="c", start=NOON - 9 * HOUR, end=NOON - 8 * HOUR),
        Event(key="after", calendar="c", start=NOON + 8 * HOUR, end=NOON + 9 * HOUR),
        Event(key="endless", calendar="c", start=NOON - 9 * HOUR),
        Event(key="whole day", calendar="c", first_day=NOON.date(), last_day=NOON.date()),
        Event(key="yesterday west", calendar="c", first_day=NOON.date() - DAY, last_day=NOON.date() - DAY),
        Event(key="last week", calendar="c", first_day=NOON.date() - 7 * DAY, last_day=NOON.date() - 3 * DAY),
        Event(key="series", calendar="c", start=NOON - 400 * DAY, end=NOON, recurrence=("RRULE:FREQ=DAILY",)),
        Event(key="later series", calendar="c", start=NOON + DAY, end=NOON + 2 * DAY, recurrence=("RRULE:FREQ=DAILY",)),
        Event(key="hole", calendar="c", master="series", original_start=NOON - 90 * DAY, cancelled=True),
    )
}


def events(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    return [EVENTS[record.key]]


def test_events_that_touch_the_window_and_series_that_might(store: Store) -> None:
    connection = connected(store)
    records = [RawRecord(stream="events", key=key, payload={}) for key in EVENTS]
    store.ingest.land(connection, records, events, version=1, now=T0)
    found = store.reading.events(connection.user_id, since=NOON - 4 * HOUR, until=NOON + 4 * HOUR)
    assert {event.key for _, event in found} == {"inside", "across", "whole day", "yesterday west", "series", "hole"}
    assert all(event == EVENTS[event.key] for _, event in found)


def test_deleted_events_are_read_as_of_then_by_the_same_window(store: Store) -> None:
    connection = connected(store)
    records = [RawRecord(stream="events", key=key, payload={}) for key in EVENTS]
    store.ingest.land(connection, records, events, version=1, now=T0)
    window = {"since": NOON - 4 * HOUR, "until": NOON + 4 * HOUR}
    before = store.reading.events(connection.user_id, **window)
    store.ingest.land(
        connection,
        store.ingest.missing(connection.id, "events", Covers(), frozenset()),
        events,
        version=1,
        now=T0 + HOUR,
    )
    assert store.reading.events(connection.user_id, **window) == []
    assert store.reading.events(connection.user_id, **window, at=T0) == before


def filled(store: Store) -> Connection:
    connection = connected(store)
    land(store, connection, *(day(chr(97 + i), 2) for i in range(10)), part("x", 3, "a"))
    return connection


def test_samples_by_day_and_metric(store: Store) -> None:
    user = filled(store).user_id
    everything = [sample for _, sample in store.reading.samples(user)]
    days = sorted({sample.day for sample in everything})
    assert everything == sorted(everything, key=lambda sample: sample.start)
    some = [sample for _, sample in store.reading.samples(user, since=days[2], until=days[4])]
    assert some == [sample for sample in everything if days[2] <= sample.day <= days[4]]
    assert {sample.metric for _, sample in store.reading.samples(user, metrics=iter([Metric.HEART_RATE]))} == {
        Metric.HEART_RATE
    }
    assert store.reading.samples(user, metrics=[]) == store.reading.samples(user, metrics=[Metric.STEPS]) == []


def test_episodes_by_day(store: Store) -> None:
    user = filled(store).user_id
    assert [source for source, _ in store.reading.episodes(user, since=date(2026, 1, 1), until=date(2026, 1, 1))] == [
        "toy"
    ]
    assert (
        store.reading.episodes(user, since=date(2026, 1, 2))
        == store.reading.episodes(user, until=date(2025, 12, 31))
        == []
    )


def test_counts_by_source_and_kind(store: Store) -> None:
    connection = filled(store)
    other = store.connections.connect(connection.user_id, "other", "second", now=T0)
    land(store, other, day("a", 1), part("x", 2, "a"))
    assert store.reading.counts(connection.user_id) == {
        "toy": {"heart_rate": 20, "hrv_rmssd": 10, "sleep": 1, "event": 1},
        "other": {"heart_rate": 1, "hrv_rmssd": 1, "task": 1},
    }


def test_nobody_reads_anothers_rows(store: Store) -> None:
    filled(store)
    stranger = connected(store).user_id
    assert store.reading.samples(stranger) == store.reading.episodes(stranger) == store.reading.tasks(stranger) == []
    assert store.reading.counts(stranger) == {}


def test_a_reader_sees_one_version_while_it_is_replaced(store: Store) -> None:
    connection = connected(store)
    land(store, connection, day("a", 1))
    metric, seen, done = [Metric.HRV_RMSSD], set(), threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(
                tuple(sample.value for _, sample in store.reading.samples(connection.user_id, metrics=metric, at=T0))
            )

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(2, 40):
        land(store, connection, day("a", i), now=T0 + i * HOUR)
    done.set()
    reader.join()
    assert seen == {(41.0,)}


@pytest.mark.parametrize("hours", [-12, 0, 5])
def test_instants_come_back_equal_and_in_utc(store: Store, hours: int) -> None:
    connection = connected(store)
    at = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone(timedelta(hours=hours)))
    store.people.set_zone(connection.user_id, "Asia/Tokyo", since=at)
    zones = next(user.zones for user in store.people.users() if user.id == connection.user_id)
    assert zones[0].since == at
    assert zones[0].since.tzinfo is UTC


def test_tasks_done_before_a_day_are_left_out_as_they_are_now_and_were_then(store: Store) -> None:
    connection = connected(store)
    titled = 'a "completed": "2020-01-01" title'
    early, late = NOON - 2 * DAY, NOON
    tasks = {
        one.key: one
        for one in (
            Task(key="open", list="l", title=titled),
            Task(key="early", list="l", title=titled, completed=early),
            Task(key="late", list="l", title=titled, completed=late),
        )
    }
    records = [RawRecord(stream="tasks", key=key, payload={}) for key in tasks]
    store.ingest.land(connection, records, lambda record, _parent: [tasks[record.key]], version=1, now=T0)
    for at in (None, T0):
        found = store.reading.tasks(connection.user_id, since=NOON.date(), at=at)
        assert [one.key for _, one in found] == ["late", "open"]
        assert len(store.reading.tasks(connection.user_id, at=at)) == len(tasks)
