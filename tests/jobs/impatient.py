"""``bridge worker`` in a hurry, on the fleet's clock: what takes minutes takes seconds, so that many can be killed."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, timedelta

from bridge import app, sync
from bridge.lab.fleet.accounts import NOW


def now() -> datetime:
    """As late after the fleet's beginning as it is now after ``FLEET_BEGAN``."""
    return NOW + timedelta(seconds=time.time() - float(os.environ["FLEET_BEGAN"]))


if __name__ == "__main__":
    app.now = now
    sync.BACKOFF, sync.LEASE, sync.RENEWAL = timedelta(seconds=2), timedelta(seconds=20), 2.0
    from bridge import jobs  # after what it takes over from the others

    jobs.GRACE, jobs.SILENT, jobs.TICK, jobs.ELSEWHERE = 1.0, 3.0, "* * * * * */2", timedelta(seconds=2)
    from bridge.cli import main

    sys.argv[0] = "bridge"
    main()
