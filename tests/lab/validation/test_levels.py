"""Shares of days near normal, of nights below the need, and of slots at the most frequent level, on planted lives."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from lab.validation import levels, validate
from tests.lab.validation import made_up

pytestmark = pytest.mark.slow


def shares(found):
    return {row["predictor"]: row for row in found.rows if row["target"] == levels.TARGET}


def study(path: Path, change):
    rows = [{**row, **change(k, row)} for k, row in enumerate(made_up.rows(3, 60))]
    return shares(validate(None, made_up.write(path, rows), lambda _name: lambda _done, _total: None)[0])


def test_nights_below_the_need_are_counted(tmp_path: Path) -> None:
    """A person who sleeps eight hours, and 5.5 hours in one night of four."""

    def slept(k, _row):
        return {"asleep_min": "330" if k % 4 == 0 else "480", "deep_min": "", "light_min": "", "rem_min": ""}

    row = study(tmp_path / "study.csv", slept)["nights below the need"]
    assert row["mean"] == pytest.approx(0.25, abs=0.02)
    assert (row["persons"], row["days"]) == (3, 3 * 53)


def test_days_near_normal_are_counted_where_the_meter_is_known(tmp_path: Path) -> None:
    def still(_k, _row):
        night = {"asleep_min": "430", "in_bed_min": "465", "deep_min": "77", "light_min": "258", "rem_min": "95"}
        same = {"hrv_rmssd_ms": "45", "resting_hr_bpm": "58", "steps": "8000", "vendor_sleep_score": "77"}
        return {**night, **same, "sleep_onset": "", "wake": "", "awake_min": "35"}

    moving, one_night = (study(tmp_path / f"{k}.csv", change) for k, change in enumerate((lambda _k, _row: {}, still)))
    assert moving["Vitality within .02 of .70"]["mean"] < 0.35
    assert one_night["Vitality within .02 of .70"]["iqr"][0] in (0, 1)  # every day is alike
    assert "Progress within .02 of .70" not in moving


def calendar(path: Path, days: int, often: float) -> None:
    rng, first = random.Random(days), date(2022, 1, 3)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//made up//EN"]
    for number in range(days):
        day = first + timedelta(days=number)
        for title in ("Write report", "Team meeting", "Dinner with friends"):
            if rng.random() < often:
                start = datetime(day.year, day.month, day.day, rng.randint(8, 19), tzinfo=UTC)
                lines += [
                    "BEGIN:VEVENT",
                    f"UID:{number}-{title}",
                    f"SUMMARY:{title}",
                    f"DTSTART:{start:%Y%m%dT%H%M%S}Z",
                ]
                lines += [f"DTEND:{start + timedelta(hours=1):%Y%m%dT%H%M%S}Z", "END:VEVENT"]
    path.write_text("\r\n".join([*lines, "END:VCALENDAR", ""]), encoding="utf-8")


def test_a_full_calendar_moves_and_a_short_one_is_set_aside(tmp_path: Path) -> None:
    calendar(tmp_path / "full.ics", 800, 0.6)
    calendar(tmp_path / "short.ics", 100, 0.6)
    result = validate(None, None, lambda _name: lambda _done, _total: None, calendars=tmp_path)[0]
    found = shares(result)
    assert result.aside == {"calendars of under two years": 1}
    for name in ("Cognition", "Progress", "Serenity", "Connection"):
        assert found[f"{name}: slots known"]["mean"] > 0.5
        assert found[f"{name}: at the most frequent level"]["mean"] < 0.5
        assert found[f"{name}: slots known"]["days"] == 3 * 112


def test_a_calendar_of_work_alone_does_not_tell_company(tmp_path: Path) -> None:
    calendar(tmp_path / "a.ics", 800, 0.5)
    text = (tmp_path / "a.ics").read_text(encoding="utf-8").replace("Dinner with friends", "Pay invoices")
    (tmp_path / "a.ics").write_text(text, encoding="utf-8")
    found = shares(validate(None, None, lambda _name: lambda _done, _total: None, calendars=tmp_path)[0])
    assert found["Connection: slots known"]["mean"] == 0
    assert "Connection: at the most frequent level" not in found


def test_the_command_reads_calendars_and_names_them(tmp_path: Path) -> None:
    folder = tmp_path / "calendars"
    folder.mkdir()
    calendar(folder / "full.ics", 800, 0.6)
    target = tmp_path / "README.md"
    result = CliRunner().invoke(app, ["validate-meters", "--calendars", str(folder), "--write", str(target)])
    assert result.exit_code == 0
    assert "`bridge validate-meters --calendars calendars --write FILE`" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(("how", "least"), [("every 3 days", 0.06), ("every 7 days", 0.03)])
def test_answers_now_and_then_help_people_whose_moods_last(tmp_path: Path, how: str, least: float) -> None:
    """A mood that drifts over two weeks makes a third of the answers, the night a twentieth, and chance all else."""
    rng, rows, mood = random.Random(3), made_up.rows(8, 90), 0.0
    for row in rows:
        mood = 0.93 * mood + 0.37 * rng.gauss(0, 1)
        night = (float(row["asleep_min"]) - 430) / 50
        row["report_energy"] = f"{0.58 * mood + 0.22 * night + 0.78 * rng.gauss(0, 1):.2f}"
    found = validate(None, made_up.write(tmp_path / "study.csv", rows), lambda _name: lambda _done, _total: None)[0]
    gain = next(
        row
        for row in found.rows
        if (row["target"], row["predictor"]) == ("energy", f"Vitality + check-in {how} - Vitality")
    )
    assert gain["mean"] > least
