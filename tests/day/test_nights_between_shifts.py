"""Nights between early, late and night shifts: as between other such shifts, and never over an entry of one's own."""

import random
from dataclasses import replace
from datetime import date
from functools import cache

import pytest

from bridge.calendar.busy import clipped
from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.blocks import night_blocks
from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Task
from bridge.domain.wishes import NightWish, Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, at, entry, known, sleep
from .persons import MINUTE, blocks, grid

A = ActionType
CYCLE = "FFFSS--NNNN---"
MONDAY = date(2026, 11, 16)  # on which the cycle begins
SHIFTS = {"F": ("Early shift", 360, 855), "S": ("Late shift", 810, 1305), "N": ("Night shift", 1260, 1845)}


def shift_on(day, cycle=CYCLE):
    return cycle[(day - MONDAY).days % len(cycle)]


def slept_on(day, cycle=CYCLE):
    """Bedtime and time of waking of the sleep that ends on a date, in minutes after its midnight."""
    eve, today = shift_on(day - DAY, cycle), shift_on(day, cycle)
    if eve == "N":
        return 480, 820
    if today == "F":
        return -90, 285
    return (30, 480) if eve == "S" else (-50, 440)


@cache
def life(seed, cycle=CYCLE, noise=12):
    """The shifts, nights and appointments of eleven weeks around the Monday."""
    rng = random.Random(seed)
    dates = [MONDAY + k * DAY for k in range(-56, 22)]
    agenda = [entry(d, *SHIFTS[s][1:], A.ADMIN_WORK, SHIFTS[s][0]) for d in dates if (s := shift_on(d, cycle)) != "-"]
    slept = [sleep(d, *(one + rng.gauss(0, noise) for one in slept_on(d, cycle))) for d in dates]
    for d in dates if seed else ():
        start, lasts = rng.choice((rng.randrange(570, 1260, 15), 870, 885)), rng.choice((30, 60, 90))
        busy = sorted((o.start, o.end) for o, _ in agenda)
        if rng.random() < 0.6 and not clipped(busy, at(d, start - 15), at(d, start + lasts + 15)):
            agenda.append(entry(d, start, start + lasts, rng.choice([A.ME_TIME, A.SOCIALIZE, None]), "Appointment"))
    return slept, agenda


def nurse(day, hour, *more, seed=0, cycle=CYCLE, nights=56, **of):
    now = at(day, 60 * hour)
    slept, agenda = life(seed, cycle)
    recorded = [one for one in slept if one[1].end <= now and one[1].end > now - nights * DAY]
    life_then = known(recorded, [*agenda, *more], now=now)
    return Person(known=life_then, now=now, routine=learn_routine(life_then), **of)


def over_entries(one):
    """The begins of planned sleeps and of the entries of one's own that they lie over."""
    today = one.date_of(one.now)
    shown = [b for k in range(7) for b in night_blocks(one, today + k * DAY, []) if b.kind == "sleep"]
    mine = [o for o, _ in one.entries if o.end > one.now]
    return [(b.start, o.start) for b in shown for o in mine if o.start < b.end and b.start < o.end]


@pytest.mark.parametrize("seed", range(60))
def test_no_sleep_is_planned_over_an_entry_of_ones_own(seed):
    rng = random.Random(seed)
    cycle = CYCLE if seed % 2 == 0 else "".join(rng.choice(("FFF", "SS", "NNN", "--")) for _ in range(8))
    cycle = cycle.replace("NF", "N-").replace("SF", "S-")
    day = MONDAY + rng.randrange(7) * DAY
    nights = (56, 12, 0)[seed % 3]
    for hour in (8, 15, 20):
        assert over_entries(nurse(day, hour, seed=seed + 1, cycle=cycle, nights=nights)) == [], (day, hour)


def test_the_night_before_an_early_shift_is_that_of_other_such_nights():
    one, ends = nurse(MONDAY + DAY, 15), MONDAY + 2 * DAY
    bed, wake = one.learnt_sleep(ends)
    assert abs(bed - at(ends, -90)) <= 20 * MINUTE
    assert abs(wake - at(ends, 285)) <= 20 * MINUTE


@pytest.mark.parametrize("nights", [0, 12, 56])
def test_before_an_early_shift_one_sleeps_in_the_night_and_not_after_it(nights):
    ends = MONDAY + 2 * DAY
    bed, wake = nurse(MONDAY + DAY, 15, nights=nights).sleep(ends)
    assert at(ends, -240) <= bed < wake <= at(ends, 315)


def test_the_sleep_after_a_night_shift_is_by_day():
    one, ends = nurse(MONDAY + 7 * DAY, 9.5), MONDAY + 8 * DAY
    bed, wake = one.sleep(ends)
    assert abs(bed - at(ends, 480)) <= 20 * MINUTE
    assert abs(wake - at(ends, 820)) <= 20 * MINUTE
    assert for_person([of_waking(one, ends)]) == [f"you usually get up at {one.clock(wake)}"]
    assert f"bedtime is {one.clock(bed)} on Tuesday, as on other days after such a shift" in told(of_bedtime(one, ends))


def test_a_night_before_a_shift_says_so_and_is_as_long_as_wished():
    one, ends = nurse(MONDAY - DAY, 15), MONDAY
    said = [told(of_bedtime(one, ends)), told(of_waking(one, ends))]
    bed, wake = (one.clock(at_) for at_ in one.sleep(ends))
    assert said[0].startswith(f"bedtime is {bed} today, as on other nights before such a shift")
    assert said[1] == f"you get up at {wake} for your entry at 06:00"
    for minutes, earlier, why in (
        (420, 60, "for the 7 h in bed that you wish"),
        (540, 180, "for the 9 h in bed that you wish"),
    ):
        wished = nurse(MONDAY - DAY, 15, wishes=Wishes(night=NightWish(minutes=minutes)))
        assert abs(one.sleep(ends)[0] - wished.sleep(ends)[0] - earlier * MINUTE) <= 10 * MINUTE
        assert wished.sleep(ends)[1] == one.sleep(ends)[1]
        assert why in told(of_bedtime(wished, ends))


def test_the_hours_of_a_shift_by_night_leave_the_day_before_it_free():
    day = MONDAY + 7 * DAY  # with a shift from 21:00
    task = Task(key="form", list="l", title="Hand in the form", due=day + DAY)
    one = nurse(day, 9.5)
    life_then = replace(one.known, tasks=[task])
    one = replace(one, known=life_then, task_actions={"form": A.ADMIN_WORK}, _read={})
    assert [b.title for b in blocks(one, "task")] == ["Hand in the form"]
    assert grid(one).load == 0
