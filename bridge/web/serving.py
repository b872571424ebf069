"""Serve an application on an address until a signal comes.

The protocol is HTTP/1.1 with limits on connections and on the time for headers and for slow readers.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bridge.domain.errors import SetupError
from bridge.web import forwarded, throttle
from bridge.web.forwarded import networks

log = logging.getLogger(__name__)
WRITE_SECONDS = 120.0  # without progress, after which an answer is given up
BACKLOG = 50  # connections accepted in a row, before the first of them can be refused
SHUTDOWN_SECONDS = 3  # for answers that are under way at the end


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises SetupError if the port is in use or the address not this machine's."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SetupError(f"cannot listen on {host}:{port} ({error.strerror}); give another --host or --port") from None


def address(listening: socket.socket) -> str:
    """Return the URL of a listening socket, without a path."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: Any,
    listening: socket.socket,
    trusted_proxies: str,
    *,
    at_signal: Callable[[], object] = lambda: None,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Serve an application until SIGTERM or Ctrl-C, at which ``at_signal`` is called.

    Without ``tls`` the protocol is plain HTTP. It returns after the end, although uvicorn raises the signal again, so
    that the caller can close the store.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    settings = config(app, proxies=networks(trusted_proxies))
    settings.tls = tls
    Server(settings, at_signal).run(sockets=[listening])


class Server(uvicorn.Server):
    """A uvicorn server that calls ``at_signal`` when a signal ends it, before it waits for open answers."""

    def __init__(self, config: uvicorn.Config, at_signal: Callable[[], object]) -> None:
        super().__init__(config)
        self._at_signal = at_signal

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._at_signal()
        super().handle_exit(sig, frame)


class Config(uvicorn.Config):
    """The settings of a uvicorn server. Connections from trusted ``proxies`` are not limited per address."""

    proxies: Sequence[forwarded.Network] = ()
    tls: ssl.SSLContext | None = None

    def load(self) -> None:
        super().load()
        self.ssl = self.tls


class Bounded(H11Protocol):
    """The HTTP protocol of uvicorn with limits on connections, and on the time for headers and for slow readers."""

    config: Config
    opened = 0.0  # by the loop's clock
    _header_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.opened = self.loop.time()
        excess = self._excess()
        if excess:
            given_up = next((one for one in excess if one.is_idle and one is not self), self)
            given_up.connections.discard(given_up)
            log.warning("a connection was ended: too many are open")
            given_up.transport.abort()
            if given_up is self:
                return
        self._await_headers()

    @property
    def host(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """True if no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _excess(self) -> list[Bounded]:
        """Return the connections of which one must be closed, the oldest first. It is empty below the limits."""
        everyone = sorted(
            (connection for connection in self.connections if isinstance(connection, Bounded)),
            key=lambda one: one.opened,
        )
        mine = [one for one in everyone if one.host == self.host]
        if len(mine) > throttle.MAX_OPEN_PER_ADDRESS and not forwarded.is_trusted(self.host, self.config.proxies):
            return mine
        if len(everyone) <= throttle.MAX_OPEN:
            return []
        idle = Counter(one.host for one in everyone if one.is_idle and one is not self)
        return [one for one in everyone if idle and one.host == idle.most_common(1)[0][0]] or [self]

    def _await_headers(self) -> None:
        _cancel(self._header_timer)
        self._header_timer = self.loop.call_later(throttle.HEADER_SECONDS, self._close_if_idle, self.cycle)

    def _close_if_idle(self, before: Any) -> None:
        if self.cycle is before and (before is None or before.response_complete):
            self.transport.close()
            self._header_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_headers()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._write_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        _cancel(self._header_timer)
        _cancel(self._write_timer)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def config(app: Any, *, proxies: Sequence[forwarded.Network] = (), **more: Any) -> Config:
    """Return the settings of a uvicorn server for ``app``. ``more`` are further settings of uvicorn."""
    found = Config(
        app,
        http=Bounded,
        ws="none",
        backlog=BACKLOG,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,  # uvicorn trusts every client on this machine; Forwarded trusts named proxies
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        **more,
    )
    found.proxies = proxies
    return found
