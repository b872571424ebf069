"""The layer contracts hold, and break when one is violated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("bridge", "connectors", "classifiers", "policies", "rhythm_env", "lab")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([*command, "--no-cache"], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("bridge/ingest/sync.py", "import bridge.cli"),
        ("bridge/meters/fuse.py", "import bridge.store"),
        ("bridge/domain/types.py", "import bridge.domain.ports"),
        ("bridge/advice/recommend.py", "import sqlalchemy"),
        ("bridge/installation.py", "import connectors.whoop"),
        ("connectors/whoop/client.py", "import connectors.google.calendar"),
        ("connectors/whoop/normalise.py", "import bridge.store"),
        ("classifiers/keywords.py", "import bridge.http"),
        ("policies/heuristic.py", "import bridge.domain.types"),
        ("rhythm_env/interface.py", "import bridge.domain.types"),
        ("bridge/nowhere.py", "from bridge import app"),  # a new module has no layer
    ],
)
def test_a_violation_is_seen(copy: Path, module: str, line: str) -> None:
    path = copy / module
    with path.open("a") as file:
        file.write(f"\n{line}\n")
    done = lint(copy)
    assert done.returncode != 0
    assert "BROKEN" in done.stdout


def test_a_circle_is_seen_even_inside_a_function(copy: Path) -> None:
    with (copy / "bridge/calendar/busy.py").open("a") as file:
        file.write("\n\ndef late() -> None:\n    import bridge.calendar.facts\n")
    done = lint(copy)
    assert "no circle of imports BROKEN" in done.stdout
    assert "bridge.calendar.busy -> bridge.calendar.facts -> " in done.stdout
