"""Connection and progress: meters of what is counted, in calendar, messages and tasks."""

import doctest
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from math import exp, log, sqrt
from statistics import mean, pstdev

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.rendering import told
from bridge.domain.types import Sample
from bridge.meters import habit, read, read_slots
from bridge.meters.habit import against
from bridge.meters.hours import Calendar
from rhythm_env.interface import ActionType, Meter

from .life import DAY, HOUR, MORNING, TODAY, body, day_before, entry, known, signals, task, weeks, z_of

MINUTE = HOUR / 60
NOON = MORNING + 6 * HOUR  # 13:00 in Berlin


def every(days, hours, action, *, back=28, skip=0, **of):
    """Entries of so many hours before noon, every so many days of the last weeks, without the last ``skip`` days."""
    return [entry(NOON - ago * DAY - (hours + 1) * HOUR, hours, action, **of) for ago in range(skip, back, days)]


class TestConnection:
    def company(self, *entries, at=NOON):
        return read(known(at=at, agenda=[entry(NOON - 40 * DAY, 1.0), *entries]))[Meter.CONNECTION]

    def test_company_by_hand(self):
        """Every second day for four weeks, and none for the last four days."""
        entries = every(2, 2.0, ActionType.SOCIALIZE, skip=4)
        ends = [one[0].end for one in entries]

        def left(at):
            return sum(
                0.5 ** ((at - end) / (28 / 24 * 2 * DAY)) for end in ends if timedelta(0) <= at - end <= 21 * DAY
            )

        reading = self.company(*entries)
        assert z_of(reading, "company") == pytest.approx(
            against(left(NOON), [left(NOON - k * DAY) for k in range(1, 29)])
        )
        assert reading.level < 0.70
        assert (
            told(reading.because[0].fact)
            == "with friends or family 2 times over the last seven days, less than usual for you"
        )

    def test_a_calendar_tells_of_company_only_where_company_is_written_down(self):
        work = every(1, 2.0, ActionType.ADMIN_WORK)
        once = entry(NOON - 9 * DAY, 2.0, ActionType.SOCIALIZE)
        for entries in (work, [*work, once]):
            reading = self.company(*entries)
            assert (reading.level, reading.coverage) == (0.70, 0.0)

    @pytest.mark.parametrize("of", [{"others": 2, "conference": True}, {"others": 9}])
    def test_a_call_and_a_crowd_count_less(self, of):
        before = every(2, 2.0, ActionType.SOCIALIZE, skip=2)
        in_person, less = (
            self.company(*before, entry(NOON - 4 * HOUR, 2.0, ActionType.SOCIALIZE, **how))
            for how in ({"others": 1}, of)
        )
        assert less.level < in_person.level

    def test_two_a_day_count(self):
        before = every(2, 2.0, ActionType.FAMILY_TIME, skip=2)
        today = [entry(NOON - (k + 1) * HOUR, 1.0, ActionType.FAMILY_TIME) for k in range(3)]
        one, two, three = (z_of(self.company(*before, *today[3 - count :]), "company") for count in (1, 2, 3))
        assert one < two == pytest.approx(three, abs=0.002)

    def test_company_now_fades_within_the_day_and_counts_its_hours(self):
        """What a lunch did is gone the next noon, while the week still knows it."""
        before = every(2, 2.0, ActionType.SOCIALIZE, skip=2)
        lunch = entry(NOON - 2 * HOUR, 2.0, ActionType.SOCIALIZE)
        alone, now, tomorrow = (
            z_of(self.company(*before, *entries, at=at), "company_now")
            for entries, at in (((), NOON), ((lunch,), NOON), ((lunch,), NOON + DAY))
        )
        assert now > 1 > 0 > tomorrow
        assert tomorrow == pytest.approx(alone, abs=0.3)
        longer = z_of(self.company(*before, entry(NOON - 4 * HOUR, 0.5, ActionType.SOCIALIZE)), "company_now")
        assert longer < now
        told_now = [told(b.fact) for b in self.company(*before, lunch).because if b.signal == "company_now"]
        assert told_now == ["2 h with friends or family in the last twelve hours, more than usual for you"]

    def test_company_at_the_same_time_counts_once_as_the_closest(self):
        call = entry(NOON - 2 * HOUR, 2.0, ActionType.SOCIALIZE, others=1, conference=True)
        dinner = entry(NOON - 1 * HOUR, 1.0, ActionType.FAMILY_TIME, others=1)
        calendar = Calendar([call, dinner], NOON - 9 * DAY, NOON)
        assert calendar.company_hours(NOON - DAY, NOON) == 2
        assert calendar.together.left(NOON, 999 * DAY) == pytest.approx(1.6, abs=0.01)

    def test_what_is_not_over_free_or_other_does_not_count(self):
        before = every(2, 2.0, ActionType.SOCIALIZE, skip=2)
        entries = [
            entry(NOON - HOUR, 1.1, ActionType.SOCIALIZE),
            entry(NOON - 3 * HOUR, 1.0, ActionType.SOCIALIZE, busy=False),
            entry(NOON - 3 * HOUR, 1.0, ActionType.ADMIN_WORK, others=3),
        ]
        assert z_of(self.company(*before, *entries), "company") == z_of(self.company(*before), "company")

    def test_no_calendar_is_not_loneliness(self):
        reading = read(known(*body()))[Meter.CONNECTION]
        assert (reading.level, reading.coverage) == (0.70, 0.0)
        later = read(known(at=NOON, agenda=[entry(NOON + HOUR, 1.0, ActionType.SOCIALIZE)]))[Meter.CONNECTION]
        assert (later.level, later.coverage) == (0.70, 0.0)


class TestWorkday:
    """Berlin is an hour ahead of UTC: NOON is 13:00 on its clocks."""

    def z(self, hours, *, work=True):
        at = NOON + hours * HOUR
        entries = [entry(NOON - 4 * HOUR, 1.0, ActionType.ADMIN_WORK)] if work else []
        found = read(known(*body(), at=at, agenda=entries))[Meter.COGNITION].because
        return next((b.z for b in found if b.signal == "workday"), None)

    def test_an_afternoon_of_work_tires_and_the_morning_does_not(self):
        assert [round(self.z(hours), 2) for hours in (-2, 0, 1, 3, 5.5, 8)] == [0, 0, -0.18, -0.54, -0.99, -0.99]

    def test_a_day_without_work_is_no_workday(self):
        assert self.z(3, work=False) is None


class TestHabit:
    def test_worked_examples(self):
        assert doctest.testmod(habit).failed == 0

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("meter", [Meter.COGNITION, Meter.PROGRESS, Meter.SERENITY, Meter.CONNECTION])
    def test_no_meter_of_a_calendar_stands_still_where_it_is_known(self, seed, meter):
        """Calendars from a few entries a month to many a day: a level is known and moves, or is not known."""
        rng = random.Random(seed)
        often = rng.choice([0.1, 0.3, 0.6, 1.0])
        agenda = [
            entry(
                NOON - (70 - day) * DAY + rng.randint(-4, 9) * HOUR, rng.choice([0.5, 1, 2]), rng.choice([*ActionType])
            )
            for day in range(70)
            for _ in range(3)
            if rng.random() < often
        ]
        life = known(agenda=agenda, at=NOON)
        slots = [NOON - back * 6 * HOUR for back in range(4 * 21, -1, -1)]
        levels = [one[meter].level for one in read_slots(life, slots) if one[meter].coverage > 0]
        if len(levels) >= 28:
            most = Counter(round(level, 2) for level in levels).most_common(1)[0][1]
            assert most / len(levels) < 0.5
            assert pstdev(levels) > 0.02
            assert mean(levels) == pytest.approx(0.70, abs=0.1)

    def test_more_is_said_where_more_lifts(self):
        for seed in range(4):
            for reading in read(known(agenda=weeks(seed), at=NOON)).values():
                for one in reading.because:
                    lifts = one.signal not in ("meetings", "calendar")
                    assert "more than usual" not in told(one.fact) or (one.contribution > 0) == lifts
                    assert "less than usual" not in told(one.fact) or (one.contribution < 0) == lifts


class TestProgress:
    def test_made_this_week_by_hand(self):
        """Friday noon: one of two tasks and two hours of focus, of five times two usual ones."""
        agenda = day_before(entry(NOON - 2 * HOUR, 2.0, ActionType.DEEP_WORK))
        tasks = (task(1, done=20), task(2, due=1))
        reading = read(known(at=NOON, agenda=agenda, tasks=tasks))[Meter.PROGRESS]
        assert reading.state.level == pytest.approx(1 - exp(-1.6 * (0.6 * 0.5 + 0.4 * 120 / 600)))
        assert reading.state.coverage == 1
        level = reading.state.level
        assert reading.state.sd == pytest.approx(level * (1 - level) / sqrt(2.6))

    def test_against_normal_by_hand(self):
        agenda = day_before(entry(NOON - 2 * HOUR, 1.0, ActionType.LEARN))
        tasks = (task(1, done=-6), task(2, due=0))  # done at noon; the other is due at midnight, 11 hours away
        reading = read(known(at=NOON, agenda=agenda, tasks=tasks))[Meter.PROGRESS]
        p = 4.5 / 6
        assert z_of(reading, "tasks") == pytest.approx((log(p / (1 - p)) - log(7 / 3)) / 0.8)
        assert "focus" not in signals(reading)
        assert z_of(reading, "deadlines") == pytest.approx(-1.2 * (1 - exp(-exp(-10))))
        z = sum(weight * b.z for weight, b in zip((1.0, 0.6), reading.because, strict=True)) / 2.6
        assert reading.level == pytest.approx(1 / (1 + exp(-(log(7 / 3) + z))))

    def test_overdue_tasks_press_and_count_as_not_done(self):
        reading = read(known(at=NOON, tasks=(task(1, due=-1),)))[Meter.PROGRESS]
        age = 13 / 72  # since midnight, in half-lives of three days
        p = 3.5 / (5 + 0.5**age)
        assert z_of(reading, "tasks") == pytest.approx((log(p / (1 - p)) - log(7 / 3)) / 0.8)
        assert z_of(reading, "deadlines") == pytest.approx(-1.2 * (1 - exp(-1)))

    @pytest.mark.parametrize("tasks", [(task(1, due=0),), (task(1, due=9), task(2, done=4))])
    def test_before_the_first_task_nothing_is_known(self, tasks):
        """A list that begins today tells nothing of last week, when it may not have been kept."""
        now, before = (one[Meter.PROGRESS] for one in read_slots(known(at=NOON, tasks=tasks), [NOON, NOON - 7 * DAY]))
        assert now.coverage > 0
        assert (before.level, before.coverage, before.because) == (0.70, 0, ())

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
        assert told(with_.because[-1].fact) == "30 tasks overdue"
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

    def test_focus_counts_for_who_writes_it_down(self):
        old = entry(NOON - 40 * DAY, 1.0)
        usual = every(2, 2.0, ActionType.LEARN, skip=2)
        few, less, more = (
            read(known(at=NOON, agenda=[old, *some]))[Meter.PROGRESS]
            for some in (usual[:3], usual, [*usual, *every(1, 3.0, ActionType.DEEP_WORK, back=3)])
        )
        assert few.coverage == 0
        assert less.level < 0.7 < more.level
        assert told(more.because[0].fact) == "180 min of focus in the last 24 hours, lately more than usual for you"

    def test_focus_that_the_computer_recorded_counts_without_a_calendar(self):
        def recorded(ago):
            start = NOON - ago * DAY - 3 * HOUR
            key = f"computer/focus/{ago}"
            return Sample(key=key, metric=Metric.FOCUS, start=start, end=start + HOUR, day=start.date(), value=60.0)

        often = [recorded(ago) for ago in range(1, 28)]
        idle, busy = (read(known(*some, at=NOON))[Meter.PROGRESS] for some in (often[6:], [*often, recorded(0)]))
        assert idle.level < 0.7 < busy.level
        assert told(busy.because[0].fact).startswith("60 min of focus in the last 24 hours")

    def test_nobodys_week_is_empty_because_focus_is_not_written_down(self):
        work = every(1, 2.0, ActionType.ADMIN_WORK)
        assert read(known(at=NOON, agenda=work))[Meter.PROGRESS].state.level == pytest.approx(0.8 * 17 / 28)
