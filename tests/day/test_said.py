"""Reasons a stranger would accept: what an evening lies between, hard days, dated nights, entries marked as free."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from bridge.day.body import Mode, ModeKind, body_of
from bridge.day.choice import look
from bridge.day.silence import quiet
from bridge.day.terms import facts, values
from bridge.day.view import of_action
from bridge.domain.facts import fact, length
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Because, Reading, Task
from rhythm_env.interface import ActionType, Meter

from .lives import DAY, TODAY, at, entry, nights, sleep, whole_day, workout
from .persons import HOUR, SUNDAY, against, blocks, found, free_sunday, meetings, person, runs, week

A = ActionType
EVENINGS = "evenings are kept free of such work"
LATE = "it is 8 days late; if it matters no more, move or delete it in your task list"


def said(one, action, day=TODAY):
    return [for_person(b.facts) for b in blocks(one, "suggested", day) if b.action is action]


def test_an_evening_is_worth_something_by_what_it_lies_between() -> None:
    made = person(hour=8)
    assert said(person(hour=18), A.ME_TIME) == [["your week held 16 hours of work and meetings, and tomorrow is free"]]
    assert said(made, A.BINGE_WATCH, TODAY + DAY) == [["no work today or tomorrow"]]
    assert said(made, A.MEDITATE, SUNDAY) == [["a quiet close of your free days: your working week begins tomorrow"]]
    assert not [one for day in (TODAY + k * DAY for k in (3, 4, 5)) for one in said(made, A.ME_TIME, day)]
    early = person(entry(SUNDAY + DAY, 480, 540, A.ADMIN_WORK, "Call"), hour=8)
    assert said(early, A.MEDITATE, SUNDAY) == [
        ["a quiet close of your free days: your working week begins tomorrow at 08:00"]
    ]
    odd = [
        entry(TODAY - k * DAY, 540, 1020, A.ADMIN_WORK, "Work") for k in range(42) if (TODAY - k * DAY).weekday() < 3
    ]
    wednesday = person(*odd, hour=8, day=TODAY - 2 * DAY, work=False)
    assert said(wednesday, A.ME_TIME, TODAY - 2 * DAY) == []
    booked = person(entry(TODAY + DAY, 540, 600, A.ADMIN_WORK, "Call"), hour=8)
    assert said(booked, A.ME_TIME) == []


def test_a_thin_reason_is_enough_only_for_a_day_that_holds_nothing_else() -> None:
    """A free evening, or that something was done before, is no reason beside a task; a figure clearly off is one."""
    task = Task(key="t", list="l", title="Read", due=TODAY + 2 * DAY)
    saturday = {"hour": 9, "day": TODAY + DAY}
    busy = person(**saturday, tasks=[task], task_actions={"t": A.LEARN})
    assert said(person(**saturday), A.BINGE_WATCH, TODAY + DAY)
    assert said(busy, A.BINGE_WATCH, TODAY + DAY) == []
    kinds = {why.kind for one in found(person(hour=18), 6)[0].values() for why in one.facts}
    assert {"done_before", "last_time"}.isdisjoint(kinds)
    stress = Because(
        signal="stress", source=None, z=-2.0, contribution=-0.3, age_hours=1.0, fact=fact("stress", mean=60, usual=30)
    )
    calm = Reading(level=0.4, sd=0.05, coverage=1.0, because=(stress,))
    for reading, given in ((calm, True), (replace(calm, because=()), False)):
        later = replace(task, due=TODAY + 3 * DAY)
        one = person(hour=15, tasks=[later], task_actions={"t": A.LEARN}, readings={Meter.SERENITY: reading})
        options = found(one, 6, {Meter.SERENITY: reading})[0]
        assert (A.MEDITATE in options) is given
    assert (
        "stress 60 over the last six hours" in for_person(found(one, 6, {Meter.SERENITY: calm})[0][A.MEDITATE].facts)[0]
    )


def test_the_evening_before_a_night_shift_is_no_close_of_free_days() -> None:
    working = [day for day in (TODAY + k * DAY for k in range(-40, 9)) if day.weekday() < 5]
    shifts = [entry(day, 1320, 1800, A.ADMIN_WORK, "Night shift") for day in working]
    assert said(person(*shifts, hour=8, work=False), A.MEDITATE, SUNDAY) == []
    late = entry(SUNDAY + DAY, 1320, 1380, A.ADMIN_WORK, "Call")
    assert said(person(late, hour=8), A.MEDITATE, SUNDAY) == []


def test_a_low_level_is_told_once() -> None:
    night = Because(
        signal="sleep",
        source=None,
        z=-2.0,
        contribution=-0.4,
        age_hours=2.0,
        fact=fact("low_vitality", level=0.3, sd=0.1),
    )
    low = Reading(level=0.3, sd=0.05, coverage=1.0, because=(night,))
    one = replace(person(hour=12), readings={Meter.VITALITY: low})
    for option in found(one)[0].values():
        assert {"low_level", "low_vitality"} - {fact.kind for fact in option.facts}, option.action


def test_after_three_hard_days_comes_time_for_oneself() -> None:
    """Seven hours a day are none."""
    for end, hours in ((1260, None), (1320, 24)):
        shifts = [entry(TODAY + k * DAY, 840, end, A.ADMIN_WORK, "Late shift") for k in range(-20, 3)]
        option = found(person(*shifts, hour=9.2, work=False))[0].get(A.ME_TIME)
        told_facts = [] if option is None else for_person(option.facts)
        given = [] if hours is None else [f"the three days before this one held {hours} hours of work and meetings"]
        assert told_facts == given


def test_hours_of_a_day_are_told_to_the_half_hour() -> None:
    talks = [entry(TODAY, 480, 1050, A.ADMIN_WORK, "Review", others=4)]
    told_facts = [why for b in blocks(person(*talks, hour=7), "suggested") for why in for_person(b.facts)]
    assert "by then you have had 9 h 30 min of meetings" in told_facts


def test_what_comes_after_an_entry_is_not_said_just_before_it() -> None:
    """The plan shows it all the same."""
    agenda = *meetings(9), entry(TODAY, 1110, 1170, A.LEARN, "Class")
    for hour, is_said in ((18.1, True), (18.3, False)):
        one = person(*agenda, hour=hour)
        given, held = found(one, 6)
        assert bool(given) is is_said, hour
        assert [b.start >= at(TODAY, 1170) for b in blocks(one, "suggested")] == [True]
    assert [why.kind for why in quiet(look(one, one.now), held)] == ["entry_next"]


def test_four_hours_of_meetings_are_no_reason_to_rest() -> None:
    for count, rests in ((4, False), (8, True)):
        made = person(*meetings(count), hour=7)
        kinds = {one.kind for b in blocks(made, "suggested") for one in b.facts}
        assert bool(kinds & {"tiring", "tiring_then"}) is rests


def test_signs_name_their_night_and_those_of_an_earlier_one_are_no_reason() -> None:
    now = at(TODAY, 540)
    for hours, day in ((2.0, "Friday"), (26.0, "Thursday")):
        signs = fact("illness_signs", signs=(fact("resting_hr_up"),))
        sign = Because(signal="illness", source=None, z=-1.0, contribution=-0.1, age_hours=hours, fact=signs)
        body = body_of(Reading(level=0.6, sd=0.1, coverage=1.0, because=(sign,)), now=now)
        assert told(body.facts[0]) == f"your night into {day} showed resting heart rate up"
        low = Reading(level=0.6, sd=0.1, coverage=1.0, because=(sign,))
        one = replace(person(hour=9), readings={Meter.VITALITY: low})
        assert A.MEDITATE not in found(one)[0]  # ten quiet minutes are no answer to signs of illness
        evening = replace(one, now=at(TODAY, 1110), _read={})
        rest = found(evening)[0].get(A.ME_TIME)
        assert (rest is not None and rest.facts[0].kind == "signs_of_night") is (day == "Friday")
        earlier = evening.routine.sleep_ending_on(TODAY + DAY, evening.zones)[0] - evening.sleep(TODAY + DAY)[0]
        assert (earlier >= timedelta(minutes=25)) is (day == "Friday")


def test_what_one_attends_keeps_its_time_though_it_is_marked_as_free() -> None:
    race = entry(SUNDAY, 570, 900, A.EXERCISE, "Ten mile run", busy=False)
    one = free_sunday(race, hour=9, episodes=runs(7, 14, 21, 28))
    assert against(one, A.EXERCISE) == "it is planned at 09:30"
    assert all(b.start >= at(SUNDAY, 900) or b.end <= at(SUNDAY, 570) for b in blocks(one, "suggested"))


def test_nothing_is_said_inside_an_entry_or_the_sleep_that_the_plan_shows() -> None:
    """Unless the night is known to be over, as by the watch."""
    race = entry(SUNDAY, 540, 900, A.EXERCISE, "Ten mile run", busy=False)
    inside = free_sunday(race, hour=9.5, episodes=runs(7, 14, 21, 28))
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY), *runs(2, 9, 16, 23)]
    task = Task(key="t", list="l", title="Pay rent", due=SUNDAY)
    due = {"day": SUNDAY, "work": False, "tasks": [task], "task_actions": {"t": A.ADMIN_WORK}}
    asleep, stranger = (person(hour=6.3, episodes=nights, **due) for nights in (slept, ()))
    woken = person(hour=6.3, episodes=[*slept, sleep(SUNDAY, -60, 372)], **due)
    for one, kind in ((inside, "lasts_until"), (asleep, "asleep_now"), (stranger, "asleep_common")):
        given, held = found(one, 6)
        assert not given
        assert {why.kind for why in held.values()} == {kind}
        assert [why.kind for why in quiet(look(one, one.now), held)] == [kind]
    assert A.ADMIN_WORK in found(woken, 6)[0]


def test_after_three_hours_of_sleep_rest_comes_before_what_can_wait() -> None:
    slept = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 240, 420)]
    tasks = [Task(key=str(k), list="l", title=f"Read {k}", due=TODAY + k * DAY) for k in (0, 3)]
    for hour in (9, 13, 17.5, 19):
        one = person(hour=hour, episodes=slept, tasks=tasks[1:], task_actions={"3": A.LEARN})
        given, held = found(one, 6)
        assert {option.action for option in given.values()} <= {A.SLEEP, A.ME_TIME}
        if not given:
            assert for_person(quiet(look(one, one.now), held))[0] == "a short night: 2 h 46 min"
    due = person(hour=17.5, episodes=slept, tasks=tasks, task_actions={"0": A.LEARN, "3": A.LEARN})
    assert found(due, 6)[0][A.LEARN].what == "Read 0"


def test_hours_in_which_something_can_be_fetched_are_no_work() -> None:
    """Seven hours of a packet pickup are not attended, and half an hour at the daycare is."""
    pickup = entry(TODAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
    one = person(pickup, hour=12.5, day=TODAY, work=False)
    assert not one.attended
    assert not [b for b in blocks(one, "suggested") if {"tiring", "tiring_then"} & {why.kind for why in b.facts}]
    assert [b.title for b in blocks(one, "entry")] == ["Race packet pickup"]
    children = person(entry(TODAY, 720, 750, A.FAMILY_TIME, "Pick up kids"), hour=12.1, work=False)
    assert quiet(look(children, children.now), {})[0].kind == "entry_until"


def test_an_all_day_entry_of_the_family_is_time_with_the_family() -> None:
    dates = [entry(SUNDAY - days * DAY, 1200, 1350, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    assert A.FAMILY_TIME in found(free_sunday(*dates), 10)[0]
    visit = whole_day(SUNDAY, "Grandparents", A.FAMILY_TIME)
    assert against(free_sunday(*dates, visit), A.FAMILY_TIME, 10) == "your calendar has it on this day"


def test_company_of_saturdays_is_not_looked_for_on_a_thursday() -> None:
    thursday = TODAY - DAY
    parties = [entry(thursday - days * DAY, 1200, 1380, A.SOCIALIZE, "Party") for days in (12, 19, 26)]
    assert A.SOCIALIZE not in found(person(*parties, hour=12, day=thursday, work=False), 10)[0]
    assert A.SOCIALIZE in found(person(*parties, hour=12, day=TODAY, work=False), 10)[0]


def test_a_rest_is_advised_for_soon_or_not_at_all() -> None:
    one = person(*meetings(8), hour=14)
    assert A.ME_TIME not in found(one, 6)[0]
    assert A.ME_TIME in found(replace(one, now=at(TODAY, 1065), _read={}), 6)[0]


def test_family_waits_for_the_evening_of_a_working_day() -> None:
    dates = [entry(TODAY - days * DAY, 1140, 1260, A.FAMILY_TIME, "Date night") for days in (12, 17, 22)]
    option = found(person(*dates, hour=9, work=False), 12)[0][A.FAMILY_TIME]
    assert option.start >= at(TODAY, 1020)


@pytest.mark.parametrize(
    ("due", "text"),
    [
        (None, "nothing needs doing: the evening is yours"),
        (
            TODAY - 2 * DAY,
            f"Tax return waits (it was due yesterday): {EVENINGS}, and tomorrow at 11:30 suits it",
        ),
    ],
)
def test_a_silence_says_something_that_helps(due, text) -> None:
    tasks = [] if due is None else [Task(key="t", list="l", title="Tax return", due=due)]
    one = person(*meetings(3), hour=20.6, day=TODAY - DAY, tasks=tasks, task_actions={"t": A.ADMIN_WORK})
    assert for_person(quiet(look(one, one.now), found(one)[1])) == [text]


def test_a_task_that_must_wait_is_told_its_time_of_tomorrow() -> None:
    call = Task(key="t", list="l", title="Call the dentist", due=SUNDAY)
    one = free_sunday(hour=10.5, tasks=[call], task_actions={"t": A.ADMIN_WORK})
    (text,) = for_person(quiet(look(one, one.now), found(one)[1]))
    assert text == "Call the dentist waits (it is due today): offices are closed today, and tomorrow at 08:00 suits it"
    focus, report = (
        entry(TODAY, 600, 720, A.DEEP_WORK, "Focus time"),
        Task(key="t", list="l", title="Report", due=TODAY),
    )
    late = person(
        focus,
        hour=20.6,
        day=TODAY - DAY,
        work=False,
        tasks=[replace(report, due=TODAY - 2 * DAY)],
        task_actions={"t": A.DEEP_WORK},
    )
    (text,) = for_person(quiet(look(late, late.now), found(late)[1]))
    assert text.endswith(f"{EVENINGS}, and tomorrow at 10:00 suits it")


def test_sport_that_was_missed_moves_or_the_silence_says_so() -> None:
    noon = [workout(SUNDAY - days * DAY, 700, 40) for days in (7, 14, 21, 28, 35)]
    one = free_sunday(hour=13.5, episodes=noon)
    option = found(one, 5)[0][A.EXERCISE]
    assert "today it has not been yet" in " ".join(for_person(option.facts))
    booked = free_sunday(entry(SUNDAY, 870, 1200, A.ADMIN_WORK, "Move house"), hour=13.5, episodes=noon)
    told_why = for_person(quiet(look(booked, booked.now), found(booked, 5)[1]))
    assert told_why[0].startswith("no sport today, although you usually do it at 11:")
    raced = free_sunday(entry(SUNDAY, 450, 620, A.EXERCISE, "City run"), hour=13.5, episodes=noon)
    assert "hour_over" not in {one.kind for one in quiet(look(raced, raced.now), found(raced, 5)[1])}
    late = free_sunday(hour=18.5, episodes=noon)
    assert "hour_over" not in {one.kind for one in quiet(look(late, late.now), found(late, 5)[1])}
    trained = free_sunday(hour=13.5, episodes=[*noon, workout(SUNDAY, 700, 40)])
    assert A.EXERCISE not in found(trained, 5)[0]


def test_an_entry_hours_away_is_not_why_nothing_is_said() -> None:
    call = entry(TODAY, 660, 720, A.ADMIN_WORK, "Call")
    for hour, text in ((9.5, "nothing needs doing before your entry at 11:00"), (10.5, "you have an entry at 11:00")):
        one = person(call, hour=hour, work=False)
        assert for_person(quiet(look(one, one.now), {})) == [text]


def test_sport_of_the_morning_explains_no_silent_evening() -> None:
    one = free_sunday(hour=20.8, episodes=[*runs(7, 14), workout(SUNDAY, 600, 40)])
    assert for_person(quiet(look(one, one.now), found(one)[1])) == ["nothing needs doing: the evening is yours"]


def test_an_input_that_measures_a_night_or_little_is_no_reason() -> None:
    """Company in hours of sleep, and a light load; the next input that says something is told instead."""
    entries, company = fact("entries_twelve_hours", length=length(120.0)), fact("company_now", length=length(0.0))
    other = Because(
        signal="stress", source=None, z=-2.0, contribution=-0.2, age_hours=1.0, fact=fact("stress", mean=60, usual=30)
    )
    for action, meter, signal, why in (
        (A.MEDITATE, Meter.SERENITY, "meetings", entries),
        (A.FAMILY_TIME, Meter.CONNECTION, "company_now", company),
    ):
        little = Because(signal=signal, source=None, z=-2.0, contribution=-0.3, age_hours=0.0, fact=why)
        for because, expected in (((little,), None), ((little, other), "stress")):
            readings = {meter: Reading(level=0.4, sd=0.05, coverage=1.0, because=because)}
            view = look(person(hour=9, readings=readings), person(hour=9).now, readings)
            added = values(of_action(action, view.person), view, np.ones(view.grid.size, dtype=np.intp))
            told_facts = facts(of_action(action, view.person), view, view.now, added)
            whys = [one.values["why"].kind for one in told_facts if one.kind == "low_because"]
            assert whys == ([] if expected is None else [expected])
            assert "low_level" not in {one.kind for one in told_facts}


def test_overdue_work_takes_a_free_day_within_a_week_and_else_says_when_it_comes() -> None:
    task = Task(key="t", list="l", title="Write report", due=SUNDAY - 2 * DAY)
    one = person(hour=9.2, day=SUNDAY, tasks=[task], task_actions={"t": A.DEEP_WORK})
    option = found(one)[0][A.DEEP_WORK]
    assert (option.what, option.start) == ("Write report", at(SUNDAY, 600))
    (placed,) = [block for block in blocks(one, "task") if block.title == "Write report"]
    assert placed.start == option.start
    old = person(hour=9.2, day=SUNDAY, tasks=[replace(task, due=SUNDAY - 8 * DAY)], task_actions={"t": A.DEEP_WORK})
    assert for_person(quiet(look(old, old.now), {})) == [
        f"Write report waits ({LATE}), but today is not a working day, and the next is Monday"
    ]
    away = Mode(kind=ModeKind.HOLIDAY, since=SUNDAY + DAY, until=SUNDAY + 3 * DAY)
    soon = replace(old, mode=Mode(planned=(away,)))
    assert for_person(quiet(look(soon, soon.now), {})) == [
        f"Write report waits ({LATE}), but today is not a working day, and the next is Thursday"
    ]


def test_an_entry_that_ends_at_midnight_takes_the_rest_of_the_day() -> None:
    for end, said in ((1440, "for the rest of the day"), (2100, "until 11:00"), (3000, "for the rest of the day")):
        one = free_sunday(entry(SUNDAY, 0, end, None, "Away", kind="outOfOffice"), hour=12)
        assert for_person(quiet(look(one, one.now), {})) == [f"you have an entry {said}"]


def test_an_entry_of_three_days_names_them_and_takes_no_hours_of_them() -> None:
    kinds = []
    for days in (2, 5):
        school = entry(SUNDAY - DAY, 480, 480 + 1440 * days, A.FAMILY_TIME, "School holiday")
        one = free_sunday(school, hour=12)
        kinds.append({why.kind for why in quiet(look(one, one.now), {})} & {"entry_until", "entry_all_day"})
        assert [block.title for block in blocks(one, "entry")] == ["School holiday"]
    assert kinds == [{"entry_until"}, set()]


def test_whose_nights_are_unknown_hears_of_a_common_bedtime_and_of_an_empty_saturday() -> None:
    for ahead in range(5, 7):  # Wednesday and Thursday
        evening = person(hour=21.8, day=TODAY + ahead * DAY, episodes=())
        given = found(evening)[0]
        assert for_person(given[A.SLEEP].facts) == ["a common bedtime is 23:00; your nights are not known yet"]
    saturday = person(hour=18.17, day=TODAY + DAY, episodes=())
    given, held = found(saturday, 6)
    assert given
    assert not any(why.kind == "no_gap" for why in held.values())  # an assumed dinner is no reason


def test_what_is_due_today_still_fits_after_half_past_eight() -> None:
    task = Task(key="t", list="l", title="Pay invoice", due=TODAY)
    one = person(hour=20.5, tasks=[task], task_actions={"t": A.ADMIN_WORK})
    assert found(one)[0][A.ADMIN_WORK].start < at(TODAY, 1245)


def test_a_usual_hour_stands_though_somebody_else_would_eat_then() -> None:
    trained = [*nights(30, -60, 420, last=SUNDAY), *[workout(SUNDAY - k * DAY, 1140, 45) for k in (7, 14, 21, 28)]]
    one = person(day=SUNDAY, hour=15, episodes=trained, work=False)
    (block,) = [b for b in week(one).blocks(SUNDAY) if b.action is A.EXERCISE]
    assert abs(block.start - at(SUNDAY, 1140)) <= timedelta(minutes=15)
    assert block.end - block.start == 0.75 * HOUR


def test_a_gap_alone_is_no_reason_for_focus() -> None:
    works = [entry(TODAY - k * DAY, 540, 660, A.DEEP_WORK, "Write") for k in range(1, 40, 2)]
    call = entry(TODAY, 960, 1020, A.ADMIN_WORK, "Call")
    late = person(*works, call, hour=13.8, work=False)
    assert against(late, A.DEEP_WORK) == "nothing speaks for it now"
    task = Task(key="t", list="l", title="Report", due=TODAY)
    due = person(*works, call, hour=13.8, work=False, tasks=[task], task_actions={"t": A.DEEP_WORK})
    assert found(due)[0][A.DEEP_WORK].what == "Report"


def test_a_silence_before_a_usual_hour_names_it_and_gives_no_evening_away() -> None:
    course = [entry(TODAY - 7 * k * DAY, 1140, 1185, A.LEARN, "Course") for k in range(1, 6)]
    one = person(*course, hour=17.5, work=False)
    (why,) = quiet(look(one, one.now), {})
    assert for_person([why]) == ["nothing needs doing now; usual at 19:00: learn (Course)"]
    later = replace(one, now=at(TODAY, 1200), _read={})
    assert "usual_later" not in {why.kind for why in quiet(look(later, later.now), {})}


def test_nobody_is_told_to_have_had_what_was_never_done() -> None:
    """Blame no rule that takes nothing away where too little of the day is left for anything."""
    task = Task(key="t", list="l", title="Update roadmap", due=SUNDAY - DAY)
    for hour in (22.65, 22.99):
        late = person(hour=hour, day=SUNDAY, work=False, tasks=[task], task_actions={"t": A.DEEP_WORK})
        for hours in (0.3, 1.35):
            assert "had_lately" not in {why.kind for why in found(late, hours)[1].values()}, (hour, hours)


def test_the_last_time_is_that_of_the_kind_which_is_named():
    football = [entry(TODAY - k * DAY, 660, 750, A.EXERCISE, "Football") for k in (3, 10, 12, 17, 19, 24, 26)]
    after = [entry(TODAY - k * DAY, 1080, 1120, A.EXERCISE, "Running") for k in (14, 21, 28, 35)]
    one = person(*football, *after, hour=9)
    (texts,) = said(one, A.EXERCISE)
    assert any(text.startswith("the last time was 14 days ago") for text in texts), texts
