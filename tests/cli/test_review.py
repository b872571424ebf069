"""Looking back at the terminal: a week beside the weeks before, the history, and a word afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.advice import modes
from bridge.advice.effect import KnownEffect
from bridge.advice.notify import compose_review
from bridge.advice.recommend import load_snapshot
from bridge.advice.review import load_review
from bridge.advice.review_figures import clock, figures
from bridge.advice.review_summary import summary
from bridge.advice.review_words import Compared, Sleep, effect_lines, ideas, lines
from bridge.day.body import Mode, ModeKind
from bridge.domain.metrics import Metric
from bridge.domain.records import Deed, Feedback, Recommendation, User
from bridge.domain.types import Event, Item, Sample, Task
from bridge.domain.wishes import Wishes
from bridge.store import Store
from rhythm_env.interface import ActionType, Answer, Meter, Slot
from tests.commands import bridge
from tests.day.test_outcomes import DAWN, EVENING, MIN, RUN, workout
from tests.meters.life import DAY, HOUR, MORNING, night
from tests.test_outcomes import advised, land, person
from tests.world import bridge_of

MONDAY = DAWN - 4 * DAY  # 6:00 in Berlin; DAWN is a Friday
SUNDAY_NOON = DAWN + 2 * DAY + 6 * HOUR


def life() -> list[Item]:
    """Five weeks: 7 hours of sleep and two runs a week, and 8 hours and three runs in the last."""
    items: list[Item] = []
    for ago in range(-2, 35):
        this_week = ago <= 4
        found = night(ago, 480.0 if this_week else 420.0)
        start = found.end - timedelta(hours=8 if ago % 2 or not this_week else 9)
        items.append(replace(found, start=start))
    for week in range(5):
        begun = MONDAY - week * 7 * DAY + 2 * HOUR
        items += [workout(begun + day * DAY, 40) for day in ((0, 2, 4) if week == 0 else (1, 3))]
    return items


def event(key: str, start: Any, hours: float, title: str, **of: Any) -> Event:
    return Event(key=key, calendar="c", title=title, start=start, end=start + hours * HOUR, **of)


@pytest.fixture
def ana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, User]]:
    """Five weeks of a life, seen on Sunday at noon; three runs were advised and one was seen by the watch."""
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", SUNDAY_NOON.isoformat())
    with installation.open_bridge() as opened:
        user = person(opened.store)
        events = [
            event(f"m{week}", MONDAY - week * 7 * DAY + 4 * HOUR, 2 if week else 3, "Sync", others=3)
            for week in range(5)
        ]
        tasks = [Task(key=f"t{day}", list="l", title="x", completed=MONDAY + day * DAY) for day in (0, 1)]
        land(opened.store, user, *life(), *events, *tasks, now=SUNDAY_NOON - HOUR)
        advised(opened.store, user, MONDAY)
        other = advised(opened.store, user, MONDAY + DAY)
        opened.store.recommendations.save_feedback(other.id, Feedback(answer=Answer.ACCEPT, answered_at=MONDAY + DAY))
        advised(opened.store, user, MONDAY + 2 * DAY, shown=False)
        yield opened.store, user


def printed(*arguments: str) -> Any:
    done = bridge(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_week_beside_the_weeks_before(ana: tuple[Store, User]) -> None:
    body = printed("review", "--user", "ana")
    assert (body["user"], body["week"], body["from"], body["to"]) == (
        *("ana", "2026-W47"),
        *("2026-11-16T06:00:00+01:00", "2026-11-22T12:00:00+01:00"),
    )
    assert [(one["action"], one["answer"], one["outcome"]) for one in body["advised"]] == [
        ("EXERCISE", None, "done"),
        ("EXERCISE", "ACCEPT", "not_done"),
    ]  # what nobody saw was no advice to anybody
    assert body["advised"][0]["evidence"] == ["workout 08:00-08:40, whoop"]
    assert body["counts"] == {
        "advised": 2,
        "done": 1,
        "partly": 0,
        "not_done": 1,
        "unknown": 0,
        "accepted": 1,
        "ignored": 0,
        "rescheduled": 0,
    }
    assert body["sleep"]["asleep_min"] == {"value": 480.0, "usual": 420.0}
    assert (body["sleep"]["nights"], body["sleep"]["usual_bedtime"]) == (7, "23:00")
    assert body["sleep"]["bedtime_sd_min"] == {"value": pytest.approx(32.1, abs=0.1), "usual": 0.0}
    assert body["done"] == {
        "workouts": {"value": 3.0, "usual": 2.0},
        "workout_minutes": {"value": 120.0, "usual": 80.0},
        "tasks_done": {"value": 2.0, "usual": None},
        "meeting_hours": {"value": 3.0, "usual": 2.0},
        "focus_hours": {"value": 0.0, "usual": 0.0},
        "company_hours": {"value": 0.0, "usual": 0.0},
    }
    vitality = body["meters"]["VITALITY"]
    assert vitality["mean"] > vitality["usual"]
    assert vitality["days"] == 7
    assert len(body["try"]) <= 2


def test_focus_is_that_of_questions(ana: tuple[Store, User]) -> None:
    store, user = ana
    entries = [event("deep", MONDAY + 3 * HOUR, 2, "Deep work"), event("learn", MONDAY + 9 * HOUR, 1, "Spanish lesson")]
    land(store, user, *entries, now=SUNDAY_NOON - HOUR)
    found = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    assert found.done["focus_hours"].value == 2.0
    assert [str(one.name) for one in figures(found) if str(one.value) == "2 h"] == ["Focused work"]
    asked = bridge("ask", "how much focus time this week", "--user", "ana").stdout
    assert "2 h, of focused work" in asked


def test_nobody_works_or_meets_all_night_through_an_entry_of_days(ana: tuple[Store, User]) -> None:
    store, user = ana
    entries = [
        event("field", MONDAY, 104, "Deep work"),
        event("kids", MONDAY, 41, "Beach with the kids"),
    ]
    land(store, user, *entries, now=SUNDAY_NOON - HOUR)
    found = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    assert found.done["focus_hours"].value == 0.0
    assert found.done["company_hours"].value == 32.0


def test_half_a_week_is_compared_with_halves(ana: tuple[Store, User]) -> None:
    store, user = ana
    at = MONDAY + 2 * DAY  # Wednesday at dawn: one run so far, and one by then in each week before
    found = load_review(bridge_of(store), user, MONDAY.date(), now=at)
    assert found.until == at
    assert found.done["workouts"].value is None  # nothing had come in by then
    late = load_review(bridge_of(store), user, (MONDAY - 7 * DAY).date(), now=SUNDAY_NOON)
    assert late.done["workouts"] == Compared(value=2.0, usual=2.0)


def test_nights_of_half_a_week_are_compared_with_the_same_weekdays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    with installation.open_bridge() as opened:
        user = person(opened.store)
        wednesday = MONDAY + 2 * DAY + 6 * HOUR
        nights = [night(2 + ago, 420.0 if (2 - ago) % 7 < 3 else 600.0) for ago in range(30)]  # longer from Thursday on
        land(opened.store, user, *nights, now=wednesday - HOUR)
        found = load_review(opened, user, MONDAY.date(), now=wednesday)
    assert (found.sleep.asleep.value, found.sleep.asleep.usual) == (420.0, 420.0)


def test_people_read_sentences_without_causes(ana: tuple[Store, User]) -> None:
    told, command, _ = bridge("review", "--user", "ana").stdout.partition("bridge effect --user ana")
    assert command
    assert "2 suggestions: 1 done, 1 not done. You answered: 1 accepted." in told
    first = " ".join(told.splitlines()[1:3])
    assert "What went well:" in first
    assert "8 h 00 min asleep a night (before: 7 h 00 min)" in first
    rows = [line for line in told.splitlines() if "Workouts" in line]
    assert [[cell.strip() for cell in row.split("│")[1:4]] for row in rows] == [["Workouts", "3", "2"]]
    assert not [word for word in ("because", "thanks to", "caused", "effect", "due to", "led to") if word in told]


def test_a_week_of_somebody_unknown_claims_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", SUNDAY_NOON.isoformat())
    assert bridge("user", "add", "ben", "--zone", "UTC").returncode == 0
    for week in ((), ("--week", "1980-01-07"), ("--week", "2190-W01")):
        body = printed("review", "--user", "ben", *week)
        assert body["advised"] == body["try"] == []
        assert {one["mean"] for one in body["meters"].values()} <= {None, 0.0}
        assert body["sleep"]["asleep_min"] == {"value": None, "usual": None}
        assert {one["value"] for one in body["done"].values()} == {None}
    assert "No suggestion was seen" in bridge("review", "--user", "ben").stdout
    assert bridge("review", "--user", "ben", "--week", "soon").returncode == 2
    assert "bridge recommend" in bridge("history", "--user", "ben").stdout


def test_a_goal_alone_compares_no_weeks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", SUNDAY_NOON.isoformat())
    assert bridge("user", "add", "ben", "--zone", "UTC").returncode == 0
    assert bridge("wish", "meditate twice a week", "--yes", "--user", "ben").returncode == 0
    assert printed("review", "--user", "ben")["summary"][0] == "Nothing is known of this week."


def test_on_a_monday_it_is_the_week_before(ana: tuple[Store, User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", (MONDAY + 7 * DAY + 2 * HOUR).isoformat())
    assert printed("review", "--user", "ana")["week"] == "2026-W47"
    monkeypatch.setenv("BRIDGE_NOW", (MONDAY + 8 * DAY + 2 * HOUR).isoformat())
    assert printed("review", "--user", "ana")["week"] == "2026-W48"


def test_the_history_tells_what_was_pressed_from_what_was_seen_and_what_is_heard(ana: tuple[Store, User]) -> None:
    rows = printed("history", "--user", "ana", "--days", "7")
    assert [(row["answer"], row["outcome"], row["heard"], row["shown"]) for row in rows] == [
        (None, None, None, False),
        ("ACCEPT", "not_done", "ACCEPT", True),
        (None, "done", "ACCEPT", True),
    ]
    assert printed("history", "--user", "ana", "--days", "1") == []
    assert "workout 08:00-08:40, whoop" in bridge("history", "--user", "ana").stdout


def test_a_word_afterwards(ana: tuple[Store, User]) -> None:
    store, user = ana
    given = advised(store, user, SUNDAY_NOON - 5 * HOUR, ActionType.SOCIALIZE)
    body = printed("feedback", "not-done", "--user", "ana")
    assert (body["id"], body["answer"], body["outcome"], body["evidence"]) == (
        *(given.id, None, "not_done"),
        ["you said so"],
    )
    assert printed("feedback", "partly", "--user", "ana", "--id", str(given.id))["outcome"] == "partly"
    refused = bridge("feedback", "maybe", "--user", "ana")
    assert (refused.returncode, "done, partly or not_done" in refused.stderr) == (2, True)
    assert bridge("feedback", "done", "--user", "ana", "--to", "Thu evening").returncode == 2


@pytest.fixture
def runs(lite: Store) -> list[Recommendation]:
    """Three runs in the morning that were done, and four in the evening that were not."""
    user = person(lite)
    advised(lite, user)
    (one,) = lite.recommendations.between(user.id, since=DAWN, until=EVENING)
    evening = replace(one, moment=replace(one.moment, slot=Slot.EVENING), outcome=Deed.NOT_DONE)
    return [replace(one, outcome=Deed.DONE)] * 3 + [evening] * 4


def test_what_to_try_is_said_from_counts_and_of_goals_first(runs: list[Recommendation]) -> None:
    assert list(ideas(runs, {}, {})) == ["Exercise: mornings 3 of 3 done, evenings 0 of 4. Keep to mornings."]
    goal = list(ideas(runs, {RUN: 5}, {RUN: 3}))
    assert goal[0] == "Exercise: 2 more times a week reach your goal of 5; mornings went best."
    assert len(goal) == 2
    assert list(ideas(runs[3:], {RUN: 3}, {RUN: 3})) == ["Exercise: evenings 0 of 4 done. Try another part of the day."]


def test_of_little_or_of_sleep_nothing_is_said(runs: list[Recommendation]) -> None:
    assert list(ideas(runs[:1], {}, {})) == []
    assert list(ideas([replace(one, outcome=Deed.UNKNOWN) for one in runs], {}, {})) == []
    assert list(ideas([replace(one, action=ActionType.SLEEP) for one in runs], {}, {})) == []


def test_goals_are_counted_from_watch_calendar_and_sessions(ana: tuple[Store, User]) -> None:
    store, user = ana
    sitting = Sample(key="s", metric=Metric.MINDFUL, start=MORNING, day=MORNING.date(), value=10)
    gym = event("gym", MONDAY + 2 * HOUR + 20 * MIN, 1, "Gym")  # while the watch saw the first run
    land(store, user, sitting, gym, event("swim", MORNING + 4 * HOUR, 1, "Swimming"), now=SUNDAY_NOON - MIN)
    wishes = Wishes(goals={RUN: 5, ActionType.MEDITATE: 2})
    store.people.save_wishes(user.id, wishes, now=MONDAY - DAY)
    found = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    assert found.goals == {RUN: (4, 5), ActionType.MEDITATE: (1, 2)}
    assert list(found.ideas) == [
        "Exercise: 1 more time a week reaches your goal of 5.",
        "Meditate: 1 more time a week reaches your goal of 2.",
    ]
    said = [*summary(found), *lines(found)]
    assert [one for one in said if one in found.ideas] == list(found.ideas)
    assert "Your goals for the week: exercise 4 of 5, meditate 1 of 2." in said
    assert said[-1].endswith("bridge effect --user ana")
    assert said == compose_review(found, None)[1].splitlines()
    assert printed("review", "--user", "ana")["goals"]["EXERCISE"] == {"done": 4, "wanted": 5, "since": None}
    assert "exercise 4 of 5, meditate 1 of 2" in bridge("review", "--user", "ana").stdout


def test_an_entry_is_of_a_goal_only_if_plans_read_it_so(ana: tuple[Store, User]) -> None:
    store, user = ana
    dentist, massage = event("d", MONDAY + 4 * HOUR, 1, "Dentist"), event("m", MONDAY + DAY + 4 * HOUR, 1, "Massage")
    train = event("t", MONDAY + 2 * DAY + 10 * HOUR, 3, "Train to Mum")
    land(store, user, dentist, massage, train, now=SUNDAY_NOON - MIN)
    goals = {ActionType.ME_TIME: 2, ActionType.FAMILY_TIME: 1}
    store.people.save_wishes(user.id, Wishes(goals=goals), now=MONDAY - DAY)
    found = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    assert found.goals == {ActionType.ME_TIME: (1, 2), ActionType.FAMILY_TIME: (0, 1)}
    known = load_snapshot(bridge_of(store), user, at=SUNDAY_NOON)  # as Ask, Trends and the meters read it
    read = {one.event.title: label.action for one, label in known.agenda}
    assert read | {"Sync": None} == {"Sync": None, "Dentist": None, "Massage": ActionType.ME_TIME, "Train to Mum": None}


def test_a_goal_is_counted_from_the_day_on_which_it_was_set(ana: tuple[Store, User]) -> None:
    store, user = ana
    store.people.save_wishes(user.id, Wishes(goals={RUN: 2}), now=MONDAY + 3 * DAY)  # Thursday, after two of three runs
    store.people.save_wishes(user.id, Wishes(goals={RUN: 3}), now=MONDAY + 5 * DAY)  # the same goal, set higher
    week, before, after = (
        load_review(bridge_of(store), user, (MONDAY + k * 7 * DAY).date(), now=SUNDAY_NOON + max(k, 0) * 7 * DAY)
        for k in (0, -1, 1)
    )
    assert week.goals == {RUN: (1, 3)}
    assert week.since == {RUN: (MONDAY + 3 * DAY).date()}
    assert week.ideas == ()
    assert "Your goals for the week: exercise 1 since Thu." in list(lines(week))
    assert "exercise 1 of 3" not in " ".join(summary(week))
    assert (before.goals, after.goals, after.since) == ({}, {RUN: (0, 3)}, {})
    document = printed("review", "--user", "ana")
    assert document["goals"] == {"EXERCISE": {"done": 1, "wanted": 3, "since": "2026-11-19"}}
    assert document["summary"] == summary(week)


def test_the_summary_names_what_went_well_what_fell_short_and_what_to_try(ana: tuple[Store, User]) -> None:
    store, user = ana
    store.people.save_wishes(user.id, Wishes(goals={RUN: 5}), now=MONDAY - DAY)
    running = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    over = load_review(bridge_of(store), user, MONDAY.date(), now=MONDAY + 8 * DAY)
    assert not [line for line in summary(running) if "fell short" in line]  # the goal may still be reached
    well, short, idea = summary(over)
    assert "8 h 00 min asleep a night (before: 7 h 00 min)" in well
    assert "exercise 3 of 5 times" in short
    assert idea == "Exercise: 2 more times a week reach your goal of 5."
    worse = replace(over, sleep=replace(over.sleep, asleep=Compared(value=380.0, usual=420.0)), goals={}, ideas=())
    assert "6 h 20 min asleep a night (before: 7 h 00 min)" in summary(worse)[1]
    assert summary(worse)[-1].startswith("To try: ")
    lazy = replace(worse, done={**worse.done, "workouts": Compared(value=1.0, usual=4.0)})
    assert "1 workout (before: 4)" in " ".join(summary(lazy))  # as in the figures below it
    late = replace(worse, sleep=replace(worse.sleep, bedtime=Compared(value=720.0, usual=663.0)))
    assert summary(late)[-1] == "To try: go to bed when the plan says, which is as in the weeks before."  # its own time
    missed = tuple(replace(one, outcome=Deed.NOT_DONE) for one in over.advised)
    tired = replace(over, advised=missed, goals={}, ideas=())
    assert "suggestions not done" in summary(tired)[1]
    assert "press Later" in summary(tired)[-1]


def test_a_week_in_which_one_was_ill_says_so_and_proposes_nothing(ana: tuple[Store, User]) -> None:
    store, user = ana
    store.people.save_wishes(user.id, Wishes(goals={RUN: 5}), now=MONDAY - DAY)
    ill = Mode(kind=ModeKind.ILL, until=(MONDAY + 2 * DAY).date())
    modes.say_mode(store, user, ill, now=MONDAY + DAY)
    week = load_review(bridge_of(store), user, MONDAY.date(), now=MONDAY + 8 * DAY)
    said = summary(week)
    assert said[0] == "You were ill on 2 days."
    assert not [line for line in said if "To try" in line or "reach your goal" in line]
    assert week.ideas == ()
    before = load_review(bridge_of(store), user, (MONDAY - 7 * DAY).date(), now=MONDAY + 8 * DAY)
    assert "ill" not in " ".join(summary(before)).split()


def test_weeks_are_alike_only_if_half_of_their_figures_are_compared(ana: tuple[Store, User]) -> None:
    store, user = ana
    week = load_review(bridge_of(store), user, MONDAY.date(), now=MONDAY + 8 * DAY)
    same, alone = Compared(value=0.7, usual=0.7), Compared(value=0.7, usual=None)
    for others, told in ((same, "was much like"), (alone, "too little is known to compare")):
        meters = dict.fromkeys(Meter, others) | {Meter.PROGRESS: same}
        sleep, done = Sleep(asleep=others, bedtime=others, spread=others), dict.fromkeys(week.done, others)
        quiet = replace(week, advised=(), goals={}, ideas=(), meters=meters, sleep=sleep, done=done)
        assert told in summary(quiet)[0]


def test_only_what_was_suggested_and_wholly_done_is_praised(ana: tuple[Store, User]) -> None:
    store, user = ana
    week = load_review(bridge_of(store), user, MONDAY.date(), now=MONDAY + 8 * DAY)
    for outcome, kind, is_praised in (
        (Deed.DONE, "suggested", True),
        (Deed.PARTLY, "suggested", False),
        (Deed.DONE, "keep", False),
    ):
        seen = tuple(replace(one, outcome=outcome, kind=kind) for one in week.advised)
        said = summary(replace(week, advised=seen, meters={}, goals={}, ideas=()))
        assert ("suggestions done" in said[0]) == is_praised
        assert ("go on with" in said[-1]) == is_praised


@pytest.mark.parametrize(
    ("unknown", "told"), [(0, "3 of 3 suggestions done"), (2, "3 of 5 suggestions done (2 unknown)"), (4, None)]
)
def test_what_nothing_is_known_of_counts_among_the_suggestions(
    ana: tuple[Store, User], unknown: int, told: str | None
) -> None:
    store, user = ana
    week = load_review(bridge_of(store), user, MONDAY.date(), now=MONDAY + 8 * DAY)
    one = replace(week.advised[0], kind="suggested")
    seen = (replace(one, outcome=Deed.DONE),) * 3 + (replace(one, outcome=Deed.UNKNOWN),) * unknown
    said = summary(replace(week, advised=seen, meters={}, goals={}, ideas=()))[0]
    assert (told in said) if told else ("suggestions done" not in said)


def test_each_figure_stands_beside_its_mean_of_the_weeks_before(ana: tuple[Store, User]) -> None:
    store, user = ana
    found = {one.name: one for one in figures(load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON))}
    asleep = found["Asleep a night"]
    assert (asleep.value, asleep.usual, asleep.share, asleep.usual_share) == ("8 h 00 min", "7 h 00 min", 1.0, 0.875)
    assert (found["Tasks done"].value, found["Tasks done"].usual) == ("2", None)
    assert 0.0 < (found["Vitality"].share or 0.0) < 1.0


def test_a_known_effect_is_named_with_its_interval_and_no_other(ana: tuple[Store, User]) -> None:
    store, user = ana
    found = load_review(bridge_of(store), user, MONDAY.date(), now=SUNDAY_NOON)
    assert found.effects == ()
    assert list(effect_lines(found)) == []
    measured = (
        KnownEffect(action=RUN, outcome="next_night_asleep_min", effect=12.4, low=3.1, high=21.0),
        KnownEffect(action=RUN, outcome="taken", effect=1.1, low=0.7, high=1.5),
    )
    assert list(effect_lines(replace(found, effects=measured))) == [
        (
            "Advising exercise changes the next night's sleep by +12 min against other advice "
            "(interval at 95 %: +3 to +21)."
        ),
        "Exercise is accepted 3.0 times as often as other advice (interval at 95 %: 2.0 to 4.5).",
    ]


def test_bedtimes_around_midnight_have_a_mean_near_midnight() -> None:
    assert clock((690 + 750) / 2) == "00:00"


def test_a_length_of_sleep_never_has_sixty_minutes(ana: tuple[Store, User]) -> None:
    store, user = ana
    land(store, user, replace(night(0, 479.6), key="rounded"), now=SUNDAY_NOON)
    shown = bridge("days", "--last", "30", "--user", user.name).stdout
    assert "8:00" in shown
    assert ":60" not in shown
