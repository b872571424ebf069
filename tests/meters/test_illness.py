"""Several signs of illness in one night, on thousands of sick and ordinary nights of made-up and of real people."""

import csv
import doctest
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import median

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.rendering import told
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters import Past, read, read_at
from bridge.meters import vitality as module
from lab.validation import lifesnaps
from rhythm_env.interface import Meter
from tests.samples import sample

from .life import HOUR, MORNING, body, known, night, nightly, signals
from .wearers import ASLEEP, FIELDS, HRV, RECOVERY, RHR, life, night_of, ordinary_night, wearer

WEEKS = 3


def ordinary(seed):
    """Three weeks of nights with every sign, each with the spread of ordinary nights."""
    rng = random.Random(seed)
    return [
        *body(seed, days=7 * WEEKS, hrv=rng.uniform(20, 100)),
        *(nightly(Metric.SKIN_TEMPERATURE, ago, rng.gauss(33.8, 0.45)) for ago in range(7 * WEEKS)),
        *(nightly(Metric.RESPIRATORY_RATE, ago, rng.gauss(15, 0.5)) for ago in range(7 * WEEKS)),
    ]


def sick(items, seed):
    """The last night of a life made that of a fever, slept long: with two signs at least, often with four."""
    rng = random.Random(seed)
    extra = {Metric.SKIN_TEMPERATURE: rng.uniform(1.2, 3), Metric.RESPIRATORY_RATE: rng.uniform(2, 5)}
    dropped = rng.sample(list(extra), rng.randrange(3))
    raised, lower = rng.uniform(9, 31), rng.uniform(0.38, 0.6)
    return [
        _sick(one, raised, lower, extra) for one in items if getattr(one, "metric", None) not in dropped or _old(one)
    ]


def _old(one):
    return one.day != MORNING.date()


def _sick(one, raised, lower, extra):
    if _old(one):
        return one
    if isinstance(one, Episode):
        return replace(one, values={**one.values, Metric.ASLEEP: 570.0, Metric.SLEEP_EFFICIENCY: 95.0})
    if one.metric is Metric.RESTING_HR:
        return replace(one, value=one.value + raised)
    if one.metric is Metric.HRV_RMSSD:
        return replace(one, value=one.value * lower)
    return replace(one, value=one.value + extra.get(one.metric, 0.0))


def vitality(items, at=MORNING + 2 * HOUR):
    return read(known(*items, at=at))[Meter.VITALITY]


def is_called(reading):
    return any(one.fact.kind == "illness" for one in reading.because)


def test_worked_examples():
    assert doctest.testmod(module).failed == 0


def test_no_sick_night_of_a_thousand_reads_normal():
    readings = [vitality(sick(ordinary(seed), seed)) for seed in range(1000)]
    levels = [reading.level for reading in readings]
    assert max(levels) < 0.70
    assert median(levels) < 0.45
    called = [reading for reading in readings if is_called(reading)]
    assert len(called) > 500
    assert max(reading.level for reading in called) < 0.40


@pytest.mark.slow
def test_at_most_one_ordinary_night_of_two_hundred_is_called_ill():
    called = sum(is_called(vitality(ordinary(1000 + seed))) for seed in range(1000))
    assert called <= 5


HISTORIES = (7, 9, 11, 14, 20, 30, 60)  # nights before the fever


@pytest.mark.parametrize("fields", FIELDS)
def test_no_fever_reads_normal_whatever_the_vendor_tells(fields):
    """Short and long histories, noisy devices, long sleeps with high scores, the first and third day, any hour."""
    levels = []
    for seed in range(70):
        rng = random.Random(f"{fields} {seed}")
        history, hours = rng.choice(HISTORIES), rng.choice([2, 6, 13])
        items = life(rng, wearer(rng, fields), history=history, sick=rng.choice([1, 1, 2, 3]))
        levels.append(vitality(items, MORNING + hours * HOUR).level)
    assert max(levels) < 0.70
    assert median(levels) < 0.45


@pytest.mark.parametrize("fields", ["whoop", "garmin", "fitbit", "withings", "heart rate and variability"])
def test_a_week_of_fever_does_not_become_normal(fields):
    """After eleven ordinary nights, of which a tenth are missing, seven feverish nights."""
    for seed in range(40):
        rng = random.Random(f"{fields} {seed}")
        assert vitality(life(rng, wearer(rng, fields), history=11, sick=7)).level < 0.70


@pytest.mark.slow
def test_at_most_one_ordinary_night_of_two_hundred_is_called_ill_whatever_the_vendor_tells():
    called = nights = 0
    for fields in FIELDS:
        for seed in range(100):
            rng = random.Random(f"{fields} {seed}")
            called += is_called(vitality(life(rng, wearer(rng, fields), history=rng.choice(HISTORIES))))
            nights += 1
    assert nights == 1600
    assert called <= nights / 200


def red_nights(people, fields, usuals, gains, red):
    """Lives of wearers whose last night scored at most ``red``, made of heart rate, variability and sleep."""
    for seed in range(people):
        rng = random.Random(seed)
        one = wearer(rng, fields)
        weights = {HRV: rng.uniform(0.4, 0.7), RHR: -rng.uniform(0.1, 0.4), ASLEEP: rng.uniform(0.1, 0.4)}
        usual, gain = rng.uniform(*usuals), rng.uniform(*gains)
        nights = []
        for _ in range(90):
            values = ordinary_night(rng, one)
            z = sum(w * (values[f] - one.usual[f]) / one.strays[f] for f, w in weights.items())
            values[RECOVERY] = usual + gain * (z + rng.gauss(0, 0.4))
            nights.append(values)
        last = next((values for values in nights[30:] if values[RECOVERY] <= red), None)
        if last is None:
            continue
        nights = [last, *nights[:30]]
        yield [item for ago, values in enumerate(nights) for item in night_of(ago, values)]


def test_no_red_day_of_a_score_made_of_the_night_reads_normal():
    levels = [vitality(items).level for items in red_nights(200, "whoop", (40, 68), (12, 20), 33)]
    assert len(levels) > 150
    assert max(levels) < 0.70


def test_few_low_days_of_a_score_with_a_high_usual_read_normal():
    """Oura calls a readiness below 60 low, and most of its days lie near 80."""
    levels = [vitality(items).level for items in red_nights(800, "oura", (72, 82), (6, 9), 59)]
    assert len(levels) > 60
    assert sum(level >= 0.70 for level in levels) <= len(levels) / 25


SIGNS_OF_WHOOP = {
    "recovery_score": Metric.RECOVERY_SCORE,
    "resting_heart_rate": Metric.RESTING_HR,
    "hrv_rmssd_milli": Metric.HRV_RMSSD,
    "skin_temp_celsius": Metric.SKIN_TEMPERATURE,
    "avg_respiratory_rate": Metric.RESPIRATORY_RATE,
}
STAGES_OF_WHOOP = ("total_light_sleep_time_hrs", "total_rem_sleep_time_hrs", "total_slow_wave_sleep_time_hrs")


def test_no_red_day_of_a_whoop_reads_normal():
    """A person's 14 months of cycles, taken to be eight hours in bed."""
    items, mornings = [], {}
    with (sample("whoop_api") / "ald0405_whoop_api_flattened.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            began = datetime.fromisoformat(row["cycle_start_ts"])
            woke, day = began + timedelta(hours=8), (began + timedelta(hours=10)).date()
            if day in mornings or not row["recovery_score"]:
                continue
            mornings[day] = woke + 2 * HOUR, float(row["recovery_score"])
            asleep = 60 * sum(float(row[stage] or 0) for stage in STAGES_OF_WHOOP) / 100  # of hundredths of an hour
            if asleep > 60:
                items.append(
                    Episode(
                        key=f"whoop/{day}",
                        kind=EpisodeKind.SLEEP,
                        start=began,
                        end=woke,
                        day=day,
                        values={Metric.ASLEEP: asleep},
                    )
                )
            items += [
                Sample(
                    key=f"whoop/{metric}/{day}", metric=metric, start=began, end=woke, day=day, value=float(row[name])
                )
                for name, metric in SIGNS_OF_WHOOP.items()
                if row[name]
            ]
    past = Past(known(*items, at=max(mornings.values())[0], zones=UTC_ONLY), since=min(mornings.values())[0])
    red = [read_at(past, at)[Meter.VITALITY].level for at, score in sorted(mornings.values())[7:] if score < 34]
    assert len(red) > 20
    assert max(red) < 0.70


UTC_ONLY = (ZoneSpan(since=datetime(2000, 1, 1, tzinfo=UTC), zone="UTC"),)
SIGNS_OF_FITBIT = {
    "rmssd": Metric.HRV_RMSSD,
    "resting_hr": Metric.RESTING_HR,
    "full_sleep_breathing_rate": Metric.RESPIRATORY_RATE,
    "nightly_temperature": Metric.SKIN_TEMPERATURE,
}


def lived(rows):
    """A person's nights in LifeSnaps, which have no clock times: past, and the mornings with any sign."""
    samples, nights, mornings = [], [], []
    for row in rows:
        day = date.fromisoformat(row["date"][:10])
        woke = datetime(day.year, day.month, day.day, 7, tzinfo=UTC)
        began = woke - timedelta(hours=8)
        minutes = float(row["minutesAsleep"] or 0)
        if minutes >= 60:
            values = {Metric.ASLEEP: minutes}
            nights.append(
                Episode(key=row["date"], kind=EpisodeKind.SLEEP, start=began, end=woke, day=day, values=values)
            )
        signs = {metric: row[name] for name, metric in SIGNS_OF_FITBIT.items() if row[name] and float(row[name])}
        for metric, value in signs.items():
            key = f"{metric}/{row['date']}"
            samples.append(Sample(key=key, metric=metric, start=began, end=woke, day=day, value=float(value)))
        mornings += [woke + 2 * HOUR] if signs and minutes >= 60 else []
    if len(mornings) < 20:
        return None, []
    snapshot = Snapshot(
        at=mornings[-1],
        zones=UTC_ONLY,
        samples=[("fitbit", one) for one in samples],
        episodes=[("fitbit", one) for one in nights],
    )
    return Past(snapshot, since=mornings[0]), mornings[7:]


def test_real_nights_are_seldom_called_ill_and_none_with_two_signs_out_reads_normal():
    """LifeSnaps tells of no illness. Its sick nights are among those that are called."""
    people = {}
    with (sample("wellness") / "lifesnaps" / lifesnaps.DAILY).open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            people.setdefault(row["id"], {}).setdefault(row["date"], row)
    called, out, nights = 0, [], 0
    for rows in people.values():
        past, mornings = lived([rows[day] for day in sorted(rows)])
        for at in mornings:
            reading = read_at(past, at)[Meter.VITALITY]
            called, nights = called + is_called(reading), nights + 1
            if sorted(z for z, _, _ in module._signs(past, at))[-2:][0] >= 2:
                out.append(reading.level)
    assert nights > 2500
    assert called <= nights / 100
    assert len(out) > 50
    assert max(out) < 0.70


def test_a_night_of_many_is_called_by_the_signs_that_stand_out():
    one = next(one for one in vitality(sick(ordinary(1), 3)).because if one.signal == "illness")
    assert one.contribution < 0
    assert "heart-rate variability down" in told(one.fact)


def test_a_single_sign_far_out_is_no_illness():
    life = [one for one in body(3, days=30) if getattr(one, "metric", None) is not Metric.RESTING_HR]
    rates = [nightly(Metric.RESTING_HR, ago, 55 + 25 * (ago == 0)) for ago in range(30)]
    assert "illness" not in signals(vitality([*life, *rates]))


def test_signs_of_different_nights_are_not_counted_together():
    rates = [nightly(Metric.RESTING_HR, ago, 55 + 25 * (ago == 1)) for ago in range(1, 30)]
    warm = [nightly(Metric.SKIN_TEMPERATURE, ago, 34 + 3 * (ago == 0)) for ago in range(30)]
    assert "illness" not in signals(vitality([*rates, *warm], at=MORNING + HOUR))


def test_two_thermometers_are_one_sign():
    warm = [nightly(Metric.SKIN_TEMPERATURE, ago, 34 + 3 * (ago == 0)) for ago in range(30)]
    change = [nightly(Metric.SKIN_TEMPERATURE_DELTA, ago, 3.0 * (ago == 0), source="oura") for ago in range(30)]
    assert "illness" not in signals(vitality([*warm, *change]))


@pytest.mark.parametrize("asleep", [420.0, 480.0, 600.0])
@pytest.mark.parametrize("usual", [42.0, 67.0])
def test_no_night_that_the_vendor_calls_red_reads_normal(asleep, usual):
    nights = [night(ago, 430.0 if ago else asleep, sleep_efficiency=92, sleep_score=80) for ago in range(30)]
    low = [nightly(Metric.RECOVERY_SCORE, ago, usual + ago % 7 - 3 if ago else 33.0) for ago in range(30)]
    hrv = [nightly(Metric.HRV_RMSSD, ago, 50 + ago % 5 if ago else 47.0) for ago in range(30)]
    assert vitality([*nights, *low, *hrv]).level < 0.70
    assert vitality([*nights, *low]).level < 0.70


def test_a_raised_heart_rate_lowers_and_a_low_one_does_nothing():
    nights = [night(ago, 430.0) for ago in range(30)]

    def level(rate):
        rates = (nightly(Metric.RESTING_HR, ago, rate if ago == 0 else 55 + ago % 3) for ago in range(30))
        return vitality([*nights, *rates])

    assert level(45).level == level(55).level == level(56).level > level(62).level > level(66).level
    texts = [next(told(b.fact) for b in level(rate).because if b.signal == "resting_hr") for rate in (50, 64)]
    assert texts[0] == "resting heart rate not raised"
    assert "above your usual" in texts[1]


def test_what_was_measured_in_a_nap_is_no_sign_of_the_night_before_it():
    """Some devices give an evening's nap a resting heart rate of its own, far above that of any night."""
    evening = MORNING + 14 * HOUR
    nap = replace(night(0), key="whoop/nap/0", kind=EpisodeKind.NAP, start=evening - 1 * HOUR, end=evening)
    usual = [one for one in ordinary(3) if _old(one) or isinstance(one, Episode)]
    within = [
        replace(nightly(metric, 0, value), key=f"whoop/{metric}/nap", start=nap.start, end=nap.end)
        for metric, value in ((Metric.RESTING_HR, 85.0), (Metric.HRV_RMSSD, 8.0), (Metric.SKIN_TEMPERATURE, 36.5))
    ]
    assert is_called(vitality([*usual, *within], at=evening + HOUR))  # without a nap it is the night's, told late
    assert not is_called(vitality([*usual, *within, nap], at=evening + HOUR))
    assert not is_called(vitality([*usual, *within, nap], at=evening + 14 * HOUR))
