"""Connection and progress: meters of what is counted, in calendar, messages and tasks."""

from dataclasses import replace
from math import exp, log, sqrt

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.meters import read
from rhythm_env.interface import ActionType, Meter

from .life import DAY, HOUR, MORNING, TODAY, body, day_before, entry, known, task, weeks, z_of

MINUTE = HOUR / 60
NOON = MORNING + 6 * HOUR  # 13:00 in Berlin


class TestConnection:
    def company(self, *entries, at=NOON):
        return read(known(at=at, agenda=day_before(*entries)))[Meter.CONNECTION]

    @pytest.mark.parametrize(
        ("of", "worth"), [({"others": 1}, 1.0), ({"others": 2, "conference": True}, 0.6), ({"others": 9}, 0.3)]
    )
    def test_one_meeting_two_days_ago_by_hand(self, of, worth):
        reading = self.company(entry(NOON - 50 * HOUR, 2.0, ActionType.SOCIALIZE, **of))
        assert z_of(reading, "company") == pytest.approx((1 - exp(-worth * 0.5 / 2) - 0.63) / 0.25)

    def test_two_a_day_count(self):
        three = [entry(NOON - (k + 1) * HOUR, 1.0, ActionType.FAMILY_TIME) for k in range(3)]
        reading = self.company(*three)
        worth = 1 + 0.5 ** (1 / 48)
        assert z_of(reading, "company") == pytest.approx((1 - exp(-worth / 2) - 0.63) / 0.25)
        assert reading.because[0].text == "in company 3 times over the last seven days"

    def test_what_is_not_over_too_old_free_or_other_does_not_count(self):
        entries = [
            entry(NOON - HOUR, 1.1, ActionType.SOCIALIZE),
            entry(NOON - 7 * DAY - 2 * HOUR, 1.0, ActionType.SOCIALIZE),
            entry(NOON - 3 * HOUR, 1.0, ActionType.SOCIALIZE, busy=False),
            entry(NOON - 3 * HOUR, 1.0, ActionType.ADMIN_WORK, others=3),
        ]
        assert z_of(self.company(*entries), "company") == pytest.approx((0 - 0.63) / 0.25)

    def test_no_calendar_is_not_loneliness(self):
        reading = read(known(*body()))[Meter.CONNECTION]
        assert (reading.level, reading.coverage) == (0.70, 0.0)
        later = read(known(at=NOON, agenda=[entry(NOON + HOUR, 1.0, ActionType.SOCIALIZE)]))[Meter.CONNECTION]
        assert (later.level, later.coverage) == (0.70, 0.0)


class TestProgress:
    def test_made_this_week_by_hand(self):
        """Friday noon: one of two tasks and two hours of focus, of five times two usual ones."""
        agenda = day_before(entry(NOON - 2 * HOUR, 2.0, ActionType.DEEP_WORK))
        tasks = (task(1, done=20), task(2, due=1))
        reading = read(known(at=NOON, agenda=agenda, tasks=tasks))[Meter.PROGRESS]
        assert reading.state.level == pytest.approx(1 - exp(-1.6 * (0.6 * 0.5 + 0.4 * 120 / 600)))
        assert reading.state.coverage == reading.coverage == 1
        level = reading.state.level
        assert reading.state.sd == pytest.approx(level * (1 - level) / sqrt(2.6))

    def test_against_normal_by_hand(self):
        agenda = day_before(entry(NOON - 2 * HOUR, 1.0, ActionType.LEARN))
        tasks = (task(1, done=-6), task(2, due=0))  # done at noon; the other is due at midnight, 11 hours away
        reading = read(known(at=NOON, agenda=agenda, tasks=tasks))[Meter.PROGRESS]
        p = 4.5 / 6
        assert z_of(reading, "tasks") == pytest.approx((log(p / (1 - p)) - log(7 / 3)) / 0.8)
        assert z_of(reading, "focus") == pytest.approx(2 * (1 - exp(-0.5)) - 1.264)
        assert z_of(reading, "deadlines") == pytest.approx(-1.2 * (1 - exp(-exp(-10))))
        z = sum(weight * b.z for weight, b in zip((1.0, 0.6, 0.6), reading.because, strict=True)) / 3.2
        assert reading.level == pytest.approx(1 / (1 + exp(-(log(7 / 3) + z))))

    def test_overdue_tasks_press_and_count_as_not_done(self):
        reading = read(known(at=NOON, tasks=(task(1, due=-1),)))[Meter.PROGRESS]
        age = 13 / 72  # since midnight, in half-lives of three days
        p = 3.5 / (5 + 0.5**age)
        assert z_of(reading, "tasks") == pytest.approx((log(p / (1 - p)) - log(7 / 3)) / 0.8)
        assert z_of(reading, "deadlines") == pytest.approx(-1.2 * (1 - exp(-1)))

    def test_nothing_known_is_the_weeks_expected_value(self):
        friday = read(known(at=NOON))[Meter.PROGRESS]
        assert friday.state.level == pytest.approx(0.8 * 17 / 28)
        assert (friday.level, friday.coverage, friday.because) == (0.70, 0, ())
        monday = read(known(at=MORNING - 4 * DAY))[Meter.PROGRESS]
        assert monday.state.level == 0

    def test_what_is_only_expected_covers_nothing(self):
        said = Sample(key="check_in/1", metric=Metric.CHECK_IN, start=NOON - HOUR, day=TODAY, value=5.0)
        reading = read(known(said, at=NOON, tasks=(task(1, due=40),)))[Meter.PROGRESS]
        assert reading.coverage > 0
        assert (reading.state.coverage, reading.state.level) == (0, pytest.approx(0.8 * 17 / 28))
        assert read(known(at=NOON, tasks=(task(1, due=1),)))[Meter.PROGRESS].state.coverage == 0.6

    def test_what_was_due_long_ago_is_none_of_this_weeks(self):
        done = [task(n, done=20 + n) for n in range(5)]
        forgotten = [task(9 + n, due=-800) for n in range(30)]
        with_, without = (read(known(at=NOON, tasks=some))[Meter.PROGRESS] for some in ((*done, *forgotten), done))
        assert with_.state == without.state
        assert with_.because[-1].text == "30 tasks overdue"
        this_week = read(known(at=NOON, tasks=(*done, task(9, due=-2))))[Meter.PROGRESS]
        assert this_week.state.level < without.state.level

    def test_a_week_starts_at_zero_whatever_the_last_one_brought(self):
        tasks = tuple(task(n, done=20 + n) for n in range(5))
        sunday = MORNING + 3 * DAY - 2 * HOUR  # 5:00 on Monday is still Sunday's night
        busy = known(agenda=weeks(), tasks=tasks, at=sunday)
        assert read(busy)[Meter.PROGRESS].state.level > 0.5
        due = (*tasks, task(9, due=5))
        assert read(replace(busy, at=MORNING + 3 * DAY - HOUR, tasks=due))[Meter.PROGRESS].state.level == 0

    def test_a_week_only_grows(self):
        agenda = weeks()
        levels = [
            read(known(at=MORNING - 4 * DAY + h * HOUR, agenda=agenda, tasks=(task(1, done=20), task(2, due=1))))[
                Meter.PROGRESS
            ].state.level
            for h in range(0, 96, 6)
        ]
        assert levels == sorted(levels)
        assert levels[-1] > levels[0]

    def test_usual_focus_is_the_persons_after_five_days(self):
        def z(days):
            past = [entry(NOON - day * DAY - 3 * HOUR, 1.0, ActionType.LEARN) for day in range(1, days + 1)]
            today = entry(NOON - 3 * HOUR, 1.0, ActionType.LEARN)
            return z_of(read(known(at=NOON, agenda=[*past, today]))[Meter.PROGRESS], "focus")

        assert z(5) == pytest.approx(0, abs=0.001)
        assert z(4) == pytest.approx(2 * (1 - exp(-0.5)) - 1.264)
