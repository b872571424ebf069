"""``bridge worker`` in a hurry, on the fleet's clock: what takes minutes takes seconds, so that many can be killed."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, timedelta

from bridge import installation, leases
from bridge.ingest import outcomes
from lab.fleet.accounts import NOW


def now() -> datetime:
    """As late after the fleet's beginning as it is now after ``FLEET_BEGAN``."""
    return NOW + timedelta(seconds=time.time() - float(os.environ["FLEET_BEGAN"]))


if __name__ == "__main__":
    installation.now = now
    outcomes.BACKOFF, leases.LEASE, leases.LEASE_RENEWAL_SECONDS = timedelta(seconds=2), timedelta(seconds=20), 2.0
    from bridge.daemon import procrastinate_worker

    (
        procrastinate_worker.SHUTDOWN_GRACE_SECONDS,
        procrastinate_worker.SILENT_SECONDS,
        procrastinate_worker.TICK_CRON,
        procrastinate_worker.ELSEWHERE_WAIT,
    ) = 1.0, 3.0, "* * * * * */2", timedelta(seconds=2)
    from bridge.cli import main

    sys.argv[0] = "bridge"
    main()
