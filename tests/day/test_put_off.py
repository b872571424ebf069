"""Things put off leave their old place until their new time: in plan, week, advice and silence they stand once."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from datetime import timedelta

import pytest

from bridge.advice import modes, rescheduling
from bridge.advice.day_plan import plan_day
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import gaps_today, look
from bridge.day.silence import quiet
from bridge.domain.records import Deed, Recommendation, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneSpan, moment_at
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.installation import Bridge
from rhythm_env.interface import ActionType, Answer

from .lives import BERLIN, DAY, TODAY, at, entry, whole_day
from .persons import A, blocks, found, person, week
from .test_kept import ask, home  # noqa: F401 - the fixture
from .test_outcomes import advice

SOON = timedelta(minutes=1)
NAME = "Write the plan"
TASK = Task(key="t", list="l", title=NAME, due=TODAY - DAY)
MOVED = at(TODAY + DAY, 12 * 60 + 30)


def test_what_is_late_gets_free_time_on_a_day_with_focus_for_something_else():
    for title, kinds in (("Design doc: writing block", {"task"}), ("Deep work", set())):
        one = person(entry(TODAY, 585, 705, A.DEEP_WORK, title), tasks=(TASK,), task_actions={"t": A.DEEP_WORK})
        assert {b.kind for b in week(one).blocks(TODAY) if b.title == TASK.title} == kinds


def test_a_due_time_is_an_end_where_room_is_before_it_and_else_the_text_says_so():
    for minutes, full, told in (
        (690, (), "due_at"),
        (690, ((480, 690),), "due_at_full"),
        (660, ((540, 570),), "due_at"),
    ):
        task = Task(key="t", list="l", title="Hand in the rota", due=TODAY, due_at=at(TODAY, minutes), effort=0.5)
        agenda = [entry(TODAY, low, high, A.ADMIN_WORK, "Handover") for low, high in full]
        one = person(*agenda, hour=7.5, tasks=(task,), task_actions={"t": A.ADMIN_WORK})
        (block,) = [b for b in week(one).blocks(TODAY) if b.title == task.title]
        assert (block.end <= task.due_at) is (told == "due_at")
        assert told in {given.kind for given in block.facts}


def test_a_due_time_in_the_morning_of_a_free_day_is_kept():
    free = TODAY + DAY
    task = Task(key="t", list="l", title="Hand in the rota", due=free, due_at=at(free, 585), effort=0.5)
    one = person(hour=7.0, day=free, tasks=(task,), task_actions={"t": A.ADMIN_WORK})
    (block,) = [b for b in week(one).blocks(free) if b.title == task.title]
    assert block.end <= task.due_at


def put_off(hour=10.0, *agenda, action=A.DEEP_WORK, what=NAME, tasks=(TASK,), day=TODAY, **of):
    """Somebody who at eight put the task off to noon of the next day."""
    given = advice(
        action,
        at(TODAY, 8 * 60),
        kind="suggested",
        what=what,
        answer=Answer.RESCHEDULE,
        moved_to=moment_at(MOVED, BERLIN),
    )
    moved = [recorded(given, start=MOVED, end=MOVED + timedelta(minutes=60))]
    actions = {task.key: action for task in tasks}
    return person(*agenda, hour=hour, day=day, tasks=tasks, task_actions=actions, advised=moved, **of)


def recorded(given, **of):
    """A recommendation as a person's days read it."""
    names = {one.name for one in fields(Recommendation)}
    read = {one.name: getattr(given, one.name) for one in fields(given) if one.name in names}
    return Recommendation(**{**read, **of})


def places(one, days=7):
    """The dates of the plan on which the task stands, as a block or as what an entry is for."""
    lived = week(one)
    stands = Counter()
    for day in (one.date_of(one.now) + k * DAY for k in range(days)):
        for block in lived.blocks(day):
            held = [told.title.reveal() for told in block.facts if told.kind == "for_task" and told.title]
            stands[day] += (block.title == NAME) + held.count(NAME)
    return +stands


def test_what_was_put_off_stands_once_at_its_new_time_and_is_not_suggested_before():
    focus = [entry(TODAY + k * DAY, 570, 630, A.DEEP_WORK, "Focus time") for k in (0, 3)]
    for mode in (Mode(), Mode(kind=ModeKind.HOLIDAY, since=TODAY, until=TODAY, said=True)):
        for agenda in ((), focus):
            for hour in (8.1, 10.0, 13.5, 16.0):
                one = put_off(hour, *agenda, mode=mode, places={"t": (at(TODAY, 960), at(TODAY, 1005), None)})
                assert places(one) == {TODAY + DAY: 1}, (mode.kind, hour)
                assert NAME not in [option.what for option in found(one)[0].values()]
                assert NAME not in " ".join(for_person(quiet(look(one, one.now), {})))


def test_once_its_new_time_is_over_unanswered_it_is_open_again():
    after = put_off(13.75, day=TODAY + DAY)
    assert places(after)
    sunday = put_off(9.0, day=TODAY + 3 * DAY)
    assert found(sunday)[0][A.DEEP_WORK].what == NAME


def test_sport_that_was_put_off_comes_no_earlier_either():
    goal = Wishes(goals={A.EXERCISE: 7})
    for hour in (8.1, 12.0):
        one = put_off(hour, action=A.EXERCISE, what=None, tasks=(), wishes=goal)
        assert A.EXERCISE not in found(one, hours=10.0)[0]
        assert not [block for block in blocks(one, "suggested") if block.action is A.EXERCISE]
        assert for_person([found(one)[1][A.EXERCISE]]) == ["you moved it to Sat at 12:30"]


def test_an_entry_for_a_task_holds_it_for_the_whole_week():
    focus = [entry(TODAY + k * DAY, 570, 690, A.DEEP_WORK, "Focus time") for k in (0, 3, 4)]
    one = person(*focus, tasks=(TASK,), task_actions={"t": A.DEEP_WORK})
    assert sum(places(one).values()) == 1


def test_a_change_of_mode_does_not_bring_back_what_was_put_off(home: tuple[Bridge, User]) -> None:  # noqa: F811
    bridge, user = home
    sunday = at(TODAY + 2 * DAY, 13 * 60, "UTC")
    only = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE}, goals={ActionType.EXERCISE: 7})
    bridge.store.people.save_wishes(user.id, only, now=sunday - DAY)
    sport = ask(home, sunday)
    assert isinstance(sport, Recommendation)
    gap = next(one for one in rescheduling.gaps(bridge, user, sport, now=sunday) if one.start > sunday + DAY / 2)
    to = moment_at(gap.start, user.zones)
    rescheduling.answer(bridge, user, sport.id, Answer.RESCHEDULE, now=sunday + SOON, moved_to=to)
    modes.say_mode(bridge.store, user, Mode(kind=ModeKind.ILL), now=sunday + 2 * SOON)
    ask(home, sunday + 3 * SOON)
    modes.say_mode(bridge.store, user, Mode(kind=ModeKind.NORMAL), now=sunday + 4 * SOON)
    for hours in (0.1, 2.0, 5.5):
        now = sunday + hours * timedelta(hours=1)
        told = ask(home, now)
        assert not isinstance(told, Recommendation) or told.id == sport.id
        stands = [
            (day, block.recommendation_id)
            for day in range(3)
            for block in plan_day(bridge, user, now.date() + day * DAY, now=now, seen=False).blocks
            if block.action is ActionType.EXERCISE and block.start < gap.end
        ]
        assert stands == [((gap.start.date() - now.date()).days, sport.id)]


def refused(day, *agenda, hour=13.5, made=12, start=14, task=TASK, action=A.DEEP_WORK, **of):
    """Somebody who refused the time at which a task was suggested."""
    began = at(day, start * 60)
    given = advice(action, at(day, made * 60), kind="suggested", what=task.title, answer=Answer.IGNORE)
    refusal = recorded(given, start=began, end=began + timedelta(minutes=45))
    actions = {task.key: action}
    return person(*agenda, hour=hour, day=day, tasks=(task,), task_actions=actions, advised=[refusal], **of)


def test_an_overdue_task_whose_time_was_refused_gets_the_next_free_time_and_no_later_trip():
    monday = TODAY + 3 * DAY
    week_of = [monday + k * DAY for k in range(1, 5)]
    named = [entry(day, 585, 675, A.DEEP_WORK, "Design doc") for day in week_of]
    trip = whole_day(monday + 5 * DAY, "Trip to Hamburg", A.ME_TIME, days=2)
    for resting in ({}, {monday: [(A.DEEP_WORK, NAME)]}):
        one = refused(monday, *named, trip, resting=resting)
        assert places(one) == {monday + DAY: 1}, resting
        assert NAME not in [option.what for option in found(one)[0].values()]


def test_what_is_due_today_moves_out_of_the_refused_part_of_the_day():
    rent = Task(key="r", list="l", title="Pay rent", due=TODAY)
    one = refused(TODAY, hour=8.0, made=7, start=10, task=rent, action=A.ADMIN_WORK)
    (block,) = blocks(one, "task")
    assert (block.title, one.local(block.start).hour >= 12) == ("Pay rent", True)
    (gap, *more) = gaps_today(replace(one, advised=()), A.ADMIN_WORK, rent, after=at(TODAY, 600))
    assert gap.start >= at(TODAY, 660)
    assert len(more) <= 2
    assert {one.date_of(other.start) for other in (gap, *more)} == {TODAY}


def test_a_late_task_stays_on_the_day_on_which_the_clock_changes():
    before = person(tasks=(TASK,), task_actions={"t": A.ADMIN_WORK})
    zones = (*BERLIN, ZoneSpan(since=before.now - SOON, zone="Europe/Helsinki"))
    moved = replace(before, known=replace(before.known, zones=zones))
    assert NAME in {b.title for b in week(before).blocks(TODAY)}
    assert NAME in {b.title for b in week(moved).blocks(TODAY)}


def test_what_is_due_today_and_put_off_to_tomorrow_stands_there_alone(home: tuple[Bridge, User], tmp_path) -> None:  # noqa: F811
    bridge, user = home
    (tmp_path / "tasks.ics").write_text(DUE_TODAY.replace("\n", "\r\n"))
    now = at(TODAY, 9 * 60, "UTC")
    runs.import_path(bridge, user, tmp_path / "tasks.ics", at=now - SOON)
    bridge.store.people.save_wishes(user.id, Wishes(), now=now - DAY)
    advised = ask(home, now)
    assert isinstance(advised, Recommendation)
    assert advised.what == "Order cake"
    to = moment_at(now + DAY, user.zones)
    moved = rescheduling.answer(bridge, user, advised.id, Answer.RESCHEDULE, now=now + SOON, moved_to=to)
    days = [plan_day(bridge, user, TODAY + n * DAY, now=now + 2 * SOON, seen=False) for n in (0, 1)]
    assert [[one.start for one in day.blocks if one.title == "Order cake"] for day in days] == [[], [moved.start]]


DUE_TODAY = f"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//y//EN
BEGIN:VTODO
UID:cake
DTSTAMP:20260101T000000Z
SUMMARY:Order cake
DUE;VALUE=DATE:{TODAY:%Y%m%d}
END:VTODO
END:VCALENDAR
"""


@pytest.mark.parametrize(
    ("title", "due"), [("Pay invoice", 0), ("Pay rent", -1), ("Write report", 0), ("Call the bank", 0)]
)
@pytest.mark.parametrize("hour", [14.0, 17.5, 20.5, 21.5])
def test_what_was_agreed_to_and_never_answered_is_open_and_comes_no_later(title, due, hour):
    task = Task(key="t", list="l", title=title, due=TODAY + due * DAY)
    given = advice(A.ADMIN_WORK, at(TODAY, 540), kind="suggested", what=title, answer=Answer.ACCEPT)
    for outcome, said in ((None, [f"{title} was to be done at 09:00 and is still open"]), (Deed.DONE, [])):
        agreed = recorded(given, start=at(TODAY, 540), end=at(TODAY, 570), outcome=outcome)
        one = person(hour=hour, tasks=(task,), task_actions={"t": A.ADMIN_WORK}, advised=[agreed])
        texts = for_person(quiet(look(one, one.now), found(one)[1]))
        assert [text for text in texts if title in text] == said, (outcome, texts)
        assert not [b for b in blocks(one, "task") if b.title == title]
