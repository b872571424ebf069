"""Laws of wishes that hold on some days: they are obeyed on these, change nothing on others, and are undone at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta

import pytest

from bridge.day.bedtime import of_bedtime
from bridge.day.choice import look, options
from bridge.day.routine import Habit
from bridge.day.view import Said
from bridge.domain.errors import SetupError
from bridge.domain.occasions import Occasion
from bridge.domain.rendering import for_person
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wish_terms import night_on, wished_on
from bridge.domain.wishes import Barred, Best, Lasts, NightWish, Spare, Wishes
from bridge.wishes.hearing import understood
from bridge.wishes.said import applied, standing, without
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, entry
from tests.day.persons import HOUR, found, person, week

A = ActionType
QUIET = Wishes(goals={A.MEDITATE: 7})
MONDAY = TODAY - TODAY.weekday() * DAY
HOLDS = (  # today, and not a week or a month away
    Occasion(since=TODAY, until=TODAY),
    Occasion(until=TODAY + DAY),
    Occasion(since=TODAY - DAY, until=TODAY + DAY),
    Occasion(months=frozenset({TODAY.month})),
    Occasion(every=2, first=MONDAY),
    Occasion(nth=frozenset({(TODAY.day - 1) // 7 + 1})),
)
NOT = (
    Occasion(since=TODAY + DAY),
    Occasion(until=TODAY - DAY),
    Occasion(months=frozenset({TODAY.month % 12 + 1})),
    Occasion(every=2, first=MONDAY + 7 * DAY),
    Occasion(every=3, first=MONDAY - 7 * DAY),
    Occasion(nth=frozenset({(TODAY.day - 1) // 7 % 4 + 2})),
)


@pytest.mark.parametrize("when", HOLDS)
def test_a_wish_is_obeyed_on_its_days(when: Occasion) -> None:
    barred = Barred(days=frozenset(range(7)), hours=((time(0), time(17)),))
    for term in (
        Wishes(never=frozenset({A.MEDITATE})),
        Wishes(days={A.MEDITATE: frozenset(range(7)) - {TODAY.weekday()}}),
        Wishes(hours={A.MEDITATE: ((time(20), time(21)),)}),
        Wishes(barred={A.MEDITATE: (barred,)}),
    ):
        made = person(hour=9.0, wishes=replace(QUIET, terms={when: term}))
        assert A.MEDITATE in found(person(hour=9.0, wishes=QUIET), 2)[0]
        assert A.MEDITATE not in found(made, 2)[0]
    none = person(hour=9.0, wishes=replace(QUIET, terms={when: Wishes(suggestions=0)}))
    assert all(option.kind != "suggested" for option in found(none, 3)[0].values())
    asked = person(hour=18, wishes=Wishes(terms={when: Wishes(best={A.LEARN: Best(hours=((time(19), time(21)),))})}))
    assert look(asked, asked.now).wishes.best
    long = person(hour=9.0, wishes=replace(QUIET, terms={when: Wishes(lengths={A.MEDITATE: Lasts(least=25)})}))
    given = found(long, 2)[0][A.MEDITATE]
    assert given.end - given.start >= timedelta(minutes=25)


@pytest.mark.parametrize("when", NOT)
def test_a_wish_changes_nothing_on_other_days(when: Occasion) -> None:
    term = Wishes(never=frozenset({A.MEDITATE}), night=NightWish(bed=time(20)), suggestions=0, goals={A.EXERCISE: 7})
    plain_day, made = (person(hour=9.0, wishes=one) for one in (QUIET, replace(QUIET, terms={when: term})))
    assert wished_on(made.wishes, TODAY) == QUIET
    assert found(made, 3) == found(plain_day, 3)


def test_a_night_begins_and_ends_as_it_is_wished_on_its_days() -> None:
    for when, bed in ((Occasion(until=TODAY), 1260), (Occasion(since=TODAY + DAY), 1350)):
        wishes = Wishes(night=NightWish(bed=time(22, 30)), terms={when: Wishes(night=NightWish(bed=time(21)))})
        assert person(hour=12, wishes=wishes).sleep(TODAY + DAY)[0] == at(TODAY, bed)
    up = Wishes(night=NightWish(up=time(6)), terms={Occasion(until=TODAY): Wishes(night=NightWish(up=time(9)))})
    assert [night_on(up, TODAY + k * DAY).up for k in (0, 1)] == [time(9), time(6)]


def test_what_bars_holds_beside_what_is_wished_of_every_day() -> None:
    day, when = date(2026, 12, 1), Occasion(months=frozenset({12}))
    term = Wishes(hours={A.EXERCISE: ((time(9), time(0)),)}, days={A.EXERCISE: frozenset({0, 1})})
    both = Wishes(hours={A.EXERCISE: ((time(17), time(20)),)}, days={A.EXERCISE: frozenset({1, 2})}, terms={when: term})
    assert wished_on(both, day).hours == {A.EXERCISE: ((time(17), time(20)),)}
    assert wished_on(both, day).days == {A.EXERCISE: frozenset({1})}


def test_a_kind_that_is_not_wanted_is_never_named_nor_advised_at_its_hour() -> None:
    plain_week = person(hour=17.0)
    starts, names = dict.fromkeys(range(7), 1110.0), dict.fromkeys(range(7), "Jogging")
    habit = Habit(per_week=3, minutes=45, starts=starts, names=names)
    habits = {**plain_week.routine.habits, A.EXERCISE: replace(habit, settled=True)}
    routine = replace(plain_week.routine, habits=habits)
    usual, unwanted, other = (
        replace(plain_week, routine=routine, wishes=Wishes(unnamed={A.EXERCISE: frozenset({name})}), _read={})
        for name in ("golf", "running", "swimming")
    )
    for one, named in ((usual, True), (unwanted, False), (other, True)):
        given = found(one, 3)[0].get(A.EXERCISE)
        assert (given is not None and given.what == "Jogging") is named


def test_what_is_wished_by_a_name_is_advised_by_it() -> None:
    wishes = applied(Wishes(), understood("French every day"))
    assert wishes.named == {A.LEARN: "French"}
    assert found(person(hour=18, wishes=wishes), 3)[0][A.LEARN].what == "French"
    assert applied(wishes, understood("study every day")).named == {}


def test_evenings_stay_free_as_often_as_it_is_wished() -> None:
    evening, had = ((time(18), time(0)),), [TODAY - k * DAY for k in (1, 2, 3, 4)]  # on a Friday: two days are left
    said = [Said(action=A.LEARN, start=at(day, 1140), end=at(day, 1200)) for day in had]
    for times, hours, hour, spared in ((3, evening, 18.5, True), (2, evening, 18.5, False), (3, evening, 9.0, False)):
        made = person(hour=hour, wishes=replace(QUIET, spare=Spare(times=times, hours=hours)))
        view = replace(look(made, made.now), said=said)
        assert (A.MEDITATE not in options(view, (made.now, made.now + 3 * HOUR))[0]) is spared
    whole = person(hour=9.0, wishes=replace(QUIET, spare=Spare(times=3)))
    assert A.MEDITATE not in options(replace(look(whole, whole.now), said=said), (whole.now, whole.now + 3 * HOUR))[0]
    none = person(hour=9.0, wishes=replace(QUIET, spare=Spare(times=3)))
    assert A.MEDITATE in found(none, 3)[0]


def test_fewer_suggestions_are_one_fewer_each_time() -> None:
    fewer = understood("fewer suggestions please")
    assert [applied(Wishes(suggestions=n), fewer).suggestions for n in (3, 1, 0)] == [2, 0, 0]


SAID = (
    "never yoga",
    "two evenings a week with no plans",
    "no sport this week",
    "kein Fernsehen im Januar und Februar",
    "date night every second Friday",
    "in bed by ten until the end of March",
    "two suggestions at most this month",
    "Buchhaltung immer am letzten Freitag im Monat",
    "three runs a week from May on",
)


@pytest.mark.parametrize("text", SAID)
def test_a_wish_is_kept_and_undone_at_once(text: str) -> None:
    before = Wishes(never=frozenset({A.MEDITATE}))
    after = applied(before, understood(text, TODAY))
    assert after.terms or after.spare or after.unnamed
    assert wishes_of(plain(after)) == after
    dated = [one for one in standing(after) if one.kind != "never" or one.when is not None]
    for one in dated:
        after = without(after, one)
    assert dated
    assert after == before


def test_forgetting_an_action_forgets_it_on_all_days() -> None:
    after = applied(Wishes(), understood("no sport this week", TODAY))
    assert applied(after, understood("forget my wish about sport")) == Wishes()


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"every": 2},
        {"first": MONDAY + DAY, "every": 2},
        {"since": TODAY, "until": TODAY - DAY},
        {"months": frozenset(range(1, 13))},
        {"nth": frozenset({0})},
    ],
)
def test_no_occasion_is_without_days_or_without_a_bound(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no days"):
        Occasion(**values)  # type: ignore[arg-type]
    term = {"when": {"until": "2026-12-01"}, "wishes": {"terms": []}}
    for body in (
        {"terms": [{"when": {"until": "never"}, "wishes": {}}]},
        {"terms": [{"when": {"until": "2026-12-01"}}]},
        {"terms": [{"when": {"until": "2026-12-01"}, "wishes": {"terms": [term]}}]},
    ):
        with pytest.raises(SetupError):
            wishes_of(body)


def test_a_day_full_of_entries_is_not_slept_through_for_a_wish_and_the_plan_says_so() -> None:
    by_day, ends = Wishes(night=NightWish(bed=time(8), up=time(16))), TODAY + DAY
    work = [entry(TODAY + k * DAY, 540, 1020, A.DEEP_WORK, "Write") for k in range(4)]
    made, free = person(*work, hour=18, wishes=by_day), person(hour=18, wishes=by_day)
    assert made.night(ends) == person(*work, hour=18).night(ends)
    assert for_person(week(made).unmet(ends)) == ["you wish to be in bed by 08:00, but entries take that night"]
    assert of_bedtime(made, ends).kind == "bedtime_usual"
    assert [free.clock(at) for at in (free.night(ends).bed, free.night(ends).wake)] == ["08:00", "16:00"]
    assert not week(free).unmet(ends)
    late = person(entry(TODAY, 1260, 1410, A.SOCIALIZE, "Concert"), wishes=Wishes(night=NightWish(bed=time(22))))
    assert late.night_wish(TODAY + DAY).bed == time(22)  # a late entry only moves the night of an ordinary wish


def test_a_goal_that_the_calendar_reaches_later_in_the_week_asks_for_no_more():
    booked = [entry(MONDAY + k * DAY, 1140, 1230, A.EXERCISE, "Football") for k in (3, 5)]
    for held, said in (([], True), (booked[:1], True), (booked, False)):
        one = person(*held, hour=9, day=MONDAY, wishes=Wishes(goals={A.EXERCISE: 2}))
        options_of = [block for block in week(one).blocks(MONDAY) if block.action is A.EXERCISE]
        assert any(why.kind == "goal" for block in options_of for why in block.facts) is said
