"""Variability of single minutes, and which of several metrics counts."""

from dataclasses import replace

import pytest

from bridge.domain.metrics import Metric
from bridge.meters import read
from bridge.meters.baseline import CONSTANTS, baseline
from rhythm_env.interface import Meter

from .life import DAY, HOUR, MORNING, hrv_z, known, night, nightly, signals

MINUTE = HOUR / 60


class TestReadings:
    def spots(self, metric, *values, at=MORNING - DAY):
        """Readings from ``at`` on, an hour apart."""
        times = [at + n * HOUR for n in range(len(values))]
        return [
            replace(nightly(metric, 0, v, source="apple"), key=f"apple/{metric}/{t}", start=t, end=t, day=t.date())
            for t, v in zip(times, values, strict=True)
        ]

    @pytest.mark.parametrize("metric", [Metric.HRV_SDNN, Metric.HRV_RMSSD_SPOT, Metric.HRV_RMSSD_BEATS])
    def test_daytime_variability_needs_three_readings_a_day(self, metric):
        spots = self.spots(metric, 30, 60, 50)
        row = CONSTANTS[metric]
        assert hrv_z(night(0), *spots) == pytest.approx(baseline([], row).z(50, row))
        assert signals(read(known(night(0), *spots[:2]))[Meter.VITALITY]) == {"sleep"}

    def test_a_nights_readings_of_variability_are_known_from_waking(self):
        asleep = self.spots(Metric.HRV_SDNN, 30, 60, 50, at=MORNING - 6 * HOUR)
        early, awake = (read(known(night(0), *asleep, at=at))[Meter.VITALITY] for at in (MORNING - MINUTE, MORNING))
        assert signals(early) == set()
        row = CONSTANTS[Metric.HRV_SDNN]
        assert hrv_z(night(0), *asleep, at=MORNING) == pytest.approx(baseline([], row).z(50, row))
        assert signals(awake) == {"sleep", "hrv"}
        assert signals(read(known(night(0), *asleep[:2]))[Meter.VITALITY]) == {"sleep"}

    def test_readings_by_day_and_by_night_are_two_normals(self):
        days = [one for ago in range(1, 30) for one in self.spots(Metric.HRV_SDNN, 40, 40, 40, at=MORNING - ago * DAY)]
        nights = [night(ago) for ago in range(30)]
        asleep = self.spots(Metric.HRV_SDNN, 80, 80, 80, at=MORNING - 6 * HOUR)
        assert read(known(*nights, *days, *asleep))[Meter.VITALITY] == read(known(*nights, *days))[Meter.VITALITY]


class TestVariability:
    """The choice of the metric that counts."""

    def days(self, metric, value, *agos):
        return [
            replace(
                nightly(metric, ago, value, source="apple"), key=f"apple/{ago}/{n}", start=at, end=at, day=at.date()
            )
            for ago in agos
            for n in range(3)
            for at in [MORNING - ago * DAY + n * MINUTE]
        ]

    def hrv(self, *items):
        return next((b.source for b in read(known(*items))[Meter.VITALITY].because if b.signal == "hrv"), None)

    def test_a_first_night_of_another_metric_replaces_no_long_history(self):
        watch = self.days(Metric.HRV_SDNN, 60, *range(1, 40))
        band = [nightly(Metric.HRV_RMSSD, ago, 85) for ago in range(15)]
        assert self.hrv(*watch, *band[:1]) == self.hrv(*watch, *band[:14]) == "apple"
        assert self.hrv(*watch, *band) == "whoop"  # a normal of fourteen nights
        assert "hrv_trend" in signals(read(known(*watch, *band[:1]))[Meter.SERENITY])

    def test_a_newer_value_goes_before_an_older_one_of_a_better_metric(self):
        nights = [night(ago) for ago in range(40)]
        watch = [
            replace(one, start=one.start - HOUR, end=one.end - HOUR)
            for one in self.days(Metric.HRV_SDNN, 60, *range(40))
        ]
        band = [nightly(Metric.HRV_RMSSD, ago, 85) for ago in range(1, 40)]
        assert self.hrv(*nights, *watch, *band) == "apple"
        assert self.hrv(*nights, *watch, *band, nightly(Metric.HRV_RMSSD, 0, 85)) == "whoop"
