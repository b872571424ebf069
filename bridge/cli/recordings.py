"""Run ``bridge record`` and ``replay`` on vendors' answers, and ``demo`` on the recorded data of a made-up person."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.cli.data import report

if TYPE_CHECKING:
    from bridge.recordings.exchanges import Redactor


SUNDAY = 6


@options.command()
def record(
    folder: Annotated[Path, typer.Argument(help="The folder to write the recording into, which must be new or empty.")],
    user: options.User,
    redact: Annotated[
        bool, typer.Option("--redact", help="Record one vendor, and replace all that tells whose the recording is.")
    ] = False,
    source: Annotated[
        str | None, typer.Option("--source", "-s", help="Only with --redact: the vendor, if the user has several.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Record what the vendor of every account of a user answers, without tokens, names and e-mail addresses.

    Measurements and titles of events stay in the recording: look at it before you share it. With --redact it can be
    given away: measurements and the clock stay, dates move by a secret number of weeks, all other texts are replaced.
    """
    from bridge.recordings import replay as recording

    if source is not None and not redact:
        raise typer.BadParameter("--source is for --redact; without it every account is recorded")
    with options.opened(user, flights=False) as (bridge, person, now):
        if redact:
            outcome, redactor = recording.record_redacted(bridge, person, source, folder, at=now)
            report([outcome], user, json=json)
        else:
            report(recording.record(bridge, person, folder, at=now), user, json=json)
    if redact and not json:
        _tell_redacted(folder, outcome.source, redactor)
    elif not json:
        files = folder / recording.FILES_FOLDER
        typer.echo(f"Recorded into {folder}. Put exports into {files}, then: bridge replay {folder} --keep")


def _tell_redacted(folder: Path, source: str, redactor: Redactor) -> None:
    """Print how many values were kept and replaced, by field. Field names are only printed, as they may be private."""
    typer.echo(f"{redactor.kept} values kept, {sum(redactor.replaced.values())} replaced, in these fields:")
    for name, count in sorted(redactor.replaced.items()):
        typer.echo(f"  {name} ({count})")
    typer.echo(
        f"Read {folder / f'{source}.json'} before you give it away. "
        f"It holds no date of yours. To keep what it comes to: bridge replay {folder} --keep"
    )


@options.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="The folder of a recording that bridge record made.")],
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Store the result in the recording as the expected result, instead of comparing."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Run a recording through the real connectors, offline, and compare the result with the expected result.

    The exit code is 1 if the two differ.
    """
    import difflib

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
    typer.echo(f"recommendation: {_advised(advice)}")
    if fresh:
        typer.echo(f"nothing to compare with yet; to keep this: bridge replay {folder} --keep")
    else:
        typer.echo("as it must be" if same else "not as it must be; the difference:")


def _advised(advice: dict[str, object]) -> str:
    if advice["action"] is None:
        return f"none, because {'; '.join(advice['reasons'])}"  # type: ignore[arg-type]
    return f"{advice['action']} ({advice['policy']})"


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
    """Run the reading commands for the demo's user, at the day's first moment with a suggestion.

    With ``json`` each command's document is returned. Otherwise the commands print, and each document is None.
    """
    from bridge import installation
    from bridge.recordings.recorded_life import DEMO_USER, environment

    commands = {"status": "status", "observation": "observe", "events": "today", "recommendation": "recommend"}
    now, mine = installation.now(), ("--user", DEMO_USER)
    plan = run_command(context, ("plan", *mine), json=True)
    ends = sorted(datetime.fromisoformat(block["end"]) for block in plan["blocks"] if block["kind"] != "sleep")
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

    If it fails, the demo ends with the same exit code.
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
