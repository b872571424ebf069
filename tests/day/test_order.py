"""What comes first on a day, how often idle time speaks, and how nights are told."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.choice import look, options
from bridge.day.masks import LEISURE
from bridge.day.plan import Week
from bridge.day.silence import quiet
from bridge.day.terms import values
from bridge.day.view import DUE_DAYS, RESTS, of_action
from bridge.domain.rendering import for_person
from bridge.domain.types import Task
from rhythm_env.interface import ActionType, Answer

from .lives import DAY, TODAY, at, entry, nights, sleep, whole_day
from .persons import HOUR, MINUTE, SUNDAY, against, blocks, found, free_sunday, person, runs, week
from .test_friend_laws import any_person, lives
from .test_outcomes import advice
from .test_put_off import recorded

A = ActionType


def fresh(one, day):
    """The placed blocks of a day for somebody to whom nothing was said before."""
    planned = Week(person=one, ask=lambda _moment, feasible: dict.fromkeys(feasible, 0.0))
    planned.planned.update({one.date_of(one.now) + k * DAY: () for k in range((day - one.date_of(one.now)).days)})
    return planned.placed(day)


@pytest.mark.parametrize("one", list(lives()))
def test_idle_time_speaks_on_one_day_of_four_and_not_late(one):
    days = [one.date_of(one.now) + k * DAY for k in range(8)]
    for action, kind in {A.EXERCISE: "no_sport_lately"}.items():
        said = {day: [b for b in fresh(one, day) if b.action is action and b.facts[0].kind == kind] for day in days}
        assert sum(map(bool, said.values())) <= 2
        for placed in said.values():
            assert all(one.local(block.start).hour * 60 + one.local(block.start).minute <= 20 * 60 for block in placed)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_due_first_stands_first(seed):
    one = any_person(seed)
    day = one.date_of(one.now)
    due = {str(task.key): task.due for task in one.known.tasks if task.due is not None}
    placed = sorted(fresh(one, day), key=lambda block: block.start)
    for number, block in enumerate(placed):
        for after in placed[number + 1 :]:
            if after.kind == "task" and due[after.task] <= day:
                assert block.task is not None
                assert due[block.task] <= day
            if after.kind == "task" and block.action in LEISURE:
                assert block.task is not None or due[after.task] > day + DUE_DAYS * DAY


@pytest.mark.parametrize("seed", range(40))
def test_advice_is_not_later_than_a_task_that_fits_before_it(seed):
    one = any_person(seed)
    for hours in range(0, 15, 3):
        begin = one.now + hours * HOUR
        view = look(one, begin)
        for option in options(view, (begin, begin + 6 * HOUR))[0].values():
            if option.task is None and option.kind == "suggested":
                day = view.grid.date
                placed = [
                    b for b in fresh(replace(one, now=begin, _read={}), day) if b.kind == "task" and b.start >= begin
                ]
                assert all(block.end > option.start for block in placed)


def test_of_two_errands_the_one_of_today_is_advised():
    tasks = [Task(key=k, list="l", title=f"Pay {k}", due=TODAY + n * DAY) for n, k in enumerate(("rent", "gas"))]
    made = person(entry(TODAY, 720, 900, A.ADMIN_WORK, "Call"), hour=15, tasks=tasks[::-1])
    made = replace(made, task_actions={task.key: A.ADMIN_WORK for task in tasks})
    assert found(made, 6)[0][A.ADMIN_WORK].what == "Pay rent"


def test_of_tasks_of_today_the_first_of_the_plan_is_said():
    tasks = [Task(key=k, list="l", title=k, due=TODAY) for k in ("Write report", "Pay rent")]
    actions = {"Write report": A.DEEP_WORK, "Pay rent": A.ADMIN_WORK}
    made = person(entry(TODAY, 640, 780, A.ADMIN_WORK, "Review"), hour=10, tasks=tasks, task_actions=actions)
    given, held = found(made, 8)
    first = min(blocks(made, "task"), key=lambda block: block.start)
    assert [one.what for one in given.values()] == [first.title] == ["Pay rent"]
    assert held[A.DEEP_WORK].kind == "no_gap_before"  # a workshop lies before it


@pytest.mark.parametrize("answer", [None, Answer.ACCEPT])
def test_what_is_said_now_is_the_first_that_the_plan_holds_of_equal_urgency(answer):
    tasks = [Task(key=k, list="l", title=k, due=TODAY - DAY) for k in ("Read", "Book dentist")]
    said = advice(A.LEARN, at(TODAY, 456), kind="suggested", what="Read", answer=answer)
    advised = recorded(said, start=at(TODAY, 540), end=at(TODAY, 600))
    made = person(hour=7.6, tasks=tasks, task_actions={"Read": A.LEARN, "Book dentist": A.ADMIN_WORK}, work=False)
    (call,) = blocks(replace(made, advised=[advised], _read={}), "task")
    assert (call.title, call.start < at(TODAY, 540)) == ("Book dentist", answer is not None)


def test_of_two_tasks_the_one_due_sooner_is_said_first():
    tasks = [Task(key=k, list="l", title=k, due=SUNDAY + n * DAY) for n, k in ((2, "Read"), (1, "Pay rent"))]
    made = free_sunday(hour=11, tasks=tasks, task_actions={"Read": A.LEARN, "Pay rent": A.ADMIN_WORK})
    options, held = found(made)
    assert options[A.ADMIN_WORK].what == "Pay rent"
    assert held[A.LEARN].kind == "due_first"


def test_what_is_due_today_has_a_place_also_where_the_first_is_far_away():
    task = Task(key="t", list="l", title="Tax return", due=TODAY)
    full = [entry(TODAY, 490, 720, A.ADMIN_WORK, "Workshop"), entry(TODAY, 780, 980, A.ADMIN_WORK, "Workshop")]
    made = person(*full, hour=7.2, tasks=[task], task_actions={"t": A.ADMIN_WORK})
    assert [block.title for block in blocks(made, "task")] == ["Tax return"]


def test_what_is_late_takes_no_place_of_what_is_due_tomorrow():
    review = [entry(TODAY, 840, 1080, A.ADMIN_WORK, "Workshop"), entry(TODAY, 510, 690, A.ADMIN_WORK, "Review")]
    for late, agenda in ((2, []), (1, review)):  # a free day, and one of seven hours of meetings
        due = dict.fromkeys(("Tax return", "Pay invoice")[:late], -2) | {"Book dentist": 1}
        tasks = [Task(key=k, list="l", title=k, due=TODAY + n * DAY) for k, n in due.items()]
        one = person(*agenda, hour=7, tasks=tasks, task_actions=dict.fromkeys(due, A.ADMIN_WORK), work=False)
        assert {block.title for block in blocks(one, "task")} == set(due)


def test_what_has_days_of_time_is_not_said_before_work_and_a_call_takes_an_early_gap():
    pay, call = (Task(key=k, list="l", title=k, due=TODAY + 3 * DAY) for k in ("Pay rent", "Book dentist"))
    full = [entry(TODAY, 545, 570, A.ADMIN_WORK, "Standup"), entry(TODAY, 600, 770, A.ADMIN_WORK, "Workshop")]
    early = person(*full, hour=7.5, tasks=[pay], task_actions={"Pay rent": A.ADMIN_WORK})
    assert A.ADMIN_WORK not in found(early)[0]
    assert A.ADMIN_WORK not in found(replace(early, known=replace(early.known, tasks=[call]), _read={}))[0]
    caller = person(*full, hour=8.8, tasks=[call], task_actions={"Book dentist": A.ADMIN_WORK})
    assert found(caller)[0][A.ADMIN_WORK].start < at(TODAY, 600)


def test_a_habit_speaks_from_nearly_its_usual_distance_on():
    told = {}
    for last in (2, 3):
        option = found(
            free_sunday(hour=16, episodes=runs(last, *(last + 7 * k + n for k in range(1, 6) for n in (0, 1)))), 6
        )[0]
        told[last] = any("twice a week" in text for one in option.values() for text in for_person(one.facts))
    assert told == {2: False, 3: True}


def test_before_a_flight_the_way_to_the_airport_is_told():
    one = person(entry(TODAY, 720, 840, None, "Flight to Rome"), hour=7.6)
    assert for_person(quiet(look(one, one.now), {})) == ["leave for the airport by 09:30"]
    early = person(entry(TODAY, 1000, 1200, None, "Flight to Rome"), hour=11)
    assert for_person(quiet(look(early, early.now), {})) == ["leave for the airport by 14:10"]


def test_work_that_can_wait_keeps_clear_of_dinner_on_a_free_day():
    tasks = [Task(key=k, list="l", title=k, due=SUNDAY + 2 * DAY, effort=1) for k in ("Read one", "Read two")]
    made = free_sunday(hour=16.5, tasks=tasks, task_actions={task.key: A.LEARN for task in tasks})
    dinner = found(made) and look(made, made.now).grid.meals[-1]
    assert all(b.end <= dinner[0] or b.start >= dinner[1] for b in blocks(made, "task", SUNDAY))


# Nights ---------------------------------------------------------------------------------------------------------------


def test_seven_hours_are_no_short_night():
    long = nights(30, -90, 450, noise=0, last=TODAY - DAY)
    seven, six = (person(hour=12, episodes=[*long, sleep(TODAY, 450 - m, 450)]) for m in (420, 360))
    assert seven.short_of_sleep is None
    assert six.short_of_sleep == timedelta(hours=3)
    assert of_bedtime(seven, TODAY + DAY).kind == "bedtime_usual"


def test_a_bedtime_after_a_short_night_is_no_later_than_that_night_began():
    early = person(hour=12, episodes=[*nights(30, 0, 480, noise=0, last=TODAY - DAY), sleep(TODAY, -90, 240)])
    assert of_bedtime(early, TODAY + DAY).kind == "bedtime_rest"
    assert early.sleep(TODAY + DAY)[0] == at(TODAY + DAY, -90)


def test_a_race_moves_the_night_before_it_also_if_it_is_marked_as_free():
    for slept in (nights(30, 60, 500), []):
        race = entry(TODAY + DAY, 510, 660, A.EXERCISE, "City run", busy=False)
        eve, usual = (person(*agenda, hour=18.5, episodes=slept, work=False) for agenda in ([race], []))
        bed, wake = eve.sleep(TODAY + DAY)
        assert wake <= at(TODAY + DAY, 420)
        assert usual.sleep(TODAY + DAY)[0] - bed >= (30 * MINUTE if slept else timedelta(0))
        if slept:
            option = found(eve, 3)[0][A.SLEEP]
            assert (option.start, option.kind) == (bed, "sleep")
            assert "in time for your sport at 08:30" in for_person(option.facts)[0]
            assert A.SLEEP not in found(usual, 3)[0]
        morning = person(race, hour=7.3, day=TODAY + DAY, episodes=slept, work=False)
        assert for_person(quiet(look(morning, morning.now), {})) == [
            "it is time to get ready for City run at 08:30",
            "leave by 07:45",
        ]


def test_a_bedtime_after_a_sleep_by_day_says_so():
    bed, wake = (lambda day, times=times: times[day.toordinal() // 3 % 2] for times in ((-20, 450), (430, 850)))
    shifts = [*nights(42, bed, wake, last=TODAY - DAY), sleep(TODAY, 450, 850)]
    assert of_bedtime(person(hour=15, episodes=shifts, work=False), TODAY + DAY).kind == "bedtime_by_day"


def test_the_bedtime_before_an_early_entry_names_the_entry():
    for begin, told in (
        (330, "before your entry at 05:30: that leaves 7 h 5 min"),
        (360, "in time for your entry at 06:00"),
    ):
        early = person(entry(TODAY + DAY, begin, 420, None, "Train"), hour=12)
        (text,) = for_person([of_bedtime(early, TODAY + DAY)])
        assert f"today, {told}" in text


def test_after_a_late_shift_the_night_is_that_of_such_shifts():
    def late(day):
        return day.toordinal() // 7 % 2 == TODAY.toordinal() // 7 % 2

    days = [TODAY - k * DAY for k in range(42)]
    shifts = [entry(d, 840, 1320, A.ADMIN_WORK, "Late shift") for d in days if late(d) and d.weekday() < 5]
    slept = [sleep(d, *((45, 510) if late(d - DAY) else (-120, 330))) for d in days]
    one = person(*shifts, hour=12, episodes=slept, work=False)
    assert abs(one.sleep(TODAY + DAY)[0] - at(TODAY + DAY, 45)) <= 10 * MINUTE
    assert one.sleep(TODAY + DAY)[1] >= at(TODAY + DAY, 500)
    assert for_person([of_waking(one, TODAY + DAY)]) == ["you usually get up at 08:30"]
    assert not RESTS & {b.action for b in blocks(one, "task")}


def test_after_a_late_shift_a_free_morning_gives_the_sleep_that_such_nights_lack():
    days = [TODAY - k * DAY for k in range(42)]
    late = {TODAY - k * DAY for k in range(0, 42, 4)}
    shifts = [entry(d, 840, 1320, A.ADMIN_WORK, "Late shift") for d in days if d in late]
    slept = [sleep(d, *((60, 480) if d - DAY in late else (-60, 480))) for d in days]
    for meeting, until in ((None, 600), (entry(TODAY + DAY, 570, 600, title="Meeting"), 525)):
        agenda = [*shifts, *([meeting] if meeting else [])]
        one = person(*agenda, hour=12, episodes=slept, work=False)
        bed, wake = one.sleep(TODAY + DAY)
        assert abs(bed - at(TODAY + DAY, 60)) <= 10 * MINUTE
        assert at(TODAY + DAY, 500) < wake <= at(TODAY + DAY, until)
        assert of_waking(one, TODAY + DAY).kind == "waking_late"


def test_an_entry_that_cuts_the_sleep_between_night_shifts_is_its_reason():
    shifts = [entry(TODAY - k * DAY, 1275, 1875, A.ADMIN_WORK, "Night shift") for k in (1, 0)]
    for dentist, kind in ((entry(TODAY, 660, 690, title="Dentist"), "waking_early"), (None, "waking_late")):
        agenda = [*shifts, *([dentist] if dentist else [])]
        one = person(
            *agenda, day=TODAY - DAY, hour=23.5, episodes=nights(30, -60, 420, noise=0, last=TODAY - DAY), work=False
        )
        (sleep_,) = blocks(one, "sleep", TODAY)[:1]
        assert sleep_.start == at(TODAY, 480)
        assert sleep_.facts[0].kind == kind
        if dentist:
            up, bed = for_person(sleep_.facts)
            assert up == "you get up at 10:15 for your entry at 11:00"
            assert bed.endswith("that leaves 2 h 15 min in bed, 5 h 45 min less than you need")


# Days off -------------------------------------------------------------------------------------------------------------


def test_a_habit_of_work_rests_on_a_day_off():
    working, off = person(), person(whole_day(TODAY, "Day off", kind="outOfOffice"))
    assert found(working, 10)[0][A.DEEP_WORK].what == "Write"
    assert against(off, A.DEEP_WORK, 10) == "this is not working time"


def test_free_time_is_told_until_the_next_entry_itself():
    party = person(entry(TODAY, 1000, 1100, A.SOCIALIZE, "Party", others=5))
    facts = for_person(found(party, 10)[0][A.DEEP_WORK].facts)
    assert "you have 7 h 40 min without an entry, until 16:40" in facts  # not until one leaves for it
    alone = person(entry(TODAY, 500, 530, A.ADMIN_WORK, "Call"), hour=9.1)
    facts = for_person(found(alone, 10)[0][A.DEEP_WORK].facts)
    assert "you have 7 h 40 min without an entry in the rest of your working time" in facts
    assert A.DEEP_WORK not in found(replace(alone, now=at(TODAY, 606), _read={}), 10)[0]  # a gap alone is no reason


def test_free_time_is_a_reason_for_focus_only_within_a_working_week():
    """Whatever the calendar of other Saturdays holds, and never outside working time."""
    works = [entry(SUNDAY - k * DAY, 540, 900, A.DEEP_WORK, "Write") for k in range(3, 40)]
    for day, is_said in ((TODAY, True), (TODAY + DAY, False)):
        agenda = *works, entry(day, 780, 1050, A.LEARN, "Read")
        one = person(*agenda, hour=9.1, day=day, work=False)
        assert one.work(day)
        view = look(one, one.now)
        added = values(of_action(A.DEEP_WORK, one), view, np.ones(view.grid.size, dtype=np.intp))["quiet_stretch"]
        assert np.any(added) == is_said
        assert not np.any(added * ~view.grid.inside(view.grid.work))


def test_what_is_due_today_delays_the_way_home_and_is_not_cut_short():
    """In the gap between the last entry and sport, after an errand."""
    gym, call = entry(TODAY, 1110, 1185, A.EXERCISE, "Gym"), entry(TODAY, 900, 960, A.ADMIN_WORK, "1:1")
    tasks = [Task(key=k, list="l", title=k, due=TODAY) for k in ("Book dentist", "Prepare talk")]
    actions = {"Book dentist": A.ADMIN_WORK, "Prepare talk": A.DEEP_WORK}
    one = person(gym, call, hour=15.3, tasks=tasks, task_actions=actions)
    talk = next(block for block in blocks(one, "task") if block.title == "Prepare talk")
    assert talk.end - talk.start == HOUR
    assert talk.end < at(TODAY, 1095)


def test_no_paperwork_on_a_weekend_evening_unless_it_is_due_that_day():
    saturday = SUNDAY - DAY
    for due, said in ((-3, False), (-1, False), (0, True), (1, False), (2, False)):
        task = Task(key="t", list="l", title="Pay invoice", due=saturday + due * DAY)
        one = person(day=saturday, hour=18.5, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
        assert any(block.title == "Pay invoice" for block in week(one).blocks(saturday)) is said, due
        assert (A.ADMIN_WORK in found(one, 3)[0]) is said, due


def test_the_free_day_after_a_long_week_holds_what_is_due_by_the_next_day_alone():
    hours = [entry(SUNDAY - k * DAY, 480, 1080, A.ADMIN_WORK, f"Review {k}") for k in range(2, 7)]
    for due, agenda, said in ((-6, hours, False), (2, hours, False), (1, hours, True), (0, hours, True), (2, [], True)):
        task = Task(key="t", list="l", title="Read", due=SUNDAY + due * DAY)
        one = person(*agenda, day=SUNDAY, hour=12, tasks=[task], task_actions={"t": A.LEARN}, work=False)
        assert any(block.title == "Read" for block in week(one).blocks(SUNDAY)) is said, due
        assert (A.LEARN in found(one, 3)[0]) is said, due
    waits = person(*hours, day=SUNDAY, hour=12, tasks=[replace(task, due=SUNDAY - DAY)], task_actions={"t": A.LEARN})
    text = " ".join(for_person(quiet(look(waits, waits.now), found(waits)[1])))
    assert "your week held 50 hours of work and meetings, and this day is free" in text


def test_after_a_day_of_meetings_nothing_hard_comes_last():
    tasks = [Task(key=k, list="l", title=k, due=TODAY) for k in ("Read", "Tax return")]
    actions = {"Read": A.LEARN, "Tax return": A.ADMIN_WORK}
    talks = [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, f"Review {k}", others=4) for k in range(9)]
    one = person(*talks, hour=9, tasks=tasks, task_actions=actions)
    assert [block.title for block in blocks(one, "task")] in (["Read", "Tax return"], ["Read"])


def test_an_evening_with_the_children_holds_no_sport():
    kids = entry(SUNDAY, 1140, 1170, A.FAMILY_TIME, "Kids to bed")
    for agenda, said in (((), True), ((kids,), False)):
        one = free_sunday(*agenda, hour=18.2, episodes=runs(9, 12, 16, 19, 23, 26))
        assert (A.EXERCISE in found(one, 3)[0]) is said


@pytest.mark.parametrize("count", [3, 4, 6])
@pytest.mark.parametrize("last", [-1, -9])
def test_however_much_is_late_one_due_tomorrow_keeps_its_place(count, last):
    titles = [f"Letter {n}" for n in range(count)]
    tasks = [Task(key=k, list="l", title=k, due=TODAY + last * DAY, effort=0.5) for k in titles]
    tasks.append(Task(key="Tax return", list="l", title="Tax return", due=TODAY + DAY, effort=1))
    one = person(hour=7, tasks=tasks, task_actions=dict.fromkeys((*titles, "Tax return"), A.ADMIN_WORK), work=False)
    assert "Tax return" in {block.title for block in blocks(one, "task")}
