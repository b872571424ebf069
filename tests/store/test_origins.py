"""The way back from a row, on both databases, through a real sync."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bridge import installation
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Sample
from bridge.store import Store
from tests.world import NOW, World, later, living

DAY = date(2026, 11, 20)


def variability(world: World) -> int:
    """The number of last night's HRV."""
    found = [n for n, _, s in world.store.tracing.samples_of_day(world.user.id, DAY) if s.metric is Metric.HRV_RMSSD]
    return found[0]


def test_a_value_leads_to_its_record_version_and_connection(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        origin = store.tracing.provenance("sample", variability(world))
        sent = next(r for r in world.vendor.account["recoveries"] if r["sleep_id"] == origin.record)
        assert isinstance(origin.item, Sample)
        assert origin.item.value == pytest.approx(sent["score"]["hrv_rmssd_milli"])
        assert (origin.stream, origin.parent) == ("recovery", f"sleep/{sent['sleep_id']}")
        assert origin.payload == sent
        assert (origin.user, origin.connection.source, origin.connection.id) == ("ana", "whoop", world.connection.id)
        assert origin.version == world.spec.normaliser_version
        assert (origin.arrivals, origin.past, origin.twins, origin.reason) == ((NOW,), (), (), None)


def test_what_it_said_before_and_an_unreadable_delivery_are_part_of_the_way(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        number = variability(world)
        before = store.tracing.provenance("sample", number).item
        sent = next(
            r
            for r in world.vendor.account["recoveries"]
            if r["sleep_id"] == store.tracing.provenance("sample", number).record
        )
        sent["score"] = {**sent["score"], "hrv_rmssd_milli": 99.5}
        later(world, hours=1).sync()
        changed = store.tracing.provenance("sample", number)
        assert changed.arrivals == (NOW, NOW + timedelta(hours=1))
        assert [one.item for one in changed.past] == [before]
        assert (changed.past[0].known_at, changed.past[0].superseded_at) == changed.arrivals
        sent["score_state"] = "?"
        later(world, hours=2).sync()
        kept = store.tracing.provenance("sample", number)
        assert kept.item == changed.item
        assert "score_state" in str(kept.reason)


def test_the_same_night_through_another_door_is_named(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        other = store.connections.connect(world.user.id, "whoop", "import", now=NOW)
        records = world.records()
        store.ingest.land(other, records, installation.normaliser(world.spec), version=1, now=NOW)
        number = variability(world)
        origin = store.tracing.provenance("sample", number)
        assert [source for source, _ in origin.twins] == ["whoop"]
        back = store.tracing.provenance("sample", origin.twins[0][1])
        assert back.connection.id == other.id
        assert back.twins == (("whoop", number),)
        night = store.tracing.provenance(
            "episode", store.tracing.row_ids("episode", str(origin.parent).partition("/")[2])[0]
        )
        assert isinstance(night.item, Episode)
        assert [source for source, _ in night.twins] == ["whoop"]


def test_rows_are_found_by_number_and_by_key(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        number = variability(world)
        key = store.tracing.provenance("sample", number).item.key
        assert store.tracing.row_ids("sample", str(number)) == store.tracing.row_ids("sample", key) == [number]
        assert store.tracing.row_ids("sample", "9" * 30) == store.tracing.row_ids("task", str(number)) == []


def test_the_newest_thing_measured_is_never_ahead_of_now(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        assert store.reading.newest_measurement(world.connection.id, NOW) is None
        assert [c.last_change for c in store.connections.of_user(world.user.id)] == [None]
        world.sync()
        nights = [e.end for _, e in store.reading.episodes(world.user.id)]
        samples = [s.end or s.start for _, s in store.reading.samples(world.user.id)]
        for at in (NOW, NOW - timedelta(days=3, hours=4)):
            assert store.reading.newest_measurement(world.connection.id, at) == max(
                end for end in nights + samples if end <= at
            )
        assert [c.last_change for c in store.connections.of_user(world.user.id)] == [NOW]
