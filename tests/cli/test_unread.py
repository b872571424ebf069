"""``bridge import`` says what it did not read; commands that show nothing say why and name the next one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.apple_health.documents import document, steps
from tests.commands import bridge

GARMIN = {
    "DI-Connect-Aggregator/UDSFile_2026-11-01_2026-11-20.json": json.dumps(
        [{"calendarDate": "2026-11-10", "totalSteps": 100, "wellnessStartTimeGmt": "2026-11-09T23:00:00.0"}]
    ),
    "DI-Connect-Metrics/TrainingReadinessDTO_20261101_20261120_1.json": "[]",
    "DI-Connect-Metrics/MetricsMaxMetData_20261101_20261120_1.json": "[]",
    "DI-Connect-User/user_profile.json": "{}",
    "DI-Connect-Wellness/1_fitnessAgeData.json": "[]",
    "holiday.jpg": "x",
    "notes": "x",
}


@pytest.fixture(autouse=True)
def _ana(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:05:00+01:00")
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0


@pytest.fixture
def account(tmp_path: Path) -> Path:
    for name, content in GARMIN.items():
        place = tmp_path / "DI_CONNECT" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return tmp_path / "DI_CONNECT"


@pytest.fixture
def old_steps(tmp_path: Path) -> Path:
    place = tmp_path / "export.xml"
    row = steps(100, "2026-03-02 08:00:00 +0100", "2026-03-02 08:10:00 +0100")
    place.write_bytes(document(row, exported="2026-03-05 10:00:00 +0100").content)
    return place


def test_an_import_names_the_kinds_of_files_it_left_out(account: Path) -> None:
    done = bridge("import", str(account), "--user", "ana")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "4 files of garmin are left out on purpose: 2 training figures, 1 profile and social, 1 weight" in said
    assert "2 files belong to no source: 1 .jpg, 1 without an ending" in said


def test_all_files_that_were_not_read_are_in_the_document(account: Path) -> None:
    rows: list[dict[str, Any]] = json.loads(bridge("import", str(account), "--user", "ana", "--json").stdout)
    (row,) = [row for row in rows if row["source"] == "-"]
    told = {one["file"]: (one["source"], one["kind"]) for one in row["unread"]}
    assert set(told) == set(GARMIN) - {"DI-Connect-Aggregator/UDSFile_2026-11-01_2026-11-20.json"}
    assert told["holiday.jpg"] == (None, ".jpg")
    assert told["DI-Connect-User/user_profile.json"] == ("garmin", "profile and social")
    assert all(row["unread"] == [] for row in rows if row["source"] != "-")


def test_no_days_say_where_the_newest_one_is(old_steps: Path) -> None:
    empty = bridge("days", "--user", "ana")
    assert "bridge import PATH --user ana" in empty.stdout
    bridge("import", str(old_steps), "--user", "ana")
    done = bridge("days", "--last", "5", "--user", "ana")
    assert "the newest day is 2026-03-02" in done.stdout
    command = done.stdout.splitlines()[0].partition("To see it: bridge ")[2].split()
    assert "02 Mar" in bridge(*command).stdout
    document = bridge("days", "--last", "5", "--user", "ana", "--json")
    assert json.loads(document.stdout) == []
    assert "2026-03-02" in document.stderr
    other = bridge("days", "--source", "whoop", "--user", "ana")
    assert "nothing was measured by whoop" in other.stdout


def test_meters_without_anything_fresh_say_why(old_steps: Path) -> None:
    assert "bridge import PATH --user ana" in bridge("meters", "--user", "ana").stdout
    bridge("import", str(old_steps), "--user", "ana")
    assert "the newest day that was measured is 2026-03-02" in bridge("meters", "--user", "ana").stdout
    before = bridge("meters", "--at", "2026-03-03T10:00:00+01:00", "--user", "ana")
    assert "as of then nothing was known: the first data came in on 2026-11-20 at 10:05" in before.stdout
    assert "bridge meters --at 2026-11-20T10:06+01:00 --user ana" in before.stdout
    document = bridge("meters", "--at", "2026-03-03T10:00:00+01:00", "--user", "ana", "--json")
    assert json.loads(document.stdout)["meters"]
    assert "nothing was known" in document.stderr
