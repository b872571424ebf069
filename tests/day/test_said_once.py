"""Counsel of a day holds all day: sport that had better be left out, a nap that was missed, and what clashes."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import look
from bridge.day.silence import quiet
from bridge.domain.facts import fact, length
from bridge.domain.records import Deed
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Because, EpisodeKind, Reading, Task
from rhythm_env.interface import ActionType, Meter

from .lives import DAY, TODAY, at, entry, nights, sleep
from .persons import SUNDAY, blocks, found, person
from .test_outcomes import advice
from .test_put_off import recorded

A = ActionType
SATURDAY = SUNDAY - DAY
RACE = entry(SUNDAY, 450, 600, A.EXERCISE, "City run")
PICKUP = entry(SATURDAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
AFTER_ALL = "if you take part after all"


def silence(one, hours=4):
    return for_person(quiet(look(one, one.now), found(one, hours)[1]))


def eve(hour, asleep=150, **of):
    slept = [*nights(30, -30, 450, last=SATURDAY - DAY, noise=5), sleep(SATURDAY, 450 - asleep, 450)]
    return person(RACE, PICKUP, day=SATURDAY, hour=hour, episodes=slept, work=False, **of)


def test_a_race_that_had_better_be_left_out_is_spoken_of_conditionally_all_day():
    for asleep, doubted in ((150, True), (470, False)):
        one = eve(13, asleep)
        pickup = for_person(found(one, 2)[0][A.ADMIN_WORK].facts)[0]
        texts = [pickup, told(of_bedtime(one, SUNDAY)), told(of_waking(one, SUNDAY)), *silence(eve(18.5, asleep))]
        texts = [text for text in texts if "your sport" in text and "consider" not in text]
        assert len(texts) >= 3
        assert [AFTER_ALL in text for text in texts] == [doubted] * len(texts), texts
        race = next(block for block in blocks(one, "entry", SUNDAY) if block.title == "City run")
        assert ("consider leaving out" in " ".join(for_person(race.facts))) is doubted
        morning = silence(replace(one, now=at(SUNDAY, 400), _read={}))
        assert (f"it is time to get ready for City run at 07:30, {AFTER_ALL}" in morning) is doubted


@pytest.mark.parametrize("ill", [True, False])
def test_who_is_ill_neither_fetches_the_packet_nor_gets_up_for_the_race(ill):
    mode = Mode(kind=ModeKind.ILL, until=SUNDAY, said=True) if ill else Mode()
    one = eve(13, 470, mode=mode)
    assert (A.ADMIN_WORK in found(one, 2)[0]) is not ill
    assert any(block.title == "Race packet pickup" for block in blocks(one, "task")) is not ill
    assert (one.sleep(SUNDAY)[1] < at(SUNDAY, 400)) is not ill
    assert any("had better be left out" in text for text in silence(one)) is ill


def short_day(hour, *agenda):
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 90, 420)]
    return person(*agenda, day=SUNDAY, hour=hour, episodes=slept, work=False)


def test_a_nap_whose_time_is_over_is_spoken_of_with_the_earlier_night():
    talk = entry(SUNDAY, 740, 960, A.LEARN, "Talk")
    for hour, agenda, missed in ((12.5, (), False), (14.9, (), True), (15.5, (talk,), True), (18.0, (), False)):
        texts = silence(short_day(hour, *agenda), 1)
        assert ("the time for a nap is over" in texts) is missed, (hour, texts)
        assert any("earlier than usual, because last night was short" in text for text in texts) or hour < 13
    napped = short_day(15.5)
    naps = [*napped.known.episodes, sleep(SUNDAY, 800, 825, kind=EpisodeKind.NAP)]
    napped = replace(napped, known=replace(napped.known, episodes=naps), _read={})
    assert "the time for a nap is over" not in silence(napped, 1)


def test_what_clashes_says_so_in_the_plan():
    talk, other = entry(TODAY, 840, 900, A.LEARN, "Talk"), entry(TODAY, 870, 930, A.ADMIN_WORK, "Review")
    for hour, said in ((9, True), (16, False)):
        facts = {block.title: for_person(block.facts) for block in blocks(person(talk, other, hour=hour), "entry")}
        assert facts["Talk"] == []
        assert facts["Review"] == (["clashes with Talk at 14:00"] if said else [])


def test_a_race_leaves_time_for_breakfast_and_the_way_and_says_when_to_leave():
    rested = eve(13, 470)
    assert rested.sleep(SUNDAY)[1] == at(SUNDAY, 330)
    race = next(block for block in blocks(rested, "entry", SUNDAY) if block.title == "City run")
    assert for_person(race.facts) == ["leave by 06:45"]
    slept = [*nights(30, -30, 450, last=SATURDAY, noise=5), sleep(SUNDAY, -90, 330)]
    morning = person(RACE, day=SUNDAY, hour=5.75, episodes=slept, work=False)
    assert silence(morning)[:2] == ["it is time to get ready for City run at 07:30", "leave by 06:45"]


def test_a_period_of_days_clashes_with_nothing():
    period = entry(TODAY - DAY, 0, 4320, A.ADMIN_WORK, "Enrolment period")
    talk, later = entry(TODAY, 840, 900, A.LEARN, "Talk"), entry(TODAY, 360, 1439, A.ADMIN_WORK, "Late enrolment")
    assert all(block.facts == () for block in blocks(person(period, talk, later, hour=9), "entry"))


def test_a_short_errand_that_is_late_is_said_before_a_call_that_is_due_today_as_the_plan_has_it():
    call, pay = Task(key="c", list="l", title="Book dentist", due=TODAY), Task(key="p", list="l", title="Pay invoice")
    tasks, standup = [call, replace(pay, due=TODAY - 3 * DAY)], entry(TODAY, 555, 570, A.ADMIN_WORK, "Standup")
    one = person(standup, hour=7.6, tasks=tasks, task_actions=dict.fromkeys("cp", A.ADMIN_WORK))
    first = blocks(one, "task")[0]
    assert (first.title, found(one, 5)[0][A.ADMIN_WORK].what) == ("Pay invoice", "Pay invoice")


def test_the_length_of_the_night_before_the_last_lowers_nothing_today():
    slept = fact("slept_short", length=length(229), short=length(230))
    because = Because(signal="sleep", source=None, z=-3, contribution=-0.3, fact=slept, age_hours=1.0)
    read = {Meter.SERENITY: Reading(level=0.5, sd=0.05, coverage=1.0, because=(because,))}
    for last, said in ((SUNDAY, True), (SATURDAY, False)):
        one = person(day=SUNDAY, hour=9, episodes=nights(30, -60, 420, last=last), work=False)
        facts = [told(one) for option in found(one, 12, read)[0].values() for one in option.facts]
        assert any("3 h 49 min" in text for text in facts) is said


def test_series_are_for_the_evening():
    one = person(day=SATURDAY, hour=9, work=False)
    assert all(one.local(block.start).hour >= 19 for block in blocks(one, "suggested") if block.action is A.BINGE_WATCH)


def test_a_night_that_is_called_short_brings_an_earlier_one():
    for lacked in (47, 60, 90):
        slept = [*nights(30, -60, 375, last=TODAY - DAY, noise=0), sleep(TODAY, -60 + lacked, 375)]
        one = person(hour=18, episodes=slept, work=False)
        assert one.short_of_sleep >= timedelta(minutes=45)
        assert one.usual_sleep(TODAY + DAY)[0] - one.sleep(TODAY + DAY)[0] >= timedelta(minutes=15)
        assert "because last night was short" in " ".join(silence(one))


def test_what_was_fetched_is_not_fetched_again():
    one = eve(13, 470)
    given = advice(A.ADMIN_WORK, at(SATURDAY, 725), kind="suggested", what="Race packet pickup")
    for outcome, left in ((None, 1), (Deed.DONE, 0)):
        assert len(replace(one, advised=[recorded(given, outcome=outcome)], _read={}).errands) == left
