"""A planted relation is found, none is found where none was planted, and nothing is known before it happened."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from typer.testing import CliRunner

from bridge.cli import app, show
from bridge.domain.types import Reading
from bridge.meters import proxy
from bridge.meters.check_in import check_in
from bridge.meters.fuse import spread
from lab.validation import columns, life, protocol, table, validate
from lab.validation.cohort import DAY, Day
from lab.validation.formulas import FORMULAS, Window
from rhythm_env.interface import Meter
from tests.lab.validation import made_up
from tests.samples import sample

pytestmark = pytest.mark.slow

KEYS = {"cohort", "target", "predictor", "median", "iqr", "mean", "ci95", "persons", "days"}


def unseen(name):
    return show.unseen


def results(path):
    return {(r["target"], r["predictor"]): r for r in validate(None, path, unseen)[0].rows}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return results(made_up.write(tmp_path_factory.mktemp("planted") / "study.csv", made_up.rows(8, 60)))


def test_a_planted_relation_is_found(planted) -> None:
    assert planted["energy", "raw sleep hours"]["mean"] == pytest.approx(0.87, abs=0.05)
    assert planted["energy", "Vitality"]["mean"] > 0.35  # hours count up to the need only, the rest is noise here
    assert planted["energy", "Vitality"]["p"] < 0.01
    assert planted["energy", "fitted (leave one person out)"]["mean"] > 0.4


def test_what_was_not_planted_is_not_found(planted) -> None:
    row = planted["mood", "Vitality"]
    assert row["null95"][0] <= row["mean"] <= row["null95"][1]
    assert row["null95"][0] < 0 < row["null95"][1]
    assert row["ci95"][0] < 0 < row["ci95"][1]


def test_every_row_keeps_the_contract(planted) -> None:
    for row in planted.values():
        assert set(row) >= KEYS
        assert (len(row["iqr"]), len(row["ci95"])) == (2, 2)
        assert row["iqr"][0] <= row["median"] <= row["iqr"][1]
        assert row["persons"] == 8
    assert {target for target, _ in planted} == {"energy", "mood", "composite", "share of days"}


def test_what_is_too_good_carries_a_warning(planted) -> None:
    assert "warning" in planted["energy", "Vitality"]
    assert "warning" not in planted["mood", "Vitality"]
    assert "warning" not in planted["energy", "yesterday's own report"]


def test_predictors_of_a_target_share_their_rows(planted) -> None:
    shared = {planted["energy", name]["days"] for name in ("Vitality", "Serenity", "raw sleep hours", "formula C")}
    assert shared == {8 * 60}
    assert planted["energy", "yesterday's own report"]["days"] == 8 * 59


def test_fewer_than_twenty_days_are_left_out(tmp_path) -> None:
    rows = made_up.rows(3, 30)
    for row in rows[:11]:
        row["report_energy"] = ""
    found = results(made_up.write(tmp_path / "study.csv", rows))
    assert found["energy", "Vitality"]["persons"] == 2
    assert found["mood", "Vitality"]["persons"] == 3


def test_nobody_with_enough_days_is_an_empty_table(tmp_path) -> None:
    assert results(made_up.write(tmp_path / "study.csv", made_up.rows(3, 10))) == {}


def test_a_difference_is_paired(planted) -> None:
    ours, theirs = planted["energy", "Vitality"], planted["energy", "raw sleep hours"]
    paired = planted["energy", "Vitality - raw sleep hours"]
    assert paired["mean"] == pytest.approx(ours["mean"] - theirs["mean"], abs=1e-3)


def seen(tmp_path, rows, proxies=None):
    person = table.read(made_up.write(tmp_path / "study.csv", rows)).persons[0]
    proxies = proxies or proxy.shipped()
    readings, mine = life.readings(person, proxies), columns.of_person(person, proxies)
    return [{m: r.level for m, r in one.items()} for one in readings], mine


def test_a_later_night_changes_nothing_before_it(tmp_path) -> None:
    rows = made_up.rows(1, 50)
    before, _ = seen(tmp_path, rows)
    rows[30] |= {
        "asleep_min": "200",
        "deep_min": "20",
        "vendor_sleep_score": "20",
        "hrv_rmssd_ms": "20",
        "steps": "90000",
    }
    after, _ = seen(tmp_path, rows)
    assert before[:30] == after[:30]
    assert before[30][Meter.VITALITY] > after[30][Meter.VITALITY]


def test_steps_of_a_day_are_not_known_in_it(tmp_path) -> None:
    rows = made_up.rows(1, 50)
    counted = proxy.with_changes({"VITALITY": {"steps": {"weight": 0.15}}}, tmp_path / "meters.toml")
    before, _ = seen(tmp_path, rows, counted)
    rows[30]["steps"] = "40000"
    after, found = seen(tmp_path, rows, counted)
    assert before[:31] == after[:31]
    assert before[31] != after[31]
    assert found.predictors["steps yesterday"][31] == 40000


def test_a_report_before_waking_knows_nothing_of_the_night(tmp_path) -> None:
    rows = made_up.rows(1, 50)
    rows[30] |= {"report_hour": "3"}
    before, first = seen(tmp_path, rows)
    rows[30] |= {"asleep_min": "200", "hrv_rmssd_ms": "20", "vendor_sleep_score": "20", "resting_hr_bpm": "80"}
    after, second = seen(tmp_path, rows)
    assert before[30] == after[30]
    for name, values in first.predictors.items():
        assert np.array_equal(values[30], second.predictors[name][30], equal_nan=True), name
    assert second.rows[30] != 1


def test_sdnn_of_a_night_is_read_in_the_report_after_it(tmp_path) -> None:
    rows = [{**row, "hrv_rmssd_ms": "", "hrv_sdnn_ms": "55"} for row in made_up.rows(1, 50)]
    before, _ = seen(tmp_path, rows)
    rows[30]["hrv_sdnn_ms"] = "20"
    after, _ = seen(tmp_path, rows)
    assert before[:30] == after[:30]
    assert before[30][Meter.VITALITY] > after[30][Meter.VITALITY]


def test_a_garmin_day_counts_when_it_is_over(tmp_path) -> None:
    rows = [{**row, "stress_garmin": f"{20 + k % 50}"} for k, row in enumerate(made_up.rows(1, 40))]
    _, told = seen(tmp_path, rows)
    assert told.predictors["vendor stress (Garmin)"][5] == -24
    _, through = seen(tmp_path, [{**row, "report_hour": ""} for row in rows])
    assert through.predictors["vendor stress (Garmin)"][5] == -25


def test_check_ins_know_earlier_answers_only() -> None:
    days = [Day(date=made_up.FIRST.replace(day=k), reports={"energy": float(k % 5)}) for k in range(2, 30)]
    answers = {day.date: day.reports["energy"] for day in days}
    at = days[18].asked
    known = columns.given(days, answers).about(Meter.VITALITY, at)
    assert len(known) == 18
    assert max(when for when, _ in known) < at
    assert {score for _, score in known} == {1.0, 2.0, 3.0, 4.0, 5.0}
    kept = sorted(columns.every(answers, 3))
    assert {(b - a).days for a, b in pairwise(kept)} == {3}


def test_a_check_in_by_hand() -> None:
    sd = spread(Meter.VITALITY, 0.7, 1.0)  # as much known as normal weighs
    reading = Reading(level=0.7, sd=sd, coverage=1.0)
    day = Day(date=made_up.FIRST, reports={"energy": 1.0})
    given = columns.given([day], {day.date: 1.0})
    said = check_in(given, Meter.VITALITY, day.asked + DAY)
    row = proxy.shipped().of(Meter.VITALITY)["check_in"]
    trust = row.weight * said.quality
    assert columns.fused(reading, given, row, day.asked + DAY) == pytest.approx(trust * said.z / (2 + trust))
    assert columns.fused(reading, given, row, day.asked) == pytest.approx(0)
    assert columns.fused(reading, given, row, day.asked + 30 * DAY) == pytest.approx(0)


def test_an_own_past_that_repeats_itself_is_worth_asking_for(tmp_path) -> None:
    rows = made_up.rows(5, 60)
    for k, row in enumerate(rows):
        row["report_mood"] = str(1 + (k // 10) % 2)
    found = results(made_up.write(tmp_path / "study.csv", rows))
    assert found["mood", "Vitality + daily check-in - Vitality"]["ci95"][0] > 0.1


def test_the_fit_never_sees_the_person_it_is_tried_on(tmp_path) -> None:
    cohort = table.read(made_up.write(tmp_path / "study.csv", made_up.rows(4, 40)))
    people = [columns.of_person(person, proxy.shipped()) for person in cohort.persons]
    use = [one.rows > 0 for one in people]
    before = protocol.leave_one_out(people, "energy", use)
    people[2].targets["energy"][:] = people[2].targets["energy"][::-1]
    after = protocol.leave_one_out(people, "energy", use)
    assert before[2] == pytest.approx(after[2], rel=1e-12)  # sums of other threads differ in the last digit
    assert not (before[1] == after[1]).all()


@pytest.mark.parametrize("name", list(FORMULAS))
def test_formulas_prefer_a_good_night(tmp_path, name) -> None:
    rows = made_up.rows(1, 30)
    rows[-1] |= {"asleep_min": "500", "in_bed_min": "520", "hrv_rmssd_ms": "70", "resting_hr_bpm": "52"}
    good = table.read(made_up.write(tmp_path / "good.csv", rows)).persons[0].days
    rows[-1] |= {"asleep_min": "260", "in_bed_min": "400", "hrv_rmssd_ms": "25", "resting_hr_bpm": "70"}
    bad = table.read(made_up.write(tmp_path / "bad.csv", rows)).persons[0].days
    scores = [FORMULAS[name](Window(today=days[-1], before=days[:-1])) for days in (good, bad)]
    assert scores[0] > scores[1] + 10


def test_a_cohort_without_sleep_uses_the_days_with_any_input(tmp_path) -> None:
    rows = made_up.rows(3, 40)
    nothing = ("sleep_onset", "wake", *(name for name in rows[0] if name.endswith("_min")), "vendor_sleep_score")
    found = results(made_up.write(tmp_path / "study.csv", [{**row, **dict.fromkeys(nothing, "")} for row in rows]))
    assert found["energy", "Vitality"]["days"] == 3 * 40
    assert ("energy", "raw sleep hours") not in found


def test_the_command_prints_one_array(tmp_path) -> None:
    path = made_up.write(tmp_path / "study.csv", made_up.rows(3, 30))
    done = CliRunner().invoke(app, ["validate-meters", "--table", str(path), "--json"])
    assert done.exit_code == 0, done.output
    assert all(set(row) >= KEYS for row in json.loads(done.stdout))


def test_an_earlier_run_is_shown_beside(tmp_path) -> None:
    path, earlier, page = (
        made_up.write(tmp_path / "study.csv", made_up.rows(3, 30)),
        tmp_path / "a.json",
        tmp_path / "b",
    )
    run = ["validate-meters", "--table", str(path)]
    earlier.write_text(CliRunner().invoke(app, [*run, "--json"]).stdout)
    done = CliRunner().invoke(app, [*run, "--before", str(earlier), "--json"])
    assert all(row["before"] == {"mean": row["mean"], "ci95": row["ci95"]} for row in json.loads(done.stdout))
    assert CliRunner().invoke(app, [*run, "--before", str(earlier), "--write", str(page)]).exit_code == 0
    assert "| mean before |" in page.read_text()
    assert "bridge validate-meters --json" in str(CliRunner().invoke(app, [*run, "--before", str(path)]).exception)


def test_the_command_reads_lifesnaps_and_writes_between_the_marks(tmp_path) -> None:
    made_up.lifesnaps_folder(tmp_path / "data" / "wellness" / "lifesnaps")
    page = tmp_path / "page.md"
    page.write_text("# Ours\n\n<!-- table -->\nold\n<!-- /table -->\n\nby hand\n")
    done = CliRunner().invoke(app, ["validate-meters", "--data", str(tmp_path / "data"), "--write", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "old" not in text
    assert text.endswith("by hand\n")
    assert "LifeSnaps: energy" in text
    assert "`bridge validate-meters --data data --write FILE`" in text
    assert str(tmp_path) not in text
    assert "LifeSnaps: energy" in done.stdout


def test_nothing_found_says_what_was_looked_for(tmp_path) -> None:
    done = CliRunner().invoke(app, ["validate-meters", "--data", str(tmp_path)])
    assert done.exit_code != 0
    assert "semas_prompts.csv" in str(done.exception)
    assert "--table" in str(CliRunner().invoke(app, ["validate-meters"]).exception)


def test_the_meters_on_the_real_cohorts() -> None:
    found = {
        (r["cohort"], r["target"], r["predictor"]): r
        for one in validate(sample("wellness"), None, unseen)
        for r in one.rows
    }
    vitality = found["LifeSnaps", "energy", "Vitality"]
    serenity = found["LifeSnaps", "valence", "Serenity"]
    assert (vitality["persons"], vitality["days"]) == (34, 1572)
    assert vitality["mean"] >= 0.10
    assert serenity["mean"] >= 0.09
    assert min(vitality["ci95"][0], serenity["ci95"][0]) > 0
    assert not any("warning" in row for row in found.values())
    for target in ("energy", "valence", "calm", "composite"):
        for meter in ("Vitality", "Serenity"):
            for other in ("formula A", "formula B"):
                assert found["LifeSnaps", target, f"{meter} - {other}"]["mean"] > 0
    assert found["LifeSnaps", "energy", "Vitality - vendor sleep score"]["mean"] > 0
    assert found["Welltory", "how_feel", "HRV z + HR z"]["ci95"][0] > 0
