"""Suggestions, their times, and reasons against them, on days that are easy to judge."""

from dataclasses import replace
from datetime import time

import pytest

from bridge.calendar.busy import clipped
from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import gaps, look, place
from bridge.day.silence import quiet
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Task
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wishes import Barred, Best, Lasts, NightWish, Wishes
from rhythm_env.interface import ActionType, Meter

from .lives import DAY, TODAY, at, days, entry, nights, sleep, whole_day, workout
from .persons import HOUR, MINUTE, against, blocks, found, person, week

A = ActionType
QUIET = Wishes(goals={A.MEDITATE: 7})


def test_a_suggestion_lies_in_a_gap_with_time_to_breathe():
    made = person(entry(TODAY, 605, 660), entry(TODAY, 690, 800), hour=9.8, wishes=QUIET)
    meditate = found(made, 2)[0][A.MEDITATE]
    assert meditate.start >= at(TODAY, 665)
    assert meditate.end <= at(TODAY, 685)


def test_travel_to_a_place_takes_longer():
    tasks = [Task(key="t", list="l", title="Write report", due=TODAY)]
    of = {"hour": 10, "tasks": tasks, "task_actions": {"t": A.DEEP_WORK}}
    near = person(entry(TODAY, 660, 720), **of)
    far = person(entry(TODAY, 660, 720, located=True), **of)
    assert found(near, 1)[0][A.DEEP_WORK].end == at(TODAY, 655)
    assert A.DEEP_WORK not in found(far, 1)[0]  # no 45 minutes are left


@pytest.mark.parametrize("hour", [8, 13, 18])
def test_sleep_is_no_advice_for_the_day(hour):
    assert A.SLEEP not in found(person(hour=hour))[0]


def test_bedtime_is_advised_when_it_is_near():
    night = found(person(hour=22), 2)[0][A.SLEEP]
    assert night.kind == "sleep"
    assert abs(night.start - at(TODAY, 23 * 60)) < 30 * MINUTE
    assert abs(night.end - at(TODAY + DAY, 7 * 60)) < 45 * MINUTE


def test_a_short_night_calls_for_a_nap_before_three():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    made = person(whole_day(TODAY, "Home", kind="workingLocation", busy=False), hour=12, episodes=short)
    nap = found(made)[0][A.SLEEP]
    assert (nap.kind, nap.end - nap.start) == ("suggested", 20 * MINUTE)
    assert nap.end <= at(TODAY, 15 * 60)
    later = person(whole_day(TODAY, "Home", kind="workingLocation", busy=False), hour=15, episodes=short)
    assert A.SLEEP not in found(later)[0]


@pytest.mark.parametrize(
    ("span", "why"),
    [
        (None, "early enough for the coming night"),
        ((900, 1290), "early enough for the coming night"),
        ((1200, 1920), "before your entry at 20:00, which goes through the night"),
        ((1320, 1800), "before your entry at 22:00, which goes through the night"),
    ],
)
def test_a_nap_is_before_the_night_or_before_the_entry_that_takes_it(span, why):
    shift = [] if span is None else [entry(TODAY, *span, A.ADMIN_WORK, "Shift")]
    ill = Mode(kind=ModeKind.ILL, since=TODAY, said=True)
    nap = found(person(*shift, hour=10, mode=ill, work=False), 8)[0][A.SLEEP]
    assert for_person(nap.facts)[-1] == f"a nap of 20 minutes, {why}"


def test_a_nap_on_a_working_day_is_for_those_at_home():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    of = {"hour": 9, "episodes": short}
    office = person(whole_day(TODAY, "Office", kind="workingLocation", busy=False), **of)
    home = person(whole_day(TODAY, "Home", kind="workingLocation", busy=False), **of)
    assert A.SLEEP not in found(office, 8)[0]
    nap = found(home, 8)[0][A.SLEEP]
    assert at(TODAY, 13 * 60) <= nap.start < nap.end <= at(TODAY, 15 * 60)
    meeting = entry(TODAY, 780, 900, A.ADMIN_WORK, "Review", others=3)
    assert A.SLEEP not in found(person(whole_day(TODAY, "Home office", busy=False), meeting, **of), 8)[0]
    assert for_person(nap.facts)[-1] == "a nap of 20 minutes, early enough for the coming night"
    assert "last night was 2 h 54 min shorter than your usual" in for_person(nap.facts)


def test_no_exercise_says_the_rule_that_holds():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]
    assert against(person(hour=17, episodes=short), A.EXERCISE).startswith("last night was 2 h 54 min")
    full = [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, "Review") for k in range(10)]
    assert against(person(*full, hour=18), A.EXERCISE) == "your day has 10 h of tiring entries"
    late = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 360, 840)]
    assert against(person(hour=17, episodes=late), A.EXERCISE) == "you slept until 14:00"
    assert against(person(hour=22), A.EXERCISE) == "this is not a time for sport"


def friends(*ago):
    return [entry(TODAY - back * DAY, 1140, 1290, A.SOCIALIZE, "Dinner") for back in ago]


def test_company_waits_for_the_end_of_work():
    noon, evening = person(*friends(12, 19, 26), hour=12), person(*friends(12, 19, 26), hour=16.5)
    assert A.SOCIALIZE in found(noon)[1]
    assert found(evening)[0][A.SOCIALIZE].start >= at(TODAY, 17 * 60 + 30)


def test_work_ends_with_the_day():
    tasks = [Task(key="t", list="l", title="Write report", due=TODAY + DAY)]
    of = {"tasks": tasks, "task_actions": {"t": A.DEEP_WORK}}
    assert A.DEEP_WORK in found(person(hour=13, **of))[0]
    assert A.DEEP_WORK in found(person(hour=19, **of))[1]


def test_what_is_planned_is_not_suggested_as_well():
    gym = entry(TODAY, 1080, 1140, A.EXERCISE, "Gym")
    assert against(person(gym, hour=17.5), A.EXERCISE, 6) == "it is planned at 18:00"
    assert against(person(gym, hour=8), A.EXERCISE) == "it is planned at 18:00"


def test_what_is_in_the_calendar_is_an_entry_and_no_advice():
    gym, lunch = entry(TODAY, 1080, 1140, A.EXERCISE, "Gym"), entry(TODAY, 750, 795, A.ME_TIME, "Lunch")
    secret = entry(TODAY, 1230, 1260, A.EXERCISE, "Physio", private=True)
    one = person(gym, lunch, secret, hour=12)
    assert [(b.title, b.kind) for b in blocks(one, "entry")] == [
        ("Lunch", "entry"),
        ("Gym", "entry"),
        (None, "entry"),
    ]
    assert {option.kind for option in found(one, 8)[0].values()} <= {"suggested", "sleep"}


def test_a_slot_that_an_entry_fills_says_so():
    one = person(entry(TODAY, 480, 720, A.ADMIN_WORK, "Workshop"), hour=9)
    given, held = found(one, 3)
    assert not given
    (why,) = quiet(look(one, one.now), held)
    assert told(why) == "you have an entry until 12:00"


def test_after_a_training_there_is_none():
    made = person(hour=18, episodes=[*nights(30, -60, 420), workout(TODAY, 430, 40)])
    assert against(made, A.EXERCISE).startswith("you trained at")


def test_vetoes_and_hours_come_first():
    tasks = [Task(key="t", list="l", title="Write report", due=TODAY + DAY)]
    wishes = Wishes(never=frozenset({A.MEDITATE}), hours={A.DEEP_WORK: ((time(14), time(16)),)})
    of = {"wishes": wishes, "tasks": tasks, "task_actions": {"t": A.DEEP_WORK}}
    made = person(hour=9.5, **of)
    assert against(made, A.MEDITATE, 2) == "you asked never to be advised it"
    assert against(made, A.DEEP_WORK, 2) == "it is outside the hours and days that you set"
    assert found(person(hour=13.5, **of))[0][A.DEEP_WORK].start >= at(TODAY, 14 * 60)


def test_an_action_has_its_days():
    made = person(hour=9.0, wishes=Wishes(days={A.DEEP_WORK: frozenset({(TODAY.weekday() + 1) % 7})}))
    assert against(made, A.DEEP_WORK, 2) == "it is outside the hours and days that you set"
    made = person(hour=9.0, wishes=Wishes(days={A.DEEP_WORK: frozenset({TODAY.weekday()})}))
    assert A.DEEP_WORK in found(made, 2)[0]


def test_hours_of_some_days_and_a_number_a_week_are_kept():
    barred = Barred(days=frozenset({TODAY.weekday()}), hours=((time(0), time(17)),))
    other = replace(barred, days=frozenset(range(7)) - barred.days)
    of = {"hour": 9.0, "wishes": Wishes(barred={A.DEEP_WORK: (barred,)})}
    assert against(person(**of), A.DEEP_WORK, 2) == "it is outside the hours and days that you set"
    assert A.DEEP_WORK in found(person(hour=9.0, wishes=Wishes(barred={A.DEEP_WORK: (other,)})), 2)[0]
    had = entry(TODAY - DAY, 480, 500, A.MEDITATE, "Meditation")
    made = [person(had, hour=13.0, wishes=replace(QUIET, most={A.MEDITATE: most})) for most in (1, 2)]
    assert against(made[0], A.MEDITATE, 2) == "it is outside the hours and days that you set"
    assert A.MEDITATE in found(made[1], 2)[0]


def test_an_action_lasts_as_long_as_it_is_wished():
    few, many = Lasts(most=10), Lasts(least=50, most=55)
    lasts = [found(person(hour=9.0, wishes=replace(QUIET, lengths={A.MEDITATE: one})), 2)[0] for one in (few, many)]
    minutes = [(one[A.MEDITATE].end - one[A.MEDITATE].start) / MINUTE for one in lasts]
    assert minutes[0] == 10
    assert 50 <= minutes[1] <= 55
    assert wishes_of(plain(Wishes(lengths={A.LEARN: many}))).lengths == {A.LEARN: many}


def test_free_days_between_two_times_are_kept():
    for at_day, free in ((-1, False), (-2, True), (1, False)):
        had = entry(TODAY + at_day * DAY, 480, 500, A.MEDITATE, "Meditation")
        made = person(had, hour=13.0, wishes=replace(QUIET, apart={A.MEDITATE: 1}))
        assert (A.MEDITATE in found(made, 2)[0]) is free, at_day
    assert wishes_of(plain(Wishes(apart={A.EXERCISE: 2}))).apart == {A.EXERCISE: 2}


def test_a_night_is_as_long_as_it_is_wished():
    short, wish = [*nights(30, 0, 360)], NightWish(minutes=510)
    usual, longer = (person(episodes=short, hour=20, wishes=Wishes(night=one)) for one in (NightWish(), wish))
    assert usual.sleep(TODAY + DAY)[1] - usual.sleep(TODAY + DAY)[0] < 510 * MINUTE
    bed, wake = longer.sleep(TODAY + DAY)
    assert (wake - bed, wake) == (510 * MINUTE, usual.sleep(TODAY + DAY)[1])
    later = person(hour=20, wishes=Wishes(night=replace(wish, earliest=time(1))))
    assert later.sleep(TODAY + DAY) == (at(TODAY + DAY, 60), at(TODAY + DAY, 570))
    assert wishes_of(plain(Wishes(night=wish))).night == wish


def test_two_bedtimes_stand_side_by_side():
    days = frozenset({TODAY.weekday()})
    for late, bed in ((days, 1380), (frozenset(range(7)) - days, 1320)):
        wish = NightWish(bed=time(22), late=time(23), late_days=late)
        assert person(hour=20, wishes=Wishes(night=wish)).sleep(TODAY + DAY)[0] == at(TODAY, bed)
        assert wishes_of(plain(Wishes(night=wish))).night == wish


def test_two_hours_of_getting_up_stand_side_by_side():
    days = frozenset({(TODAY + DAY).weekday()})
    for other, up in ((days, 540), (frozenset(range(7)) - days, 390)):
        wish = NightWish(up=time(6, 30), other=time(9), other_days=other)
        assert person(hour=20, wishes=Wishes(night=wish)).sleep(TODAY + DAY)[1] == at(TODAY + DAY, up)
        assert wishes_of(plain(Wishes(night=wish))).night == wish


def test_a_night_is_planned_as_it_is_wished():
    wish = NightWish(bed=time(22, 30), up=time(6, 15))
    made, late = (person(hour=20, wishes=Wishes(night=one)) for one in (wish, NightWish(earliest=time(0, 30))))
    assert made.sleep(TODAY + DAY) == (at(TODAY, 1350), at(TODAY + DAY, 375))
    assert late.sleep(TODAY + DAY)[0] == at(TODAY + DAY, 30)
    assert told(of_bedtime(made, TODAY + DAY)) == "you wish to be in bed by 22:30"
    assert told(of_waking(made, TODAY + DAY)) == "you wish to get up by 06:15"
    late = person(entry(TODAY, 1200, 1310), hour=12, wishes=Wishes(night=wish))  # which leaves 40 minutes to go to bed
    assert (late.sleep(TODAY + DAY)[0], told(of_bedtime(late, TODAY + DAY))) == (
        at(TODAY, 1350),
        "you wish to be in bed by 22:30",
    )
    other = replace(wish, bed_days=frozenset(range(7)) - {TODAY.weekday()})
    nights = [person(hour=20, wishes=Wishes(night=one)).sleep(TODAY + DAY)[0] for one in (other, NightWish())]
    assert nights[0] == nights[1]
    assert wishes_of(plain(Wishes(night=other))).night == other


def test_an_action_is_advised_on_the_day_and_in_the_hours_that_it_is_wanted():
    wanted = {A.LEARN: Best(days=frozenset({TODAY.weekday()}), hours=((time(19), time(21)),))}
    others = {A.LEARN: Best(days=frozenset(range(7)) - {TODAY.weekday()})}
    plain, on, off = (person(hour=18, wishes=Wishes(best=best)) for best in ({}, wanted, others))
    given = found(on, 3)[0][A.LEARN]
    assert at(TODAY, 19 * 60) <= given.start < at(TODAY, 21 * 60)
    assert "you wish for it on a" in ", ".join(map(told, given.facts))
    assert A.LEARN not in found(plain, 3)[0]
    assert [one.keys() for one in found(off, 3)] == [one.keys() for one in found(plain, 3)]


def test_no_suggestions_wished_none_given():
    given, held = found(person(hour=9, wishes=replace(QUIET, suggestions=0)), 3)
    assert all(option.kind != "suggested" for option in given.values())
    assert "0 is what you wish" in told(held[A.MEDITATE])


def test_the_place_of_an_action_follows_the_calendar():
    free, taken = person(hour=10, wishes=QUIET), person(entry(TODAY, 600, 660), hour=10, wishes=QUIET)
    spans = [(one.now, one.now + 2 * HOUR) for one in (free, taken)]
    first, second = (place(look(one, one.now), A.MEDITATE, None, spans[0])[0] for one in (free, taken))
    assert first.start < at(TODAY, 660) < second.start


def test_the_task_that_is_due_first_is_meant():
    tasks = [
        Task(key="b", list="t", title="Later", due=TODAY + 5 * DAY),
        Task(key="a", list="t", title="Sooner", due=TODAY + DAY),
        Task(key="c", list="t", title="Done", due=TODAY, completed=at(TODAY, 60)),
    ]
    made = person(hour=10, tasks=tasks, task_actions=dict.fromkeys("abc", A.DEEP_WORK))
    assert found(made)[0][A.DEEP_WORK].what == "Sooner"


def test_a_goal_and_a_weight_move_the_choice():
    plain, goal = person(hour=17), person(hour=17, wishes=Wishes(goals={A.EXERCISE: 3}))
    assert found(goal, 6)[0][A.EXERCISE].value > found(plain, 6)[0][A.EXERCISE].value + 0.5
    both = {A.LEARN: 3, A.MEDITATE: 3}  # that a time is free is no reason to learn
    plain = person(hour=17, wishes=Wishes(goals=both))
    heavy = person(hour=17, wishes=Wishes(goals=both, weights={Meter.SERENITY: 3.0}))
    gains = {a: found(heavy, 6)[0][a].value - found(plain, 6)[0][a].value for a in (A.MEDITATE, A.LEARN)}
    assert gains[A.MEDITATE] > gains[A.LEARN]


def test_tasks_are_placed_before_their_day_ends_and_over_nothing():
    tasks = [Task(key=str(k), list="t", title=f"Task {k}", due=TODAY + DAY, effort=1.0) for k in range(3)]
    made = person(entry(TODAY, 540, 840), hour=8.5, tasks=tasks)
    placed = blocks(made, "task")
    assert placed
    for block in placed:
        assert not clipped(made.attended, block.start, block.end)
        assert for_person(block.facts) == ["it is due tomorrow"]


def test_a_late_party_moves_the_night():
    party = person(entry(TODAY, 1200, 1500, A.SOCIALIZE, "Party"), hour=18)
    bed, wake = party.sleep(TODAY + DAY)
    assert bed == at(TODAY, 1545)
    assert wake - bed > 4 * HOUR


def test_winding_down_ends_at_bedtime_and_lies_over_nothing():
    made = person(entry(TODAY, 1290, 1350, A.SOCIALIZE, "Call"), hour=18)
    (down,) = blocks(made, "wind_down")
    night = blocks(made, "sleep")[-1]
    assert down.end == night.start
    assert down.start >= at(TODAY, 1350)


@pytest.mark.parametrize("action", [A.MEDITATE, A.ME_TIME, A.EXERCISE])
def test_three_times_are_offered_later_and_tomorrow_is_among_them(action):
    usual = [entry(day, 1080, 1140, action, "Mine") for day in days(40, TODAY - DAY) if day.weekday() != 5]
    made = person(*usual, hour=8)
    offered = gaps(made, action, None, after=made.now)
    assert len(offered) == 3
    assert any(made.date_of(one.start) == TODAY + DAY for one in offered)
    assert offered == sorted(offered, key=lambda one: one.start)


def test_later_is_free_time_and_never_past_the_deadline():
    task = Task(key="r", list="l", title="Write report", due=TODAY + DAY)
    planned = [entry(TODAY + k * DAY, 540, 660, A.DEEP_WORK, "Write") for k in range(6) if k not in (1, 2)]
    made = person(*planned, hour=9, tasks=[task], task_actions={"r": A.DEEP_WORK})
    offered = gaps(made, A.DEEP_WORK, task, after=made.now)
    assert offered
    assert all(made.date_of(one.end - MINUTE) <= task.due for one in offered)
    assert not any(clipped(made.attended, one.start, one.end) for one in offered)


def test_an_empty_evening_hears_a_suggestion():
    saturday = person(hour=18.17, day=TODAY + DAY)
    given, held = found(saturday, 6)
    assert given
    assert not any(why.kind == "no_gap" for why in held.values())  # an assumed dinner is no reason


def test_a_task_stands_once_in_a_week():
    tasks = [Task(key="t", list="l", title="Tax return", due=TODAY + 2 * DAY)]
    made = week(person(hour=9, tasks=tasks, task_actions={"t": A.LEARN}))
    named = [b.title for k in range(5) for b in made.blocks(TODAY + k * DAY) if b.title == "Tax return"]
    assert named == ["Tax return"]


def test_a_plan_keeps_the_place_that_a_task_was_shown_at():
    tasks = [Task(key="t", list="l", title="Tax return", due=TODAY + DAY)]
    of = {"tasks": tasks, "task_actions": {"t": A.ADMIN_WORK}, "hour": 9}
    (first,) = blocks(person(**of), "task")
    shown = at(TODAY, 14 * 60), at(TODAY, 14 * 60 + 45)
    (kept,) = blocks(person(**of, places={"t": (*shown, None)}), "task")
    assert first.start < kept.start == shown[0]
