"""A box left unticked, as the person sees it: the sync is done, and what may not be read is said until it may."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

import lab
from bridge import installation, registry
from bridge.recordings.server import LabServer
from lab.vendors.whoop import SCOPE, Vendor
from tests.commands import bridge
from tests.world import KEY, NOW

LINE = "whoop: no permission for workouts; connect again to grant it"
PERSON = ("--user", "ana")


@pytest.fixture
def member(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendor]:
    """Ana, connected to WHOOP without her workouts."""
    vendor = Vendor(lab.account("whoop", "week"))
    with LabServer(vendor.application) as server:
        settings = {f"BRIDGE_WHOOP_{name}".upper(): value for name, value in vendor.settings(server.url).items()}
        for name, value in (settings | {"BRIDGE_KEY": KEY, "BRIDGE_NOW": NOW.isoformat()}).items():
            monkeypatch.setenv(name, value)
        assert bridge("user", "add", "ana").returncode == 0
        consented(vendor, SCOPE.replace("read:workout ", ""))
        yield vendor


def consented(vendor: Vendor, scope: str) -> None:
    vendor.agreed = scope
    with installation.open_bridge() as opened:
        connection = opened.store.connections.connect(opened.store.people.user("ana").id, "whoop", "account", now=NOW)
        opened.account(connection, registry.spec("whoop")).save_token(vendor.grant())


def test_a_sync_without_one_stream_is_done_and_says_so(member: Vendor) -> None:
    done = bridge("sync", *PERSON)
    assert done.returncode == 0
    assert LINE in done.stdout.splitlines()
    assert "bridge connect whoop --user ana" in done.stderr
    (row,) = json.loads(bridge("sync", *PERSON, "--json").stdout)
    assert (row["outcome"], row["not_permitted"], row["skipped_because"]) == ("ok", ["workout"], None)
    consented(member, SCOPE)
    done = bridge("sync", *PERSON, "--json")
    assert json.loads(done.stdout)[0]["not_permitted"] == []
    assert "connect" not in done.stderr


def test_status_and_the_doctor_keep_saying_it_until_it_is_granted(member: Vendor) -> None:
    bridge("sync", *PERSON)
    assert LINE in bridge("status", *PERSON).stdout.splitlines()
    (row,) = json.loads(bridge("status", *PERSON, "--json").stdout)
    assert (row["not_permitted"], row["error"], row["paused"]) == (["workout"], None, None)
    assert row["next"] == "bridge connect whoop --user ana"
    (finding,) = (one for one in json.loads(bridge("doctor", "--json").stdout) if one["check"] == "ana/whoop")
    assert (finding["ok"], finding["next"]) == (True, "bridge connect whoop --user ana")
    assert "no permission for workouts" in finding["finding"]
    consented(member, SCOPE)
    assert LINE in bridge("status", *PERSON).stdout.splitlines()  # nobody has looked yet
    bridge("sync", *PERSON)
    assert "no permission" not in bridge("status", *PERSON).stdout
    (row,) = json.loads(bridge("status", *PERSON, "--json").stdout)
    assert (row["not_permitted"], row["next"]) == ([], "")


def test_where_nothing_may_be_read_for_hours_the_person_has_to_connect_again(
    member: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal that names no scope may pass, so that one alone does not stop the source."""
    consented(member, "offline")
    for hours in range(0, 10, 2):
        monkeypatch.setenv("BRIDGE_NOW", (NOW + timedelta(hours=hours)).isoformat())
        done = bridge("sync", *PERSON)
        assert done.returncode == (3 if hours == 8 else 1)
    assert "bridge connect whoop --user ana" in done.stderr
