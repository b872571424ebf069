"""Run the table of targets and then every benchmark in turn (``python -m lab.benchmarks``, ``make bench``)."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "lab.benchmarks.targets",
    "lab.benchmarks.calendar",
    "lab.benchmarks.meters",
    "lab.benchmarks.simulator",
    "lab.benchmarks.titles",
    "lab.benchmarks.tenyears",
    "lab.benchmarks.web",
    "lab.benchmarks.workers",
)

for module in MODULES:
    print(f"# {module}", flush=True)
    subprocess.run([sys.executable, "-m", module], check=True)  # noqa: S603 - our own modules
