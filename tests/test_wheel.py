"""The built wheel alone, installed in another folder, runs the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.timeout(300)
def test_the_wheel_runs_the_demo_elsewhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    assert (site / "bridge" / "lab" / "fixtures" / "whoop").is_dir()
    code = (
        f"import sys; sys.path[:] = [p for p in sys.path if {str(ROOT)!r} != p.rstrip('/')]; "
        f"sys.path.insert(0, {str(site)!r}); import bridge; assert bridge.__file__.startswith({str(site)!r}); "
        "sys.argv = ['bridge', 'demo']; from bridge.cli import main; main()"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Answer: bridge feedback" in done.stdout
