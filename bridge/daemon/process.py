"""Run the daemon, which looks for due work until a signal stops it. A store has a single daemon at a time."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bridge import installation
from bridge.daemon.due_tasks import guarded
from bridge.daemon.health import serve_health
from bridge.daemon.mqtt import publisher
from bridge.daemon.scheduler import LOOK_WORK, Daemon
from bridge.daemon.worker_pool import SHUTDOWN_GRACE_SECONDS, exit_process

log = logging.getLogger(__name__)

DAEMON_NAME = "daemon"
LATE_SECONDS = 2.0  # a look that is later than this is called without the scheduler


def run(bridge: installation.Bridge, *, every: int, health: str | None = None) -> None:
    """Run the daemon until SIGTERM or Ctrl-C. It looks for due work every ``every`` seconds.

    ``health`` is HOST:PORT or None. Raises SetupError if another daemon runs or settings are wrong.
    """
    with only_daemon(bridge) as daemon, serve_health(daemon, health, every=every):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: daemon.stopping.set())
        look_until_stopped(daemon, every=every)
        whole = daemon.stop(SHUTDOWN_GRACE_SECONDS)
        log.info("stopped")
        if not whole:
            exit_process()


@contextmanager
def only_daemon(bridge: installation.Bridge) -> Iterator[Daemon]:
    """Yield a daemon that holds the lock against other daemons as long as the block runs.

    Raises SetupError if another daemon runs at this store, and for wrong settings of an MQTT broker.
    """
    daemon = Daemon(bridge=bridge, steady=time.monotonic)
    singleton = bridge.store.scheduling.singleton_lock(DAEMON_NAME, bridge.holder, now=installation.now())
    with closing(singleton) as daemon.singleton:
        daemon.publisher = publisher.opened(bridge, daemon.start_publishing)
        daemon.start_publishing()  # the broker may have been ready before the daemon knew its publisher
        with nullcontext() if daemon.publisher is None else closing(daemon.publisher.link):
            yield daemon


def look_until_stopped(daemon: Daemon, *, every: float) -> None:
    """Prepare the daemon, then look for due work every ``every`` seconds until it is stopping."""
    daemon.pool.start(LOOK_WORK, partial(guarded, "the start", daemon.start))
    while not (daemon.stopping.is_set() or daemon.pool.wait_until_idle(0.5)):
        continue
    log.info("running, looks for due work every %s s", every)
    call_looks(daemon, every=every)


def call_looks(daemon: Daemon, *, every: float) -> None:
    """Call ``daemon.look`` every ``every`` seconds until it is stopping, even if the machine's clock is set back."""
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(timezone="UTC")
    begun = threading.Event()

    def look() -> None:
        begun.set()
        if daemon.pool.free_threads(LOOK_WORK):  # a look that hangs on the database must not block the shutdown
            daemon.pool.start(LOOK_WORK, daemon.look)

    now = datetime.now(UTC)
    once_at_most = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}  # None: late is better than never
    job = scheduler.add_job(look, "interval", seconds=every, next_run_time=now, **once_at_most)
    scheduler.start()
    last = time.monotonic()
    while not daemon.stopping.wait(min(1.0, every)):
        if begun.is_set():
            begun.clear()
            last = time.monotonic()
        elif time.monotonic() - last > every + LATE_SECONDS:
            last = time.monotonic()
            guarded("the scheduler", partial(_call, job))
    scheduler.shutdown(wait=False)


def _call(job: Any) -> None:
    job.modify(next_run_time=datetime.now(UTC))
