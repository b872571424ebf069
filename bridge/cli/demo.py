"""Run ``bridge demo``, which shows every step on a made-up person from a recorded life."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import typer

from bridge.cli import options, show

SUNDAY = 6


@options.command()
def demo(context: typer.Context, json: options.Json = False) -> None:
    """Run every step once for a made-up person, from recorded data moved to this week to a recommendation.

    Needs no network and no account, and leaves nothing behind.
    """
    import tempfile

    from bridge import installation, registry
    from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE, environment, sources, this_morning

    morning = this_morning(installation.now())
    morning -= timedelta(days=morning.weekday() == SUNDAY)  # on which the made-up person has no time left
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-demo-") as folder:
        variables = {
            "BRIDGE_HOME": folder,
            "BRIDGE_DATABASE": f"sqlite:///{folder}/bridge.db",
            "BRIDGE_NOW": morning.isoformat(),
        }
        live = [source for source in sources() if registry.spec(source).opens is not None]
        files = [source for source in sources() if source not in live]
        with environment(variables):
            body = {"user": run_command(context, ("user", "add", DEMO_USER, "--zone", DEMO_ZONE), json=json)}
            body |= {f"connect_{source}": _connected(source, json=json) for source in live}
            body["imported"] = _landed("import export.zip", files, json=json)
            body |= {f"{which}_sync": _landed("sync", live, json=json) for which in ("first", "second")}
            body |= look(context, json=json)
    if json:
        show.document(body)


def _connected(source: str, *, json: bool) -> str:
    from bridge.recordings.recorded_life import DEMO_USER

    if not json:
        typer.echo(f"\n$ bridge connect {source} --user {DEMO_USER}")
        typer.echo(f"{source} is connected. Next: bridge sync --user {DEMO_USER}")
    return "connected"


def _landed(command: str, names: list[str], *, json: bool) -> Any:
    from bridge import installation
    from bridge.cli.data import IMPORTED, SYNC_COLUMNS, report
    from bridge.recordings.recorded_life import DEMO_USER, land

    with installation.open_bridge() as bridge:
        user, at = bridge.store.people.user(DEMO_USER), installation.now()
        outcomes = [land(bridge, user, source, at=at) for source in names]
    columns = SYNC_COLUMNS if command == "sync" else IMPORTED
    return _step(
        f"{command} --user {DEMO_USER}", lambda: report(outcomes, DEMO_USER, json=json, columns=columns), json=json
    )


def look(context: typer.Context, *, json: bool) -> dict[str, Any]:
    """Run the reading commands for the demo's user, at the first moment of the day that has a suggestion.

    With ``json`` each command's document is returned. Otherwise the commands print, and each document is None.
    """
    from bridge import installation
    from bridge.recordings.recorded_life import DEMO_USER, environment

    commands = {"status": "status", "observation": "observe", "events": "today", "recommendation": "recommend"}
    now, mine = installation.now(), ("--user", DEMO_USER)
    plan = run_command(context, ("plan", *mine), json=True)
    ends = sorted(datetime.fromisoformat(one["end"]) for one in plan["blocks"] if one["kind"] != "sleep")
    for at in (now, *(end for end in ends if end > now)):
        with environment({"BRIDGE_NOW": at.isoformat()}):
            if run_command(context, ("recommend", *mine), json=True).get("kind") == "suggested":
                break
    else:
        at = now
    with environment({"BRIDGE_NOW": at.isoformat()}):
        return {what: run_command(context, (command, *mine), json=json) for what, command in commands.items()}


def run_command(context: typer.Context, command: tuple[str, ...], *, json: bool) -> Any:
    """Run a ``bridge`` command in this process and print its output. With ``json``, return its document instead.

    A failed command ends the demo with the same exit code.
    """

    def run() -> None:
        program = context.find_root().command
        code = program.main((*command, "--json") if json else command, standalone_mode=False)
        if code:
            raise typer.Exit(code)

    return _step(" ".join(command), run, json=json)


def _step(command: str, run: Callable[[], None], *, json: bool) -> Any:
    import json as jsonlib

    if not json:
        typer.echo(f"\n$ bridge {command}")
        run()
        return None
    with redirect_stdout(StringIO()) as printed:
        run()
    return jsonlib.loads(printed.getvalue())
