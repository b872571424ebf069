"""Run ``bridge sync``, ``import`` and ``rebuild``, which bring in or recompute data and report the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import BadRecord, Interrupted, NeedsLogin, TryLater

if TYPE_CHECKING:
    from bridge.domain.records import RecordResult
    from bridge.domain.types import Outcome

NEXT_STEPS = {"failed": TryLater.then, "interrupted": Interrupted.then}  # for outcomes that need nothing of the user
SYNC_COLUMNS = ("source", "connection", "outcome", "new", "updated", "unchanged", "deleted", "set_aside")
IMPORTED = (
    *("source", "outcome", "new", "updated", "unchanged", "deleted", "set_aside", "samples", "episodes", "events"),
    "seconds",
)


@options.command()
def sync(user: options.User, source: options.Source = None, json: options.Json = False) -> None:
    """Fetch what is new from every connected source, or from --source."""
    from bridge.advice.outcomes import confirm
    from bridge.ingest import runs

    with options.opened(user, flights=False) as (bridge, person, now), show.Progress() as progress:
        outcomes = runs.sync_user(bridge, person, source, at=now, watch=progress.watch)
        confirm(bridge, person, now=now)
    report(outcomes, user, json=json)


@options.command("import")
def import_path(
    path: Annotated[
        Path,
        typer.Argument(
            help="An export that was downloaded, or that bridge export wrote. It is a zip, a folder or a file, and "
            "must exist."
        ),
    ],
    user: options.User,
    source: options.Source = None,
    keep_all: Annotated[
        bool,
        typer.Option(
            "--keep-all",
            help="For Apple Health: keep every single measurement of any type, not only what days and nights need.",
        ),
    ] = False,
    me: Annotated[
        str,
        typer.Option(
            help="For calendar files: your own e-mail address in them. Meetings that it declined do not count."
        ),
    ] = "",
    json: options.Json = False,
) -> None:
    """Import an export, or a folder of exports. The content of each file tells what it is. Or name it by --source."""
    from bridge.documents.connections import import_outcomes
    from bridge.ingest import runs

    settings = ({"keep_all": "yes"} if keep_all else {}) | ({"addresses": me} if me else {})
    with options.opened(user, flights=False) as (bridge, person, now), show.Progress(sizes=True) as progress:
        watch = progress.steps
        imported = runs.import_path(bridge, person, path, at=now, source=source, settings=settings, on_bytes=watch)
    report(import_outcomes(imported), user, json=json, columns=IMPORTED)


def report(outcomes: list[Outcome], user: str, *, json: bool, columns: Sequence[str] = SYNC_COLUMNS) -> None:
    """Print the outcomes of syncs or imports as a table with ``columns``, then reasons and next commands.

    Ends the command with exit code 3 if the user must log in again, and with 1 if another outcome is bad.
    """
    from bridge.documents.connections import outcome_document

    show.table([outcome_document(outcome) for outcome in outcomes], columns, json=json)
    for outcome in outcomes:
        _explain(outcome, user, json=json)
    if any(o.outcome == "needs_login" for o in outcomes):
        raise typer.Exit(3)
    if any(o.outcome not in ("ok", "unknown") for o in outcomes):
        raise typer.Exit(1)


def _explain(outcome: Outcome, user: str, *, json: bool) -> None:
    from bridge.documents.text import printable

    if not json:
        _print_reasons(outcome)
    for file, reason in outcome.failed_files:
        typer.echo(f"{printable(file)}: {reason}", err=True)
    if outcome.outcome == "needs_login":
        typer.echo(NeedsLogin.then.replace("SOURCE", outcome.source).replace("NAME", user), err=True)
    elif outcome.not_permitted:
        typer.echo(f"connect again: bridge connect {outcome.source} --user {user}", err=True)


def _print_reasons(outcome: Outcome) -> None:
    from bridge import registry

    for reason in outcome.reasons:
        typer.echo(f"set aside, {reason}")
    if outcome.reasons:
        typer.echo(f"{outcome.source}: {BadRecord.then}")
    for what, count in outcome.left_out.items():
        typer.echo(f"{outcome.source}: {count} {what}")
    if outcome.skipped_because:
        then = None if outcome.failed_files else NEXT_STEPS.get(outcome.outcome)  # a file does not come by itself
        typer.echo(f"{outcome.source}: {outcome.skipped_because}" + (f"; {then}" if then else ""))
    if outcome.not_permitted:
        typer.echo(f"{outcome.source}: {registry.spec(outcome.source).refusal(outcome.not_permitted)}")


@options.command()
def rebuild(user: options.User, source: options.Source = None, json: options.Json = False) -> None:
    """Compute the stored data of every source, or of --source, again from the raw records that are kept.

    Nothing is fetched from the network.
    """
    from bridge.ingest import runs

    with options.opened(user, flights=False) as (bridge, person, _), show.Progress() as progress:
        results = runs.rebuild(bridge, person, source, progress=progress.steps("rebuild"))
    rows = [
        {"source": name, "records": len(done), "set_aside": sum(_set_aside(result) for result in done)}
        for name, done in results.items()
    ]
    show.table(rows, ("source", "records", "set_aside"), json=json)


def _set_aside(result: RecordResult) -> int:
    return len(result.outside) if result.set_aside is None else 1
