"""Busy, free and planned time."""

import doctest
import importlib
import inspect
import pkgutil
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import calendar
from bridge.calendar import busy, days, expansion, facts, flights, meetings, plans
from bridge.calendar.busy import busy_union, clipped, density, fragmentation, gaps, merged, takes_time
from bridge.calendar.facts import week_facts
from bridge.calendar.meetings import back_to_back, is_meeting, meeting_density, short_gaps, tight_starts
from bridge.calendar.plans import focus_minutes, planned_shares
from bridge.domain.types import Event, Label, Occurrence, Response
from rhythm_env.interface import ActionType
from tests.calendar import examples
from tests.calendar.examples import LONDON

DAY = datetime(2026, 11, 20, tzinfo=UTC)
START, END = DAY + timedelta(hours=6), DAY + timedelta(hours=12)

minutes = st.integers(-300, 1300)
actions = st.sampled_from([*ActionType, None])


def entry(start, end, action=None, **of):
    begin, finish = DAY + timedelta(minutes=start), DAY + timedelta(minutes=max(start, end))
    event = Event(key=f"{start}-{end}", calendar="c", start=begin, end=finish, **of)
    return Occurrence(key=event.key, event=event, start=begin, end=finish), label(action)


def label(action):
    return Label(action=action, confidence=0.9, by="test@1", why="")


agendas = st.lists(st.builds(entry, minutes, minutes, actions, busy=st.booleans()), max_size=12)


def test_every_fact_has_a_worked_example_that_holds():
    found = {}
    for module in pkgutil.iter_modules(calendar.__path__, "bridge.calendar."):
        loaded = importlib.import_module(module.name)
        assert doctest.testmod(loaded, extraglobs=vars(examples)).failed == 0
        found |= {one.name: one.examples for one in doctest.DocTestFinder().find(loaded)}
    functions = [
        one
        for module in (busy, days, expansion, facts, flights, meetings, plans)
        for name, one in inspect.getmembers(module, inspect.isfunction)
        if one.__module__ == module.__name__ and not name.startswith("_")
    ]
    assert len(functions) > 20
    without = {one.__name__ for one in functions if not found[f"{one.__module__}.{one.__name__}"]}
    assert without == {"expand", "midnight"}  # no facts: their tests are examples enough


@settings(deadline=None)
@given(agendas)
def test_shares_never_exceed_the_slot(agenda):
    shares = planned_shares(agenda, START, END)
    assert sum(shares.values()) <= 1 + 1e-9
    assert all(0 < share <= 1 for share in shares.values())
    planned = [o for o, one in agenda if one.action is not None]
    assert abs(sum(shares.values()) - density(planned, START, END)) < 1e-9


@settings(deadline=None)
@given(agendas)
def test_busy_and_free_make_the_whole(agenda):
    occurrences = [o for o, _ in agenda]
    stretches = sorted(busy_union(occurrences, START, END) + gaps(occurrences, START, END))
    assert stretches[0][0] == START
    assert stretches[-1][1] == END
    assert all(a[1] == b[0] for a, b in pairwise(stretches))
    assert 0 <= density(occurrences, START, END) <= 1


@settings(deadline=None)
@given(agendas)
def test_meetings_and_pauses_lie_within_what_is_busy(agenda):
    occurrences = [o for o, _ in agenda]
    assert 0 <= meeting_density(occurrences, START, END) <= density(occurrences, START, END) + 1e-9
    assert 0 <= fragmentation(busy_union(occurrences, START, END), START, END) <= 1
    for start, end in short_gaps(occurrences, START, END):
        assert timedelta(0) < end - start < timedelta(minutes=10)
        assert not busy_union(occurrences, start, end)


@settings(deadline=None)
@given(agendas, minutes, minutes)
def test_one_more_entry_never_makes_anything_freer(agenda, low, high):
    occurrences = [o for o, _ in agenda]
    more = [*occurrences, entry(low, high, others=1)[0]]
    for share in (density, meeting_density):
        assert share(occurrences, START, END) <= share(more, START, END)
    free = [sum((e - s for s, e in gaps(found, START, END)), timedelta(0)) for found in (occurrences, more)]
    assert free[1] <= free[0]


@settings(deadline=None)
@given(agendas, st.sampled_from([Response.DECLINED, "free", "cancelled"]))
def test_what_is_declined_free_or_cancelled_changes_nothing(agenda, how):
    of = {"free": {"busy": False}, "cancelled": {"cancelled": True}}.get(how, {"response": how})
    off = entry(370, 500, ActionType.LEARN, others=2, **of)
    occurrences, more = ([o for o, _ in one] for one in (agenda, [*agenda, off]))
    assert busy_union(more, START, END) == busy_union(occurrences, START, END)
    assert tight_starts(more) == tight_starts(occurrences)
    assert planned_shares([*agenda, off], START, END) == planned_shares(agenda, START, END)


@settings(deadline=None)
@given(agendas, st.randoms())
def test_order_does_not_matter(agenda, rng):
    other = list(agenda)
    rng.shuffle(other)
    assert planned_shares(other, START, END) == planned_shares(agenda, START, END)
    assert busy_union([o for o, _ in other], START, END) == busy_union([o for o, _ in agenda], START, END)
    assert back_to_back([o for o, _ in other], START, END) == back_to_back([o for o, _ in agenda], START, END)


@settings(deadline=None)
@given(st.lists(st.tuples(minutes, minutes), max_size=10), minutes, minutes)
def test_clipping_equals_cutting_each_stretch(pairs, low, high):
    spans = merged((DAY + timedelta(minutes=a), DAY + timedelta(minutes=max(a, b))) for a, b in pairs)
    start, end = DAY + timedelta(minutes=min(low, high)), DAY + timedelta(minutes=max(low, high))
    by_hand = [(max(a, start), min(b, end)) for a, b in spans if max(a, start) < min(b, end)]
    assert clipped(spans, start, end) == by_hand


def test_an_empty_slot_has_no_shares():
    agenda = [entry(360, 400, ActionType.LEARN)]
    assert planned_shares(agenda, START, START) == {}
    assert density([o for o, _ in agenda], START, START) == 0.0


def test_all_day_birthday_place_and_task_take_no_time():
    kinds = [Event(key="k", calendar="c", kind=kind) for kind in ("birthday", "workingLocation", "task")]
    day = Event(key="d", calendar="c", first_day=DAY.date(), last_day=DAY.date())
    assert not any(takes_time(event) for event in [*kinds, day])
    assert takes_time(Event(key="f", calendar="c", kind="focusTime"))


def test_a_declined_or_free_entry_is_no_meeting():
    assert is_meeting(Event(key="k", calendar="c", organised_by_me=False))
    assert not is_meeting(Event(key="k", calendar="c", others=3, response=Response.DECLINED))
    assert not is_meeting(Event(key="k", calendar="c", others=3, busy=False))
    assert not is_meeting(Event(key="k", calendar="c", others=3, kind="outOfOffice"))


def test_ten_minutes_are_a_pause_nine_are_none_and_overlaps_do_not_count():
    def run(*spans):
        return back_to_back([entry(a, b, others=1)[0] for a, b in spans], DAY, DAY + timedelta(days=1))

    assert run((540, 570), (580, 600)) == 0
    assert run((540, 570), (579, 600)) == 1
    assert run((540, 570), (550, 600)) == 0
    assert run((540, 600), (545, 550), (605, 620)) == 1


def test_touching_focus_blocks_count_as_one():
    agenda = [
        entry(360, 375, ActionType.DEEP_WORK),
        entry(375, 390, ActionType.LEARN),
        entry(400, 420, ActionType.LEARN),
    ]
    assert focus_minutes(agenda, START, END) == 30


def test_a_focus_block_over_a_slots_edge_counts_on_both_sides():
    agenda = [entry(700, 740, ActionType.DEEP_WORK)]  # 11:40 to 12:20
    assert focus_minutes(agenda, START, END) == 20
    assert focus_minutes(agenda, END, END + timedelta(hours=6)) == 20
    noon = [slot for slot in week_facts(agenda, [], date(2026, 11, 16), LONDON) if slot.focus]
    assert [slot.focus_minutes for slot in noon] == [20, 20]
