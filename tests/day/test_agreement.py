"""Reasons are true and agree with each other: loads, clashes, free days, signs of the body, and refusals."""

from dataclasses import replace

from bridge.day.choice import look
from bridge.day.silence import quiet
from bridge.domain.facts import fact
from bridge.domain.rendering import for_person
from bridge.domain.types import Because, Reading, Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType, Meter

from .lives import DAY, TODAY, entry
from .persons import SUNDAY, blocks, found, free_sunday, person

A = ActionType


def silence(one):
    return for_person(quiet(look(one, one.now), found(one)[1]))


def test_long_work_late_after_a_day_of_meetings_owns_up_to_the_load():
    for count, minutes, said in ((10, 60, True), (10, 25, False), (4, 60, False)):
        row = [entry(TODAY, 480 + 60 * k, 540 + 60 * k, A.ADMIN_WORK, "Review", others=4) for k in range(count)]
        task = Task(key="t", list="l", title="Write report", due=TODAY, effort=minutes / 60)
        one = person(*row, hour=18.2, tasks=[task], task_actions={"t": A.DEEP_WORK}, work=False)
        (placed,) = [b for b in blocks(one, "task") if b.title == "Write report"]
        assert for_person(placed.facts) == ["it is due today"] + said * [
            "you have had 10 h of meetings today",
            "do a part of it, or move its date",
        ]


def test_an_entry_under_way_tells_what_clashes_with_it_as_long_as_that_is_ahead():
    trip = entry(TODAY, 480, 1080, A.ADMIN_WORK, "Field work")
    call = entry(TODAY, 900, 1020, A.ADMIN_WORK, "Client call")
    clash = "from 15:00 on these overlap: Field work 08:00, Client call 15:00"
    for hour, said in ((10, [clash]), (14.9, [clash]), (15.2, [])):
        told_then = silence(person(trip, call, hour=hour, work=False))
        assert [text for text in told_then if "overlap" in text] == said
        assert "you have an entry until 18:00" in told_then


def test_a_day_full_of_entries_is_no_free_one_whatever_one_usually_does_on_it():
    field = entry(SUNDAY, 480, 1080, A.ADMIN_WORK, "Field work")
    calm = [entry(SUNDAY - k * 7 * DAY, 1200, 1215, A.MEDITATE, "Meditation") for k in range(1, 6)]
    for agenda, load in (((), False), ((field,), True)):
        one = person(*calm, *agenda, day=SUNDAY, hour=7.5)
        kinds = {why.kind for b in blocks(one, "suggested", SUNDAY) for why in b.facts}
        assert bool(kinds & {"work_again", "work_again_at"}) is not load
        assert bool(kinds & {"tiring_then"}) is load


def test_the_same_signs_bring_the_same_counsel_in_an_entry_and_beside_it():
    signs = fact("illness_signs", signs=(fact("resting_hr_up"), fact("skin_warmer"), fact("variability_down")))
    call = entry(TODAY, 480, 540, A.ADMIN_WORK, "Call")
    for far, counsel in ((signs, "take it easier today"), (replace(signs, kind="illness"), "rest comes first today")):
        sign = Because(signal="illness", source=None, z=-1.0, contribution=-0.1, age_hours=1.0, fact=far)
        body = {Meter.VITALITY: Reading(level=0.65, sd=0.05, coverage=1.0, because=(sign,))}
        for agenda in ((), (call,)):
            assert counsel in silence(person(*agenda, hour=8.2, readings=body, work=False))
    assert "take it easier today" not in silence(person(call, hour=8.2, work=False))


def test_time_to_learn_is_refused_by_what_is_true():
    for hour, kind in ((10, "work_time"), (22, "late_for_it")):
        one = replace(person(hour=hour), wishes=Wishes(goals={A.LEARN: 3}), _read={})
        assert found(one, 1)[1][A.LEARN].kind == kind
    assert found(free_sunday(hour=8.2), 1)[1][A.ME_TIME].kind == "hour_of_day"
