"""Run ``bridge lab demo``, which runs every step against vendor servers on loopback. Register ``bridge lab plans``."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from bridge.cli import options, show
from bridge.cli.recordings import look, run_command
from lab.cli.plans import plans

lab = typer.Typer(help="Try the bridge with vendor servers on loopback and made-up people.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    lab.command()(demo)
    lab.command()(plans)
    app.add_typer(lab, name="lab")


@lab.callback()
def group() -> None:
    """Try the bridge with vendor servers on loopback and made-up people."""


def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Seed of the made-up person, a whole number.")] = 7,
    json: options.Json = False,
) -> None:
    """Run every step once for a made-up person, from vendor servers on loopback to a recommendation."""
    from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE
    from lab.people.demo import stage

    user = ("--user", DEMO_USER)
    with stage(seed=seed) as (served, downloads):
        body = {"user": run_command(context, ("user", "add", DEMO_USER, "--zone", DEMO_ZONE), json=json)}
        for source in served:
            body[f"connect_{source}"] = _connect(context, source, json=json)
        body["imported"] = run_command(context, ("import", *downloads, *user), json=json)
        body |= {f"{which}_sync": run_command(context, ("sync", *user), json=json) for which in ("first", "second")}
        body |= look(context, json=json)
    if json:
        show.document(body)


def _connect(context: typer.Context, source: str, *, json: bool) -> str:
    """Run ``bridge connect`` for a source, and return the word ``connected``.

    What it prints goes to standard error with ``json``.
    """
    from bridge.recordings.recorded_life import DEMO_USER

    with redirect_stdout(sys.stderr if json else sys.stdout):
        run_command(context, ("connect", source, "--user", DEMO_USER), json=False)
    return "connected"
