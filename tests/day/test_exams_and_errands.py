"""An exam has its evening and morning, shops have their hours, and errands of one's own are no work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.day.bedtime import of_bedtime, of_waking
from bridge.domain.rendering import told
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, entry, nights, whole_day
from .persons import HOUR, SUNDAY, blocks, person, week

A = ActionType
SATURDAY = SUNDAY - DAY
WORKDAYS = frozenset(range(5))


def errand(title, due, **of):
    return {"tasks": (Task(key="t", list="l", title=title, due=due, **of),), "task_actions": {"t": A.ADMIN_WORK}}


def late_sleeper(*agenda, day=TODAY, **of):
    return person(*agenda, day=day, episodes=nights(30, 10, 560, last=day), work=False, **of)


@pytest.mark.parametrize("minute", [480, 540, 600])
def test_the_night_before_an_exam_ends_two_hours_before_it_and_begins_in_time(minute):
    exam, call = ((entry(SATURDAY, minute, minute + 120, A.LEARN, title)) for title in ("Klausur Physik", "Seminar"))
    before, plain = late_sleeper(exam, hour=18), late_sleeper(call, hour=18)
    bed, wake = before.sleep(SATURDAY)
    assert wake <= at(SATURDAY, minute) - 2 * HOUR
    assert bed < plain.usual_sleep(SATURDAY)[0]
    assert told(of_bedtime(before, SATURDAY)).startswith("bedtime is")
    assert "your exam at" in told(of_waking(before, SATURDAY))


def test_on_the_morning_of_an_exam_nothing_is_suggested_that_can_wait():
    exam = entry(TODAY, 600, 720, A.LEARN, "Physics exam")
    for due in (TODAY - 9 * DAY, TODAY):
        one = person(exam, hour=7.2, work=False, **errand("Send form", due))
        (block,) = blocks(one, "task", TODAY)
        assert (block.start >= at(TODAY, 720)) is (due < TODAY)


@pytest.mark.parametrize("title", ["Buy a present", "Pick up race number", "Geschenk kaufen", "Acheter un cadeau"])
def test_what_is_bought_or_fetched_has_the_hours_of_shops(title):
    for hour, fits in ((6.5, True), (20.2, False)):
        one = person(hour=hour, **errand(title, TODAY, effort=0.5))
        placed = [block for block in week(one).blocks(TODAY) if block.title == title]
        assert bool(placed) is fits
        assert all(at(TODAY, 540) <= block.start < block.end <= at(TODAY, 1200) for block in placed)
        if not fits:
            (why,) = [fact for fact in week(one).unmet(TODAY) if fact.kind == "task_unmet"]
            assert told(why).endswith("it is for the hours in which shops are open")


@pytest.mark.parametrize("title", ["Buy a present", "Geschenk kaufen", "Acheter un cadeau"])
def test_nothing_is_bought_where_shops_are_shut_on_sundays_and_public_holidays(title):
    holiday = whole_day(TODAY, "Feiertag")
    for day, agenda, zone, fits in (
        (SUNDAY, (), "Europe/Berlin", False),
        (SUNDAY, (), "Europe/London", True),
        (SATURDAY, (), "Europe/Berlin", True),
        (TODAY, (holiday,), "Europe/Berlin", False),
        (TODAY, (holiday,), "Europe/London", False),
    ):
        made = person(*agenda, day=day, hour=9, work=False, **errand(title, day, effort=0.5))
        zones = (ZoneSpan(since=made.known.zones[0].since, zone=zone),)
        one = replace(made, known=replace(made.known, zones=zones), _read={})
        assert bool(blocks(one, "task", day)) is fits, (day, zone)
        assert [fact.values["why"].kind for fact in week(one).unmet(day)] == ["shops_closed"] * (not fits)


def test_errands_of_one_s_own_are_no_work():
    work = {A.DEEP_WORK: WORKDAYS, A.ADMIN_WORK: WORKDAYS}
    for title, days, placed in (
        ("Pick up race number", work, True),
        ("Geschenk kaufen", work, True),
        ("Acheter un cadeau", work, True),
        ("Send the invoice", work, False),
        ("Pick up race number", {A.ADMIN_WORK: WORKDAYS}, False),
    ):
        one = person(day=SATURDAY, hour=9, work=False, wishes=Wishes(days=days), **errand(title, SATURDAY))
        assert bool(blocks(one, "task", SATURDAY)) is placed, title
