"""Downloads of Oura's website as people have them: without types, through Excel or pandas, and a night thrice."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import registry
from bridge.ingest.files import DiskFile
from bridge.ingest.imports import recognise_files
from bridge.store import Store
from connectors.oura.files import BEGINNING_BYTES, recognise
from tests.desk import Desk

FIRST = date(2024, 7, 1)
COLUMNS = ("average_breath", "average_hrv", "awake_time", "bedtime_end", "bedtime_start", "day", "lowest_heart_rate",
           "period", "time_in_bed", "timezone", "total_sleep_duration", "type")  # fmt: skip
Row = dict[str, Any]


@pytest.fixture
def desk(lite: Store, tmp_path: Path) -> Desk:
    return Desk(lite, tmp_path, "oura")


def night(number: int) -> Row:
    day = FIRST + timedelta(days=number)
    return {
        "average_breath": 14.25,
        "average_hrv": 50 + number,
        "awake_time": 1800,
        "bedtime_end": f"{day}T06:30:00.000+02:00",
        "bedtime_start": f"{day - timedelta(days=1)}T22:{10 + number}:00.000+02:00",
        "day": str(day),
        "lowest_heart_rate": 48,
        "period": 0,
        "time_in_bed": 28800,
        "timezone": 120,
        "total_sleep_duration": 27000 - 60 * number,
        "type": "long_sleep",
    }


def rest(number: int) -> Row:
    day = FIRST + timedelta(days=number)
    ends = {"bedtime_start": f"{day}T15:00:00.000+02:00", "bedtime_end": f"{day}T15:20:00.000+02:00"}
    return night(number) | ends | {"total_sleep_duration": 240, "time_in_bed": 1200, "period": 1, "type": None}


NIGHTS = [night(number) for number in range(14)]
ASLEEP = {str(FIRST + timedelta(days=n)): 450.0 - n for n in range(14)}


def sheet(rows: Sequence[Mapping[str, Any]], change: Callable[[str, str], str] = lambda _, cell: cell) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([change(name, "" if row.get(name) is None else str(row[name])) for name in COLUMNS])
    return text.getvalue()


def trends(rows: Sequence[Row]) -> str:
    head = "date,Sleep Score,Total Sleep Duration,Bedtime Start,Bedtime End,Lowest Resting Heart Rate,Average HRV,Steps"
    names = ("total_sleep_duration", "bedtime_start", "bedtime_end", "lowest_heart_rate", "average_hrv")
    return "\n".join([head, *(",".join([r["day"], "81", *(str(r[name]) for name in names), "8000"]) for r in rows)])


def asleep(desk: Desk) -> dict[str, float]:
    found = desk.held()["episodes"]
    assert len({one["day"] for one in found}) == len(found)
    return {one["day"]: one["values"]["asleep"] for one in found}


def test_rows_without_a_type_are_rests_and_are_told(desk: Desk) -> None:
    mixed = [row for n in range(14) for row in ([night(n), rest(n)] if n % 3 else [night(n)])]
    first, second = (desk.give("oura_sleep.csv", sheet(mixed)) for _ in range(2))
    assert (first.outcome, first.new, first.set_aside) == ("ok", 14, 0)
    assert first.left_out == {"rests that Oura did not confirm as sleep": 9}
    assert (second.new, second.updated) == (0, 0)
    assert asleep(desk) == ASLEEP


def test_a_table_without_types_tells_long_sleeps_by_their_length(desk: Desk) -> None:
    rows = [{k: v for k, v in row.items() if k != "type"} for row in (*NIGHTS, rest(3))]
    desk.give("sleep.json", json.dumps({"sleep": rows}))
    assert {(one["kind"], one["day"]) for one in desk.held()["episodes"]} == {
        *(("sleep", day) for day in ASLEEP),
        ("nap", rest(3)["day"]),
    }


def in_excel(order: str, times: bool) -> Callable[[str, str], str]:
    def change(name: str, cell: str) -> str:
        if name == "day":
            y, m, d = (int(part) for part in cell.split("-"))
            return order.format(d=d, m=m, y=y)
        if times and name.startswith("bedtime"):
            at = datetime.fromisoformat(cell)
            return order.format(d=at.day, m=at.month, y=at.year) + f" {at:%H:%M}"
        return cell

    return change


@pytest.mark.parametrize("order", ["{m}/{d}/{y}", "{d}/{m}/{y}", "{d:02}.{m:02}.{y}", "{d}-{m}-{y}"])
@pytest.mark.parametrize("times", [False, True])
def test_dates_that_a_spreadsheet_rewrote(desk: Desk, order: str, times: bool) -> None:
    for count in (11, 14):  # of the first eleven, each date alone could be read in either order
        rows = [*NIGHTS[:count], rest(2)]
        outcome = desk.give("oura.csv", sheet(rows, in_excel(order, times)))
        assert (outcome.outcome, outcome.set_aside) == ("ok", 0)
    assert asleep(desk) == ASLEEP
    assert {(one["start"][:10], one["offset"]) for one in desk.held()["episodes"]} == {
        (str(FIRST + timedelta(days=n - 1)), 120) for n in range(14)
    }


def test_a_date_that_could_be_read_either_way_is_not_guessed(desk: Desk) -> None:
    outcome = desk.give("trends.csv", "date,Sleep Score,Readiness Score\n7/6/2024,81,80\n")
    assert (outcome.outcome, outcome.set_aside) == ("failed", 2)
    assert desk.held()["samples"] == []


@pytest.mark.parametrize("offset", [True, False])
def test_times_that_pandas_wrote(desk: Desk, offset: bool) -> None:
    def change(name: str, cell: str) -> str:
        if name not in ("bedtime_start", "bedtime_end"):
            return cell
        at = datetime.fromisoformat(cell)
        return str(at if offset else at.replace(tzinfo=None))

    desk.give("oura.csv", sheet(NIGHTS, change))
    assert asleep(desk) == ASLEEP
    assert {one["offset"] for one in desk.held()["episodes"]} == {120}


def files(rows: Sequence[Row]) -> dict[str, str]:
    answers = {"data": [row | {"id": f"id-{row['day']}"} for row in rows], "next_token": None}
    return {"sleep.json": json.dumps(answers), "sleep.csv": sheet(rows), "trends.csv": trends(rows)}


@pytest.mark.parametrize("order", [*itertools.permutations(files(NIGHTS))])
def test_json_csv_and_trends_are_one_night_in_any_order(desk: Desk, order: Sequence[str]) -> None:
    for name in order:
        desk.give(name, files(NIGHTS)[name])
    held = desk.held()
    assert asleep(desk) == ASLEEP
    assert {one["key"] for one in held["episodes"]} == {f"id-{day}" for day in ASLEEP}
    assert desk.of("hrv_rmssd") == {day: 50.0 + n for n, day in enumerate(ASLEEP)}
    assert len([one for one in held["samples"] if one["metric"] == "hrv_rmssd"]) == len(ASLEEP)
    for name in order:
        again = desk.give(name, files(NIGHTS)[name])
        assert (again.outcome, again.new, again.updated) == ("ok", 0, 0)
    assert desk.held() == held


def test_an_indented_answer_whose_first_night_is_long_is_recognised(desk: Desk) -> None:
    long = [{"a": list(range(9000)), **row, "movement_30_sec": "1" * 20_000} for row in NIGHTS]
    text = json.dumps({"data": long[:2]}, indent=4)
    assert 4096 < text.index('"total_sleep_duration"') < BEGINNING_BYTES
    desk.give("sleep.json", text)
    assert asleep(desk) == dict([*ASLEEP.items()][:2])


def test_a_download_of_all_lists_is_no_document_of_health_connect(desk: Desk, tmp_path: Path) -> None:
    document = {"timestamp": "2024-08-01T00:00:00Z", "app_version": "5", "sleep": NIGHTS, "heart_rate": []}
    (tmp_path / "data.json").write_text(json.dumps(document), encoding="utf-8")
    found = recognise_files([DiskFile(tmp_path / "data.json", "data.json")], registry.specs())
    assert list(found.known) == ["oura"]
    desk.imported(tmp_path / "data.json")
    assert asleep(desk) == ASLEEP


def test_nights_of_the_first_api(desk: Desk) -> None:
    row = {
        "summary_date": "2020-03-01", "period_id": 0, "is_longest": 1, "timezone": 60,
        "duration": 28800, "total": 27000,
        "bedtime_start": "2020-03-01T22:30:00+01:00", "bedtime_end": "2020-03-02T06:30:00+01:00",
        "awake": 1800, "rmssd": 47, "hr_lowest": 51, "breath_average": 14.5,
    }  # fmt: skip
    day = {"summary_date": "2020-03-02", "steps": 9100, "cal_active": 350, "cal_total": 2400}
    desk.give("oura_2020.json", json.dumps({"sleep": [row], "activity": [day]}))
    assert asleep(desk) == {"2020-03-02": 450.0}
    assert (desk.of("hrv_rmssd"), desk.of("steps")) == ({"2020-03-02": 47.0}, {"2020-03-02": 9100.0})


@pytest.mark.parametrize(
    ("columns", "known"),
    [
        ("Date,Sleep Score,Total Sleep (mins),Deep Sleep (mins),REM (mins),Avg HRV (ms),Steps", False),
        ("Date,Sleep Score,Steps", False),
        ("Date,Sleep Score,Average HRV,Respiratory Rate,Deep Sleep Duration,Stress,Strain", False),
        ("Day,Readiness Score", False),
        ("date,Sleep Score,Steps,Activity Burn", True),
        ("date,Lowest Resting Heart Rate,Average HRV", True),
        ("date,Total Sleep Duration,Bedtime Start,Bedtime End,Restless Sleep,Steps", True),
    ],
)
def test_trends_are_known_by_the_names_that_only_oura_has(tmp_path: Path, columns: str, known: bool) -> None:
    (tmp_path / "any.csv").write_text(f"{columns}\n", encoding="utf-8")
    assert bool(recognise(DiskFile(tmp_path / "any.csv", "any.csv"))) is known
