"""Oura's files: the rows that a sync brings, of any name and notation, and a table that has no ids."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge.domain.records import IMPORT_CONNECTION
from bridge.domain.types import Episode, EpisodeKind, RawRecord
from bridge.ingest.files import DiskFile
from bridge.ingest.json_stream import FILE_MAX_BYTES
from bridge.store import Store
from connectors.oura.files import recognise
from tests.desk import Desk
from tests.oura.export import as_csv, exported, saved, trends
from tests.world import NOW, expected

NIGHT = {
    "id": "5c1f",
    "average_hrv": 61,
    "bedtime_start": "2026-11-12T22:43:00+01:00",
    "bedtime_end": "2026-11-13T06:31:00+01:00",
    "day": "2026-11-13",
    "lowest_heart_rate": 53,
    "total_sleep_duration": 25980,
    "type": "long_sleep",
}


@pytest.fixture
def desk(lite: Store, tmp_path: Path) -> Desk:
    return Desk(lite, tmp_path, "oura")


def told(state: dict[str, list[Any]]) -> list[str]:
    """Return the stored contents without the offsets of heart rates, which follow the user's home."""
    rows = [*state["samples"], *state["episodes"]]
    return sorted(json.dumps({k: v for k, v in row.items() if k not in ("offset", "day")}) for row in rows)


def test_the_fixtures_are_what_their_maker_writes() -> None:
    week, awkward = lab.account("oura", "week"), lab.account("oura", "awkward")
    for case, files in {"saved": saved(week), "export": exported(awkward), "trends": trends(week)}.items():
        folder = lab.fixtures("oura") / case
        there = {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file()}
        assert there == files


@pytest.mark.parametrize(("case", "live"), [("saved", "week"), ("export", "awkward")])
def test_files_hold_the_rows_that_a_sync_brings(desk: Desk, case: str, live: str) -> None:
    desk.imported(lab.fixtures("oura") / case)
    assert told(desk.held()) == told(expected("oura", live))


def test_the_export_of_what_was_imported_from_answers_brings_nothing_new(desk: Desk) -> None:
    desk.imported(lab.fixtures("oura") / "saved")
    before = desk.held()
    for name, text in exported(lab.account("oura", "week")).items():
        if "battery" not in name:
            outcome = desk.give(Path(name).name, text)
            assert (outcome.new, outcome.deleted, outcome.set_aside) == (0, 0, 0), name
    assert desk.held() == before


@pytest.mark.parametrize(
    "document",
    [
        [NIGHT],
        {"data": [NIGHT], "next_token": None},
        {"sleep": [NIGHT], "daily_sleep": []},
        {"sleep": {"data": [NIGHT]}},
        {"data": {"sleep": {"data": [NIGHT]}}},
        NIGHT,
    ],
)
def test_a_night_is_found_however_its_answer_was_saved(desk: Desk, document: Any) -> None:
    assert desk.give("anything.json", json.dumps(document)).new == 1
    (night,) = desk.held()["episodes"]
    assert (night["key"], night["values"]["asleep"]) == ("5c1f", 433)


def test_an_edited_night_counts_as_the_newer_file_has_it(desk: Desk) -> None:
    later = {**NIGHT, "id": "5c20", "day": "2026-11-14", "bedtime_end": "2026-11-14T06:31:00+01:00"}
    later["bedtime_start"] = "2026-11-13T22:43:00+01:00"
    desk.give("a.json", json.dumps([{**NIGHT, "average_hrv": 44}, later]))
    desk.give("b.json", json.dumps([NIGHT]))
    hrv = [one["value"] for one in desk.held()["samples"] if one["metric"] == "hrv_rmssd"]
    assert hrv == [44, 61]


def test_commas_flat_blood_oxygen_and_a_night_taken_back(desk: Desk) -> None:
    desk.give("dailyspo2.csv", "id,day,spo2_percentage,breathing_disturbance_index\n1,2026-11-13,97.4,4\n")
    desk.give("sleepmodel.csv", as_csv([NIGHT, {**NIGHT, "id": "9", "type": "deleted"}]))
    held = desk.held()
    assert [one["value"] for one in held["samples"] if one["metric"] == "spo2"] == [97.4]
    assert [one["key"] for one in held["episodes"]] == ["5c1f"]


def test_heart_rates_of_a_day_add_up_from_several_files(desk: Desk) -> None:
    rates = [{"bpm": 60 + n, "source": "awake", "timestamp": f"2026-11-13T10:0{n}:00+00:00"} for n in range(4)]
    desk.give("one.json", json.dumps({"data": rates[:2]}))
    desk.give("two.json", json.dumps({"data": rates[2:]}))
    (quarter,) = desk.held()["samples"]
    assert (quarter["value"], quarter["count"]) == (61.5, 4)


def test_a_day_of_trends_without_the_ring_is_no_measurement(desk: Desk) -> None:
    desk.give("trends.csv", "date,Sleep Score,Steps,Activity Burn\n2026-11-13,80,0,0\n2026-11-14,,5000,210\n")
    assert [(one["metric"], one["value"]) for one in desk.held()["samples"]] == [
        ("sleep_score", 80),
        ("active_energy", 210),
        ("steps", 5000),
    ]


def test_a_file_cut_off_keeps_what_came_before(desk: Desk) -> None:
    nights = [{**NIGHT, "id": str(n)} for n in range(9)]
    text = json.dumps({"data": nights})
    outcome = desk.give("sleep.json", text[: len(text) * 2 // 3])
    assert [reason[:16] for _, reason in outcome.failed_files] == ["the file is cut "]
    assert outcome.new >= 5


def test_a_file_of_absurd_size_is_refused_unread(desk: Desk) -> None:
    place = desk.folder / "sleep.json"
    place.write_text(json.dumps([NIGHT]), encoding="utf-8")
    with place.open("r+b") as file:
        file.truncate(FILE_MAX_BYTES + 1)
    outcome = desk.imported(place)
    assert outcome.new == 0
    assert "far larger" in outcome.failed_files[0][1]


@pytest.mark.parametrize(
    "text",
    [
        '{"data": {"metrics": []}}',
        '{"sleep_time": [{"day": "2026-11-13"}]}',
        "[]",
        '[{"id": 1, "day": "x"}]',
        json.dumps({"data": {"data": {"sleep": {"data": [NIGHT]}}}}),  # deeper than any answer
    ],
)
def test_other_documents_are_left_alone(tmp_path: Path, text: str) -> None:
    place = tmp_path / "some.json"
    place.write_text(text, encoding="utf-8")
    assert not recognise(DiskFile(place, "some.json"))


AT = "2026-11-12T22:43:00+01:00"
COLUMNS = "date,Sleep Score,Total Sleep Duration,Bedtime Start,Bedtime End"
TABLE = f"{COLUMNS}\n2026-11-13,81,25980,{AT},{NIGHT['bedtime_end']}\n"


@pytest.mark.parametrize(
    ("name", "text", "earlier"),
    [
        ("sleep.json", json.dumps([NIGHT]), RawRecord(stream="sleep", key="5c1f", payload=NIGHT)),
        (
            "sleep.csv",
            as_csv([{k: v for k, v in NIGHT.items() if k != "id"}]),
            RawRecord(stream="sleep", key=AT, payload=NIGHT),
        ),
        ("trends.csv", TABLE, RawRecord(stream="trends", key="2026-11-13", payload={"date": "2026-11-13"})),
    ],
)
@pytest.mark.parametrize("as_of", [datetime(2026, 11, 13, 6, 31, tzinfo=UTC), None])
def test_what_an_earlier_release_read_of_the_same_row_is_replaced(
    desk: Desk, name: str, text: str, earlier: RawRecord, as_of: datetime | None
) -> None:
    ana = desk.store.people.user("ana")
    connection = desk.store.connections.connect(ana.id, "oura", IMPORT_CONNECTION, now=NOW)
    at = datetime.fromisoformat(AT)
    night = Episode(
        kind=EpisodeKind.SLEEP, key="old", start=at, end=at + timedelta(hours=8), day=date(2026, 11, 13), values={}
    )
    desk.store.ingest.land(connection, [replace(earlier, as_of=as_of)], lambda *_: [night], now=NOW, version=3)
    assert [one["key"] for one in desk.held()["episodes"]] == ["old"]
    outcome = desk.give(name, text)
    assert (outcome.new, outcome.deleted, outcome.unchanged) == (1 if name != "trends.csv" else 2, 1, 0)
    (kept,) = desk.held()["episodes"]
    assert (kept["key"] != "old", kept["values"]["asleep"]) == (True, 433)
    again = desk.give(f"again-{name}", text)
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
