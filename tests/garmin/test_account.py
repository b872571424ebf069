"""Garmin's account export: its units and body battery, workouts that stand in several files, files that differ."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.errors import SourceChanged
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Outcome, RawRecord, Sample
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.store import Store
from connectors.garmin import files
from connectors.garmin.fields import settled, versions
from connectors.garmin.normalise import normalise
from lab.people.watch_files import MONITORING, encoded
from tests.world import NOW, contents

START = datetime(2026, 9, 14, 16, tzinfo=UTC)
MILLIS = int(START.timestamp() * 1000)
WALK = {
    "activityId": 7,
    "activityType": "walking",
    "startTimeGmt": float(MILLIS),
    "startTimeLocal": float(MILLIS + 7_200_000),
    "elapsedDuration": 3_600_000.0,
    "calories": 1046.0,
    "distance": 500_000.0,
}
SAVED = {
    "activityId": 7,
    "activityType": {"typeKey": "walking"},
    "startTimeGMT": "2026-09-14T16:00:00.0",
    "startTimeLocal": "2026-09-14T18:00:00.0",
    "elapsedDuration": 3600.0,
    "calories": 250.0,
    "distance": 5000.0,
}
ACTIVITIES, DAYS = "ana_0_summarizedActivities.json", "UDSFile_2026-09-01_2026-09-30.json"


def walked() -> bytes:
    """The walk as the watch wrote it."""
    session = {"start_time": START, "total_elapsed_time": 3600.0, "sport": "walking", "total_calories": 250}
    return encoded(iter([(18, {"timestamp": START + timedelta(hours=1), **session})]), 4, START)


def minute(rate: int, made: datetime = START) -> bytes:
    """A monitoring file with one heart rate at one instant."""
    return encoded(iter([(MONITORING, {"timestamp": START, "heart_rate": rate})]), 32, made)


def exported(*rows: dict[str, Any]) -> bytes:
    return json.dumps([{"summarizedActivitiesExport": list(rows)}]).encode()


def imported(folder: Path, content: dict[str, bytes], store: Store | None = None) -> tuple[dict[str, Any], Outcome]:
    """Return the result of files that are read in this order, and of their second import."""
    for number, (name, body) in enumerate(content.items()):
        place = folder / f"{number:03d}" / name.rpartition("/")[2]
        place.parent.mkdir(parents=True)
        place.write_bytes(body)
    opened = store or Store("sqlite://")
    user = opened.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=opened)
    runs.import_path(bridge, user, folder, at=NOW)
    found = contents(opened, user)
    (again,) = runs.import_path(bridge, user, folder, at=NOW).outcomes
    assert contents(opened, user) == found
    return found, again


@pytest.mark.parametrize(("kilojoules", "minutes"), [(1046, 60), (100, 60), (9000, 30)])
def test_the_energy_of_an_activity_is_kilojoules_at_any_pace(kilojoules: int, minutes: int, tmp_path: Path) -> None:
    row = WALK | {"calories": kilojoules, "elapsedDuration": minutes * 60_000}
    found, _ = imported(tmp_path, {ACTIVITIES: exported(row)})
    (walk,) = found["episodes"]
    assert walk["values"]["active_energy"] == pytest.approx(kilojoules / 4.184)


WORKOUTS = {"fit/walk.fit": walked(), ACTIVITIES: exported(WALK), "saved.json": json.dumps([SAVED]).encode()}


@pytest.mark.parametrize("order", [*permutations(WORKOUTS), *permutations(WORKOUTS, 2)])
def test_a_workout_that_stands_in_several_files_lands_once(tmp_path: Path, order: tuple[str, ...]) -> None:
    found, again = imported(tmp_path, {name: WORKOUTS[name] for name in order})
    (walk,) = found["episodes"]
    assert (walk["start"], walk["kind"], walk["label"]) == (START.isoformat(), "workout", "walking")
    assert walk["values"]["active_energy"] == pytest.approx(250)
    assert (again.new, again.updated) == (0, 0)


def test_workouts_that_begin_at_once_under_two_numbers_are_two(tmp_path: Path) -> None:
    found, _ = imported(tmp_path, {ACTIVITIES: exported(WALK, WALK | {"activityId": 8})})
    assert len(found["episodes"]) == 2


def test_a_workout_of_the_account_is_left_where_a_file_holds_it() -> None:
    live = RawRecord(stream="activity", key="7", payload=SAVED, parent="workout/1789401600")
    file = RawRecord(stream="workout", key="1789401600", payload={})
    assert [type(item) for item in normalise(live, None)] == [Episode]
    assert normalise(live, file) == []


CONFLICTS: dict[str, dict[str, bytes]] = {
    "a minute": {"a.fit": minute(60), "b.fit": minute(64), "c.fit": minute(62)},
    "a minute of files made later": {"a.fit": minute(60), "b.fit": minute(64, START + timedelta(hours=1))},
    "a day": {
        DAYS: json.dumps([{"calendarDate": "2026-09-14", "totalSteps": 900, "restingHeartRate": 50}]).encode(),
        "b/" + DAYS: json.dumps([{"calendarDate": "2026-09-14", "totalSteps": 700, "restingHeartRate": 60}]).encode(),
    },
    "a workout": {ACTIVITIES: exported(WALK), "b/" + ACTIVITIES: exported(WALK | {"calories": 900.0})},
    "an answer": {
        "a.json": json.dumps({"dailySleepDTO": {"calendarDate": "2026-09-14"}, "a": 1}).encode(),
        "b.json": json.dumps({"dailySleepDTO": {"calendarDate": "2026-09-14"}, "a": 2}).encode(),
    },
}


@pytest.mark.parametrize("conflict", sorted(CONFLICTS))
def test_files_that_differ_settle_whatever_their_order(tmp_path: Path, database_url: str, conflict: str) -> None:
    states = []
    for number, order in enumerate(permutations(CONFLICTS[conflict].items())):
        store = Store(database_url if number == 0 else "sqlite://")
        state, again = imported(tmp_path / str(number), dict(order), store)
        store.close()
        assert (again.new, again.updated, again.deleted) == (0, 0, 0)
        states.append(state)
    assert all(state == states[0] for state in states)


def test_of_a_minute_that_files_differ_about_the_higher_value_counts(tmp_path: Path) -> None:
    found, _ = imported(tmp_path, CONFLICTS["a minute"])
    (pulse,) = [one for one in found["samples"] if one["metric"] == "heart_rate"]
    assert (pulse["value"], pulse["count"]) == (64, 1)


def test_of_a_day_the_row_that_reaches_further_counts() -> None:
    morning = {"calendarDate": "2026-09-14", "wellnessEndTimeGmt": "2026-09-14T08:00:00.0", "totalSteps": 90}
    evening = morning | {"wellnessEndTimeGmt": "2026-09-14T22:00:00.0", "totalSteps": 9}
    for rows in ((morning, evening), (evening, morning), ({"calendarDate": "2026-09-14"}, evening)):
        assert settled({mark: row for one in rows for mark, row in versions(one).items()}) == evening


def battery(*stats: dict[str, Any]) -> list[Sample]:
    row = {
        "calendarDate": "2026-09-14",
        "wellnessStartTimeGmt": "2026-09-13T22:00:00.0",
        "wellnessStartTimeLocal": "2026-09-14T00:00:00.0",
        "bodyBattery": {"bodyBatteryStatList": list(stats)},
    }
    record = RawRecord(stream="uds", key="2026-09-14", payload={"rows": versions(row), "zone": "Europe/Berlin"})
    return [item for item in normalise(record, None) if isinstance(item, Sample)]


def test_the_body_battery_stands_at_its_moments() -> None:
    woke = {"bodyBatteryStatType": "SLEEPEND", "statsValue": 91, "statTimestamp": "2026-09-14T05:00:00.0"}
    lowest = {"bodyBatteryStatType": "LOWEST", "statsValue": 14, "statTimestamp": "2026-09-14T20:00:00.0"}
    found = battery(woke, woke | {"bodyBatteryStatType": "HIGHEST"}, lowest, {"statsValue": -1})
    assert [(one.metric, one.start.hour, one.value, one.day.day) for one in found] == [
        (Metric.BODY_BATTERY, 5, 91, 14),
        (Metric.BODY_BATTERY, 20, 14, 14),
    ]


def test_the_body_battery_without_moments_is_the_day_s() -> None:
    (found,) = battery({"statsValue": 91}, {"statsValue": 14}, {"statsValue": None})
    assert (found.value, found.low, found.high, found.count) == (52.5, 14, 91, 2)


def test_what_comes_before_the_damage_is_read(tmp_path: Path) -> None:
    place = tmp_path / DAYS
    place.write_bytes(json.dumps([{"calendarDate": "2026-09-14", "totalSteps": 5}])[:-1].encode() + b', {"cal')
    found = []
    with pytest.raises(SourceChanged, match="what came before was read"):
        found.extend(files.read(DiskFile(place, place.name), zone="UTC"))
    assert [record.key for page in found for record in page.records] == ["2026-09-14"]


def test_an_answer_of_any_size_is_found(tmp_path: Path) -> None:
    """Larger than what is taken whole, so that it is entered."""
    rows = [
        SAVED | {"activityId": n + 1, "startTimeGMT": f"2026-09-14T{n % 24:02d}:{n // 24 % 60:02d}:00.0"}
        for n in range(1400)
    ]
    place = tmp_path / "all.json"
    place.write_text(json.dumps({"data": [row | {"padding": "x" * 3000} for row in rows]}))
    assert place.stat().st_size > files.ROW_MAX_CHARACTERS
    records = [record for page in files.read(DiskFile(place, place.name), zone="UTC") for record in page.records]
    assert len({record.key for record in records}) == 1400
