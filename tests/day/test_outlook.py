"""The expected meters of tomorrow: like days, the entries of the day, bands, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.domain.languages import shown, speaking
from bridge.domain.types import Label, Occurrence
from bridge.meters import outlook as ahead
from bridge.meters import read
from bridge.meters.outlook import Change, Expected, changes, told
from bridge.meters.words import level_words
from rhythm_env.interface import Meter, Slot
from tests.day.lives import DAY, TODAY, at, days, entry, known, nights

EVENING = at(TODAY, 20 * 60)  # of a Friday
SUNDAY = TODAY - 5 * DAY
Agenda = list[tuple[Occurrence, Label]]


def outlook(person: Person, day: date) -> tuple[Expected, ...]:
    return ahead.outlook(person.known, day, lambda one: bool(person.work(one)))


def situation(agenda: Agenda, *, slept: int = 35, now: object = EVENING) -> Person:
    snapshot = known(nights(slept, -60, 420), agenda, now=now)
    return Person(known=snapshot, now=snapshot.at, routine=learn_routine(snapshot))


def meetings(day: object, count: int) -> Agenda:
    """Meetings of an hour with three people, from nine on, without a pause."""
    return [
        entry(day, 540 + 60 * k, 600 + 60 * k, title="Review", others=3, organised_by_me=False) for k in range(count)
    ]


def office(count: int = 2) -> Agenda:
    """Workdays of eight weeks with so many meetings, and focus in the afternoon."""
    worked = [day for day in days(56) if day.weekday() < 5]
    return [one for day in worked for one in (*meetings(day, count), entry(day, 780, 900, "DEEP_WORK", "Focus"))]


def of(found: tuple[Expected, ...], meter: Meter) -> list[Expected]:
    return [one for one in found if one.meter is meter]


def test_only_tomorrow_is_foretold() -> None:
    now = situation(office())
    assert outlook(now, TODAY + DAY)
    for day in (TODAY - DAY, TODAY, TODAY + 2 * DAY):
        assert outlook(now, day) == ()


def test_each_meter_has_three_times_and_a_band_that_is_no_narrower_than_a_reading() -> None:
    now = situation(office())
    found = of(outlook(now, TODAY + DAY), Meter.VITALITY)
    assert [one.at for one in found] == [at(TODAY + DAY, hour * 60) for hour in (12, 18, 24)]
    reading = read(now.known)[Meter.VITALITY]
    for one in found:
        assert 0 <= one.low < one.level < one.high <= 1
        assert one.sd >= 0.9 * reading.sd
        assert one.days >= 5
        assert one.because[0].startswith(f"{one.level:.2f} is usual at this hour, from {one.days} like days")


def test_a_full_calendar_is_expected_to_lower_serenity_and_says_so() -> None:
    sunday_evening = at(SUNDAY, 20 * 60)
    worked = [one for one in office() if one[0].start < at(SUNDAY, 0)]
    monday = SUNDAY + DAY
    worked.append(entry(monday, 780, 900, "DEEP_WORK", "Focus"))
    calm = outlook(situation([*worked, *meetings(monday, 2)], now=sunday_evening), monday)
    full = outlook(situation([*worked, *meetings(monday, 6)], now=sunday_evening), monday)
    afternoon = [of(found, Meter.SERENITY)[1] for found in (calm, full)]
    assert afternoon[1].level < afternoon[0].level - 0.02
    assert "less calm than usual by 18:00: 6 h of entries, " in afternoon[1].because[1]
    assert not any("less calm" in text for text in afternoon[0].because)


def test_entries_that_change_several_meters_alike_are_told_in_one_sentence_without_decimals() -> None:
    worked = [one for one in office() if one[0].start < at(SUNDAY, 0)]
    free = outlook(situation(worked, now=at(SUNDAY, 20 * 60)), SUNDAY + DAY)
    assert sum(one.change is not None for one in free) > 2
    said = changes(free)
    serenity = of(free, Meter.SERENITY)
    assert {str(level_words(one.level, one.sd)) for one in serenity} == {"as usual"}
    assert said == ["less productive than usual all day: no focus, 2 h is usual"]  # which the words of the levels say
    assert len(said) <= 3
    assert not any(sign in text for text in said for sign in ("0.", "+", "-"))
    calmer = [one.change for one in free if one.meter is Meter.SERENITY and one.change is not None]
    alike = [replace(one, meter=meter) for meter in (Meter.COGNITION, Meter.SERENITY) for one in calmer]
    assert told(alike) == ["clearer and calmer than usual all day: no entries, 4 h is usual"]
    with speaking("de"):
        assert [shown(one) for one in told(alike)] == [
            "klarer und gelassener als sonst ganztägig: keine Termine, üblich sind 4 h"
        ]


def test_a_meter_that_rises_and_falls_is_told_by_its_larger_change() -> None:
    by_slot = ((Slot.MORNING, 0.04), (Slot.AFTERNOON, -0.1), (Slot.EVENING, -0.05))
    found = [Change(meter=Meter.COGNITION, slot=slot, difference=off, why=None) for slot, off in by_slot]
    assert told(found) == ["less clear than usual from the afternoon on, by your calendar"]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_fact_never_contradicts_the_change_that_it_explains(count: int) -> None:
    worked = [one for one in office() if one[0].start < at(SUNDAY, 0)]
    found = outlook(situation([*worked, *meetings(SUNDAY + DAY, count)], now=at(SUNDAY, 20 * 60)), SUNDAY + DAY)
    for one in found:
        if one.change is not None and one.change.why is not None and "entries" in one.change.why:
            length, usual = (one.change.why.values.get(name) for name in ("length", "usual"))
            fewer = length is None or (usual is not None and length.values["hours"] < usual.values["hours"])
            assert fewer is (one.change.difference > 0), one


def test_a_free_day_is_foretold_from_free_days() -> None:
    saturday = outlook(situation(office()), TODAY + DAY)
    monday_eve = situation([one for one in office() if one[0].start < at(SUNDAY, 0)], now=at(SUNDAY, 20 * 60))
    monday = outlook(monday_eve, SUNDAY + DAY)
    assert {one.days for one in of(saturday, Meter.VITALITY)} == {8}
    assert {one.days for one in of(monday, Meter.VITALITY)} == {20}


@pytest.mark.parametrize("slept", [0, 4])
def test_what_was_seen_on_few_days_is_not_foretold(slept: int) -> None:
    found = outlook(situation(office(), slept=slept), TODAY + DAY)
    assert not of(found, Meter.VITALITY)
    assert of(found, Meter.COGNITION)  # read from the calendar alone
    assert outlook(situation([], slept=0), TODAY + DAY) == ()


def test_entries_after_now_never_change_the_days_before() -> None:
    """A reading of the past sees only what had begun by then."""
    ahead = [entry(TODAY + DAY, 600, 720, "SOCIALIZE", "Brunch", others=2)]
    dinners = [entry(day, 1140, 1260, "SOCIALIZE", "Dinner", others=2) for day in days(56)[::5]]
    without, with_brunch = (outlook(situation([*office(), *dinners, *more]), TODAY + DAY) for more in ([], ahead))
    noon, later = ([of(found, Meter.CONNECTION)[k] for found in (without, with_brunch)] for k in (0, 1))
    assert noon[1].level > noon[0].level
    assert later[1].level > later[0].level
    assert noon[0].because[0] == noon[1].because[0]


def test_a_band_holds_what_comes_for_somebody_whose_days_differ() -> None:
    """Over 14 evenings of irregular nights at least two thirds of the readings fall into the band."""
    sleeps = nights(60, -60, 420, noise=80, seed=7)
    held = []
    for ago in range(14, 0, -1):
        now = at(TODAY - ago * DAY, 20 * 60)
        seen = [one for one in sleeps if one[1].end <= now]
        snapshot = known(seen, now=now)
        found = outlook(Person(known=snapshot, now=now, routine=learn_routine(snapshot)), TODAY - (ago - 1) * DAY)
        noon = of(found, Meter.VITALITY)[0]
        later = read(known([one for one in sleeps if one[1].end <= noon.at], now=noon.at))[Meter.VITALITY]
        held.append(noon.low <= later.level <= noon.high)
    assert sum(held) / len(held) >= 2 / 3


def test_instants_have_zones() -> None:
    for one in outlook(situation(office()), TODAY + DAY):
        assert one.at.utcoffset() is not None
        assert one.at > EVENING + timedelta(hours=2)


def test_an_event_without_others_is_no_meeting() -> None:
    lone: Agenda = [entry(SUNDAY + DAY, 540, 900, title="Write report")]
    now = at(SUNDAY, 20 * 60)
    worked = [one for one in office() if one[0].start < at(SUNDAY, 0)]
    alone = of(outlook(situation([*worked, *lone], now=now), SUNDAY + DAY), Meter.SERENITY)[1]
    met = of(outlook(situation([*worked, *meetings(SUNDAY + DAY, 6)], now=now), SUNDAY + DAY), Meter.SERENITY)[1]
    assert alone.level > met.level
