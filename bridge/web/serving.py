"""Listening: on which address, for whom, until a signal comes."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bridge import access, log
from bridge.errors import SetupError
from bridge.web.gate import LOOPBACK
from bridge.web.server import create

if TYPE_CHECKING:
    from bridge.app import Bridge


def serve(bridge: Bridge, host: str, port: int, names: Sequence[str] = ()) -> None:
    """Answer until SIGTERM or Ctrl-C. Whoever may be reached from elsewhere needs a password first.

    ``names``: that a proxy before it, or a network, has for it. Raises SetupError for people without a password, and
    where the port is taken.
    """
    import typer
    import uvicorn

    names = (*names, *_outside(bridge.settings.url))
    local = host in LOOPBACK and not names
    if not local:
        check_passwords(bridge)
    log.configure(verbose=True)
    made = create(bridge, local=local, names=(*names, socket.gethostname()) if names or not local else ())
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"open http://{shown}:{listening.getsockname()[1]}/", err=True)
    settings = uvicorn.Config(made, access_log=False, log_config=None, server_header=False, timeout_graceful_shutdown=3)
    uvicorn.Server(settings).run(sockets=[listening])


def _outside(url: str | None) -> list[str]:
    """The name under which ``BRIDGE_URL`` says that people come: then a proxy stands before us."""
    name = urlsplit(url or "").hostname
    return [name] if name and name not in LOOPBACK else []


def check_passwords(bridge: Bridge) -> None:
    people = bridge.store.users()
    if not people:
        raise SetupError("add somebody with a password before others reach it: bridge user add NAME")
    for user in people:
        if not access.has_password(bridge.store, user):
            raise SetupError(f"others could look into {user.name}'s data; first: bridge user password {user.name}")


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SetupError(f"{host}:{port} cannot be had ({error.strerror}); choose another: bridge web --port") from None
