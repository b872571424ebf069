"""Rules that a friend would keep: nothing arbitrary, nothing over meals, rests, flights and family evenings."""

from dataclasses import replace

import pytest

from bridge.calendar.busy import clipped
from bridge.calendar.plans import COMPANY
from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.choice import look, needed, options
from bridge.day.rules import RULES
from bridge.day.silence import quiet
from bridge.day.view import Said, minutes_of, of_action, of_task
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import EpisodeKind, Reading, Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType, Meter

from .lives import BERLIN, DAY, TODAY, at, entry, nights, sleep, whole_day
from .persons import HOUR, MINUTE, SUNDAY, against, blocks, found, free_sunday, grid, meetings, person, runs, week

A = ActionType


def suggested(one, hours=6.0):
    return {action: option for action, option in found(one, hours)[0].items() if option.kind == "suggested"}


def test_every_suggestion_has_a_reason_that_weighs_something():
    for hour in (9, 12, 15, 18, 20):
        for option in suggested(free_sunday(hour=hour)).values():
            assert option.facts[0].weight > 0.1


def test_company_needs_somebody():
    assert COMPANY.isdisjoint(suggested(free_sunday()))
    dinners = [entry(SUNDAY - days * DAY, 1140, 1290, A.SOCIALIZE, "Dinner") for days in (12, 19, 26)]
    option = suggested(free_sunday(*dinners, hour=12))[A.SOCIALIZE]
    assert option.end - option.start == 90 * MINUTE
    assert "the last time was 12 days ago" in for_person(option.facts)[0]


@pytest.mark.parametrize("action", [A.SOCIALIZE, A.EXERCISE, A.FAMILY_TIME])
def test_an_entry_that_may_be_of_the_action_makes_its_last_time_one_that_the_calendar_tells(action):
    done = [entry(SUNDAY - days * DAY, 1140, 1230, action, "Dinner") for days in (11, 18, 25, 32)]
    for ago, runner_up, confidence, doubted in (
        (4, action, 0.5, True),
        (2, action, 0.7, True),
        (4, A.LEARN, 0.5, False),
        (4, action, 0.9, False),
        (13, action, 0.5, False),
    ):
        other, label = entry(SUNDAY - ago * DAY, 1140, 1200, A.ME_TIME, "At the lake")
        unsure = other, replace(label, confidence=confidence, runner_up=runner_up)
        texts = for_person(suggested(free_sunday(*done, unsure, hour=12))[action].facts)
        told = next(text for text in texts if "11 days ago" in text)
        assert ("as far as your calendar tells" in told) is doubted, (ago, told)


def test_the_task_of_an_entry_shares_its_title():
    tasks = [Task(key=k, list="l", title=k, due=TODAY + DAY) for k in ("Prepare talk", "Write report 1")]
    agenda = [entry(TODAY, 600, 690, A.DEEP_WORK, "Write report"), entry(TODAY, 840, 900, A.DEEP_WORK, "Focus")]
    made = person(*agenda, hour=9, tasks=tasks, task_actions={task.key: A.DEEP_WORK for task in tasks})
    assert [for_person(b.facts) for b in blocks(made, "entry")] == [["for: Write report 1"], ["for: Prepare talk"]]
    assert not blocks(made, "task")


def test_an_entry_with_a_subject_of_its_own_is_no_time_for_another_task():
    task = Task(key="t", list="l", title="Prepare talk", due=TODAY + DAY)
    agenda = [entry(TODAY, 600, 690, A.DEEP_WORK, "Write report")]
    made = person(*agenda, hour=9, tasks=[task], task_actions={"t": A.DEEP_WORK})
    assert [b.facts for b in blocks(made, "entry")] == [()]
    assert [b.task for b in (*blocks(made, "task"), *blocks(made, "suggested"))] != []


def test_what_is_longer_ago_than_usual_is_a_fact():
    late, lately = free_sunday(episodes=runs(7, 13, 16, 23)), free_sunday(episodes=runs(1, 7, 10, 13, 16))
    assert "the last time was 7 days ago (running), and you usually do it once a week" in for_person(
        suggested(late)[A.EXERCISE].facts
    )
    assert not any("ago" in text for text in for_person(getattr(suggested(lately).get(A.EXERCISE), "facts", ())))


def test_a_goal_is_a_fact_until_it_is_reached():
    goal = Wishes(goals={A.EXERCISE: 1})
    made = free_sunday(wishes=goal)
    assert for_person(suggested(made)[A.EXERCISE].facts)[0] == "your goal: 0 of 1 this week so far"
    reached = suggested(free_sunday(wishes=goal, episodes=runs(2))).get(A.EXERCISE)
    assert reached is None or "goal" not in {fact.kind for fact in reached.facts}


def test_meetings_at_work_are_no_company():
    talks = [entry(TODAY - days * DAY, 840, 900, A.SOCIALIZE, "1:1", others=1) for days in (7, 14, 21, 28)]
    assert A.SOCIALIZE not in person(*talks).routine.habits


def test_company_is_not_squeezed_beside_company():
    friends = entry(SUNDAY, 1170, 1350, A.SOCIALIZE, "Dinner with friends")
    dates = [entry(SUNDAY - days * DAY, 1200, 1350, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    assert A.FAMILY_TIME not in suggested(free_sunday(friends, *dates, hour=16))


def test_somebody_who_is_away_is_sent_to_no_family():
    dates = [entry(SUNDAY - days * DAY, 1200, 1350, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    made = free_sunday(*dates)
    assert A.FAMILY_TIME in suggested(made, 10)
    zones = (*BERLIN, ZoneSpan(since=at(SUNDAY, 0) - 3 * DAY, zone="America/New_York"))
    away = replace(made, known=replace(made.known, zones=zones), _read={})
    assert against(away, A.FAMILY_TIME, 10) == "you are away from home"


def test_after_a_long_day_comes_rest():
    made = person(*meetings(10), hour=17.9)
    given = {block.action: block for block in blocks(made, "suggested")}
    assert {A.EXERCISE, A.LEARN, A.DEEP_WORK}.isdisjoint(given)
    assert all(option.start >= at(TODAY, 1080 + 90) for option in given.values())
    assert for_person(given[A.ME_TIME].facts)[0] == "by then you have had 10 h of meetings"
    over = person(*meetings(10), hour=18.5)
    assert for_person(suggested(over)[A.ME_TIME].facts)[0] == "you have had 10 h of meetings today"


def test_hours_of_learning_are_called_study_as_nobody_knows_of_a_class():
    learnt = [entry(TODAY, 540 + 110 * k, 630 + 110 * k, A.LEARN, "Anatomy chapters") for k in range(5)]
    one = person(*learnt, hour=18.5, work=False)
    assert grid(one).strain_kinds() == ("study",)
    assert "of study today" in for_person(suggested(one)[A.ME_TIME].facts)[0]


def test_hours_in_a_train_are_called_travel():
    ride = entry(TODAY, 780, 965, A.ADMIN_WORK, "ICE 578 nach Hamburg")
    assert grid(person(entry(TODAY, 540, 720, A.LEARN, "Lab"), ride, hour=18.5)).strain_kinds() == ("travel", "study")


def test_a_short_night_is_no_time_for_sport():
    short = [*nights(30, -60, 420, last=SUNDAY - DAY), *runs(7, 10, 13, 16, 19), sleep(SUNDAY, 90, 420)]
    made = person(day=SUNDAY, hour=9, episodes=short, work=False)
    assert A.EXERCISE in found(made)[1]
    assert "shorter than your usual" in for_person(suggested(made)[A.ME_TIME].facts)[0]


def test_after_little_sleep_a_nap_comes_before_time_for_oneself():
    short = [*nights(30, -60, 420, last=SUNDAY - DAY), sleep(SUNDAY, 100, 420)]
    options, held = found(person(day=SUNDAY, hour=12, episodes=short, work=False))
    assert A.SLEEP in options
    assert held[A.ME_TIME].kind == "nap_first"


def test_after_a_short_night_rest_comes_before_ten_quiet_minutes():
    tired = {Meter.SERENITY: Reading(level=0.4, sd=0.05, coverage=1.0)}
    for bed, short in ((0, 1), (75, 1), (90, 1), (-60, 0)):  # 7, 5:45, 5:30 and 8 hours, of 7:40 usually
        slept = [*nights(30, -40, 420, last=SUNDAY - DAY), sleep(SUNDAY, bed, 420)]
        for hour in (9, 12, 15.5):
            made = person(day=SUNDAY, hour=hour, episodes=slept, work=False)
            options, held = found(made, 3, tired)
            refused = getattr(held.get(A.MEDITATE), "kind", "") == "nap_first"
            assert refused == (short and bed > 0 and hour < 13)
            assert not refused or A.MEDITATE not in options
        assert (A.SLEEP in found(person(day=SUNDAY, hour=12, episodes=slept, work=False))[0]) == (bed > 0)


def test_who_sleeps_little_as_a_rule_naps_after_less_still():
    slept = [*nights(30, 45, 420, last=SUNDAY - DAY), sleep(SUNDAY, 90, 420)]  # 5:30 of 6:15 hours
    made = person(day=SUNDAY, hour=12, episodes=slept, work=False)
    assert A.SLEEP in found(made)[0]


def test_no_lot_takes_away_what_the_body_needs_or_is_due_today():
    short = [*nights(30, -60, 420, last=SUNDAY - DAY), sleep(SUNDAY, 100, 420)]
    tasks = [Task(key=k, list="l", title=k, due=SUNDAY + n * DAY) for n, k in enumerate(("Pay rent", "Read"))]
    of = {"day": SUNDAY, "work": False, "task_actions": {"Pay rent": A.ADMIN_WORK, "Read": A.LEARN}}
    for slept, due, expected in ((short, [], {A.SLEEP}), (None, tasks, {A.ADMIN_WORK}), (None, tasks[1:], set())):
        made = person(hour=12, episodes=slept, tasks=due, **of)
        options = found(made, 2)[0].items()
        assert {action for action, one in options if needed(one, look(made, made.now))} == expected


def test_the_eve_of_an_early_race_hears_of_its_bedtime():
    race = entry(SUNDAY, 450, 600, A.EXERCISE, "Half marathon", others=1)
    for bed, wake, told_then in ((60, 465, ["bedtime_leaves"]), (-60, 420, ["bedtime_before"])):
        slept = nights(30, bed, wake, last=SUNDAY - DAY, noise=5)
        eve = person(race, day=SUNDAY - DAY, hour=20.5, episodes=slept, work=False)
        night = eve.night(SUNDAY)
        assert (night.wake, night.moved) == (at(SUNDAY, 330), "early_entry")
        assert at(SUNDAY, bed) - night.bed >= 35 * MINUTE or bed < 0
        option = found(eve)[0].get(A.SLEEP)
        assert bed < 0 or [one.kind for one in option.facts][:1] == told_then
        assert [b.facts[0].kind for b in blocks(eve, "wind_down")] == told_then
    party = entry(SUNDAY - DAY, 1200, 1425, A.SOCIALIZE, "Party", others=4)
    late = person(race, party, day=SUNDAY - DAY, hour=18.5, episodes=nights(30, 30, 480, last=SUNDAY - DAY, noise=5))
    assert late.night(SUNDAY).wake - late.night(SUNDAY).bed < 6 * HOUR
    assert A.SLEEP not in found(late)[0]  # the party comes before it
    assert "bedtime_leaves" in {one.kind for one in quiet(look(late, late.now), found(late)[1])}


def test_a_usual_nap_in_the_evening_is_not_advised():
    naps = [sleep(SUNDAY - k * DAY, 1120, 1150, kind=EpisodeKind.NAP) for k in (7, 14, 21, 28)]
    made = free_sunday(hour=9, episodes=naps)
    assert A.SLEEP in made.routine.habits
    view = look(made, made.now)
    rule = next(rule for rule in RULES if rule.name == "hours")
    assert not rule.mask(of_action(A.SLEEP, made), view)[view.grid.up(at(SUNDAY, 900)) :].any()


def test_sport_keeps_away_from_meals():
    made = free_sunday(hour=12, episodes=runs(7, 10, 13, 16, 19))
    lunch = grid(made).meals[0]
    assert lunch == (at(SUNDAY, 750), at(SUNDAY, 780))
    assert suggested(made)[A.EXERCISE].start >= lunch[1] + HOUR


def test_dinner_moves_behind_an_entry_and_an_entry_can_be_a_meal():
    gym = grid(free_sunday(entry(SUNDAY, 1080, 1200, A.EXERCISE, "Gym")))
    assert gym.meals[1] == (at(SUNDAY, 1200), at(SUNDAY, 1240))
    friends = grid(free_sunday(entry(SUNDAY, 1110, 1290, A.SOCIALIZE, "Dinner with friends")))
    assert friends.meals[1] == (at(SUNDAY, 1110), at(SUNDAY, 1290))


def test_the_pause_before_the_children_sleep_is_theirs():
    short = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 90, 420)]
    kids = [entry(TODAY, 1050, 1110, A.FAMILY_TIME, "Dinner"), entry(TODAY, 1140, 1170, A.FAMILY_TIME, "Kids to bed")]
    made = person(*kids, hour=18, episodes=short)
    assert grid(made).with_family == [(at(TODAY, 1110), at(TODAY, 1140))]
    assert not any(clipped(grid(made).with_family, o.start, o.end) for o in suggested(made).values())


def test_a_flight_takes_its_day():
    flight = entry(SUNDAY, 840, 960, A.ADMIN_WORK, "Flight to Rome")
    assert suggested(free_sunday(flight, hour=12, episodes=runs(7, 10, 13, 16, 19)), 10) == {}
    assert A.EXERCISE in suggested(free_sunday(hour=12, episodes=runs(7, 10, 13, 16, 19)), 10)


def test_an_entry_fills_the_evening():
    choir = entry(SUNDAY, 1080, 1170, A.SOCIALIZE, "Choir")
    later = suggested(free_sunday(choir, hour=17), 6)
    assert all(option.action is A.MEDITATE or option.end <= at(SUNDAY, 1080) for option in later.values())


def test_two_suggestions_of_a_day_lie_apart():
    made = free_sunday(episodes=runs(7, 10, 13, 16, 23))
    said = Said(action=A.LEARN, start=at(SUNDAY, 600), end=at(SUNDAY, 645), foreseen=True)
    view = replace(look(made, made.now), said=[said])
    assert options(view, (made.now, made.now + 6 * HOUR))[0][A.EXERCISE].start >= at(SUNDAY, 645) + 2 * HOUR


@pytest.mark.parametrize(
    ("title", "minutes"), [("Pay invoice", 25), ("Zahnarzt anrufen", 25), ("Tax return", 45), (None, 45)]
)
def test_an_errand_takes_as_long_as_its_words_tell(title, minutes):
    assert minutes_of(Task(key="k", list="l", title=title), A.ADMIN_WORK) == minutes


def test_an_errand_is_as_long_as_a_suggestion_as_it_is_as_a_task():
    pay = Task(key="p", list="l", title="Pay invoice", due=TODAY)
    made = person(hour=10, tasks=[pay], task_actions={"p": A.ADMIN_WORK})
    option, (task,) = suggested(made, 2)[A.ADMIN_WORK], blocks(made, "task")
    assert option.end - option.start == task.end - task.start == 25 * MINUTE


def test_tasks_lie_apart_and_few_beside_a_long_day():
    tasks = [Task(key=k, list="l", title=f"Pay {k}", due=TODAY + DAY) for k in "abc"]
    of = {"tasks": tasks, "task_actions": dict.fromkeys("abc", A.ADMIN_WORK)}
    first, second = blocks(person(hour=9, **of), "task")
    assert second.start - first.end >= 5 * MINUTE
    learning = person(hour=9, tasks=tasks, task_actions=dict.fromkeys("abc", A.LEARN))
    first, second = blocks(learning, "task")
    assert second.start - first.end >= 30 * MINUTE
    assert blocks(person(*meetings(9), hour=7, **of), "task") == []


def test_nobody_is_called_on_a_sunday_and_office_work_waits_for_monday():
    call = Task(key="c", list="l", title="Call the bank", due=SUNDAY + DAY)
    report = Task(key="r", list="l", title="Write report", due=SUNDAY - 8 * DAY)
    bill = Task(key="b", list="l", title="Pay bill", due=SUNDAY + DAY)
    actions = {"c": A.ADMIN_WORK, "r": A.DEEP_WORK, "b": A.ADMIN_WORK}
    sunday = person(day=SUNDAY, hour=9, tasks=[call, report, bill], task_actions=actions)
    (placed,) = blocks(sunday, "task")
    assert placed.title == "Pay bill"
    assert placed.start >= at(SUNDAY, 600)
    late = person(day=SUNDAY, hour=9, tasks=[replace(call, due=SUNDAY)], task_actions=actions)
    assert for_person(quiet(look(late, late.now), {})) == [
        "Call the bank waits (it is due today): offices are closed today, and tomorrow at 08:00 suits it"
    ]


@pytest.mark.parametrize(
    ("title", "calendar", "days", "closed"),
    [
        ("Weekend in Galway", "mine", 3, False),
        ("Annual leave", "mine", 1, False),
        ("August bank holiday", "mine", 1, True),
        ("Liberation Day", "Holidays in Ireland", 1, True),
    ],
)
def test_offices_close_on_public_holidays_and_not_for_a_journey_or_leave(title, calendar, days, closed):
    call = Task(key="c", list="l", title="Call the bank", due=TODAY)
    label = A.ME_TIME if days > 1 else None
    off = whole_day(TODAY, title, label, days=days, calendar=calendar)
    one = person(off, hour=8.5, tasks=[call], task_actions={"c": A.ADMIN_WORK}, work=False)
    assert one.free_day(TODAY)
    assert len(blocks(one, "task", TODAY)) == (not closed)
    assert [unmet.values["why"].kind for unmet in week(one).unmet(TODAY)] == ["offices_closed"] * closed


@pytest.mark.parametrize(
    ("minute", "answered"),
    [(479, False), (480, True), (720, False), (809, False), (810, True), (1015, True), (1020, False)],
)
def test_nobody_answers_a_call_at_lunch_or_before_eight(minute, answered):
    call = Task(key="c", list="l", title="Call the dentist", due=TODAY)
    made = person(hour=6, tasks=[call], task_actions={"c": A.ADMIN_WORK})
    rule = next(rule for rule in RULES if rule.name == "calls")
    view = look(made, at(TODAY, 540))
    cells = rule.mask(of_task(call, made), view)
    cell = max(int(i) for i, begin in enumerate(view.grid.minutes) if begin <= minute)
    inside = bool(cells[cell]) if view.grid.minutes[cell] == minute // 5 * 5 else False
    assert inside is answered


def test_what_needs_an_office_is_over_when_it_closes():
    for title in ("Book dentist", "Renew passport at the town hall", "Call the bank"):
        task = Task(key="c", list="l", title=title, due=TODAY)
        of = {"tasks": [task], "task_actions": {"c": A.ADMIN_WORK}, "work": False}
        (block,) = blocks(person(hour=16.3, **of), "task")
        assert block.end <= at(TODAY, 1020)
        assert not blocks(person(hour=16.8, **of), "task")


def test_nobody_trains_on_the_eve_of_a_race_or_the_day_after():
    trained = runs(4, 7, 11, 14, 18, 21, 25)
    for day, hour in ((SUNDAY, 540), (SUNDAY - DAY, 900), (SUNDAY + DAY, 540)):
        race = entry(day, hour, hour + 120, A.EXERCISE, "Ten mile run")
        assert A.EXERCISE not in suggested(free_sunday(race, hour=11.5, episodes=trained), 8)
    assert A.EXERCISE in suggested(free_sunday(hour=11.5, episodes=trained), 8)


def test_what_is_due_today_comes_before_what_is_late_anyway():
    tasks = [Task(key="l", list="l", title="Late", due=TODAY - DAY), Task(key="n", list="l", title="Now", due=TODAY)]
    made = person(hour=17.5, tasks=tasks, task_actions=dict.fromkeys("ln", A.LEARN))
    assert suggested(made)[A.LEARN].what == "Now"


def test_a_task_that_a_focus_entry_takes_is_not_suggested_as_well():
    due = Task(key="t", list="l", title="Write report", due=TODAY)
    focus = entry(TODAY, 600, 720, A.DEEP_WORK, "Focus time")
    for agenda in ((), (focus,)):
        made = person(*agenda, tasks=[due], hour=9.5, task_actions={"t": A.DEEP_WORK})
        assert (A.DEEP_WORK in suggested(made, 8)) is (not agenda)


def test_what_is_done_with_others_is_not_suggested_under_its_name_where_it_is_not_planned():
    choir = [entry(TODAY - k * 7 * DAY, 1140, 1260, A.SOCIALIZE, "Choir", others=12) for k in range(1, 7)]
    made = person(*choir, hour=17)
    assert made.routine.habits[A.SOCIALIZE].names[TODAY.weekday()] == "Choir"
    option = suggested(made, 4).get(A.SOCIALIZE)
    assert option is None or option.what is None


def test_nothing_is_suggested_on_the_way_to_work():
    made = person(hour=8)
    begins = made.work(TODAY)[0][0]
    assert all(not (begins - 45 * MINUTE <= o.start < begins) for o in suggested(made, 4).values())


def test_no_habit_is_claimed_where_no_night_is_known():
    stranger = person(hour=18, episodes=(), work=False)
    assert told(of_bedtime(stranger, TODAY + DAY)).startswith("a common bedtime is ")
    assert told(of_waking(stranger, TODAY + DAY)).startswith("a common time to get up is ")


def test_old_nights_are_told_with_the_date_of_the_last():
    for ago, bed, up in (
        (6, "your usual bedtime is 23:", "you usually get up at "),
        (8, "until 12 November", "until 12 November"),
        (40, "until 11 October", "until 11 October"),
    ):
        last = TODAY - ago * DAY
        old = person(hour=18, episodes=nights(30, -60, 420, last=last))
        for fact, words in ((of_bedtime(old, TODAY + DAY), bed), (of_waking(old, TODAY + DAY), up)):
            assert words in told(fact), (ago, told(fact))


def test_why_the_night_is_another_than_usual_is_said_truly():
    usual = person(hour=18)
    late = person(entry(TODAY, 1260, 1440, A.SOCIALIZE, "Party"), hour=18)
    early = person(entry(TODAY + DAY, 330, 420, None, "Train"), hour=18)
    assert told(of_bedtime(usual, TODAY + DAY)).startswith("your usual bedtime is 23:")
    assert told(of_bedtime(late, TODAY + DAY)) == "bedtime is 00:45 today, because your day ends late"
    assert told(of_waking(usual, TODAY + DAY)).startswith("you usually get up at 07:")
    assert told(of_waking(early, TODAY + DAY)) == "you get up at 04:45 for your entry at 05:30"


def test_a_silence_says_the_first_reason_that_holds():
    flight = entry(TODAY, 780, 1000, None, "Flight to Rome")
    for hour, text in ((9, "leave for the airport by 10:30"), (14, "your flight lands at 16:40 local time")):
        one = person(flight, hour=hour)
        assert [told(why) for why in quiet(look(one, one.now), {})] == [text]
    asleep = person(hour=3)
    assert [told(why) for why in quiet(look(asleep, asleep.now), {})] == ["you are usually asleep now"]


def test_two_workouts_are_not_called_usual():
    made = free_sunday(episodes=runs(7, 13, 16, 23))
    habit = made.routine.habits[A.EXERCISE]
    new = replace(made.routine, habits={**made.routine.habits, A.EXERCISE: replace(habit, settled=False)})
    few = suggested(replace(made, routine=new))[A.EXERCISE]
    assert "the last time was 7 days ago (running)" in for_person(few.facts)
    assert any("you usually do it" in text for text in for_person(suggested(made)[A.EXERCISE].facts))
    swims = suggested(replace(made, wishes=Wishes(named={A.EXERCISE: "swim"}), _read={}))[A.EXERCISE]
    assert not any("you usually do it" in text for text in for_person(swims.facts))  # of all sport together


def test_the_usual_sleep_is_that_of_the_last_six_weeks():
    """Long nights of a summer before do not make this week's nights short."""
    summer = nights(60, -60, 480, noise=0, last=TODAY - 43 * DAY)
    lately = nights(42, -60, 360, noise=0, last=TODAY - DAY)

    def short(wake):
        return person(hour=12, episodes=[*summer, *lately, sleep(TODAY, -60, wake)]).short_of_sleep

    assert short(360) is None
    assert short(300) == HOUR


def test_a_low_level_speaks_for_what_lifts_it_and_against_what_lowers_it():
    low = {meter: Reading(level=0.7, sd=0.1, coverage=1.0) for meter in Meter}
    tired = {**low, Meter.SERENITY: Reading(level=0.4, sd=0.1, coverage=1.0)}
    one = person(hour=18)
    plain, given = found(one, 6, low)[0], found(one, 6, tired)[0]
    assert A.MEDITATE not in plain
    assert "your serenity is low (0.40, 0.70 is your normal)" in for_person(given[A.MEDITATE].facts)
    weak = {**low, Meter.VITALITY: Reading(level=0.3, sd=0.1, coverage=1.0)}
    assert A.EXERCISE not in found(one, 6, weak)[0]
