"""A law of nights and entries: a night over an entry of one's own says so, and no sleep by day is made up."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bridge.calendar.busy import takes_time
from bridge.calendar.flights import is_journey
from bridge.day.bedtime import of_bedtime
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import sleep_option
from bridge.day.person import PERIOD, Person
from bridge.day.routine import learn_routine
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneSpan
from bridge.domain.wishes import NightWish, Wishes
from rhythm_env.interface import ActionType
from tests.day.lives import BERLIN, DAY, TODAY, at, entry, known, nights
from tests.day.persons import HOUR, week
from tests.day.test_any_life import any_life

A = ActionType
NEW_YORK = "America/New_York"


def abroad(zone="Europe/Berlin"):
    """Somebody from Berlin in New York, at ten in the evening there, with a calendar of home."""
    now = at(TODAY, 22 * 60, NEW_YORK)
    lines = ((555, 585, "Standup"), (585, 705, "Workshop"), (750, 800, "Call"))
    agenda = [entry(TODAY + k * DAY, a, b, A.ADMIN_WORK, title, others=3) for k in range(3) for a, b, title in lines]
    agenda = [(replace(o, event=replace(o.event, zone=zone)), label) for o, label in agenda]
    zones = (*BERLIN, ZoneSpan(since=now - 2 * HOUR, zone=NEW_YORK))
    life = known(nights(30, -60, 420, last=TODAY), agenda, now=now, zones=zones)
    return Person(known=life, now=now, routine=learn_routine(life))


def unsaid(made):
    """The entries of one's own over which a coming night is planned without a word."""
    today = made.date_of(made.now)
    for day in (today + k * DAY for k in range(4)):
        for night in (b for b in week(made).blocks(day) if b.kind == "sleep"):
            mine = [o for o, label in made.entries if takes_time(o.event) and label.action is not A.SLEEP]
            mine = [o for o in mine if o.end > made.now and o.key not in made.left_out and not is_journey(o)]
            mine = [o for o in mine if o.end - o.start < PERIOD]
            told = any(one.kind.startswith("night_over") for one in night.facts)
            if any(o.start < night.end and o.end > night.start for o in mine) and not told:
                yield day, night


def test_a_night_over_a_calendar_of_another_zone_says_so():
    made = abroad()
    night = sleep_option(made, (made.now, made.now + 3 * HOUR))
    assert night is not None
    assert for_person(night.facts)[-1] == "your night lies over Standup at 03:15, which is entered in Berlin time"
    shown = {b.title: for_person(b.facts) for b in week(made).blocks(TODAY + DAY) if b.kind == "entry"}
    assert shown["Workshop"] == ["it lies in your night, as it is entered in Berlin time"]
    assert shown["Call"] == []
    assert list(unsaid(made)) == []
    assert list(unsaid(abroad(zone=None))) == []


@pytest.mark.parametrize("seed", range(40))
def test_no_night_lies_over_an_entry_without_a_word(seed):
    life = any_life(seed)
    made = Person(known=life, now=life.at, routine=learn_routine(life))
    assert list(unsaid(made)) == []


@pytest.mark.parametrize("mode", [ModeKind.NORMAL, ModeKind.ILL])
def test_who_sets_the_clock_back_in_the_evening_slept_by_night(mode):
    now = at(TODAY, 20 * 60)
    zones = (ZoneSpan(since=BERLIN[0].since, zone="Europe/Helsinki"), ZoneSpan(since=now, zone="Europe/Berlin"))
    life = known(nights(30, -60, 420, last=TODAY, zone="Europe/Helsinki"), now=now, zones=zones)
    said = Mode(kind=mode, since=TODAY, said=True)
    made = Person(known=life, now=now + timedelta(minutes=5), routine=learn_routine(life), mode=said)
    assert of_bedtime(made, TODAY + DAY).kind != "bedtime_by_day"


def test_after_a_change_of_zone_at_night_a_wish_is_read_back_by_the_new_clock():
    now = at(TODAY, 23 * 60 + 54)
    zones = (*BERLIN, ZoneSpan(since=now, zone="Europe/Helsinki"))
    life = known(nights(30, -60, 420, last=TODAY), now=now, zones=zones)
    wishes = Wishes(night=NightWish(bed=time(23, 30)))
    made = Person(known=life, now=now + timedelta(minutes=5), routine=learn_routine(life), wishes=wishes)
    assert for_person([of_bedtime(made, TODAY + DAY)]) == [
        "you wish to be in bed by 23:30; going to bed now leaves 6 h in bed, 1 h 50 min less than you need"
    ]


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Asia/Tokyo"])
@pytest.mark.parametrize("minutes", [1, 2, 18])
def test_a_clock_set_forward_over_the_waking_time_makes_up_no_time_of_getting_up(zone, minutes):
    now = at(TODAY, 210)
    zones = (*BERLIN, ZoneSpan(since=now, zone=zone))
    life = known(nights(30, -60, 420, last=TODAY - DAY), now=now + minutes * timedelta(minutes=1), zones=zones)
    made = Person(known=life, now=life.at, routine=learn_routine(life))
    wake = made.local_in_night(TODAY, made.sleep(TODAY)[1])
    assert abs(wake.hour * 60 + wake.minute - 420) <= 20
    assert not [b for b in week(made).blocks(TODAY) if b.kind == "sleep" and b.start < made.now]
