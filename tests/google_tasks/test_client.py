"""Google Tasks over HTTP: what a second sync asks for, what disappears, and what a list that is gone takes along."""

from __future__ import annotations

from datetime import date
from urllib.parse import unquote

from bridge.store import Store
from tests.google_tasks.conftest import HOME, WORK, titles
from tests.world import World, later, living


def test_hidden_completions_are_seen(world: World) -> None:
    done = [task.title for _, task in world.store.reading.tasks(world.user.id) if task.completed]
    assert sorted(map(str, done)) == ["Call the plumber", "Send the quarterly report"]


def test_tasks_that_were_assigned_in_documents_are_seen(world: World) -> None:
    second = later(world, minutes=30)
    assigned = {"id": "a10", "title": "Check the figures", "assignmentInfo": {"surfaceType": "DOCUMENT"}}
    second.vendor.put(HOME, assigned | {"status": "needsAction", "updated": "2026-11-20T09:20:00.000Z"})
    assert second.sync().new == 1
    assert "Check the figures" in titles(second)


def test_a_due_date_is_not_moved_by_a_zone(world: World) -> None:
    due = {task.title: task.due for _, task in world.store.reading.tasks(world.user.id)}
    assert due["Renew passport"] == date(2026, 11, 27)


def test_the_second_sync_asks_for_what_changed_since_only(world: World) -> None:
    second = later(world, minutes=30)
    second.vendor.put(
        HOME, {"id": "a9", "title": "New", "status": "needsAction", "updated": "2026-11-20T09:20:00.000Z"}
    )
    outcome = second.sync()
    assert (outcome.new, outcome.updated) == (1, 0)
    asked = [line for line in second.server.asked if "/tasks?" in line]
    assert len(asked) == 2
    assert all("updatedMin=2026-11-20T08:05:00.000Z" in unquote(line) for line in asked)


def test_what_was_done_while_the_clock_was_ahead_arrives(world: World) -> None:
    later(world, days=1).sync()
    world.vendor.put(HOME, {"id": "a9", "title": "New", "status": "needsAction", "updated": "2026-11-20T09:20:00.000Z"})
    assert later(world, days=1, hours=1).sync().new == 0
    assert later(world, hours=2).sync().new == 1


def test_a_completion_and_a_deletion_arrive(world: World) -> None:
    second = later(world, minutes=30)
    done = {"status": "completed", "completed": "2026-11-20T09:10:00.000Z", "updated": "2026-11-20T09:10:00.000Z"}
    second.vendor.put(WORK, {"id": "b2", "title": "Review the contract", "hidden": True, **done})
    second.vendor.delete(HOME, "a3", updated="2026-11-20T09:11:00.000Z")
    outcome = second.sync()
    assert (outcome.updated, outcome.deleted) == (1, 1)
    assert "Water the plants" not in titles(second)
    completed = {task.title for _, task in second.store.reading.tasks(second.user.id) if task.completed}
    assert "Review the contract" in completed


def test_a_removed_list_takes_its_tasks_along(world: World) -> None:
    second = later(world, minutes=30)
    second.vendor.remove_list(WORK)
    assert second.sync().deleted == 4  # the list and its three tasks
    assert "Review the contract" not in titles(second)
    assert "Renew passport" in titles(second)


def test_pages_are_followed(lite: Store) -> None:
    with living(lite, "google_tasks", "week") as world:
        world.vendor.page_size = 1
        assert world.sync().new == 8
