"""WHOOP's webhooks: believed when they are signed, followed once, and enough to see a change of months ago."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import config, installation
from bridge.domain.errors import Forged, SetupError
from bridge.domain.metrics import Metric
from bridge.ingest import webhooks
from bridge.store import Store, database
from bridge.web import pushes
from connectors.whoop.client import notice
from lab.vendors.whoop import CLIENT
from lab.web_server import running
from tests.world import World, later, living

OLD_NIGHT = "4b1d0000-0000-4000-8000-00000000002a"  # began thirteen days before the first sync, outside its window
OLD_DAY = date(2026, 11, 7)


@contextmanager
def told(store: Store) -> Iterator[tuple[World, installation.Bridge]]:
    """A member who has synced once, and the bridge that webhooks come to."""
    with living(store, "whoop", "awkward") as world:
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world, installation.Bridge(settings=config.load(), store=store)


@pytest.fixture(autouse=True)
def _client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path))
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_SECRET", CLIENT["client_secret"])
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_ID", CLIENT["client_id"])


def hrv(world: World) -> Mapping[date, float]:
    found = world.store.reading.samples(world.user.id, metrics=[Metric.HRV_RMSSD])
    return {sample.day: sample.value for _, sample in found}


def night(world: World, collection: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(r for r in world.vendor.account[collection] if r[name] == OLD_NIGHT)
    return found


def test_a_notice_makes_the_connection_due_and_brings_what_lies_outside_the_window(store: Store) -> None:
    with told(store) as (world, bridge):
        night(world, "recoveries", "sleep_id")["score"]["hrv_rmssd_milli"] = 99.5
        moment = world.now + timedelta(minutes=3)
        headers, body = world.vendor.webhook("recovery.updated", OLD_NIGHT, at=moment)
        assert webhooks.receive_webhook(bridge, "whoop", headers, body, now=moment) == 1
        assert store.connections.of_user(world.user.id)[0].due_at == moment
        assert hrv(world)[OLD_DAY] != 99.5
        assert later(world, minutes=3).sync().outcome == "ok"
        assert hrv(world)[OLD_DAY] == 99.5
        world.server.asked.clear()
        assert later(world, minutes=40).sync().outcome == "ok"
        assert len(world.server.asked) == 4  # it was followed once


def test_the_same_notice_again_is_no_news(store: Store) -> None:
    with told(store) as (world, bridge):
        headers, body = world.vendor.webhook("sleep.updated", OLD_NIGHT, at=world.now)
        assert webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now) == 1
        assert webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now) == 0
        later(world, minutes=3).sync()
        assert webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now + timedelta(minutes=4)) == 0
        assert store.ingest.notices(world.connection.id) == []


def test_a_deleted_night_of_weeks_ago_disappears(store: Store) -> None:
    with told(store) as (world, bridge):
        assert OLD_DAY in hrv(world)
        for kind in ("sleep.deleted", "recovery.deleted"):
            headers, body = world.vendor.webhook(kind, OLD_NIGHT, at=world.now)
            webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now)
        assert later(world, minutes=1).sync().deleted == 2
        assert OLD_DAY not in hrv(world)


def test_a_notice_whose_record_is_gone_when_it_is_fetched_deletes_it(store: Store) -> None:
    with told(store) as (world, bridge):
        headers, body = world.vendor.webhook("sleep.updated", OLD_NIGHT, at=world.now)
        webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now)
        account = world.vendor.account
        account["sleeps"] = [s for s in account["sleeps"] if s["id"] != OLD_NIGHT]
        assert later(world, minutes=1).sync().deleted == 1


def test_somebody_elses_notice_is_answered_and_forgotten(store: Store) -> None:
    with told(store) as (world, bridge):
        for cycle in world.vendor.account["cycles"]:
            cycle["user_id"] += 1
        headers, body = world.vendor.webhook("sleep.updated", OLD_NIGHT, at=world.now)
        assert webhooks.receive_webhook(bridge, "whoop", headers, body, now=world.now) == 0
        assert store.ingest.notices(world.connection.id) == []


def test_a_source_without_webhooks_says_so(store: Store) -> None:
    with told(store) as (world, bridge), pytest.raises(SetupError, match="no webhooks"):
        webhooks.receive_webhook(bridge, "ics", {}, b"", now=world.now)


NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def signed() -> tuple[dict[str, str], bytes]:
    from lab.vendors.whoop import Vendor

    vendor = Vendor({"cycles": [{"user_id": 10129}]})
    return vendor.webhook("workout.updated", OLD_NIGHT, at=NOW)


LAB = {"client_secret": CLIENT["client_secret"]}


def test_a_true_one_is_read(signed: tuple[dict[str, str], bytes]) -> None:
    found = notice(*signed, settings=LAB, now=NOW + timedelta(minutes=5))
    assert found is not None
    assert (found.member, found.stream, found.key, found.deleted) == ("10129", "workout", OLD_NIGHT, False)


@pytest.mark.parametrize("late", [timedelta(minutes=5, seconds=1), -timedelta(minutes=5, seconds=1)])
def test_one_that_is_too_old_or_too_new_is_refused(signed: tuple[dict[str, str], bytes], late: timedelta) -> None:
    with pytest.raises(Forged):
        notice(*signed, settings=LAB, now=NOW + late)


def test_another_secret_or_none_is_refused(signed: tuple[dict[str, str], bytes]) -> None:
    for secret in ("other", ""):
        with pytest.raises(Forged):
            notice(*signed, settings={"client_secret": secret}, now=NOW)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(min_value=0), byte=st.integers(1, 255), which=st.sampled_from(["body", "stamp", "signature"]))
def test_one_changed_byte_is_refused(signed: tuple[dict[str, str], bytes], place: int, byte: int, which: str) -> None:
    headers, body = dict(signed[0]), signed[1]
    name = f"x-whoop-signature{'-timestamp' if which == 'stamp' else ''}"
    old = body if which == "body" else headers[name].encode()
    spot = place % len(old)
    new = old[:spot] + bytes([old[spot] ^ byte]) + old[spot + 1 :]
    if which == "body":
        body = new
    else:
        headers[name] = new.decode("latin-1")
    with pytest.raises(Forged):
        notice(headers, body, settings=LAB, now=NOW)


@pytest.mark.parametrize("kind", ["sleep.exploded", "cycle.updated", "", "sleep"])
def test_kinds_nobody_knows_are_passed_over(kind: str) -> None:
    from lab.vendors.whoop import Vendor

    vendor = Vendor({"cycles": [{"user_id": 10129}]})
    assert notice(*vendor.webhook(kind, OLD_NIGHT, at=NOW), settings=LAB, now=NOW) is None


@pytest.mark.parametrize("key", ["../../v2/user/access", "1", "", "4b1d0000"])
def test_an_id_that_is_no_uuid_never_becomes_an_address(key: str) -> None:
    from lab.vendors.whoop import Vendor

    vendor = Vendor({"cycles": [{"user_id": 10129}]})
    assert notice(*vendor.webhook("sleep.updated", key, at=NOW), settings=LAB, now=NOW) is None


def test_over_the_wire_a_signed_one_is_kept_and_another_refused(store: Store) -> None:
    with told(store) as (world, bridge), listening(bridge) as address:
        headers, body = world.vendor.webhook("sleep.updated", OLD_NIGHT, at=datetime.now(UTC))
        assert requests.post(f"{address}/hooks/whoop", data=body, headers=headers, timeout=5).json() == {"new": 1}
        assert requests.post(f"{address}/hooks/whoop", data=body, headers=headers, timeout=5).json() == {"new": 0}
        assert len(store.ingest.notices(world.connection.id)) == 1
        forged = requests.post(f"{address}/hooks/whoop", data=body + b" ", headers=headers, timeout=5)
        assert (forged.status_code, OLD_NIGHT in forged.text) == (401, False)
        assert requests.post(f"{address}/hooks/ics", data=body, headers=headers, timeout=5).status_code == 404
        huge = requests.post(f"{address}/hooks/whoop", data=b"x" * 70_000, headers=headers, timeout=5)
        assert huge.status_code == 413


def test_a_store_that_is_busy_has_it_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no answer breaks off: vendors try again after a 5xx."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store, told(store) as (world, bridge):
        headers, body = world.vendor.webhook("sleep.updated", OLD_NIGHT, at=datetime.now(UTC))
        with listening(bridge) as address, closing(sqlite3.connect(tmp_path / "bridge.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            busy = requests.post(f"{address}/hooks/whoop", data=body, headers=headers, timeout=5)
            other.rollback()
            assert (busy.status_code, "try again" in busy.text) == (503, True)
            assert requests.post(f"{address}/hooks/whoop", data=body, headers=headers, timeout=5).json() == {"new": 1}


@contextmanager
def listening(bridge: installation.Bridge) -> Iterator[str]:
    with running(pushes.create(bridge, max_bytes=1_000_000), lifespan="off") as port:
        yield f"http://127.0.0.1:{port}"
