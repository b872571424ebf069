"""Diaries: the product's own meters find a planted relation, a turned sign is seen, and bad cells are counted."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge.cli import app, show
from bridge.meters import proxy
from lab.validation import diary, diary_ranks

MONDAY = datetime(2024, 3, 4, tzinfo=UTC)
COLUMNS = (
    *("person", "at", "company", "demands", "wake", "sleep_onset"),
    *("report_close", "report_calm", "report_rested", "report_noise"),
)


def evenings(people: int = 6, days: int = 30) -> list[dict[str, str]]:
    """Evenings on which people feel close as far as they had company, calm as far as little was asked of them, and
    rested as far as they slept.
    """
    draw, rows = random.Random(47), []
    for person in range(people):
        for day in range(days):
            company, demands, slept = draw.random(), draw.random(), draw.uniform(4, 8)
            rows.append(
                {
                    "person": f"p{person}",
                    "at": f"{MONDAY + timedelta(days=day, hours=21):%Y-%m-%dT%H:%M}",
                    "company": f"{company:.2f}",
                    "demands": f"{demands:.2f}",
                    "wake": "07:10",
                    "sleep_onset": f"{MONDAY + timedelta(days=day, hours=7 - slept):%Y-%m-%dT%H:%M}",
                    "report_close": f"{company + draw.gauss(0, 0.3):.2f}",
                    "report_calm": f"{draw.gauss(0, 0.3) - demands:.2f}",
                    "report_rested": f"{slept + draw.gauss(0, 1):.2f}",
                    "report_noise": f"{draw.random():.2f}",
                }
            )
    return rows


def write(path: Path, rows, delimiter: str = ",") -> Path:
    lines = [COLUMNS, *([row[name] for name in COLUMNS] for row in rows)]
    path.write_text("\n".join(delimiter.join(line) for line in lines), encoding="utf-8")
    return path


def figures(path: Path, proxies=None):
    rows = diary_ranks.compared(diary.read(path), proxies or proxy.shipped(), show.unseen)
    return {(row["meter"], row["report"]): row for row in rows}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return figures(write(tmp_path_factory.mktemp("diary") / "made.csv", evenings()))


def test_a_planted_relation_is_found_and_no_other(planted) -> None:
    assert planted["CONNECTION", "close"]["interval"][0] > 0.2
    assert planted["SERENITY", "calm"]["interval"][0] > 0.2
    assert planted["VITALITY", "rested"]["interval"][0] > 0.2
    for meter in ("CONNECTION", "SERENITY", "VITALITY"):
        low, high = planted[meter, "noise"]["interval"]
        assert low < 0 < high
    assert planted["CONNECTION", "close"]["persons"] == 6
    assert planted["CONNECTION", "close"]["prompts"] == 180
    assert planted["PROGRESS", "calm"] == {
        **planted["PROGRESS", "calm"],
        "mean": None,
        "interval": [None, None],
        "persons": 0,
    }


@pytest.mark.parametrize(
    ("meter", "rows", "report"),
    [
        ("CONNECTION", ("company", "company_now"), "close"),
        ("SERENITY", ("meetings",), "calm"),
        ("VITALITY", ("sleep",), "rested"),
    ],
)
def test_a_turned_sign_of_a_meter_is_seen(tmp_path, meter: str, rows, report: str) -> None:
    known = {row.signal: row.direction for row in proxy.shipped().rows if row.meter == meter}
    turned = {meter: {name: {"direction": -known[name]} for name in rows if name in known}}
    proxies = proxy.with_changes(turned, tmp_path / "meters.toml")
    assert figures(write(tmp_path / "made.csv", evenings()), proxies)[meter, report]["interval"][1] < 0


def afternoons() -> list[dict[str, str]]:
    """Workdays with prompts from 9:00 to 18:00, of people who tire after 13:00."""
    draw, rows = random.Random(13), []
    for row in evenings(6, 10):
        for hour in (9, 11, 13, 15, 16, 18):
            tired = max(hour - 13, 0) / 5 + draw.gauss(0, 0.4)
            at = f"{row['at'][:10]}T{hour:02}:00"
            rows.append({**row, "at": at, "wake": "", "sleep_onset": "", "report_rested": f"{-tired:.2f}"})
    return rows


def test_a_workday_tires_and_a_turned_sign_would_refresh(tmp_path) -> None:
    path = write(tmp_path / "made.csv", afternoons())
    turned = proxy.with_changes({"COGNITION": {"workday": {"direction": -1}}}, tmp_path / "meters.toml")
    right, wrong = (figures(path, proxies)["COGNITION", "rested"]["interval"] for proxies in (None, turned))
    assert right[0] > 0.2
    assert wrong[1] < 0


def test_the_hour_alone_and_the_last_report_stand_beside(tmp_path) -> None:
    """Reports that fall over the day, every prompt as the one before on a day of its own level."""
    draw, rows = random.Random(7), []
    for row in evenings(4, 20):
        level = draw.gauss(0, 2)
        for hour in (9, 13, 17, 21):
            at = f"{row['at'][:10]}T{hour:02}:00"
            rows.append({**row, "at": at, "report_close": f"{level - hour / 4:.2f}"})
    row = figures(write(tmp_path / "made.tsv", rows, "\t"))["CONNECTION", "close"]
    assert row["hour_alone"]["mean"] > 0.3
    assert row["last_own_report"]["mean"] > 0.3
    assert row["minus_hour"]["mean"] == pytest.approx(row["mean"] - row["hour_alone"]["mean"], abs=2e-4)


def test_the_command_prints_a_document_and_a_table(tmp_path) -> None:
    path = write(tmp_path / "made.csv", evenings(3, 14))
    done = CliRunner().invoke(app, ["validate-meters", "--diary", str(path), "--json"])
    rows = json.loads(done.stdout)
    assert {row["meter"] for row in rows} == {"VITALITY", "COGNITION", "PROGRESS", "SERENITY", "CONNECTION"}
    assert {"mean", "interval", "persons", "hour_alone", "last_own_report"} <= set(rows[0])
    table = CliRunner().invoke(app, ["validate-meters", "--diary", str(path)])
    assert "beside the hour alone and the last report" in table.stdout
    assert all(len(line) <= 80 for line in table.stdout.splitlines())


def test_bad_cells_are_counted_and_lose_nothing_else(tmp_path) -> None:
    rows = evenings(1, 8)
    rows[0]["company"], rows[1]["wake"], rows[2]["at"], rows[3]["demands"] = "1.5", "soon", "yesterday", "NA"
    rows[4]["at"], rows[5]["person"], rows[4]["sleep_onset"] = rows[6]["at"], "", ""
    told = diary.read(write(tmp_path / "made.csv", rows))
    assert dict(told.aside) == {
        "an impossible value: company": 1,
        "a cell that is not a time: wake": 1,
        "a cell that is not a time: at": 1,
        "a row without person or time": 2,
        "a second row for the same time": 1,
    }
    assert [len(prompts) for prompts in told.people.values()] == [5]


@pytest.mark.parametrize(
    ("header", "said"), [("person,report_x", "no column at"), ("person,at,company", "no column report_NAME")]
)
def test_a_table_without_its_columns_is_refused_in_words(tmp_path, header: str, said: str) -> None:
    path = tmp_path / "made.csv"
    path.write_text(header + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["validate-meters", "--diary", str(path)])
    assert said in str(done.exception)


def test_a_report_never_moves_a_meter(tmp_path) -> None:
    rows = evenings(1, 10)
    other = [{**row, "report_close": "0", "report_calm": "9"} for row in rows]
    mine, theirs = (diary.read(write(tmp_path / "made.csv", some)).people["p0"] for some in (rows, other))
    assert diary.levels(mine, proxy.shipped()) == diary.levels(theirs, proxy.shipped())
