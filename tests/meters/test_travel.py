"""Journeys, devices and doors: what keeps a normal from being somebody else's."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.rendering import told
from bridge.meters import read
from bridge.meters.baseline import CONSTANTS, baseline
from bridge.meters.nights import Journeys
from rhythm_env.interface import Meter

from .life import DAY, HOUR, MORNING, TODAY, body, hrv_z, known, night, nightly


def z_of(reading, signal):
    return next(b.z for b in reading.because if b.signal == signal)


def at_offset(item, minutes):
    return replace(item, offset=minutes)


@pytest.mark.parametrize(("hours", "frozen"), [(2.5, 0), (3, 3), (7, 7), (13, 10)])
def test_a_journey_unsettles_for_a_day_per_zone_at_most_ten(hours, frozen):
    gone = Journeys({TODAY - DAY: 60, TODAY: 60 + int(60 * hours), TODAY + DAY: 60 + int(60 * hours)})
    days = [TODAY + k * DAY for k in range(20)]
    assert sum(gone.frozen(day) for day in days) == frozen
    assert sum(gone.loose(day) for day in days) == (3 if hours >= 3 else 0)
    assert not gone.frozen(TODAY - DAY)


def test_summer_time_is_no_journey():
    assert not Journeys({TODAY - DAY: 120, TODAY: 60}).loose(TODAY)


def away(ago):
    """Home until three days ago, then nine hours west."""
    return 60 if ago > 2 else 60 - 9 * 60


def test_heart_rate_after_a_flight_is_judged_loosely_and_makes_nobodys_normal():
    rates = {ago: 55.0 + ago % 3 if ago > 2 else 62.0 for ago in range(30)}
    nights = [at_offset(night(ago), away(ago)) for ago in range(30)]
    hearts = [nightly(Metric.RESTING_HR, ago, rate) for ago, rate in rates.items()]
    flown = z_of(read(known(*nights, *hearts))[Meter.VITALITY], "resting_hr")
    stayed = z_of(read(known(*(night(ago) for ago in range(30)), *hearts))[Meter.VITALITY], "resting_hr")
    row = CONSTANTS[Metric.RESTING_HR]
    settled = baseline([rates[ago] for ago in range(3, 30)], row)
    assert flown == pytest.approx(1 + max(-(62 - settled.centre) / (1.5 * settled.spread), -3))
    assert flown > stayed


def test_bedtimes_after_a_flight_are_no_irregularity():
    def level(offset):
        nights = [at_offset(night(ago, 420), 60) for ago in range(1, 20)]
        moved = replace(at_offset(night(0, 420), offset), start=MORNING - 8 * HOUR, end=MORNING)
        return read(known(*nights, moved, at=MORNING))[Meter.VITALITY].level

    home, flown = level(60), level(60 - 9 * 60)
    assert flown == pytest.approx(home, abs=0.06)


def test_another_device_of_the_same_source_starts_its_own_normal():
    old = [replace(nightly(Metric.HRV_RMSSD, ago, 45), device="band 4") for ago in range(1, 30)]
    new = replace(nightly(Metric.HRV_RMSSD, 0, 60), device="band 5")
    row = CONSTANTS[Metric.HRV_RMSSD]
    reading = read(known(*old, new))[Meter.VITALITY]
    assert hrv_z(*old, new) == pytest.approx(baseline([], row).z(60, row))
    assert reading.because[0].source == "whoop"


def test_a_night_that_came_through_two_doors_counts_once():
    once = body()
    again = [replace(i, key=i.key.replace("whoop", "apple_health"), device="Band") for i in once if "whoop" in i.key]
    one, two = (read(known(*items)) for items in (once, [*once, *again]))
    for meter in Meter:
        assert two[meter].level == pytest.approx(one[meter].level)
        assert two[meter].sd == one[meter].sd
        assert len(two[meter].because) == len(one[meter].because)


def test_of_several_sleeps_the_one_that_ends_in_the_morning_is_the_main_one():
    shift = timedelta(hours=13)
    evening = replace(night(0, 600), key="whoop/evening", start=MORNING + 2 * HOUR, end=MORNING + shift)
    reading = read(known(night(0, 400), evening, at=MORNING + shift))[Meter.VITALITY]
    assert told(reading.because[0].fact).startswith("slept 6 h 40 min")


def test_the_battery_a_night_charged_stands_in_for_variability():
    def charged(ago, value):
        at = MORNING - ago * DAY - HOUR / 2
        return replace(
            nightly(Metric.HRV_RMSSD, ago, value, source="garmin"), metric=Metric.BODY_BATTERY, start=at, end=None
        )

    nights = [night(ago, source="garmin") for ago in range(20)]
    levels = [charged(ago, 80 - 40 * (ago == 0)) for ago in range(20)]
    reading = read(known(*nights, *levels, at=MORNING + 2 * HOUR))[Meter.VITALITY]
    assert "body battery on waking" in next(told(b.fact) for b in reading.because if b.signal == "hrv")
    assert z_of(reading, "hrv") < -1
    measured = nightly(Metric.HRV_RMSSD, 0, 45, source="garmin")
    assert "variability" in told(read(known(*nights, *levels, measured))[Meter.VITALITY].because[1].fact)
