"""A made-up person's exports, years and oceans apart, come to what is true of that person."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from statistics import median

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from connectors.apple.export import files
from connectors.apple.export.normalise import normalise
from lab.people.apple import Plan, Truth, write
from tests.apple_health.documents import Text

HOMES = ("Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata")
ENDS = (date(2026, 4, 10), date(2025, 11, 5), date(2022, 9, 25), date(2021, 10, 9), date(2026, 10, 3))  # clocks change
STAGES = {
    "asleep": Metric.ASLEEP,
    "light": Metric.LIGHT_SLEEP,
    "deep": Metric.DEEP_SLEEP,
    "rem": Metric.REM_SLEEP,
    "awake": Metric.AWAKE,
}
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # a plan is its own smallest example
OVERNIGHT = ("respiratory_rate", "spo2", "skin_temperature", "hrv_rmssd")


def plans(*, travels: bool) -> st.SearchStrategy[Plan]:
    return st.builds(
        Plan,
        seed=st.integers(0, 10**6),
        last=st.sampled_from(ENDS),
        days=st.just(24),
        home=st.sampled_from(HOMES),
        travels=st.just(travels),
        american=st.booleans(),
        version=st.sampled_from((0, 8, 13, 14)),
        sparse=st.just(True),
    )


def exported(plan: Plan) -> tuple[Text, Truth]:
    content = io.BytesIO()
    truth = write(plan, content.write)
    return Text(content.getvalue()), truth


def read(file: Text, zone: str) -> list[Item]:
    return [item for page in files.read(file, zone=zone) for record in page.records for item in normalise(record, None)]


def of_days(items: list[Item], metric: Metric) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = defaultdict(list)
    for item in items:
        if isinstance(item, Sample) and item.metric is metric:
            found[item.day.isoformat()].append(item)
    return found


def sleeps(items: list[Item], kind: EpisodeKind) -> Iterator[Episode]:
    return (item for item in items if isinstance(item, Episode) and item.kind is kind)


def whole_days(truth: Truth, name: str) -> dict[str, float]:
    """The day of exporting was not over."""
    return {day: some[name] for day, some in truth.days.items() if day != truth.exported and some.get(name)}


def check(items: list[Item], truth: Truth) -> None:
    for name in ("steps", "distance", "active_energy", "resting_hr", "mindful"):
        found = {day: sum(s.value for s in some) for day, some in of_days(items, Metric(name)).items()}
        found.pop(truth.exported, None)
        assert found == pytest.approx(whole_days(truth, name), rel=1e-9), name
    for metric, name in ((Metric.HRV_SDNN, "hrv_sdnn"), (Metric.HRV_RMSSD_BEATS, "beats_rmssd")):
        variability = {day: median(s.value for s in some) for day, some in of_days(items, metric).items()}
        variability.pop(truth.exported, None)
        assert variability == pytest.approx(whole_days(truth, name), rel=1e-9), name
    rates = {day: sum(s.count or 0 for s in some) for day, some in of_days(items, Metric.HEART_RATE).items()}
    rates.pop(truth.exported, None)
    assert rates == whole_days(truth, "heart_rates")
    check_nights(items, truth)
    assert len(list(sleeps(items, EpisodeKind.WORKOUT))) == len(truth.workouts)


def check_nights(items: list[Item], truth: Truth) -> None:
    nights = {night.day.isoformat(): night for night in sleeps(items, EpisodeKind.SLEEP)}
    assert nights.keys() == truth.nights.keys()
    assert sum(1 for _ in sleeps(items, EpisodeKind.NAP)) == len(truth.naps)
    for day, night in nights.items():
        true = truth.nights[day]
        found = {name: night.values[metric] for name, metric in STAGES.items() if metric in night.values}
        assert found == pytest.approx({name: true[name] for name in STAGES if name in true}, abs=0.01), day
        assert (night.start.timestamp(), night.end.timestamp()) == (true["start"], true["end"])
    for name in OVERNIGHT:
        found = {day: some[0].value for day, some in of_days(items, Metric(name)).items()}
        true = {day: some[name] for day, some in truth.nights.items() if name in some}
        assert found == pytest.approx(true, abs=1e-6), name


@given(plans(travels=False))
@settings(max_examples=8, deadline=None, phases=UNSHRUNK)
def test_an_export_comes_to_what_is_true(plan: Plan) -> None:
    file, truth = exported(plan)
    check(read(file, plan.home), truth)


@given(plans(travels=True))
@settings(max_examples=12, deadline=None, phases=UNSHRUNK)
def test_days_are_those_where_the_person_was(plan: Plan) -> None:
    file, truth = exported(plan)
    check(read(file, plan.home), truth)
