"""A task with a time of day is shown by the Calendar API as focus time; it is a task all the same, and no deep work."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bridge.advice.labels import labelled
from bridge.calendar.plans import focus_minutes, planned_shares
from rhythm_env.interface import ActionType
from tests.google_calendar.test_client import MINE
from tests.world import World, bridge_of, later

DAY = (datetime(2026, 12, 7, tzinfo=UTC), datetime(2026, 12, 8, tzinfo=UTC))
LINK = "https://tasks.google.com/task/B5UgeefnJQK_NpkN"
DISGUISES = {
    "in English": {"description": f"To make edits, please go to: {LINK}", "transparency": "transparent"},
    "in Russian": {"description": f"Чтобы изменить данные, перейдите по ссылке {LINK}.", "transparency": "transparent"},
    "without saying that it is free": {"description": f"To make edits, please go to: {LINK}"},
}


def block(**more: Any) -> dict[str, Any]:
    return {
        "id": "block001",
        "status": "confirmed",
        "summary": "Write chapter two",
        "eventType": "focusTime",
        "start": {"dateTime": "2026-12-07T09:00:00+01:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": "2026-12-07T11:00:00+01:00", "timeZone": "Europe/Berlin"},
        "organizer": {"self": True},
    } | more


def focus(world: World, event: dict[str, Any], classifier: str) -> tuple[float, dict[ActionType, float]]:
    world.vendor.put(MINE, event)
    after = later(world, minutes=30)
    assert after.sync().outcome == "ok"
    found = labelled(bridge_of(world.store, classifier), world.user, *DAY, at=after.now)
    ours = [(o, label) for o, label in found if o.event.key.endswith("block001")]
    return focus_minutes(ours, *DAY), planned_shares(ours, *DAY)


@pytest.mark.parametrize("classifier", ["keywords", "linear"])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_task_is_no_deep_work(world: World, disguise: str, classifier: str) -> None:
    assert focus(world, block(**DISGUISES[disguise]), classifier) == (0.0, {})


def test_focus_time_is(world: World) -> None:
    minutes, shares = focus(world, block(description="Chapter two"), "keywords")
    assert (minutes, list(shares)) == (120.0, [ActionType.DEEP_WORK])
