"""Google Health's webhooks: believed with the secret alone, and each leads to a pull of what changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import requests

from bridge import config, installation
from bridge.domain.errors import Forged
from bridge.ingest import webhooks
from bridge.store import Store
from bridge.web import pushes
from connectors.google.health.client import notice
from lab.vendors.google import CLIENT
from lab.vendors.google_health import MEMBER
from lab.web_server import running
from tests.world import World, later, living

SECRET = "a-long-secret"
SIGNED = {"authorization": f"Bearer {SECRET}"}
NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_GOOGLE_HEALTH_CLIENT_ID", CLIENT["client_id"])
    monkeypatch.setenv("BRIDGE_GOOGLE_HEALTH_CLIENT_SECRET", CLIENT["client_secret"])
    monkeypatch.setenv("BRIDGE_GOOGLE_HEALTH_WEBHOOK_SECRET", SECRET)


@pytest.fixture
def told(lite: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, installation.Bridge]]:
    """A person who has synced once, whose name at Google is known, and the bridge that webhooks come to."""
    with living(lite, "google_health", "awkward") as stranger:
        settings = stranger.vendor.settings(stranger.server.url) | {"webhook_secret": SECRET}
        monkeypatch.setattr(stranger.vendor, "settings", lambda _: settings)
        world = later(stranger, minutes=0)
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world, installation.Bridge(settings=config.load(), store=lite)


def changed(kind: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    """A notification in the notation of Open Wearables' handler."""
    interval = {"physicalTimeInterval": {"startTime": start, "endTime": end}}
    return {"data": {"healthUserId": MEMBER, "operation": "UPSERT", "dataType": kind, "intervals": [interval], **more}}


def test_a_change_of_weeks_ago_is_pulled(told: tuple[World, installation.Bridge]) -> None:
    world, bridge = told
    old = next(row for row in world.vendor.account["variability"] if _day(row) == (10, 15))
    old["dailyHeartRateVariability"]["averageHeartRateVariabilityMilliseconds"] = 71.5
    item = changed("daily-heart-rate-variability", "2026-10-15T00:00:00Z", "2026-10-16T00:00:00Z")
    assert webhooks.receive_webhook(bridge, "google_health", SIGNED, json.dumps([item]).encode(), now=NOW) == 1
    assert later(world, minutes=1).sync().outcome == "ok"
    found = [s["value"] for s in world.contents()["samples"] if (s["metric"], s["day"]) == ("hrv_rmssd", "2026-10-15")]
    assert found == [71.5]
    assert [line for line in world.server.asked if "daily-heart-rate-variability" in line and "2026-10-14" in line]


def _day(row: dict[str, Any]) -> tuple[int, int]:
    date = row["dailyHeartRateVariability"]["date"]
    return date["month"], date["day"]


def test_a_list_of_changes_is_one_message(told: tuple[World, installation.Bridge]) -> None:
    _, bridge = told
    items = [changed(kind, "2026-11-01T22:00:00Z", "2026-11-02T06:00:00Z") for kind in ("sleep", "steps", "weight")]
    body = json.dumps(items).encode()
    assert webhooks.receive_webhook(bridge, "google_health", SIGNED, body, now=NOW) == 2
    assert webhooks.receive_webhook(bridge, "google_health", SIGNED, body, now=NOW) == 0


def test_both_notations_of_times_are_read() -> None:
    civil = {"civilIso8601TimeInterval": {"startTime": "2026-11-01T23:00:00", "endTime": "2026-11-02T06:00:00"}}
    data = {"healthUserId": MEMBER, "operation": "DELETE", "dataType": "sleep", **civil}
    found = notice(SIGNED, json.dumps({"data": data}).encode(), settings={"webhook_secret": SECRET}, now=NOW)
    assert found is not None
    (one,) = found
    assert (one.member, one.stream, one.key, one.deleted) == (MEMBER, "sleep", "2026-10-31/2026-11-03", False)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": ""}])
def test_a_sender_without_the_secret_is_not_believed(headers: dict[str, str]) -> None:
    for secret in (SECRET, ""):
        with pytest.raises(Forged):
            notice(headers, b"{}", settings={"webhook_secret": secret}, now=NOW)


@pytest.mark.parametrize("body", [b"", b"[", b"[1, null]", b'{"data": 3}', b'[{"data": {"healthUserId": 7}}]'])
def test_odd_bodies_are_no_notices(body: bytes) -> None:
    assert notice(SIGNED, body, settings={"webhook_secret": SECRET}, now=NOW) is None


def test_google_tries_the_address_with_the_secret_and_without_it(told: tuple[World, installation.Bridge]) -> None:
    _, bridge = told
    with running(pushes.create(bridge), lifespan="off") as port:
        address = f"http://127.0.0.1:{port}/hooks/google_health"
        tried = {"type": "verification"}
        assert requests.post(address, json=tried, headers=SIGNED, timeout=10).status_code == 200
        assert requests.post(address, json=tried, timeout=10).status_code == 401


def test_google_is_not_asked_who_the_person_is_without_a_secret(lite: Store) -> None:
    with living(lite, "google_health", "week") as world:
        assert world.sync().outcome == "ok"
        assert not [line for line in world.server.asked if "identity" in line]
        assert world.store.connections.of_user(world.user.id)[0].member is None
