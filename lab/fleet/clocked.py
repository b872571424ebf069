"""Run any ``bridge`` command with the simulated time that the file ``FLEET_CLOCK`` sets."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from bridge import installation


def set_clock(path: Path, base: datetime) -> None:
    """Write a file that sets the simulated time to ``base`` now."""
    fresh = path.with_suffix(".new")
    fresh.write_text(f"{base.isoformat()} {time.time()}")
    fresh.replace(path)


def read_clock(path: Path) -> datetime:
    base, since = path.read_text().split()
    return datetime.fromisoformat(base) + timedelta(seconds=time.time() - float(since))


if __name__ == "__main__":
    clock = Path(os.environ["FLEET_CLOCK"])
    installation.now = lambda: read_clock(clock)
    from bridge.cli import main

    sys.argv[0] = "bridge"
    main()
