"""``bridge --help`` is quick because heavy imports happen where they are used."""

from __future__ import annotations

import subprocess
import sys
import time

HEAVY = (
    "pandas",
    "sklearn",
    "sqlalchemy",
    "googleapiclient",
    "requests",
    "apscheduler",
    "pydantic",
    "numpy",
    "alembic",
)


def _fastest(*command: str) -> float:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    return min(times)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom bridge.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]\nassert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_takes_less_than_300_ms_of_our_own() -> None:
    own = _fastest(sys.executable, "-m", "bridge", "--help") - _fastest(sys.executable, "-c", "pass")
    assert own < 0.3, f"{own:.3f} s"
