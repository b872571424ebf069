"""One day is today: what is due is told by the date of the clock, also before a late bedtime."""

from dataclasses import replace

import pytest

from bridge.day.grid import grid_of
from bridge.day.opening import opening
from bridge.day.view import of_due, of_task
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Task

from .lives import BERLIN, DAY, TODAY, at, nights
from .persons import A, person

LATE = nights(30, 120, 600)  # from two to ten


def told(one):
    (task,) = one.known.tasks
    return for_person([of_due(of_task(task, one), grid_of(one, one.now))])


@pytest.mark.parametrize("days", range(-4, 3))
def test_a_due_date_is_told_alike_after_midnight_and_by_day(days):
    task = Task(key="t", list="l", title="Tax return", due=TODAY + days * DAY)
    night, day = (
        person(hour=hour, episodes=LATE, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
        for hour in (0.5, 13.0)
    )
    assert grid_of(night, night.now).date < TODAY
    assert told(night) == told(day)


def test_headline_and_card_count_alike_after_a_change_of_the_zone_at_night():
    task = Task(key="t", list="l", title="Tax return", due=TODAY - DAY)
    before = person(hour=22.5, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
    zones = (*BERLIN, ZoneSpan(since=at(TODAY, 22 * 60), zone="Europe/Moscow"))
    after = replace(before, known=replace(before.known, zones=zones), _read={})
    assert for_person(opening(before))[-1] == "due yesterday: Tax return"
    assert told(before) == ["it was due yesterday"]
    assert for_person(opening(after))[-1] == "due 2 days ago: Tax return"
    assert told(after)[0].startswith("it is 2 days late")
