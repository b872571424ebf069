"""Parts of a simulated life: titles, bodies, diaries, and the truth to compare with."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from statistics import fmean, pstdev
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from bridge.domain.guard import SLOT, dosage
from bridge.domain.ports import Invitation
from bridge.domain.slots import moment_of
from lab.closed_loop.ablations import Told, exactly, surer
from lab.closed_loop.body_statistics import moments
from lab.closed_loop.figures import dosages, interactions, means, never_rising
from lab.closed_loop.home import circumstances
from lab.closed_loop.resident import Resident
from lab.evaluation.deployed import FIRST_MONDAY
from lab.people.body import Body, Tone
from lab.people.diary import Diary
from lab.people.titles import TITLES, meant
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation, Slot, StepRecord
from tests.world import NOW

HOME = ZoneInfo("Europe/Berlin")
CALM = Tone(energy=0.0, calm=0.0, turned_in=True, trained=False, away=False)


def mornings(seed: int, days: int, tone: Tone = CALM) -> list[dict[str, float]]:
    body = Body(seed)
    found = []
    for ago in range(days):
        one = body.morning(FIRST_MONDAY + timedelta(days=ago), HOME, tone)
        found.append({"hrv": one.night.hrv, "asleep": one.night.asleep, "rhr": one.night.resting_hr})
    return found


def test_a_title_means_one_thing_in_every_language() -> None:
    for words in TITLES.values():
        assert set(words) == set(ActionType)
        for action, titles in words.items():
            assert all(meant()[title] is action for title in titles)
    labels = Told().classify([Invitation(title="Siesta"), Invitation(title="Daily standup")])
    assert [label.action for label in labels] == [ActionType.SLEEP, ActionType.ADMIN_WORK]


def test_a_body_is_the_same_again_and_follows_how_life_is() -> None:
    assert mornings(3, 5) == mornings(3, 5)
    tired, fit = (replace(CALM, energy=side, calm=side) for side in (-2.5, 2.5))
    gained = [fmean(d["hrv"] for d in mornings(seed, 30, fit)) for seed in range(8)]
    lost = [fmean(d["hrv"] for d in mornings(seed, 30, tired)) for seed in range(8)]
    assert all(more > less for more, less in zip(gained, lost, strict=True))
    asleep = [d["asleep"] for seed in range(20) for d in mornings(seed, 20)]
    assert 360 < fmean(asleep) < 440
    assert 60 < pstdev(asleep) < 110


def test_a_diary_tells_what_was_written_and_no_more() -> None:
    diary = Diary(1, "es", HOME)
    diary.comes_round(FIRST_MONDAY)
    moment = moment_of(FIRST_MONDAY, 1)
    start = datetime.combine(FIRST_MONDAY, time(12), HOME)
    diary.write(moment, ActionType.SLEEP, start, today=FIRST_MONDAY)
    events = diary.vendor.events("ana.keller@example.com")
    assert len(events) == 3
    assert meant()[events[-1]["summary"]] is ActionType.SLEEP
    diary.strike(moment)
    assert len(diary.vendor.events("ana.keller@example.com")) == 2


def test_people_wear_all_bands_and_some_travel_or_change_them() -> None:
    found = [circumstances(Resident(seed), 4) for seed in range(40)]
    assert min(Counter(one.worn[0][1] for one in found).values()) >= 13
    assert {one.language for one in found} == set(TITLES)
    travelled = [one for one in found if one.journey is not None]
    assert 4 <= len(travelled) <= 20
    assert any(len(one.worn) > 1 for one in found)
    leaves, back, zone = travelled[0].journey or (date.min, date.min, "")
    assert travelled[0].zone(leaves).key == zone
    assert travelled[0].zone(back).key == travelled[0].home


def test_the_truth_is_put_on_the_scale_that_is_read() -> None:
    resident = Resident(5)
    low = dict.fromkeys(Meter, 0.4)
    resident.remember_normal([low, dict.fromkeys(Meter, 0.6)])
    normal = resident.on_scale(dict.fromkeys(Meter, 0.5))
    assert normal[Meter.VITALITY] == pytest.approx(0.70)
    assert normal[Meter.PROGRESS] == 0.5
    assert resident.on_scale(low)[Meter.VITALITY] == pytest.approx(0.462, abs=1e-3)


def test_a_resident_keeps_to_plans_more_often_than_not_and_answers_alike_again() -> None:
    resident = Resident(2)
    planned = resident.plan_week(FIRST_MONDAY)
    assert all(moment.slot is not Slot.NIGHT for moment in planned)
    kept = sum(resident.chosen(moment) is action for moment, action in planned.items())
    assert kept > len(planned) / 2
    moment = moment_of(FIRST_MONDAY, 0)
    answers = {resident.respond(moment, ActionType.LEARN, tuple(ActionType)) for _ in range(5)}
    assert len(answers) == 1


def test_the_truth_takes_the_place_of_what_was_read() -> None:
    state = MeterState(level=0.6, sd=0.22, coverage=0.5)
    step = StepRecord(timestep=0, day=0, slot=Slot.MORNING)
    seen = Observation(
        timestep=2, day=0, slot=Slot.EVENING, meters=dict.fromkeys(Meter, state), step_history=(step, step)
    )
    before, after = dict.fromkeys(Meter, 0.5), dict.fromkeys(Meter, 0.7)
    told = exactly(seen, after, [(before, after)])
    assert told.meters[Meter.VITALITY] == MeterState(level=0.7)
    assert told.step_history[0].deltas is None
    assert told.step_history[1].deltas == pytest.approx(dict.fromkeys(Meter, 0.2))
    assert surer(seen).meters[Meter.VITALITY].sd < 0.2
    assert surer(seen).meters[Meter.CONNECTION].sd == 0.22


def test_who_never_comes_to_accept_is_counted() -> None:
    taken = np.array([[0.0] * 40, [1.0] * 40, [0.0] * 20 + [1.0] * 20])
    assert interactions(taken).tolist() == [41, 20, 36]
    assert never_rising(taken)["people"] == 2


def test_slots_without_advice_are_no_answers() -> None:
    """Twenty taken in a row count as such whatever silences lie between, and a person without answers has no share."""
    silent = np.nan
    taken = np.array([[silent, 1.0] * 20, [silent] * 40, [0.0] * 20 + [silent] * 20])
    assert interactions(taken).tolist() == [20, 1, 21]
    assert means(taken).tolist()[::2] == [1.0, 0.0]
    assert np.isnan(means(taken)[1])
    assert never_rising(taken)["people"] == 3


def test_the_dosage_is_the_one_of_the_guard() -> None:
    """That of a slot counts the slots before it."""
    given = np.array([[True, False, True, True], [False] * 4])
    at = [NOW + step * SLOT for step in range(4)]
    history = [
        Interaction(at=t, day=0, slot=Slot.NIGHT, levels={}, recommended=ActionType.SLEEP, answer=Answer.ACCEPT)
        for t, advised in zip(at, given[0], strict=True)
        if advised
    ]
    found = dosages(given)
    assert found[0] == pytest.approx(sum(dosage(history, t) for t in at) / 4)
    assert found[1] == 0


def test_moments_of_a_known_series() -> None:
    found = moments([{day: float(day % 2) for day in range(20) if day != 7}])
    assert found["mean"] == pytest.approx(9 / 19)
    assert found["missing"] == pytest.approx(1 / 20)
    assert found["lag 1"] == pytest.approx(-1)
    assert moments([]) == {"people": 0}
