"""Rules that a friend would keep: nothing arbitrary, nothing over meals, rests, flights and family evenings."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.calendar.busy import clipped, merged
from bridge.calendar.plans import COMPANY
from bridge.day.routine import learn_routine
from bridge.domain.facts import fact, length
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Because, Reading, Task
from bridge.domain.wishes import Wishes
from bridge.planning import choice, facts
from bridge.planning.choice import NO_GROUNDS, as_wished, quiet, sensible
from bridge.planning.common_sense import options
from bridge.planning.day_plan import fixed_blocks, task_blocks
from bridge.planning.facts import reasons
from bridge.planning.night_facts import of_bedtime, of_waking
from bridge.planning.situation import Option, Situation
from bridge.planning.tasks import is_answered, length_of, task_for
from bridge.planning.waking_day import day_of
from rhythm_env.interface import ActionType, Belief, Decision, Meter

from .lives import BERLIN, DAY, TODAY, at, entry, known, nights, sleep, workout
from .test_any_life import any_life
from .test_common_sense import HOUR, MINUTE, found, situation

A = ActionType
SUNDAY = TODAY + 2 * DAY


def free_sunday(*agenda, hour=9, episodes=(), tasks=(), wishes=None):
    now = at(SUNDAY, 60 * hour)
    life = known([*nights(30, -60, 420, last=SUNDAY), *episodes], agenda, tasks, now=now)
    return Situation(known=life, now=now, routine=learn_routine(life), wishes=wishes or Wishes())


@pytest.fixture
def well_known(monkeypatch):
    """The user's habits are known, so that what speaks for a suggestion would be."""
    monkeypatch.setattr(choice, "_is_new", lambda _: False)


def test_a_new_user_of_a_calendar_gets_one_suggestion_a_day_without_a_fact():
    life = known([], now=at(SUNDAY, 60 * 9))
    made = Situation(known=life, now=life.at, routine=learn_routine(life), wishes=Wishes())
    given = suggested(made)
    assert A.MEDITATE in given
    assert COMPANY.isdisjoint(given)
    assert reasons(given[A.MEDITATE], made, {}) == (facts.TO_LEARN,)


def test_of_a_user_with_a_watch_a_fact_is_needed():
    assert not suggested(free_sunday())


def test_the_task_of_an_entry_shares_its_title():
    tasks = [Task(key=k, list="l", title=k, due=TODAY + DAY) for k in ("Prepare talk", "Write report 1")]
    agenda = [entry(TODAY, 600, 690, A.DEEP_WORK, "Write report"), entry(TODAY, 840, 900, A.DEEP_WORK, "Focus")]
    life = known(nights(30, -60, 420), agenda, tasks, now=at(TODAY, 540))
    actions = {task.key: A.DEEP_WORK for task in tasks}
    made = Situation(known=life, now=life.at, routine=learn_routine(life), task_actions=actions)
    assert [for_person(block.facts) for block in fixed_blocks(made, TODAY)] == [
        ["for: Write report 1"],
        ["for: Prepare talk"],
    ]


def suggested(made, hours=6):
    given, _ = sensible(made, (made.now, made.now + hours * HOUR))
    return {action: option for action, option in given.items() if option.kind == "suggested"}


def meetings(hours):
    return [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, "Review", others=4) for k in range(hours)]


def runs(*ago):
    return [workout(SUNDAY - days * DAY, 1080, 45) for days in ago]


@pytest.mark.usefixtures("well_known")
def test_nothing_is_suggested_without_a_fact():
    assert suggested(free_sunday()) == {}
    assert suggested(free_sunday(hour=20.5), 3) == {}


@pytest.mark.usefixtures("well_known")
def test_what_is_longer_ago_than_usual_is_a_fact():
    late, lately = free_sunday(episodes=runs(7, 13, 16, 23)), free_sunday(episodes=runs(1, 7, 10, 13, 16))
    assert told(reasons(suggested(late)[A.EXERCISE], late, {})[0]) == (
        "the last time was 7 days ago (running), and you usually do it once a week"
    )
    assert A.EXERCISE not in suggested(lately)


@pytest.mark.usefixtures("well_known")
def test_a_goal_is_a_fact_until_it_is_reached():
    goal = Wishes(goals={A.EXERCISE: 1})
    made = free_sunday(wishes=goal)
    assert for_person(reasons(suggested(made)[A.EXERCISE], made, {})) == [
        "your goal: 0 of 1 this week so far",
    ]
    assert A.EXERCISE not in suggested(free_sunday(wishes=goal, episodes=runs(2)))


def test_company_needs_somebody():
    assert {A.FAMILY_TIME, A.SOCIALIZE}.isdisjoint(suggested(free_sunday()))
    dinners = [entry(SUNDAY - days * DAY, 1140, 1290, A.SOCIALIZE, "Dinner") for days in (12, 19, 26)]
    made = free_sunday(*dinners, hour=12)
    option = suggested(made)[A.SOCIALIZE]
    assert option.end - option.start == 90 * MINUTE
    assert for_person(reasons(option, made, {})) == [
        "the last time was 12 days ago",
    ]


def test_meetings_at_work_are_no_company():
    talks = [entry(TODAY - days * DAY, 840, 900, A.SOCIALIZE, "1:1", others=1) for days in (7, 14, 21, 28)]
    assert A.SOCIALIZE not in situation(*talks).routine.habits


def test_company_is_not_squeezed_beside_company():
    friends = entry(SUNDAY, 1170, 1350, A.SOCIALIZE, "Dinner with friends")
    dates = [entry(SUNDAY - days * DAY, 1200, 1350, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    given = suggested(free_sunday(friends, *dates, hour=16))
    assert A.FAMILY_TIME not in given


def test_somebody_who_is_away_is_sent_to_no_family():
    dates = [entry(SUNDAY - days * DAY, 1200, 1350, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    made = free_sunday(*dates)
    assert A.FAMILY_TIME in suggested(made, 10)
    zones = (*BERLIN, ZoneSpan(since=at(SUNDAY, 0) - 3 * DAY, zone="America/New_York"))
    away = replace(made, known=replace(made.known, zones=zones))
    assert told(found(away, 10)[1][A.FAMILY_TIME]) == "you are away from home"


def test_after_a_long_day_comes_rest():
    made = situation(*meetings(10), hour=17.9)
    given = suggested(made)
    assert {A.EXERCISE, A.LEARN, A.DEEP_WORK}.isdisjoint(found(made)[0])
    assert given
    assert all(option.start >= at(TODAY, 1080 + 90) for option in given.values())
    assert told(reasons(given[A.ME_TIME], made, {})[0]) == "by then you have had 10 hours of meetings"
    over = situation(*meetings(10), hour=18.5)
    assert told(reasons(suggested(over)[A.ME_TIME], over, {})[0]) == "you have had 10 hours of meetings today"


def test_a_short_night_is_no_time_for_sport():
    short = [*nights(30, -60, 420, last=SUNDAY - DAY), *runs(7, 10, 13, 16, 19), sleep(SUNDAY, 90, 420)]
    life = known(short, now=at(SUNDAY, 540))
    made = Situation(known=life, now=life.at, routine=learn_routine(life))
    assert A.EXERCISE in found(made)[1]
    assert "shorter than your usual" in told(reasons(suggested(made)[A.ME_TIME], made, {})[0])


def test_sport_keeps_away_from_meals():
    made = free_sunday(hour=12, episodes=runs(7, 10, 13, 16, 19))
    lunch = day_of(made, made.now).meals[0]
    assert lunch == (at(SUNDAY, 750), at(SUNDAY, 780))
    assert suggested(made)[A.EXERCISE].start >= lunch[1] + HOUR


def test_dinner_moves_behind_an_entry_and_an_entry_can_be_a_meal():
    gym = day_of(made := free_sunday(entry(SUNDAY, 1080, 1200, A.EXERCISE, "Gym")), made.now)
    assert gym.meals[1] == (at(SUNDAY, 1200), at(SUNDAY, 1240))
    friends = day_of(made := free_sunday(entry(SUNDAY, 1110, 1290, A.SOCIALIZE, "Dinner with friends")), made.now)
    assert friends.meals[1] == (at(SUNDAY, 1110), at(SUNDAY, 1290))


def test_the_pause_before_the_children_sleep_is_theirs():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 90, 420)]
    kids = [entry(TODAY, 1050, 1110, A.FAMILY_TIME, "Dinner"), entry(TODAY, 1140, 1170, A.FAMILY_TIME, "Kids to bed")]
    made = situation(*kids, hour=18, episodes=short)
    day = day_of(made, made.now)
    assert day.with_family == [(at(TODAY, 1110), at(TODAY, 1140))]
    for option in found(made)[0].values():
        assert option.kind == "keep" or not clipped(day.with_family, option.start, option.end)


def test_an_entry_during_a_flight_is_not_to_be_kept():
    coffee = entry(SUNDAY, 900, 1020, A.SOCIALIZE, "Coffee with Lena")
    flight = entry(SUNDAY, 720, 1200, A.ADMIN_WORK, "Flight to New York")
    assert found(free_sunday(coffee, hour=13))[0][A.SOCIALIZE].kind == "keep"
    aboard = free_sunday(coffee, flight, hour=13)
    assert A.SOCIALIZE not in found(aboard)[0]
    assert {block.kind for block in fixed_blocks(aboard, SUNDAY)} == {"entry"}


def test_a_flight_takes_its_day():
    flight = entry(SUNDAY, 840, 960, A.ADMIN_WORK, "Flight to Rome")
    made = free_sunday(flight, hour=12, episodes=runs(7, 10, 13, 16, 19))
    assert suggested(made, 10) == {}
    assert A.EXERCISE in suggested(free_sunday(hour=12, episodes=runs(7, 10, 13, 16, 19)), 10)


def test_an_entry_fills_the_evening():
    choir = entry(SUNDAY, 1080, 1170, A.SOCIALIZE, "Choir")
    later = [option for option in found(free_sunday(choir, hour=17), 6)[0].values() if option.kind == "suggested"]
    assert later
    assert all(option.action is A.MEDITATE or option.end <= at(SUNDAY, 1080) for option in later)


def test_two_suggestions_of_a_day_lie_apart():
    made = free_sunday(episodes=runs(7, 10, 13, 16, 19))
    said = (A.LEARN, at(SUNDAY, 600), at(SUNDAY, 645))
    assert suggested(replace(made, previewed=[said]))[A.EXERCISE].start >= at(SUNDAY, 645) + 2 * HOUR


@pytest.mark.parametrize(
    ("title", "minutes"), [("Pay invoice", 25), ("Zahnarzt anrufen", 25), ("Tax return", 45), (None, 45)]
)
def test_an_errand_takes_as_long_as_its_words_tell(title, minutes):
    assert length_of(Task(key="k", list="l", title=title), A.ADMIN_WORK) == minutes * MINUTE


def test_an_errand_is_as_long_as_a_suggestion_as_it_is_as_a_task():
    pay = Task(key="p", list="l", title="Pay invoice", due=TODAY)
    made = replace(situation(hour=10, tasks=[pay]), task_actions={"p": A.ADMIN_WORK})
    option = suggested(made, 2)[A.ADMIN_WORK]
    (task,) = task_blocks(made, day_of(made, made.now), [])
    assert option.end - option.start == task.end - task.start == 25 * MINUTE


def test_errands_follow_each_other_and_other_tasks_lie_apart_and_few_beside_a_long_day():
    tasks = [Task(key=k, list="l", title=f"Pay {k}", due=TODAY + DAY) for k in "abc"]
    made = replace(situation(hour=9, tasks=tasks), task_actions=dict.fromkeys("abc", A.ADMIN_WORK))
    first, second = task_blocks(made, day_of(made, made.now), fixed_blocks(made, TODAY))
    assert second.start - first.end == 5 * MINUTE
    learning = replace(made, task_actions=dict.fromkeys("abc", A.LEARN))
    first, second = task_blocks(learning, day_of(made, made.now), fixed_blocks(made, TODAY))
    assert second.start - first.end >= 30 * MINUTE
    full = replace(situation(*meetings(9), hour=7, tasks=tasks), task_actions=dict.fromkeys("abc", A.ADMIN_WORK))
    assert list(task_blocks(full, day_of(full, full.now), fixed_blocks(full, TODAY))) == []


def test_nobody_is_called_on_a_sunday_and_office_work_waits_for_monday():
    call = Task(key="c", list="l", title="Call the bank", due=SUNDAY + DAY)
    report = Task(key="r", list="l", title="Write report", due=SUNDAY - DAY)
    bill = Task(key="b", list="l", title="Pay bill", due=SUNDAY + DAY)
    now = at(SUNDAY, 540)
    made = situation(tasks=[call, report, bill])
    life = replace(made.known, at=now)
    actions = {"c": A.ADMIN_WORK, "r": A.DEEP_WORK, "b": A.ADMIN_WORK}
    sunday = Situation(known=life, now=now, routine=made.routine, task_actions=actions)
    (placed,) = task_blocks(sunday, day_of(sunday, now), [])
    assert placed.title == "Pay bill"
    assert placed.start >= at(SUNDAY, 600)


@pytest.mark.parametrize(("minute", "answered"), [(479, False), (480, True), (720, False), (809, False), (810, True)])
def test_nobody_answers_a_call_at_lunch_or_before_eight(minute: int, answered: bool):
    made = situation()
    call = Task(key="c", list="l", title="Call the dentist", due=TODAY)
    assert is_answered(call, day_of(made, made.now), at(TODAY, minute)) is answered


def test_a_plan_ahead_counts_from_its_own_day_and_what_stands_before_it():
    gym = entry(TODAY + DAY, 1020, 1080, A.EXERCISE, "Gym")
    made = situation(gym, tasks=[], wishes=Wishes(goals={A.EXERCISE: 4}))
    task = Task(key="t", list="l", title="Tax return", due=TODAY + DAY)
    said = [told(facts.of_task(task, made, TODAY + days * DAY)[0]) for days in range(4)]
    assert said == ["it is due tomorrow", "it is due that day", "it is due 1 day before", "it is due 2 days before"]
    then = at(TODAY + DAY, 1200)
    monday = (TODAY + DAY).weekday() == 0
    assert (
        facts.times_this_week(made, A.EXERCISE, at=then) == facts.times_this_week(made, A.EXERCISE) * (not monday) + 1
    )
    late = replace(situation(tasks=[task]), task_actions={"t": A.LEARN})
    assert [b.title for b in task_blocks(late, day_of(late, at(TODAY + DAY, 0)), [])] == ["Tax return"]
    assert list(task_blocks(late, day_of(late, at(TODAY + 3 * DAY, 0)), [])) == []


def test_what_is_due_today_comes_before_what_is_late_anyway():
    tasks = [Task(key="l", list="l", title="Late", due=TODAY - DAY), Task(key="n", list="l", title="Now", due=TODAY)]
    made = replace(situation(tasks=tasks), task_actions=dict.fromkeys("ln", A.LEARN))
    assert task_for(made, A.LEARN).title == "Now"
    assert task_for(replace(made, titles=["Now"]), A.LEARN).title == "Late"


def test_an_entry_that_is_near_comes_before_a_suggestion():
    even = {A.DEEP_WORK: 0.1, A.MEDITATE: 0.9}
    decision = Decision(action=A.MEDITATE, belief=Belief(), scores=even, probabilities={A.MEDITATE: 1.0})
    made = situation(hour=9)
    usual = Option(action=A.MEDITATE, kind="suggested", start=made.now, end=made.now + HOUR, usual=True)
    for hours, chosen in ((1, A.DEEP_WORK), (3, A.MEDITATE)):
        keep = Option(action=A.DEEP_WORK, kind="keep", start=made.now + hours * HOUR, end=made.now + 5 * HOUR)
        assert as_wished(decision, made, {A.DEEP_WORK: keep, A.MEDITATE: usual}).action is chosen


@pytest.mark.parametrize("seed", range(60))
def test_in_any_life_suggestions_leave_time_to_live(seed):
    life = any_life(seed)
    made = Situation(known=life, now=life.at, routine=learn_routine(life))
    for hours in range(0, 24, 5):
        begin = life.at + hours * HOUR
        for action, option in options(made, (begin, begin + 6 * HOUR))[0].items():
            if option.kind != "suggested":
                continue
            day = day_of(made, begin)
            assert not clipped([*day.rests], option.start, option.end)
            assert not clipped(merged(day.journeys), option.start, option.end)
            assert option.end <= day.bed - 60 * MINUTE
            assert option.usual or option.start >= day.wake + HOUR
            assert action in (A.FAMILY_TIME, A.SOCIALIZE) or not clipped(day.meals, option.start, option.end)
            assert option.end - option.start <= timedelta(hours=4)


def test_a_task_that_a_focus_entry_takes_is_not_suggested_as_well():
    due = Task(key="t", list="l", title="Write report", due=TODAY)
    focus = entry(TODAY, 600, 720, A.DEEP_WORK, "Focus time")
    for agenda in ((), (focus,)):
        made = replace(situation(*agenda, tasks=[due], hour=9.5), task_actions={"t": A.DEEP_WORK})
        afternoon = options(made, (at(TODAY, 780), at(TODAY, 1020)))[0]
        assert (A.DEEP_WORK in afternoon) is (not agenda)


def test_what_is_done_with_others_is_not_suggested_under_its_name_where_it_is_not_planned():
    choir = [entry(TODAY - k * 7 * DAY, 1140, 1260, A.SOCIALIZE, "Choir", others=12) for k in range(1, 7)]
    made = situation(*choir, hour=17)
    assert made.routine.habits[A.SOCIALIZE].names[TODAY.weekday()] == "Choir"
    option = options(made, (made.now, made.now + 4 * HOUR))[0].get(A.SOCIALIZE)
    assert option is None or not (option.usual or option.what)


def test_nothing_is_suggested_on_the_way_to_work():
    made = situation(hour=8)
    begins = made.work(TODAY)[0][0]
    before, _ = options(made, (made.now, begins))
    assert A.MEDITATE in before
    last, _ = options(replace(made, now=begins - 45 * MINUTE), (begins - 45 * MINUTE, begins))
    assert all(option.start >= begins for option in last.values())


def test_an_earlier_night_is_no_reason_for_learning():
    slept = Because(
        fact=fact("slept_enough", length=length(482)),
        contribution=0.1,
        age_hours=30.0,
        source="whoop",
        signal="asleep",
        z=1.0,
    )
    fit = Reading(level=0.8, sd=0.1, because=(slept,), coverage=1.0)
    task = Task(key="t", list="l", title="Read", due=TODAY)
    for last, is_told in ((TODAY, True), (TODAY - DAY, False)):
        made = replace(situation(hour=10, episodes=nights(30, -60, 420, last=last)), task_actions={"t": A.LEARN})
        option = Option(action=A.LEARN, kind="suggested", start=made.now + HOUR, end=made.now + 2 * HOUR)
        assert (slept.fact in reasons(option, made, {Meter.COGNITION: fit}, task)) is is_told


def test_a_nearer_entry_is_named_beside_the_one_to_keep():
    standup = entry(TODAY, 615, 630, A.ADMIN_WORK, "Standup", others=5)
    focus = entry(TODAY, 645, 765, A.DEEP_WORK, "Focus time")
    near = situation(standup, focus, hour=10)
    kept = options(near, (near.now, near.now + 3 * HOUR))[0][A.DEEP_WORK]
    assert kept.kind == "keep"
    assert for_person(reasons(kept, near, {})) == [
        "it is in your calendar at 10:45, after Standup at 10:15",
    ]
    private = (replace(standup[0], event=replace(standup[0].event, private=True)), standup[1])
    assert for_person(reasons(kept, situation(private, focus, hour=10), {})) == [
        "it is in your calendar at 10:45, after an entry at 10:15",
    ]
    alone = situation(focus, hour=9)
    assert for_person(reasons(options(alone, (alone.now, alone.now + 3 * HOUR))[0][A.DEEP_WORK], alone, {})) == [
        "it is in your calendar at 10:45",
    ]


def test_an_entry_on_the_way_to_the_airport_is_not_to_be_kept():
    walk = entry(SUNDAY, 630, 690, A.EXERCISE, "Run")
    flight = entry(SUNDAY, 780, 1200, None, "Flight to New York")
    assert found(free_sunday(walk, hour=9), 3)[0][A.EXERCISE].kind == "keep"
    given, _ = found(free_sunday(walk, flight, hour=9), 3)
    assert A.EXERCISE not in given


def test_no_habit_is_claimed_where_no_night_is_known():
    stranger = situation(hour=18, episodes=())
    assert told(of_bedtime(stranger, TODAY + DAY)).startswith("a common bedtime is ")
    assert told(of_waking(stranger, TODAY + DAY)).startswith("a common time to get up is ")


def test_why_the_night_is_another_than_usual_is_said_truly():
    usual = situation(hour=18)
    late = situation(entry(TODAY, 1260, 1440, A.SOCIALIZE, "Party"), hour=18)
    early = situation(entry(TODAY + DAY, 330, 420, None, "Train"), hour=18)
    assert told(of_bedtime(usual, TODAY + DAY)).startswith("your usual bedtime is 23:")
    assert told(of_bedtime(late, TODAY + DAY)) == "bedtime is 00:45 today, because your day ends late"
    assert told(of_waking(usual, TODAY + DAY)).startswith("you usually get up at 07:")
    assert told(of_waking(early, TODAY + DAY)) == "you get up at 04:45 for your entry at 05:30"


def test_nothing_needs_doing_only_where_no_task_is_due():
    due = Task(key="t", list="l", title="Pay invoice", due=TODAY - DAY)
    assert told(quiet(situation(hour=20), {A.ME_TIME: NO_GROUNDS})) == "nothing needs doing now"
    assert told(quiet(situation(hour=20, tasks=[due]), {A.ME_TIME: NO_GROUNDS})) == "nothing fits now"
    flight = entry(TODAY, 780, 1000, None, "Flight to Rome")
    assert told(quiet(situation(flight, hour=9), {})) == "your flight leaves at 13:00"
    assert told(quiet(situation(flight, hour=14), {})) == "your flight lands at 16:40 local time"


@pytest.mark.usefixtures("well_known")
def test_two_workouts_are_not_called_usual():
    made = free_sunday(episodes=runs(7, 13, 16, 23))
    habit = made.routine.habits[A.EXERCISE]
    new = replace(made.routine, habits={**made.routine.habits, A.EXERCISE: replace(habit, settled=False)})
    few = replace(made, routine=new)
    assert told(reasons(suggested(few)[A.EXERCISE], few, {})[0]) == "the last time was 7 days ago (running)"
    assert "you usually do it" in told(reasons(suggested(made)[A.EXERCISE], made, {})[0])


def test_the_usual_sleep_is_that_of_the_last_six_weeks():
    """Long nights of a summer before do not make this week's nights short."""
    summer = nights(60, -60, 480, noise=0, last=TODAY - 43 * DAY)
    lately = nights(42, -60, 360, noise=0, last=TODAY - DAY)

    def short(wake):
        life = known([*summer, *lately, sleep(TODAY, -60, wake)])
        return Situation(known=life, now=at(TODAY, 12 * 60), routine=learn_routine(life)).short_of_sleep

    assert short(360) is None
    assert short(300) == HOUR
