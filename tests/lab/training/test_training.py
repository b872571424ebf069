"""Training the network: the command's errors everywhere; lessons, a course and its resumption where PyTorch is.

``python -m tests.lab.training.test_training`` writes anew what the shipped weights compute in PyTorch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge import origin
from lab.evaluation.week import observation
from lab.policies.network import WEIGHTS
from lab.policies.network.forward import think, weights
from policies.llm.sequence.inputs import read

GOLDEN = Path(__file__).parents[1] / "policies" / "network_golden.json"
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is an extra: make test-train")


def bridge(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bridge", *arguments], capture_output=True, text=True)


def unseen(done: int, total: int) -> None:
    """Take no progress report."""


def nobody(name: str) -> Any:
    return unseen


def test_without_pytorch_the_next_command_is_named(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules['torch'] = None; sys.argv = ['bridge', 'train', '--out', {str(tmp_path)!r}]\n"
        "from bridge.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert origin.adding("train", origin.LABORATORY) in done.stderr


def test_what_cannot_be_trained_and_what_is_there_already(tmp_path: Path) -> None:
    done = bridge("train", "--policy", "heuristic", "--out", str(tmp_path))
    assert (done.returncode, "no training of a policy" in done.stderr) == (2, True)
    (tmp_path / "course.pt").touch()
    done = bridge("train", "--out", str(tmp_path))
    assert (done.returncode, "--resume" in done.stderr) == (2, True)


@needs_torch
def test_a_week_is_seen_in_training_as_the_policy_sees_it() -> None:
    import torch

    from lab.training.network import simulate
    from lab.training.network.model import load

    network, known = load(WEIGHTS), weights(WEIGHTS)
    weeks, rng = simulate.begin(range(5)), np.random.default_rng(0)
    seen = simulate.watch(weeks)
    while not weeks.done:
        simulate.look(seen, weeks)
        step = weeks.step
        with torch.no_grad():
            memory = network.slot_of_weeks(torch.from_numpy(seen.slots), step)
            thoughts = network(memory, torch.from_numpy(seen.now[:, step]))
        for i in range(weeks.n):
            slots, now = read(observation(weeks, i))
            assert slots == pytest.approx(seen.slots[i, max(step - 7, 0) : step], abs=1e-5)
            assert now == pytest.approx(seen.now[i, step], abs=1e-5)
            mine = think(slots, now, known)
            assert mine.belief == pytest.approx(thoughts.belief[i].numpy(), abs=1e-4)
            assert mine.scores == pytest.approx(thoughts.scores[i].numpy(), abs=1e-3)
        weeks.advance(rng.integers(0, 10, weeks.n))


@needs_torch
def test_trajectories_are_validated_by_living_them_again(tmp_path: Path) -> None:
    from lab.training.network import dataset, trajectories

    path = tmp_path / "t.jsonl"
    trajectories.write(path, range(40, 46), dataset.of_weeks(range(40, 46), None, unseen)[1])
    assert trajectories.check(path) == 6
    lines = trajectories.read(path)
    lines[2]["rewards"][5] += 0.01
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    with pytest.raises(ValueError, match="week 42"):
        trajectories.check(path)


@needs_torch
@pytest.mark.timeout(900)
def test_a_course_goes_on_where_it_was_killed_and_ends_the_same(tmp_path: Path) -> None:
    from lab.training.network.train import train

    def killed(name: str) -> Any:
        def on_step(done: int, total: int) -> None:
            if name.startswith("round 3") and "learning" in name:
                raise KeyboardInterrupt

        return on_step

    straight, broken = tmp_path / "straight", tmp_path / "broken"
    train(straight, minutes=0.02, seed=1, resume=False, watch=nobody)
    with pytest.raises(KeyboardInterrupt):
        train(broken, minutes=0.02, seed=1, resume=False, watch=killed)
    found = train(broken, minutes=0.02, seed=1, resume=True, watch=nobody)
    one, other = (weights(folder / "weights.npz") for folder in (straight, broken))
    assert all((one[name] == other[name]).all() for name in one)
    assert found["exam"]["grade"]["score"] > 0.1
    with pytest.raises(ValueError, match="seed 1"):
        train(broken, minutes=0.02, seed=2, resume=True, watch=nobody)


@needs_torch
@pytest.mark.timeout(900)
def test_the_command_trains_draws_and_prints_one_document(tmp_path: Path) -> None:
    done = bridge(
        *("train", "--out", str(tmp_path), "--minutes", "0.02", "--plot", "--episodes", "2", "--json"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [Path(path).name for path in found["plots"]] == ["training.svg", "scores.svg"]
    assert all(Path(path).stat().st_size > 1000 for path in found["plots"])
    assert (tmp_path / "weights.npz").exists()


def write_golden() -> None:
    """Cases of weeks and of answers, with what PyTorch makes of them."""
    import torch

    from lab.training.network.model import load
    from rhythm_env.interface import ActionType
    from tests.lab.policies.test_network import answering, lived

    network, cases = load(WEIGHTS), []
    seen = [observation(lived(step), step % 4) for step in (0, 3, 12, 27)]
    seen += [answering(count, frozenset({ActionType.LEARN})) for count in (1, 12)]
    for one in seen:
        slots, now = read(one)
        with torch.no_grad():
            memory = network.lives(torch.from_numpy(slots)[None])[:, -1] if len(slots) else torch.zeros(1, 128)
            found = network(memory, torch.from_numpy(now)[None])
        made = {"belief": found.belief, "sd": found.sd, "scores": found.scores, "taken": torch.sigmoid(found.taken)}
        values = {name: np.round(value[0].numpy().astype(float), 6).tolist() for name, value in made.items()}
        rounded = {"slots": np.round(slots.astype(float), 6).tolist(), "now": np.round(now.astype(float), 6).tolist()}
        cases.append(rounded | values)
    GOLDEN.write_text(json.dumps(cases, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    write_golden()
