"""Run ``bridge up``: the page, what apps and vendors send, and the daemon, in one process that one signal ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from bridge.daemon.health import serve_health, status_of
from bridge.daemon.process import look_until_stopped, only_daemon
from bridge.daemon.worker_pool import SHUTDOWN_GRACE_SECONDS, SHUTDOWN_LAST_SECONDS, exit_process
from bridge.web import serving
from bridge.web.server import opened

if TYPE_CHECKING:
    from bridge.daemon.scheduler import Daemon
    from bridge.installation import Bridge
    from bridge.web.assistants import ToolServers
    from bridge.web.lan import Lan


def run(
    bridge: Bridge,
    host: str,
    port: int,
    names: Sequence[str],
    *,
    every: int,
    health: str | None,
    assistants: ToolServers | None = None,
    lan: Lan | None = None,
) -> None:
    """Serve the page and run the daemon, which looks every ``every`` seconds, until SIGTERM or Ctrl-C.

    ``health``, ``assistants`` and ``lan`` may be None. Raises SetupError if another daemon works here or ``opened``
    refuses.
    """
    certificate = nullcontext() if lan is None else lan.serve_certificate(port and port + 1)
    with only_daemon(bridge) as daemon, serve_health(daemon, health, every=every), certificate as shown:
        status = partial(status_of, daemon, every=every)
        app, listening = opened(bridge, host, port, names, status=status, assistants=assistants, shown=shown)
        served = threading.Event()
        ending = threading.Thread(target=_end, args=(daemon, served), name="end", daemon=True)
        looking = threading.Thread(target=look_until_stopped, args=(daemon,), kwargs={"every": every}, daemon=True)
        looking.start()
        tls = None if lan is None else lan.context
        serving.run(app, listening, bridge.settings.trusted_proxies, at_signal=partial(_begin, ending), tls=tls)
        served.set()
        daemon.stopping.set()
        _begin(ending)
        ending.join()


def _begin(ending: threading.Thread) -> None:
    if ending.ident is None:
        ending.start()


def _end(daemon: Daemon, served: threading.Event) -> None:
    begun = time.monotonic()
    whole = daemon.stop(SHUTDOWN_GRACE_SECONDS)
    left = SHUTDOWN_GRACE_SECONDS + SHUTDOWN_LAST_SECONDS - (time.monotonic() - begun)
    if not (served.wait(max(0.0, left)) and whole):
        exit_process()
