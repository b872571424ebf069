"""``bridge service KIND --slim`` leaves an installation that works, of at most 350 MB."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.daemon import housekeeping
from bridge.domain.errors import SetupError

ROOT = Path(__file__).parents[2]
INSTALLED_MAX_MB = 350.0
OPENED = re.compile(r'open_service\(\w[\w.]*, \w+, "(\w+)", "(\w+)"')


def test_what_is_superfluous(tmp_path: Path) -> None:
    kept = ("pandas/core.py", "pandas/testing/mine.py", "tests/__init__.py", "numpy/core.so", "pip/main.py")
    google = [f"{housekeeping.DESCRIPTIONS}/{name}" for name in ("calendar.v3.json", "tasks.v1.json", "drive.v3.json")]
    gone = ("pandas/tests/test_core.py", "numpy/include/a.h", "numpy/core.pyi", "pip/__pycache__/main.pyc")
    for name in (*kept, *gone, *google):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {str(path.relative_to(tmp_path)) for path in housekeeping.superfluous(tmp_path)}
    assert found == {"pandas/tests", "pip/__pycache__", *gone[1:3], google[2]}


def test_descriptions_that_connectors_open_stay() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "connectors" / "google").rglob("*.py"))
    opened = OPENED.findall(source)
    assert len(opened) == source.count("open_service(") - 1  # all but the definition
    assert {f"{name}.{version}.json" for name, version in opened} == set(housekeeping.USED_DESCRIPTIONS)


def test_environments_that_are_not_the_bridges_own_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    with pytest.raises(SetupError, match="packages of other programs; install into an environment of its own"):
        housekeeping.slim()
    monkeypatch.setattr(sys, "prefix", "/opt/rhythm-bridge")
    with pytest.raises(SetupError, match="environment of a checkout"):
        housekeeping.slim()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_slim_installation_works_in_350_megabytes(tmp_path: Path) -> None:
    """As docs/running.md installs it, with the locks, and then the recorded life through the real connectors."""
    place = tmp_path / "rhythm-bridge"
    pip = [str(place / "bin" / "pip"), "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    hashes = ("--no-build-isolation", "--require-hashes", "-r")
    for command in (
        [sys.executable, "-m", "venv", str(place)],
        [*pip, "--require-hashes", "-r", "locks/build.txt"],
        [*pip, *hashes, "locks/server.txt"],
        [*pip, "--no-build-isolation", "--no-deps", "."],
    ):
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    def bridge(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(place / "bin" / "rhythm-bridge"), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = bridge("service", "systemd", "--system", "--slim")
    assert done.returncode == 0, done.stderr
    assert "ExecStart=" in done.stdout
    (before, after) = map(float, re.findall(r"(\d+) MB", done.stderr))
    assert before - after > 150
    assert housekeeping.megabytes(place) <= INSTALLED_MAX_MB
    assert after <= INSTALLED_MAX_MB
    replayed = bridge("replay", str(ROOT / "fixtures" / "replay" / "life"), "--json")
    assert replayed.returncode == 0, replayed.stderr
    landed = json.loads(replayed.stdout)["landed"]
    assert {landed[source]["outcome"] for source in ("google_calendar", "google_tasks")} == {"ok"}
    assert bridge("demo").returncode == 0
    imported = "import bridge.web.server, bridge.mcp, bridge.daemon.scheduler, sklearn.linear_model, pandas"
    subprocess.run([str(place / "bin" / "python"), "-c", imported], env=environment, check=True)
