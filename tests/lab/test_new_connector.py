"""A new source from its skeleton: what is missing is named, and a sample is all that the contract tests then want."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bridge.domain.errors import SetupError
from lab.cli import new_connector

ROOT = Path(__file__).parents[2]
PARTS = ("bridge", "connectors", "classifiers", "policies", "rhythm_env", "lab", "fixtures", "tests", "pyproject.toml")
SAMPLE = {
    "sleep": [
        {
            "id": "s1",
            "start": "2026-03-02T22:58:00+01:00",
            "end": "2026-03-03T06:41:00+01:00",
            "nap": False,
            "asleep_seconds": 25_200,
            "in_bed_seconds": 27_780,
            "hrv_rmssd_ms": 48,
            "lowest_heart_rate": 52,
            "updated_at": "2026-03-03T06:00:00Z",
        }
    ],
    "daily": [{"id": 700, "day": "2026-03-03", "steps": 8120}],
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part)  # with bytecode, which need not be made again
        else:
            shutil.copy(ROOT / part, copy)
    return copy


def command(name: str, root: Path, *options: str) -> str:
    app = typer.Typer()
    new_connector.register(app)
    done = CliRunner().invoke(app, [name, "--root", str(root), *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def run(checkout: Path, *arguments: str) -> str:
    """Run Python in the copy; what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.stdout + done.stderr


def contract(checkout: Path, *files: str) -> str:
    paths = [f"tests/contract/{file}" for file in files]
    return run(checkout, "-m", "pytest", "-q", "-p", "no:randomly", "-n0", "-k", "pebble and not postgres", *paths)


@pytest.mark.timeout(400)  # it runs the contract tests of the new source
def test_a_skeleton_says_what_is_missing_and_a_sample_completes_it(checkout: Path) -> None:
    told = command("pebble", checkout)
    assert "python -m lab.fixture_maker pebble" in told
    for file in (checkout / "connectors" / "pebble").glob("*.py"):
        assert file.stat().st_mode & 0o777 == 0o644
    missing = contract(checkout, "test_complete.py")
    assert "fixtures/pebble/sample.json has no row of sleep, daily" in missing
    assert "python -m lab.fixture_maker pebble" in missing
    assert "connectors/pebble/__init__.py:1" in missing
    assert "lab/vendors/pebble.py:10 SCOPE_OF" in missing
    assert "tests/pebble/test_own.py:1" in missing
    assert "docs/sources/pebble.md:3" in missing
    assert "no row of daily, sleep" in run(checkout, "-m", "lab.fixture_maker", "pebble")

    sample = checkout / "fixtures" / "pebble" / "sample.json"
    sample.write_text(json.dumps(json.loads(sample.read_text()) | SAMPLE))
    own = ("connectors/pebble/*.py", "lab/vendors/pebble.py", "tests/pebble/*.py", "docs/sources/pebble.md")
    for file in [file for pattern in own for file in checkout.glob(pattern)]:
        file.write_text(file.read_text().replace("TODO", "filled in:"))
    assert "week.json: new (sleep 0 -> 8, daily 0 -> 8)" in run(checkout, "-m", "lab.fixture_maker", "pebble")
    unread = contract(checkout, "test_complete.py")
    assert "python -m tests.contract.test_fixtures pebble" in unread
    others = {path: path.stat().st_mtime_ns for path in (checkout / "fixtures").glob("oura/*")}
    assert "week.expected.json: new" in run(checkout, "-m", "tests.contract.test_fixtures", "pebble")
    assert "week.expected.json: unchanged" in run(checkout, "-m", "tests.contract.test_fixtures", "pebble")
    assert {path: path.stat().st_mtime_ns for path in (checkout / "fixtures").glob("oura/*")} == others

    files = ("complete", "fixtures", "laws", "permissions", "redacted")
    whole = contract(checkout, *(f"test_{name}.py" for name in files))
    assert " passed" in whole.splitlines()[-1], whole
    assert "failed" not in whole.splitlines()[-1], whole
    assert "1 passed" in run(checkout, "-m", "pytest", "-q", "-p", "no:randomly", "-n0", "tests/pebble")


@pytest.mark.timeout(400)
def test_a_skeleton_of_files_passes_the_contract_as_it_is(checkout: Path) -> None:
    assert "python -m tests.contract.test_files quartz" in command("quartz", checkout, "--files")
    assert not (checkout / "lab" / "vendors" / "quartz.py").exists()
    run(checkout, "-m", "tests.contract.test_files", "quartz")
    comes_to = json.loads((checkout / "fixtures" / "quartz" / "week.expected.json").read_text())
    assert {kind: len(comes_to[kind]) for kind in ("episodes", "samples")} == {"episodes": 9, "samples": 24}
    assert comes_to["set_aside"] == comes_to["failed_files"] == []
    options = ("-m", "pytest", "-q", "-p", "no:randomly", "-n0", "-k", "quartz and not postgres")
    told = run(checkout, *options, "tests/contract/test_files.py", "tests/contract/test_complete.py", "tests/quartz")
    assert "1 failed, " in told.splitlines()[-1], told
    assert "connectors/quartz/files.py:20 DELIMITER" in told


@pytest.mark.parametrize("name", ["Pebble", "pe-bble", "class", "payload", "", "a" * 40])
def test_a_name_that_no_module_can_have_writes_nothing(checkout: Path, name: str) -> None:
    with pytest.raises(SetupError, match="cannot name a source"):
        new_connector.skeleton(name, checkout)


def test_nothing_is_overwritten_and_no_other_folder_written_into(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="exists already"):
        new_connector.skeleton("oura", checkout)
    assert not (checkout / "connectors" / "oura" / "client.py.txt").exists()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.raises(SetupError, match="not a checkout"):
        new_connector.skeleton("pebble", elsewhere)
    assert not list(elsewhere.iterdir())
