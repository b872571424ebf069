"""WHOOP members who leave a box unticked: workouts or sleeps are left out, and come when they may be read."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime, timedelta

import pytest

from bridge import config, installation
from bridge.ingest import webhooks
from bridge.store import Store
from connectors.whoop.client import HISTORY
from lab.vendors.whoop import CLIENT, SCOPE
from tests.world import World, later, living

WITHOUT_WORKOUTS = SCOPE.replace("read:workout ", "")


def again(world: World, **span: float) -> World:
    """Some time later, with the connection as it now is."""
    return replace(later(world, **span), connection=world.store.connections.of_user(world.user.id)[0])


def consented(world: World, scope: str) -> None:
    world.vendor.agreed = scope
    world.account.save_token(world.vendor.grant())


def test_years_of_history_come_without_the_collection_that_may_not_be_read(store: Store) -> None:
    with living(store, "whoop", "awkward") as whole:
        assert whole.sync().outcome == "ok"
        expected = whole.contents()
        store.connections.disconnect(whole.connection.id)
        connection = store.connections.connect(whole.user.id, "whoop", "account", now=whole.now)
        world = World(
            **{field.name: getattr(whole, field.name) for field in fields(World)} | {"connection": connection}
        )
        consented(world, WITHOUT_WORKOUTS)
        outcome = world.sync()
        assert (outcome.outcome, outcome.not_permitted) == ("ok", ("workout",))
        assert {e["kind"] for e in world.contents()["episodes"]} == {e["kind"] for e in expected["episodes"]} - {
            "workout"
        }
        consented(world, SCOPE)
        outcome = again(world, minutes=30).sync()
        assert (outcome.outcome, outcome.not_permitted) == ("ok", ())
        assert world.contents() == expected


def test_a_collection_that_is_taken_away_in_the_middle_of_its_history_goes_on_later(lite: Store) -> None:
    """The recent part has landed, and of the years before nothing yet."""
    with living(lite, "whoop", "awkward") as world:
        old = [_earlier(workout, n) for n, workout in enumerate(world.vendor.account["workouts"] * 60)]
        world.vendor.account["workouts"] += old
        lows = {"workout": "2026-09-20T00:00:00.000Z"}
        consented(world, WITHOUT_WORKOUTS)
        connector = world.connector()
        assert list(connector.pull(HISTORY, json.dumps(lows), now=world.now)) == []
        consented(world, SCOPE)
        connector.close()
        connector = world.connector()
        pages = list(connector.pull(HISTORY, json.dumps(lows), now=world.now))
        connector.close()
        assert sum(len(page.records) for page in pages) == len(old)


def _earlier(workout: dict[str, object], n: int) -> dict[str, object]:
    start = datetime.fromisoformat("2026-09-01T10:00:00+00:00") - timedelta(days=n)
    return {
        **workout,
        "id": f"00000000-0000-4000-8000-{n:012d}",
        "start": start.isoformat(),
        "end": (start + timedelta(hours=1)).isoformat(),
    }


def test_a_notice_of_what_may_not_be_read_deletes_nothing_and_holds_up_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_SECRET", CLIENT["client_secret"])
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_ID", CLIENT["client_id"])
    with living(store, "whoop", "awkward") as world:
        assert world.sync().outcome == "ok"
        before = world.contents()
        consented(world, WITHOUT_WORKOUTS)
        key = world.vendor.account["workouts"][0]["id"]
        moment = world.now + timedelta(minutes=3)
        headers, body = world.vendor.webhook("workout.updated", key, at=moment)
        assert (
            webhooks.receive_webhook(
                installation.Bridge(settings=config.load(), store=store), "whoop", headers, body, now=moment
            )
            == 1
        )
        outcome = again(world, minutes=3).sync()
        assert (outcome.outcome, outcome.deleted, outcome.not_permitted) == ("ok", 0, ("workout",))
        assert world.contents() == before
        assert store.ingest.notices(world.connection.id) == []
