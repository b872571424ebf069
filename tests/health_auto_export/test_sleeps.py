"""Sleep in the app's two shapes: which stages are one night, and what is in bed and what asleep."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from bridge.domain.metrics import Metric
from connectors.apple.auto_export import files
from connectors.apple.auto_export.normalise import normalise
from tests.health_auto_export.reading import body, episodes, landed, metric

DAY = "2026-11-18"


def stage(start: str, end: str, value: str, source: str = "Apple Watch") -> dict[str, Any]:
    return {"startDate": f"{start} +0100", "endDate": f"{end} +0100", "value": value, "qty": 1, "source": source}


def test_stages_that_come_in_pieces_are_one_night_of_one_source() -> None:
    first = [
        stage("2026-11-17 23:00:00", "2026-11-18 01:00:00", "Core"),
        stage("2026-11-17 22:50:00", "2026-11-18 07:00:00", "In Bed", "iPhone"),
        stage("2026-11-17 23:10:00", "2026-11-18 06:50:00", "Asleep", "AutoSleep"),
    ]
    second = [
        stage("2026-11-18 01:00:00", "2026-11-18 02:00:00", "Deep"),
        stage("2026-11-18 02:00:00", "2026-11-18 02:10:00", "Awake"),
        stage("2026-11-18 02:10:00", "2026-11-18 06:30:00", "REM"),
        stage("2026-11-18 14:00:00", "2026-11-18 14:40:00", "Core"),
    ]
    deliveries = [body(metric("sleep_analysis", "hr", *some)) for some in (first, [*first, *second])]
    nap_and_night = sorted(episodes(landed(*deliveries)), key=lambda one: one.start)
    assert [one.kind for one in nap_and_night] == ["sleep", "nap"]
    night = nap_and_night[0].values
    assert (night["asleep"], night["light_sleep"], night["deep_sleep"], night["rem_sleep"], night["awake"]) == (
        440,
        120,
        60,
        260,
        10,
    )


@pytest.mark.parametrize(("factor", "unit"), [(1, "hr"), (60, "min"), (60, None), (60, "hr"), (1, None)])
def test_a_summed_up_night_is_in_hours_or_minutes(factor: float, unit: str | None) -> None:
    told = {"totalSleep": 7, "core": 4, "deep": 1, "rem": 2, "awake": 0.5, "inBed": 7.75}
    night = {
        **{name: value * factor for name, value in told.items()},
        "sleepStart": "2026-11-17 23:00:00 +0100",
        "sleepEnd": "2026-11-18 06:30:00 +0100",
    }
    (one,) = episodes(landed(body(metric("sleep_analysis", unit, night))))
    assert dict(one.values) == {
        "asleep": 420,
        "in_bed": 465,
        "awake": 30,
        "light_sleep": 240,
        "deep_sleep": 60,
        "rem_sleep": 120,
    }
    assert one.day.isoformat() == DAY


@pytest.mark.parametrize(("told", "unit"), [({"totalSleep": 20}, None), ({"asleep": 1 / 3}, "hr")])
def test_a_summed_up_nap_is_in_minutes_where_hours_would_not_fit_into_it(
    told: dict[str, float], unit: str | None
) -> None:
    nap = {**told, "sleepStart": f"{DAY} 14:00:00 +0100", "sleepEnd": f"{DAY} 14:25:00 +0100"}
    (one,) = episodes(landed(body(metric("sleep_analysis", unit, nap))))
    assert (one.kind, one.values[Metric.ASLEEP]) == ("nap", 20)


def night(*stages: dict[str, Any]) -> list[tuple[str, dict[str, float]]]:
    """Local date and minutes of every sleep."""
    found = episodes(landed(body(metric("sleep_analysis", "hr", *stages))))
    return [(one.day.isoformat(), dict(one.values)) for one in sorted(found, key=lambda one: one.start)]


def test_in_bed_and_asleep_from_the_same_second_are_both_kept() -> None:
    both = [
        stage("2026-11-17 23:00:00", "2026-11-18 06:50:00", "Asleep", "Sleep Cycle"),
        stage("2026-11-17 23:00:00", "2026-11-18 07:00:00", "In Bed", "Sleep Cycle"),
    ]
    for some in permutations(both):
        assert night(*some) == [(DAY, {"asleep": 470, "in_bed": 480})]


def test_a_sleep_that_begins_in_the_afternoon_is_one() -> None:
    hours = [("15:00", "17:00", "Core"), ("17:00", "18:30", "REM"), ("18:30", "22:00", "Deep")]
    stages = [stage(f"{DAY} {begin}:00", f"{DAY} {end}:00", value) for begin, end, value in hours]
    minutes = {"asleep": 420, "light_sleep": 120, "rem_sleep": 90, "deep_sleep": 210, "in_bed": 420}
    for some in permutations(stages):
        assert night(*some) == [(DAY, minutes)]


def test_an_afternoons_nap_is_not_part_of_the_night() -> None:
    nap = stage(f"{DAY} 16:30:00", f"{DAY} 17:40:00", "Core")
    asleep = stage(f"{DAY} 19:00:00", "2026-11-19 02:00:00", "Core")
    assert [minutes["asleep"] for _, minutes in night(nap, asleep)] == [70, 420]


def test_time_in_bed_that_somebody_forgot_unites_no_sleeps() -> None:
    nights = [stage(f"2026-11-{day} 23:00:00", f"2026-11-{day + 1} 06:30:00", "Core") for day in (16, 17)]
    nap = stage(f"{DAY} 10:40:00", f"{DAY} 11:40:00", "Core")
    phone = stage("2026-11-17 22:30:00", f"{DAY} 08:30:00", "In Bed", "iPhone")
    forgotten = stage("2026-11-16 22:30:00", "2026-11-17 21:30:00", "In Bed", "AutoSleep")
    found = night(*nights, nap, phone, forgotten)
    assert [(day, minutes["asleep"]) for day, minutes in found] == [("2026-11-17", 450), (DAY, 450), (DAY, 60)]


def test_time_in_bed_forgotten_until_the_next_evening_takes_nothing_of_the_next_night() -> None:
    forgotten = stage("2026-11-16 22:30:00", "2026-11-17 20:45:00", "In Bed", "AutoSleep")
    first = stage("2026-11-16 23:00:00", "2026-11-17 06:30:00", "Core")
    second = [("17 21:30", "17 22:15", "Core"), ("17 22:15", "18 05:30", "REM")]
    stages = [stage(f"2026-11-{begin}:00", f"2026-11-{end}:00", value) for begin, end, value in second]
    found = [(day, minutes["asleep"]) for day, minutes in night(forgotten, first, *stages)]
    assert found == [("2026-11-17", 450), (DAY, 480)]


def test_time_in_bed_that_arrives_after_its_night_doubles_it_not() -> None:
    asleep = stage("2026-11-17 23:00:00", "2026-11-18 06:30:00", "Core")
    in_bed = stage("2026-11-17 17:00:00", "2026-11-18 08:00:00", "In Bed", "AutoSleep")
    deliveries = [body(metric("sleep_analysis", "hr", *some)) for some in ([asleep], [in_bed, asleep])]
    assert len(episodes(landed(*deliveries))) == 1


def test_what_lasts_for_days_is_counted_and_costs_no_night() -> None:
    days = stage("2026-11-17 22:30:00", "2026-11-19 14:00:00", "In Bed", "AutoSleep")
    asleep = stage("2026-11-17 23:00:00", "2026-11-18 06:30:00", "Core")
    assert [minutes["asleep"] for _, minutes in night(days, asleep)] == [450]
    document = body(metric("sleep_analysis", "hr", days, asleep))
    records = {record.stream: record for page in files.read(document, zone="UTC") for record in page.records}
    assert records["unreadable"].payload == {"metric": "sleep_analysis", "points": 1}
    kept = records["night"].payload["stretches"]
    assert isinstance(kept, dict)
    kept["1763415000 AutoSleep"] = [1763557200, "in_bed", 60]  # from before such were counted
    assert len(episodes(normalise(records["night"], None))) == 1
