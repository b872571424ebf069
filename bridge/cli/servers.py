"""Run the commands that serve the bridge: ``up``, ``daemon``, ``worker``, ``web``, ``serve-push`` and ``service``."""

from __future__ import annotations

from typing import Annotated

import typer

from bridge.cli import options
from bridge.cli.mcp import over_http
from bridge.domain.errors import SetupError

LOCAL = "127.0.0.1"
Port = Annotated[int, typer.Option(help="The port to listen on; 0 takes any free one.", min=0, max=65_535)]
Host = Annotated[
    str,
    typer.Option(
        help="The address to listen on. With any but 127.0.0.1, ::1 and localhost, every user needs a way to "
        "log in, e.g. a password."
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        help="A host name by which people reach the page, e.g. that of a proxy with TLS. Every user then needs "
        "a way to log in. May be repeated. The name in BRIDGE_URL counts too.",
    ),
]
Every = Annotated[int, typer.Option(help="Seconds between two checks for due work.", min=1)]
Health = Annotated[
    str | None,
    typer.Option(
        help="Serve /health and /metrics at this address of this machine, e.g. 127.0.0.1:8766. Default: nowhere.",
        metavar="HOST:PORT",
    ),
]


@options.command()
def up(
    host: Host = LOCAL,
    port: Port = 8080,
    name: Names = None,
    every: Every = 60,
    health: Health = None,
    lan: Annotated[
        bool,
        typer.Option(
            "--lan",
            help="Serve your own network by HTTPS, under this machine's name, with a certificate authority of its own "
            "that each device trusts once. Every user needs a way to log in.",
        ),
    ] = False,
    new_authority: Annotated[
        bool,
        typer.Option("--new-authority", help="With --lan: make another authority; every device has to trust it again."),
    ] = False,
) -> None:
    """Run all parts in one process: the web page, the syncs, and the addresses to which apps send data.

    GET /health tells whether the page and the daemon run. SIGTERM or Ctrl-C stops them within ten seconds.
    """
    from bridge import installation
    from bridge.web.server import Served, serve_with_daemon

    if lan and host != LOCAL:
        raise SetupError("--lan listens on every address of this machine; leave --host out: bridge up --lan")
    if new_authority and not lan:
        raise SetupError("--new-authority goes with --lan: bridge up --lan --new-authority")
    with installation.open_bridge() as bridge:
        own, names = None, tuple(name or ())
        if lan:
            from bridge.web import lan as network

            own = network.opened(bridge, names, anew=new_authority)
            host, names = network.EVERYWHERE, (*names, *own.place.names)
        served = Served(host, port, names, own)
        serve_with_daemon(bridge, served, every=every, health=health, assistants=over_http(bridge))


@options.command()
def daemon(
    every: Every = 60,
    once: Annotated[
        bool, typer.Option("--once", help="Do the work that is due now and exit, for cron and systemd timers.")
    ] = False,
    health: Health = None,
) -> None:
    """Sync what is due and recommend at every slot, for every user, until SIGTERM or Ctrl-C.

    A running sync ends after its next page.
    """
    from bridge import installation, log
    from bridge.daemon.process import run
    from bridge.daemon.scheduler import Daemon

    log.configure(verbose=True)
    with installation.open_bridge() as bridge:
        if once:
            Daemon(bridge=bridge).tick()
        else:
            run(bridge, every=every, health=health)


@options.command()
def worker(
    concurrency: Annotated[
        int, typer.Option(help="Largest number of jobs that this worker runs at the same time.", min=1, max=200)
    ] = 10,
) -> None:
    """Do the daemon's work together with any number of other workers, on a shared PostgreSQL store.

    SIGTERM or Ctrl-C stops it. A running sync ends after its next page.
    """
    from bridge import installation, log
    from bridge.daemon.procrastinate_worker import work

    log.configure(verbose=True)
    with installation.open_bridge() as bridge:
        work(bridge, concurrency=concurrency)


@options.command()
def web(
    host: Host = LOCAL,
    port: Port = 8080,
    name: Names = None,
) -> None:
    """Serve the page, its JSON API (/api/v1), assistants (/mcp), and the addresses that apps and vendors send to."""
    from bridge import installation
    from bridge.web.server import Served, serve_page

    with installation.open_bridge() as bridge:
        serve_page(bridge, Served(host, port, name or ()), assistants=over_http(bridge))


@options.command("serve-push")
def serve_push(
    port: Port = 8787,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. With any but 127.0.0.1, ::1 and localhost, other machines can reach it."
        ),
    ] = "127.0.0.1",
    limit: Annotated[
        int, typer.Option(help="Largest accepted request body in megabytes (of 1,000,000 bytes).", min=1)
    ] = 200,
) -> None:
    """Receive what apps send (POST /push/SOURCE, with a token) and vendors' webhooks (POST /hooks/SOURCE).

    A webhook counts only with the vendor's proof of origin, such as a signature.
    """
    from bridge import installation, log
    from bridge.ingest.pushes import PUSH_PATH, grants
    from bridge.ingest.webhooks import HOOKS_PATH
    from bridge.web import pushes, serving

    log.configure(verbose=True)
    with installation.open_bridge() as bridge:
        pushing = sorted({one.spec.name for one, _ in grants(bridge)})
        connected = {c.source for u in bridge.store.people.users() for c in bridge.store.connections.of_user(u.id)}
        webhooks = sorted(connected & _webhook_sources())
        if not pushing and not webhooks:
            raise SetupError(
                "no app may push yet, and no connected source sends webhooks; make a token for an app: "
                "bridge connect health_auto_export --user NAME --push"
            )
        listening = serving.listen(host, port)
        for path in (*(PUSH_PATH + source for source in pushing), *(HOOKS_PATH + source for source in webhooks)):
            typer.echo(f"listening on {serving.address(listening)}{path}", err=True)
        receiver = pushes.create(bridge, max_bytes=limit * 1_000_000)
        serving.run(receiver, listening, bridge.settings.trusted_proxies)


def _webhook_sources() -> set[str]:
    from bridge import registry

    return {spec.name for spec in registry.specs() if spec.notices is not None}


@options.command()
def service(
    kind: Annotated[str, typer.Argument(help="The kind of service: systemd, launchd, container or compose.")],
    install: Annotated[
        bool,
        typer.Option(
            "--install",
            help="For systemd and launchd: write the file to its place in the home of the user who runs this "
            "command, instead of printing it.",
        ),
    ] = False,
    system: Annotated[
        bool,
        typer.Option(
            "--system",
            help="For systemd, and without --install: print a unit of the machine, with a user and a folder of its "
            "own.",
        ),
    ] = False,
    slim: Annotated[
        bool,
        typer.Option(
            "--slim",
            help="First delete what the bridge never reads from the virtual environment that it is installed in: "
            "descriptions of Google's other APIs, tests and sources of packages.",
        ),
    ] = False,
) -> None:
    """Print the file that keeps the bridge running: a unit of systemd, an agent of launchd, or a file for containers.

    Without --system, a unit or agent runs as the user who runs this command, with that user's settings and data.
    """
    from bridge import config
    from bridge.daemon import service as files

    settings = config.load()
    if system and (kind != "systemd" or install):
        raise SetupError("--system is only for systemd, and not with --install; write: bridge service systemd --system")
    written = files.text("system" if system else kind, settings.folder)
    if slim:
        from bridge.daemon import housekeeping

        before, after = housekeeping.slim()
        typer.echo(f"the installation had {before:.0f} MB, and now has {after:.0f} MB", err=True)
    if not install:
        typer.echo(written, nl=False)
    else:
        place, command = files.install(kind, written)
        typer.echo(f"{place} is written. Next: {command}")
    if kind in files.PLACES and (missed := files.only_in_this_shell()) and not system:
        typer.echo(
            f"the service does not see {', '.join(missed)}, set in this shell alone; "
            f"write it into {settings.folder / 'config.toml'}",
            err=True,
        )
