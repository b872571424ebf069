"""Takeouts in parts, in any order, newer and older, damaged and hostile; and what the times of each file mean."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lab
from bridge import registry
from bridge.domain.errors import BadRecord
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.ingest.imports import recognise_files
from bridge.ingest.json_stream import FILE_MAX_BYTES
from bridge.store import Store
from connectors.fitbit.files import Gathered, recognise
from connectors.fitbit.kinds import CSV_KINDS, JSON_KINDS, Kind
from connectors.fitbit.normalise import normalise
from connectors.gathering import Clock, Gathering
from tests.desk import Desk
from tests.fitbit.export import (
    SCORE_COLUMNS,
    SLEEP_COLUMNS,
    Night,
    american,
    as_csv,
    as_json,
    awkward,
    exercise,
    night_of,
    week,
)
from tests.fitbit.independent import compared
from tests.world import NOW

WEEK = lab.fixtures("fitbit") / "week"
DAY = date(2026, 11, 18)


@pytest.fixture
def desk(lite: Store, tmp_path: Path) -> Desk:
    folder = tmp_path / "given"
    folder.mkdir()
    return Desk(lite, folder, "fitbit")


def steps(*told: tuple[str, int]) -> str:
    return as_json({"dateTime": at, "value": str(count)} for at, count in told)


def test_the_fixtures_are_what_their_maker_writes() -> None:
    for case, files in {"week": week(), "awkward": awkward()}.items():
        folder = lab.fixtures("fitbit") / case
        there = {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file()}
        assert there == files


def test_pandas_reads_the_same_from_the_fixture() -> None:
    lines = {line.what: line for line in compared(WEEK, "Europe/Berlin")}
    assert {line.what for line in lines.values() if line.different or line.only_pandas} == set()
    assert lines["steps"].equal == lines["hrv_rmssd"].equal == 8
    assert lines["sleep asleep"].equal == 7
    assert lines["heart_rate"].equal > 5


def test_files_in_any_order_come_to_the_same(desk: Desk) -> None:
    desk.imported(WEEK)
    whole, places = desk.held(), [place for place in sorted(WEEK.rglob("*")) if place.suffix in (".csv", ".json")]
    random.Random(5).shuffle(places)
    other = Desk(Store("sqlite://"), desk.folder, "fitbit")
    for place in [place for place in places if recognise(DiskFile(place, place.name))]:
        other.imported(place)
    assert other.held() == whole
    other.store.close()


def test_the_zips_of_one_takeout_come_to_the_same_together_and_one_by_one(desk: Desk, tmp_path: Path) -> None:
    desk.imported(WEEK)
    zips = [tmp_path / f"takeout-20261120T090000Z-00{n}.zip" for n in (1, 2, 3)]
    for n, packed in enumerate(zips):
        with zipfile.ZipFile(packed, "w") as archive:
            for place in sorted(WEEK.rglob("*"))[n::3]:
                archive.write(place, str(place.relative_to(WEEK)))
    for order in (zips, zips[::-1]):
        other = Desk(Store("sqlite://"), desk.folder, "fitbit")
        for packed in order:
            other.imported(packed)
        assert other.held() == desk.held()
        assert other.imported(zips[1]).new == 0
        other.store.close()


def test_a_newer_export_updates_and_an_older_one_changes_nothing(desk: Desk) -> None:
    early = steps(("11/18/26 08:00:00", 500), ("11/18/26 09:00:00", 300))
    late = steps(("11/18/26 08:00:00", 500), ("11/18/26 09:00:00", 350), ("11/18/26 20:00:00", 900))
    desk.give("steps-2026-11-12.json", early)
    assert desk.of("steps") == {str(DAY): 800}
    again = desk.give("steps-2026-11-12 (1).json", late)
    assert (again.new, again.updated, desk.of("steps")) == (0, 1, {str(DAY): 1750})
    old = desk.give("steps-2026-11-12.json", early)
    assert (old.updated, desk.of("steps")) == (0, {str(DAY): 1750})


def test_an_edited_night_counts_as_the_newer_export_has_it(desk: Desk) -> None:
    edited = {**night_of(DAY, 1).log(), "minutesAsleep": 380}
    later = night_of(DAY + timedelta(days=1), 2).log()
    desk.give("sleep-2026-11-12.json", as_json([edited, later]))
    desk.give("sleep-2026-11-12.json", as_json([night_of(DAY, 1).log()]))
    assert [one["values"]["asleep"] for one in desk.held()["episodes"]] == [380, 405]


def test_minutes_are_in_utc_and_sleeps_on_the_clock(desk: Desk) -> None:
    desk.give("steps-2026-11-12.json", steps(("11/17/26 23:30:00", 7), ("11/17/26 22:30:00", 5)))
    assert desk.of("steps") == {"2026-11-17": 5, "2026-11-18": 7}
    desk.give("sleep-2026-11-12.json", as_json([night_of(DAY, 1).log()]))
    (night,) = desk.held()["episodes"]
    assert (night["start"], night["day"], night["offset"]) == ("2026-11-17T22:15:30+00:00", "2026-11-18", 60)


def test_a_score_is_on_the_clock_although_it_says_otherwise(desk: Desk) -> None:
    desk.give("sleep_score.csv", as_csv(SCORE_COLUMNS, ["1,2026-11-18T23:30:00Z,77,,70,,80,58,0.1"]))
    (score,) = desk.held()["samples"]
    assert (score["day"], score["start"]) == ("2026-11-18", "2026-11-18T22:30:00+00:00")


def test_in_the_hour_that_comes_twice_the_length_tells_which(desk: Desk) -> None:
    start, end = (datetime.fromisoformat(f"2026-10-25T{clock}") for clock in ("02:30", "09:00"))
    for number, (minutes, begun) in enumerate([(450, "00:30"), (390, "01:30")]):
        log = {**Night(number=number, start=start, end=end).log(), "duration": minutes * 60_000}
        desk.give(f"sleep-2026-10-2{number}.json", as_json([log]))
        found = next(one for one in desk.held()["episodes"] if one["key"] == str(number))
        assert (found["start"], found["end"]) == (f"2026-10-25T{begun}:00+00:00", "2026-10-25T08:00:00+00:00")


def test_a_session_tells_the_offset_of_a_night_elsewhere(desk: Desk) -> None:
    """The person slept at UTC-5, and lives in Berlin."""
    row = (
        "9,STAGES,446,0,0,405,41,0,0,-05:00,2026-11-18 04:15:30+0000,-05:00,2026-11-18 11:41:30+0000,DERIVED,"
        "sleep_session_v1,2026-11-18 11:45:00+0000,2026-11-18 11:45:00+0000"
    )
    desk.give("sleep-2026-11-12.json", as_json([night_of(DAY, 1).log()]))
    desk.give("UserSleeps_2026-11-12.csv", as_csv(SLEEP_COLUMNS, [row]))
    (night,) = desk.held()["episodes"]
    assert (night["start"], night["offset"], night["key"]) == ("2026-11-18T04:15:30+00:00", -300, "1")
    without = row.replace("sleep_session_v1", "").replace("04:15:30", "23:15:30").replace("11-18 23:", "11-17 23:")
    other = Desk(Store("sqlite://"), desk.folder, "fitbit")
    other.give("UserSleeps_2026-11-12.csv", as_csv(SLEEP_COLUMNS, [without.replace("11:41:30", "06:41:30")]))
    (session,) = other.held()["episodes"]
    assert (session["start"], session["end"]) == (night["start"], night["end"])
    other.store.close()


def test_the_zone_of_that_time_counts_for_somebody_who_moved(desk: Desk) -> None:
    user = desk.store.people.user("ana")
    desk.store.people.set_zone(user.id, "America/New_York", since=datetime(2026, 11, 22, tzinfo=UTC))
    told = [night_of(DAY, 1).log(), night_of(date(2026, 11, 24), 2).log()]
    desk.give("sleep-2026-11-01.json", as_json(told))
    assert [one["offset"] for one in desk.held()["episodes"]] == [60, -300]


def test_a_phone_and_a_tracker_are_never_added_up(desk: Desk) -> None:
    rows = ["2026-11-18T08:00:00Z,90,Inspire 3", "2026-11-18T08:00:00Z,60,Phone Health Kit"]
    desk.give(
        "steps_2026-11-01.csv", as_csv("timestamp,steps,data source", [*rows, "2026-11-18T09:00:00Z,9,Inspire 3"])
    )
    assert desk.of("steps") == {str(DAY): 99}


def test_a_row_that_cannot_be_read_loses_nothing_else(desk: Desk) -> None:
    rows = [
        {"dateTime": "soon", "value": "3"},
        {"value": "3"},
        {"dateTime": "11/18/26 08:00:00", "value": "5"},
        7,
        None,
    ]
    outcome = desk.give("steps-2026-11-12.json", json.dumps(rows))
    assert (outcome.outcome, outcome.set_aside, desk.of("steps")) == ("ok", 4, {str(DAY): 5})
    assert outcome.set_aside_by == {"steps": {"rows without a plausible time or value": 4}}


def test_a_workout_that_was_never_stopped_loses_no_other(desk: Desk) -> None:
    endless = {**exercise(DAY, 2), "duration": 4 * 86_400_000}
    outcome = desk.give("exercise-0.json", as_json([exercise(DAY, 1), endless, {**endless, "duration": -1}]))
    assert (outcome.set_aside, [one["key"] for one in desk.held()["episodes"]]) == (2, ["1"])


def test_a_file_cut_off_anywhere_keeps_what_came_before(desk: Desk) -> None:
    text = steps(*((f"11/18/26 08:{minute:02}:00", 10) for minute in range(60)))
    outcome = desk.give("steps-2026-11-12.json", text[: len(text) // 2])
    assert [reason[:16] for _, reason in outcome.failed_files] == ["the file is cut "]
    assert 200 < desk.of("steps")[str(DAY)] < 400


def test_a_file_of_absurd_size_is_refused_unread(desk: Desk) -> None:
    place = desk.folder / "steps-2026-11-12.json"
    place.write_text("[", encoding="utf-8")
    with place.open("r+b") as file:
        file.truncate(FILE_MAX_BYTES + 1)
    outcome = desk.imported(place)
    assert [reason for _, reason in outcome.failed_files] == [
        "the file is far larger than any file of such an export. Download the export again"
    ]
    assert outcome.new == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Profile.csv", "id,full_name,timezone\nA,Ana,Europe/Berlin\n"),
        ("Minute SpO2 - 2026-11-18.csv", "timestamp,value\n2026-11-18T03:00:00,95\n"),
        ("steps.csv", "timestamp,steps\n2026-11-18T03:00:00Z,95\n"),
        ("weight-2026-11-18.json", "[]"),
        ("sleep-2026-11-18.json", '{"sleep": []}'),
        ("badge.json", "[]"),
        ("study.csv", "id,date,stress_score,sleep_points_percentage\n621e2e8e,2021-05-24,78,0.8\n"),
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    place = tmp_path / name
    place.write_text(text, encoding="utf-8")
    assert not recognise(DiskFile(place, name))


def test_what_an_import_does_not_use_is_named(desk: Desk) -> None:
    found = runs.import_path(desk.bridge, desk.store.people.user("ana"), WEEK, at=NOW)
    assert {(one.source, one.kind) for one in found.unknown} == {
        ("fitbit", "parts of a Fitbit export that are not used"),
        ("fitbit", "the contents page of Google Takeout"),
    }


UNUSED = """
altitude-2020-01-01.json badge-1.json trophy.json sedentary_minutes-2026-05-07.json
demographic_vo2_max-2026-10-06.json UserActivityProbabilities_2026-10-06.csv
UserSensorCompressionToken_2026-10-06.csv UserMBDData.csv UserAppSettingData.csv GoalSettingsHistory.csv
WeeklyFitnessPlans.csv WorkoutSummariesAndRounds.csv CalibrationStatusForReadinessAndLoad.csv AppContentHistory.csv
CoachWorkouts.csv PersonalRecords.csv active_energy_burned_2026-10-01.csv gps_location_2026-10-01.csv
active_minutes_2026-10-01.csv activity_level_2026-10-01.csv body_temperature_2026-10-01.csv
cardio_load_2026-10-01.csv calories_in_heart_rate_zone_2026-10-01.csv cardio_load_observed_interval.csv
cardio_acute_chronic_workload_ratio.csv coarse_physical_location_2026-10-01.csv daily_heart_rate_zones.csv
heart_rate_variability_2026-10-01.csv live_pace_2026-10-01.csv micro_motion_2026-10-01.csv
micro_stillness_2026-10-01.csv nutrition_log_2026-10-01.csv oxygen_saturation_2026-10-01.csv
respiratory_rate_sleep_summary_2026-10-01.csv sedentary_period_2026-10-01.csv speed_2026-10-01.csv
swim_lengths_data_2026-10-01.csv time_in_heart_rate_zone_2026-10-01.csv weather_forecast_2026-10-01.csv
"""
ALONE = """
Account_Changes/a.csv Google_Data/Sleep/README.txt Paired_Devices/Trackers.csv User_Security_Data/a.csv
Health_Fitness_Data/UserExercises_README.txt Physical_Activity_GoogleData/weight.csv Social_GoogleData/a.csv
"""


@pytest.mark.parametrize(
    "name", [*UNUSED.split(), *(name.replace("_", " ").replace(" Google", "_Google") for name in ALONE.split())]
)
def test_every_kind_of_file_that_is_not_used_is_named_as_fitbits(tmp_path: Path, name: str) -> None:
    place = tmp_path / Path(name).name
    place.write_text("a,b\n1,2\n")
    (unread,) = recognise_files([DiskFile(place, name)], registry.specs()).unknown
    assert (unread.source, unread.kind) == ("fitbit", "parts of a Fitbit export that are not used")


@pytest.mark.parametrize(
    "name", ["notes.csv", "height.csv", "Coaches.csv", "UserStory.csv", "speedway.csv", "Profile.csv"]
)
def test_other_peoples_files_are_not_named_as_fitbits(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a,b\n1,2\n")
    (unread,) = recognise_files([DiskFile(tmp_path / name, name)], registry.specs()).unknown
    assert unread.source is None


def test_windows_line_ends_marks_and_blank_lines_change_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.imported(WEEK)
    folder = tmp_path / "edited"
    shutil.copytree(WEEK, folder)
    for place in folder.rglob("*.csv"):
        text = place.read_text(encoding="utf-8").replace("\n", "\r\n") + "\r\n,,\r\n"
        place.write_text("\ufeff" + text, encoding="utf-8", newline="")
    other = Desk(Store("sqlite://"), desk.folder, "fitbit")
    assert other.imported(folder).set_aside == 0
    assert other.held() == desk.held()
    other.store.close()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("2026-11-18T08:00:00Z"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = (
    *("dateTime", "value", "bpm", "logId", "dateOfSleep", "startTime", "endTime", "levels", "summary", "duration"),
    *("timestamp", "sleep_id", "sleep_start", "sleep_end", "sleep_created", "algorithm_version", "start_utc_offset"),
    *("end_utc_offset", "exercise_start", "exercise_end", "exercise_id", "score_time", "sleep_score_created"),
    *("overall_score", "date", "status", "stress_score", "activityName", "distance"),
)


@settings(max_examples=300, deadline=None)
@given(kind=st.sampled_from([*JSON_KINDS, *CSV_KINDS]), row=st.dictionaries(st.sampled_from(NAMES), ANYTHING))
def test_no_row_breaks_the_reading(kind: Kind, row: dict[str, Any]) -> None:
    gathered = Gathered(kind, Gathering(Clock("Europe/Berlin")))
    gathered.take({**row, kind.at: row.get("timestamp", "2026-11-18T08:00:00Z"), kind.value or "x": row.get("value")})
    for page in gathered.pages():
        for record in page.records:
            with suppress(BadRecord):
                normalise(record, None)


def test_a_time_of_the_maker_is_read_back() -> None:
    assert american(datetime(2026, 11, 18, 8, 5, tzinfo=UTC)) == "11/18/26 08:05:00"
