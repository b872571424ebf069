"""Cases from a sample: offsets of a row's own date, second nights of sleeps alone, further rows, edited cases kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.errors import SetupError
from lab import fixture_maker

SAMPLE: dict[str, Any] = {
    "origin": "docs",
    "about": "A row per list.",
    "zone": "America/New_York",
    "sleeps": {"sleep": {"nap": True}},
    "odd": {"daily": {"steps": "many"}},
    "more": {"awkward": {"daily": [{"id": 1, "day": "no date"}]}},
    "sleep": [
        {
            "id": "s",
            "start": "2026-07-02T23:00:00-04:00",
            "end": "2026-07-03T07:00:00-04:00",
            "nap": False,
            "offset_minutes": -240,
            "tz": "-04:00",
        }
    ],
    "daily": [{"id": 7, "start": "2026-07-03T04:00:00Z", "end": "2026-07-04T04:00:00Z", "steps": 8120}],
}


def test_rows_of_any_zone_come_to_live_at_home_with_the_offset_of_their_own_date() -> None:
    nights = [night for night in fixture_maker.cases(SAMPLE)["awkward"]["sleep"] if night["end"]]
    offsets = {night["end"][:10]: (night["end"][-6:], night["offset_minutes"], night["tz"]) for night in nights}
    assert offsets["2026-10-20"] == ("+02:00", 120, "+02:00")
    assert offsets["2026-11-20"] == ("+01:00", 60, "+01:00")
    assert offsets["2026-11-09"] == ("-05:00", -300, "-05:00")  # away


def test_ids_and_offsets_are_found_by_the_names_of_the_vendor() -> None:
    night = {"night_id": "n", "ring_id": "r", "end": "2026-07-03T07:00:00-04:00", "offset_min": -240}
    sample = {"origin": "docs", "zone": "America/New_York", "ids": ["night_id"], "nights": [night]}
    nights = fixture_maker.cases(sample)["week"]["nights"]
    assert len({night["night_id"] for night in nights}) == fixture_maker.WEEK_DAYS
    assert {night["ring_id"] for night in nights} == {"r"}
    assert {night["offset_min"] for night in nights} == {60}


def test_naps_and_second_nights_are_of_sleeps_alone_and_further_rows_follow() -> None:
    case = fixture_maker.cases(SAMPLE)["awkward"]
    days = fixture_maker.AWKWARD_DAYS - 1  # but for the one that is gone
    assert len(case["sleep"]) == days + 2
    assert sum(night["nap"] for night in case["sleep"]) == 1
    assert [row.get("steps") for row in case["daily"]].count("many") == 1
    assert case["daily"][days:] == SAMPLE["more"]["awkward"]["daily"]


def test_a_case_that_was_edited_is_kept_unless_it_is_asked_for_anew(tmp_path: Path) -> None:
    (tmp_path / "sample.json").write_text(json.dumps(SAMPLE))
    assert all("new" in line for line in fixture_maker.write("pebble", tmp_path))
    assert all("unchanged" in line for line in fixture_maker.write("pebble", tmp_path))
    week = tmp_path / "week.json"
    edited = json.loads(week.read_text()) | {"sleep": []}
    week.write_text(json.dumps(edited))
    assert any(line.startswith("week.json: kept") for line in fixture_maker.write("pebble", tmp_path))
    assert json.loads(week.read_text()) == edited
    assert any("sleep 0 -> 8" in line for line in fixture_maker.write("pebble", tmp_path, anew=True))


def test_a_deleted_row_keeps_its_ids_and_times_of_change_alone() -> None:
    day = {"id": "2026-03-02", "date": "2026-03-02", "updated_at": 1772496000, "steps": 8120}
    sample = {"origin": "docs", "zone": "Europe/Berlin", "deleted": {"days": {"gone": True}}, "days": [day]}
    case = fixture_maker.cases(sample)["awkward"]["days"]
    (deleted,) = [row for row in case if row.get("gone")]
    assert deleted == {"id": "2026-10-31", "updated_at": 1772496000 + 243 * 86_400, "gone": True}
    assert all(row["id"] == row["date"] for row in case if row is not deleted)


def test_a_nap_is_changed_after_it_ended() -> None:
    night = {"id": "n", "start": 1772488800, "end": 1772514000, "updated_at": 1772514600, "nap": False}
    sample = {"origin": "docs", "zone": "Europe/Berlin", "sleeps": {"nights": {"nap": True}}, "nights": [night]}
    nights = [night for night in fixture_maker.cases(sample)["awkward"]["nights"] if night["end"]]
    assert any(night["nap"] for night in nights)
    assert {night["updated_at"] - night["end"] for night in nights} == {600}


def test_a_row_of_times_that_are_a_year_apart_is_refused_with_its_fields() -> None:
    day = {"id": "d", "date": "2026-03-02", "updated_at": 1740960000}  # 2025-03-03
    with pytest.raises(SetupError, match="row of days is of 2026-03-02, and its updated_at of 2025-03-03"):
        fixture_maker.cases({"origin": "docs", "zone": "Europe/Berlin", "days": [day]})


def test_rows_of_a_sample_may_be_of_different_dates() -> None:
    days = {name: [{"id": name, "date": said}] for name, said in (("one", "2026-03-02"), ("two", "2025-07-09"))}
    week = fixture_maker.cases({"origin": "docs", "zone": "Europe/Berlin", **days})["week"]
    assert [row["date"] for row in week["one"]] == [row["date"] for row in week["two"]]
