"""Run ``bridge demo``, ``record`` and ``replay``, which run the whole chain on recorded answers.

``demo`` shows every step on a made-up person from a recorded life. ``record`` and ``replay`` catch regressions.
"""

from __future__ import annotations

import difflib
import json as jsonlib
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.cli.data import report


def register(app: typer.Typer) -> None:
    app.command()(demo)
    app.command()(record)
    app.command()(replay)


def demo(context: typer.Context, json: options.Json = False) -> None:
    """Run everything once on a made-up person, from a recorded life of today's week to a recommendation.

    Needs no network and no account, and leaves nothing behind.
    """
    from bridge import installation, registry
    from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE, environment, sources, this_morning

    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-demo-") as folder:
        variables = {
            "BRIDGE_HOME": folder,
            "BRIDGE_DATABASE": f"sqlite:///{folder}/bridge.db",
            "BRIDGE_NOW": this_morning(installation.now()).isoformat(),
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
    """Print what connecting prints, because the recording stands in for the consent."""
    from bridge.recordings.recorded_life import DEMO_USER

    if not json:
        typer.echo(f"\n$ bridge connect {source} --user {DEMO_USER}")
        typer.echo(f"{source} is connected. Next: bridge sync --user {DEMO_USER}")
    return "connected"


def _landed(command: str, names: list[str], *, json: bool) -> Any:
    """Store recorded sources, and report as ``command`` does."""
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
    """Run the commands that show the stored data, and return their documents by subject."""
    from bridge.recordings.recorded_life import DEMO_USER

    commands = {"status": "status", "observation": "observe", "events": "today", "recommendation": "recommend"}
    return {what: run_command(context, (command, "--user", DEMO_USER), json=json) for what, command in commands.items()}


def run_command(context: typer.Context, command: tuple[str, ...], *, json: bool) -> Any:
    """Run a command of ours in this process. With ``json`` return its document instead of printing."""

    def run() -> None:
        program = context.find_root().command
        code = program.main((*command, "--json") if json else command, standalone_mode=False)
        if code:
            raise typer.Exit(code)

    return _step(" ".join(command), run, json=json)


def _step(command: str, run: Callable[[], None], *, json: bool) -> Any:
    """Print a command and its output. With ``json`` return its document instead."""
    if not json:
        typer.echo(f"\n$ bridge {command}")
        run()
        return None
    with redirect_stdout(StringIO()) as printed:
        run()
    return jsonlib.loads(printed.getvalue())


def record(
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    user: options.User,
    json: options.Json = False,
) -> None:
    """Record what every live source of a user answers, without tokens, names and e-mail addresses.

    Measurements and titles of events stay in the recording: look at it before you share it.
    """
    from bridge import installation
    from bridge.recordings import replay as recording

    with installation.open_bridge() as bridge:
        outcomes = recording.record(bridge, bridge.store.people.user(user), folder, at=installation.now())
    report(outcomes, user, json=json)
    if not json:
        files = folder / recording.FILES_FOLDER
        typer.echo(f"Recorded into {folder}. Put exports into {files}, then: bridge replay {folder} --keep")


def replay(
    folder: Annotated[Path, typer.Argument(help="A recording that bridge record made.")],
    keep: Annotated[bool, typer.Option("--keep", help="Store the result as the expected result.")] = False,
    json: options.Json = False,
) -> None:
    """Run a recording through the real connectors, offline, and compare with the expected result."""
    from bridge.recordings import replay as recording

    result = recording.replay(folder)
    found, wanted = recording.text(result), recording.golden(folder)
    if keep:
        (folder / recording.GOLDEN_FILE).write_text(found, encoding="utf-8")
    same = keep or wanted is None or wanted == found
    if json:
        show.document({**result, "golden": None if wanted is None and not keep else same})
    else:
        _tell(result, folder, wanted is None and not keep, same)
    if not same:
        changes = difflib.unified_diff((wanted or "").splitlines(), found.splitlines(), "golden", "found", lineterm="")
        typer.echo("\n".join(changes), err=True)
        raise typer.Exit(1)


def _tell(result: dict[str, object], folder: Path, fresh: bool, same: bool) -> None:
    landed: dict[str, dict[str, object]] = result["landed"]  # type: ignore[assignment]
    meters: dict[str, dict[str, float]] = result["observation"]["meters"]  # type: ignore[index]
    advice: dict[str, object] = result["recommendation"]  # type: ignore[assignment]
    show.table([{"source": name, **row} for name, row in landed.items()], ("source", "outcome", "new", "set_aside"))
    rows = [{"meter": m.capitalize(), "level": f"{show.bar(s['level'])} {s['level']:.2f}"} for m, s in meters.items()]
    show.table(rows, ("meter", "level"))
    typer.echo(f"recommendation: {advice['action']} ({advice['policy']})")
    if fresh:
        typer.echo(f"nothing to compare with yet; to keep this: bridge replay {folder} --keep")
    else:
        typer.echo("as it must be" if same else "not as it must be; the difference:")
