"""Nights, naps and mornings at hours that are not those of most people, and on days when the clock changes."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bridge.day.choice import look
from bridge.day.masks import nap_until
from bridge.day.person import Person
from bridge.day.silence import quiet
from bridge.domain.rendering import for_person
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, entry, known, nights, sleep
from .persons import blocks, found, grid, person

A = ActionType
SPRING, AUTUMN = date(2026, 3, 29), date(2026, 10, 25)


def nurse(hour, slept=135, *, day=TODAY):
    """Between two shifts from 21:15 to 06:45, after a sleep from 07:50 on of so many minutes."""
    shifts = [entry(day - k * DAY, 1275, 1845, A.ADMIN_WORK, "Night shift") for k in range(21)]
    by_day = [sleep(day - k * DAY, 470, 470 + 385) for k in range(1, 20)]
    return person(*shifts, hour=hour, day=day, episodes=[*by_day, sleep(day, 470, 470 + slept)], work=False)


def test_a_short_sleep_by_day_between_two_shifts_is_made_up_for_by_a_nap_before_three():
    option = found(nurse(12.5))[0][A.SLEEP]
    assert option.kind == "suggested"
    assert at(TODAY, 14 * 60) <= option.start < option.end <= at(TODAY, 15 * 60)
    assert "shorter than your usual" in for_person(option.facts)[0]
    for hour in (14.9, 15.0, 16.5):
        assert A.SLEEP not in found(nurse(hour))[0], hour


@pytest.mark.parametrize(("bed", "wake", "until"), [(-60, 420, 15), (60, 540, 15), (180, 690, 15), (-150, 330, 14.5)])
def test_a_nap_ends_by_three_or_sooner_before_an_early_night(bed, wake, until):
    slept = nights(30, bed, wake, noise=0)
    assert abs(nap_until(grid(person(hour=13, episodes=slept))) - at(TODAY, until * 60)) <= timedelta(minutes=20)


@pytest.mark.parametrize("day", [SPRING, AUTUMN])
def test_hours_are_those_of_the_clock_on_a_day_when_it_changes(day):
    one = person(hour=10, day=day, episodes=nights(30, -60, 420, last=day), work=False)
    made = grid(one)
    assert made.since(timedelta(hours=15)) == at(day, 15 * 60)
    assert abs(made.minutes[0] - 420) <= 60
    office = [entry(day - (k + 1) * DAY, 540, 1020, A.DEEP_WORK, "Write") for k in range(42)]
    worker = person(*office, hour=10, day=day, episodes=nights(30, -60, 420, last=day), work=False)
    assert worker.work(day) == [(at(day, 540), at(day, 1020))]


def test_nothing_is_suggested_while_one_may_still_sleep_and_the_watch_has_told_nothing():
    before = nights(30, -60, 420, last=TODAY - DAY)
    for hour, episodes, silent in ((7.2, before, True), (8.5, before, False), (7.5, nights(30, -60, 420), False)):
        one = person(hour=hour, episodes=episodes)
        given, held = found(one)
        assert (not given and {why.kind for why in held.values()} == {"night_not_in"}) is silent, hour
        assert ("your watch has not sent last night yet" in for_person(quiet(look(one, one.now), held))) is silent
    away = nights(30, -60, 420, last=TODAY - 3 * DAY)
    assert {why.kind for why in found(person(hour=7.2, episodes=away))[1].values()} != {"night_not_in"}


def test_who_is_still_up_long_after_bedtime_hears_what_is_left_of_the_night():
    late = person(hour=2.5, day=TODAY, episodes=nights(30, -60, 420, last=TODAY - DAY))
    (night,) = [one for one in blocks(late, "sleep", TODAY) if one.end < at(TODAY, 720)]
    assert "less than you need" in for_person(night.facts)[1]


def test_a_bedtime_of_tomorrow_is_the_reason_of_no_morning_s_silence():
    flight = entry(TODAY + DAY, 330, 360, A.ADMIN_WORK, "Delivery")
    one = person(flight, hour=9, wishes=replace(Wishes(), suggestions=3), work=False)
    assert not [why for why in quiet(look(one, one.now), {}) if why.kind.startswith("bedtime")]
    evening = replace(one, now=at(TODAY, 19 * 60))
    evening = Person(known=known(one.known.episodes, [flight], now=evening.now), now=evening.now, routine=one.routine)
    assert [why for why in quiet(look(evening, evening.now), {}) if why.kind.startswith("bedtime")]
