"""How the daemon is, for those who watch over it: ``/health`` as JSON, ``/metrics`` as Prometheus reads it.

Counts of sources only; nobody's name, nothing that was measured. The text format:
https://prometheus.io/docs/instrumenting/exposition_formats/
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

from bridge.daemon import Daemon
from bridge.errors import SetupError

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MISSED = 3  # looks that may be missed before all is not well
WORDS = {
    "syncs_total": ("counter", "Syncs that ended, by source and outcome."),
    "busy": ("gauge", "Work under way, by kind."),
    "due": ("gauge", "Connections that are due and nobody is at, by source."),
    "lag_seconds": ("gauge", "How long the longest of them has been due, by source."),
    "looked_seconds_ago": ("gauge", "Time since the last look at what is due."),
}


def pulse(daemon: Daemon, *, every: float) -> dict[str, Any]:
    """``status`` is ok, starting, late (no look in a while) or stopping; counts are by source."""
    now = daemon.clock()
    ago = None if daemon.looked is None else (now - daemon.looked).total_seconds()
    due = daemon.bridge.store.work.due(now=now)
    return {
        "status": _status(daemon, ago, every),
        "looked_seconds_ago": ago,
        "busy": dict(daemon.crew.busy()),
        "due": {source: count for source, (count, _) in due.items()},
        "lag_seconds": {source: _seconds(now, since) for source, (_, since) in due.items()},
        "syncs": [{"source": s, "outcome": o, "count": count} for (s, o), count in sorted(daemon.done.items())],
    }


def _seconds(now: datetime, since: datetime | None) -> float:
    return 0.0 if since is None else max(0.0, (now - since) / timedelta(seconds=1))


def _status(daemon: Daemon, ago: float | None, every: float) -> str:
    if daemon.stopping.is_set():
        return "stopping"
    if ago is None:
        return "starting"
    return "late" if ago > MISSED * every + 10 else "ok"


def metrics(body: dict[str, Any]) -> str:
    """The same as text."""
    found: dict[str, list[tuple[str, float]]] = {
        "syncs_total": [(f'source="{s["source"]}",outcome="{s["outcome"]}"', s["count"]) for s in body["syncs"]],
        "busy": [(f'kind="{kind}"', count) for kind, count in body["busy"].items()],
        "due": [(f'source="{source}"', count) for source, count in body["due"].items()],
        "lag_seconds": [(f'source="{source}"', lag) for source, lag in body["lag_seconds"].items()],
        "looked_seconds_ago": [("", body["looked_seconds_ago"] or 0.0)],
    }
    lines = []
    for name, (kind, words) in WORDS.items():
        lines += [f"# HELP rhythm_bridge_{name} {words}", f"# TYPE rhythm_bridge_{name} {kind}"]
        lines += [f"rhythm_bridge_{name}{{{labels}}} {value}" for labels, value in found[name]]
    return "\n".join(lines).replace("{}", "") + "\n"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, daemon: Daemon, address: tuple[str, int], *, every: float) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)
        self.daemon, self.every = daemon, every

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base's shape
        log.warning("health: a request broke off")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "rhythm-bridge", ""
    timeout = 10

    def do_GET(self) -> None:
        try:
            body = pulse(self.server.daemon, every=self.server.every)
        except Exception as error:  # noqa: BLE001 - the database may be away, which is what is asked here
            body = {"status": "store", "reason": type(error).__name__}
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
        """Those who watch ask often."""


@contextmanager
def listening(daemon: Daemon, address: str | None, *, every: float) -> Iterator[int | None]:
    """Answer at HOST:PORT of this machine while inside; gives the port. Raises SetupError where that cannot be."""
    if address is None:
        yield None
        return
    host, _, port = address.rpartition(":")
    if host.strip("[]") not in LOOPBACK or not port.isdecimal():
        raise SetupError(f"--health is an address of this machine, like 127.0.0.1:8766, not {address}")
    try:
        server = _Server(daemon, (host.strip("[]"), int(port)), every=every)
    except (OSError, OverflowError):
        raise SetupError(f"port {port} cannot be had; choose another: --health 127.0.0.1:PORT") from None
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
