"""Samsung Health's tables: in parts and any order, newer and older, hostile; and what the times of a row mean."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lab
from bridge.domain.errors import BadRecord
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.ingest.json_stream import FILE_MAX_BYTES
from bridge.store import Store
from connectors.gathering import Clock, Gathering
from connectors.samsung_health.files import BINS, TABLE_STREAMS, Gathered, recognise
from connectors.samsung_health.normalise import normalise
from tests.desk import Desk
from tests.samples import sample
from tests.samsung_health.export import WEEK, awkward, dated, night, span, stages, table, week
from tests.samsung_health.independent import compared
from tests.world import NOW

FOLDER = lab.fixtures("samsung_health") / "week"
START, END = night(WEEK[6])


def hand_over(desk: Desk, kind: str, *rows: dict[str, Any]) -> Outcome:
    """Import a table of rows, and return the outcome."""
    return desk.give(*table(kind, rows))


@pytest.fixture
def desk(lite: Store, tmp_path: Path) -> Desk:
    folder = tmp_path / "given"
    folder.mkdir()
    return Desk(lite, folder, "samsung_health")


def test_the_fixtures_are_what_their_maker_writes() -> None:
    for case, files in {"week": week(), "awkward": awkward()}.items():
        folder = lab.fixtures("samsung_health") / case
        there = {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file()}
        assert there == files


def test_pandas_reads_the_same_from_the_fixture() -> None:
    lines = {line.what: line for line in compared(FOLDER, "Europe/Berlin")}
    assert [what for what, line in lines.items() if line.different or line.only_pandas] == ["heart_rate"]
    assert (lines["steps"].equal, lines["sleep rem_sleep"].equal, lines["heart_rate"].different) == (8, 8, 1)


def test_every_cell_of_a_real_export_is_as_pandas_reads_it() -> None:
    for folder in sorted(sample("samsung_health").iterdir()):
        assert [line for line in compared(folder, "UTC") if line.different or line.only_pandas] == []


def test_tables_in_any_order_come_to_the_same(desk: Desk) -> None:
    desk.imported(FOLDER)
    files = sorted(place for place in FOLDER.rglob("*") if place.is_file())
    places = [place for place in files if recognise(DiskFile(place, place.name))]
    random.Random(3).shuffle(places)
    other = Desk(Store("sqlite://"), desk.folder, "samsung_health")
    for place in places:
        other.imported(place)
    assert other.held() == desk.held()
    other.store.close()


def test_a_row_is_in_utc_and_names_its_own_offset(desk: Desk) -> None:
    row = {**span(START, END, "away"), "time_offset": "UTC-0500"}
    hand_over(desk, "com.samsung.shealth.sleep", row)
    (found,) = desk.held()["episodes"]
    assert (found["start"], found["offset"], found["day"]) == (START.isoformat(), -300, "2026-11-18")


def test_of_two_devices_the_sleep_with_stages_counts(desk: Desk) -> None:
    phone = span(START - timedelta(hours=1), END + timedelta(hours=1), "phone")
    hand_over(desk, "com.samsung.shealth.sleep", phone, span(START, END, "watch"))
    assert [one["key"] for one in desk.held()["episodes"]] == ["phone"]
    hand_over(desk, "com.samsung.health.sleep_stage", *stages("watch", START))
    (found,) = desk.held()["episodes"]
    assert (found["key"], found["values"]["asleep"], found["values"]["rem_sleep"]) == ("watch", 405, 95)


def test_merged_steps_come_before_those_of_a_device_and_are_never_added_up(desk: Desk) -> None:
    watch = {"source_type": "1", "count": 5000, **dated(WEEK[0], "a")}
    phone = {"source_type": "0", "count": 4000, **dated(WEEK[0], "b")}
    hand_over(desk, "com.samsung.shealth.step_daily_trend", watch, phone)
    assert [one["value"] for one in desk.held()["samples"]] == [5000]
    hand_over(
        desk,
        "com.samsung.shealth.step_daily_trend",
        watch,
        phone,
        {"source_type": "-2", "count": 4800, **dated(WEEK[0], "c")},
    )
    assert [one["value"] for one in desk.held()["samples"]] == [4800]


def test_a_newer_download_updates_and_an_older_one_changes_nothing(desk: Desk) -> None:
    old = {**span(START, END, "n"), "sleep_score": "70.0", "update_time": "2026-11-18 07:00:00.000"}
    new = {**old, "sleep_score": "75.0", "update_time": "2026-11-19 07:00:00.000"}
    hand_over(desk, "com.samsung.shealth.sleep", new)
    hand_over(desk, "com.samsung.shealth.sleep", old)
    assert desk.held()["episodes"][0]["values"]["sleep_score"] == 75
    newest = {**old, "sleep_score": "77.0", "update_time": "2026-11-20 07:00:00.000"}
    hand_over(desk, "com.samsung.shealth.sleep", newest)
    assert desk.held()["episodes"][0]["values"]["sleep_score"] == 77


def test_a_zero_is_no_efficiency_and_a_spot_reading_no_night(desk: Desk) -> None:
    hand_over(desk, "com.samsung.shealth.sleep", {**span(START, END, "n"), "efficiency": "0.0"})
    assert "sleep_efficiency" not in desk.held()["episodes"][0]["values"]
    hand_over(desk, "com.samsung.shealth.tracker.oxygen_saturation", {**span(END, END, "s"), "spo2": "99.0"})
    assert desk.held()["samples"] == []


def test_rows_that_cannot_be_read_lose_nothing_else(desk: Desk) -> None:
    good = span(START, END, "good")
    bad = [{**good, "end_time": "soon"}, span(END, START, "back"), span(START, START + timedelta(days=4), "long")]
    outcome = hand_over(desk, "com.samsung.shealth.sleep", *bad, good)
    assert outcome.set_aside_by == {"night": {"rows without a plausible time or value": 3}}
    assert [one["key"] for one in desk.held()["episodes"]] == ["good"]


def test_a_table_of_many_readings_is_read_in_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.imported(FOLDER)
    monkeypatch.setattr("connectors.samsung_health.files.READINGS_MAX", 4)
    other = Desk(Store("sqlite://"), desk.folder, "samsung_health")
    other.imported(FOLDER)
    assert other.held() == desk.held()
    other.store.close()


def test_a_file_of_absurd_size_is_refused_unread(desk: Desk) -> None:
    name, text = table("com.samsung.shealth.sleep", [span(START, END, "n")])
    place = desk.folder / name
    place.write_text(text, encoding="utf-8")
    with place.open("r+b") as file:
        file.truncate(FILE_MAX_BYTES + 1)
    outcome = desk.imported(place)
    assert (outcome.new, "far larger" in outcome.failed_files[0][1]) == (0, True)


def test_what_an_import_does_not_use_is_named(desk: Desk) -> None:
    found = runs.import_path(desk.bridge, desk.store.people.user("ana"), FOLDER, at=NOW)
    assert [(one.source, one.kind) for one in found.unknown] == [
        ("samsung_health", "parts of Samsung Health's data that are not used")
    ]


@pytest.mark.parametrize("text", ["com.samsung.health.weight,1,2\nweight,\n70,\n", "start_time,end_time\n", ""])
def test_other_tables_are_left_alone(tmp_path: Path, text: str) -> None:
    place = tmp_path / "com.samsung.health.weight.csv"
    place.write_text(text, encoding="utf-8")
    assert not recognise(DiskFile(place, place.name))


VALUES = (
    st.none() | st.text(max_size=20) | st.integers() | st.sampled_from(["2026-11-18 05:41:00.000", "UTC+0100", "40002"])
)
NAMES = ("start_time", "end_time", "time_offset", "datauuid", "sleep_id", "stage", "count", "day_time", "heart_rate")


@settings(max_examples=300, deadline=None)
@given(
    shape=st.sampled_from(sorted({*TABLE_STREAMS.values(), *(bins[:2] for bins in BINS.values())})),
    row=st.dictionaries(st.sampled_from([*NAMES, "score", "average", "spo2", "calorie", "total_score"]), VALUES),
)
def test_no_row_breaks_the_reading(shape: tuple[str, str], row: dict[str, Any]) -> None:
    gathered = Gathered(shape, Gathering(Clock("Europe/Berlin")))
    gathered.take(row)
    for page in gathered.pages():
        for record in page.records:
            with suppress(BadRecord):
                normalise(record, None)
