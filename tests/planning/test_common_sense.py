"""Suggestions, their times, and reasons against them, on days that are easy to judge."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bridge.calendar.busy import clipped
from bridge.day.routine import learn_routine
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from bridge.planning.choice import as_wished, nothing_fits, place, sensible
from bridge.planning.common_sense import options
from bridge.planning.day_plan import fixed_blocks, night_blocks, task_blocks
from bridge.planning.facts import reasons
from bridge.planning.rules import RULES
from bridge.planning.situation import Situation
from bridge.planning.tasks import task_for
from bridge.planning.waking_day import day_of
from rhythm_env.interface import ActionType, Belief, Decision

from .lives import DAY, TODAY, at, days, entry, known, nights, sleep, whole_day, workout
from .test_any_life import any_life

A = ActionType
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def situation(*agenda, hour=8, episodes=None, tasks=(), wishes=None, advised=()):
    """Somebody who sleeps from eleven to seven and works from nine to five, at an hour of a Friday."""
    now = at(TODAY, 60 * hour)
    slept = nights(30, -60, 420) if episodes is None else episodes
    life = known(slept, [*agenda, *office()], tasks, now=now)
    return Situation(known=life, now=now, routine=learn_routine(life), wishes=wishes or Wishes(), advised=advised)


def office():
    return [
        entry(day, start, start + 120, A.DEEP_WORK, "Write")
        for day in days(40, TODAY - DAY)
        if day.weekday() < 5
        for start in (540, 900)
    ]


def found(made, hours=4):
    return options(made, (made.now, made.now + hours * HOUR))


def test_today_is_a_friday():
    assert TODAY.weekday() == 4


def test_a_suggestion_lies_in_a_gap_with_time_to_breathe():
    made = situation(entry(TODAY, 605, 660), entry(TODAY, 690, 800), hour=10)
    place_, _ = found(made, 2)
    meditate = place_[A.MEDITATE]
    assert meditate.start >= at(TODAY, 665)
    assert meditate.end <= at(TODAY, 685)


def test_travel_to_a_place_takes_longer():
    near = situation(entry(TODAY, 660, 720), hour=10)
    far = situation(entry(TODAY, 660, 720, located=True), hour=10)
    assert found(near, 1)[0][A.DEEP_WORK].end == at(TODAY, 655)
    assert A.DEEP_WORK not in found(far, 1)[0]  # no 45 minutes are left


@pytest.mark.parametrize("hour", [8, 13, 18])
def test_sleep_is_no_advice_for_the_day(hour):
    assert A.SLEEP not in found(situation(hour=hour))[0]


def test_bedtime_is_advised_when_it_is_near():
    made = situation(hour=22)
    night = found(made, 2)[0][A.SLEEP]
    assert night.kind == "sleep"
    assert abs(night.start - at(TODAY, 23 * 60)) < 30 * MINUTE
    assert abs(night.end - at(TODAY + DAY, 7 * 60)) < 45 * MINUTE


def test_a_short_night_calls_for_a_nap_before_three():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    saturday = situation(hour=12, episodes=short)
    made = replace(saturday, routine=replace(saturday.routine, work=((),) * 7))
    nap = found(made)[0][A.SLEEP]
    assert (nap.kind, nap.end - nap.start) == ("suggested", 20 * MINUTE)
    later = replace(made, now=at(TODAY, 15 * 60))
    assert A.SLEEP not in found(later)[0]


def test_no_exercise_says_the_rule_that_holds():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    assert told(found(situation(hour=17, episodes=short))[1][A.EXERCISE]).startswith("last night was 2 h 58 min")
    full = [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, "Review") for k in range(10)]
    assert told(found(situation(*full, hour=18))[1][A.EXERCISE]) == "your day has 10 h of tiring entries"
    late = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 360, 840)]
    assert told(found(situation(hour=17, episodes=late))[1][A.EXERCISE]) == "you slept until 14:00"
    assert told(found(situation(hour=22))[1][A.EXERCISE]) == "it is work time, or too early or too late for sport"


def test_company_waits_for_the_end_of_work():
    noon, evening = situation(hour=12), situation(hour=16.5)
    assert {A.FAMILY_TIME, A.SOCIALIZE} <= found(noon)[1].keys()
    later = found(evening)[0]
    assert all(later[action].start >= at(TODAY, 17 * 60 + 30) for action in (A.FAMILY_TIME, A.SOCIALIZE))


def test_work_ends_with_the_day():
    assert A.DEEP_WORK in found(situation(hour=13))[0]
    assert A.DEEP_WORK in found(situation(hour=19))[1]


def test_a_planned_training_is_kept_and_no_other_is_suggested():
    gym = entry(TODAY, 1080, 1140, A.EXERCISE, "Gym")
    evening = found(situation(gym, hour=17.5), 6)[0][A.EXERCISE]
    assert (evening.kind, evening.what, evening.start) == ("keep", "Gym", at(TODAY, 1080))
    assert told(found(situation(gym, hour=8))[1][A.EXERCISE]) == "it is planned at 18:00"


def test_a_private_entry_is_kept_without_its_title():
    secret = entry(TODAY, 1080, 1140, A.EXERCISE, "Physio", private=True)
    assert found(situation(secret, hour=17.5), 6)[0][A.EXERCISE].what is None


def test_lunch_and_meetings_at_work_are_nothing_to_keep():
    lunch = entry(TODAY, 750, 795, A.ME_TIME, "Lunch")
    meeting = entry(TODAY, 840, 870, A.SOCIALIZE, "1:1", others=1)
    kept = [option.kind for option in found(situation(lunch, meeting, hour=12))[0].values()]
    assert "keep" not in kept


def test_after_a_training_there_is_none():
    made = situation(hour=18, episodes=[*nights(30, -60, 420), workout(TODAY, 430, 40)])
    assert told(found(made)[1][A.EXERCISE]).startswith("you trained at")


def test_vetoes_and_hours_come_first():
    wishes = Wishes(never=frozenset({A.MEDITATE}), hours={A.DEEP_WORK: ((time(14), time(16)),)})
    made = situation(hour=9.5, wishes=wishes)
    assert told(found(made, 2)[1][A.MEDITATE]) == "you asked never to be advised it"
    assert told(found(made, 2)[1][A.DEEP_WORK]) == "it is outside the hours that you set"
    assert found(replace(made, now=at(TODAY, 13.5 * 60)))[0][A.DEEP_WORK].start >= at(TODAY, 14 * 60)


def test_a_vetoed_entry_is_not_recommended_either():
    gym = entry(TODAY, 1080, 1140, A.EXERCISE, "Gym")
    made = situation(gym, hour=17.5, wishes=Wishes(never=frozenset({A.EXERCISE})))
    assert A.EXERCISE in found(made, 6)[1]


def test_a_day_full_of_entries_leaves_nothing():
    made = situation(entry(TODAY, 480, 720), hour=8)
    left, held = found(made, 4)
    assert not left
    assert told(nothing_fits(held)[0]).startswith("nothing fits now")


def test_no_suggestions_wished_none_given():
    left, held = sensible(situation(hour=9, wishes=Wishes(suggestions=0)), (at(TODAY, 540), at(TODAY, 720)))
    assert all(option.kind != "suggested" for option in left.values())
    assert "0 is what you wish" in told(held[A.MEDITATE])


def test_the_place_of_an_action_follows_the_calendar():
    before = situation(hour=10)
    first, _ = place(before, A.MEDITATE, (before.now, before.now + 2 * HOUR), since=before.now)
    after = situation(entry(TODAY, 600, 660), hour=10)
    second, _ = place(after, A.MEDITATE, (after.now, after.now + 2 * HOUR), since=after.now)
    assert first.start < at(TODAY, 660) < second.start


def test_the_task_that_is_due_first_is_meant():
    tasks = [
        Task(key="b", list="t", title="Later", due=TODAY + 5 * DAY),
        Task(key="a", list="t", title="Sooner", due=TODAY + DAY),
        Task(key="c", list="t", title="Done", due=TODAY, completed=at(TODAY, 60)),
    ]
    made = replace(situation(tasks=tasks), task_actions=dict.fromkeys("abc", A.DEEP_WORK))
    assert task_for(made, A.DEEP_WORK).title == "Sooner"
    assert task_for(made, A.EXERCISE) is None


def test_a_goal_and_a_weight_move_the_choice_and_nothing_else_does():
    even = dict.fromkeys((A.EXERCISE, A.BINGE_WATCH, A.SLEEP), 0.5)
    one = Decision(action=A.BINGE_WATCH, belief=Belief(), scores=even, probabilities={A.BINGE_WATCH: 1.0})
    assert as_wished(one, situation()) is one
    assert as_wished(one, situation(wishes=Wishes(goals={A.EXERCISE: 3}))).action is A.EXERCISE
    from rhythm_env.interface import Meter

    assert as_wished(one, situation(wishes=Wishes(weights={Meter.VITALITY: 3.0}))).action is A.SLEEP


def test_tasks_are_placed_before_their_day_ends_and_over_nothing():
    tasks = [Task(key=str(k), list="t", title=f"Task {k}", due=TODAY + DAY, effort=1.0) for k in range(3)]
    made = situation(entry(TODAY, 540, 840), hour=8.5, tasks=tasks)
    blocks = list(task_blocks(made, day_of(made, made.now), fixed_blocks(made, TODAY)))
    assert blocks
    for block in blocks:
        assert not clipped(made.attended, block.start, block.end)
        assert for_person(block.facts) == ["it is due tomorrow"]


def test_a_late_party_moves_the_night_and_a_night_shift_the_morning():
    party = situation(entry(TODAY, 1200, 1500), hour=18)
    bed, wake = party.sleep(TODAY + DAY)
    assert bed == at(TODAY, 1545)
    assert wake - bed > 4 * HOUR
    shift = situation(entry(TODAY, 1320, 1800), hour=18)
    bed, wake = shift.sleep(TODAY + DAY)
    assert bed == at(TODAY, 1845)
    assert wake - bed > 7 * HOUR


def test_winding_down_ends_at_bedtime_and_lies_over_nothing():
    made = situation(entry(TODAY, 1290, 1350), hour=18)
    blocks = {block.kind: block for block in night_blocks(made, TODAY, fixed_blocks(made, TODAY))}
    down, night = blocks["wind_down"], blocks["sleep"]
    assert down.end == night.start
    assert down.start >= at(TODAY, 1350)


@pytest.mark.parametrize("seed", range(60))
def test_in_any_life_every_option_keeps_the_rules(seed):
    life = any_life(seed)
    made = Situation(known=life, now=life.at, routine=learn_routine(life))
    for hours in range(0, 24, 5):
        begin = life.at + hours * HOUR
        later, held = options(made, (begin, begin + 6 * HOUR))
        assert {*later, *held} == set(A)
        for action, option in later.items():
            assert option.start < option.end
            if option.kind == "suggested":
                assert begin <= option.start < begin + 6 * HOUR
                assert not clipped(made.attended, option.start, option.end)
                assert RULES[action].least <= (option.end - option.start) / MINUTE <= RULES[action].most


def test_a_nap_lies_between_one_and_three_and_on_a_working_day_at_home_only():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    office, home = (
        situation(whole_day(TODAY, title, kind="workingLocation", busy=False), hour=9, episodes=short)
        for title in ("Office", "Home")
    )
    assert A.SLEEP not in found(office, 8)[0]
    nap = found(home, 8)[0][A.SLEEP]
    assert at(TODAY, 13 * 60) <= nap.start < nap.end <= at(TODAY, 15 * 60)
    meeting = entry(TODAY, 780, 900, A.ADMIN_WORK, "Review", others=3)
    taken = situation(whole_day(TODAY, "Home office", busy=False), meeting, hour=9, episodes=short)
    assert A.SLEEP not in found(taken, 8)[0]
    assert for_person(reasons(nap, home, {})) == [
        "last night was 2 h 57 min shorter than your usual",
        "a nap of 20 minutes, early enough for the coming night",
    ]
