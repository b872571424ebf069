"""Listening: on which address, for whom, until a signal comes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from bridge.errors import SetupError
from bridge.web.gate import LOOPBACK
from bridge.web.server import create

if TYPE_CHECKING:
    from bridge.app import Bridge


def serve(bridge: Bridge, host: str, port: int) -> None:
    """Answer until SIGTERM or Ctrl-C. Raises SetupError where the port is taken."""
    import typer
    import uvicorn

    made = create(bridge, local=host in LOOPBACK)
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"open http://{shown}:{listening.getsockname()[1]}/", err=True)
    settings = uvicorn.Config(made, access_log=False, log_config=None, server_header=False, timeout_graceful_shutdown=3)
    uvicorn.Server(settings).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SetupError(f"{host}:{port} cannot be had ({error.strerror}); choose another: bridge web --port") from None
