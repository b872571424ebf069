"""Slots on a person's clock, and the observation as a document."""

import doctest
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.domain import slots
from bridge.domain.slots import Moment, ZoneSpan, moment_at, moment_of, slot_bounds, slot_start
from rhythm_env import interface
from rhythm_env.interface import (
    STEPS_PER_WEEK,
    ActionType,
    Answer,
    Interaction,
    Meter,
    MeterState,
    Observation,
    Slot,
    StepRecord,
    observation_from_json,
)

MINUTE = timedelta(minutes=1)
NAMES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo", "Pacific/Apia"]
HOME = datetime(2020, 1, 1, tzinfo=UTC)

instants = st.integers(0, 16 * 365 * 24 * 60).map(lambda m: HOME + m * MINUTE)
homes = st.sampled_from(NAMES).map(lambda name: (ZoneSpan(since=HOME, zone=name),))
weeks = st.integers(0, 800).map(lambda w: date(2020, 1, 6) + timedelta(weeks=w))
moments = st.builds(moment_of, weeks, st.integers(0, STEPS_PER_WEEK - 1))


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def zones(*spans):
    return tuple(ZoneSpan(since=at(since), zone=zone) for since, zone in spans)


def test_worked_examples():
    assert doctest.testmod(interface).failed == 0
    done = doctest.testmod(slots)
    assert (done.failed, done.attempted) == (0, 7)


@settings(deadline=None)
@given(instants, homes)
@example(at("2026-03-29T01:30"), (ZoneSpan(since=HOME, zone="Europe/Berlin"),))
@example(at("2026-10-25T00:30"), (ZoneSpan(since=HOME, zone="Europe/Berlin"),))
@example(at("2026-10-25T01:30"), (ZoneSpan(since=HOME, zone="Europe/Berlin"),))
@example(at("2026-11-01T06:30"), (ZoneSpan(since=HOME, zone="America/New_York"),))
@example(at("2026-04-04T15:15"), (ZoneSpan(since=HOME, zone="Australia/Lord_Howe"),))
def test_an_instant_lies_in_its_slot(instant, home):
    start, end = slot_bounds(moment_at(instant, home), home)
    assert start <= instant < end


@settings(deadline=None)
@given(moments, homes)
def test_a_slot_begins_with_itself_and_lasts_about_six_hours(moment, home):
    start, end = slot_bounds(moment, home)
    assert moment_at(start, home) == moment
    assert moment_at(start - MINUTE, home) == moment.shifted(-1)
    assert timedelta(hours=5) <= end - start <= timedelta(hours=7)


@pytest.mark.parametrize(
    ("zone", "monday", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 23), 167),
        ("Europe/Berlin", date(2026, 10, 19), 169),
        ("America/New_York", date(2026, 3, 2), 167),
        ("America/New_York", date(2026, 10, 26), 169),
        ("Australia/Lord_Howe", date(2026, 3, 30), 168.5),
        ("Australia/Lord_Howe", date(2026, 9, 28), 167.5),
    ],
)
def test_the_week_of_a_dst_change_has_28_slots_and_one_odd_night(zone, monday, hours):
    home = (ZoneSpan(since=HOME, zone=zone),)
    bounds = [slot_bounds(moment_of(monday, step), home) for step in range(STEPS_PER_WEEK)]
    assert all(before[1] == after[0] for before, after in pairwise(bounds))
    assert bounds[-1][1] - bounds[0][0] == timedelta(hours=hours)
    odd = [step for step, (start, end) in enumerate(bounds) if end - start != timedelta(hours=6)]
    assert len(odd) == 1
    assert odd[0] % 4 == Slot.NIGHT


@given(moments, st.integers(-500, 500))
def test_shifting_there_and_back_is_nothing(moment, steps):
    assert moment.shifted(steps).shifted(-steps) == moment
    assert (moment.shifted(steps) > moment) == (steps > 0)


@given(moments)
def test_a_moment_is_its_week_and_step(moment):
    assert moment_of(moment.week, moment.timestep) == moment
    assert moment.week.weekday() == 0


def test_eastward_the_slots_jumped_over_are_empty():
    travel = zones(("2026-01-01", "America/New_York"), ("2026-06-01T14:00", "Europe/Berlin"))  # 10:00 becomes 16:00
    monday = [slot_bounds(moment_of(date(2026, 6, 1), step), travel) for step in range(4)]
    assert monday[0] == (at("2026-06-01T10:00"), at("2026-06-01T14:00"))
    assert monday[1] == (at("2026-06-01T14:00"), at("2026-06-01T16:00"))
    night = zones(("2026-01-01", "America/New_York"), ("2026-06-01T14:00", "Asia/Tokyo"))  # 10:00 becomes 23:00
    start, end = slot_bounds(moment_of(date(2026, 6, 1), 1), night)
    assert start == end == at("2026-06-01T14:00")


def test_westward_a_slot_keeps_its_first_time():
    travel = zones(("2026-01-01", "Europe/Berlin"), ("2026-06-01T14:00", "America/New_York"))  # 16:00 becomes 10:00
    assert moment_at(at("2026-06-01T13:00"), travel).slot is Slot.AFTERNOON
    assert moment_at(at("2026-06-01T15:00"), travel).slot is Slot.MORNING
    assert slot_start(moment_of(date(2026, 6, 1), 1), travel) == at("2026-06-01T10:00")
    assert slot_start(moment_of(date(2026, 6, 1), 2), travel) == at("2026-06-01T22:00")


@settings(deadline=None)
@given(st.integers(0, 600 * 60), st.sampled_from(NAMES), st.sampled_from(NAMES), instants)
def test_every_slot_begins_no_earlier_than_the_one_before(minutes, there, back, since):
    travel = (
        ZoneSpan(since=HOME, zone="Europe/Berlin"),
        ZoneSpan(since=since, zone=there),
        ZoneSpan(since=since + 2880 * MINUTE, zone=back),
    )
    moment = moment_at(since - 300 * 60 * MINUTE + minutes * MINUTE, travel)
    begins = [slot_start(moment.shifted(step), travel) for step in range(-3, 12)]
    assert begins == sorted(begins)
    assert begins[3] <= since - 300 * 60 * MINUTE + minutes * MINUTE


@settings(deadline=None)
@given(instants, st.integers(-4000, 4000))
def test_eastward_every_instant_still_lies_in_its_slot(since, minutes):
    travel = (ZoneSpan(since=HOME, zone="America/New_York"), ZoneSpan(since=since, zone="Asia/Kathmandu"))
    instant = since + minutes * MINUTE
    start, end = slot_bounds(moment_at(instant, travel), travel)
    assert start <= instant < end


def test_a_naive_instant_and_a_person_without_zone_are_errors():
    with pytest.raises(ValueError, match="aware"):
        moment_at(datetime(2026, 1, 1), zones(("2026-01-01", "UTC")))  # noqa: DTZ001
    with pytest.raises(ValueError, match="zone"):
        slot_start(moment_of(date(2026, 1, 5), 0), ())


shares = st.floats(0, 1)
signed = st.floats(-1, 1)
some_action = st.none() | st.sampled_from(ActionType)
changes = st.none() | st.fixed_dictionaries(dict.fromkeys(Meter, signed))
steps = st.builds(
    StepRecord,
    timestep=st.integers(0, 27),
    day=st.integers(0, 6),
    slot=st.sampled_from(Slot),
    action=some_action,
    recommended=some_action,
    answer=st.none() | st.sampled_from(Answer),
    reward=st.none() | signed,
    deltas=changes,
    anomalies=changes,
)
answered = st.builds(
    Interaction,
    at=instants,
    day=st.integers(0, 6),
    slot=st.sampled_from(Slot),
    levels=st.fixed_dictionaries(dict.fromkeys(Meter, shares)),
    recommended=st.sampled_from(ActionType),
    answer=st.sampled_from(Answer),
    moved_to=st.none() | st.tuples(st.integers(0, 6), st.sampled_from(Slot)),
)
observations = st.builds(
    Observation,
    timestep=st.integers(0, 27),
    day=st.integers(0, 6),
    slot=st.sampled_from(Slot),
    meters=st.fixed_dictionaries(
        {meter: st.builds(MeterState, level=shares, sd=shares, coverage=shares) for meter in Meter}
    ),
    deltas=changes,
    anomalies=changes,
    active_event=st.none() | st.text(max_size=5),
    step_history=st.lists(steps, max_size=3).map(tuple),
    remaining_steps=st.integers(0, 28),
    reward=signed,
    done=st.booleans(),
    history=st.lists(answered, max_size=3).map(tuple),
    feasible=st.lists(st.sampled_from(ActionType), unique=True).map(tuple),
    planned=st.dictionaries(st.sampled_from(ActionType), shares),
)


@settings(deadline=None, max_examples=60)
@given(observations)
def test_an_observation_survives_json(observation):
    assert observation_from_json(json.loads(json.dumps(observation.to_json()))) == observation


def test_another_version_is_refused():
    observation = Observation(timestep=0, day=0, slot=Slot.MORNING, meters={})
    with pytest.raises(ValueError, match="version"):
        observation_from_json(replace(observation, version=2).to_json())


def test_moments_are_ordered_by_time():
    first = Moment(week=date(2026, 11, 16), day=6, slot=Slot.NIGHT)
    assert first < first.shifted(1) == Moment(week=date(2026, 11, 23), day=0, slot=Slot.MORNING)
