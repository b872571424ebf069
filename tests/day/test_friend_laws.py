"""Laws of what is said: facts true of the day as shown, what is due first, reasons of silences, nights, and variety."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bridge.day import terms
from bridge.day.bedtime import of_bedtime
from bridge.day.choice import look, options
from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.day.silence import quiet
from bridge.domain.facts import fact
from bridge.domain.types import Task
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, entry, known, nights, sleep, workout
from tests.day.persons import HOUR, MINUTE, blocks, person, week
from tests.day.test_any_life import any_life
from tests.day.test_engine_laws import with_tasks

A = ActionType
FREE = {"free_evening", "free_rest", "free_until"}


def lives():
    """Eight people of different lives, at six on a Monday morning."""
    monday = TODAY - 4 * DAY
    back = [monday - k * DAY for k in range(1, 43)]
    coming = [monday + k * DAY for k in range(9)]
    working = [day for day in (*back, *coming) if day.weekday() < 5]

    def line(on, start, end, action, title, others=0):
        return [entry(day, start, end, action, title, others=others) for day in on]

    trained = [workout(day, 1080, 45) for day in back if day.weekday() in (1, 3, 6)]
    choir = line([d for d in working if d.weekday() == 1], 1140, 1260, A.SOCIALIZE, "Choir", 12)
    focus = line(working, 600, 720, A.DEEP_WORK, "Focus time")
    reviews = line(working, 810, 960, A.ADMIN_WORK, "Design review", 3)
    packed = [one for k in range(12) for one in line(working, 480 + 45 * k, 525 + 45 * k, A.ADMIN_WORK, "Call", 5)]
    kids = line([*back, *coming], 1050, 1110, A.FAMILY_TIME, "Dinner with the kids")
    lectures = line(working, 600, 780, A.LEARN, "Lecture")
    shifts = line(working, 840, 1320, A.ADMIN_WORK, "Late shift")
    friends = line(back[5::9], 1140, 1320, A.SOCIALIZE, "Dinner with friends", 4)
    watched = {"office": (choir + focus + reviews, trained), "packed": (packed, trained), "parent": (kids + focus, [])}
    watched |= {"student": (lectures + friends, trained), "shifts": (shifts, trained), "empty": ([], trained)}
    watched |= {"quiet": ([], []), "social": (focus + friends, [])}
    for name, (agenda, sport) in watched.items():
        life = known([*nights(42, -60, 420, last=monday), *sport], agenda, now=at(monday, 425))
        yield pytest.param(Person(known=life, now=life.at, routine=learn_routine(life)), id=name)


def any_person(seed):
    life = any_life(seed)
    return with_tasks(Person(known=life, now=life.at, routine=learn_routine(life)))


def untrue(one, start, facts, shown):
    """The facts of free time, of work and of the usual hour that do not hold beside the entries shown."""
    bed = one.sleep(one.date_of(start) + DAY)[0]
    timed = [b for b in shown if b.kind == "entry" and not b.all_day]
    evening = at(one.date_of(start), 18 * 60)
    for told in facts:
        if told.kind == "free_evening" and any(b.start < bed and b.end > evening for b in timed):
            yield told
        if told.kind == "free_rest" and any(b.start < bed and b.end > start for b in timed):
            yield told
        if told.kind == "free_until":
            until = datetime.fromisoformat(told.values["time"])
            if any(b.start < until and b.end > start for b in timed) or all(b.start != until for b in timed):
                yield told
        if told.kind == "work_over" and any(b.action in (A.DEEP_WORK, A.ADMIN_WORK) and b.end > start for b in timed):
            yield told
        if told.kind in ("usually_done", "usually_later", "done_before"):
            usual = datetime.fromisoformat(told.values["time"])
            if abs(usual - start) > 30 * MINUTE:
                yield told


def said(one, ahead=4):
    planned, today = week(one), one.date_of(one.now)
    for day in (today + k * DAY for k in range(ahead)):
        shown = planned.blocks(day)
        for block in shown:
            if block.kind in ("suggested", "task"):
                yield block, shown


@pytest.mark.parametrize("seed", range(40))
def test_facts_of_free_time_are_true_of_any_life(seed):
    one = any_person(seed)
    for block, shown in said(one):
        assert not list(untrue(one, block.start, block.facts, shown)), block


@pytest.mark.parametrize("one", list(lives()))
def test_facts_of_free_time_are_true_of_eight_lives(one):
    seen = set()
    for block, shown in said(one, 8):
        assert not list(untrue(one, block.start, block.facts, shown)), block
        seen |= {told.kind for told in block.facts}
    assert seen


def test_a_planted_fact_of_free_time_is_found(monkeypatch):
    wrong = next(one for one in terms.TERMS if one.name == "free_time")
    wrong = replace(wrong, told=lambda *_: fact("free_evening"))
    table = [wrong if one.name == "free_time" else one for one in terms.TERMS]
    monkeypatch.setattr(terms, "TERMS", tuple(table))
    (made,) = [p.values[0] for p in lives() if p.id == "parent"]
    assert any(list(untrue(made, b.start, b.facts, shown)) for b, shown in said(made, 8))


@pytest.mark.parametrize("one", list(lives()))
def test_eight_days_hold_four_kinds_of_suggestions_without_tasks(one):
    found = {block.action for block, _ in said(one, 8) if block.kind == "suggested" and block.task is None}
    assert len(found) >= 4, found


@pytest.mark.parametrize("one", list(lives()))
def test_quiet_time_and_time_for_oneself_come_now_and_then(one):
    rests = [block.action for block, _ in said(one, 7) if block.action in (A.MEDITATE, A.ME_TIME)]
    assert all(rests.count(action) <= 4 for action in rests)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_ends_after_the_begin_of_what_is_due(seed):
    one = any_person(seed)
    for hours in range(0, 15, 3):
        begin = one.now + hours * HOUR
        view = look(one, begin)
        found, _ = options(view, (begin, begin + 6 * HOUR))
        due = [o for o in found.values() if o.task is not None and o.task.due <= view.grid.date]
        for option in found.values() if due else ():
            assert option in due or option.kind == "sleep" or option.end <= min(o.start for o in due)


def test_sport_waits_for_what_is_due_today():
    task = Task(key="t", list="l", title="Tax return", due=TODAY)
    trained = [*nights(30, -60, 420, last=TODAY), *[workout(TODAY - k * DAY, 1080, 45) for k in (8, 15, 22, 29)]]
    made = person(hour=17.2, episodes=trained, tasks=[task], task_actions={"t": A.LEARN}, work=False)
    found, held = options(look(made, made.now), (made.now, made.now + 4 * HOUR))
    assert found[A.LEARN].what == "Tax return"
    assert A.EXERCISE not in found
    assert held[A.EXERCISE].kind == "due_first"
    tomorrow = replace(made, known=replace(made.known, tasks=[replace(task, due=TODAY + DAY)]), _read={})
    found, held = options(look(tomorrow, tomorrow.now), (tomorrow.now, tomorrow.now + 4 * HOUR))
    assert A.EXERCISE in found
    assert held[A.ME_TIME].kind == "due_first"
    alone = person(hour=17.2, episodes=trained, work=False)
    assert A.EXERCISE in options(look(alone, alone.now), (alone.now, alone.now + 4 * HOUR))[0]


@pytest.mark.parametrize("seed", range(40))
def test_a_silence_names_its_reason(seed):
    one = any_person(seed)
    for hours in range(0, 24, 4):
        now = replace(one, now=one.now + hours * HOUR, _read={})
        view = look(now, now.now)
        found, held = options(view, (now.now, now.now + 3 * HOUR))
        if not found:
            first = quiet(view, held)[0]
            assert first.kind != "nothing_fits"


def test_what_is_due_today_takes_the_first_gap_and_a_meal_moves():
    task = Task(key="t", list="l", title="Write report", due=TODAY, effort=1.5)
    made = person(hour=12.3, tasks=[task], task_actions={"t": A.DEEP_WORK})
    made = replace(made, known=replace(made.known, agenda=[]), routine=replace(made.routine, habits={}), _read={})
    (block,) = (b for b in week(made).blocks(TODAY) if b.title == "Write report")
    assert block.start <= made.now + 30 * MINUTE


# Nights ---------------------------------------------------------------------------------------------------------------


def short_night(minutes):
    return [*nights(30, -60, 420, noise=0, last=TODAY - DAY), sleep(TODAY, -60 + minutes, 420)]


@pytest.mark.parametrize(("short", "earlier"), [(0, 0), (30, 0), (70, 25), (180, 85)])  # 90 at most, in steps of five
def test_after_a_short_night_bedtime_is_earlier(short, earlier):
    made, usual = person(hour=12, episodes=short_night(short)), person(hour=12, episodes=short_night(0))
    assert usual.sleep(TODAY + DAY)[0] - made.sleep(TODAY + DAY)[0] == earlier * MINUTE
    kind = of_bedtime(made, TODAY + DAY).kind
    assert kind == ("bedtime_rest" if earlier else "bedtime_usual")
    after_midnight = replace(made, now=at(TODAY + DAY, 1), _read={})
    assert after_midnight.sleep(TODAY + DAY) == made.sleep(TODAY + DAY)


def test_after_a_late_party_a_free_morning_is_slept_in():
    saturday = TODAY + DAY
    party = entry(TODAY, 1260, 1440, A.SOCIALIZE, "Party")
    free, early = person(party, hour=12), person(party, entry(saturday, 540, 600), hour=12)
    usual = person(hour=12)
    length = usual.sleep(saturday)[1] - usual.sleep(saturday)[0]
    assert free.sleep(saturday)[1] - free.sleep(saturday)[0] >= length - 10 * MINUTE
    assert early.sleep(saturday)[1] <= at(saturday, 495)
    (thursday,) = {TODAY - DAY}
    worked = person(entry(thursday - DAY, 1260, 1440, A.SOCIALIZE, "Party"), hour=12, day=thursday - DAY)
    assert worked.sleep(thursday)[1] <= at(thursday, 450)


def test_before_an_early_entry_the_night_begins_earlier():
    usual = person(hour=12)
    for begin, kind in ((330, "bedtime_leaves"), (360, "bedtime_before")):
        train = entry(TODAY + DAY, begin, 420, None, "Train")
        early = person(train, hour=12)
        assert timedelta(0) < usual.sleep(TODAY + DAY)[0] - early.sleep(TODAY + DAY)[0] <= 1.5 * HOUR
        assert of_bedtime(early, TODAY + DAY).kind == kind
    choir = person(train, entry(TODAY, 1260, 1340, A.SOCIALIZE, "Choir"), hour=12)
    assert choir.sleep(TODAY + DAY)[0] >= at(TODAY, 1340)


# Flights --------------------------------------------------------------------------------------------------------------


def test_what_collides_with_a_flight_says_so():
    flight = entry(TODAY, 720, 960, None, "Flight to Rome")
    task = Task(key="t", list="l", title="Write report", due=TODAY)
    beside = [entry(TODAY, *span, A.DEEP_WORK, "Focus time") for span in ((420, 480), (600, 690), (780, 840))]
    made = person(flight, *beside, hour=6.5, tasks=[task], task_actions={"t": A.DEEP_WORK})
    shown = {block.start: [told.kind for told in block.facts] for block in blocks(made, "entry")}
    kinds = [shown[at(TODAY, minute)] for minute in (420, 600, 720, 780)]
    assert kinds == [["for_task"], ["beside_flight"], ["leave_by"], ["beside_flight"]]
