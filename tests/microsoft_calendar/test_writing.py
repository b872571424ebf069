"""Accepted advice in a calendar of its own at Microsoft: written once, moved, taken away, read back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bridge.domain.errors import Refused, SetupError
from bridge.domain.types import Plan
from bridge.store import Store
from connectors.microsoft.calendar.write import write
from lab.vendors.microsoft_calendar import WRITE_SCOPE
from rhythm_env.interface import ActionType
from tests.microsoft_calendar.conftest import CALENDAR, Life
from tests.world import NOW, living

HOUR = timedelta(hours=1)
PLAN = Plan(
    key="7",
    slot="2026-11-16/30",
    action=ActionType.EXERCISE,
    start=NOW + HOUR,
    end=NOW + 2 * HOUR,
    agreed_at=NOW - HOUR,
)


class Stage(Life):
    """A person who lets accepted advice be written."""

    def write(self, *plans: Plan, now: datetime = NOW) -> list[str]:
        return list(write(self.world.account, plans, now=now))

    @property
    def calendar(self) -> str:
        (made,) = (one["id"] for one in self.vendor.account["calendars"] if one.get("name") == "Rhythm")
        return str(made)

    def written(self) -> list[dict[str, Any]]:
        return list(self.vendor.events(self.calendar))

    def forget_what_was_written(self) -> None:
        token = self.world.account.token() or {}
        self.world.account.save_token(
            {name: value for name, value in token.items() if name not in ("plans", "calendar")}
        )


@pytest.fixture
def stage(lite: Store) -> Iterator[Stage]:
    with living(lite, "microsoft_calendar", "week") as world:
        world.account.save_token(world.vendor.grant(WRITE_SCOPE))
        yield Stage(world)


def test_it_is_written_once_and_read_back_as_advice(stage: Stage) -> None:
    for _ in range(2):
        assert stage.write(PLAN) == []
    (event,) = stage.written()
    assert (event["subject"], event["start"]["dateTime"]) == ("Exercise", "2026-11-20T10:05:00")
    assert stage.sync() == "ok"
    read = stage.events()[event["id"]]
    assert (read["kind"], read["start"]) == ("advice:EXERCISE", "2026-11-20T10:05:00+00:00")
    assert len(stage.vendor.events(CALENDAR)) == 13  # which stay as they are


def test_another_slot_moves_the_event_and_a_withdrawn_plan_takes_it_away(stage: Stage) -> None:
    stage.write(PLAN)
    (before,) = stage.written()
    moved = replace(PLAN, slot="2026-11-16/31", start=NOW + 5 * HOUR, end=NOW + 6 * HOUR, agreed_at=NOW)
    assert stage.write(moved) == []
    (after,) = stage.written()
    assert (after["id"], after["start"]["dateTime"]) == (before["id"], "2026-11-20T14:05:00")
    assert stage.write() == []
    assert stage.written() == []


def test_a_deleted_event_is_told_once_and_comes_back_when_agreed_to_again(stage: Stage) -> None:
    stage.write(PLAN)
    stage.vendor.delete(stage.calendar, stage.written()[0]["id"])
    assert stage.write(PLAN) == ["7"]
    assert stage.written() == []
    assert stage.write(replace(PLAN, agreed_at=NOW)) == []
    assert len(stage.written()) == 1


def test_an_event_that_the_person_moved_stays_where_it_is(stage: Stage) -> None:
    stage.write(PLAN)
    (event,) = stage.written()
    stage.vendor.put(stage.calendar, event | {"start": {"dateTime": "2026-11-20T20:00:00", "timeZone": "UTC"}})
    assert stage.write(PLAN) == []
    assert stage.written()[0]["start"]["dateTime"] == "2026-11-20T20:00:00"


def test_an_event_without_the_mark_is_never_touched(stage: Stage) -> None:
    stage.write(PLAN)
    (event,) = stage.written()
    stage.vendor.put(stage.calendar, event | {"bodyPreview": "my own words"})
    assert stage.write(replace(PLAN, slot="2026-11-16/31", agreed_at=NOW)) == []
    assert stage.write() == []
    assert stage.written()[0]["bodyPreview"] == "my own words"


def test_a_change_by_the_person_at_the_same_moment_wins(stage: Stage) -> None:
    """The event changes between our look at it and our change, which bears If-Match."""
    stage.write(PLAN)
    changed: list[str] = []

    def meanwhile(request: Any) -> None:
        if request.method == "PATCH" and not changed:
            changed.append(request.headers["if-match"])
            (event,) = stage.written()
            stage.vendor.put(stage.calendar, event | {"@odata.etag": 'W/"theirs"', "subject": "Mine"})

    stage.world.server.faults.append(meanwhile)
    assert stage.write(replace(PLAN, slot="2026-11-16/31", agreed_at=NOW)) == []
    assert changed
    assert stage.written()[0]["subject"] == "Mine"


@pytest.mark.parametrize("lost", ["before the answer", "with the consent"])
def test_an_event_whose_name_was_lost_is_found_again(stage: Stage, lost: str) -> None:
    if lost == "before the answer":
        stage.vendor.page_size = 1
        token = stage.world.account.token() or {}
        stage.write(PLAN)
        calendar = stage.calendar
        plans = {"7": {"end": PLAN.end.isoformat()}}  # as it was noted before the event was made
        stage.world.account.save_token(token | {"calendar": calendar, "plans": plans})
    else:
        stage.write(PLAN)
        stage.forget_what_was_written()
    assert stage.write(PLAN) == []
    assert len(stage.written()) == 1
    stage.vendor.delete(stage.calendar, stage.written()[0]["id"])
    assert stage.write(PLAN) == ["7"]


def test_a_deleted_calendar_ends_the_writing(stage: Stage) -> None:
    stage.write(PLAN)
    calendar = stage.calendar
    stage.vendor.events(calendar).clear()
    stage.vendor.remove_calendar(calendar)
    with pytest.raises(SetupError, match="was deleted at Microsoft"):
        stage.write(PLAN)
    stage.world.server.asked.clear()
    assert stage.write(PLAN) == []
    assert stage.world.server.asked == []


def test_without_the_permission_nothing_is_written(stage: Stage) -> None:
    stage.world.account.save_token(stage.vendor.grant())
    with pytest.raises(Refused):
        stage.write(PLAN)


def test_what_is_over_is_left_alone(stage: Stage) -> None:
    stage.write(PLAN)
    assert stage.write(PLAN, now=NOW + 3 * HOUR) == []
    assert len(stage.written()) == 1
