"""Outcomes of recommendations as data show them.

A source shows that something was done, or partly. Only a source that would have shown it can show that it was not.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bridge.day import outcomes
from bridge.day.outcomes import as_answer, day_end, over_at, time_of
from bridge.domain.facts import fact
from bridge.domain.metrics import Metric
from bridge.domain.records import SAID, Deed, FullRecommendation, Recommendation, Snapshot
from bridge.domain.rendering import for_person
from bridge.domain.slots import Moment, moment_at, slot_bounds
from bridge.domain.types import Episode, EpisodeKind, Response, Sample, Task
from rhythm_env.interface import ActionType, Answer, Slot
from tests.meters.life import BERLIN, DAY, HOUR, MORNING, entry, known, night, stress

MIN = timedelta(minutes=1)
DAWN = MORNING - HOUR  # 6:00 in Berlin on Friday: the morning's slot begins
NOON, EVENING, NEXT = DAWN + 6 * HOUR, DAWN + 12 * HOUR, DAWN + DAY


def observed(advice, life):
    """The outcome and its evidence in words."""
    deed, found = outcomes.observed(advice, life)
    return deed, tuple(for_person(found))


def advice(
    action: ActionType, at: datetime = DAWN, start: float | None = None, minutes: float = 30, **of: object
) -> Recommendation:
    """A recommendation made at the begin of its slot; ``start`` is in hours from then."""
    moment = moment_at(at, BERLIN)
    times = {} if start is None else {"start": at + start * HOUR, "end": at + start * HOUR + minutes * MIN}
    given = {"shown_at": at, **times, **of}
    return FullRecommendation(
        id=1,
        user_id=1,
        moment=moment,
        action=action,
        policy="toy@1",
        belief={},
        scores={},
        probabilities={},
        facts=(),
        observation={},
        created_at=at,
        expires_at=slot_bounds(moment, BERLIN)[1],
        **given,
    )


def workout(start: datetime, minutes: float, source: str = "whoop") -> Episode:
    return Episode(
        key=f"{source}/workout/{start.isoformat()}",
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + minutes * MIN,
        day=start.date(),
    )


def nap(start: datetime, minutes: float) -> Episode:
    return replace(workout(start, minutes), key=f"whoop/nap/{start}", kind=EpisodeKind.NAP)


def slept(start: datetime, hours: float) -> Episode:
    return replace(night(0), key=f"whoop/sleep/{start}", start=start, end=start + hours * HOUR)


def mindful(at: datetime, minutes: float) -> Sample:
    return Sample(
        key=f"apple/mindful/{at}", metric=Metric.MINDFUL, start=at, end=at + minutes * MIN, day=at.date(), value=minutes
    )


EARLIER = workout(DAWN - 3 * DAY, 40)
RUN = ActionType.EXERCISE


def test_a_workout_in_the_slot_is_done_and_names_its_times_and_source() -> None:
    life = known(EARLIER, workout(DAWN + 65 * MIN, 36), at=NOON)
    assert observed(advice(RUN), life) == (Deed.DONE, ("workout 07:05-07:41, whoop",))


@pytest.mark.parametrize(("minutes", "deed"), [(9, Deed.PARTLY), (10, Deed.DONE)], ids=["nine minutes", "ten minutes"])
def test_a_short_workout_is_a_part(minutes: float, deed: Deed) -> None:
    assert observed(advice(RUN), known(workout(DAWN + HOUR, minutes), at=NOON))[0] is deed


@pytest.mark.parametrize(
    ("begin", "deed"),
    [(4.5, Deed.DONE), (7.2, Deed.DONE), (7.4, Deed.PARTLY), (8.6, Deed.UNKNOWN), (1.5, Deed.UNKNOWN)],
    ids=["before", "two hours late", "on the edge", "too late", "too early"],
)
def test_times_are_widened_by_two_hours(begin: float, deed: Deed) -> None:
    """Advised from 11:00 to 11:30. The slot's own bounds do not matter then."""
    one = advice(RUN, start=5)
    assert time_of(one, BERLIN) == (DAWN + 3 * HOUR, DAWN + 7.5 * HOUR)
    assert observed(one, known(workout(DAWN + begin * HOUR, 30), at=EVENING))[0] is deed


def test_what_was_over_before_the_advice_was_made_is_no_outcome_of_it() -> None:
    one = advice(RUN, at=DAWN + 3 * HOUR)
    assert observed(one, known(workout(DAWN + HOUR, 40), at=NOON))[0] is Deed.UNKNOWN
    kept = replace(one, kind="keep")
    assert observed(kept, known(workout(DAWN + HOUR, 40), at=NOON))[0] is Deed.DONE


def test_not_done_needs_a_source_that_would_have_shown_it_and_reported() -> None:
    one, later = advice(RUN), slept(EVENING, 8)
    assert observed(one, known(EARLIER, later, at=NEXT + HOUR)) == (Deed.NOT_DONE, ("no workout, whoop",))
    assert observed(one, known(later, at=NEXT + HOUR)) == (Deed.UNKNOWN, ())  # it never showed a workout
    assert observed(one, known(EARLIER, at=NOON)) == (Deed.UNKNOWN, ("nothing yet from whoop",))
    assert observed(one, known(at=NOON)) == (Deed.UNKNOWN, ())  # no watch
    stranger = workout(EVENING, 30, source="garmin")
    assert observed(one, known(EARLIER, stranger, at=NEXT))[0] is Deed.UNKNOWN  # another source reported


def test_a_watch_that_lay_on_the_table_shows_nothing() -> None:
    runs = [workout(DAWN - 3 * DAY, 40, source="garmin"), workout(EVENING + 3 * HOUR, 30, source="garmin")]
    days = [stress(DAWN - DAY + hour * HOUR, 30) for hour in range(12)]
    worn = [stress(DAWN + hour * HOUR, 30) for hour in range(6)]
    assert observed(advice(RUN), known(*runs, *days, *worn, at=NEXT))[0] is Deed.NOT_DONE
    assert observed(advice(RUN), known(*runs, *days, *worn[:2], at=NEXT)) == (Deed.UNKNOWN, ())


def test_an_entry_of_the_action_that_took_place_is_evidence_and_our_own_is_none() -> None:
    gym = entry(DAWN + 2 * HOUR, 1, RUN)
    one = advice(RUN)
    assert observed(one, made(known(agenda=[gym], at=NOON))) == (Deed.DONE, ("entry 08:00-09:00, calendar",))
    assert observed(one, made(known(agenda=[], at=NOON))) == (Deed.UNKNOWN, ())  # the entry was taken away
    for of in ({"kind": f"advice:{RUN}"}, {"response": Response.DECLINED}, {"first_day": DAWN.date()}):
        assert observed(one, made(known(agenda=[entry(DAWN + 2 * HOUR, 1, RUN, **of)], at=NOON)))[0] is Deed.UNKNOWN
    assert observed(one, made(known(agenda=[gym], at=DAWN + 2.5 * HOUR)))[0] is Deed.UNKNOWN  # it is not over
    other = entry(DAWN + 2 * HOUR, 1, ActionType.LEARN)
    assert observed(one, made(known(agenda=[other], at=NOON)))[0] is Deed.UNKNOWN


def made(life: Snapshot, after: timedelta = MIN) -> Snapshot:
    """The same life with entries that were made so long after dawn."""
    return replace(life, event_since={occurrence.event.key: DAWN + after for occurrence, _ in life.agenda})


def test_an_entry_that_stood_there_before_the_advice_is_no_evidence() -> None:
    life = known(agenda=[entry(DAWN + 2 * HOUR, 1, RUN)], at=NOON)
    assert observed(advice(RUN), made(life, -DAY)) == (Deed.UNKNOWN, ())
    assert observed(advice(RUN), made(life, timedelta(0))) == (Deed.UNKNOWN, ())
    assert observed(advice(RUN), life) == (Deed.UNKNOWN, ())  # since when it stands there is not known


def test_an_instance_of_a_series_that_stood_there_before_is_no_evidence() -> None:
    occurrence, label = entry(DAWN + 2 * HOUR, 1, RUN)
    moved = replace(occurrence, event=replace(occurrence.event, key="moved", master="series"))
    life = known(agenda=[(moved, label)], at=NOON)
    life = replace(life, event_since={"moved": DAWN + MIN, "series": DAWN - DAY})
    assert observed(advice(RUN), life) == (Deed.UNKNOWN, ())


def test_a_copy_of_an_entry_that_stood_there_before_is_no_evidence() -> None:
    (first, label), (copy, _) = (entry(DAWN + 2 * HOUR, 1, RUN) for _ in range(2))
    copy = replace(copy, event=replace(copy.event, key="copy", calendar="work", title="Busy"))
    life = known(agenda=[(first, label), (copy, label)], at=NOON)
    since = {first.event.key: DAWN - DAY, "copy": DAWN + MIN}
    assert observed(advice(RUN), replace(life, event_since=since)) == (Deed.UNKNOWN, ())
    assert observed(advice(RUN), made(life))[0] is Deed.DONE  # both came after it


@pytest.mark.parametrize("fault", ["kind", "label"])
def test_time_out_of_office_and_held_time_show_nothing_done(fault: str) -> None:
    occurrence, label = entry(DAWN + 2 * HOUR, 1, RUN)
    away = replace(occurrence, event=replace(occurrence.event, kind="outOfOffice"))
    held = away if fault == "kind" else occurrence, label if fault == "kind" else replace(label, confidence=0.35)
    assert observed(advice(RUN), made(known(agenda=[held], at=NOON))) == (Deed.UNKNOWN, ())


def test_a_nap_that_had_begun_before_the_advice_is_no_evidence() -> None:
    one = replace(advice(ActionType.SLEEP, NOON, start=0), created_at=NOON + 20 * MIN)
    assert observed(one, known(nap(NOON + 10 * MIN, 40), at=EVENING))[0] is Deed.UNKNOWN
    assert observed(one, known(nap(NOON + 25 * MIN, 25), at=EVENING))[0] is Deed.DONE


def test_a_workout_that_had_begun_before_the_advice_is_no_evidence() -> None:
    one = advice(RUN, at=DAWN + 3 * HOUR)
    assert observed(one, known(workout(DAWN + 2.5 * HOUR, 90), at=NOON))[0] is Deed.UNKNOWN
    assert observed(one, known(workout(DAWN + 3 * HOUR, 90), at=NOON))[0] is Deed.DONE


def test_an_entry_against_a_watch_that_was_worn_is_a_question() -> None:
    life = known(EARLIER, slept(EVENING, 8), agenda=[entry(DAWN + 2 * HOUR, 1, RUN)], at=NEXT + HOUR)
    assert observed(advice(RUN), life) == (Deed.UNKNOWN, ())  # it stood there before
    assert observed(advice(RUN), made(life)) == (Deed.UNKNOWN, ("entry 08:00-09:00, calendar", "no workout, whoop"))


def test_company_without_an_entry_is_unknown_and_never_not_done() -> None:
    life = known(EARLIER, slept(EVENING, 8), at=NEXT + HOUR)
    assert observed(advice(ActionType.SOCIALIZE), life) == (Deed.UNKNOWN, ())


class TestWork:
    ONE = advice(ActionType.ADMIN_WORK, what="Tax return")

    def completed(self, title: str, hours: float) -> Task:
        return Task(key=title, list="l", title=title, completed=DAWN + hours * HOUR)

    def test_the_task_that_was_named_is_evidence_and_another_is_none(self) -> None:
        named, other = self.completed("Tax return", 2), self.completed("Call Kim", 3)
        assert observed(self.ONE, known(tasks=[named], at=NOON)) == (Deed.DONE, ("this task completed 08:00",))
        assert observed(self.ONE, known(tasks=[other], at=NOON)) == (Deed.UNKNOWN, ())
        assert observed(self.ONE, known(tasks=[named, other], at=NOON))[0] is Deed.DONE

    def test_an_open_task_or_one_of_another_time_tells_nothing(self) -> None:
        tasks = [self.completed("Tax return", hours) for hours in (-1, 24.5)]
        tasks += [replace(self.completed("Tax return", 1), completed=None)]
        assert observed(self.ONE, known(tasks=tasks, at=NEXT + DAY)) == (Deed.UNKNOWN, ())
        later = self.completed("Tax return", 7)  # in the afternoon of the day
        assert observed(self.ONE, known(tasks=[later], at=EVENING))[0] is Deed.DONE


class TestSleep:
    """Advice of the evening, 18:00 to 24:00."""

    SLEEP = ActionType.SLEEP
    EVER = night(3)

    @pytest.mark.parametrize(
        ("begin", "deed"),
        [(4.0, Deed.DONE), (6.4, Deed.DONE), (7.0, Deed.PARTLY), (9.0, Deed.NOT_DONE)],
        ids=["half an hour early", "within 90 minutes", "two hours late", "much later"],
    )
    def test_a_night_counts_by_when_it_begins(self, begin: float, deed: Deed) -> None:
        one = advice(self.SLEEP, EVENING, start=5, minutes=480, kind="sleep")  # from 23:00 on
        assert observed(one, known(self.EVER, slept(EVENING + begin * HOUR, 5), at=NEXT + 5 * HOUR))[0] is deed

    def test_without_times_it_counts_by_the_slot(self) -> None:
        one = advice(self.SLEEP, EVENING)
        at = NEXT + 5 * HOUR
        early, soon, late = (slept(EVENING + hours * HOUR, 7) for hours in (5, 7, 8))
        assert observed(one, known(self.EVER, early, at=at)) == (Deed.DONE, ("asleep 23:00-06:00, whoop",))
        assert observed(one, known(self.EVER, soon, at=at)) == (Deed.PARTLY, ("asleep 01:00-08:00, whoop",))
        assert observed(one, known(self.EVER, late, at=at)) == (Deed.NOT_DONE, ("asleep 02:00-09:00, whoop",))

    @pytest.mark.parametrize(("begin", "deed"), [(-1.0, Deed.DONE), (1.5, Deed.PARTLY)], ids=["asleep", "awake"])
    def test_of_a_night_it_takes_half_of_what_was_left(self, begin: float, deed: Deed) -> None:
        one = advice(self.SLEEP, EVENING + 6 * HOUR)
        late = replace(one, created_at=one.created_at + 4 * HOUR)  # advised at 4:00, two hours before the slot's end
        life = known(self.EVER, slept(late.created_at + begin * HOUR, 5), at=NEXT + 5 * HOUR)
        assert observed(late, life)[0] is deed

    def test_a_night_that_was_not_recorded_is_unknown(self) -> None:
        one = advice(self.SLEEP, EVENING)
        assert observed(one, known(self.EVER, at=NEXT)) == (Deed.UNKNOWN, ("nothing yet from whoop",))
        assert observed(one, known(self.EVER, workout(NEXT + 30 * HOUR, 30), at=NEXT + 3 * DAY)) == (Deed.UNKNOWN, ())

    def test_a_nap_by_day(self) -> None:
        one = advice(self.SLEEP, NOON, start=1)
        before, after = nap(NOON - 5 * DAY, 20), slept(EVENING + 5 * HOUR, 7)
        done = known(before, nap(NOON + 80 * MIN, 25), at=EVENING)
        assert observed(one, done) == (Deed.DONE, ("nap 13:20-13:45, whoop",))
        assert observed(one, known(before, after, at=NEXT + HOUR))[0] is Deed.NOT_DONE
        assert observed(one, known(after, at=NEXT + HOUR))[0] is Deed.UNKNOWN  # it never showed a nap


def test_a_mindful_session() -> None:
    one = advice(ActionType.MEDITATE)
    habit = [mindful(DAWN - days * DAY, 10) for days in (1, 2, 3)]
    after = mindful(EVENING, 10)
    assert observed(one, known(mindful(DAWN + HOUR, 12), at=NOON)) == (Deed.DONE, ("mindfulness 07:00, 12 min, apple",))
    assert observed(one, known(mindful(DAWN + HOUR, 3), at=NOON))[0] is Deed.PARTLY
    assert observed(one, known(*habit, after, at=NEXT))[0] is Deed.NOT_DONE
    assert observed(one, known(*habit[:1], after, at=NEXT))[0] is Deed.UNKNOWN  # once is no habit of recording


def test_what_was_put_off_is_looked_for_where_it_was_put() -> None:
    to = moment_at(NOON, BERLIN)
    one = replace(advice(RUN), answer=Answer.RESCHEDULE, answered_at=DAWN + HOUR, moved_to=to)
    assert over_at(one, BERLIN) == EVENING
    assert observed(one, known(workout(NOON + HOUR, 30), at=EVENING))[0] is Deed.DONE
    assert observed(one, known(workout(DAWN + HOUR, 30), at=EVENING))[0] is Deed.UNKNOWN
    assert observed(replace(one, moved_to=None), known(workout(NOON, 30), at=EVENING)) == (Deed.UNKNOWN, ())


def test_times_of_another_slot_do_not_count_for_the_one_it_was_put_off_to() -> None:
    """Without a time of its own, the whole slot counts; with one, that time does."""
    to = moment_at(NEXT + 6 * HOUR, BERLIN)
    one = replace(advice(RUN, start=1), answer=Answer.RESCHEDULE, answered_at=DAWN + HOUR, moved_to=to)
    assert time_of(one, BERLIN) == (NEXT + 6 * HOUR, NEXT + 12 * HOUR)
    placed = replace(one, start=NEXT + 9 * HOUR, end=NEXT + 10 * HOUR)
    assert time_of(placed, BERLIN) == (NEXT + 7 * HOUR, NEXT + 12 * HOUR)


def test_a_day_ends_at_six_of_the_next_and_that_of_a_night_too() -> None:
    assert day_end(advice(RUN), BERLIN) == NEXT
    assert day_end(advice(RUN, NEXT - HOUR), BERLIN) == NEXT
    later = Moment(week=moment_at(DAWN, BERLIN).week, day=6, slot=Slot.EVENING)
    assert day_end(replace(advice(RUN), moved_to=later), BERLIN) == NEXT + 2 * DAY


class TestAnswer:
    """The reward that a model gets, by the answer and the outcome."""

    ONE = replace(advice(RUN), outcome_at=NOON + HOUR, evidence=(fact("seen_entry"),))

    @pytest.mark.parametrize(
        ("deed", "heard"),
        [(Deed.DONE, Answer.ACCEPT), (Deed.NOT_DONE, Answer.IGNORE), (Deed.PARTLY, None), (Deed.UNKNOWN, None)],
    )
    def test_without_a_press_the_outcome_counts(self, deed: Deed, heard: Answer | None) -> None:
        one = replace(self.ONE, outcome=deed)
        assert as_answer(one, EVENING) is heard
        assert as_answer(one, NOON) is None  # it was not known yet
        assert as_answer(replace(one, shown_at=None), EVENING) is None  # never seen

    @pytest.mark.parametrize("deed", list(Deed))
    @pytest.mark.parametrize("pressed", list(Answer))
    def test_what_was_pressed_stays(self, deed: Deed, pressed: Answer) -> None:
        one = replace(self.ONE, outcome=deed, answer=pressed, answered_at=DAWN + HOUR)
        assert as_answer(one, EVENING) is pressed

    def test_not_done_is_no_ignore_before_it_is_over(self) -> None:
        one = replace(self.ONE, outcome=Deed.NOT_DONE, outcome_at=DAWN + HOUR, evidence=SAID)
        assert [as_answer(one, at) for at in (NOON - HOUR, NOON)] == [None, Answer.IGNORE]

    def test_a_superseded_one_never_counts(self) -> None:
        one = replace(self.ONE, outcome=Deed.DONE, answer=Answer.ACCEPT, answered_at=DAWN, superseded_at=EVENING)
        assert [as_answer(one, at) for at in (NOON, EVENING)] == [Answer.ACCEPT, None]
