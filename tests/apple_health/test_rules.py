"""The result of each kind of row, one rule at a time, against numbers worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import EpisodeKind, Sample
from connectors.apple.export import files
from connectors.apple.export.heads import rank
from connectors.apple.export.normalise import normalise
from tests.apple_health.documents import WATCH, document, episodes, items, quantity, records, slept, steps, values

HOME = "Europe/Berlin"
NO_BREAK = "\u00a0"


def test_a_watch_outranks_a_phone_outranks_an_app() -> None:
    """Watch 600 of 10:00-10:30; phone 900 of 10:15-11:00, a third covered; app 1200 of 10:00-11:20, a quarter free."""
    day = "2026-11-10 {} +0100"
    rows = [
        steps(1200, day.format("10:00:00"), day.format("11:20:00"), source="SleepWatch"),
        steps(900, day.format("10:15:00"), day.format("11:00:00"), source="iPhone"),
        steps(600, day.format("10:00:00"), day.format("10:30:00"), source="Ana’s Apple Watch"),
    ]
    assert values(document(*rows), Metric.STEPS) == {"2026-11-10": pytest.approx(600 + 600 + 300)}


@pytest.mark.parametrize(
    ("source", "device", "expected"),
    [
        ("Renamed", "<<HKDevice: 0x1>, name:Apple Watch, model:Watch, hardware:Watch6,7>", 0),
        ("Apple Watch von Ana", "", 0),
        ("Ana’s iPhone", "", 1),
        ("Renamed", "<<HKDevice: 0x1>, name:iPhone, model:iPhone, hardware:iPhone14,5>", 1),
        ("SleepWatch", "", 2),
        ("Galaxy Watch", "", 2),
    ],
)
def test_a_device_is_known_by_its_model_or_apples_own_name(source: str, device: str, expected: int) -> None:
    assert rank(source, device) == expected


def test_one_source_in_two_spellings_is_one() -> None:
    """The same record twice, once with a no-break space: 500, and half of each other source's would be wrong too."""
    span = ("2026-11-10 10:00:00 +0100", "2026-11-10 10:10:00 +0100")
    rows = [steps(500, *span, source=f"Ana’s Apple{gap}Watch") for gap in (" ", NO_BREAK)]
    assert values(document(*rows), Metric.STEPS) == {"2026-11-10": 500}
    night = [
        slept("AsleepCore", "2026-11-10 00:00:00 +0100", "2026-11-10 03:00:00 +0100"),
        slept("AsleepDeep", "2026-11-10 03:00:00 +0100", "2026-11-10 05:00:00 +0100", source=f"Apple{NO_BREAK}Watch"),
    ]
    assert [night.values[Metric.ASLEEP] for night in episodes(document(*night))] == [300]


def test_a_stretch_over_the_shortest_days_midnights_is_cut_in_proportion() -> None:
    """From noon on the 28th to noon on the 30th of March are 47 hours: 12, 23 (the clocks went forward) and 12."""
    row = steps(4700, "2026-03-28 12:00:00 +0100", "2026-03-30 12:00:00 +0200")
    expected = {"2026-03-28": 1200, "2026-03-29": 2300, "2026-03-30": 1200}
    assert values(document(row), Metric.STEPS) == pytest.approx(expected)


def test_the_day_is_the_persons_not_the_printed_one() -> None:
    """22:30 UTC on the 9th of January, printed in the summer of exporting."""
    row = steps(80, "2026-01-10 00:30:00 +0200", "2026-01-10 00:40:00 +0200")
    assert values(document(row), Metric.STEPS) == {"2026-01-09": 80}
    assert values(document(row), Metric.STEPS, zone="Asia/Tokyo") == {"2026-01-10": 80}


def test_a_day_is_of_the_zone_the_person_lived_in_then() -> None:
    """From New York to Berlin in June: 03:30 UTC is still the day before there, and half past five here."""
    rows = [steps(80, f"2026-{month}-10 03:30:00 +0000", f"2026-{month}-10 03:40:00 +0000") for month in ("03", "09")]
    moved = datetime(2026, 6, 1, tzinfo=UTC)
    zones = [ZoneSpan(since=moved - timedelta(days=90), zone="America/New_York"), ZoneSpan(since=moved, zone=HOME)]
    read = files.read(document(*rows), zone=HOME, zones=zones)
    found = [item for page in read for record in page.records for item in normalise(record, None)]
    days = {(str(item.day), item.offset) for item in found if isinstance(item, Sample)}
    assert days == {("2026-03-09", -240), ("2026-09-10", 120)}


def test_beats_tell_the_day_where_the_person_was() -> None:
    """At home in Berlin, measured in Auckland: 11:30 UTC on the 9th is half past midnight there on the 10th."""
    row = (
        '<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="w" unit="ms" value="40" '
        'startDate="2026-01-09 12:30:00 +0100" endDate="2026-01-09 12:31:00 +0100"><HeartRateVariabilityMetadataList>'
        '<InstantaneousBeatsPerMinute bpm="60" time="{}"/></HeartRateVariabilityMetadataList></Record>'
    )
    (found,) = items(document(row.format("0:30:01.20 AM")), zone="Pacific/Auckland")
    assert isinstance(found, Sample)
    assert (found.metric, str(found.day), found.offset, found.value) == (Metric.HRV_SDNN, "2026-01-10", 780, 40)
    (unread,) = items(document(row.format("0:30:01 vorm.")))
    assert isinstance(unread, Sample)
    assert (str(unread.day), unread.offset) == ("2026-01-09", 60)


def test_the_summary_of_a_day_is_preferred_where_it_has_one() -> None:
    def burned(day: int) -> str:
        span = (f"2026-11-{day} 10:00:00 +0100", f"2026-11-{day} 10:10:00 +0100")
        return quantity("ActiveEnergyBurned", 200, "Cal", *span)

    summary = '<ActivitySummary dateComponents="2026-11-{}" activeEnergyBurned="{}" activeEnergyBurnedUnit="{}"/>'
    rows = [burned(10), burned(11), burned(12), summary.format(10, 1046, "kJ"), summary.format(11, 0, "kcal")]
    expected = {"2026-11-10": 250, "2026-11-11": 200, "2026-11-12": 200}
    assert values(document(*rows), Metric.ACTIVE_ENERGY) == pytest.approx(expected)


def test_heart_rates_are_means_of_a_quarter() -> None:
    """60, 70 and 80 from 10:00 on; 90 from 10:15 on; a rate of 0 is none."""
    rates = {"10:00:00": 60, "10:05:00": 70, "10:14:59": 80, "10:14:00": 0, "10:15:00": 90}
    rows = [quantity("HeartRate", rate, "count/min", f"2026-11-10 {at} +0100") for at, rate in rates.items()]
    found = [(s.value, s.count, s.low, s.high, f"{s.start:%H:%M}") for s in items(document(*rows))]  # type: ignore[union-attr]
    assert found == [(70, 3, 60, 80, "09:00"), (90, 1, 90, 90, "09:15")]


def test_each_of_several_sources_of_a_rate_is_kept() -> None:
    def told(*sources: str) -> dict[str, list[float]]:
        at = "2026-11-10 10:00:00 +0100"
        rows = [quantity("HeartRate", 60 + n, "count/min", at, source=one) for n, one in enumerate(sources)]
        (day,) = (one.payload for one in records(document(*rows)) if "quarters" in one.payload)
        return {source: next(iter(quarters.values())) for source, quarters in day.get("sources", {}).items()}

    assert told("Strap") == {}  # the quarters themselves are its own
    assert told("Strap", "Watch") == {"Strap": [1, 60, 60, 60], "Watch": [1, 61, 61, 61]}


def test_the_medians_of_a_night_are_of_what_was_measured_in_it() -> None:
    night = ("2026-11-10 00:00:00 +0100", "2026-11-10 06:00:00 +0100")
    rows = [
        slept("AsleepUnspecified", *night),
        *[quantity("RespiratoryRate", v, "count/min", f"2026-11-10 0{v - 11}:00:00 +0100") for v in (14, 12, 17)],
        quantity("RespiratoryRate", 30, "count/min", "2026-11-10 07:00:00 +0100"),
        quantity("OxygenSaturation", 0.94, "%", "2026-11-10 02:00:00 +0100"),
        quantity("OxygenSaturation", 0.98, "%", "2026-11-10 03:00:00 +0100"),
        quantity("AppleSleepingWristTemperature", 96.8, "degF", *night),
    ]
    file = document(*rows)
    assert values(file, Metric.RESPIRATORY_RATE) == {"2026-11-10": 14}
    assert values(file, Metric.SPO2) == {"2026-11-10": pytest.approx(96)}
    assert values(file, Metric.SKIN_TEMPERATURE) == {"2026-11-10": pytest.approx(36)}


def test_staged_beats_unspecified_beats_in_bed_and_the_watch_beats_an_app() -> None:
    span = ("2026-11-10 00:00:00 +0100", "2026-11-10 06:00:00 +0100")
    watch = slept("AsleepCore", span[0], "2026-11-10 05:00:00 +0100")
    app = slept("AsleepCore", *span, source="AutoSleep")
    band = slept("Asleep", span[0], "2026-11-10 05:30:00 +0100", source="WHOOP")
    phone = slept("InBed", *span, source="iPhone")
    for rows, minutes in (((watch, app, band, phone), 300), ((app, band, phone), 360), ((band, phone), 330)):
        assert [night.values[Metric.ASLEEP] for night in episodes(document(*rows))] == [minutes]
    assert [dict(night.values) for night in episodes(document(phone))] == [{Metric.IN_BED: 360}]


def test_overlapping_stretches_count_once_and_time_in_bed_is_as_told() -> None:
    """Core 0-2 and 1-3, deep 3-4, in bed from half an hour before to half an hour after."""
    hour = "2026-11-10 0{}:00:00 +0100"
    rows = [
        slept("AsleepCore", hour.format(0), hour.format(2)),
        slept("AsleepCore", hour.format(1), hour.format(3)),
        slept("AsleepDeep", hour.format(3), hour.format(4)),
        slept("InBed", "2026-11-09 23:30:00 +0100", "2026-11-10 04:30:00 +0100"),
    ]
    (night,) = episodes(document(*rows))
    wanted = {Metric.ASLEEP: 240, Metric.LIGHT_SLEEP: 180, Metric.DEEP_SLEEP: 60, Metric.REM_SLEEP: 0}
    assert dict(night.values) == {**wanted, Metric.IN_BED: 300}
    assert f"{night.start:%d %H:%M}" == "09 23:00"  # of falling asleep, in UTC


def test_two_and_a_half_hours_part_two_sleeps() -> None:
    def file(second: str) -> list[float]:
        first = slept("AsleepCore", "2026-11-10 00:00:00 +0100", "2026-11-10 03:00:00 +0100")
        later = slept("AsleepCore", f"2026-11-10 {second}:00 +0100", "2026-11-10 07:00:00 +0100")
        return [night.values[Metric.ASLEEP] for night in episodes(document(first, later))]

    assert file("05:30") == [270]
    assert file("05:31") == [180, 89]


def test_time_in_bed_alone_unites_no_sleeps() -> None:
    """Two nights and a nap of a watch; a phone in bed until an hour before the nap, an app that was never stopped."""
    at = "2026-11-{} +0100"
    rows = [
        slept("AsleepCore", at.format("09 23:00:00"), at.format("10 06:30:00")),
        slept("AsleepCore", at.format("10 23:00:00"), at.format("11 05:30:00")),
        slept("AsleepCore", at.format("11 09:40:00"), at.format("11 10:40:00")),
        slept("InBed", at.format("10 22:30:00"), at.format("11 08:40:00"), source="iPhone"),
        slept("InBed", at.format("09 22:30:00"), at.format("11 14:30:00"), source="Sleep Cycle"),
    ]
    file = document(*rows)
    found = [(str(e.day), e.values[Metric.ASLEEP], e.values[Metric.IN_BED]) for e in episodes(file)]
    assert found == [("2026-11-10", 450, 450), ("2026-11-11", 390, 390)]
    assert [nap.values[Metric.ASLEEP] for nap in episodes(file, EpisodeKind.NAP)] == [60]


def test_hours_awake_in_ones_own_bed_part_no_night() -> None:
    at = "2026-11-10 0{}:00:00 +0100"
    stages = ("Asleep", 0, 2), ("Asleep", 5, 7), ("InBed", 0, 7)
    rows = [slept(stage, at.format(begin), at.format(end), source="Sleep Cycle") for stage, begin, end in stages]
    assert [dict(e.values) for e in episodes(document(*rows))] == [{Metric.ASLEEP: 240, Metric.IN_BED: 420}]


def test_time_in_bed_shortly_before_a_sleep_is_no_sleep_of_its_own() -> None:
    at = "2026-11-10 {}:00 +0100"
    reading = slept("InBed", at.format("00:00"), at.format("00:40"), source="iPhone")
    asleep = slept("AsleepCore", at.format("01:00"), at.format("07:00"))
    assert [e.values[Metric.ASLEEP] for e in episodes(document(reading, asleep))] == [360]


def test_lying_awake_alone_is_no_sleep() -> None:
    row = slept("Awake", "2026-11-10 00:00:00 +0100", "2026-11-10 00:20:00 +0100")
    assert items(document(row)) == []


def test_waking_is_dated_where_the_phone_was() -> None:
    """Awake at 02:00 UTC: the 10th in Berlin, still the 9th in New York."""
    span = ("2026-11-09 19:00:00 +0000", "2026-11-10 02:00:00 +0000")
    (home,) = episodes(document(slept("AsleepCore", *span)))
    (away,) = episodes(document(slept("AsleepCore", *span, zone="America/New_York")))
    (odd,) = episodes(document(slept("AsleepCore", *span, zone="Mars/Olympus")))
    assert [(str(e.day), e.offset) for e in (home, away, odd)] == [
        ("2026-11-10", 60),
        ("2026-11-09", -300),
        ("2026-11-10", 60),
    ]


def test_a_workouts_own_statistics_count_and_its_activities_repeat_them() -> None:
    span = 'startDate="2026-11-10 10:00:00 +0100" endDate="2026-11-10 10:40:00 +0100"'
    statistic = '<WorkoutStatistics type="HKQuantityTypeIdentifier{}" {}/>'
    inner = statistic.format("DistanceSwimming", 'sum="9" unit="km"')
    row = (
        f'<Workout workoutActivityType="HKWorkoutActivityTypeSwimming" {span} totalDistance="7" totalDistanceUnit="km">'
        f"<WorkoutActivity>{inner}</WorkoutActivity>"
        + statistic.format("DistanceSwimming", 'sum="1000" unit="yd"')
        + statistic.format("ActiveEnergyBurned", 'sum="300" unit="Cal"')
        + statistic.format("HeartRate", 'average="131" minimum="90" maximum="160" unit="count/min"')
        + "</Workout>"
    )
    (swim,) = episodes(document(row), EpisodeKind.WORKOUT)
    figures = {Metric.DISTANCE: 914.4, Metric.ACTIVE_ENERGY: 300, Metric.HEART_RATE: 131}
    assert (swim.label, dict(swim.values)) == ("swimming", pytest.approx(figures))


def test_a_workout_tells_its_climb_speed_steps_and_minutes_of_exercise() -> None:
    statistic = '<WorkoutStatistics type="HKQuantityTypeIdentifier{}" {}/>'
    row = (
        '<Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2026-11-10 10:00:00 +0100" '
        'endDate="2026-11-10 10:40:00 +0100"><MetadataEntry key="HKElevationAscended" value="6575 cm"/>'
        '<MetadataEntry key="HKAverageMETs" value="9.1 kcal/hr·kg"/>'
        + statistic.format("RunningSpeed", 'average="6.5" minimum="1" maximum="8" unit="mi/hr"')
        + statistic.format("StepCount", 'sum="6100" unit="count"')
        + statistic.format("AppleExerciseTime", 'sum="39" unit="min"')
        + "</Workout>"
    )
    (run,) = episodes(document(row), EpisodeKind.WORKOUT)
    figures = {Metric.ASCENT: 65.75, Metric.SPEED: 10.460736, Metric.STEPS: 6100, Metric.ZONE_MINUTES: 39}
    assert dict(run.values) == pytest.approx(figures)


def test_minutes_of_exercise_are_told_of_days_with_a_watch() -> None:
    summary = '<ActivitySummary dateComponents="2026-11-{}" appleExerciseTime="{}" appleStandHours="{}"/>'
    rows = [summary.format(*day) for day in ((10, 34, 12), (11, 0, 9), (12, 0, 0), (13, 7, 0))]
    assert values(document(*rows), Metric.ZONE_MINUTES) == {"2026-11-10": 34, "2026-11-11": 0, "2026-11-13": 7}


def test_nothing_is_kept_from_after_the_export_or_from_other_centuries() -> None:
    years = ("0001-01-01", "1926-01-01", "2026-11-22", "2030-01-06", "9999-12-31")
    times = [f"{day} 12:00:00 +0200" for day in years]
    workout = '<Workout workoutActivityType="HKWorkoutActivityTypeYoga" startDate="{0}" endDate="{0}"/>'
    rows = [steps(5, at, at) for at in times] + [workout.format(at) for at in times]
    assert items(document(*rows)) == []
    undated = document(*rows, exported="never")
    assert {str(item.day)[:4] for item in items(undated)} == {"2026", "2030"}  # type: ignore[union-attr]


def test_a_unit_that_is_not_known_is_no_value() -> None:
    at = "2026-11-10 10:00:00 +0100"
    rows = [
        quantity("DistanceWalkingRunning", 5, "league", at, "2026-11-10 11:00:00 +0100"),
        quantity("RestingHeartRate", 5, "Hz·year", at),
        quantity("HeartRateVariabilitySDNN", "fifty", "ms", at),
        steps(-4, at, at, more=f'device="{WATCH}"'),
    ]
    assert items(document(*rows)) == []
