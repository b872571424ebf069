"""Points of the app: a day that comes again replaces itself, in every grouping, unit and way of writing a time."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from connectors.apple.auto_export import files
from connectors.apple.auto_export.normalise import normalise
from tests.health_auto_export.reading import body, episodes, landed, metric
from tests.pushed import Body, values

DAY = "2026-11-18"
# A batch of minutes that all lie on full hours looks like hours.
MINUTES = st.tuples(st.integers(0, 1439).filter(lambda minute: minute % 60 > 0), st.integers(1, 200))


def at(clock: str, value: float, **more: Any) -> dict[str, Any]:
    return {"date": f"{DAY} {clock} +0100", "qty": value, **more}


def steps(*points: dict[str, Any]) -> Body:
    return body(metric("step_count", "count", *points))


def test_a_growing_day_is_replaced_not_added() -> None:
    items = landed(steps(at("00:00:00", 5000)), steps(at("00:00:00", 8000)), steps(at("00:00:00", 7990)))
    assert values(items, "steps") == {DAY: 7990}
    items = landed(steps(at("10:00:00", 500), at("11:00:00", 100)), steps(at("11:00:00", 350), at("12:00:00", 50)))
    assert values(items, "steps") == {DAY: 900}


def test_groupings_beside_each_other_never_add_up() -> None:
    """Somebody changes the app's grouping in the middle of a day."""
    deliveries = [
        steps(*(at(f"10:{minute:02}:00", 10) for minute in range(60))),
        steps(at("10:00:00", 600), at("11:00:00", 400)),
        steps(at("00:00:00", 900)),
        steps(at("11:20:31", 300, source="iPhone"), at("11:20:55", 350, source="Apple Watch")),
    ]
    for some in permutations(deliveries):
        assert values(landed(*some), "steps") == {DAY: 1000}


def test_of_watch_and_phone_the_watch_counts_and_the_phone_where_it_was_alone() -> None:
    both = [at("09:00:13", 300, source="iPhone"), at("09:01:40", 320, source="Ana’s Apple\u00a0Watch")]
    assert values(landed(steps(*both, at("10:20:09", 500, source="iPhone"))), "steps") == {DAY: 820}


@given(st.lists(MINUTES, min_size=1, unique_by=lambda p: p[0]), st.data())
@settings(max_examples=60, deadline=None)
def test_minutes_in_any_batches_and_repeats_come_to_their_sum(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    minutes = sorted(points)
    written = [at(f"{m // 60:02}:{m % 60:02}:00", value) for m, value in minutes]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=4)))
    edges = [0, *cuts, len(written)]
    batches = [steps(*written[a:b]) for a, b in pairwise(edges) if b > a]
    again = data.draw(st.lists(st.sampled_from(batches), max_size=3)) if batches else []
    assert values(landed(*batches, *again), "steps") == {DAY: sum(value for _, value in minutes)}


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-18 07:05:00 +0100",
        "2026-11-18 7:05:00 AM +0100",
        "2026-11-18 7:05:00\u202fAM +0100",
        "2026-11-18 7:05:00\u00a0a.m. +0100",
        "2026-11-18T07:05:00+01:00",
        "2026-11-18T06:05:00Z",
        "2026-11-18 07:05:00",
    ],
)
def test_every_way_of_writing_a_time_is_read(written: str) -> None:
    (sample,) = landed(body(metric("heart_rate_variability", "ms", {"date": written, "qty": 50})))
    assert sample.start.isoformat() == "2026-11-18T06:05:00+00:00"


def test_noon_and_midnight_of_a_12_hour_clock() -> None:
    points = [{"date": f"2026-11-18 12:30:00\u202f{half} +0100", "qty": 50} for half in ("AM", "PM")]
    items = landed(body(metric("heart_rate_variability", "ms", *points)))
    assert [item.start.hour for item in items] == [23, 11]


@pytest.mark.parametrize(
    "told",
    [
        {
            "elevationUp": {"qty": 200, "units": "ft"},
            "avgSpeed": {"qty": 6, "units": "mi/hr"},
            "stepCount": [{"date": f"{DAY} 10:00:00 +0100", "qty": n, "units": "count"} for n in (100, 5900)],
        },
        {
            "elevation": {"ascent": 60.96, "descent": 3, "units": "m"},
            "speed": {"qty": 2.68224, "units": "m/s"},
            "stepCount": {"qty": 6000, "units": "steps"},
        },
    ],
    ids=["now", "before"],
)
def test_a_workout_tells_its_climb_speed_and_steps(told: dict[str, Any]) -> None:
    run = {"name": "Outdoor Run", "start": f"{DAY} 10:00:00 +0100", "end": f"{DAY} 10:40:00 +0100"}
    (found,) = episodes(landed(body(workouts=[run | told])))
    figures = {Metric.ASCENT: 60.96, Metric.SPEED: 9.656064, Metric.STEPS: 6000}
    assert dict(found.values) == pytest.approx(figures)


@pytest.mark.parametrize(
    ("name", "unit", "value", "metric_name", "wanted"),
    [
        ("active_energy", "kJ", 418.4, "active_energy", 100),
        ("active_energy", "kcal", 100, "active_energy", 100),
        ("active_energy", "J", 418_400, "active_energy", 100),
        ("active_energy", "cal", 100_000, "active_energy", 100),
        ("walking_running_distance", "mi", 1, "distance", 1609.344),
        ("walking_running_distance", "ft", 1000, "distance", 304.8),
        ("walking_running_distance", "yd", 1000, "distance", 914.4),
        ("walking_running_distance", "cm", 500_000, "distance", 5000),
        ("apple_exercise_time", "min", 34, "zone_minutes", 34),
        ("apple_exercise_time", "hr", 0.5, "zone_minutes", 30),
        ("apple_exercise_time", "h", 0.5, "zone_minutes", 30),
        ("apple_exercise_time", "s", 1800, "zone_minutes", 30),
        ("apple_exercise_time", "sec", 1800, "zone_minutes", 30),
        *(("resting_heart_rate", unit, 54, "resting_hr", 54) for unit in ("bpm", "count/min", "rpm", "brpm", "")),
        ("resting_heart_rate", "breaths/min", 54, "resting_hr", 54),
        ("resting_heart_rate", "count/s", 0.9, "resting_hr", 54),
        *(("step_count", unit, 4000, "steps", 4000) for unit in ("count", "steps", "")),
        ("apple_sleeping_wrist_temperature", "degF", 95.9, "skin_temperature", 35.5),
        ("blood_oxygen_saturation", "%", 0.97, "spo2", 97),
        ("blood_oxygen_saturation", "%", 97, "spo2", 97),
    ],
)
def test_units_are_the_files(name: str, unit: str, value: float, metric_name: str, wanted: float) -> None:
    items = landed(body(metric(name, unit, at("00:00:00", value))))
    assert values(items, metric_name) == {DAY: pytest.approx(wanted)}


def test_what_has_no_time_number_or_known_unit_is_counted_and_costs_nothing_else() -> None:
    document = body(
        metric("step_count", "count", {"date": None, "qty": 1}, {"qty": 2}, at("07:00:00", 10), None, "x"),
        metric("active_energy", None, at("07:00:00", 10)),
        {"name": "heart_rate", "units": "bpm", "data": None},
        None,
        metric("lunar_phase", "", at("07:00:00", 10)),
    )
    assert values(landed(document), "steps") == {DAY: 10}
    records = [record for page in files.read(document, zone="UTC") for record in page.records]
    counted = {record.key: record.payload["points"] for record in records if record.stream == "unreadable"}
    assert counted == {"step_count": 4, "active_energy": 1}


@pytest.mark.parametrize("days", [("02", "09"), ("02", "09", "16", "23", "30"), ("30", "16", "23")])
def test_weeks_are_no_days(days: tuple[str, ...]) -> None:
    document = steps(*({"date": f"2026-11-{day} 00:00:00 +0100", "qty": 61000} for day in days))
    assert values(landed(document), "steps") == {}
    (record,) = [record for page in files.read(document, zone="UTC") for record in page.records]
    with pytest.raises(BadRecord, match=f"more than a day: {len(days)}; set the time grouping"):
        normalise(record, None)


def test_months_are_no_days_and_days_with_a_week_between_are() -> None:
    months = [{"date": f"2026-{month:02}-01", "qty": 90_000} for month in range(1, 12)]
    assert values(landed(steps(*months)), "steps") == {}
    assert len(values(landed(steps(*months, at("00:00:00", 8000))), "steps")) == 12
    days = [{"date": f"2026-11-{day:02}", "qty": 8000} for day in (1, 2, 9, 16, 23, 30)]
    assert len(values(landed(steps(*days)), "steps")) == 6
    assert values(landed(body(metric("mindful_minutes", "min", *days[2:]))), "mindful") != {}
