"""``bridge serve-push``: an address that an app on the phone sends to."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("serve-push")(serve_push)


def serve_push(
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65_535)] = 8787,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine's are reachable.")] = (
        "127.0.0.1"
    ),
    limit: Annotated[int, typer.Option(help="Largest body in megabytes.", min=1)] = 200,
) -> None:
    """Take in what apps send (POST /push/SOURCE with a token) and vendors' webhooks (POST /hooks/SOURCE, signed)."""
    from bridge import app, log
    from bridge.channels import HOOKS
    from bridge.errors import SetupError
    from bridge.push.inbox import grants
    from bridge.push.server import PATH, Receiver, serve

    log.configure(verbose=True)
    with app.open_bridge() as bridge:
        sources = sorted({one.spec.name for one, _ in grants(bridge)})
        telling = sorted({c.source for u in bridge.store.users() for c in bridge.store.connections(u.id)} & _telling())
        if not sources and not telling:
            raise SetupError("nobody may push yet: bridge connect health_auto_export --user NAME --push")
        try:
            server = Receiver(bridge, (host, port), limit=limit * 1_000_000)
        except OSError as error:
            raise SetupError(f"port {port} cannot be had ({error.strerror}); choose another with --port") from None
        with server:
            for place in (*(PATH + source for source in sources), *(HOOKS + source for source in telling)):
                typer.echo(f"listening on http://{host}:{server.server_port}{place}", err=True)
            serve(server)


def _telling() -> set[str]:
    """The sources that have webhooks."""
    from bridge import registry

    return {spec.name for spec in registry.specs() if spec.notices is not None}
