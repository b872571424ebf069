"""Laws that hold on each of a thousand random days, some empty, some with impossible values."""

import random
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from bridge.domain.facts import fact
from bridge.domain.metrics import Metric
from bridge.domain.slots import moment_at, slot_start
from bridge.domain.types import Episode, Sample
from bridge.meters import proxy, read, read_slots
from bridge.meters.fuse import Signal, fuse
from rhythm_env.interface import Meter

from .life import BERLIN, DAY, HOUR, MORNING, body, entry, known, night, nightly, steps, stress

pytestmark = pytest.mark.slow

SOME = fact("by_lot")
DAYS = 1000


def any_life(seed, days):
    """Days of two bands that come and go, with outliers, impossible values and holes."""
    rng = random.Random(seed)
    items = []
    for ago in range(days):
        source = "garmin" if ago % 190 < 80 else "whoop"
        if rng.random() < 0.8:
            items.append(night(ago, rng.uniform(60, 800), source=source, sleep_score=rng.uniform(0, 100)))
        if rng.random() < 0.7:
            items.append(nightly(Metric.HRV_RMSSD, ago, rng.choice([45, 45, 400, -3]) * rng.random(), source=source))
        if rng.random() < 0.7:
            items.append(nightly(Metric.RESTING_HR, ago, rng.uniform(35, 90), source=source))
        if rng.random() < 0.7:
            items.append(steps(ago, rng.uniform(0, 40_000)))
        hours = rng.sample(range(24), rng.randint(0, 5))
        items += (stress(MORNING - ago * DAY - h * HOUR, rng.choice([-2, -1, *range(0, 100, 7)])) for h in hours)
    begin = MORNING - days * DAY
    hours = sorted(rng.sample(range(24 * days), 3 * days))
    agenda = [entry(begin + h * HOUR, rng.uniform(0.2, 3), None, others=rng.randint(0, 4)) for h in hours]
    return known(*items, agenda=agenda)


def every_slot(life, days):
    now = moment_at(life.at, BERLIN)
    return [slot_start(now.shifted(-back), BERLIN) for back in range(4 * days - 1, -1, -1)]


def test_levels_stay_in_range_and_contributions_sum_to_the_distance():
    life = any_life(1, DAYS + 80)
    bare = 0
    for readings in read_slots(life, every_slot(life, DAYS)):
        for reading in readings.values():
            assert 0.05 <= reading.level <= 0.98
            assert 0 < reading.sd <= 0.25
            assert 0 <= reading.coverage <= 1 + 1e-9
            assert sum(b.contribution for b in reading.because) == pytest.approx(reading.level - 0.70)
            if reading.coverage == 0:
                assert (reading.level, reading.because) == (0.70, ())
                bare += 1
    assert bare > 0


def test_nothing_on_any_day_is_exactly_normal():
    for ago in range(DAYS):
        for meter, reading in read(known(at=MORNING - ago * 7 * HOUR)).items():
            assert (reading.level, reading.coverage) == (0.70, 0)
            assert meter is Meter.PROGRESS or reading.state.level == 0.70


@pytest.mark.parametrize("meter", Meter)
def test_more_of_an_input_moves_a_level_one_way(meter):
    """Every input of the shipped map, with the others at random and fixed."""
    rng = random.Random(meter)
    proxies = proxy.shipped()
    rows = list(proxies.of(meter).values())
    for _ in range(DAYS):
        day = [
            Signal(
                name=r.signal,
                z=rng.uniform(-3, 3),
                quality=rng.random(),
                age_hours=rng.uniform(0, 40),
                fact=fact("by_lot"),
            )
            for r in rows
        ]
        at = rng.randrange(len(rows))
        levels = [
            fuse(proxies, meter, [*day[:at], replace(day[at], z=z), *day[at + 1 :]]).level for z in (-3, -1, 0, 1, 3)
        ]
        assert all((b - a) * rows[at].direction >= -1e-12 for a, b in pairwise(levels))


def test_a_device_with_another_scale_has_its_own_normal():
    """Variability measured 30 % higher: once its own normal is known, a thousand days read the same."""
    items = body(days=DAYS + 80)
    higher = [_scaled(item, 1.3) for item in items]
    plain, scaled = (read_slots(life, every_slot(life, DAYS)[2::4]) for life in (known(*items), known(*higher)))
    for one, other in zip(plain, scaled, strict=True):
        for meter in Meter:
            assert other[meter].level == pytest.approx(one[meter].level, abs=0.004)


def _scaled(item, factor):
    if isinstance(item, Sample) and item.metric is Metric.HRV_RMSSD:
        return replace(item, value=item.value * factor)
    return item


def test_a_night_one_day_later_changes_no_earlier_level():
    rng = random.Random(4)
    for day in range(DAYS):
        items = any_life(1000 + day, 8)
        items = [*(e for _, e in items.episodes), *(s for _, s in items.samples)]
        late = [i for i in items if isinstance(i, Episode)]
        if not late:
            continue
        moved = rng.choice(late)
        shifted = replace(moved, key=f"{moved.key}+", start=moved.start + DAY, end=moved.end + DAY, day=moved.day + DAY)
        before = moved.end - timedelta(minutes=1 + rng.randrange(2000))
        rest = [i for i in items if i is not moved]
        assert read(known(*items, at=before)) == read(known(*rest, shifted, at=before))


def test_garmins_minus_one_and_two_are_never_averaged():
    life = any_life(5, DAYS + 80)
    clean = replace(life, samples=[(s, x) for s, x in life.samples if x.metric is not Metric.STRESS or x.value >= 0])
    assert len(clean.samples) < len(life.samples) - DAYS / 10
    slots = every_slot(life, DAYS)
    assert read_slots(life, slots) == read_slots(clean, slots)
