"""A small life in the loop by the real command, and that the same people live the same lives again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import main
from lab.closed_loop.ablations import Arm
from lab.closed_loop.living import lived

pytestmark = pytest.mark.timeout(600)  # a busy machine is no reason to fail

FIGURES = (
    "acceptance",
    "suggestions_accepted",
    "advice_per_day",
    "suggestions_per_day",
    "silent",
    "dosage",
    "reward_vs_oracle",
    "interactions_to_80pct",
    "belief_mae",
    "meter_correlation",
    "interval_coverage",
)
METERS = {"VITALITY", "COGNITION", "PROGRESS", "SERENITY", "CONNECTION"}


def bridge(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BRIDGE_HOME": str(home), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bridge", "live", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=590)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """Two people for a week, with the tables and the picture."""
    folder = tmp_path_factory.mktemp("live")
    where = ("--write", str(folder / "LIVE.md"), "--picture", str(folder / "live.svg"))
    asked = ("--people", "2", "--weeks", "1", "--policy", "planner,random,planner:old", "--processes", "1", "--json")
    done = bridge(*asked, *where, home=folder / "home")
    assert done.returncode == 0, done.stderr
    assert not (folder / "home").exists()  # the person's own installation is not touched
    return json.loads(done.stdout), folder


@pytest.mark.slow
def test_every_figure_has_a_mean_and_an_interval(small: tuple[dict[str, Any], Path]) -> None:
    body, _ = small
    assert body["policy"] == "planner"
    assert [one["policy"] for one in body["policies"]] == ["planner", "random", "planner:old"]
    for one in [body, *body["policies"], body["oracle"]]:
        for name in FIGURES:
            low, high = one[name]["ci95"]
            assert low <= one[name]["mean"] <= high
        assert set(one["meters"]) == METERS
        assert 0 <= one["acceptance"]["mean"] <= 1
        assert one["advice_per_day"]["mean"] == pytest.approx(4 * (1 - one["silent"]["mean"]))
        assert 0 <= one["silent_by_lot"]["mean"] <= one["silent"]["mean"] + 1e-9
        assert 0 < one["dosage"]["mean"] < one["advice_per_day"]["mean"] / 4
        assert one["classifier_accuracy"]["mean"] > 0.8
    for one in [*body["policies"][:2], body["oracle"]]:
        assert 0 < one["suggestions_per_day"]["mean"] <= 3  # by default a person wishes for three at most
    assert body["policies"][1]["reward_vs_oracle"]["mean"] == 0
    assert body["oracle"]["reward_vs_oracle"]["mean"] == pytest.approx(1)
    assert body["oracle"]["belief_mae"]["mean"] < 0.01
    assert body["policies"][1]["belief_mae"]["mean"] > 0.01
    assert [one["over"] for one in body["paired"]] == ["random", "planner:old"]
    assert sum(body["sources"].values()) == 2


@pytest.mark.slow
def test_without_a_plan_every_slot_gets_advice(small: tuple[dict[str, Any], Path]) -> None:
    with_plan, _, alone = small[0]["policies"]
    assert alone["advice_per_day"]["mean"] == alone["suggestions_per_day"]["mean"] == 4
    assert alone["dosage"]["mean"] > with_plan["dosage"]["mean"] + 0.05
    assert 4 > with_plan["advice_per_day"]["mean"] > with_plan["suggestions_per_day"]["mean"]


@pytest.mark.slow
def test_tables_and_picture_are_written(small: tuple[dict[str, Any], Path]) -> None:
    _, folder = small
    text = (folder / "LIVE.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- live -->")
    assert "| planner |" in text
    assert "| Vitality |" in text
    assert (folder / "live.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.slow
def test_a_person_lives_the_same_life_again(small: tuple[dict[str, Any], Path]) -> None:
    """A life depends on its seed and its policy alone, not on other lives or the process."""
    again = lived(1, Arm(policy="random"), 1)
    told = small[0]["policies"][1]["lives"][1]
    assert (told["seed"], told["source"]) == (1, again.source) == (1, "garmin")
    given = [answer for answer in again.answers if answer is not None]
    assert told["acceptance"] == pytest.approx(sum(answer == "ACCEPT" for answer in given) / len(given), abs=1e-12)
    assert 14 < len(given) < 28 == len(again.answers)
    assert told["mean_level"] == pytest.approx(sum(again.weighted) / 28, abs=1e-12)


def test_a_policy_that_is_not_there_is_said_before_anybody_lives(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ablated = [(["--policy", name, "--ablation"], f"which {name} cannot use") for name in ("heuristic", "network")]
    alone = (["--policy", "planner:old", "--ablation"], "without :old")
    for arguments, word in ((["--policy", "nobody:old"], "nobody"), *ablated, alone):
        monkeypatch.setattr(sys, "argv", ["bridge", "live", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert word in capsys.readouterr().err
