"""Every measurement, one after the other: ``python -m benchmarks`` (``make bench``)."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "benchmarks.landing",
    "benchmarks.calendar",
    "benchmarks.fit",
    "benchmarks.meters",
    "benchmarks.simulator",
    "benchmarks.titles",
    "benchmarks.tenyears",
    "benchmarks.web",
)

for module in MODULES:
    print(f"# {module}", flush=True)
    subprocess.run([sys.executable, "-m", module], check=True)  # noqa: S603 - our own modules
