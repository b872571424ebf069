"""Run ``bridge sources``, ``status``, ``doctor`` and ``diagnostics``, which show what is installed and what fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import BadRecord

if TYPE_CHECKING:
    from bridge.advice.foresight import Foresight
    from bridge.doctor import Finding


@options.command()
def sources(json: options.Json = False) -> None:
    """List the sources, classifiers and policies that are installed."""
    from bridge import registry

    rows: list[dict[str, Any]] = [
        {
            "kind": "source",
            "name": spec.name,
            "title": spec.title,
            "live": spec.opens is not None,
            "files": spec.reads is not None,
            "delivers": sorted(str(what) for what in spec.delivers),
        }
        for spec in registry.specs()
    ]
    for kind in ("classifiers", "policies"):
        rows += [{"kind": kind, "name": name, "title": name} for name in registry.names(kind)]
    if not json:
        for row in rows:
            row["delivers"] = ", ".join(row.get("delivers", ()))
    show.table(rows, ("kind", "name", "live", "files", "delivers"), json=json)


@options.command()
def status(user: options.User, json: options.Json = False) -> None:
    """Print each connection with last success, next sync, age of its data, records set aside, and next command."""
    from bridge import registry
    from bridge.advice.foresight import foresight
    from bridge.documents.connections import connection_documents, foresight_status, notification_status

    with options.opened(user, flights=False) as (bridge, person, now):
        rows = [*connection_documents(bridge, person, now), *notification_status(bridge, person, now)]
        known = foresight(bridge.store, person, now=now)
    if json:
        show.document([*rows, *foresight_status(known)])
        return
    show.table(
        [_readable(row) for row in rows],
        ("source", "connection", "last_success", "next_due", "newest", "rows", "set_aside", "next"),
    )
    for row in rows:
        for what, count in row["set_aside_reasons"].items():
            typer.echo(f"{row['source']}: {count} set aside, {what}")
        if row["set_aside_reasons"]:
            typer.echo(f"{row['source']}: {BadRecord.then}")
        if row["error"]:
            typer.echo(f"{row['source']}: {row['error']}")
        if row["not_permitted"]:
            typer.echo(f"{row['source']}: {registry.spec(row['source']).refusal(row['not_permitted'])}")
    if known.answers:
        typer.echo(f"advice: {_foresight_words(known)}")


def _foresight_words(known: Foresight) -> str:
    from bridge.advice.foresight import VERDICT_ANSWERS
    from bridge.domain.languages import plural

    answers = plural(known.answers, "answer")
    if known.answers < VERDICT_ANSWERS:
        return f"{answers} of yours so far; how well they are foretold can be told from {VERDICT_ANSWERS} on"
    scores = f"Brier score {known.score:.3f}, by your usual share {known.usual:.3f}, 0 is perfect"
    return f"your answers are foretold {known.verdict} ({answers}, {scores})"


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    dates = {when: row[when] and row[when][5:16].replace("T", " ") for when in ("last_success", "next_due")}
    lag = row["lag_hours"]
    return {**row, **dates, "newest": None if lag is None else f"{lag:.0f} h ago" if lag < 48 else row["newest_day"]}


@options.command()
def doctor(json: options.Json = False) -> None:
    """Check the installation and every connection. Print what is wrong and the next command.

    The exit code is 1 if anything is wrong.
    """
    from bridge.doctor import examine

    findings = examine()
    if json:
        show.document([{"check": f.check, "ok": f.ok, "finding": f.text, "next": f.next} for f in findings])
    else:
        _print_findings(findings)
    if not all(f.ok for f in findings):
        raise typer.Exit(1)


def _print_findings(findings: Sequence[Finding]) -> None:
    from bridge.domain.languages import plural

    columns = ("ok", "check", "finding", "next")
    checks = sorted((finding for finding in findings if not finding.optional), key=lambda one: one.ok)
    rows = [{"check": f.check, "finding": f.text, "next": f.next, "ok": "ok" if f.ok else "!!"} for f in checks]
    show.table(rows, columns)
    unused = [{"source": f.check, "finding": f.text, "next": f.next} for f in findings if f.optional and not f.extra]
    if unused:
        show.table(unused, ("source", "finding", "next"), title="Not set up, and needed only for live data from there:")
    extras = [finding for finding in findings if finding.extra]
    if extras:
        typer.echo("Not installed, and needed only by those who want it:")
    for extra in extras:  # a command of that length would leave a table no room
        typer.echo(f"{extra.extra}, {extra.text}\n  {extra.next}")
    faults = sum(not finding.ok for finding in findings)
    typer.echo(f"{plural(faults, 'fault')} to mend, at the top." if faults else "Nothing is wrong.")


@options.command()
def diagnostics(
    json: Annotated[bool, typer.Option("--json", help="Without effect, because JSON is printed anyway.")] = False,  # noqa: ARG001
) -> None:
    """Print versions, counts of rows and states of connections, nothing personal, as JSON to report a problem."""
    from bridge import installation
    from bridge.documents.diagnostics import diagnostics_document

    with installation.open_bridge() as bridge:
        show.document(diagnostics_document(bridge, installation.now(), checks=True))
