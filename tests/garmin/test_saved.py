"""Garmin's JSON, saved and exported: what it is wrapped in, days that were not over, nights that were none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Item, RawRecord, Sample
from bridge.ingest.files import DiskFile
from connectors.garmin import files
from connectors.garmin.fields import versions
from connectors.garmin.normalise import normalise

DAY = "2026-09-14"
SUMMARY = {
    "calendarDate": DAY,
    "wellnessStartTimeGmt": "2026-09-13T22:00:00.0",
    "wellnessStartTimeLocal": "2026-09-14T00:00:00.0",
    "wellnessEndTimeGmt": "2026-09-14T22:00:00.0",
    "totalSteps": 9000,
    "restingHeartRate": 52,
}
NIGHT = {
    "id": 5,
    "calendarDate": DAY,
    "sleepStartTimestampGMT": 1789336800000,
    "sleepEndTimestampGMT": 1789365600000,
    "sleepStartTimestampLocal": 1789344000000,
    "sleepEndTimestampLocal": 1789372800000,
}
ACTIVITY = {"startTimeGMT": "2026-09-14T16:00:00.0", "startTimeLocal": "2026-09-14T18:00:00.0", "duration": 1800.0}


def saved(place: Path, body: Any) -> list[RawRecord]:
    place.write_text(json.dumps(body))
    file = DiskFile(place, place.name)
    assert files.recognise(file)
    return [record for page in files.read(file, zone="Europe/Berlin") for record in page.records]


def meaning(stream: str, payload: dict[str, Any]) -> list[Item]:
    return list(normalise(RawRecord(stream=stream, key="k", payload=payload), None))


def exported(stream: str, **row: Any) -> dict[Metric, float]:
    items = meaning(stream, {"rows": {"one": {"calendarDate": DAY, **row}}, "zone": "Europe/Berlin"})
    return {item.metric: item.value for item in items if isinstance(item, Sample)}


@pytest.mark.parametrize("wrapped", [{"data": [SUMMARY]}, {"data": {"days": {"all": [SUMMARY]}}}, [[SUMMARY]]])
def test_an_answer_is_found_in_its_wrapper(tmp_path: Path, wrapped: Any) -> None:
    (record,) = saved(tmp_path / "days.json", wrapped)
    assert (record.path, record.parent) == (f"saved_summary/{DAY}", f"summary/{DAY}")
    assert record.payload == {"rows": versions(SUMMARY)}


def test_a_single_activity_is_one_and_its_laps_are_none(tmp_path: Path) -> None:
    single = {"activityId": 7, "activityTypeDTO": {"typeKey": "running"}, "summaryDTO": ACTIVITY}
    (record,) = saved(tmp_path / "one.json", single)
    (found,) = normalise(record, None)
    assert isinstance(found, Episode)
    assert (record.path, found.key, found.label, found.offset) == ("workout/1789401600", "7", "running", 120)
    assert saved(tmp_path / "laps.json", {"activityId": 7, "lapDTOs": [ACTIVITY, ACTIVITY]}) == []


def test_an_activity_that_was_stopped_at_once_has_no_length() -> None:
    (found,) = meaning(
        "activity", {"activityId": 7, "activityType": {"typeKey": "running"}, **ACTIVITY, "duration": 0.0}
    )
    assert isinstance(found, Episode)
    assert found.end == found.start


def test_of_a_day_that_was_not_over_only_the_resting_heart_rate_is_known() -> None:
    stress = {"aggregatorList": [{"type": "TOTAL", "averageStressLevel": 30}]}
    whole = {Metric.RESTING_HR: 52, Metric.STEPS: 9000, Metric.DAILY_STRESS: 30}
    assert exported("uds", **SUMMARY, allDayStress=stress) == whole
    for told in ({"wellnessEndTimeGmt": "2026-09-14T08:00:00.0"}, {"durationInMilliseconds": 36_000_000}):
        begun = {name: value for name, value in SUMMARY.items() if name != "wellnessEndTimeGmt"}
        assert exported("uds", **(begun | told), allDayStress=stress) == {Metric.RESTING_HR: 52}
    shortest = SUMMARY | {"wellnessEndTimeGmt": "2026-09-14T21:00:00.0", "durationInMilliseconds": 82_800_000}
    assert exported("uds", **shortest)[Metric.STEPS] == 9000  # the clocks went forward


def test_a_day_that_a_flight_east_made_short_counts() -> None:
    """From midnight in New York to midnight in Berlin; at noon of the same day it is still running."""
    gone = {"wellnessStartTimeGmt": f"{DAY}T04:00:00.0", "wellnessEndTimeGmt": f"{DAY}T22:00:00.0"}
    flown = SUMMARY | gone | {"wellnessEndTimeLocal": "2026-09-15T00:00:00.0"}
    noon = flown | {"wellnessEndTimeGmt": f"{DAY}T16:00:00.0", "wellnessEndTimeLocal": f"{DAY}T12:00:00.0"}
    for day, found in ((flown, 2), (noon, 1)):
        assert len(meaning("summary", day)) == found
        assert len(exported("uds", **day)) == found


def test_a_resting_heart_rate_of_zero_is_none() -> None:
    assert exported("uds", **SUMMARY, currentDayRestingHeartRate=0)[Metric.RESTING_HR] == 52
    assert exported("uds", **SUMMARY, currentDayRestingHeartRate=50)[Metric.RESTING_HR] == 50


@pytest.mark.parametrize("word", ["off_wrist", "UNCONFIRMED"])
def test_a_watch_that_was_not_worn_saw_no_night(word: str) -> None:
    empty = NIGHT | {"sleepTimeSeconds": 0, "sleepWindowConfirmationType": word}
    assert meaning("sleep", {"dailySleepDTO": empty}) == []
    (slept,) = meaning("sleep", {"dailySleepDTO": empty | {"sleepTimeSeconds": 27000}})
    assert isinstance(slept, Episode)
    assert slept.values[Metric.ASLEEP] == 450


@pytest.mark.parametrize("empty", [None, []])
def test_a_date_without_data_is_no_bad_record(empty: Any) -> None:
    day = {"calendarDate": DAY, "startTimestampGMT": None, "startTimestampLocal": None}
    assert meaning("heart_rate", {**day, "heartRateValues": empty}) == []
    assert meaning("body_battery", {**day, "bodyBatteryValuesArray": empty}) == []
    assert meaning("hrv", {"hrvSummary": {**day, "lastNightAvg": None, "createTimeStamp": None}}) == []
    with pytest.raises(BadRecord, match="startTimestampGMT"):
        meaning("heart_rate", day)


@pytest.mark.parametrize("odd", [[], {}, ["HRV"], None, 7])
def test_words_that_are_none_are_no_crash(odd: Any) -> None:
    assert exported("export_health", metrics=[{"type": odd, "value": 3}, {"type": "HRV", "status": odd}]) == {}
    with pytest.raises(BadRecord, match="sleepStartTimestampGMT"):
        exported("export_sleep", sleepWindowConfirmationType=odd)
