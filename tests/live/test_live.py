"""A small life in the loop by the real command, and that the same people live the same lives again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FIGURES = (
    "acceptance",
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
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=110)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """Two people for a week, with the tables and the picture; in two processes."""
    folder = tmp_path_factory.mktemp("live")
    where = ("--write", str(folder / "LIVE.md"), "--picture", str(folder / "live.svg"))
    asked = ("--people", "2", "--weeks", "1", "--policy", "planner,random", "--processes", "2", "--json")
    done = bridge(*asked, *where, home=folder / "home")
    assert done.returncode == 0, done.stderr
    assert not (folder / "home").exists()  # the person's own installation is not touched
    return json.loads(done.stdout), folder


def test_every_figure_has_a_mean_and_an_interval(small: tuple[dict[str, Any], Path]) -> None:
    body, _ = small
    assert body["policy"] == "planner"
    assert [one["policy"] for one in body["policies"]] == ["planner", "random"]
    for one in [body, *body["policies"], body["oracle"]]:
        for name in FIGURES:
            low, high = one[name]["ci95"]
            assert low <= one[name]["mean"] <= high
        assert set(one["meters"]) == METERS
        assert 0 <= one["acceptance"]["mean"] <= 1
        assert one["classifier_accuracy"]["mean"] > 0.8
    assert body["policies"][1]["reward_vs_oracle"]["mean"] == 0
    assert body["oracle"]["reward_vs_oracle"]["mean"] == pytest.approx(1)
    assert body["oracle"]["belief_mae"]["mean"] < 0.01
    assert body["policies"][1]["belief_mae"]["mean"] > 0.01
    assert [one["over"] for one in body["paired"]] == ["random"]
    assert sum(body["sources"].values()) == 2


def test_tables_and_picture_are_written(small: tuple[dict[str, Any], Path]) -> None:
    _, folder = small
    text = (folder / "LIVE.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- live -->")
    assert "| planner |" in text
    assert "| Vitality |" in text
    assert (folder / "live.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_the_same_people_live_the_same_lives_again(small: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    """Alone, in one process and as the only policy: who else lives changes nothing."""
    body, _ = small
    again = bridge("--people", "2", "--weeks", "1", "--policy", "random", "--processes", "1", "--json", home=tmp_path)
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert {name: found[name] for name in body["oracle"]} == body["policies"][1]
    assert found["oracle"] == body["oracle"]


def test_a_policy_that_is_not_there_is_said_before_anybody_lives(tmp_path: Path) -> None:
    done = bridge("--policy", "nobody", home=tmp_path)
    assert done.returncode == 2
    assert "nobody" in done.stderr
    refused = bridge("--policy", "heuristic", "--ablation", home=tmp_path)
    assert refused.returncode == 2
    assert "planner" in refused.stderr
