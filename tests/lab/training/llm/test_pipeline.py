"""The whole way, with a tiny model that begins with random weights: taught, refined, graded, tuned, served, followed.

Needs ``make test-llm``, which brings what training needs. Where ``LLM_KEEP`` names a folder, what is made stays
there, and a second run goes on from it.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.records import Feedback, FullRecommendation
from bridge.domain.slots import slot_bounds
from bridge.store import Store
from lab.evaluation.deployed import ZONES, Life, Slice
from rhythm_env.interface import ActionType, Answer
from tests.world import introduce

pytestmark = [
    pytest.mark.skipif(find_spec("peft") is None, reason="training needs more packages: make test-llm"),
    pytest.mark.timeout(3600),
]
WANTED = (ActionType.EXERCISE, ActionType.MEDITATE, ActionType.SOCIALIZE)  # all that our person ever takes
TOKENS = "700"


class Place:
    """A folder with an installation, and the command run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = {"BRIDGE_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}

    def run(self, *arguments: object, now: str | None = None) -> Any:
        environment = {**os.environ, **self.settings, **({"BRIDGE_NOW": now} if now else {})}
        command = [sys.executable, "-m", "bridge", *map(str, arguments), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=3000)
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout)
        print(json.dumps(found if "rows" not in found else "graded", indent=1))
        return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    kept = os.environ.get("LLM_KEEP")
    return Place(Path(kept) if kept else tmp_path_factory.mktemp("llm"))


@pytest.fixture(scope="module")
def lessons(place: Place) -> Path:
    path = place.folder / "teacher.jsonl"
    found = place.run("llm", "teacher", "--weeks", 24, "--lives", 4, "--out", path)
    assert found["wins"] == 24
    return path


@pytest.fixture(scope="module")
def taught(place: Place, lessons: Path) -> dict[str, Any]:
    given = ("--size", "tiny", "--lessons", lessons, "--tokens", TOKENS, "--epochs", 2, "--batch", 4)
    return _once(place, "sft", *given)


@pytest.fixture(scope="module")
def refined(place: Place, lessons: Path, taught: dict[str, Any]) -> dict[str, Any]:
    given = ("--lessons", lessons, "--model", taught["out"], "--steps", 8, "--group", 4, "--rate", 1e-4)
    return _once(place, "grpo", *given)


def _once(place: Place, step: str, *given: object) -> dict[str, Any]:
    """A step's result, from an earlier run where that was kept."""
    result = place.folder / f"{step}.json"
    if not result.exists():
        found = place.run("llm", step, *given, "--out", place.folder / step)
        result.write_text(json.dumps(found), encoding="utf-8")
    kept: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return kept


def test_it_learns_the_form_and_its_loss_falls(taught: dict[str, Any]) -> None:
    assert taught["last_loss"] < 0.5 * taught["first_loss"]
    assert taught["cut"] <= 0.05


def test_refinement_keeps_the_form(refined: dict[str, Any]) -> None:
    assert refined["valid"] >= 0.95
    assert refined["cut_in_training"] <= 0.05


def test_it_is_graded_beside_the_baselines_and_drawn(
    place: Place, taught: dict[str, Any], refined: dict[str, Any]
) -> None:
    models = ("--model", f"sft={taught['out']}", "--model", f"sft+grpo={refined['out']}")
    document = place.folder / "contest.md"
    document.write_text("<!-- contest -->\n<!-- /contest -->\n")
    found = place.run("llm", "eval", *models, "--episodes", 5, "--out", place.folder, "--write", document)
    print(document.read_text())
    assert [Path(one).name for one in found["plots"]] == ["loss.svg", "belief.svg", "scores.svg", "actions.svg"]
    assert all(Path(one).stat().st_size > 1000 for one in found["plots"])
    rows = {(row["condition"], row["policy"]): row for row in found["rows"]}
    assert len(rows) == 3 * 7
    for condition in ("in", "ood", "discrete"):
        row = rows[condition, "sft+grpo"]  # in minutes it learns the form, and not yet to play well
        assert row["valid"] >= 0.95
        assert row["silent"] == 0
        assert 0 < row["score"]["mean"] < rows[condition, "planner"]["score"]["mean"]


def month() -> list[Slice]:
    """Four weeks of somebody who takes three things and nothing else, advised by lot."""

    class Lot:
        name, version = "lot", 1

        def decide(self, observation: Any, rng: random.Random) -> Any:
            from policies import planner

            decision = replace(planner.open_policy().decide(observation, rng), action=rng.choice(observation.feasible))
            return replace(decision, scores={decision.action: 1.0}, probabilities={decision.action: 1.0})

    return list(Life(77).live(Lot(), 4))


def stored(place: Place, slices: list[Slice]) -> str:
    """The person's name, with all their advice and answers in the installation."""
    store = Store(f"sqlite:///{place.folder / 'home' / 'bridge.db'}")
    first = slot_bounds(slices[0].moment, ZONES)[0]
    user = store.people.add_user("ana", ZONES[0].zone, now=first)
    introduce(store, user, now=first)
    for one in slices:
        start, end = slot_bounds(one.moment, ZONES)
        kept = store.recommendations.add(
            FullRecommendation(
                id=0,
                user_id=user.id,
                moment=one.moment,
                action=one.decision.action,
                policy="planner@3",
                belief=asdict(one.decision.belief),
                scores={},
                probabilities={str(one.decision.action): 1.0},
                reasons=one.decision.reasons,
                observation=one.observation.to_json(),
                created_at=start,
                expires_at=end,
                shown_at=start,
            )
        )
        store.recommendations.save_feedback(
            kept.id,
            Feedback(answer=Answer.ACCEPT if one.decision.action in WANTED else Answer.IGNORE, answered_at=start),
        )
    store.close()
    return user.name


@contextmanager
def served(place: Place, model: str) -> Iterator[str]:
    """The address of the model and the adapters."""
    command = [sys.executable, "-m", "bridge", "llm", "serve", "--model", model, "--port", "0"]
    settings = {**os.environ, **place.settings, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings) as running:
        try:
            assert running.stdout is not None
            found = re.search(r"http://\S+", running.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            running.terminate()


def test_a_person_is_tuned_to_served_and_advised(place: Place, refined: dict[str, Any]) -> None:
    (place.folder / "home").mkdir(exist_ok=True)
    (place.folder / "home" / "bridge.db").unlink(missing_ok=True)
    slices = month()
    name, end = stored(place, slices), slot_bounds(slices[-1].moment, ZONES)[1]
    made = place.run("llm", "personalise", "--user", name, "--model", refined["out"], now=end.isoformat())
    assert made["kept"]
    assert made["gain"] > 0
    with served(place, refined["out"]) as address:
        place.settings |= {"BRIDGE_POLICY_LLM_ADDRESS": address, "BRIDGE_POLICY_LLM_TOKENS": TOKENS}
        place.settings |= {"BRIDGE_POLICY_LLM_TIMEOUT_S": "120"}
        advised = [
            place.run("recommend", "--user", name, "--policy", "llm", now=(end + timedelta(hours=hours)).isoformat())
            for hours in (25, 31)  # on the first day slots are silent by lot
        ]
        place.run("llm", "personalise", "--undo", "--user", name)
        plain = place.run("recommend", "--user", name, "--policy", "llm", now=(end + timedelta(hours=37)).isoformat())
    assert [one["policy"] for one in (*advised, plain)] == [f"llm@2+{made['adapter']}"] * 2 + ["llm@2"]
    assert all(one["kind"] == "suggested" and one["reasons"] for one in (*advised, plain))
    assert any(one["action"] in WANTED for one in advised)
    history = place.run("llm", "personalise", "--history", "--user", name)
    assert [row["kept"] for row in history] == [False]
