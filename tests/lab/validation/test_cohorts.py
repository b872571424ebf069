"""Tables and LifeSnaps folders become people with days; what cannot be read is counted and costs nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bridge.domain.errors import SetupError
from lab.validation import lifesnaps, table
from tests.lab.validation import made_up


def test_a_table_becomes_people_with_days(tmp_path) -> None:
    cohort = table.read(made_up.write(tmp_path / "study.csv", made_up.rows(2, 30)))
    assert (cohort.name, len(cohort.persons), not cohort.aside) == ("study", 2, True)
    day = cohort.persons[0].days[0]
    assert day.date == made_up.FIRST
    assert set(day.reports) == {"energy", "mood"}
    assert day.asked == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert day.night_known


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"date": "yesterday"}, "a row without person or date"),
        ({"person": " "}, "a row without person or date"),
        ({"steps": "many"}, "a cell that is not a number: steps"),
        ({"report_energy": "good"}, "a cell that is not a number: report_energy"),
        ({"hrv_rmssd_ms": "-3"}, "an impossible value: hrv_rmssd_ms"),
        ({"resting_hr_bpm": "inf"}, "an impossible value: resting_hr_bpm"),
        ({"report_hour": "31"}, "an impossible value: report_hour"),
        ({"wake": "early"}, "a cell that is not a time: wake"),
        ({"wake": "2026-03-09T07:00"}, "a night that ended on another date than the row's"),
        ({"sleep_onset": "2026-03-02T08:00"}, "a night that ended before it began, or lasted over a day"),
    ],
)
def test_what_cannot_be_read_is_counted(tmp_path, change, reason) -> None:
    rows = made_up.rows(1, 30)
    rows[0] |= change
    cohort = table.read(made_up.write(tmp_path / "study.csv", rows))
    assert dict(cohort.aside) == {reason: 1}
    assert len(cohort.persons[0].days) >= 29


def test_a_second_row_for_a_day_is_set_aside(tmp_path) -> None:
    rows = made_up.rows(1, 30)
    cohort = table.read(made_up.write(tmp_path / "study.csv", [*rows, rows[3]]))
    assert dict(cohort.aside) == {"a second row for the same day": 1}


def test_blanks_are_missing_and_not_zero(tmp_path) -> None:
    rows = made_up.rows(1, 30)
    rows[0] |= {"asleep_min": "", "steps": "NaN", "report_mood": "", "wake": ""}
    cohort = table.read(made_up.write(tmp_path / "study.csv", rows))
    day = cohort.persons[0].days[0]
    assert not {"asleep_min", "steps"} & set(day.values)
    assert "mood" not in day.reports
    assert not cohort.aside
    assert day.slept == pytest.approx(sum(float(rows[0][f"{s}_min"]) for s in ("deep", "light", "rem")) / 60)


def test_a_night_not_over_at_the_report_is_not_known(tmp_path) -> None:
    rows = made_up.rows(1, 30, hour="6.5")
    rows[1] |= {"sleep_onset": "", "wake": ""}
    days = table.read(made_up.write(tmp_path / "study.csv", rows)).persons[0].days
    assert not days[0].night_known  # woke after seven
    assert days[1].night_known  # nobody says when: awake to answer


@pytest.mark.parametrize("text", ["", "person;date\n", "person\nana\n"])
def test_what_is_no_table_says_so(tmp_path, text) -> None:
    path = tmp_path / "study.csv"
    path.write_text(text)
    with pytest.raises(SetupError, match="has no column"):
        table.read(path)


def test_a_table_that_is_not_there(tmp_path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        table.read(tmp_path / "none.csv")


def test_prompts_are_coded_and_averaged_over_the_day(tmp_path) -> None:
    folder = made_up.lifesnaps_folder(tmp_path, persons=1, days=2)
    said = ("ALERT", "HAPPY", "NEUTRAL", "RESTED/RELAXED", "SAD", "TENSE/ANXIOUS", "TIRED")
    made_up.write(folder / lifesnaps.PROMPTS, [made_up._prompt("u0", "2026-03-02", word) for word in said])
    day = lifesnaps.read(folder).persons[0].days[0]
    assert day.reports == pytest.approx({"energy": 2 / 7, "valence": 0, "calm": 0})


def test_a_day_fitbit_did_not_score_is_missing(tmp_path) -> None:
    cohort = lifesnaps.read(made_up.lifesnaps_folder(tmp_path))
    days = [day for person in cohort.persons for day in person.days]
    assert any("stress_fitbit" not in day.values for day in days)
    assert all(day.values.get("stress_fitbit", 60) >= 60 for day in days)
    assert days[0].values["vendor_sleep_score"] == 75
    assert cohort.assumed
