"""Serve the daemon's health by HTTP on this machine, as JSON and for Prometheus. It has no data of a single user.

Format: https://prometheus.io/docs/instrumenting/exposition_formats.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bridge.daemon.scheduler import Daemon
from bridge.domain.errors import SetupError, StoreFault

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MISSED_LOOKS_MAX = 3  # after so many the status is "late"
METRIC_HELP = {
    "syncs_total": ("counter", "Syncs that ended, by source and outcome."),
    "busy": ("gauge", "Threads at work, by kind."),
    "due": ("gauge", "Connections that are due and not being synced, by source."),
    "lag_seconds": ("gauge", "Time since the longest overdue connection became due, by source."),
    "looked_seconds_ago": ("gauge", "Time since the daemon last looked for due work."),
    "foretold_people": ("gauge", "People by how well their answers to advice were foretold in eight weeks."),
    "foretold_brier": ("gauge", "Mean squared error of the foretold chances of acceptance."),
    "foretold_brier_of_usual": ("gauge", "The same of always foretelling each person's usual share."),
}
FORETOLD_EVERY = timedelta(hours=1)  # forecasts change with answers, a few a day
FORETOLD_MOST = 200  # people whose answers are read, which takes about a second


class Foretold:
    """A cache of how well the policy predicted users' answers to recommendations. Values are kept for an hour."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: datetime | None = None
        self._counts: dict[str, Any] = {}

    def counts(self, daemon: Daemon) -> dict[str, Any]:
        """Return ``people`` (verdict -> number of users), ``brier`` and ``brier_of_usual``. A score may be None."""
        from bridge.advice.foresight import counts

        now = daemon.clock()
        with self._lock:
            if self._at is None or not timedelta() <= now - self._at < FORETOLD_EVERY:
                self._counts = counts(daemon.bridge.store, now=now, most=FORETOLD_MOST)
                self._at = now
            return self._counts


def health_of(daemon: Daemon, foretold: Foretold, *, every: float) -> dict[str, Any]:
    """Return the daemon's health as JSON, with counts by source, threads at work and the accuracy of predictions.

    ``every`` is the number of seconds between two looks for work.
    """
    now = daemon.clock()
    due = daemon.bridge.store.scheduling.due_by_source(now=now)
    return {
        "status": status_of(daemon, every=every),
        "looked_seconds_ago": _looked_ago(daemon),
        "busy": dict(daemon.pool.busy()),
        "due": {source: count for source, (count, _) in due.items()},
        "lag_seconds": {source: _seconds(now, since) for source, (_, since) in due.items()},
        "foretold": foretold.counts(daemon),
        "syncs": [{"source": s, "outcome": o, "count": count} for (s, o), count in sorted(daemon.sync_counts.items())],
    }


def _seconds(now: datetime, since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (now - since) / timedelta(seconds=1))


def status_of(daemon: Daemon, *, every: float) -> str:
    """Return the daemon's state, which is ok, starting, stopping, late, or the kind of a fault of disk or database."""
    ago = _looked_ago(daemon)
    if daemon.stopping.is_set():
        return "stopping"
    if (fault := daemon.bridge.fault()) is not None:
        return str(fault.kind)
    if ago is None:
        return "starting"
    return "late" if ago > MISSED_LOOKS_MAX * every + 10 else "ok"


def _looked_ago(daemon: Daemon) -> float | None:
    return None if daemon.looked_at is None else (daemon.clock() - daemon.looked_at).total_seconds()


def metrics(body: dict[str, Any]) -> str:
    """Return a document of ``health_of`` in the text format of Prometheus."""
    found: dict[str, list[tuple[str, float]]] = {
        "syncs_total": [(f'source="{s["source"]}",outcome="{s["outcome"]}"', s["count"]) for s in body["syncs"]],
        "busy": [(f'kind="{kind}"', count) for kind, count in body["busy"].items()],
        "due": [(f'source="{source}"', count) for source, count in body["due"].items()],
        "lag_seconds": [(f'source="{source}"', lag) for source, lag in body["lag_seconds"].items()],
        "looked_seconds_ago": [("", body["looked_seconds_ago"] or 0.0)],
        "foretold_people": [(f'verdict="{verdict}"', count) for verdict, count in body["foretold"]["people"].items()],
        "foretold_brier": _known(body["foretold"]["brier"]),
        "foretold_brier_of_usual": _known(body["foretold"]["brier_of_usual"]),
    }
    lines = []
    for name, (kind, words) in METRIC_HELP.items():
        lines += [f"# HELP rhythm_bridge_{name} {words}", f"# TYPE rhythm_bridge_{name} {kind}"]
        lines += [f"rhythm_bridge_{name}{{{labels}}} {value}" for labels, value in found[name]]
    return "\n".join(lines).replace("{}", "") + "\n"


def _known(value: float | None) -> list[tuple[str, float]]:
    return [] if value is None else [("", value)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, daemon: Daemon, address: tuple[str, int], *, every: float) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)
        self.daemon, self.every, self.foretold = daemon, every, Foretold()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base's shape
        log.warning("health: a request broke off")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "rhythm-bridge", ""
    timeout = 10

    def do_GET(self) -> None:
        try:
            body = health_of(self.server.daemon, self.server.foretold, every=self.server.every)
        except StoreFault as error:
            body = {"status": error.kind, "reason": str(error)}
        except Exception as error:  # noqa: BLE001 - the database may be away, which is what is asked here
            body = {"status": "store", "reason": type(error).__name__}  # the store is what failed
        if self.path == "/health":
            self._send(200 if body["status"] in ("ok", "starting") else 503, "application/json", json.dumps(body))
        elif self.path == "/metrics" and "syncs" in body:
            self._send(200, "text/plain; version=0.0.4", metrics(body))
        else:
            self._send(503 if self.path == "/metrics" else 404, "application/json", json.dumps({"status": "none"}))

    def _send(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's shape
        """Log nothing, because monitoring asks every few seconds."""


@contextmanager
def serve_health(daemon: Daemon, address: str | None, *, every: float) -> Iterator[int | None]:
    """Serve the daemon's health at ``address`` as long as the block runs. Yield the port, or None without address.

    Raises SetupError for a host that is not this machine, for a wrong port, and for a port in use.
    """
    if address is None:
        yield None
        return
    host, _, port = address.rpartition(":")
    if host.strip("[]") not in LOOPBACK or not port.isdecimal():
        raise SetupError(f"--health must be an address of this machine, like 127.0.0.1:8766, not {address}")
    try:
        server = _Server(daemon, (host.strip("[]"), int(port)), every=every)
    except (OSError, OverflowError):
        raise SetupError(f"port {port} is not free or above 65535; choose another: --health 127.0.0.1:PORT") from None
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
