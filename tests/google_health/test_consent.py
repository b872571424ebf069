"""Google's consent to health data: partial, withdrawn, faded, and of an account without Google Health."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.domain.errors import NeedsLogin
from bridge.recordings.server import Answer
from connectors.google.health.client import ACTIVITY_SCOPE, HEALTH, MEASUREMENTS, SLEEP_SCOPE, authorise
from lab.vendors.google import refusal
from lab.vendors.google_health import uncovered
from tests.visitor import consent
from tests.world import World, later


def test_all_three_scopes_are_asked_for_offline(world: World) -> None:
    world.vendor.revoke()
    asked = consent(world, authorise)
    assert set(asked["scope"].split()) == {SLEEP_SCOPE, ACTIVITY_SCOPE, MEASUREMENTS}
    assert (asked["access_type"], asked["prompt"]) == ("offline", "consent")
    assert later(world, minutes=30).sync().outcome == "ok"


def test_a_scope_that_was_left_out_costs_its_streams_alone(world: World) -> None:
    world.vendor.revoke()
    world.vendor.granted_scope = f"{SLEEP_SCOPE} {MEASUREMENTS}"
    consent(world, authorise)
    outcome = world.sync()
    assert outcome.outcome == "ok"
    assert set(outcome.not_permitted) == {
        "exercise",
        "steps",
        "distance",
        "active_energy",
        "total_energy",
        "zone_minutes",
    }
    assert "connect again" in world.spec.refusal(outcome.not_permitted)
    assert not [line for line in world.server.asked if "/steps/" in line]


def test_a_consent_to_nothing_is_none(world: World) -> None:
    world.vendor.granted_scope = "openid"
    with pytest.raises(NeedsLogin, match="tick that box"):
        consent(world, authorise)


def test_a_refusal_for_a_missing_scope_costs_the_stream_alone(world: World) -> None:
    world.server.faults.append(lambda request: uncovered() if "/sleep/" in request.path else None)
    outcome = world.sync()
    assert (outcome.outcome, outcome.not_permitted) == ("ok", ("sleep",))


def test_an_account_without_google_health_is_named(world: World) -> None:
    error = {"code": 400, "status": "FAILED_PRECONDITION", "details": [{"reason": "ACCOUNT_NOT_LINKED"}]}
    world.server.faults.append(lambda _: Answer(status=400, body={"error": error}))
    outcome = world.persist()
    assert outcome.outcome == "needs_login"
    assert "open that app once" in str(outcome.skipped_because)


def test_a_consent_that_fades_in_production_is_named_and_pauses_the_connection(world: World) -> None:
    """Consents of an app in production ended after 5 and after 22 days: home-assistant/core, issue 182964."""
    assert world.sync().outcome == "ok"
    given = datetime.now(UTC) - timedelta(days=22)
    ended = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    told: dict[str, Any] = {"expiry": ended, "granted_at": given.isoformat(), "worked_at": ended}
    world.account.save_token((world.account.token() or {}) | told)
    world.vendor.revoke()
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "needs_login"
    assert HEALTH.fades in str(outcome.skipped_because)
    assert "bridge connect google_health" in str(outcome.skipped_because)
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused is not None


def test_too_many_requests_are_tried_later(world: World) -> None:
    world.server.faults.append(lambda _: refusal(429, "RESOURCE_EXHAUSTED", Retry_After="120"))
    outcome = world.sync()
    assert outcome.outcome == "failed"
    assert outcome.retry_at == world.now + timedelta(seconds=120)
