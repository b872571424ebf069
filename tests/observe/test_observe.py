"""The observation of a real week."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.advice.observation import observe, slot_around
from bridge.domain.metrics import Metric
from bridge.domain.slots import ZoneSpan, moment_at, moment_of, slot_start
from bridge.meters import read
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, Slot, observation_from_json
from tests.meters.life import BERLIN, DAY, HOUR, MORNING, TODAY, body, entry, known, night, nightly, stress, task, weeks

FRIDAY = date(2026, 11, 16)  # the week of it
NOON = MORNING + 6 * HOUR  # 13:00 in Berlin, Friday: step 17
LEVELS = dict.fromkeys(Meter, 0.7)


def interaction(at, action=ActionType.EXERCISE, answer=Answer.ACCEPT):
    moment = moment_at(at, BERLIN)
    return Interaction(at=at, day=moment.day, slot=moment.slot, levels=LEVELS, recommended=action, answer=answer)


def of(life, **more):
    return observe(life, **more)[0]


def test_names_its_slot_and_shows_the_readings():
    life = known(*body(), agenda=weeks(), tasks=(task(1, done=3),), at=NOON)
    observation, readings = observe(life)
    assert (observation.timestep, observation.day, observation.slot) == (17, 4, Slot.AFTERNOON)
    assert observation.remaining_steps == 11
    assert readings == read(life)
    for meter, state in observation.meters.items():
        assert (state.sd, state.coverage) == (readings[meter].state.sd, readings[meter].state.coverage)
    assert (observation.anomalies, observation.active_event, observation.done) == (None, None, False)
    assert all(step.anomalies is None for step in observation.step_history)


def test_survives_json():
    life = known(*body(), agenda=weeks(), interactions=(interaction(NOON - DAY),), at=NOON)
    observation = of(life)
    assert observation_from_json(json.loads(json.dumps(observation.to_json()))) == observation


def test_shows_the_last_seven_completed_slots_across_weeks():
    monday = MORNING + 3 * DAY  # 7:00 on Monday
    assert [step.timestep for step in of(known(at=monday)).step_history] == [21, 22, 23, 24, 25, 26, 27]
    assert [step.timestep for step in of(known(at=NOON)).step_history] == [10, 11, 12, 13, 14, 15, 16]


def test_changes_are_those_of_the_levels_shown_at_the_slots_edges():
    life = known(*body(), agenda=weeks(), at=NOON)
    observation = of(life)
    edges = [slot_start(moment_of(FRIDAY, step), BERLIN) for step in range(10, 18)]
    levels = [of(replace(life, at=edge)).meters for edge in edges]
    for meter in Meter:
        for step, (before, after) in zip(observation.step_history, pairwise(levels), strict=True):
            assert step.deltas[meter] == pytest.approx(after[meter].level - before[meter].level)
        assert observation.deltas[meter] == pytest.approx(observation.meters[meter].level - levels[-2][meter].level)


class TestPace:
    """The model's meters follow the readings, but not in one leap."""

    def levels(self, life, hours):
        return [of(replace(life, at=NOON + h * HOUR)).meters[Meter.VITALITY].level for h in hours]

    def test_a_bad_night_sinks_in_over_two_slots(self):
        life = known(*(night(ago, 450 if ago else 200) for ago in range(30)), at=NOON)
        before, waking, noon, evening = self.levels(life, (-7, -5, -1, 5))  # 6:00, 8:00, 12:00, 18:00
        assert before - read(life)[Meter.VITALITY].level > 0.35
        assert waking == noon == pytest.approx(before - 0.25)
        assert evening == pytest.approx(max(read(replace(life, at=NOON + 5 * HOUR))[Meter.VITALITY].level, noon - 0.25))

    def test_part_of_a_slot_allows_part_of_the_pace(self):
        life = known(*(night(ago, 450 if ago != 1 else 200) for ago in range(1, 30)), at=NOON)
        start, half, end = self.levels(life, (5, 8, 11))
        assert half - start == pytest.approx(0.05)
        assert end - start == pytest.approx(0.10)

    def test_what_is_forgotten_returns_to_normal_in_steps(self):
        life = known(*(night(ago, 450 if ago != 1 else 200) for ago in range(1, 30)), at=NOON)
        expired = read(replace(life, at=NOON + HOUR))[Meter.VITALITY]
        assert (expired.level, expired.coverage) == (0.70, 0.0)
        levels = self.levels(life, (-1, 5, 11, 17))  # the starts of slots
        assert levels[0] < 0.5
        assert all(0 <= later - earlier <= 0.10 + 1e-9 for earlier, later in pairwise(levels))
        assert levels[-1] > levels[0] + 0.2

    @settings(deadline=None, max_examples=30)
    @given(st.integers(0, 50), st.integers(0, 27), st.integers(1, 5))
    def test_never_faster_and_the_same_whenever_it_is_read(self, seed, step, later):
        life = known(*body(seed), agenda=weeks(seed), at=NOON + 7 * DAY)
        at = slot_start(moment_of(FRIDAY, step), BERLIN)
        then, now = (of(replace(life, at=at + k * 6 * HOUR)) for k in (0, later))
        for meter in set(Meter) - {Meter.PROGRESS}:
            path = [record.deltas[meter] for record in now.step_history]
            assert all(abs(change) <= 0.25 + 1e-9 for change in path)
            assert path[:-later] == pytest.approx([r.deltas[meter] for r in then.step_history][later:])


def test_a_night_shows_as_a_change_of_the_slot_it_ended_in():
    quiet = known(*(nightly(Metric.RESTING_HR, ago, 55) for ago in range(1, 20)), at=NOON)
    loud = known(*(nightly(Metric.RESTING_HR, ago, 55 + 9 * (ago == 0)) for ago in range(20)), at=NOON)
    quiet_morning, loud_morning = (of(life).step_history[-1].deltas[Meter.VITALITY] for life in (quiet, loud))
    assert loud_morning < quiet_morning
    assert of(quiet).step_history[-2] == of(loud).step_history[-2]


def test_progress_is_counted_within_a_week():
    monday = MORNING + 3 * DAY
    agenda = [*weeks(), entry(monday - HOUR, 1.0, ActionType.DEEP_WORK)]
    observation = of(known(at=monday, agenda=agenda))
    assert observation.deltas[Meter.PROGRESS] == observation.meters[Meter.PROGRESS].level > 0
    assert observation.step_history[-1].deltas[Meter.PROGRESS] >= 0


class TestWhatWasDone:
    SPAN = slot_start(moment_of(FRIDAY, 16), BERLIN)  # Friday morning, the last completed slot

    def last(self, *entries, answers=(), **more):
        return of(
            known(at=NOON, agenda=sorted(entries, key=lambda e: e[0].start), interactions=answers), **more
        ).step_history[-1]

    def test_is_the_largest_share_from_a_third_on(self):
        learn, sport = entry(self.SPAN, 2.0, ActionType.LEARN), entry(self.SPAN + 3 * HOUR, 2.5, ActionType.EXERCISE)
        assert self.last(learn).action is ActionType.LEARN
        assert self.last(learn, sport).action is ActionType.EXERCISE
        assert self.last(entry(self.SPAN, 1.99, ActionType.LEARN)).action is None
        assert self.last(entry(self.SPAN, 3.0, None)).action is None

    def test_is_an_accepted_recommendation_where_the_calendar_shows_nothing(self):
        yes = interaction(self.SPAN + HOUR, ActionType.MEDITATE)
        assert self.last(answers=(yes,)).action is ActionType.MEDITATE
        shown = self.last(entry(self.SPAN, 3.0, ActionType.LEARN), answers=(yes,))
        assert (shown.action, shown.recommended) == (ActionType.LEARN, ActionType.MEDITATE)

    @pytest.mark.parametrize("answer", [Answer.IGNORE, Answer.RESCHEDULE])
    def test_is_not_known_after_another_answer(self, answer):
        step = self.last(answers=(interaction(self.SPAN + HOUR, ActionType.MEDITATE, answer),))
        assert (step.action, step.answer, step.reward) == (None, answer, -1.0)

    def test_keeps_what_was_advised_without_an_answer(self):
        step = self.last(recommended={moment_of(FRIDAY, 16): ActionType.SLEEP, moment_of(FRIDAY, 17): ActionType.LEARN})
        assert (step.recommended, step.answer, step.reward) == (ActionType.SLEEP, None, None)

    def test_takes_the_last_answer_of_a_slot(self):
        answers = (
            interaction(self.SPAN + HOUR, ActionType.SLEEP, Answer.IGNORE),
            interaction(self.SPAN + 2 * HOUR, ActionType.LEARN),
        )
        assert self.last(answers=answers).recommended is ActionType.LEARN


class TestAnswers:
    def test_last_is_the_reward(self):
        answers = (interaction(NOON - 3 * DAY), interaction(NOON - 2 * DAY, answer=Answer.IGNORE))
        assert of(known(at=NOON, interactions=answers)).reward == -1.0
        assert of(known(at=NOON)).reward == 0.0

    def test_of_thirty_days_are_the_history(self):
        answers = tuple(interaction(NOON - days * DAY) for days in (31, 30, 1, -1))
        assert of(known(at=NOON, interactions=answers)).history == answers[1:3]


class TestWhatFits:
    END = slot_start(moment_of(FRIDAY, 18), BERLIN)

    def feasible(self, *entries, at=NOON):
        return of(known(at=at, agenda=entries)).feasible

    def test_is_everything_in_a_free_slot(self):
        assert self.feasible() == tuple(ActionType)

    def test_is_what_is_planned_once_less_than_a_quarter_of_an_hour_is_free(self):
        five = (self.END - NOON) / HOUR
        work = entry(NOON - HOUR, 3.0, ActionType.LEARN)
        rest = entry(NOON + 2 * HOUR, five - 2 - 0.24, ActionType.ADMIN_WORK)
        assert self.feasible(work, rest) == (ActionType.ADMIN_WORK, ActionType.LEARN)
        almost = entry(NOON + 2 * HOUR, five - 2 - 0.25, ActionType.ADMIN_WORK)
        assert self.feasible(work, almost) == tuple(ActionType)

    def test_is_everything_when_the_little_time_left_has_no_plan(self):
        assert self.feasible(at=self.END - HOUR / 6) == tuple(ActionType)
        assert self.feasible(entry(NOON - HOUR, 9.0, None, busy=False)) == tuple(ActionType)

    def test_is_rest_when_what_fills_the_slot_is_no_action(self):
        flight = entry(NOON - HOUR, 9.0, None)
        assert self.feasible(flight) == (ActionType.SLEEP, ActionType.MEDITATE, ActionType.ME_TIME)
        assert self.feasible(flight, entry(NOON + HOUR, 1.0, ActionType.LEARN)) == (ActionType.LEARN,)


def test_planned_are_the_shares_of_the_whole_slot():
    begin = slot_start(moment_of(FRIDAY, 17), BERLIN)
    agenda = [entry(begin - HOUR, 2.0, ActionType.LEARN), entry(begin + 4 * HOUR, 5.0, ActionType.SOCIALIZE)]
    assert of(known(at=NOON, agenda=agenda)).planned == pytest.approx(
        {ActionType.LEARN: 1 / 6, ActionType.SOCIALIZE: 1 / 3}
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 26), st.integers(1, 300), st.floats(0, 200))
def test_nothing_after_the_moment_counts(step, hours, value):
    at = slot_start(moment_of(FRIDAY, step), BERLIN) + HOUR
    life = known(*body(days=20), agenda=weeks(10), tasks=(task(1, done=300),), at=at)
    after = slot_start(moment_at(at, BERLIN).shifted(1), BERLIN) + hours * HOUR
    junk = replace(
        nightly(Metric.RESTING_HR, 0, value), key="whoop/junk", start=after - HOUR, end=after, day=after.date()
    )
    tension = stress(after, value % 100)
    more = replace(
        life,
        samples=[*life.samples, ("whoop", junk), ("garmin", tension)],
        agenda=[*life.agenda, entry(after, 2.0, ActionType.SOCIALIZE, others=3)],
        interactions=(interaction(after),),
    )
    assert observe(more, recommended={moment_at(after, BERLIN): ActionType.SLEEP}) == observe(life)


@pytest.mark.parametrize(
    ("zones", "at", "step"),
    [
        ("Europe/Berlin", "2026-03-30T04:00", 0),  # 6:00 on the Monday after the clock went forward
        ("Europe/Berlin", "2026-03-30T03:59", 27),
        ("Europe/Berlin", "2026-10-26T05:00", 0),
        ("Australia/Lord_Howe", "2026-04-04T15:15", 23),  # the half hour that comes twice
        ("America/New_York", "2026-11-01T06:30", 23),
    ],
)
def test_slots_of_a_dst_week(zones, at, step):
    home = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone=zones),)
    observation = of(known(at=datetime.fromisoformat(at).replace(tzinfo=UTC), zones=home))
    assert observation.timestep == step
    steps = [s.timestep for s in observation.step_history]
    assert steps == [(step - back) % 28 for back in range(7, 0, -1)]


@settings(deadline=None, max_examples=40)
@given(
    st.integers(-72, 72),
    st.sampled_from(["America/New_York", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Honolulu"]),
    st.integers(0, 60),
)
def test_a_traveller_is_observed_anywhere(hours, there, minutes):
    zones = (*BERLIN, ZoneSpan(since=NOON, zone=there))
    at = NOON + timedelta(hours=hours, minutes=minutes)
    observation = of(known(*body(days=10), agenda=weeks(10), at=at, zones=zones))
    assert observation.timestep == moment_at(at, zones).timestep
    assert len(observation.step_history) == 7
    assert sum(observation.planned.values()) <= 1 + 1e-9
    assert observation.feasible


def test_hours_that_come_again_on_a_journey_west_have_room_for_anything():
    zones = (*BERLIN, ZoneSpan(since=NOON + 2 * HOUR, zone="America/New_York"))  # 15:00 becomes 9:00
    at = NOON + 3 * HOUR
    assert slot_around(at, zones) == (NOON - HOUR, NOON + 5 * HOUR)
    assert of(known(at=at, zones=zones)).feasible == tuple(ActionType)
    full = entry(NOON, 8.0, ActionType.LEARN)
    assert of(known(agenda=[full], at=at, zones=zones)).feasible == (ActionType.LEARN,)


def test_the_input_is_left_alone():
    life = known(*body(days=10), agenda=weeks(5), at=NOON)
    before = repr(life)
    observe(life)
    assert repr(life) == before
    assert life.at.date() == TODAY
