"""Laws of the person now over generated people. Each is shown to fail on a planted fault."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.calendar.ownership import Mark, Ownership, Whose
from bridge.day import known as module
from bridge.day import sleep
from bridge.day.body import Body, Condition, Mode, ModeKind
from bridge.day.choice import look, options
from bridge.day.grid import grid_of
from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.day.sleep import fitted, nights_and_odd
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, entry, known, nights
from tests.meters.test_illness import ordinary, sick

from .people import MONDAY, ODD, WEEKS, Life, apart, times, unsure

A = ActionType
COMPANY = (A.FAMILY_TIME, A.SOCIALIZE)
SEEDS = range(12)
HOURS = (timedelta(hours=6), timedelta(hours=4))


# Law 1: a body that is ill


def feverish(seed, minute=480, *, ill=True):
    """A person on the last day of a generated life, after a night with signs of illness."""
    rng = random.Random(seed)
    samples = [one for one in (sick(ordinary(seed), seed) if ill else ordinary(seed)) if hasattr(one, "metric")]
    agenda = [entry(day, 1080, 1140, A.EXERCISE, "Run") for day in (TODAY - k * DAY for k in range(8, 42, 5))]
    agenda += [entry(day, 1125, 1245, A.SOCIALIZE, "Pub") for day in (TODAY - k * DAY for k in range(7, 42, 7))]
    agenda.append(entry(TODAY, 360, 390, A.MEDITATE, "Sit"))
    if seed % 2:
        agenda.append(entry(TODAY, 1215, 1290, A.SOCIALIZE, "Pub", others=3))
    now = at(TODAY, minute)
    slept = nights(30, -60 + rng.uniform(-60, 30), 420, noise=10, last=TODAY)
    life = replace(known(slept, agenda, now=now), samples=[("whoop", one) for one in samples])
    wishes = Wishes(goals={A.SOCIALIZE: 3, A.EXERCISE: 5} if seed % 3 else {})
    return Person(known=life, now=now, routine=learn_routine(life), wishes=wishes)


def broken_when_ill(made):
    """What the options of a day do that no ill person should."""
    found = []
    for hour in range(5, 23):
        span = (at(TODAY, 60 * hour), at(TODAY, 60 * hour + 240))
        for action, option in options(look(made, span[0]), span)[0].items():
            waking = made.routine.sleep_ending_on(made.date_of(option.start), made.zones)[1]
            if action is A.EXERCISE:
                found.append("sport")
            if action in COMPANY and option.end > grid_of(made, option.start).since(timedelta(hours=20)):
                found.append("late company")
            if option.kind != "sleep" and option.start < waking:
                found.append("before waking")
    return set(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_who_is_ill_hears_of_sport_late_company_or_early_starts(seed):
    made = feverish(seed)
    if made.body.ill:
        assert not broken_when_ill(made)


def test_most_fevers_are_illness_and_no_ordinary_night_is():
    assert sum(feverish(seed).body.ill for seed in range(40)) > 25
    assert not any(feverish(seed, ill=False).body.ill for seed in range(40))


def test_law_1_fails_where_the_body_is_not_read(monkeypatch):
    monkeypatch.setattr(module, "body_of", lambda *_: Body())
    assert {"sport", "late company"} <= {one for seed in SEEDS for one in broken_when_ill(feverish(seed))}


def test_who_says_so_is_ill_until_then():
    made = feverish(1, ill=False)
    said = replace(made, mode=Mode(kind=ModeKind.ILL, until=TODAY, said=True), _read={})
    assert said.body.state is Condition.ILL
    assert not broken_when_ill(said)
    over = replace(said, mode=Mode(kind=ModeKind.ILL, until=TODAY - DAY, said=True), _read={})
    assert not over.body.ill


# Law 3: sleep in the calendar


def night_entry(day, start, end):
    return entry(day, start, end, A.SLEEP, "sleep")


def delayed(seed, watch):
    """The dates on which sleep begins later once the calendar holds two entries of sleep for the next night."""
    rng, day = random.Random(seed), MONDAY + 60 * DAY
    plain = Life(seed).person(day, watch=watch)
    starts = [night_entry(day + DAY, start := rng.uniform(-200, 300), start + rng.uniform(190, 600)) for _ in range(2)]
    added = Life(seed).person(day, watch=watch, extra=starts)
    return [ends for ends in (day + k * DAY for k in range(3)) if added.sleep(ends)[0] > plain.sleep(ends)[0]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("watch", [True, False])
def test_an_entry_of_sleep_never_delays_sleep(seed, watch):
    assert delayed(seed, watch) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("watch", [True, False])
def test_entries_of_sleep_at_the_usual_hours_change_nothing(seed, watch):
    day = MONDAY + 60 * DAY
    plain = Life(seed).person(day, watch=watch)
    usual = plain.routine.nights
    extra = [
        night_entry(one, usual[one.weekday()].bed, usual[one.weekday()].wake)
        for one in (day + k * DAY for k in range(-50, 10))
    ]
    added = Life(seed).person(day, watch=watch, extra=extra)
    assert apart(times(plain), times(added))[0] <= 15


def test_law_3_fails_where_sleep_is_an_appointment(monkeypatch):
    monkeypatch.setattr(Person, "attended", property(lambda self: [(o.start, o.end) for o, _ in self.entries]))
    assert sum(bool(delayed(seed, watch)) for seed in SEEDS for watch in (True, False)) > len(SEEDS)


def test_the_night_of_two_daily_entries_of_sleep():
    """A calendar with sleep from midnight to 9:30 and to 8:30 every day: nothing sleeps by day."""
    agenda = [night_entry(TODAY + k * DAY, 0, end) for k in range(-25, 14) for end in (570, 510)]
    life = known((), agenda, now=at(TODAY, 580))
    made = Person(known=life, now=life.at, routine=learn_routine(life))
    bed, wake = made.sleep(TODAY + DAY)
    assert at(TODAY + DAY, -15) <= bed <= at(TODAY + DAY, 15)
    assert at(TODAY + DAY, 480) <= wake <= at(TODAY + DAY, 600)
    assert made.sleep(TODAY)[1] <= at(TODAY, 600)
    assert made.attended == []


# Law 4: an odd week


def odd_week(seed, odd, after):
    week = random.Random(f"{seed}/{odd}").randint(4, WEEKS - 1)
    day = MONDAY + (7 * (week + 1) + after) * DAY
    return apart(times(Life(seed).person(day)), times(Life(seed, odd, week).person(day)))


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("seed", range(10))
def test_an_odd_week_that_is_over_moves_no_plan(seed, odd):
    for after in random.Random(f"{seed}+{odd}").sample([0, 1, 3, 5, 8, 13], 2):
        far, key = odd_week(seed, odd, after)
        assert far <= 20, (key, after)


@pytest.mark.parametrize("others", [0, 1, 3])
def test_a_festival_in_a_sparse_calendar_is_no_working_week(others):
    first = TODAY - 14 * DAY
    acts = [entry(first + k * DAY, 790, 1630, A.ADMIN_WORK, "Stage") for k in range(7)]
    acts = [(occurrence, unsure(label)) for occurrence, label in acts]
    work = [entry(first - (7 * k + 3) * DAY, 600, 700, A.DEEP_WORK, "Write") for k in range(others)]
    plain, odd = (learn_routine(known((), agenda)) for agenda in (work, [*work, *acts]))
    assert odd.work == plain.work
    assert odd.nights == plain.nights


def test_law_4_fails_with_means_and_without_odd_stretches(monkeypatch):
    def mean(values, weights=()):
        by = weights or [1.0] * len(values)
        return sum(v * w for v, w in zip(values, by, strict=True)) / sum(by) if len(values) else 0.0

    monkeypatch.setattr(sleep, "midmean", mean)
    monkeypatch.setattr(sleep, "ordinary", lambda days, _: [True] * len(days))
    assert any(odd_week(seed, "festival", 1)[0] > 20 for seed in range(5))


def test_what_lasts_longer_than_an_odd_week_is_a_new_life():
    change = TODAY - 21 * DAY
    moved = nights(60, lambda d: 120 if d > change else -60, lambda d: 600 if d > change else 420, noise=15)
    assert all(abs(night.bed - 120) < 60 for night in nights_and_odd(known(moved))[0])


# Law 9: entries that are not the person's


def strange(rng, day):
    start = rng.uniform(0, 1380)
    return entry(
        day,
        start,
        start + rng.choice([30, 120, 400]),
        rng.choice([*ActionType, None]),
        rng.choice(["CW Preschool", "Nina: dentist", None]),
        calendar=rng.choice(["family", "mine"]),
        others=rng.choice([0, 4]),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_an_entry_that_is_not_mine_changes_nothing(seed):
    rng, day = random.Random(seed), MONDAY + 60 * DAY
    others = [strange(rng, day + k * DAY) for k in range(-60, 14) for _ in range(3)]
    said = Ownership(
        left_out=frozenset({"family"}),
        marks=tuple(Mark(key=o.key, whose=Whose.NOT_MINE) for o, _ in others if o.event.calendar == "mine"),
    )
    plain = [o for o, _ in Life(seed).person(day).known.agenda]
    mixed = sorted([*plain, *(o for o, _ in others)], key=lambda one: (one.start, one.key))
    assert said.own_of(mixed) == plain
    assert replace(said, marks=()).own_of(mixed) != plain  # as it would be with the marks forgotten


def test_an_entry_that_takes_no_time_stays_and_is_free():
    one, _ = entry(TODAY, 600, 660, A.ADMIN_WORK, "Trash day")
    assert Ownership().own_of([one]) == [one]
    (free,) = Ownership(marks=(Mark(key=one.event.key, whose=Whose.NO_TIME),)).own_of([one])
    assert (one.event.busy, free.event.busy) == (True, False)


# Nights without room


def test_a_night_that_shifts_fill_gets_a_length():
    low, high = at(TODAY, -60), at(TODAY, 420)
    (bed, wake), _ = fitted((low, high), [(at(TODAY, -120), at(TODAY, 430))], [], [], known().zones)
    assert wake - bed >= timedelta(hours=1)
    assert bed >= at(TODAY, 430)


def test_a_short_course_at_night_moves_no_bedtime():
    thursdays = [TODAY - (1 + 7 * k) * DAY for k in range(1, 8)]
    agenda = [entry(day, 240, 360, A.DEEP_WORK, "Proofs") for day in thursdays]
    agenda += [entry(day + DAY, 540, 660, A.DEEP_WORK, "Design") for day in thursdays]
    life = known((), agenda, now=at(TODAY, 430))
    made = Person(known=life, now=life.at, routine=learn_routine(life))
    assert made.routine.nights == nights_and_odd(known())[0]
    assert made.sleep(TODAY)[0] >= at(TODAY, -120)
