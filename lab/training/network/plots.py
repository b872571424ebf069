"""Draw a training's losses, its belief and scores over time, and final scores beside the baselines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bridge import registry
from lab.environments.dynamics import CONDITIONS
from lab.evaluation.grades import evaluate
from lab.evaluation.strategies import CONSTANT
from lab.pictures import COLOURS, panels, saved
from lab.policies.network import Learned
from rhythm_env.interface import Policy

Watch = Callable[[str], Callable[[int, int], None]]

NAMES = ("random", "heuristic", "planner-no-inference", "network+blind", "network", "planner")
COMPARED = {  # objective -> (figure, its name, strategies)
    "grade": (
        "final_score",
        "published grade, belief included",
        (
            "random+constant",
            "heuristic+constant",
            "planner-no-inference+constant",
            "network+blind",
            "network",
            "planner",
        ),
    ),
    "reward": (
        "reward_vs_oracle",
        "mean weighted level: 0 random, 1 oracle",
        ("heuristic", "planner-no-inference", "network+blind", "network", "planner"),
    ),
}


def draw(out: Path, *, episodes: int, watch: Watch) -> list[Path]:
    """Draw ``training.svg`` from the notes and ``scores.svg`` from ``scores.json``, which is made if it is missing."""
    notes = json.loads((out / "notes.json").read_text(encoding="utf-8"))
    found = out / "scores.json"
    if not found.exists():
        found.write_text(json.dumps(compared(out / "weights.npz", episodes, watch), indent=1), encoding="utf-8")
    scores = json.loads(found.read_text(encoding="utf-8"))
    return [_training(notes, out / "training.svg"), _scores(scores, out / "scores.svg")]


def compared(weights: Path, episodes: int, watch: Watch) -> list[dict[str, Any]]:
    """Return a row for each objective, condition and policy, on the same people and events."""

    def find(name: str) -> Policy:
        if name == "network":
            return Learned(file=weights)
        return registry.policy(name)

    rows = []
    for objective, (figure, _, names) in COMPARED.items():
        for condition in CONDITIONS:
            for name in names:
                on_step = watch(f"{name}, {condition}, {objective}")
                got = evaluate(
                    name, condition, episodes, objective=objective, find=find, against="random", on_step=on_step
                )
                rows.append(
                    {
                        "objective": objective,
                        "condition": condition,
                        "policy": name,
                        "episodes": episodes,
                        **got[figure],
                    }
                )
    return rows


def _training(notes: dict[str, Any], path: Path) -> Path:
    figure, ((losses, beliefs, scores),) = panels(1, 3, (13.8, 3.6))
    steps = [row[0] for row in notes["loss"]]
    for at, name in ((1, "weeks"), (2, "lives that answer")):
        losses.plot(steps, [row[at] for row in notes["loss"]], color=COLOURS[at - 1], linewidth=0.9, label=name)
    losses.set(title="Distillation: choice against the teacher", xlabel="steps", ylabel="nats", yscale="log")
    exams = notes["exam"]
    labels = [f"r{exam['rounds']}" if not exam["updates"] else f"+{exam['updates']}" for exam in exams]
    for number, objective in enumerate(COMPARED):
        for slot, style in (("7", "--"), ("27", "-")):
            skills = [exam[objective]["belief_skill"][slot] for exam in exams]
            beliefs.plot(labels, skills, style, color=COLOURS[number], label=f"{objective}, slot {slot}")
    beliefs.set(title="Belief skill, practice people", ylim=(0, 1), xlabel="round, then updates of refinement")
    grades = [exam["grade"]["score"] for exam in exams]
    levels = [exam["reward"]["level"] for exam in exams]
    scores.plot(labels, grades, color=COLOURS[0], label="grade")
    scores.plot(labels, levels, color=COLOURS[1], label="mean level (reward)")
    scores.set(title="Scores, practice people", xlabel="round, then updates of refinement")
    for axis in (losses, beliefs, scores):
        axis.legend(fontsize=7, frameon=False)
    return saved(figure, path)


def _scores(rows: list[dict[str, Any]], path: Path) -> Path:
    figure, (axes,) = panels(1, 2, (9.2, 3.6))
    for axis, (objective, (_, title, names)) in zip(axes, COMPARED.items(), strict=True):
        for number, name in enumerate(names):
            mine = [row for row in rows if row["objective"] == objective and row["policy"] == name]
            places = [at + (number - len(names) / 2) * 0.13 for at in range(len(mine))]
            means = [row["mean"] for row in mine]
            errors = np.abs(np.array([row["ci95"] for row in mine], dtype=float).T - means)
            axis.bar(
                places,
                means,
                0.12,
                yerr=errors,
                color=COLOURS[NAMES.index(name.removesuffix(CONSTANT))],
                label=name,
                error_kw={"linewidth": 0.7},
            )
        axis.set_xticks(range(len(CONDITIONS)), CONDITIONS)
        axis.set_title(f"{title} ({rows[0]['episodes']} weeks each)", fontsize=9)
        axis.set_ylim(0, 1.4 if objective == "reward" else 1.2)
        axis.legend(fontsize=6, ncols=2, frameon=False, loc="upper left")
    return saved(figure, path)
