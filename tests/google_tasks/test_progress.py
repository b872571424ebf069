"""Done and due tasks of Google Tasks, all the way to the meter Progress."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.advice import recommend
from bridge.domain.rendering import told
from bridge.domain.types import Reading
from rhythm_env.interface import Meter
from tests.google_tasks.conftest import WORK
from tests.world import World, bridge_of, later


def progress(world: World) -> Reading:
    _, readings = recommend.build_observation(bridge_of(world.store), world.user, at=world.now)
    return readings[Meter.PROGRESS]


def said(reading: Reading) -> dict[str, str]:
    return {because.signal: told(because.fact) for because in reading.because}


def task(world: World, key: str, **of: str) -> None:
    """Changed an hour after the first sync."""
    known = next(t for t in world.vendor.account["tasks"][WORK] if t["id"] == key)
    at = (world.now + timedelta(hours=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    world.vendor.put(WORK, known | {"updated": at} | of)


def test_done_and_due_are_counted(world: World) -> None:
    reading = progress(world)
    assert said(reading)["tasks"] == "2 of the 3 tasks due in seven days done"  # one is overdue
    assert said(reading)["deadlines"] == "1 task due within a day, 1 task overdue"


def test_finishing_what_is_due_lifts_it(world: World) -> None:
    task(world, "b2", status="completed", completed="2026-11-20T09:30:00.000Z", hidden="true")
    after = later(world, hours=2)
    before = progress(after)  # the same moment, not yet synced
    assert after.sync().outcome == "ok"
    assert said(progress(after))["tasks"] == "3 of the 4 tasks due in seven days done"
    assert said(progress(after))["deadlines"] == "1 task overdue"
    assert progress(after).level > before.level


def one_more_today(world: World) -> World:
    """A second task due today, as the oldest that is overdue leaves the seven days tonight."""
    at = (world.now + timedelta(hours=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    due = "2026-11-20T00:00:00.000Z"
    world.vendor.put(WORK, {"id": "z", "title": "Book the room", "status": "needsAction", "due": due, "updated": at})
    after = later(world, hours=2)
    assert after.sync().outcome == "ok"
    return after


def test_what_goes_past_its_day_lowers_it(world: World) -> None:
    tomorrow = later(one_more_today(world), hours=22)
    assert said(progress(tomorrow))["tasks"] == "2 of the 4 tasks due in seven days done"
    assert progress(tomorrow).level < progress(world).level


def test_a_task_that_is_put_off_presses_no_more(world: World) -> None:
    task(world, "b2", due="2026-12-24T00:00:00.000Z")
    after = later(world, hours=2)
    assert after.sync().outcome == "ok"
    assert said(progress(after))["deadlines"] == "1 task overdue"


def test_without_tasks_there_is_no_word_of_them(world: World) -> None:
    for one in list(world.vendor.account["lists"]):
        world.vendor.remove_list(one["id"])
    after = later(world, hours=2)
    assert after.sync().outcome == "ok"
    assert {"tasks", "deadlines"}.isdisjoint(said(progress(after)))


def test_due_is_a_day_wherever_the_person_is(world: World) -> None:
    """The day ends on the person's clock: the task is overdue from midnight in Berlin, 23:00 UTC, on."""
    due_day_ends = datetime(2026, 11, 20, 23, tzinfo=UTC)
    world = one_more_today(world)
    before, after = (later(world, seconds=(due_day_ends - world.now).total_seconds() + s) for s in (-60, 60))
    assert said(progress(before))["tasks"].startswith("2 of the 3")
    assert said(progress(after))["tasks"].startswith("2 of the 4")
