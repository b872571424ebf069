"""Tasks by links of changes: edited, completed, deleted, of removed lists, after ended links, and due elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bridge import installation
from bridge.auth.vault import Vault
from bridge.store import Store
from lab.vendors.microsoft import refusal
from tests.contract.laws.stage import fresh
from tests.world import KEY, World, later, living

HOME, WORK = "AQMkADAwhome=", "AQMkADAwwork="


@pytest.fixture
def world(lite: Store) -> Iterator[World]:
    with living(lite, "microsoft_todo", "week") as world:
        assert world.sync().outcome == "ok"
        yield world


def tasks(world: World) -> dict[str, dict[str, Any]]:
    return {one["key"].rpartition("/")[2]: one for one in world.contents()["tasks"]}


def test_changes_alone_are_read(world: World) -> None:
    world.server.asked.clear()
    done = {"dateTime": "2026-11-20T00:00:00.0000000", "timeZone": "UTC"}
    task = next(one for one in world.vendor.account["tasks"][HOME] if one["id"] == "a3")
    changed = {"status": "completed", "completedDateTime": done, "lastModifiedDateTime": "2026-11-20T09:20:00Z"}
    world.vendor.put(HOME, task | changed)
    world.vendor.delete(WORK, "b3")
    assert later(world, hours=1).sync().outcome == "ok"
    found = tasks(world)
    assert found["a3"]["completed"] == "2026-11-20T09:20:00+00:00"
    assert "b3" not in found
    assert len([line for line in world.server.asked if "deltatoken" in line]) == 2
    assert world.contents() == fresh(later(world, hours=1))


def test_a_removed_list_goes_with_its_tasks(world: World) -> None:
    world.vendor.remove_list(WORK)
    assert later(world, hours=1).sync().outcome == "ok"
    assert set(tasks(world)) == {"a1", "a2", "a3"}
    assert world.contents() == fresh(later(world, hours=1))


def test_an_ended_link_leads_to_a_full_listing(world: World) -> None:
    held = world.vendor.account["tasks"][HOME]
    held[:] = [one for one in held if one["id"] != "a1"]  # of which no change tells
    world.vendor.changes[HOME].expire()
    assert later(world, hours=1).sync().outcome == "ok"
    assert "a1" not in tasks(world)
    assert world.contents() == fresh(later(world, hours=1))


def test_a_refused_link_leads_to_a_full_listing(world: World) -> None:
    world.server.faults.append(lambda r: refusal(400, "BadRequest") if "$deltatoken" in r.query else None)
    assert later(world, hours=1).sync().outcome == "ok"
    assert world.contents() == fresh(later(world, hours=1))


@pytest.mark.parametrize(("zone", "due"), [("Europe/Berlin", "2026-11-20"), ("UTC", "2026-11-19")])
def test_a_due_date_is_that_of_the_persons_clock(lite: Store, zone: str, due: str) -> None:
    """It was written in Berlin as midnight there, which Graph tells as 23:00 UTC of the day before."""
    with living(lite, "microsoft_todo", "awkward") as world:
        account = installation.StoredAccount(
            world.connection.id, world.account.settings, lite, Vault([KEY]), zone=zone, allow_hosts=world.allow_hosts
        )
        vars(world)["account"] = account  # in place of the property's kept value
        assert world.sync().outcome == "ok"
        assert tasks(world)["c2"]["due"] == due
        assert tasks(world)["c3"]["due"] == "2026-11-20"
