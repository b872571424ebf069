"""A law of hours that are wished: what fits into them is there, and what is not there has a reason, on any day."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bridge.advice.rescheduling import _place_of
from bridge.day import rules
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import look
from bridge.day.grid import Grid
from bridge.day.leisure import wished
from bridge.day.view import LENGTHS, of_action
from bridge.domain.facts import Fact
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.domain.types import Task
from bridge.domain.wishes import Best, Wishes
from bridge.wishes.hearing import understood
from bridge.wishes.said import applied
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, entry
from tests.day.people import ODD, Life
from tests.day.persons import HOUR, MINUTE, SUNDAY, blocks, found, free_sunday, person, week
from tests.day.test_friend_laws import lives

A = ActionType
KINDS = (A.EXERCISE, A.MEDITATE, A.LEARN, A.ME_TIME)
SPANS = ((7, 9), (6, 8), (12, 14), (17, 19), (20, 22))
AROUND = 30 * MINUTE  # of an entry: the way to it, a pause after it, and time to wash


def told(planned, day):
    """The parts of all reasons that a date's plan shows, of its blocks and of what has no place."""
    facts = [*planned.unmet(day), *(one for block in planned.blocks(day) for one in block.facts)]
    return [part for one in facts for part in one.parts()]


def broken(made, kind, span):
    """The dates of the coming days on which a kind is neither in the hours wished of it nor explained."""
    wishes = Wishes(best={kind: Best(hours=tuple((time(a), time(b)) for a, b in [span]))}, goals={kind: 7})
    planned = week(replace(made, wishes=wishes, _read={}))
    for day in (made.date_of(made.now) + k * DAY for k in range(4)):
        low, high = at(day, 60 * span[0]), at(day, 60 * span[1])
        placed = [b for b in planned.blocks(day) if b.kind == "suggested" and b.action is kind]
        if any(low <= one.start and one.end <= high for one in placed) or low < made.now:
            continue
        why = [one.kind for one in told(planned, day) if one.kind in ("wish_unmet", "outside_wished")]
        if not why and not any(o.start < at(day + DAY, 0) for o in planned_of(made, kind, day)):
            yield day, "unexplained"
        if is_free(made, day, low, high, kind) and not any(b.start < high + 2 * HOUR for b in others(planned, day)):
            yield day, "free"


def planned_of(made, kind, day):
    return [o for o, label in made.entries if label.action is kind and at(day, 0) <= o.start < at(day + DAY, 0)]


def others(planned, day):
    return [one for one in planned.blocks(day) if one.kind in ("suggested", "task")]


def is_free(made, day, low, high, kind):
    """True if hours hold a gap that is long enough, awake, on a day that nothing else speaks against."""
    grid = Grid(person=made, date=day)
    low, high = max(low, grid.wake + 15 * MINUTE), min(high, grid.bed - HOUR)
    taken = sorted((o.start - AROUND, o.end + AROUND) for o, _ in made.entries if o.end > low and o.start < high)
    edges = [low, *(edge for one in taken for edge in one), high]
    gap = max(end - start for start, end in zip(edges[::2], edges[1::2], strict=True))
    busy = float(grid.strained[-1]) > 8 * 60 or made.body.state != "well" or grid.new_zones
    return gap >= LENGTHS[kind].least * MINUTE + 15 * MINUTE and not busy and not planned_of(made, kind, day)


def people():
    for one in lives():
        yield one.values[0]
    for seed in range(12):
        yield Life(seed, ODD[seed % len(ODD)], seed % 10).person(TODAY, 5 * 60)


@pytest.mark.parametrize("number", range(20))
def test_what_is_wished_at_some_hours_is_there_or_the_plan_says_why(number):
    made = list(people())[number]
    kind, span = KINDS[number % len(KINDS)], SPANS[number % len(SPANS)]
    for one, hours in ((A.EXERCISE, (7, 9)), (kind, span)):
        assert list(broken(made, one, hours)) == []


def test_the_law_fails_where_guesses_do_not_give_way(monkeypatch):
    monkeypatch.setattr(rules, "own_hours", lambda *_: None)
    monkeypatch.setattr(rules, "own_spans", lambda *_: [])
    assert [one for made in list(people())[:8] for one in broken(made, A.EXERCISE, (7, 9))]


def wishing(*texts):
    wishes = Wishes()
    for text in texts:
        wishes = applied(wishes, understood(text))
    return wishes


def test_sport_every_morning_is_before_work_the_day_after_sport():
    made = person(hour=21.5, wishes=wishing("sport every day at 7 in the morning"))
    (sport,) = blocks(made, "suggested", TODAY + 3 * DAY)[:1]
    assert (sport.action, made.clock(sport.start)) == (A.EXERCISE, "07:10")
    assert "you wish for it from 07:00 to 09:00" in for_person(sport.facts)
    due = Task(key="t", list="l", title="Tax return", due=TODAY)
    early = person(hour=7.1, wishes=made.wishes, tasks=[due], task_actions={"t": A.ADMIN_WORK})
    assert [one.action for one in blocks(early, "suggested")][:1] == [A.EXERCISE]
    assert [one.title for one in blocks(early, "task")] == ["Tax return"]
    assert A.EXERCISE in found(early, 5)[0]


def test_a_wish_that_is_not_kept_says_why():
    wishes, monday = wishing("sport every day at 7 in the morning"), TODAY + 3 * DAY

    def why(*agenda, of=wishes, **more):
        planned = week(person(*agenda, hour=21.5, wishes=of, **more))
        return [text for text in for_person([*planned.unmet(monday), *placed(planned)]) if "wish" in text]

    def placed(planned):
        return [f for b in planned.blocks(monday) if b.action is A.EXERCISE for f in b.facts]

    standup = entry(monday, 415, 540, A.ADMIN_WORK, "Standup", others=3)
    assert why(standup)[0] == "you wish for it from 07:00 to 09:00, but Standup at 06:55 takes 07:00 to 09:00"
    none = wishing("exercise 7 times a week", "sport only before 6")
    assert why(of=none) == ["no place for what you wish (exercise): you sleep until 07:00"]
    assert why(of=wishing("exercise 7 times a week", "sport only before 8"))[0].startswith("you wish for it from 07:")
    days = wishing("exercise 7 times a week", "no sport on Mondays")
    assert why(of=days) == ["no place for what you wish (exercise): it is outside the hours and days that you set"]
    ill = Mode(kind=ModeKind.ILL, since=TODAY, until=monday, said=True)
    assert why(mode=ill) == ["no place for what you wish (exercise): you are ill"]
    assert why(of=Wishes(goals={A.EXERCISE: 3})) == []


def test_hours_wished_outweigh_what_is_learnt():
    made = person(hour=6.0, wishes=wishing("I walk every morning at 8"))
    (sport,) = [one for one in blocks(made, "suggested") if one.action is A.EXERCISE]
    assert (made.clock(sport.start), sport.title) == ("08:00", "walk")
    assert isinstance(sport.facts[0], Fact)
    assert sport.facts[0].kind == "wished_hours"
    assert sport.end - sport.start >= timedelta(minutes=30)


@pytest.mark.parametrize("action", [A.ADMIN_WORK, A.EXERCISE, A.SOCIALIZE])
@pytest.mark.parametrize(("low", "high"), [(12, 13), (10, 11), (8, 9), (17, 20), (14, 22)])
def test_hours_that_a_wish_keeps_free_leave_the_rest_of_the_day(low, high, action):
    wishes = Wishes(hours=dict.fromkeys(A, ((time(high), time(low)),)))
    view = look(free_sunday(hour=8.0, wishes=wishes), at(SUNDAY, 480))
    free = wished(of_action(action, view.person), view)
    for cell in range(view.grid.size):
        local = view.person.local(view.grid.at(cell))
        if local.date() == SUNDAY:
            assert bool(free[cell]) is not (low <= local.hour < high), local


@pytest.mark.parametrize("action", [A.ADMIN_WORK, A.DEEP_WORK, A.LEARN, None])
@pytest.mark.parametrize("title", ["Order costumes", "Mark spelling tests", "Call the bank"])
@pytest.mark.parametrize("days", [-1, 0, 3])
def test_a_moved_task_leaves_free_what_is_wished_free(action, title, days):
    """Saturday's afternoon begins at noon, and lunch is from 12 to 13."""
    wishes, saturday = Wishes(hours=dict.fromkeys(A, ((time(13), time(12)),))), TODAY + DAY
    task = Task(key="t", list="l", title=title, due=TODAY + days * DAY, effort=None if "Call" in title else 25 / 60)
    party = entry(saturday, 900, 1080, A.SOCIALIZE, "Party")
    actions = {} if action is None else {"t": action}
    one = person(party, hour=16, tasks=[task], task_actions=actions, wishes=wishes)
    start, end = _place_of(one, task, moment_at(at(saturday, 780), one.zones))
    assert at(saturday, 780) <= start < end <= at(saturday, 900)
    barred = replace(one, wishes=Wishes(days=dict.fromkeys(A, frozenset(range(5)))))
    assert _place_of(barred, task, moment_at(at(saturday, 780), one.zones)) is not None  # the person said so


@pytest.mark.parametrize(
    "of",
    [
        {"wishes": Wishes(never=frozenset({A.ADMIN_WORK}))},
        {"wishes": Wishes(days={A.ADMIN_WORK: (0, 1, 2, 3)})},
        {"wishes": Wishes(hours={A.ADMIN_WORK: ((time(14), time(16)),)})},
        {"resting": {TODAY: [(A.ADMIN_WORK, "Pay rent")]}},
        {"mode": Mode(kind=ModeKind.ILL, since=TODAY, said=True)},
        None,
    ],
    ids=["vetoed", "day", "hours", "refused", "ill", "nothing said"],
)
@pytest.mark.parametrize("minutes", [-5, 5])
def test_a_task_about_to_begin_is_taken_back_by_what_the_person_says(of, minutes):
    task = Task(key="t", list="l", title="Pay rent", due=TODAY - DAY)
    start = at(TODAY, 600 + minutes)
    kept = {"t": (start, start + 45 * MINUTE, None)}
    one = person(hour=10, tasks=[task], task_actions={"t": A.ADMIN_WORK}, places=kept, **(of or {}))
    assert any(block.start == start for block in blocks(one, "task")) == (of is None)


WORK = ("I work Monday to Friday", "I work from 9 to 5")


def places(title, *texts, day, hour, action=A.ADMIN_WORK):
    """The begins of a task due on a day, and the reasons without a place, of a person with the wishes in ``texts``."""
    task = Task(key="t", list="l", title=title, due=day)
    more = {"tasks": [task], "task_actions": {"t": action}, "wishes": wishing(*texts)}
    one = free_sunday(hour=hour, **more) if day == SUNDAY else person(hour=hour, day=day, **more)
    planned = week(one)
    starts = [one.clock(block.start) for block in planned.blocks(day) if block.title == title]
    return starts, [text for text in for_person(planned.unmet(day)) if title in text]


@pytest.mark.parametrize("texts", [WORK, ("ich arbeite von 9 bis 17 Uhr",)])
@pytest.mark.parametrize("title", ["Pay electricity bill", "Order board game", "Strom überweisen", "Payer le loyer"])
@pytest.mark.parametrize(("day", "hour"), [(TODAY, 18.2), (SUNDAY, 17.5)])
def test_hours_of_work_leave_errands_of_ones_own_to_the_evening_and_free_days(texts, title, day, hour):
    starts, unmet = places(title, *texts, day=day, hour=hour)
    assert starts, unmet
    assert starts[0] > "17:00"


@pytest.mark.parametrize(
    ("title", "action", "texts"),
    [
        ("Write test plan", A.DEEP_WORK, WORK),
        ("Fill in the staff plan", A.ADMIN_WORK, WORK),
        ("Order samples for the client", A.ADMIN_WORK, WORK),
        ("Send the invoice", A.ADMIN_WORK, WORK),
        ("Rechnung schreiben", A.ADMIN_WORK, WORK),
        ("Pay electricity bill", A.ADMIN_WORK, ("errands only from 9 to 5",)),
        ("Pay electricity bill", A.ADMIN_WORK, ("nothing after 5 pm",)),
    ],
)
def test_work_and_errands_that_a_wish_names_keep_to_its_hours(title, action, texts):
    starts, unmet = places(title, *texts, day=TODAY, hour=18.2, action=action)
    assert starts == []
    assert any("outside the hours and days that you set" in text for text in unmet), unmet
