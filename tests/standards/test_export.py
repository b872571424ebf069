"""``bridge export --format ieee1752`` and ``fhir``: what is in them, and that it stays the same."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge.documents import standards
from bridge.store import Store
from tests.commands import bridge
from tests.standards.person import exported, filled


@pytest.fixture
def person(lite: Store) -> int:
    return filled(lite)


def named(points: list[dict[str, Any]], schema: str, source: str) -> list[dict[str, Any]]:
    urn = f"urn:rhythm-bridge:{source}"
    return [
        point["body"]
        for point in points
        if point["header"]["schema_id"]["name"] == schema
        and point["header"]["external_datasheets"][0]["datasheet_reference"] == urn
    ]


def test_a_night_and_a_day_as_data_points(lite: Store, person: int, tmp_path: Path) -> None:
    points, counts = exported(lite, person, tmp_path / "out", "ieee1752")
    assert Counter(point["header"]["schema_id"]["name"] for point in points) == counts
    night = named(points, "sleep-episode", "fitbit")[0]
    assert night == {
        "is_main_sleep": True,
        "effective_time_frame": {
            "time_interval": {
                "start_date_time": "2026-11-11T23:15:30+01:00",
                "end_date_time": "2026-11-12T06:41:30+01:00",
            }
        },
        "total_sleep_time": {"value": 405, "unit": "min"},
        "light_sleep_duration": {"value": 230, "unit": "min"},
        "deep_sleep_duration": {"value": 80, "unit": "min"},
        "rem_sleep_duration": {"value": 95, "unit": "min"},
        "wake_after_sleep_onset": {"value": 41, "unit": "min"},
        "sleep_efficiency_percentage": {"value": 93, "unit": "%"},
    }
    day = named(points, "physical-activity", "samsung_health")[-1]
    assert (day["activity_name"], day["base_movement_quantity"]["unit"]) == ("daily activity summary", "steps")
    frame = day["effective_time_frame"]["time_interval"]
    start, end = (datetime.fromisoformat(frame[f"{name}_date_time"]) for name in ("start", "end"))
    assert (start.hour, (end - start).days) == (0, 1)


def test_every_sample_and_episode_is_an_observation(lite: Store, person: int, tmp_path: Path) -> None:
    bundle, counts = exported(lite, person, tmp_path / "out", "fhir")
    held = len(lite.reading.samples(person)) + len(lite.reading.episodes(person))
    assert (bundle["resourceType"], len(bundle["entry"]), sum(counts.values())) == ("Bundle", held, held)
    found = [entry["resource"] for entry in bundle["entry"]]
    steps = next(one for one in found if one["code"]["coding"][-1]["code"] == "steps")
    assert steps["code"]["coding"][0] == {
        "system": "http://loinc.org",
        "code": "41950-7",
        "display": "Number of steps in 24 hour Measured",
    }
    assert steps["valueQuantity"]["code"] == "{count}"
    rmssd = next(one for one in found if one["code"]["coding"][-1]["code"] == "hrv_rmssd")
    assert [coding["system"] for coding in rmssd["code"]["coding"]] == ["urn:rhythm-bridge:metric"]


@pytest.mark.parametrize("kind", standards.FILES)
def test_a_second_export_is_the_same_and_names_are_unique(lite: Store, person: int, tmp_path: Path, kind: str) -> None:
    first, _ = exported(lite, person, tmp_path / "one", kind)
    again, _ = exported(lite, person, tmp_path / "two", kind)
    assert first == again
    ids = [one["header"]["uuid"] for one in first] if kind == "ieee1752" else [e["fullUrl"] for e in first["entry"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("kind", "empty"), [("ieee1752", []), ("fhir", {"resourceType": "Bundle", "type": "collection"})]
)
def test_nobody_has_an_empty_document(lite: Store, tmp_path: Path, kind: str, empty: Any) -> None:
    found, counts = exported(lite, 0, tmp_path / "out", kind)
    if isinstance(found, dict):
        del found["timestamp"]
    assert (found, counts) == (empty, {})


def test_the_command_writes_a_private_file_and_says_what_is_in_it(tmp_path: Path) -> None:
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    assert bridge("import", str(lab.fixtures("oura") / "saved"), "--user", "ana").returncode == 0
    folder = tmp_path / "out"
    done = bridge("export", "--user", "ana", "--to", str(folder), "--format", "ieee1752", "--json")
    told = json.loads(done.stdout)
    assert (told["format"], told["tables"]["sleep-episode"]) == ("ieee1752", 9)
    place = folder / "ieee1752.json"
    assert (place.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert len(json.loads(place.read_text(encoding="utf-8"))) == sum(told["tables"].values())
    assert (
        "choose one of json, csv, parquet, ieee1752, fhir" in bridge("export", "--user", "ana", "--format", "x").stderr
    )
    assert bridge("export", "--user", "ana", "--to", str(folder), "--format", "fhir").returncode == 2
