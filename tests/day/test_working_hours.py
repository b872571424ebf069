"""Working hours and free days."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bridge.advice.modes import noticed
from bridge.day.body import ModeKind
from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.day.work import OFFICE, free_days
from bridge.domain.slots import ZoneSpan

from .lives import BERLIN, DAY, TODAY, at, days, done, entry, known, whole_day

OFFICE_WEEK = ((OFFICE,),) * 5 + ((), ())


def learnt(agenda=(), tasks=(), **of):
    return learn_routine(known((), agenda, tasks, **of))


def office(count, start=480, end=990, seed=1, weekdays=range(5)):
    """Work with a lunch break on some days of the week."""
    rng = random.Random(seed)
    found = []
    for day in days(count, TODAY - DAY):
        if day.weekday() in weekdays:
            begin, over = start + rng.gauss(0, 10), end + rng.gauss(0, 10)
            found += [entry(day, begin, 720, "DEEP_WORK"), entry(day, 780, over, "ADMIN_WORK", others=3)]
    return found


def test_without_data_the_published_hours():
    routine = learnt()
    assert routine.work == OFFICE_WEEK
    assert not routine.work_known


def test_own_hours_from_the_calendar():
    routine = learnt(office(28))
    assert routine.work_known
    for spans in routine.work[:5]:
        ((start, end),) = spans
        assert 455 < start <= 480
        assert 990 <= end < 1015
    assert routine.work[5:] == ((), ())


def test_weekdays_off_are_not_worked():
    routine = learnt(office(42, weekdays=(0, 1, 3)))
    assert [bool(spans) for spans in routine.work] == [True, True, False, True, False, False, False]


def test_a_weekday_with_a_stand_up_each_week_is_no_free_day():
    full = office(42, weekdays=(1, 3))
    stand_ups = [
        entry(day, 555, 570, "ADMIN_WORK", "Stand-up") for day in days(42, TODAY - DAY) if day.weekday() in range(5)
    ]
    evenings = [entry(day, 1140, 1155, "ADMIN_WORK", "Choir board") for day in days(42, TODAY - DAY)]
    assert [bool(spans) for spans in learnt(full).work] == [False, True, False, True, False, False, False]
    assert [bool(spans) for spans in learnt(full + stand_ups).work] == [True] * 5 + [False] * 2
    assert learnt(full + evenings).work[0] == ()


def test_weekend_work_is_found():
    routine = learnt(office(42, 600, 1080, weekdays=(2, 3, 4, 5, 6)))
    assert [bool(spans) for spans in routine.work] == [False, False, True, True, True, True, True]


@pytest.mark.parametrize("count", [14, 42])
def test_night_shifts_end_on_the_next_date(count):
    shifts = [entry(day, 1320, 1800, "ADMIN_WORK", "Night shift") for day in days(count, TODAY - 2 * DAY)]
    routine = learnt([one for one in shifts if at_weekday(one) in (0, 1, 2, 3)])
    assert [bool(spans) for spans in routine.work] == [True] * 4 + [False] * 3
    ((start, end),) = routine.work[0]
    assert (start, end) == (1320, 1800)
    ((begin, over),) = routine.work_on(date(2026, 11, 23), BERLIN)
    assert (begin, over) == (at(date(2026, 11, 23), 1320), at(date(2026, 11, 24), 360))


def test_shifts_that_come_round_have_no_usual_hours():
    starts = (360, 840, 1320)
    worked = [day for day in days(42, TODAY - DAY) if day.weekday() in range(5)]
    shifts = ((day, starts[day.isocalendar().week % 3]) for day in worked)
    routine = learnt([entry(day, start, start + 480, "ADMIN_WORK", "Shift") for day, start in shifts])
    assert all(end - start <= 960 for spans in routine.work for start, end in spans)


@pytest.mark.parametrize(("starts", "known"), [((420, 420, 810, 810), True), ((540, 540, 570, 810), False)])
def test_a_first_week_of_shifts_at_different_hours_is_no_office_week(starts, known):
    week = [TODAY - TODAY.weekday() * DAY - k * DAY for k in (7, 6, 5, 3)]
    agenda = [entry(day, start, start + 480, "ADMIN_WORK", "Shift") for day, start in zip(week, starts, strict=True)]
    routine = learnt(agenda)
    assert routine.work_known is known
    assert any(routine.work) is not known


def at_weekday(one):
    return (one[0].start + timedelta(hours=1)).weekday()


@pytest.mark.parametrize(
    ("start", "end", "bed", "wake"),
    [(1320, 1800, 420, 879), (300, 780, -219, 240), (1080, 1410, 30, 489), (540, 1020, -58, 401)],
)
def test_without_recorded_sleep_nobody_sleeps_at_work(start, end, bed, wake):
    shifts = [entry(day, start, end, "ADMIN_WORK", "Shift") for day in days(28, TODAY - 2 * DAY)]
    found = learnt(shifts).nights[3]
    assert (round(found.bed), round(found.wake)) == (bed, wake)


def test_a_divided_day_has_two_spans():
    agenda = []
    for day in days(28, TODAY - DAY):
        if day.weekday() < 5:
            agenda += [entry(day, 480, 720, "DEEP_WORK"), entry(day, 1020, 1200, "DEEP_WORK")]
    assert learnt(agenda).work[0] == ((480, 720), (1020, 1200))


def test_few_meetings_lie_within_office_hours():
    agenda = [entry(day, 660, 720, "ADMIN_WORK", others=4) for day in days(28, TODAY - DAY) if day.weekday() < 5]
    routine = learnt(agenda)
    assert routine.work[0] == (OFFICE,)
    assert routine.work_known


def test_a_calendar_with_gaps_gives_all_weekdays_the_usual_length():
    """On Tuesdays it shows the morning only, on Thursdays the afternoon only."""
    agenda = []
    for day in days(28, TODAY - DAY):
        if day.weekday() < 5:
            morning = [entry(day, 540, 570, "ADMIN_WORK", others=5), entry(day, 600, 660, "DEEP_WORK")]
            agenda += morning if day.weekday() == 1 else [entry(day, 960, 1020, "ADMIN_WORK", others=2)]
            agenda += morning if day.weekday() in (0, 2) else []
    for spans in learnt(agenda).work[:5]:
        assert spans == ((540, 1020),)


def test_a_short_friday_in_a_full_calendar_stays_short():
    weekdays = [day for day in days(28, TODAY - DAY) if day.weekday() < 5]
    agenda = [entry(day, 540, 720 if day.weekday() == 4 else 1020, "DEEP_WORK") for day in weekdays]
    assert learnt(agenda).work[:5] == (((540, 1020),),) * 4 + (((540, 720),),)


def test_half_a_day_every_day_stays_half_a_day():
    agenda = [entry(day, 480, 750, "DEEP_WORK") for day in days(28, TODAY - DAY) if day.weekday() < 5]
    assert learnt(agenda).work[0] == ((480, 750),)


def test_errands_are_no_work():
    agenda = [entry(day, 600, 660, "ADMIN_WORK", "Groceries") for day in days(42, TODAY - DAY) if day.weekday() == 5]
    routine = learnt(agenda)
    assert routine.work == OFFICE_WEEK
    assert not routine.work_known


def test_lectures_in_office_hours_are_work_and_an_evening_class_is_not():
    lectures = [entry(day, 540, 720, "LEARN") for day in days(28, TODAY - DAY) if day.weekday() < 5]
    classes = [entry(day, 1140, 1260, "LEARN") for day in days(28, TODAY - DAY) if day.weekday() == 1]
    routine = learnt([*lectures, *classes])
    assert routine.work_known
    assert routine.work[1] == ((540, 720),)


def test_tasks_done_show_work_from_monday_to_friday():
    tasks = [done(day, minute) for day in days(28, TODAY - DAY) for minute in (605, 700, 840, 905)]
    routine = learnt((), tasks)
    assert routine.work_known
    assert [bool(spans) for spans in routine.work] == [True] * 5 + [False] * 2


def test_vacation_is_not_held_against_a_workday():
    away = [*days(14, TODAY - DAY)]
    agenda = [one for one in office(28) if one[0].start < at(away[0], 0)]
    trip = whole_day(away[0], "Vacation in Portugal", "ME_TIME", days=14)
    assert all(learnt([*agenda, trip]).work[:5])


def test_what_is_to_come_does_not_count():
    now = at(TODAY - 30 * DAY, 720)
    assert learnt(office(28), now=now) == learnt((), now=now)


def test_rows_in_any_order():
    agenda = office(42) + [entry(day, 1200, 1260, "LEARN") for day in days(9)]
    first = known((), agenda)
    assert learn_routine(replace(first, agenda=list(reversed(first.agenda)))) == learn_routine(first)


@pytest.mark.parametrize(
    "one",
    [
        whole_day(TODAY, "Vacation"),
        whole_day(TODAY, "Familienurlaub", "FAMILY_TIME"),
        whole_day(TODAY - DAY, "Lisbon", "ME_TIME", days=3),
        whole_day(TODAY, "Out", kind="outOfOffice"),
        entry(TODAY, 0, 1440, None, "Out of office", kind="outOfOffice"),
        whole_day(TODAY, "Buß- und Bettag", calendar="en.german#holiday@group.v.calendar.google.com", busy=False),
    ],
)
def test_a_free_day(one):
    found = known((), [one])
    assert TODAY in free_days(found)
    assert TODAY + 4 * DAY not in free_days(found)


@pytest.mark.parametrize(
    "one",
    [
        whole_day(TODAY, "Anna's birthday", kind="birthday"),
        whole_day(TODAY, "Recycling", "ADMIN_WORK"),
        whole_day(TODAY, None, private=True),
        entry(TODAY, 780, 840, "ME_TIME", "Plan the vacation"),
        entry(TODAY, 780, 900, None, "Out of office", kind="outOfOffice"),
    ],
)
def test_no_free_day(one):
    assert TODAY not in free_days(known((), [one]))


def test_work_on_a_named_day_is_work():
    named = whole_day(TODAY, "Mother's Day", calendar="holidays", busy=False)
    assert TODAY not in free_days(known((), [named, entry(TODAY, 540, 1000, "DEEP_WORK")]))


@pytest.mark.parametrize(
    ("of", "asked"),
    [
        (None, True),
        ({"others": 13}, False),
        ({"action": "DEEP_WORK"}, False),
        ({"action": "ME_TIME"}, True),
        ({"others": 3, "recurrence": ("RRULE:FREQ=DAILY",)}, True),
    ],
)
def test_work_entered_for_a_free_day_is_no_holiday(of, asked):
    """A series goes on in everybody's holidays. What is entered for one of these days does not."""
    away = whole_day(TODAY, "Vacances de la Toussaint", days=14)
    event = {"action": None, "title": "Conseil"} | (of or {})
    agenda = [*office(42), away, *([] if of is None else [entry(TODAY + 3 * DAY, 840, 1020, **event)])]
    life = known((), agenda, now=at(TODAY, 480))
    found = noticed(Person(known=life, now=life.at, routine=learn_routine(life)))
    assert (ModeKind.HOLIDAY in [kind for kind, _ in found]) == asked


def test_hours_follow_the_clock():
    routine = learnt(office(28))
    zones = (*BERLIN, ZoneSpan(since=datetime(2026, 11, 22, tzinfo=UTC), zone="America/New_York"))
    monday = date(2026, 11, 23)
    ((here, _),), ((there, _),) = routine.work_on(monday, BERLIN), routine.work_on(monday, zones)
    assert there - here == timedelta(hours=6)
    ((summer, _),) = routine.work_on(date(2027, 4, 5), BERLIN)
    assert summer.hour == here.hour - 1
    assert routine.work_on(date(2026, 11, 22), BERLIN) == []
