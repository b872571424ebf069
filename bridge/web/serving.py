"""Serving an application on an address until a signal comes."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bridge import log
from bridge.auth import access
from bridge.domain.errors import SetupError
from bridge.web.forwarded import networks
from bridge.web.security import LOOPBACK

if TYPE_CHECKING:
    from bridge.installation import Bridge

UNNAMED_PROXY = (
    "name the proxy before the page, or all logins share its limit on wrong passwords: BRIDGE_TRUSTED_PROXIES=127.0.0.1"
)


def serve_page(bridge: Bridge, host: str, port: int, names: Sequence[str] = ()) -> None:
    """Serve the page until SIGTERM or Ctrl-C.

    ``names`` are the host names that a proxy or a network gives to the server. Raises SetupError for a port that is
    taken, and for users without a password if the server is reached from outside.
    """
    import typer

    from bridge.web.server import create

    names = (*names, *_outside_names(bridge.settings.url))
    local = host in LOOPBACK and not names
    if not local:
        check_passwords(bridge)
    log.configure(verbose=True)
    app = create(bridge, local=local, names=(*names, socket.gethostname()) if names or not local else ())
    listening = listen(host, port)
    typer.echo(f"open {address(listening)}/", err=True)
    if not local and host in LOOPBACK and not bridge.settings.trusted_proxies:
        typer.echo(UNNAMED_PROXY, err=True)
    run(app, listening, bridge.settings.trusted_proxies)


def _outside_names(url: str | None) -> list[str]:
    """Return the name in ``BRIDGE_URL``, by which a proxy before the server is reached."""
    name = urlsplit(url or "").hostname
    return [name] if name and name not in LOOPBACK else []


def check_passwords(bridge: Bridge) -> None:
    """Raise SetupError unless there are users and each has a password."""
    users = bridge.store.people.users()
    if not users:
        raise SetupError("add a user with a password before other machines reach the page: bridge user add NAME")
    for user in users:
        if not access.has_password(bridge.store, user):
            raise SetupError(
                f"other machines could read the data of {user.name}; first: bridge user password {user.name}"
            )


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises SetupError for an address or a port that cannot be had."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SetupError(f"cannot listen on {host}:{port} ({error.strerror}); choose another: --port") from None


def address(listening: socket.socket) -> str:
    """Return the URL of a listening socket, without a path."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: Any, listening: socket.socket, trusted_proxies: str) -> None:
    """Answer until SIGTERM or Ctrl-C, then end in order. ``trusted_proxies`` as in ``BRIDGE_TRUSTED_PROXIES``.

    Afterwards uvicorn raises the signal again. It is ignored then, so that the caller still closes the store.
    """
    import uvicorn

    from bridge.web.protocol import config

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config(app, proxies=networks(trusted_proxies))).run(sockets=[listening])
