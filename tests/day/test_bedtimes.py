"""Bedtimes and wake times by weekday."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bridge.day.routine import learn_routine
from bridge.day.sleep import BETWEEN, FREE_DAY, WORKDAY
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import EpisodeKind
from rhythm_env.interface import ActionType

from .lives import BERLIN, DAY, TODAY, at, days, entry, known, nights, sleep
from .persons import SUNDAY, found, person

A = ActionType

MANY = 60


def usual(*episodes, **of):
    return learn_routine(known(*episodes, **of)).nights


@pytest.mark.parametrize("count", [0, 1])
def test_no_or_little_data_gives_the_published_night(count):
    found = usual(nights(count, 300, 700, noise=0))
    assert abs(found[1].bed - WORKDAY[0]) < 45
    assert abs(found[6].wake - FREE_DAY[1]) < 45
    assert found[1].bed_sd > BETWEEN
    assert found[1].nights == pytest.approx(count, abs=0.01)


@pytest.mark.parametrize(("bed", "wake"), [(480, 900), (120, 600), (-60, 390), (-180, 270), (600, 1050), (960, 1430)])
@pytest.mark.parametrize("seed", range(5))
def test_two_weeks_overrule_the_published_night(bed, wake, seed):
    for night in usual(nights(14, bed, wake, seed=seed)):
        assert abs(night.bed - bed) < 45
        assert abs(night.wake - wake) < 45
        assert night.bed_sd < BETWEEN


def test_waking_around_midnight():
    """A sleep that ends at 23:50 on one day and at 00:20 on the next days belongs to one kind of night."""
    rng = random.Random(3)
    slept = [sleep(day, 960 + rng.gauss(0, 20), 1440 + rng.gauss(0, 20)) for day in days(21, TODAY - DAY)]
    for night in usual(slept):
        assert abs(night.bed % 1440 - 960) < 45
        assert min(night.wake % 1440, -night.wake % 1440) < 45
        assert abs(night.wake - night.bed - 480) < 60


@pytest.mark.parametrize("seed", range(5))
def test_weekends_differ_where_they_do(seed):
    def late(day):
        return 60 if day.weekday() >= 5 else -60

    def longer(day):
        return 570 if day.weekday() >= 5 else 390

    found = usual(nights(42, late, longer, seed=seed))
    assert all(abs(found[d].bed - (60 if d >= 5 else -60)) < 30 for d in range(7))
    assert all(abs(found[d].wake - (570 if d >= 5 else 390)) < 30 for d in range(7))


def test_the_same_hours_all_week_stay_the_same():
    found = usual(nights(42, -30, 420))
    assert max(n.bed for n in found) - min(n.bed for n in found) < 30


@pytest.mark.parametrize("seed", range(5))
def test_a_week_with_night_shifts_keeps_its_pattern_after_two_weeks(seed):
    """Day sleep from Tuesday to Friday, and nights on the other days."""

    def bed(day):
        return 480 if 1 <= day.weekday() <= 4 else -30

    def wake(day):
        return 900 if 1 <= day.weekday() <= 4 else 450

    for d, night in enumerate(usual(nights(14, bed, wake, seed=seed, noise=20))):
        assert abs(night.bed - (480 if 1 <= d <= 4 else -30)) < 45, d


@pytest.mark.parametrize(("bed", "wake"), [(-165, 256), (50, 510), (450, 870)])
def test_shifts_that_come_round_leave_the_next_night_as_the_last_ones(bed, wake):
    turns, last = ((-165, 256), (50, 510), (450, 870)), TODAY - TODAY.weekday() * DAY - DAY  # a Sunday
    at_first = turns.index((bed, wake))

    def turn(day):
        return turns[(at_first - (last - day).days // 7) % 3]

    for night in usual(nights(42, lambda d: turn(d)[0], lambda d: turn(d)[1], last=last), now=at(last, 1200)):
        assert abs(night.bed - bed) < 90
        assert abs(night.wake - wake) < 90


@pytest.mark.parametrize(("since", "error"), [(28, 30), (20, 60)])
def test_new_hours_outweigh_the_old_ones(since, error):
    change = TODAY - since * DAY
    found = usual(nights(MANY, lambda d: 120 if d > change else -90, lambda d: 600 if d > change else 390))
    assert all(abs(night.bed - 120) < error for night in found)


def test_a_wild_night_moves_little():
    calm = nights(28, -60, 400)
    day = TODAY - DAY
    wild = [one for one in calm if one[1].day != day] + [sleep(day, 300, 800)]
    assert all(abs(a.bed - b.bed) < 15 for a, b in zip(usual(calm), usual(wild), strict=True))


def test_one_night_of_two_sources_counts_once():
    watch = nights(28, -60, 400, seed=1)
    ring = [sleep(day, -120, 460, source="oura") for day in days(5)]
    assert usual([*watch, *ring])[0].nights == pytest.approx(usual(watch)[0].nights)
    assert usual([*watch, *ring]) == usual(watch)


def test_naps_are_no_nights():
    slept = nights(28, -60, 400)
    naps = [sleep(day, 780, 840, kind=EpisodeKind.NAP) for day in days(28)]
    assert usual([*slept, *naps], now=at(TODAY, 1000)) == usual(slept, now=at(TODAY, 1000))


def test_a_sleep_without_values_has_its_length():
    bare = [sleep(day, 60, 540, values=False) for day in days(28)]
    assert abs(usual(bare)[2].bed - 60) < 20


def test_sleep_in_the_calendar_is_weak_evidence():
    planned = [entry(day, 60, 540, "SLEEP", "Sleep") for day in days(28)]
    found = usual((), agenda=planned)
    assert abs(found[2].bed - 60) < 45
    assert found[2].nights < 7
    recorded = usual(nights(28, -60, 400), agenda=planned)
    assert recorded == usual(nights(28, -60, 400))


def test_nights_after_a_flight_do_not_count():
    """In New York the first nights still follow the clock of Berlin."""
    flown = TODAY - 3 * DAY
    zones = (*BERLIN, ZoneSpan(since=at(flown, 600), zone="America/New_York"))
    home = nights(28, -60, 400, last=flown)
    away = [sleep(flown + k * DAY, -300, 150, zone="America/New_York") for k in (1, 2, 3)]
    assert all(abs(night.bed + 60) < 30 for night in usual([*home, *away], zones=zones))


def test_the_change_of_the_clock_leaves_the_hours():
    """The night of 25 October 2026 in Berlin is an hour longer."""
    found = usual(nights(21, -60, 400, last=date(2026, 10, 25), noise=0), now=at(date(2026, 10, 25), 720))
    assert found[6].bed == pytest.approx(-60, abs=20)
    assert found[6].wake == pytest.approx(400, abs=25)


def test_rows_in_any_order_and_again():
    slept = [*nights(40, -60, 400), *nights(40, -50, 410, source="oura", seed=9)]
    planned = [entry(day, 60, 540, "SLEEP", "Sleep") for day in days(28)]
    first = learn_routine(known(slept, planned))
    random.Random(5).shuffle(slept)
    shuffled = replace(known(slept, planned), agenda=list(reversed(known(slept, planned).agenda)))
    assert learn_routine(shuffled) == first == learn_routine(known(slept, planned))


def test_nothing_after_the_instant_counts():
    now = at(TODAY - 10 * DAY, 720)
    slept = nights(40, lambda d: 300 if d > TODAY - 10 * DAY else -60, 500)
    assert usual(slept, now=now) == usual([one for one in slept if one[1].end <= now], now=now)


def test_the_night_of_a_date_by_the_clock_of_its_zone():
    routine = learn_routine(known(nights(28, -60, 420, noise=0)))
    bed, wake = routine.sleep_ending_on(date(2027, 3, 28), BERLIN)  # the clock goes forward
    assert bed.tzinfo is UTC
    assert timedelta(hours=6, minutes=15) < wake - bed < timedelta(hours=7, minutes=45)
    usual_bed, usual_wake = routine.sleep_ending_on(date(2027, 3, 21), BERLIN)
    assert (wake - bed) - (usual_wake - usual_bed) == -timedelta(hours=1)


def test_the_night_in_the_zone_of_arrival():
    routine = learn_routine(known(nights(28, -60, 420, noise=0)))
    flown = datetime(2026, 11, 23, 15, tzinfo=UTC)
    zones = (*BERLIN, ZoneSpan(since=flown, zone="America/New_York"))
    bed, wake = routine.sleep_ending_on(date(2026, 11, 24), zones)
    home, up = routine.sleep_ending_on(date(2026, 11, 24), BERLIN)
    assert (bed - home, wake - up) == (timedelta(hours=6), timedelta(hours=6))


@pytest.mark.parametrize("hour", range(24))
def test_bedtime_never_follows_waking(hour):
    """Whenever the journey east takes place, no hour comes twice."""
    routine = learn_routine(known(nights(28, -60, 420)))
    zones = (*BERLIN, ZoneSpan(since=datetime(2026, 11, 23, hour, tzinfo=UTC), zone="Asia/Tokyo"))
    for day in (date(2026, 11, 23), date(2026, 11, 24)):
        bed, wake = routine.sleep_ending_on(day, zones)
        assert bed <= wake


@pytest.mark.parametrize("bed", [-60, 30, 90, 120])
@pytest.mark.parametrize("entry_of", [(A.EXERCISE, "City marathon"), (None, "Train to Rome"), (A.ADMIN_WORK, "Shift")])
def test_the_evening_before_an_early_start_advises_bed_however_late_it_is_usual(bed, entry_of):
    start = entry(SUNDAY, 390, 510, *entry_of)
    slept = nights(30, bed, bed + 480, last=SUNDAY - DAY, noise=10)
    for hour in (20.0, 22.5):
        one = person(start, day=SUNDAY - DAY, hour=hour, work=False, episodes=slept)
        option = found(one, 3)[0][A.SLEEP]
        assert option.kind == "sleep"
        assert at(SUNDAY, 0) - timedelta(hours=4) < option.start < option.end <= at(SUNDAY, 390)
