"""Importing again: the same file, a later one, one that was interrupted; and what the command prints of it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from lab.people.apple import Plan, write, write_zip
from tests.apple_health.documents import document, quantity, steps
from tests.commands import bridge

PLAN = Plan(seed=11, days=40, last=date(2026, 10, 3), sparse=True)
TABLES = {
    "records": "SELECT stream, key, hash, deleted FROM records",
    "samples": 'SELECT "key", metric_id, start, "end", "offset", day, value, count, low, high FROM samples',
    "episodes": 'SELECT "key", day, body FROM episodes',
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin", home=tmp_path / "home").returncode == 0
    return tmp_path / "home"


def imported(place: Path, home: Path, *more: str, code: int = 0) -> dict[str, Any]:
    done = bridge("import", str(place), "--user", "ana", "--json", *more, home=home)
    assert done.returncode == code, done.stderr
    (row,) = json.loads(done.stdout)
    return dict(row)


def rows(home: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(home / "bridge.db")) as db:
        return {table: sorted(db.execute(query)) for table, query in TABLES.items()}


def test_the_same_file_again_brings_nothing_and_a_later_one_what_is_new(tmp_path: Path, home: Path) -> None:
    first, later = tmp_path / "export.zip", tmp_path / "later.zip"
    write_zip(PLAN, first)
    write_zip(replace(PLAN, days=55, last=date(2026, 10, 18)), later)
    new = imported(first, home)
    assert new["new"] > 100
    assert (new["truncated"], new["updated"]) == (False, 0)
    before = rows(home)
    again = imported(first.rename(tmp_path / "renamed.zip"), home)
    assert (again["new"], again["updated"], again["unchanged"]) == (0, 0, new["new"])
    assert rows(home) == before
    more = imported(later, home)
    assert 40 < more["new"] < new["new"]
    assert more["unchanged"] > 0.8 * new["new"]
    assert more["updated"] < 0.1 * new["new"]  # the day of the first export, and what came late
    fresh = tmp_path / "fresh"
    bridge("user", "add", "ana", "--zone", "Europe/Berlin", home=fresh)
    imported(later, fresh)
    assert rows(fresh) == rows(home)


@pytest.mark.slow
def test_killed_anywhere_and_run_again_it_is_the_same_store(tmp_path: Path, home: Path) -> None:
    place = tmp_path / "export.xml"
    with place.open("wb") as file:
        write(replace(PLAN, days=80), file.write)
    undisturbed = tmp_path / "undisturbed"
    bridge("user", "add", "ana", "--zone", "Europe/Berlin", home=undisturbed)
    began = time.monotonic()
    importing(place, undisturbed).communicate()
    length = time.monotonic() - began
    for share in (0.5, 0.8, 0.95):
        process = importing(place, home)
        time.sleep(length * share)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    imported(place, home)
    assert rows(home) == rows(undisturbed)


def importing(place: Path, home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bridge", "import", str(place), "--user", "ana"]
    environment = {**os.environ, "BRIDGE_HOME": str(home)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_what_is_set_aside_is_counted_by_type_and_reason(tmp_path: Path, home: Path) -> None:
    at = "2026-11-10 10:00:00 +0100"
    place = tmp_path / "export.xml"
    place.write_bytes(
        document(
            steps(5, at, "2026-11-10 10:10:00 +0100"),
            steps("many", at, at),
            quantity("HeartRate", 900, "count/min", at),
            quantity("DistanceWalkingRunning", 5, "league", at),
            steps(5, "2030-01-06 10:00:00 +0100", "2030-01-06 10:10:00 +0100"),
            steps(5, "yesterday", at),
        ).content
    )
    row = imported(place, home)
    prefix = "HKQuantityTypeIdentifier"
    assert row["set_aside"] == 5
    assert row["set_aside_by"] == {
        f"{prefix}StepCount": {
            "its value is not a number": 1,
            "after the export": 1,
            "its times cannot be read": 1,
        },
        f"{prefix}HeartRate": {"its value cannot be true": 1},
        f"{prefix}DistanceWalkingRunning": {"its unit is not known": 1},
    }
    assert row["seconds"] > 0


def test_a_truncated_file_is_said_to_be_truncated(tmp_path: Path, home: Path) -> None:
    place = tmp_path / "export.xml"
    with place.open("wb") as file:
        write(PLAN, file.write)
    place.write_bytes(place.read_bytes()[: place.stat().st_size * 6 // 10])
    row = imported(place, home, code=1)
    assert row["truncated"] is True
    assert row["new"] > 50
    assert imported(place, home, code=1)["new"] == 0  # what is incomplete is not remembered: it is read again


def test_every_sample_is_kept_where_that_is_wanted(tmp_path: Path, home: Path) -> None:
    at = "2026-11-10 10:00:0{} +0100"
    place = tmp_path / "export.zip"
    content = document(*[quantity("BodyMass", 70 + n, "kg", at.format(n)) for n in range(5)]).content
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("x/Export.xml", content)
    assert imported(place, home)["new"] == 0
    assert imported(place, home, "--keep-all")["new"] == 1
    assert bridge("rebuild", "--user", "ana", home=home).returncode == 0
