"""Laws of the day engine over lives unlike any person's, and faults planted to show that each law can fail."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from bridge.calendar.busy import clipped
from bridge.day import choice, plan, rules, terms
from bridge.day.body import Body, Condition, Mode, ModeKind
from bridge.day.choice import look, options
from bridge.day.person import Person
from bridge.day.plan import Week
from bridge.day.routine import learn_routine
from bridge.day.terms import SERVES
from bridge.day.view import LENGTHS, due_tasks
from bridge.domain.facts import fact
from bridge.domain.metrics import Metric
from bridge.domain.types import Reading, Sample, Task
from bridge.domain.wishes import Wishes
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import ActionType, Meter
from tests.day.lives import DAY, TODAY, at, entry
from tests.day.test_any_life import any_life

A = ActionType
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
PLACED = ("suggested", "task", "wind_down", "sleep")


def person(seed, **of):
    life = any_life(seed)
    return Person(known=life, now=life.at, routine=learn_routine(life), **of)


def no_policy(_moment, feasible):
    return dict.fromkeys(feasible, 0.0)


def week(one):
    return Week(person=one, ask=no_policy)


def with_tasks(one, titles=("Write report", "Pay invoice", "Read")):
    tasks = [Task(key=t, list="l", title=t, due=TODAY + k * DAY, effort=1.0 + k) for k, t in enumerate(titles)]
    life = replace(one.known, tasks=[*one.known.tasks, *tasks])
    actions = dict(zip(titles, (A.DEEP_WORK, A.ADMIN_WORK, A.LEARN), strict=True))
    return replace(one, known=life, task_actions=actions)


def ill_placed(one):
    """Placed blocks of four days that are empty, overlap another of ours or an entry, or begin before now."""
    found, planned = [], week(one)
    for ahead in range(4):
        placed = [b for b in planned.blocks(TODAY + ahead * DAY) if b.kind in PLACED]
        found += [b for b in placed if not b.start < b.end]
        found += [b for b, then in pairwise(sorted(placed, key=lambda b: b.start)) if b.end > then.start]
        own = [b for b in placed if b.kind in ("suggested", "task")]
        found += [b for b in own if clipped(one.attended, b.start, b.end) or b.start < one.now]
    return found


@pytest.mark.parametrize("seed", range(60))
def test_law_10_no_block_is_empty_or_overlaps_another_of_ours(seed):
    assert ill_placed(with_tasks(person(seed))) == []


@pytest.mark.parametrize("fault", ["solver", "rule"])
def test_law_10_fails_where_blocks_may_overlap(monkeypatch, fault):
    if fault == "solver":
        monkeypatch.setattr(plan, "_apart", lambda *_: True)
    else:
        monkeypatch.setattr(rules, "RULES", tuple(rule for rule in rules.RULES if rule.name != "free"))
    assert any(ill_placed(with_tasks(person(seed))) for seed in range(20))


@pytest.mark.parametrize("seed", range(60))
def test_every_option_keeps_its_length_and_its_reason(seed):
    one = person(seed)
    for hours in range(0, 24, 5):
        begin = one.now + hours * HOUR
        found, held = options(look(one, begin), (begin, begin + 6 * HOUR))
        assert {*found, *held} == set(A)
        for action, option in found.items():
            assert option.start < option.end
            assert option.facts
            if option.kind == "suggested":
                assert max(fact.weight for fact in option.facts) >= terms.weights()["grounds"]
                assert begin <= option.start < begin + 6 * HOUR
                assert LENGTHS[action].least <= (option.end - option.start) / MINUTE <= LENGTHS[action].most
                assert not clipped(one.attended, option.start, option.end)


ILL = Mode(kind=ModeKind.ILL, said=True)


@pytest.mark.parametrize("seed", range(60))
def test_law_1_a_sick_day_holds_rest_and_what_is_due(seed):
    one = with_tasks(person(seed, mode=ILL))
    assert one.body.state is Condition.ILL
    usual = one.routine.sleep_ending_on(TODAY, one.known.zones)[1]
    for block in week(one).blocks(TODAY):
        if block.kind == "suggested":
            assert block.action in (A.MEDITATE, A.ME_TIME, A.SLEEP)
        if block.kind in ("suggested", "task"):
            assert block.start >= usual or block.start.date() > TODAY
        if block.kind == "task":
            assert block.title == "Write report"


def test_law_1_fails_without_its_rule(monkeypatch):
    monkeypatch.setattr(rules, "RULES", tuple(rule for rule in rules.RULES if rule.name not in ("body", "mode")))
    given = {
        action
        for seed in range(40)
        for one in [person(seed, mode=ILL)]
        for action in options(look(one, one.now), (one.now, one.now + 10 * HOUR))[0]
    }
    assert given - {A.MEDITATE, A.ME_TIME, A.SLEEP}


def low(meter, level):
    normal = {one: Reading(level=0.7, sd=0.1, coverage=1.0) for one in Meter}
    return {**normal, meter: Reading(level=level, sd=0.1, coverage=1.0)}


@pytest.mark.parametrize("seed", range(0, 60, 3))
@pytest.mark.parametrize("meter", list(Meter))
def test_law_2_no_advice_lowers_a_level_that_is_shown_as_low(seed, meter):
    one = person(seed)
    found, _ = options(replace(look(one, one.now), readings=low(meter, 0.3)), (one.now, one.now + 10 * HOUR))
    for action in found:
        assert EFFECTS[action][list(Meter).index(meter)] > rules.TAKES
        assert (action, meter) != (A.EXERCISE, Meter.VITALITY)


def test_law_2_no_reason_lowers_what_it_claims_to_serve():
    for action, meter in SERVES.items():
        assert EFFECTS[action][list(Meter).index(meter)] > 0


def test_law_2_fails_without_its_rule(monkeypatch):
    monkeypatch.setattr(rules, "RULES", tuple(rule for rule in rules.RULES if rule.name != "level"))
    lowered = Counter()
    for seed in range(40):
        one = with_tasks(person(seed))
        one = replace(one, known=replace(one.known, tasks=one.known.tasks[-1:]))  # nothing is due before it
        begin = one.now + seed % 3 * 3 * HOUR
        view = replace(look(one, begin), readings=low(Meter.COGNITION, 0.3))
        found, _ = options(view, (begin, begin + 10 * HOUR))
        lowered.update(action for action, option in found.items() if option.what == "Read")
    assert lowered


@pytest.mark.parametrize("seed", range(40))
def test_law_6_nothing_passes_a_deadline(seed):
    one = with_tasks(person(seed))
    planned, named = week(one), Counter()
    for ahead in range(5):
        for block in planned.blocks(TODAY + ahead * DAY):
            if block.kind in ("suggested", "task") and block.title in one.task_actions:
                task = next(t for t in one.known.tasks if t.title == block.title)
                assert one.date_of(block.end - MINUTE) <= task.due or task.due < one.date_of(one.now)
                named[block.title] += 1
    assert all(times == 1 for times in named.values())
    for task in due_tasks(one, TODAY):
        action = one.task_actions.get(task.key)
        open_ = action is not None and task.due >= one.date_of(one.now)
        for option in choice.gaps(one, action, task, after=one.now) if open_ else ():
            assert one.date_of(option.end - MINUTE) <= task.due


def test_law_6_fails_without_its_rule(monkeypatch):
    task = next(t for t in with_tasks(person(7)).known.tasks if t.title == "Pay invoice")
    monkeypatch.setattr(rules, "RULES", tuple(rule for rule in rules.RULES if rule.name != "deadline"))
    late = [
        o for seed in range(10) for o in choice.gaps(with_tasks(person(seed)), A.ADMIN_WORK, task, after=at(TODAY, 720))
    ]
    assert any(option.end > at(task.due + DAY, 0) for option in late)


def moved_from_afar(seed):
    """True if an entry of twelve days ahead, or a sample of a heart rate, changes the plan of today."""
    one = with_tasks(person(seed))
    far = entry(TODAY + 12 * DAY, 600, 660, A.ADMIN_WORK, "Review")
    beat = Sample(key="beat", metric=Metric.HEART_RATE, start=one.now - HOUR, day=TODAY, value=71.0)
    other = replace(one.known, agenda=[*one.known.agenda, far], samples=[*one.known.samples, ("whoop", beat)])
    more = replace(one, known=other, routine=learn_routine(other), _read={})
    return week(one).blocks(TODAY) != week(more).blocks(TODAY)


@pytest.mark.parametrize("seed", range(30))
def test_law_10_what_is_far_away_changes_nothing(seed):
    assert not moved_from_afar(seed)


def test_law_10_fails_where_an_entry_counts_by_its_hour_alone(monkeypatch):
    def of_today(self):
        return [
            (replace(o, start=o.start - k * DAY, end=o.end - k * DAY), label)
            for o, label in self.known.agenda
            for k in [(o.start - self.now) // DAY + 1]
        ]

    monkeypatch.setattr(Person, "entries", property(of_today))
    assert any(moved_from_afar(seed) for seed in range(30))


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_of_a_day_is_the_same_alone_and_within_its_week(seed):
    one = with_tasks(person(seed))
    whole = week(one)
    days = [TODAY + k * DAY for k in range(4)]
    assert [whole.blocks(day) for day in days] == [week(one).blocks(day) for day in days]


@pytest.mark.parametrize("seed", range(30))
def test_wishes_outrank_everything(seed):
    never = frozenset({A.MEDITATE, A.EXERCISE, A.ME_TIME})
    one = person(seed, wishes=Wishes(never=never, suggestions=1))
    suggested = [b for b in week(one).blocks(TODAY + DAY) if b.kind == "suggested"]
    assert len(suggested) <= 1
    assert not never & {b.action for b in suggested}


def test_a_strained_body_trains_not():
    strained = Body(state=Condition.STRAINED, facts=(fact("low_vitality", level=0.3, sd=0.1),))
    for seed in range(30):
        one = person(seed)
        one._read["body",] = strained
        found, _ = options(look(one, one.now), (one.now, one.now + 10 * HOUR))
        assert A.EXERCISE not in found
