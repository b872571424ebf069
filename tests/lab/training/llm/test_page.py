"""The result page of taught models, from the rows of a contest and the record of a training."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab.cli import llm
from lab.training.llm import contest, page

FIGURE = {"mean": 0.8, "ci95": [0.79, 0.81]}


def row(condition: str, policy: str, **more: Any) -> dict[str, Any]:
    plain = {"score": FIGURE, "without_belief": FIGURE, "belief_mae": 0.05, "skill": 0.8, "ms": 5.25, "actions": None}
    return {"condition": condition, "policy": policy, **plain, **more}


def written(tmp_path: Path, notes: list[dict[str, Any]] | None) -> list[str]:
    if notes is not None:
        (tmp_path / "notes.json").write_text(json.dumps(notes))
    advised = {"introvert": {"SLEEP": 0.75, "SOCIALIZE": 0.25}, "extrovert": {"SLEEP": 0.5, "SOCIALIZE": 0.5}}
    rows = [row("in", "planner"), row("in", "mine"), row("discrete", "mine", actions=advised, ms=9.0)]
    return page.lines(rows, {"mine": tmp_path}, [tmp_path / "pictures" / "loss.svg"], tmp_path)


def test_tells_scores_cost_training_advice_and_pictures(tmp_path: Path) -> None:
    notes = [
        {"step": 1, "loss": 3.0},
        {"step": 1, "valid": 1.0, "belief_mae": 0.2},
        {"step": 2, "loss": 1.5},
        {"step": 2, "valid": 1.0, "belief_mae": 0.04, "core_minutes": 30.0},
    ]
    lines = written(tmp_path, notes)
    assert sum(line.startswith(("| in |", "| discrete |")) for line in lines) == 3
    assert "| mine | 30.0 | 6.0 | 3.000 to 1.500 | 0.200 to 0.040 | 5.2 |" in lines
    assert "| introvert | 75% | 25% |" in lines
    assert "| extrovert | 50% | 50% |" in lines
    assert lines[-1] == "![loss](pictures/loss.svg)"
    assert all(before or line for before, line in pairwise(lines))


def test_grades_the_shipped_weights_by_default_without_pytorch() -> None:
    found = llm._there()
    assert (found["sequence"] / contest.FIELDS).exists()
    rows = contest._fields("sequence", found["sequence"], "in", [3, 4], lambda name: lambda done, total: None)  # noqa: ARG005
    assert rows[0]["score"]["mean"] > 0.7


def test_leaves_empty_what_no_record_tells(tmp_path: Path) -> None:
    assert "| mine |  |  |  |  | 5.2 |" in written(tmp_path, None)
