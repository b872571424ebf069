"""Run ``bridge record`` and ``replay``: record what sources answer, and compare a replay with the expected result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.cli.data import report

if TYPE_CHECKING:
    from bridge.recordings.redact import Redactor


@options.command()
def record(
    folder: Annotated[Path, typer.Argument(help="The folder to write the recording into, which must be new or empty.")],
    user: options.User,
    redact: Annotated[
        bool, typer.Option("--redact", help="Record one vendor, and replace all that tells whose the recording is.")
    ] = False,
    source: Annotated[
        str | None, typer.Option("--source", "-s", help="With --redact: the vendor, if several can be recorded.")
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
    """Print the names of the replaced fields. They are only printed, because a field's name may itself be private."""
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
