"""Trends say what the meters said on each day, and nothing where nothing was known."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta

import pytest

from bridge.documents.trends import trends_document, weekly_trends
from bridge.domain.metrics import Metric
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Episode, EpisodeKind
from bridge.meters import read_slots
from bridge.trends import Trends, compute_trends
from rhythm_env.interface import ActionType, Meter
from tests.meters.life import BERLIN, DAY, HOUR, MORNING, TODAY, body, entry, known, night, nightly


@pytest.fixture(scope="module")
def shown() -> Trends:
    agenda = [entry(MORNING - ago * DAY + 2 * HOUR, 1.5, ActionType.DEEP_WORK, title="a") for ago in range(40)]
    return compute_trends(known(*body(days=60), agenda=agenda), days=28)


def test_a_day_is_the_mean_of_what_its_slots_said(shown: Trends) -> None:
    assert (len(shown.days), shown.days[-1]) == (28, TODAY)
    agenda = [entry(MORNING - ago * DAY + 2 * HOUR, 1.5, ActionType.DEEP_WORK, title="a") for ago in range(40)]
    day = MORNING - 3 * DAY  # at seven in Berlin; its slots begin at six, noon, six and midnight
    starts = [day - HOUR + timedelta(hours=6 * slot) for slot in range(4)]
    expected = [one[Meter.VITALITY] for one in read_slots(known(*body(days=60), agenda=agenda), starts)]
    mine = shown.meters[Meter.VITALITY]
    assert mine.level[-4] == pytest.approx(sum(one.level for one in expected) / 4, abs=1e-3)
    assert mine.sd[-4] == pytest.approx(sum(one.sd for one in expected) / 4, abs=1e-3)


def test_inputs_and_plans_stand_on_their_days(shown: Trends) -> None:
    asleep = next(one for one in shown.inputs if one.metric is Metric.ASLEEP)
    assert (asleep.unit, asleep.source, Meter.VITALITY in asleep.meters) == ("min", "whoop", True)
    assert all(value is not None for value in asleep.values)
    assert shown.planned == {ActionType.DEEP_WORK: (1.5,) * 28}


def test_nothing_known_is_null_everywhere() -> None:
    found = trends_document(compute_trends(known(), days=14))
    assert all(track["level"] == [None] * 14 and track["sd"] == [None] * 14 for track in found["meters"].values())
    assert (found["inputs"], found["planned_hours"], found["happenings"]) == ([], {}, [])


def test_the_first_hours_of_a_day_are_a_day_without_levels() -> None:
    found = compute_trends(known(*body(days=60), at=MORNING - 6 * HOUR), days=1)  # an hour past midnight in Berlin
    assert found.days == (TODAY,)
    assert all(track.level == (None,) for track in found.meters.values())


def test_a_few_values_are_no_line_and_holes_stay_holes() -> None:
    found = compute_trends(known(*(night(ago) for ago in (1, 2, 9)), nightly(Metric.RESTING_HR, 1, 55)), days=14)
    (asleep,) = found.inputs
    assert [n for n, value in enumerate(asleep.values) if value is not None] == [4, 11, 12]


def test_what_happened_is_there_once_and_only_in_the_days_shown() -> None:
    def workout(ago: int, source: str, late: float = 0.0) -> Episode:
        start = MORNING - ago * DAY + timedelta(hours=3 + late)
        return Episode(
            key=f"{source}/workout/{ago}",
            kind=EpisodeKind.WORKOUT,
            start=start,
            end=start + HOUR,
            day=TODAY - ago * DAY,
            label="running",
        )

    moved = (*BERLIN, ZoneSpan(since=MORNING - 2 * DAY, zone="Europe/Lisbon"))
    found = compute_trends(
        known(workout(1, "whoop"), workout(1, "garmin", 0.1), workout(30, "whoop"), zones=moved), days=14
    )
    told = [(one.day, one.kind, one.title, one.hours) for one in found.happenings]
    assert told == [(TODAY - 2 * DAY, "zone", "Europe/Lisbon", None), (TODAY - DAY, "workout", "running", 1.0)]


def test_weeks_are_means_of_the_days_that_have_a_value(shown: Trends) -> None:
    whole = trends_document(shown)
    short = weekly_trends(whole)
    assert short["weeks_from"] == whole["days"][::7]
    levels = [v for v in whole["meters"]["VITALITY"]["level"][:7] if v is not None]
    assert short["meters"]["VITALITY"]["level"][0] == pytest.approx(sum(levels) / len(levels), abs=1e-3)


def test_any_life_gives_a_document() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        items = [night(ago, rng.uniform(0, 900)) for ago in rng.sample(range(90), rng.randint(0, 40))]
        at = MORNING + timedelta(hours=rng.uniform(0, 24))
        agenda = [entry(at - rng.uniform(0, 900) * HOUR, rng.uniform(0, 60)) for _ in range(rng.randint(0, 20))]
        found = json.loads(
            json.dumps(trends_document(compute_trends(known(*items, at=at, agenda=agenda), days=rng.choice([7, 30]))))
        )
        columns = [*(t["level"] for t in found["meters"].values()), *found["planned_hours"].values()]
        assert {len(column) for column in columns} == {len(found["days"])}
        assert datetime.fromisoformat(found["at"]) == at


def test_an_entry_of_all_days_is_told_with_its_length() -> None:
    first, last = TODAY - 5 * DAY, TODAY - 3 * DAY
    camp = entry(MORNING - 5 * DAY, 72, title="Camp", first_day=first, last_day=last)
    found = compute_trends(known(agenda=[camp]), days=14)
    assert [(each.title, each.days) for each in found.happenings] == [("Camp", 3)]
