"""Each meter by hand."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.rendering import told
from bridge.meters import proxy, read, read_slots
from bridge.meters.baseline import CONSTANTS, OWN_SLEEP, baseline
from rhythm_env.interface import ActionType, Meter

from .life import (
    DAY,
    HOUR,
    MORNING,
    body,
    day_before,
    entry,
    hrv_z,
    known,
    night,
    nightly,
    signals,
    steps,
    stress,
    z_of,
)

MINUTE = HOUR / 60
NOON = MORNING + 6 * HOUR  # 13:00 in Berlin


COUNTED = proxy.with_changes({"VITALITY": {"steps": {"weight": 0.15}}}, Path("meters.toml"))


class TestVitality:
    def test_of_a_first_night_by_hand(self):
        reading = read(known(night(0, 420, sleep_need=480), at=MORNING))[Meter.VITALITY]
        own = (0.45 * 3 / 3.75 + 0.15 * (1 - 0.75 / 2.5)) / 0.6
        z = (
            0.5 * baseline([], CONSTANTS[OWN_SLEEP]).z(own, CONSTANTS[OWN_SLEEP])
            + 0.5 * (own - CONSTANTS[OWN_SLEEP].mu) / 0.14
        )
        assert z_of(reading, "sleep") == pytest.approx(z)
        fused = 2.0 * 0.5 * z / (1 + 2.0 * 0.5)  # half the trust: no night before
        assert reading.level == pytest.approx(1 / (1 + exp(-(log(7 / 3) + fused))))
        assert reading.coverage == pytest.approx(1.0 / 2.9)
        assert told(reading.because[0].fact) == "slept 7 h, 45 min less than you need"
        assert reading.validated

    def test_averages_our_score_with_the_vendors(self):
        own = z_of(read(known(night(0, 420)))[Meter.VITALITY], "sleep")
        vendor = baseline([], CONSTANTS[Metric.SLEEP_SCORE]).z(90, CONSTANTS[Metric.SLEEP_SCORE])
        both = z_of(read(known(night(0, 420, sleep_score=90)))[Meter.VITALITY], "sleep")
        assert both == pytest.approx((own + vendor) / 2)

    def test_variability_is_seven_parts_night_and_three_parts_week(self):
        values = [40.0, 50, 45, 47, 43, 46, 44, 42]
        items = [nightly(Metric.HRV_RMSSD, ago, value) for ago, value in enumerate(values)]
        reading = read(known(*items, at=MORNING))[Meter.VITALITY]
        row = CONSTANTS[Metric.HRV_RMSSD]
        normal = baseline(values[1:], row)
        week = (sum(log(v) for v in values[:7]) / 7 - normal.centre) / (0.6 * normal.spread)
        assert hrv_z(*items, at=MORNING) == pytest.approx(0.7 * normal.z(40, row) + 0.3 * week)
        assert "below your usual" in told(reading.because[0].fact)

    def test_two_nights_are_no_week(self):
        items = [nightly(Metric.HRV_RMSSD, 0, 40.0), nightly(Metric.HRV_RMSSD, 1, 60.0)]
        row = CONSTANTS[Metric.HRV_RMSSD]
        reading = read(known(*items))
        z = baseline([60.0], row).z(40, row)
        assert hrv_z(*items) == pytest.approx(z)
        assert z < -1
        assert z_of(reading[Meter.VITALITY], "hrv") == pytest.approx(z + 1)  # what lies beyond a spread below normal
        assert "hrv_trend" not in signals(reading[Meter.SERENITY])

    def test_recovery_stands_in_for_variability_and_else_counts_as_much(self):
        recovery, hrv = nightly(Metric.RECOVERY_SCORE, 0, 30), nightly(Metric.HRV_RMSSD, 0, 45)
        alone, other, both = (read(known(*some))[Meter.VITALITY] for some in ([recovery], [hrv], [recovery, hrv]))
        assert "recovery" in told(alone.because[0].fact)
        assert z_of(both, "hrv") == pytest.approx((z_of(alone, "hrv") + hrv_z(hrv)) / 2)
        assert z_of(other, "hrv") == 0 < hrv_z(hrv)  # an ordinary night moves nothing
        assert told(both.because[0].fact).endswith("above what is usual for most people, unlike the vendor's recovery")

    def test_steps_count_once_the_day_is_over_and_are_capped(self):
        assert signals(read(known(steps(0, 9000), proxies=COUNTED))[Meter.VITALITY]) == set()
        assert "steps" not in signals(read(known(night(0), steps(1, 60_000)))[Meter.VITALITY])  # as shipped
        many = read(known(night(0), steps(1, 60_000), proxies=COUNTED))[Meter.VITALITY]
        assert z_of(many, "steps") == 1.0
        assert told(many.because[-1].fact).startswith("60,000 steps yesterday")
        assert many.because[-1].age_hours == pytest.approx(9)  # 9:00 in Berlin

    def test_steps_alone_are_too_little(self):
        reading = read(known(*(steps(ago, 9000) for ago in range(1, 20)), proxies=COUNTED))[Meter.VITALITY]
        assert (reading.level, reading.coverage) == (0.70, 0.0)
        unvalidated = "not validated against people's reports"  # by rules of one's own
        assert reading.note == f"too little to tell from steps alone; {unvalidated}"

    def test_days_without_steps_are_days_without_a_watch(self):
        assert signals(read(known(steps(1, 0)))[Meter.VITALITY]) == set()


class TestSources:
    def test_the_longer_history_wins_and_nothing_is_averaged(self):
        band = [nightly(Metric.RESTING_HR, ago, 50 + ago % 2, source="whoop") for ago in range(10)]
        watch = [nightly(Metric.RESTING_HR, ago, 70, source="garmin") for ago in range(5)]
        both, alone = (read(known(*items))[Meter.VITALITY] for items in ([*band, *watch], band))
        assert both.because == alone.because
        assert both.because[0].source == "whoop"

    def test_the_newer_night_wins_over_the_longer_history(self):
        band = [nightly(Metric.HRV_RMSSD, ago, 50, source="whoop") for ago in range(1, 10)]
        watch = nightly(Metric.HRV_RMSSD, 0, 70, source="garmin")
        assert read(known(*band, watch))[Meter.VITALITY].because[0].source == "garmin"

    def test_a_new_device_starts_its_own_baseline(self):
        old = [nightly(Metric.HRV_RMSSD, ago, 45, source="whoop") for ago in range(1, 30)]
        new = nightly(Metric.HRV_RMSSD, 0, 90, source="garmin")
        row = CONSTANTS[Metric.HRV_RMSSD]
        assert hrv_z(*old, new) == pytest.approx(baseline([], row).z(90, row))

    def test_of_two_sleeps_on_a_day_the_longer_is_the_night(self):
        nap = replace(night(0, 90), key="whoop/nap", start=MORNING + HOUR, end=MORNING + 2 * HOUR)
        assert read(known(night(0), nap, at=MORNING + 3 * HOUR)) == read(known(night(0), at=MORNING + 3 * HOUR))


class TestTime:
    def test_a_sleep_that_is_not_over_hides_no_night(self):
        longer = replace(night(0, 900), key="whoop/later", start=MORNING + HOUR, end=MORNING + 16 * HOUR)
        assert read(known(night(0), longer)) == read(known(night(0)))

    def test_a_late_value_of_an_earlier_night_moves_no_later_normal(self):
        nights = [nightly(Metric.RESTING_HR, ago, 55) for ago in (0, 2, 3, 4, 5)]
        late = replace(nightly(Metric.RESTING_HR, 1, 58), end=MORNING + HOUR)
        assert read(known(*nights, late)) == read(known(*nights))

    def test_a_night_is_known_from_waking(self):
        before = read(known(night(0), nightly(Metric.RESTING_HR, 0, 50), at=MORNING - MINUTE))
        assert before[Meter.VITALITY].coverage == 0
        assert read(known(night(0), at=MORNING))[Meter.VITALITY].coverage > 0

    def test_a_value_recorded_in_the_night_waits_for_its_end(self):
        early = replace(nightly(Metric.HRV_RMSSD, 0, 50), start=MORNING - 6 * HOUR, end=None)
        assert signals(read(known(early, at=MORNING - 3 * HOUR))[Meter.VITALITY]) == set()
        assert signals(read(known(early, at=MORNING))[Meter.VITALITY]) == {"hrv"}
        ages = [
            next(b.age_hours for b in read(known(*items))[Meter.VITALITY].because if b.signal == "hrv")
            for items in ([early], [early, night(0)])
        ]
        assert ages == pytest.approx([3.0, 2.0])  # from 6:00 where nothing tells the waking, else from 7:00

    def test_a_nights_value_that_is_kept_with_the_civil_day_is_known_from_waking(self):
        midnight = MORNING - 7 * HOUR
        days = [
            replace(nightly(Metric.RESTING_HR, ago, 55 + 20 * (ago == 0)), start=start, end=start + DAY, offset=60)
            for ago in range(40)
            for start in [midnight - ago * DAY]
        ]
        seen = {at: read(known(*days, at=at))[Meter.VITALITY].because for at in (MORNING - 2 * HOUR, MORNING + HOUR)}
        texts = [[told(b.fact) for b in some] for some in seen.values()]
        assert texts == [[], ["resting heart rate 20 bpm above your usual"]]  # 23 hours old, it is too thin alone
        sleep = read(known(night(0, source="oura"), *days, at=MORNING + HOUR))[Meter.VITALITY]
        ages = [
            next(b.age_hours for b in r if b.signal == "resting_hr") for r in (list(seen.values())[1], sleep.because)
        ]
        assert ages == pytest.approx([2.0, 1.0])  # from 6:00 where nothing tells the waking, else from 7:00

    def test_a_night_fades_and_expires_after_thirty_hours(self):
        at = [read(known(*body(), at=MORNING + hours * HOUR)) for hours in (0, 16)]
        fresh, stale = (reading[Meter.VITALITY].coverage for reading in at)
        assert fresh > stale > 0
        old = [night(1), night(2), night(3), night(4), night(5), nightly(Metric.RESTING_HR, 1, 50)]
        assert read(known(*old, at=MORNING + 6 * HOUR))[Meter.VITALITY].coverage > 0
        assert read(known(*old, at=MORNING + 6 * HOUR + MINUTE))[Meter.VITALITY].coverage == 0

    def test_sixty_days_make_the_normal(self):
        recent = [nightly(Metric.HRV_RMSSD, ago, 55 + ago % 3) for ago in range(61)]
        older = [nightly(Metric.HRV_RMSSD, ago, 90) for ago in range(61, 100)]
        assert read(known(*recent)) == read(known(*recent, *older))
        assert read(known(*recent)) != read(known(*recent[:60]))


class TestSerenity:
    def values(self, value, *, days=range(1, 11), now=None, at=NOON):
        """Two hours of stress before noon, today at ``now``."""
        offsets = [n * 3 * MINUTE for n in range(40)]
        found = [stress(at - day * DAY - o, value) for day in days for o in offsets]
        return found + [stress(at - o, now) for o in offsets if now is not None]

    def test_stress_against_the_same_hours_of_earlier_days(self):
        reading = read(known(*self.values(30, now=40), at=NOON))[Meter.SERENITY]
        row = CONSTANTS[Metric.STRESS]
        assert z_of(reading, "stress") == pytest.approx(-baseline([30.0] * 10, row).z(40, row))
        assert told(reading.because[0].fact) == "stress 40 over the last six hours, 30 is usual"
        assert reading.level < 0.7

    def test_negative_stress_is_no_stress(self):
        motion = [stress(NOON - n * 3 * MINUTE - MINUTE, value) for n in range(40) for value in (-1, -2)]
        clean = self.values(30, now=40)
        assert read(known(*clean, *motion, at=NOON))[Meter.SERENITY] == read(known(*clean, at=NOON))[Meter.SERENITY]

    def test_forty_minutes_are_needed(self):
        few = [stress(NOON - n * 3 * MINUTE, 40) for n in range(13)]
        assert read(known(*few, at=NOON))[Meter.SERENITY].coverage == 0
        more = [*few, stress(NOON - 39 * MINUTE, 40)]
        assert read(known(*more, at=NOON))[Meter.SERENITY].coverage == pytest.approx(42 / 60 / 2 / 3.2)

    def means(self, *counts):
        """Quarter-hour means of so many values each, the last one up to noon."""
        begin = NOON - len(counts) * 15 * MINUTE
        starts = (begin + n * 15 * MINUTE for n in range(len(counts)))
        return [
            replace(stress(start, 40 + n), key=f"garmin/{n}", end=start + 15 * MINUTE, count=count)
            for n, (start, count) in enumerate(zip(starts, counts, strict=True))
        ]

    def coverage(self, *samples):
        return read(known(*samples, at=NOON))[Meter.SERENITY].coverage * 2 * 3.2  # half the trust: no day before

    def test_a_mean_counts_as_many_minutes_as_it_is_made_of(self):
        assert self.coverage(*self.means(1, 1, 1)) == 0  # nine minutes
        assert self.coverage(*self.means(5, 5, 4)) == pytest.approx(42 / 60)
        assert self.coverage(*self.means(15, 15, 14)) == pytest.approx(44 / 60)  # a watch's own file: every minute
        one, two = self.means(2, 5, 5, 5), self.means(5, 5, 5, 5)
        z = [z_of(read(known(*some, at=NOON))[Meter.SERENITY], "stress") for some in (one, two)]
        assert z[0] < z[1]  # the first quarter, the calmest, weighs less

    def test_what_came_through_two_doors_counts_once(self):
        once = self.means(5, 5, 5)
        again = [replace(one, key=f"{one.key}/again") for one in once]
        assert self.coverage(*once, *again) == self.coverage(*once) == pytest.approx(45 / 60)

    def test_half_an_hour_after_a_workout_is_left_out(self):
        run = replace(night(0), key="garmin/run", kind="workout", start=NOON - 3 * HOUR, end=NOON - 2 * HOUR)
        after = [stress(NOON - 2 * HOUR + n * MINUTE, 95) for n in range(0, 30, 3)]
        calm = self.values(30, now=30)[:-1]
        run = replace(run, kind=type(night(0).kind)("workout"))
        with_run, without = (read(known(run, *calm, *extra, at=NOON))[Meter.SERENITY] for extra in (after, []))
        assert with_run == without

    def test_a_days_mean_counts_half_where_nothing_is_measured_now(self):
        means = [replace(steps(ago, 30.0 + 10 * (ago == 1)), metric=Metric.DAILY_STRESS) for ago in range(1, 20)]
        reading = read(known(*means, at=MORNING))[Meter.SERENITY]
        row = CONSTANTS[Metric.DAILY_STRESS]
        assert z_of(reading, "stress") == pytest.approx(-baseline([30.0] * 18, row).z(40, row))
        assert reading.coverage == pytest.approx(0.5 * 0.5 ** (7 / 16) / 3.2)  # since midnight
        measured = self.values(30, now=30, at=MORNING)
        assert "six hours" in told(read(known(*means, *measured, at=MORNING))[Meter.SERENITY].because[0].fact)

    def test_fitbits_score_runs_the_other_way(self):
        calm = [nightly(Metric.STRESS_MANAGEMENT, ago, 70 + 15 * (ago == 0)) for ago in range(20)]
        reading = read(known(*calm, at=MORNING))[Meter.SERENITY]
        assert reading.level > 0.7
        assert z_of(reading, "stress") > 0

    def test_more_entries_than_usual_weigh(self):
        usual = [entry(NOON - day * DAY - 3 * HOUR, 1.0, others=1) for day in range(1, 40)]
        today = [entry(NOON - 3 * HOUR, 1.0, others=1), entry(NOON - 2 * HOUR, 2.0, others=1)]
        calm, full = (read(known(at=NOON, agenda=usual + extra))[Meter.SERENITY] for extra in ([], today))
        assert full.level < 0.7 < calm.level
        assert told(full.because[0].fact) == "3 h of entries in the last twelve hours, more than usual for you"

    def test_a_meeting_weighs_more_than_an_entry_alone_and_rest_nothing(self):
        usual = [entry(NOON - day * DAY - 3 * HOUR, 1.0 + day % 3) for day in range(1, 40)]
        levels = [
            read(known(at=NOON, agenda=[*usual, entry(NOON - 3 * HOUR, 0.5, action, others=others)]))[
                Meter.SERENITY
            ].level
            for action, others in ((ActionType.ADMIN_WORK, 2), (ActionType.ADMIN_WORK, 0), (ActionType.ME_TIME, 0))
        ]
        assert levels[0] < levels[1] < levels[2]

    def test_no_calendar_is_not_an_empty_one(self):
        usual = [entry(NOON - day * DAY - 3 * HOUR, 1.0) for day in range(1, 40)]
        assert (
            read(known(*body()))[Meter.SERENITY].coverage < read(known(*body(), agenda=usual))[Meter.SERENITY].coverage
        )
        rare = read(known(at=NOON, agenda=usual[::5]))[Meter.SERENITY]
        assert (rare.level, rare.coverage) == (0.70, 0.0)


class TestCognition:
    def test_pause_by_hand(self):
        work = day_before(entry(NOON - 90 * MINUTE, 2.0, ActionType.DEEP_WORK))
        assert z_of(read(known(at=NOON, agenda=work))[Meter.COGNITION], "pause") == pytest.approx(-0.35)

    @pytest.mark.parametrize(
        ("between", "z"),
        [
            (4, 0.35 - 0.7 * 124 / 90),  # four minutes between two entries are no pause
            (5, 0.35 - 0.7 * 60 / 90),
        ],
    )
    def test_five_minutes_are_a_pause(self, between, z):
        last = entry(NOON - HOUR, 1.0, ActionType.ADMIN_WORK)
        first = entry(NOON - 2 * HOUR - between * MINUTE, 1.0, ActionType.ADMIN_WORK)
        reading = read(known(at=NOON, agenda=day_before(first, last)))[Meter.COGNITION]
        assert z_of(reading, "pause") == pytest.approx(z)

    def test_sport_is_a_pause(self):
        work = entry(NOON - 3 * HOUR, 2.0, ActionType.ADMIN_WORK)
        sport = entry(NOON - HOUR, 1.0, ActionType.EXERCISE)
        reading = read(known(at=NOON, agenda=day_before(work, sport)))[Meter.COGNITION]
        assert signals(reading) == {"workday"}

    def test_a_fuller_day_than_usual_tires(self):
        usual = [entry(NOON - day * DAY - 3 * HOUR, 1.0) for day in range(1, 40)]
        calm, full = (
            read(known(at=NOON, agenda=[*usual, *more]))[Meter.COGNITION]
            for more in ([], [entry(NOON - 5 * HOUR, 4.0)])
        )
        assert full.level < 0.7 < calm.level
        assert told(full.because[0].fact) == "4 h of entries in the last six hours, more than usual for you"

    def test_a_watch_alone_moves_it(self):
        life = known(*body(2, days=100))
        levels = [
            one[Meter.COGNITION].level for one in read_slots(life, [NOON - ago * DAY for ago in range(40, 0, -1)])
        ]
        assert sum(abs(level - 0.70) <= 0.02 for level in levels) < 12

    def test_deep_sleep_in_minutes(self):
        nights = [night(ago, 420, deep_sleep=80 - 30 * (ago == 0)) for ago in range(10)]
        reading = read(known(*nights, at=MORNING))[Meter.COGNITION]
        row = CONSTANTS[Metric.DEEP_SLEEP]
        assert z_of(reading, "deep_sleep") == pytest.approx(baseline([80.0] * 9, row).z(50, row))
        assert not reading.validated
        assert "not validated" in reading.note
