"""Laws of the routine over some hundred random lives, most of them unlike any person's."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isfinite

import pytest

from bridge.day.routine import learn_routine
from bridge.day.work import free_days
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import EpisodeKind
from rhythm_env.interface import ActionType

from .lives import BERLIN, DAY, TODAY, at, days, done, entry, known, sleep, whole_day, workout

ZONES = ("America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia")
TITLES = ("Run", "🏃", "", None, "Vacation", "x" * 500, "\ud800", "Yoga #12", "(a)", "...")


def any_life(seed):
    rng = random.Random(seed)
    episodes, agenda, tasks = [], [], []
    for day in days(rng.choice([0, 3, 20, 70]), TODAY + rng.choice([0, 1]) * DAY):
        for source in rng.sample(["whoop", "oura", "garmin"], rng.randint(0, 3)):
            bed = rng.uniform(-1300, 1300)
            kind = rng.choice([EpisodeKind.SLEEP, EpisodeKind.SLEEP, EpisodeKind.NAP])
            episodes.append(sleep(day, bed, bed + rng.uniform(0, 1200), source=source, kind=kind))
        for _ in range(rng.randint(0, 6)):
            start = rng.uniform(0, 1439)
            action = rng.choice([*ActionType, None])
            more = {"private": True} if rng.random() < 0.1 else {"others": rng.choice([0, 3])}
            end = start + rng.choice([0, 15, 60, 480, 3000])
            agenda.append(entry(day, start, end, action, rng.choice(TITLES), **more))
        if rng.random() < 0.2:
            agenda.append(whole_day(day, rng.choice(TITLES), rng.choice([*ActionType, None]), days=rng.randint(1, 9)))
        episodes += [workout(day, rng.uniform(0, 1439), rng.choice([0, 5, 90]))] * rng.randint(0, 2)
        tasks += [done(day, rng.uniform(0, 1439)) for _ in range(rng.randint(0, 5))]
    spans = {rng.randint(1, 50): rng.choice(ZONES) for _ in range(rng.randint(0, 3))}
    zones = [ZoneSpan(since=at(TODAY, 0) - ago * DAY, zone=zone) for ago, zone in sorted(spans.items(), reverse=True)]
    return known(episodes, agenda, tasks, zones=(*BERLIN, *zones))


@pytest.mark.parametrize("seed", range(300))
def test_any_life_has_a_plausible_routine(seed):
    life = any_life(seed)
    routine = learn_routine(life)
    assert len(routine.nights) == len(routine.work) == 7
    for night in routine.nights:
        assert -1440 < night.bed < night.wake < 2880
        assert 60 <= night.wake - night.bed <= 960
        assert all(isfinite(sd) and 0 < sd < 416 for sd in (night.bed_sd, night.wake_sd))
    for spans in routine.work:
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(set(edges))
        assert all(0 <= start < 1440 for start, _ in spans)
        assert all(end <= 2880 for _, end in spans)
    for habit in routine.habits.values():
        assert habit.per_week > 0
        assert habit.minutes > 0
        assert all(0 <= start < 1440 for start in habit.starts.values())
        assert habit.names.keys() <= habit.starts.keys()
    check_instants(routine, life)


def check_instants(routine, life):
    assert all(abs(day - TODAY) <= 62 * DAY for day in free_days(life))
    for ahead in range(-30, 8):
        day = TODAY + ahead * DAY
        bed, wake = routine.sleep_ending_on(day, life.zones)
        assert bed <= wake
        assert wake - bed < timedelta(hours=60)
        assert all(s < e and s.tzinfo is UTC for s, e in routine.work_on(day, life.zones))


@pytest.mark.parametrize("seed", range(20))
def test_order_and_the_future_change_nothing(seed):
    life = any_life(seed)
    rng = random.Random(seed)
    mixed = replace(
        life,
        episodes=rng.sample(life.episodes, len(life.episodes)),
        agenda=rng.sample(life.agenda, len(life.agenda)),
        tasks=rng.sample(life.tasks, len(life.tasks)),
    )
    first = learn_routine(life)
    assert learn_routine(mixed) == first
    over = replace(
        life,
        episodes=[one for one in life.episodes if one[1].end <= life.at],
        agenda=[one for one in life.agenda if one[0].end <= life.at or one[0].event.all_day],
        tasks=[one for one in life.tasks if one.completed <= life.at],
    )
    assert learn_routine(over) == first


def test_a_life_without_an_agenda_has_an_instant():
    assert learn_routine(known(now=datetime(2026, 1, 1, tzinfo=UTC))).habits == {}
