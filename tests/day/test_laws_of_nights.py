"""Laws of what is said of a bedtime, over generated nights and evenings: it does what its reason says."""

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.day import person as module
from bridge.day.bedtime import of_bedtime
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import look, sleep_option
from bridge.day.silence import quiet
from bridge.day.typical import ordinary
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import ZoneSpan
from rhythm_env.interface import ActionType, Meter

from .lives import DAY, TODAY, at, days, entry, nights, sleep
from .persons import HOUR, MINUTE, found, meetings, person
from .test_laws import feverish

A = ActionType
SEEDS = range(96)
OF_LAST_NIGHT = {
    "bedtime_rest",
    "bedtime_unwell",
    "bedtime_overslept",
    "bedtime_alarm",
    "bedtime_rest_before",
    "bedtime_unwell_before",
}


def evening(seed, hour=17.0):
    """Somebody after a night of any length and begin, with or without an entry in the evening or an early one."""
    rng = random.Random(seed)
    bed, length, noise = rng.uniform(-120, 150), rng.choice([370, 430, 490]), rng.choice([10, 20, 110])
    begins = [(day, bed + rng.gauss(0, noise)) for day in days(35, TODAY - DAY)]
    slept = [sleep(day, minute, minute + length) for day, minute in begins]
    begin = bed + rng.uniform(-220, 160)
    slept.append(sleep(TODAY, begin, begin + rng.choice([170, 260, 330, 480])))
    end = rng.uniform(1200, 1400)
    agenda = [entry(TODAY, end - 90, end, A.SOCIALIZE, "Choir")] * (rng.random() < 0.4)
    agenda += [entry(TODAY + DAY, rng.uniform(360, 560), 600, A.ADMIN_WORK, "Call")] * (rng.random() < 0.3)
    return person(*agenda, hour=hour, episodes=slept, work=rng.random() < 0.5)


def broken(seed):
    """Name the promise of its reason that an evening's bedtime breaks, and the kind of the reason."""
    one, ends = evening(seed), TODAY + DAY
    (bed, wake), usual, last = one.sleep(ends), one.usual_sleep(ends)[0], one.last_bed(ends)
    said = of_bedtime(one, ends)
    kind = said.values.get("bedtime", said).kind
    ended = max(end for _, end in [(0, at(TODAY, 0)), *one.attended] if end <= bed)
    faults = []
    if kind in OF_LAST_NIGHT:
        faults += ["later than last night"] * (last is not None and bed > max(last, at(TODAY, 1260)))
        faults += ["later than usual"] * (bed > usual)
        allowed = max(one.earliest_bed(ends), ended + 45 * MINUTE) + 3 * MINUTE
        faults += ["less than needed"] * (wake - bed < one.need(ends) - 3 * MINUTE and bed > allowed)
    if kind in ("bedtime_earliest", "bedtime_rest", "bedtime_unwell"):
        faults += ["too early"] * (bed < one.earliest_bed(ends) - 3 * MINUTE)
        faults += ["not the earliest"] * (kind == "bedtime_earliest" and bed > one.earliest_bed(ends) + 5 * MINUTE)
    if kind == "bedtime_rest_before" and (last is None or bed < last - 5 * MINUTE):
        faults += ["longer than needed"] * (wake - bed > one.need(ends) + HOUR + 5 * MINUTE)
    if kind == "bedtime_varies":
        faults += ["far from last night"] * (abs(bed - last) >= HOUR)
    if kind == "bedtime_after":
        faults += ["later than the entry allows"] * (bed - ended > 48 * MINUTE)
    if wake - bed < one.need(ends) - 35 * MINUTE and one.night(ends).moved != "early_entry":
        faults += ["short without a word"] * ("less than you need" not in told(said))
    return faults, kind


def test_a_bedtime_does_what_its_reason_says():
    kinds = Counter()
    for seed in SEEDS:
        faults, kind = broken(seed)
        assert faults == [], (seed, kind)
        kinds[kind] += 1
    assert {"bedtime_rest", "bedtime_varies", "bedtime_after", "bedtime_usual"} <= kinds.keys(), kinds


def test_the_law_of_bedtimes_fails_where_the_body_clock_is_not_asked(monkeypatch):
    by_debt = lambda _self, _day, usual, _wake, asked: usual - max(asked.values())  # noqa: E731
    monkeypatch.setattr(module.Person, "_bed_asked", by_debt)
    assert sum(bool(broken(seed)[0]) for seed in SEEDS) > 1


@pytest.mark.parametrize("seed", range(4))
def test_what_the_morning_announced_holds_until_the_night(seed):
    for one in (evening(seed, 9.0), feverish(seed)):
        bed = one.sleep(TODAY + DAY)[0]
        for minute in (900, 1230, 1445):
            assert replace(one, now=at(TODAY, minute), _read={}).sleep(TODAY + DAY)[0] <= bed


def test_a_bedtime_hours_away_is_said_only_where_nothing_comes_before_it():
    early = entry(TODAY + DAY, 300, 420, None, "Train")
    for hour, told_now in ((18.2, False), (20.6, True)):
        one = person(early, *meetings(10), hour=hour, work=False)
        options = found(one)[0]
        assert (A.SLEEP in options) is told_now
        assert told_now or options
    choir = entry(TODAY, 1110, 1140, A.SOCIALIZE, "Choir")
    assert A.SLEEP not in found(person(early, choir, hour=17.5, work=False))[0]


@pytest.mark.parametrize("woke", [592, 598, 612, 640, 660])
@pytest.mark.parametrize("ago", [0, 1])
def test_of_what_was_slept_into_only_a_day_before_is_told_and_only_what_is_known(woke, ago):
    missed, ahead = TODAY - ago * DAY, TODAY + (1 - ago) * DAY
    lecture = [entry(day, 600, 690, A.LEARN, "Lecture") for day in (missed, ahead)]
    slept = [*nights(30, 85, 560, last=missed - DAY, noise=5), sleep(missed, 50, woke)]
    text = told(of_bedtime(person(*lecture, hour=12.4 if ago == 0 else 0.2, episodes=slept, work=False), ahead))
    assert text.startswith("bedtime is 00:50 today, in time for your entry at 10:00")
    assert text.endswith("set an alarm for 09:15")
    through = f"you slept through the last one like it, on {missed:%A}"
    assert (through in text) is (ago == 1 and woke > 645)
    assert ("you nearly slept through the last one like it" in text) is (ago == 1 and woke <= 645)


def test_who_sleeps_late_once_is_not_told_of_the_usual_night():
    party = entry(TODAY - DAY, 1380, 1530, A.SOCIALIZE, "Party")
    one = person(party, hour=7.4, episodes=nights(30, -60, 420, last=TODAY - DAY), work=False)
    assert one.night(TODAY).moved == "late_entry"
    assert (
        for_person(quiet(look(one, one.now), {}))[0] == f"your night lasts until about {one.clock(one.sleep(TODAY)[1])}"
    )


def test_who_slept_into_an_entry_hears_of_it_while_it_lasts():
    course = entry(TODAY, 510, 750, A.LEARN, "Course")
    one = person(
        course, hour=9.1, episodes=[*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, -60, 528)], work=False
    )
    assert for_person(quiet(look(one, one.now), {}))[0] == "you slept into your entry, which lasts until 12:30"


def test_a_night_that_is_earlier_for_the_body_names_the_sign():
    named = 0
    for seed in range(12):
        ill = feverish(seed, minute=1140)
        night = sleep_option(ill, (ill.now, ill.now + 4 * HOUR))
        if night is not None and night.facts[0].kind in ("bedtime_unwell", "bedtime_unwell_before"):
            assert night.facts[1].kind == ill.body.facts[0].kind
            named += 1
    assert named >= 3


def test_a_vitality_that_rises_over_the_day_moves_no_announced_bedtime():
    ill = feverish(2)
    few = [
        replace(b, fact=replace(b.fact, kind="illness_signs")) if b.signal == "illness" else b
        for b in ill.vitality.because
    ]
    beds = set()
    for level in (0.30, 0.44, 0.52, 0.58):
        reading = replace(ill.vitality, level=level, sd=0.005, because=tuple(few))
        beds.add(replace(ill, readings={Meter.VITALITY: reading}, _read={}).sleep(TODAY + DAY)[0])
    assert len(beds) == 1


@pytest.mark.parametrize("seed", range(6))
def test_weeks_of_a_shift_that_come_round_are_no_new_life(seed):
    rng, first = random.Random(seed), TODAY - 60 * DAY
    shifts = ((-150, 276), (48, 510), (450, 870))
    of_day = {first + k * DAY: shifts[(k + seed) // 7 % 3] for k in range(60) if rng.random() < 0.95}
    nights_of = [(day, tuple(minute + rng.gauss(0, 18) for minute in of)) for day, of in of_day.items()]
    for count in range(40, len(nights_of)):
        assert sum(ordinary(*zip(*nights_of[:count], strict=True))) >= 0.6 * count


def test_no_night_before_an_early_start_begins_long_before_the_usual_bedtime():
    for begin in (330, 360, 390):
        early = entry(TODAY + DAY, begin, 840, A.ADMIN_WORK, "Early shift")
        one = person(early, hour=18, work=False, episodes=nights(30, 80, 540, last=TODAY))
        bed, usual = one.sleep(TODAY + DAY)[0], one.routine.sleep_ending_on(TODAY + DAY, one.zones)[0]
        assert timedelta(0) < usual - bed <= timedelta(minutes=90)
    for seed in range(60):
        one = after_a_shift(seed)
        bed, usual = one.sleep(TODAY + DAY)[0], one.routine.sleep_ending_on(TODAY + DAY, one.zones)[0]
        assert usual - bed <= timedelta(minutes=90), seed


def after_a_shift(seed, hour=18.0):
    """Somebody of late weekends, after hardly any sleep or a usual night, with shifts that sleep follows at once."""
    rng = random.Random(seed)
    later, short = rng.choice([0, 80]), rng.random() < 0.5
    slept = nights(40, lambda d: 80 + later * (d.weekday() >= 5), 480 + later, noise=5, last=TODAY - DAY)
    worked = [TODAY - k * DAY for k in (3, 7, 11, 0)]
    slept = [one for one in slept if one[1].day - DAY not in worked]
    slept += [sleep(day + DAY, -65, 440) for day in worked if day < TODAY - DAY]
    slept.append(sleep(TODAY, 150, 300 if short else 480))
    agenda = [entry(day, 840, 1330, A.ADMIN_WORK, "Shift") for day in worked]
    agenda += [entry(TODAY + DAY, rng.choice([330, 390, 450]), 600, A.EXERCISE, "City run")] * (rng.random() < 0.7)
    return person(*agenda, hour=hour, episodes=slept, work=False)


def test_no_nap_begins_from_three_on_or_ends_within_seven_hours_of_bedtime():
    for seed in range(60):
        rng = random.Random(seed)
        bed = rng.uniform(-180, 420)
        slept = [*nights(30, bed, bed + 450, last=TODAY - DAY), sleep(TODAY, bed + 180, bed + 400)]
        one = person(hour=rng.uniform(10, 18), episodes=slept, work=False)
        nap = found(one)[0].get(A.SLEEP)
        if nap is not None and nap.kind == "suggested":
            assert one.clock(nap.start) < "15:00", seed
            assert nap.end <= one.sleep(TODAY + DAY)[0] - 7 * HOUR, seed


@pytest.mark.parametrize("seed", range(24))
def test_sport_that_the_ill_are_told_to_leave_out_wakes_nobody(seed):
    """Also after a journey, and if sport at that hour was slept through on the day before."""
    well, begin = evening(seed, hour=18.0), random.Random(seed).choice([330, 375, 420, 465])
    runs = [entry(day, begin, begin + 75, A.EXERCISE, "Intervals") for day in (TODAY, TODAY + DAY)]
    travelled = (*well.known.zones, ZoneSpan(since=at(TODAY, 60), zone="Europe/Amsterdam"))
    for zones in (well.known.zones, travelled):
        found_of = []
        for more in (runs[:1], runs):
            agenda = sorted([*well.known.agenda, *more], key=lambda one: one[0].start)
            life = replace(well.known, zones=zones, agenda=agenda)
            ill = replace(well, known=life, mode=Mode(kind=ModeKind.ILL, since=TODAY, said=True), _read={})
            found_of.append(ill.sleep(TODAY + DAY))
        assert found_of[0] == found_of[1]


@pytest.mark.parametrize("seed", range(48))
def test_no_bedtime_that_has_passed_is_said_to_be_ahead(seed):
    for hour in (21.5, 23.3, 24.6, 26.0):
        one, ends = evening(seed, hour=hour), TODAY + DAY
        if one.night(ends).bed < one.now < one.night(ends).bed + 2 * HOUR:
            assert told(of_bedtime(one, ends)).startswith("bedtime was")


def test_before_an_early_train_who_is_late_is_told_what_is_left():
    train = entry(TODAY, 372, 600, None, "ICE 578 to Berlin")
    one = person(train, hour=40 / 60, episodes=nights(30, -60, 420, last=TODAY - DAY))
    assert told(of_bedtime(one, TODAY)).startswith("bedtime was 21:40; going to bed now leaves 4 h in bed,")
