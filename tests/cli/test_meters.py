"""``bridge meters``, ``explain`` and ``meters map`` on the demo person's whole life, synced over HTTP once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import app as cli
from bridge.cli.meters import spark
from bridge.cli.show import SPARKS
from bridge.domain.errors import SetupError
from bridge.domain.types import Reading
from lab.people.demo import stage
from tests.commands import bridge

Run = Callable[..., Any]
METERS = ["VITALITY", "COGNITION", "PROGRESS", "SERENITY", "CONNECTION"]


@pytest.fixture
def ana(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs commands of ana, who has an export and a WHOOP account; JSON comes back read."""
    with stage(seed=5) as (_, downloads):

        def run(*arguments: str) -> Any:
            capsys.readouterr()
            assert not cli(arguments, standalone_mode=False)
            printed = capsys.readouterr().out
            return json.loads(printed) if "--json" in arguments else printed

        run("user", "add", "ana", "--zone", "Europe/Berlin")
        run("connect", "whoop", "--user", "ana")
        run("connect", "google_calendar", "--user", "ana")
        run("import", str(downloads[0]), "--user", "ana")
        run("sync", "--user", "ana")
        yield run


def test_a_life_as_table_document_picture_and_explanation(ana: Run, tmp_path: Path) -> None:
    told = ana("meters", "--user", "ana", "--days", "14")
    assert all(meter.capitalize() in told for meter in METERS)
    assert sum(told.count(block) for block in SPARKS) > 50
    assert "Cognition *" in told
    assert "* not validated" in told
    assert "not fresh" not in told

    picture = tmp_path / "meters.png"
    found = ana("meters", "--user", "ana", "--days", "3", "--plot", str(picture), "--json")
    assert list(found["meters"]) == METERS
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(found["history"]) == 13
    for name, reading in found["meters"].items():
        assert {"level", "sd", "coverage", "because", "note", "validity", "model"} <= set(reading), name
        assert (reading["validity"] is None) == (name not in ("VITALITY", "SERENITY"))
        shares = sum(one["contribution"] for one in reading["because"])
        assert shares == pytest.approx(reading["level"] - 0.70, abs=2e-3)
        facts = reading["facts"]
        assert [round(one["contribution"], 4) for one in reading["because"]] == [one["weight"] for one in facts]
        assert all({"kind", "values", "title"} <= set(one) for one in facts)

    serenity = ana("explain", "--user", "ana", "--meter", "serenity", "--json")
    assert {one["signal"] for one in serenity["inputs"]} == {"stress", "hrv_trend", "meetings", "sleep", "check_in"}
    assert all(one["citation"] for one in serenity["inputs"])
    assert next(one for one in serenity["inputs"] if one["signal"] == "check_in")["contribution"] is None
    assert "not validated" in ana("explain", "--user", "ana", "--meter", "connection")

    before = ana("meters", "--user", "ana", "--json")["meters"]["VITALITY"]
    ana("checkin", "1", "--user", "ana")
    ana("meters", "map", "--set", "vitality.check_in=2")
    after = ana("meters", "--user", "ana", "--json")
    assert after["map"].startswith("5+")
    assert after["meters"]["VITALITY"]["level"] < before["level"]


def test_nothing_known_is_null_with_a_reason_and_normal_for_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    cli(("user", "add", "new", "--zone", "Asia/Tokyo"), standalone_mode=False)
    capsys.readouterr()
    cli(("meters", "--user", "new", "--json"), standalone_mode=False)
    printed = capsys.readouterr()
    assert "bridge connect" in printed.err
    for name, reading in json.loads(printed.out)["meters"].items():
        assert (reading["level"], reading["coverage"]) == (None, 0)
        assert reading["note"]
        assert reading["model"]["coverage"] == 0
        assert name == "PROGRESS" or reading["model"]["level"] == 0.70


def test_the_map_is_viewed_changed_compared_and_reset(capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert not cli(("meters", "map", *arguments, "--json"), standalone_mode=False)
        return json.loads(capsys.readouterr().out)

    shipped = run()
    assert shipped["version"] == "5"
    assert all({"meter", "signal", "inputs", "direction", "weight", "citation"} <= set(one) for one in shipped["rows"])
    assert run("--diff") == []
    changed = run("--set", "vitality.steps=0.9", "--set", "VITALITY.hrv.direction=-1")
    assert changed["version"] != shipped["version"]
    assert {(one["row"], one["what"], one["yours"]) for one in run("--diff")} == {
        ("vitality.steps", "weight", 0.9),
        ("vitality.hrv", "direction", -1),
    }
    for wrong in (
        "vitality.steps=lots",
        "vitality=1",
        "vitality.luck=1",
        "vitality.steps=-1",
        "vitality.steps.source=1",
        "vitality.steps.direction=inf",
        "vitality.steps.direction=nan",
        "vitality.steps.direction=-1.9",
    ):
        with pytest.raises(SetupError):
            run("--set", wrong)
        assert run()["version"] == changed["version"], wrong
    assert run("--reset")["version"] == shipped["version"]


def test_what_is_no_meter_or_nobody_is_said_so() -> None:
    for arguments, said in (
        (("meters",), "bridge user add NAME"),
        (("explain", "--user", "x", "--meter", "mood"), "vitality, cognition, progress, serenity, connection"),
    ):
        done = bridge(*arguments)
        assert done.returncode == 2
        assert said in done.stderr


def test_a_spark_line_is_as_wide_as_it_is_told_and_blank_where_nothing_is_known() -> None:
    low, high, none = (Reading(level=x, sd=0.1, coverage=c) for x, c in ((0.1, 1), (0.98, 1), (0.7, 0)))
    assert spark([low, none, high]) == f"{SPARKS[0]} {SPARKS[-1]}"
    assert len(spark([low] * 1000)) <= 28
