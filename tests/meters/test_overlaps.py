"""Several devices that record the same life: each night, workout and total counts once, in whatever order they come."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import registry
from bridge.advice.review import workout_stretches
from bridge.day.routine import habits
from bridge.day.sleep import recorded
from bridge.domain.metrics import Metric
from bridge.domain.preference import Preference
from bridge.domain.records import Snapshot
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters import Past, read
from bridge.meters.nights import Nights
from bridge.meters.overlaps import ended_once, once
from bridge.trends import compute_trends
from rhythm_env.interface import ActionType, Meter

from .life import BERLIN, DAY, HOUR, MORNING, TODAY, body, known, night, nightly, steps, stress

MINUTE = timedelta(minutes=1)
USUAL = Preference(usual=registry.usual_order())
SOURCES = ("whoop", "garmin", "oura", "apple_health", "polar")


def workout(ago, hour, minutes, *, source="whoop", device=None):
    start = MORNING - ago * DAY + hour * HOUR
    return Episode(
        key=f"{source}/workout/{ago}/{hour}/{minutes}",
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + minutes * MINUTE,
        day=TODAY - ago * DAY,
        label="running",
        device=device,
    )


def by(source, *items, shift=0):
    """The same life as another source writes it down, begun and ended some minutes later."""
    return [_moved(item, source, shift * MINUTE) for item in items]


def _moved(item, source, shift):
    key = f"{source}/{item.key.partition('/')[2]}"
    if isinstance(item, Sample) and item.metric is Metric.STEPS:
        return replace(item, key=key)
    end = None if item.end is None else item.end + shift
    return replace(item, key=key, start=item.start + shift, end=end)


def episodes(*items):
    return [(item.key.split("/")[0], item) for item in items]


def kinds(found):
    return sorted((one.kind, one.day) for _, one in found)


lives = st.lists(
    st.one_of(
        st.builds(lambda ago, asleep: night(ago, asleep, source="whoop"), st.integers(0, 20), st.floats(200, 480)),
        st.builds(
            lambda ago, hour, long: workout(ago, hour, long), st.integers(0, 20), st.just(3), st.integers(20, 90)
        ),
    ),
    unique_by=lambda one: (one.kind, one.day),
    max_size=20,
)


@settings(deadline=None, max_examples=150)
@given(
    life=lives,
    shifts=st.lists(st.tuples(st.sampled_from(SOURCES[1:]), st.integers(-9, 9)), max_size=3, unique_by=lambda x: x[0]),
    chosen=st.permutations(SOURCES).map(lambda names: tuple(names[:2])),
    seed=st.integers(),
)
def test_further_devices_double_nothing_and_order_of_arrival_has_no_influence(life, shifts, chosen, seed):
    """A second and a third device write the same nights and workouts, begun up to nine minutes apart."""
    preference = replace(USUAL, chosen=chosen)
    everything = episodes(*life, *(copy for source, shift in shifts for copy in by(source, *life, shift=shift)))
    found = once(everything, preference)
    assert kinds(found) == kinds(episodes(*life))
    mixed = list(everything)
    random.Random(seed).shuffle(mixed)
    assert once(mixed, preference) == found
    best = min(["whoop", *(source for source, _ in shifts)], key=preference.rank)
    assert {source for source, _ in found} <= {best}


def test_a_chosen_source_comes_before_the_usual_order():
    whoop, garmin = night(1, 400, source="whoop"), night(1, 430, source="garmin")
    both = episodes(whoop, garmin)
    assert [source for source, _ in once(both, USUAL)] == ["whoop"]
    assert [source for source, _ in once(both, Preference(chosen=("garmin",), usual=USUAL.usual))] == ["garmin"]


def test_one_device_of_a_source_is_chosen():
    phone, ring = (replace(night(1, source="health_connect"), device=name, key=name) for name in ("phone", "com.oura"))
    both = [("health_connect", phone), ("health_connect", ring)]
    for device in ("phone", "com.oura"):
        found = once(both, Preference(chosen=(f"health_connect/{device}",)))
        assert [one.device for _, one in found] == [device]


def test_a_night_that_an_empty_battery_cut_gives_way():
    whole = night(1, 430, source="garmin")
    cut = replace(night(1, 100, source="oura"), end=whole.start + 2 * HOUR)
    for chosen in ((), ("oura",)):
        found = once(episodes(cut, whole), Preference(chosen=chosen, usual=USUAL.usual))
        assert [source for source, _ in found] == ["garmin"]


def test_devices_that_are_the_same_as_a_third_are_the_same():
    """The watch began nine minutes early and the ring nine minutes late, so that both share little."""
    run = workout(1, 3, 20)
    three = episodes(run, *by("garmin", run, shift=-9), *by("oura", run, shift=9))
    for first in ("whoop", "garmin", "oura"):
        assert [source for source, _ in once(three, Preference(chosen=(first,)))] == [first]


def test_a_night_in_two_pieces_is_told_by_one_device():
    whole = night(1, 480, source="garmin")
    middle = whole.start + 4 * HOUR
    pieces = [
        replace(night(1, 200, source="oura"), key=f"oura/{number}", start=start, end=end)
        for number, (start, end) in enumerate([(whole.start, middle), (middle + HOUR / 4, whole.end)])
    ]
    told = {first: once(episodes(whole, *pieces), Preference(chosen=(first,))) for first in ("garmin", "oura")}
    assert [one.key for _, one in told["garmin"]] == ["garmin/sleep/1"]
    assert [one.key for _, one in told["oura"]] == ["oura/0", "oura/1"]


def test_two_workouts_of_a_day_stay_two():
    found = once(episodes(workout(1, 3, 40), workout(1, 3.5, 40, source="garmin"), workout(1, 9, 30)), USUAL)
    assert [round((one.end - one.start) / MINUTE) for _, one in found] == [40, 40, 30]


def test_a_new_ring_runs_beside_the_watch_for_a_fortnight():
    watch = [night(ago, source="garmin") for ago in range(40)]
    for nights, told in ((14, "garmin"), (15, "oura")):
        ring = [night(ago, source="oura") for ago in range(nights)]
        assert Nights(episodes(*watch, *ring), BERLIN, USUAL).told[TODAY] == told
    chosen = Preference(chosen=("oura",), usual=USUAL.usual)
    assert Nights(episodes(*watch, night(0, source="oura")), BERLIN, chosen).told[TODAY] == "oura"


@pytest.mark.parametrize("first", ["whoop", "garmin"])
def test_all_signals_of_a_night_come_from_the_chosen_source(first):
    """Both devices recorded sixty nights, so that each has a normal of its own."""
    life = known(*body(source="whoop"), *body(seed=2, source="garmin"))
    life = replace(life, preference=Preference(chosen=(first,), usual=USUAL.usual))
    reading = read(life)[Meter.VITALITY]
    assert {one.source for one in reading.because if one.signal != "steps"} == {first}


@pytest.mark.parametrize("source", ["oura", "garmin"])
def test_a_second_device_that_measures_the_same_changes_no_level(source):
    strains = [stress(MORNING - k * 3 * MINUTE, 30 + k % 20, source="whoop") for k in range(4000)]
    life = [*body(source="whoop"), *strains]
    alone = replace(known(*life), preference=USUAL, rmssd_errors={})
    both = replace(known(*life, *by(source, *life)), preference=USUAL, rmssd_errors={})
    assert {m: r.level for m, r in read(both).items()} == pytest.approx({m: r.level for m, r in read(alone).items()})


def test_recorded_focus_of_two_programs_counts_once():
    def focus(ago, name):
        start = MORNING - ago * DAY + 3 * HOUR
        key = f"{name}/{ago}"
        return Sample(
            key=key, metric=Metric.FOCUS, start=start, end=start + HOUR, day=TODAY - ago * DAY, value=60, device=name
        )

    at = MORNING - DAY + 6 * HOUR
    once_told = Past(known(*(focus(ago, "laptop") for ago in range(1, 30)), at=at))
    twice = Past(known(*(focus(ago, name) for ago in range(1, 30) for name in ("laptop", "desk")), at=at))
    half_life = timedelta(days=2)
    assert twice.calendar.focused.left(at, half_life) == pytest.approx(once_told.calendar.focused.left(at, half_life))
    assert twice.calendar.focus_of_day(at) == 60


def test_routine_habits_review_and_trends_count_each_thing_once():
    life = [thing for ago in range(1, 30) for thing in (night(ago), nightly(Metric.HRV_RMSSD, ago, 45))]
    life += [steps(ago, 9000, source="whoop") for ago in range(1, 30)]
    life += [workout(ago, 3, 60) for ago in range(1, 30, 2)]
    alone = replace(known(*life), preference=USUAL)
    three = replace(known(*life, *by("garmin", *life, shift=4), *by("polar", *life, shift=-6)), preference=USUAL)
    assert recorded(three) == recorded(alone)
    assert workout_stretches(three) == workout_stretches(alone)
    often = [habits(one)[ActionType.EXERCISE].per_week for one in (alone, three)]
    assert often[1] == pytest.approx(often[0], rel=0.01)  # the first night began some minutes earlier
    happened = [[h for h in compute_trends(one, days=28).happenings if h.kind == "workout"] for one in (alone, three)]
    assert happened[0] == happened[1]
    assert len(happened[0]) == 14


def test_a_snapshot_keeps_the_episodes_that_have_ended_each_once():
    first = workout(2, 9, 60)
    told = [("whoop", first), ("oura", replace(first, key="b")), ("whoop", workout(1, 9, 60))]
    life = Snapshot(at=first.end, zones=BERLIN, episodes=told)
    assert ended_once(life) == once(told[:2])
    assert ended_once(life) is ended_once(life)
    assert ended_once(replace(life, at=MORNING)) == once(told) != ended_once(life)
