"""The facts of a week's 28 slots: any agenda, slots of five and of seven hours, deadlines, company."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.busy import density
from bridge.calendar.facts import deadline_pressure, slot_facts, week_facts
from bridge.calendar.meetings import back_to_back, short_gaps
from bridge.calendar.plans import social_events, unbroken
from bridge.domain.slots import Moment, ZoneSpan
from bridge.domain.types import Event, Label, Occurrence, Task
from rhythm_env.interface import ActionType, Slot
from tests.calendar.entries import BERLIN, HOUR

SPRING, AUTUMN = date(2026, 3, 23), date(2026, 10, 19)  # Berlin's clocks change in the night that Saturday ends with
FLIGHT = (*BERLIN, ZoneSpan(since=datetime(2026, 10, 21, 9, tzinfo=UTC), zone="Asia/Tokyo"))
weeks = st.sampled_from([(SPRING, BERLIN), (AUTUMN, BERLIN), (AUTUMN, FLIGHT), (date(2026, 11, 16), BERLIN)])
hours = st.floats(-40, 200)


def entry(start, hours, action=None, **of):
    event = Event(key=f"{start}/{hours}", calendar="c", start=start, end=start + hours * HOUR, **of)
    return (
        Occurrence(key=event.key, event=event, start=event.start, end=event.end),
        Label(action=action, confidence=0.9, by="test@1", why=""),
    )


@st.composite
def lives(draw):
    """(Monday, zones, entries from before the week to after it)."""
    week, zones = draw(weeks)
    monday = datetime(week.year, week.month, week.day, tzinfo=UTC)
    spans = draw(
        st.lists(st.tuples(hours, st.floats(0, 30), st.sampled_from(ActionType), st.integers(0, 2)), max_size=14)
    )
    return week, zones, [entry(monday + h * HOUR, length, action, others=n) for h, length, action, n in spans]


@settings(deadline=None, max_examples=60)
@given(lives(), st.randoms())
def test_28_slots_of_any_week(life, rng):
    week, zones, agenda = life
    facts = week_facts(agenda, [], week, zones)
    assert [one.moment.timestep for one in facts] == list(range(28))
    assert all(before.end == after.start for before, after in pairwise(facts))
    for one in facts:
        assert 0 <= one.meetings <= one.busy + 1e-9 <= 1 + 2e-9
        assert sum(one.planned.values()) <= 1 + 1e-9
        assert 0 <= one.fragmentation <= 1
        assert one.focus_minutes <= (one.end - one.start) / timedelta(minutes=1)
        assert one.pressure is None
        if one.free is not None:
            assert one.start <= one.free[0] < one.free[1] <= one.end
            assert not density([o for o, _ in agenda], *one.free)
    rng.shuffle(agenda)
    assert week_facts(agenda, [], week, zones) == facts


@settings(deadline=None, max_examples=60)
@given(lives())
def test_slots_sum_to_the_week(life):
    week, zones, agenda = life
    facts, occurrences = week_facts(agenda, [], week, zones), [o for o, _ in agenda]
    start, end = facts[0].start, facts[-1].end
    busy = sum((one.busy * (one.end - one.start) for one in facts), timedelta(0))
    assert abs(busy - density(occurrences, start, end) * (end - start)) < timedelta(milliseconds=1)
    assert sum(one.back_to_back for one in facts) == back_to_back(occurrences, start, end)
    assert sum(one.short_gaps for one in facts) == len(short_gaps(occurrences, start, end))


@pytest.mark.parametrize(("week", "length"), [(SPRING, 5), (AUTUMN, 7)])
def test_the_night_of_the_clocks_is_full_after_all_its_hours(week, length):
    saturday = Moment(week=week, day=5, slot=Slot.NIGHT)
    begin = slot_facts([], [], saturday, BERLIN).start
    night = slot_facts([entry(begin, length, ActionType.SLEEP)], [], saturday, BERLIN)
    assert night.end - night.start == length * HOUR
    assert (night.busy, night.planned, night.free) == (1.0, {ActionType.SLEEP: 1.0}, None)
    half = slot_facts([entry(begin, length / 2, ActionType.SLEEP)], [], saturday, BERLIN)
    assert half.busy == pytest.approx(0.5)


def test_a_slot_that_a_flight_jumped_over_holds_nothing():
    facts = week_facts([entry(datetime(2026, 10, 21, 8, tzinfo=UTC), 12, ActionType.LEARN)], [], AUTUMN, FLIGHT)
    empty = [one for one in facts if one.start == one.end]
    assert empty
    assert all((one.busy, one.planned, one.free) == (0.0, {}, None) for one in empty)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 28), st.none() | st.floats(0, 40), st.booleans()), max_size=8),
    st.floats(0, 700),
    st.floats(0, 100),
)
def test_deadlines_press_harder_with_time_and_with_every_task(given_tasks, at, later):
    tasks = [
        Task(key=f"{n}", list="l", due=date(2026, 11, day) if dated else None, effort=effort)
        for n, (day, effort, dated) in enumerate(given_tasks)
    ]
    now = datetime(2026, 11, 1, tzinfo=UTC) + at * HOUR
    pressure = deadline_pressure(tasks, now, BERLIN)
    assert (pressure is None) == all(task.due is None for task in tasks)
    if pressure is not None:
        assert 0 <= pressure <= len(tasks)
        assert deadline_pressure(tasks, now + later * HOUR, BERLIN) >= pressure
        assert deadline_pressure(tasks[::-1], now, BERLIN) == pytest.approx(pressure)
        assert deadline_pressure([*tasks, Task(key="n", list="l", due=date(2026, 11, 9))], now, BERLIN) >= pressure


def test_company_counts_once_it_is_over_and_for_seven_days():
    end = datetime(2026, 11, 20, 20, tzinfo=UTC)
    dinner = entry(end - 2 * HOUR, 2, ActionType.SOCIALIZE)
    counts = [len(social_events([dinner], end + timedelta(hours=h))) for h in (-1, 0, 7 * 24, 7 * 24 + 1)]
    assert counts == [0, 1, 1, 0]


def test_a_pause_starts_the_count_anew():
    nine = datetime(2026, 11, 20, 9, tzinfo=UTC)
    busy = [(nine, nine + HOUR), (nine + 2 * HOUR, nine + 3 * HOUR)]
    at = [unbroken(busy, nine - HOUR, nine + h * HOUR) for h in (-0.5, 0.5, 1.5, 2.5, 4)]
    assert at == [None, 30.0, 0.0, 30.0, 0.0]
