"""``bridge worker`` that takes silent ones for dead within seconds, so that many of them can be killed in a test."""

from __future__ import annotations

import sys

from bridge import jobs
from bridge.cli import main

jobs.SILENT, jobs.TICK = 3.0, "* * * * * */2"

if __name__ == "__main__":
    sys.argv[0] = "bridge"
    main()
