"""The daemon as a process: the only one at its store, ticking, told to stop by signals."""

from __future__ import annotations

import logging
import signal
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bridge import app
from bridge.daemon import LOOK, Daemon
from bridge.daemon.pulse import listening
from bridge.ending import GRACE, leave
from bridge.rhythm import guarded

log = logging.getLogger(__name__)

NAME = "daemon"
LATE = 2.0  # seconds a tick may be late before it is called


def run(bridge: app.Bridge, *, every: int, health: str | None = None) -> None:
    """Look every so many seconds until SIGTERM or Ctrl-C; what is under way is finished up to its next page.

    Raises SetupError where another daemon is at this store. Ends the process where work does not end in time.
    """
    daemon = Daemon(bridge=bridge, steady=time.monotonic)
    presence = bridge.store.work.presence(NAME, bridge.holder, now=app.now())
    with closing(presence) as daemon.presence, listening(daemon, health, every=every):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: daemon.stopping.set())
        daemon.crew.begin(LOOK, partial(guarded, "the start", daemon.start))
        while not (daemon.stopping.is_set() or daemon.crew.idle(0.5)):
            continue
        log.info("running, every %s s", every)
        beat(daemon, every=every)
        whole = daemon.stop(GRACE)
        log.info("stopped")
        if not whole:
            leave()


def beat(daemon: Daemon, *, every: float) -> None:
    """Call ``look`` until it is time to stop.

    The scheduler goes by the clock: set back, it would wait until that time has come again. A tick that is late in
    seconds that passed is therefore called at once.
    """
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(timezone="UTC")
    begun = threading.Event()

    def look() -> None:
        begun.set()
        if daemon.crew.free(LOOK):  # one that hangs, for the database does, is not waited for at the end
            daemon.crew.begin(LOOK, daemon.look)

    now = datetime.now(UTC)
    once_at_most = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}  # None: late is better than never
    job = scheduler.add_job(look, "interval", seconds=every, next_run_time=now, **once_at_most)
    scheduler.start()
    last = time.monotonic()
    while not daemon.stopping.wait(min(1.0, every)):
        if begun.is_set():
            begun.clear()
            last = time.monotonic()
        elif time.monotonic() - last > every + LATE:
            last = time.monotonic()
            guarded("the scheduler", partial(_call, job))
    scheduler.shutdown(wait=False)


def _call(job: Any) -> None:
    """Let a job run now, and from now on."""
    job.modify(next_run_time=datetime.now(UTC))
