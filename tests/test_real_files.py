"""What real files hold that no vendor describes: a case of each kind, and what must be stored and told of it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import registry
from bridge.domain.errors import SourceChanged
from bridge.domain.metrics import Metric
from bridge.domain.samples import set_apart
from bridge.domain.types import Episode, EpisodeKind
from bridge.ingest import imports
from bridge.ingest.files import DiskFile
from bridge.store import Store
from connectors.apple.export import files as apple
from connectors.spreadsheets import DayOrder
from tests.apple_health.documents import Text, document, items, slept, steps
from tests.commands import bridge
from tests.desk import Desk
from tests.health_connect.reading import document as health_connect
from tests.health_connect.reading import landed
from tests.health_connect.reading import steps as walked
from tests.pushed import values


def at_desk(store: Store, folder: Path, source: str) -> Desk:
    return Desk(store, folder, source)


# Steps of writers without a name


def test_writers_without_a_name_that_overlap_are_not_added_up() -> None:
    phone = [walked(640, f"{hour:02}:00", f"{hour:02}:59") for hour in range(9, 15)]
    watch = [walked(480, f"{hour:02}:05", f"{hour:02}:55") for hour in range(9, 17)]
    for order in permutations((phone, watch)):
        rows = [row for some in order for row in some]
        assert values(landed(health_connect(steps=rows)), "steps") == {"2026-11-18": pytest.approx(6 * 640 + 2 * 480)}


# Apple: rows that are not XML, stages of an earlier computation, days deleted on the phone

GOOD = [steps(500, f"2026-11-10 {h:02}:00:00 +0100", f"2026-11-10 {h:02}:10:00 +0100") for h in range(9, 12)]
BROKEN = [
    '<Record type="x" sourceName="Scale" Mate App Version="2.6.0" value="0.2"/>',
    '<Record type="x" sourceName="Scale" value="0.2/>',
    '<Record type="x" sourceName="a & b" value="1"/>',
    '<Record type="x" type="y" value="1"/>',
    '<Workout workoutActivityType="x"><MetadataEntry key="a" value="b"></Workout>',
]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("times", [1, 3])
def test_rows_behind_one_that_is_not_xml_are_read_and_its_line_is_told(broken: str, times: int) -> None:
    rows = [GOOD[0], *[broken, GOOD[1]][: 2 * times], *[broken] * (times - 1), *GOOD[1:]]
    told = [page for page in apple.read(document(*rows), zone="Europe/Berlin") if page.set_aside]
    lines = [line for page in told for _, line in page.set_aside]
    assert sum(count for page in told for count in page.set_aside.values()) == times
    assert lines[0] == "line 6 is not XML, and the element there was left out"
    total = sum(one.value for one in items(document(*rows)) if getattr(one, "metric", None) is Metric.STEPS)
    assert total == 1500


def test_a_file_with_little_but_broken_rows_is_damaged() -> None:
    with pytest.raises(SourceChanged, match="cut off or damaged"):
        list(apple.read(document(GOOD[0], *[BROKEN[0]] * 2000), zone="Europe/Berlin"))


def test_stages_that_an_earlier_computation_left_before_the_night() -> None:
    stale = [
        slept("AsleepREM", "2026-11-10 23:00:00 +0100", "2026-11-10 23:25:00 +0100"),
        slept("Awake", "2026-11-10 23:25:00 +0100", "2026-11-10 23:40:00 +0100"),
    ]
    night = [
        slept("InBed", "2026-11-11 01:06:00 +0100", "2026-11-11 08:00:00 +0100"),
        slept("AsleepCore", "2026-11-11 01:06:00 +0100", "2026-11-11 05:00:00 +0100"),
        slept("AsleepREM", "2026-11-11 05:00:00 +0100", "2026-11-11 08:00:00 +0100"),
    ]
    (found,) = (one for one in items(document(*stale, *night)) if isinstance(one, Episode))
    assert (found.values[Metric.ASLEEP], found.values[Metric.IN_BED]) == (414, 414)
    assert any("of an earlier night" in why for page in apple.read(document(*stale, *night), zone="UTC")
               for _, why in page.set_aside)  # fmt: skip
    alone = [*stale[:1], slept("InBed", "2026-11-11 01:06:00 +0100", "2026-11-11 08:00:00 +0100")]
    assert [one.values[Metric.ASLEEP] for one in items(document(*alone)) if isinstance(one, Episode)] == [25]


def walked_on(*days: str, exported: str = "2026-11-20") -> Text:
    rows = [steps(800, f"2026-{day} 09:00:00 +0100", f"2026-{day} 09:10:00 +0100") for day in days]
    return document(*rows, exported=f"{exported} 10:00:00 +0100")


@pytest.mark.parametrize(
    "newer", [("10-03", "10-05", "11-02", "11-19"), ("10-03", "10-05", "11-19"), ("10-03", "10-05")]
)
def test_a_day_deleted_on_the_phone_goes_with_the_newer_export(
    store: Store, tmp_path: Path, newer: tuple[str, ...]
) -> None:
    """In the export's last month too, and where nothing else is left of it. Its first month may have begun midway."""
    older = walked_on("10-01", "10-03", "10-05", "11-02", "11-03", exported="2026-11-10")
    (tmp_path / "older.xml").write_bytes(older.content)
    (tmp_path / "newer.xml").write_bytes(walked_on(*newer).content)
    for desk, order in (
        (at_desk(store, tmp_path, "apple_health"), ("older.xml", "newer.xml")),
        (at_desk(Store("sqlite://"), tmp_path, "apple_health"), ("newer.xml", "older.xml")),
    ):
        for name in order:
            desk.imported(tmp_path / name)
        assert sorted(desk.of("steps")) == sorted({"2026-10-01", *(f"2026-{day}" for day in newer)})


# Garmin: naps, and days that were cut short

NIGHT = {
    "calendarDate": "2026-10-01",
    "sleepStartTimestampGMT": "2026-09-30T21:10:00.0",
    "sleepEndTimestampGMT": "2026-10-01T05:10:00.0",
    "deepSleepSeconds": 5400,
    "lightSleepSeconds": 16200,
    "remSleepSeconds": 5400,
    "napList": [
        {"napStartTimestampGMT": "2026-10-01T12:00:00.0", "napEndTimestampGMT": "2026-10-01T12:30:00.0", "napTimeSec": 1500},  # noqa: E501
        {"napStartTimestampGMT": "2026-10-01T16:00:00.0", "napEndTimestampGMT": "2026-10-01T16:20:00.0"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("night", [NIGHT, {k: v for k, v in NIGHT.items() if not k.startswith("sleep")}])
def test_naps_of_newer_watches(lite: Store, tmp_path: Path, night: dict[str, Any]) -> None:
    desk = at_desk(lite, tmp_path, "garmin")
    for _ in range(2):
        desk.give("2026-09-01_2026-12-09_1_sleepData.json", json.dumps([night]))
        naps = [one for one in desk.held()["episodes"] if one["kind"] == "nap"]
        assert [(one["start"], one["values"]["asleep"], one["offset"]) for one in naps] == [
            ("2026-10-01T12:00:00+00:00", 25, 120),
            ("2026-10-01T16:00:00+00:00", 20, 120),
        ]


def uds(day: str, hours: int) -> dict[str, Any]:
    begin = datetime.fromisoformat(f"{day}T00:00:00")
    return {
        "calendarDate": day,
        "totalSteps": 7000,
        "wellnessStartTimeGmt": f"{begin - timedelta(hours=1):%Y-%m-%dT%H:%M:%S.0}",
        "wellnessStartTimeLocal": f"{begin:%Y-%m-%dT%H:%M:%S.0}",
        "wellnessEndTimeGmt": f"{begin + timedelta(hours=hours - 1):%Y-%m-%dT%H:%M:%S.0}",
        "wellnessEndTimeLocal": f"{begin + timedelta(hours=hours):%Y-%m-%dT%H:%M:%S.0}",
    }


@pytest.mark.parametrize("order", [1, -1])
def test_a_day_cut_short_counts_unless_it_is_the_last(lite: Store, tmp_path: Path, order: int) -> None:
    desk = at_desk(lite, tmp_path, "garmin")
    rows = [uds("2026-11-10", 24), uds("2026-11-11", 15), uds("2026-11-12", 24), uds("2026-11-13", 9)][::order]
    outcome = desk.give("UDSFile_2026-11-01_2026-11-20.json", json.dumps(rows))
    assert sorted(desk.of("steps")) == ["2026-11-10", "2026-11-11", "2026-11-12"]
    assert [why for why in outcome.left_out if "not over" in why]
    assert desk.give("UDSFile_2026-11-01_2026-11-20.json", json.dumps(rows)).updated == 0


# Impossible sums of a night


def sleep(**minutes: float) -> Episode:
    start = datetime(2026, 11, 10, 22, tzinfo=UTC)
    told = {Metric(name): value for name, value in minutes.items()}
    end = start + timedelta(hours=8)
    return Episode(key="1", kind=EpisodeKind.SLEEP, start=start, end=end, day=date(2026, 11, 11), values=told)


@pytest.mark.parametrize(
    ("told", "settled", "why"),
    [
        ({"asleep": 430, "in_bed": 480}, {"asleep": 430, "in_bed": 480}, ()),
        ({"asleep": 430, "in_bed": 590}, {"asleep": 430, "in_bed": 590}, ()),  # lay awake before and after
        ({"asleep": 480.5, "in_bed": 480}, {"asleep": 480.5, "in_bed": 480.5}, ()),  # rounding
        ({"in_bed": 808.7}, {"in_bed": 480}, ("in_bed above the night's length",)),
        ({"asleep": 439, "in_bed": 414}, {"asleep": 439, "in_bed": 439}, ("in_bed below the time asleep",)),
        ({"asleep": 700, "in_bed": 480}, {"asleep": 480, "in_bed": 480}, ("asleep above the night's length",)),
        (
            {"asleep": 600, "light_sleep": 360, "deep_sleep": 120, "rem_sleep": 120},
            {"asleep": 480, "light_sleep": 288, "deep_sleep": 96, "rem_sleep": 96},
            ("asleep above the night's length",),
        ),
        (
            {"asleep": 400, "light_sleep": 250, "deep_sleep": 125, "rem_sleep": 125},
            {"asleep": 400, "light_sleep": 200, "deep_sleep": 100, "rem_sleep": 100},
            ("stages above the time asleep",),
        ),
        (
            {"light_sleep": 300, "deep_sleep": 300},
            {"light_sleep": 240, "deep_sleep": 240},
            ("stages above the night's length",),
        ),
        (  # a vendor that lists brief waking within stages
            {"asleep": 400, "light_sleep": 250, "deep_sleep": 80, "rem_sleep": 90},
            {"asleep": 400, "light_sleep": 250, "deep_sleep": 80, "rem_sleep": 90},
            (),
        ),
    ],
)
def test_impossible_sums_are_settled_by_one_rule(
    told: dict[str, float], settled: dict[str, float], why: tuple[str, ...]
) -> None:
    (found,), reasons = set_apart([sleep(**told)])
    assert isinstance(found, Episode)
    assert (found.values, reasons) == ({Metric(name): value for name, value in settled.items()}, why)


def test_a_settled_sum_is_told_each_time_and_is_no_refusal(store: Store, tmp_path: Path) -> None:
    desk = at_desk(store, tmp_path, "health_auto_export")
    night = {"date": "2026-05-14 00:00:00 -0700", "sleepStart": "2026-05-13 23:30:00 -0700", "inBed": 808.7,
             "sleepEnd": "2026-05-14 07:30:00 -0700", "source": "iPhone"}  # fmt: skip
    body = json.dumps({"data": {"metrics": [{"name": "sleep_analysis", "units": "hr", "data": [night]}]}})
    first, second = (desk.give("HealthAutoExport.json", body) for _ in range(2))
    assert (first.outcome, first.set_aside, second.outcome) == ("ok", 1, "ok")
    assert [one["values"]["in_bed"] for one in desk.held()["episodes"]] == [480]


def test_time_in_bed_lies_in_its_own_times(lite: Store, tmp_path: Path) -> None:
    desk = at_desk(lite, tmp_path, "health_auto_export")
    night = {"date": "2026-05-14 00:00:00 -0700", "sleepStart": "2026-05-13 23:30:00 -0700", "inBed": 520,
             "sleepEnd": "2026-05-14 07:00:00 -0700", "inBedStart": "2026-05-13 23:20:00 -0700", "totalSleep": 430,
             "inBedEnd": "2026-05-14 07:20:00 -0700", "source": "iPhone"}  # fmt: skip
    desk.give(
        "hae.json", json.dumps({"data": {"metrics": [{"name": "sleep_analysis", "units": "min", "data": [night]}]}})
    )
    assert [one["values"]["in_bed"] for one in desk.held()["episodes"]] == [480]


# WHOOP's answer to a request for one's data, and a spreadsheet's dates

REQUESTED = (
    "created_at,activity_id,score,time_in_bed,light_sleep_duration,slow_wave_sleep_duration,rem_sleep_duration,"
    "wake_duration,sleep_need,respiratory_rate,during,timezone_offset,state,is_nap\n"
    "2026-05-01,a,88,28800000,12000000,6000000,7200000,3600000,30000000,15.2,"
    "\"['2026-05-01T04:00:00.500Z','2026-05-01T12:00:00.250Z')\",-0500,complete,false\n"
    "2026-05-01,b,20,1800000,1200000,0,0,600000,,,\"['2026-05-01T19:00:00.000Z','2026-05-01T19:30:00.000Z')\",-0500,complete,t\n"
)


def test_the_sleeps_of_a_data_request_are_whoops(lite: Store, tmp_path: Path) -> None:
    desk = at_desk(lite, tmp_path, "whoop")
    (tmp_path / "Health").mkdir()
    (tmp_path / "Health" / "sleeps.csv").write_text(REQUESTED, encoding="utf-8")
    (tmp_path / "Health" / "metrics_2026.csv").write_text("ts,hr\n1,60\n", encoding="utf-8")
    outcome = desk.imported(tmp_path)
    assert (outcome.outcome, outcome.set_aside) == ("ok", 0)
    night, nap = desk.held()["episodes"]
    assert (night["day"], night["offset"], night["values"]["asleep"]) == ("2026-05-01", -300, 420)
    assert (night["values"]["in_bed"], nap["kind"], nap["values"]["asleep"]) == (480, "nap", 20)
    found = imports.recognise_files(
        [DiskFile(tmp_path / "Health/metrics_2026.csv", "Health/metrics_2026.csv")], registry.specs()
    )
    assert [one.source for one in found.unknown] == ["whoop"]


def test_a_spreadsheet_rewrote_the_export_of_whoop(lite: Store, tmp_path: Path) -> None:
    text = (lab.fixtures("whoop") / "export" / "workouts.csv").read_text(encoding="utf-8")
    desk = at_desk(lite, tmp_path, "whoop")
    desk.give("workouts.csv", text)
    before = [(one["day"], one["label"]) for one in desk.held()["episodes"]]

    def excel(cell: str) -> str:
        try:
            at = datetime.fromisoformat(cell)
        except ValueError:
            return cell
        return f"{at.month}/{at.day}/{at.year} {at:%H:%M}"

    other = at_desk(Store("sqlite://"), tmp_path, "whoop")
    lines = [",".join(excel(cell) for cell in line.split(",")) for line in text.splitlines()]
    assert other.give("workouts.csv", "\n".join(lines)).set_aside == 0
    assert [(one["day"], one["label"]) for one in other.held()["episodes"]] == before


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["7/11/2024", "7/31/2024"], "2024-07-11"),
        (["7/11/2024", "31/7/2024"], "2024-11-07"),
        ([f"7/{day}/2024" for day in range(1, 12)], "2024-07-11"),
        (["7/11/2024", "8/11/2024", "9/11/2024"], "2024-11-07"),
        (["7.11.24"], "2024-11-07"),
        (["7/11/2024", "2024-07-11T06:30:00+02:00"], "2024-07-11"),
        (["7/11/2024 11:05 PM", "7/31/2024 1:00 AM"], "2024-07-11T23:05:00"),
        (["7/11/2024", "31/7/2024", "7/31/2024"], "7/11/2024"),
        (["7/11/2024"], "7/11/2024"),
    ],
)
def test_the_order_of_day_and_month_is_decided_by_all_cells(cells: list[str], expected: str) -> None:
    assert DayOrder(cells).iso(cells[0] if len(cells) < 11 else cells[-1]) == expected


# Samsung's nights without a table of stages

SAMSUNG = (
    "sleep_score,efficiency,total_light_duration,total_rem_duration,com.samsung.health.sleep.start_time,"
    "com.samsung.health.sleep.end_time,com.samsung.health.sleep.time_offset\n"
    "85,90,210,90,2026-03-01 22:30:00.000,2026-03-02 06:30:00.000,UTC+0100\n"
)


@pytest.mark.parametrize("first", ["", "com.samsung.shealth.sleep,6320001,17\n"])
def test_a_night_without_a_table_of_stages_is_what_its_row_says(lite: Store, tmp_path: Path, first: str) -> None:
    desk = at_desk(lite, tmp_path, "samsung_health")
    outcome = desk.give("com.samsung.shealth.sleep.20260301.csv", first + SAMSUNG)
    assert (outcome.outcome, outcome.set_aside) == ("ok", 0)
    (night,) = desk.held()["episodes"]
    told = {
        "asleep": 432,
        "in_bed": 480,
        "light_sleep": 210,
        "rem_sleep": 90,
        "sleep_score": 85,
        "sleep_efficiency": 90,
    }
    assert night["values"] == told


# What an import tells of files and counts


@pytest.mark.parametrize(
    "path",
    [
        "Global Export Data/altitude-2024-01-01.json",
        "Heart Rate Variability/Heart Rate Variability Histogram - 2024-01-01.csv",
        "Physical Activity_GoogleData/active_minutes_2024.csv",
        "demographic_vo2_max-2024-01-01.json",
        "Takeout/Fitbit/anything.csv",
        "Menstrual Health/menstrual_health_cycles.csv",
    ],
)
def test_files_of_a_fitbit_export_are_named_as_such(tmp_path: Path, path: str) -> None:
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("{}", encoding="utf-8")
    (found,) = imports.recognise_files([DiskFile(place, path)], registry.specs()).unknown
    assert found.source == "fitbit"


def test_the_table_counts_nights_and_not_writes(lite: Store, tmp_path: Path) -> None:
    desk = at_desk(lite, tmp_path, "garmin")
    for number in range(3):  # the same night in files that each add to it
        row = NIGHT | {"updateTimestampUTC": f"2026-10-0{number + 2}T00:00:00.0", "napList": []}
        (tmp_path / f"2026-0{number + 1}-01_2026-12-09_1_sleepData.json").write_text(
            json.dumps([row]), encoding="utf-8"
        )
    outcome = desk.imported(tmp_path)
    assert outcome.items["episode"] == len(desk.held()["episodes"]) == 1


def test_days_of_another_year_name_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:05:00+01:00")
    bridge("user", "add", "ana", "--zone", "Europe/Berlin")
    rows = [steps(100, f"{year}-11-02 08:00:00 +0100", f"{year}-11-02 08:10:00 +0100") for year in (2024, 2026)]
    (tmp_path / "export.xml").write_bytes(document(*rows).content)
    bridge("import", str(tmp_path / "export.xml"), "-u", "ana")
    shown = bridge("days", "-u", "ana", "--last", "3000").stdout
    assert "Sat 02 Nov 2024" in shown
    assert "Mon 02 Nov " in shown
    assert "2026" not in shown
