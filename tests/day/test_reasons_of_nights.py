"""Reasons of bedtimes and times of getting up: a wish is told as it was wished, and only where it is the cause."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bridge.day.bedtime import of_bedtime, of_waking
from bridge.day.body import Mode, ModeKind
from bridge.domain.rendering import for_person
from bridge.domain.slots import ZoneSpan
from bridge.domain.wishes import NightWish, Wishes

from .lives import BERLIN, DAY, TODAY, at, entry, nights
from .persons import MINUTE, A, against, grid, person, week

TOMORROW = TODAY + DAY
CHOIR = entry(TODAY, 1200, 1310, A.SOCIALIZE, "Choir")
LATE_CHOIR = entry(TODAY, 1200, 1345, A.SOCIALIZE, "Choir")
STANDUP = entry(TOMORROW, 460, 520, A.ADMIN_WORK, "Standup")
VISIT = entry(TOMORROW, 900, 960, A.ADMIN_WORK, "Visit")
TRAIN = entry(TOMORROW, 360, 420, A.ADMIN_WORK, "Train")
DAYS = {"free": (), "choir": (CHOIR,), "late": (LATE_CHOIR,), "both": (LATE_CHOIR, STANDUP), "visit": (VISIT,)}
DAYS |= {"standup": (STANDUP,), "train": (TRAIN,)}
WISHES = [
    NightWish(up=time(15)),
    NightWish(up=time(6, 58)),
    NightWish(bed=time(22, 30), up=time(7)),
    NightWish(bed=time(22, 30), minutes=540),
    NightWish(up=time(6), minutes=540),
    NightWish(earliest=time(23, 30)),
    NightWish(rest=time(9)),
]
ILL = Mode(kind=ModeKind.ILL, since=TODAY, until=TOMORROW, said=True)
OF_WISH = {
    "bedtime_wished": "bed",
    "bedtime_not_before": "earliest",
    "waking_wished": "up",
    "waking_not_before": "rest",
}


def told(made):
    (bed,), (up,) = for_person([of_bedtime(made, TOMORROW)]), for_person([of_waking(made, TOMORROW)])
    return bed, up


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("ill", [False, True])
@pytest.mark.parametrize("slept", [(-50, 420), (480, 900)])
def test_a_wish_is_named_by_its_hour_and_nothing_wished_is_called_usual(day, wish, ill, slept):
    of = {"mode": ILL} if ill else {}
    made = person(*DAYS[day], hour=17.0, episodes=nights(30, *slept), wishes=Wishes(night=wish), **of)
    night, learnt = made.night(TOMORROW), made.learnt_sleep(TOMORROW)
    facts = [*of_bedtime(made, TOMORROW).parts(), *of_waking(made, TOMORROW).parts()]
    for one in facts:
        if one.kind in OF_WISH:
            assert one.values["time"][11:16] == f"{getattr(wish, OF_WISH[one.kind]):%H:%M}"
    kinds = {one.kind for one in facts}
    assert "bedtime_usual" not in kinds or abs(night.bed - learnt[0]) <= DAY / 96
    assert "waking_usual" not in kinds or abs(night.wake - learnt[1]) <= DAY / 96


def test_an_entry_before_the_hour_wished_is_the_cause_of_getting_up():
    by_day = {"episodes": nights(30, 480, 900), "hour": 17.0}
    made = person(VISIT, wishes=Wishes(night=NightWish(up=time(15))), **by_day)
    assert told(made)[1] == "you get up at 14:15 for your entry at 15:00"
    both = Wishes(night=NightWish(bed=time(22, 30), up=time(7)))
    assert told(person(LATE_CHOIR, STANDUP, hour=19.0, wishes=both)) == (
        "you wish to be in bed by 22:30",
        "you get up at 06:55 for your entry at 07:40",
    )


@pytest.mark.parametrize(("slept", "up"), [((-50, 420), "07:00"), ((480, 900), "15:00")])
def test_an_hour_wished_for_sleep_by_day_makes_no_night_of_fifteen_hours(slept, up):
    made = person(hour=19.0, episodes=nights(30, *slept), wishes=Wishes(night=NightWish(up=time(15))))
    reason = f"you usually get up at {up}" if up == "07:00" else f"you wish to get up by {up}"
    assert told(made)[1] == reason
    assert made.night(TOMORROW).wake - made.night(TOMORROW).bed < timedelta(hours=9)


def test_a_night_that_is_wished_long_or_late_says_so():
    long = person(hour=19.0, wishes=Wishes(night=NightWish(up=time(6), minutes=540)))
    assert told(long) == ("bedtime is 21:00, for the 9 h in bed that you wish", "you wish to get up by 06:00")
    late = person(CHOIR, hour=19.0, mode=ILL, wishes=Wishes(night=NightWish(earliest=time(23, 30), rest=time(9))))
    assert told(late) == (
        "you wish to be in bed no earlier than 23:30",
        "you wish to get up no earlier than 09:00",
    )


def test_a_zone_set_by_hand_is_no_journey():
    made = person(hour=15.0)
    zones = (*BERLIN, ZoneSpan(since=made.now - DAY / 48, zone="America/New_York"))
    moved = replace(made, known=replace(made.known, zones=zones), now=made.now, _read={})
    assert against(moved, A.EXERCISE) == "your clock was set to the time of New York"
    flight = entry(TODAY, 360, 870, None, "Flight to New York", end_zone="America/New_York")
    flown = person(flight, hour=15.0)
    assert against(replace(flown, known=replace(flown.known, zones=zones), _read={}), A.EXERCISE) == (
        "a journey changes your time zone"
    )
    wished = replace(moved, wishes=Wishes(night=NightWish(bed=time(22, 30), up=time(7))), _read={})
    ends = wished.date_of(wished.now) + DAY
    assert for_person([of_bedtime(wished, ends)]) == ["you wish to be in bed by 22:30"]
    assert wished.night(ends).bed == at(ends, -90, "America/New_York")


def test_after_bedtime_a_short_night_counts_from_now():
    wish = Wishes(night=NightWish(bed=time(22, 30), up=time(7)))
    made = person(hour=24.5, day=TODAY, episodes=nights(30, -50, 420, last=TODAY), wishes=wish)
    assert told(made)[0] == (
        "you wish to be in bed by 22:30; going to bed now leaves 6 h 30 min in bed, 1 h 10 min less than you need"
    )


@pytest.mark.parametrize("up", [385, 420])
def test_before_a_train_there_is_time_to_get_ready_and_to_leave(up):
    train = entry(TOMORROW, 430, 520, None, "Train to Leipzig")
    one = person(train, hour=18, episodes=nights(30, -60, up, noise=5), work=False)
    assert one.sleep(TOMORROW)[1] == at(TOMORROW, 340)
    assert for_person([of_waking(one, TOMORROW)]) == ["you get up at 05:40 for your journey at 07:10"]


def test_a_train_home_is_left_for_like_any_other():
    train = entry(TODAY, 1035, 1120, None, "Train home")
    one = person(train, hour=9, work=False)
    (shown,) = [b for b in week(one).blocks(TODAY) if b.kind == "entry"]
    assert for_person(shown.facts) == ["leave by 16:30"]
    assert grid(one).entered[grid(one).down(at(TODAY, 990)) : grid(one).up(at(TODAY, 1035))].all()


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("bed", [time(22), time(23), time(0)])
def test_a_night_that_begins_as_wished_ends_as_usual_and_never_for_beginning_late(bed, free):
    """Whatever entry ends before, at or after the wished bedtime; a night that begins later goes on later."""
    begins = bed.hour * 60 - 1440 * (bed.hour > 12)
    for ends in range(begins - 90, begins + 150, 15):
        dinner = entry(TODAY, 1140, 1440 + ends, A.SOCIALIZE, "Dinner")
        made = person(
            dinner,
            hour=12.0,
            episodes=nights(30, -60, 480, noise=5),
            work=not free,
            wishes=Wishes(night=NightWish(bed=bed)),
        )
        night, usual = made.night(TOMORROW), made.usual_sleep(TOMORROW)
        if night.bed <= usual[0] + 5 * MINUTE:
            assert night.wake <= usual[1] + 5 * MINUTE
            assert of_waking(made, TOMORROW).kind != "waking_late"
        elif night.bed >= usual[0] + 45 * MINUTE:
            assert of_waking(made, TOMORROW).kind == "waking_late"


@pytest.mark.parametrize("up", [480, 520, 560])
def test_a_night_that_an_entry_cuts_is_never_said_to_end_late_for_beginning_late(up):
    told = 0
    for ends in range(0, 181, 15):
        party = entry(TODAY, 1320, 1440 + ends, A.SOCIALIZE, "Party")
        for begins in range(480, 661, 15):
            lab = entry(TOMORROW, begins, begins + 90, A.LEARN, "Lab")
            made = person(party, lab, hour=15.0, episodes=nights(30, up - 400, up, noise=20), work=False)
            if "entry" in of_bedtime(made, TOMORROW).values and of_bedtime(made, TOMORROW).kind == "bedtime_leaves":
                told += 1
                assert of_waking(made, TOMORROW).kind == "waking_early"
    assert told > 10
