"""Run ``bridge validate-meters``, which compares the meters with people's own reports in data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from lab.marked_documents import put

if TYPE_CHECKING:
    from bridge.domain.records import ProxyMap
    from lab.validation import Result


def register(app: typer.Typer) -> None:
    app.command(name="validate-meters")(validate_meters)


def validate_meters(
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the files of the datasets LifeSnaps or Welltory, or with their folders lifesnaps/ and "
            "welltory/. Give this, --table or both."
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            help="A cohort as a CSV file with a row per person and day. Its columns are person, date, measurements "
            "such as steps, and report_NAME (a higher report is better)."
        ),
    ] = None,
    diary: Annotated[
        Path | None,
        typer.Option(
            help="A diary of several prompts a day as a CSV or TSV file. Its columns are person, at (local time, ISO "
            "8601) and report_NAME (a higher report is better), and as inputs company and demands (0 to 1, since the "
            "last prompt), wake and sleep_onset. Prints each meter's rank correlation with each report within a "
            "person, beside the hour alone and the last own report."
        ),
    ] = None,
    calendars: Annotated[
        Path | None,
        typer.Option(
            help="Folder in which every .ics file is a person's calendar. Also print how much the meters read from "
            "these calendars move."
        ),
    ] = None,
    before: Annotated[
        Path | None,
        typer.Option(
            help="A file with the --json document of an earlier run, whose means are shown beside those of this run."
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Also put all tables into this Markdown document, between the lines <!-- table --> and "
            "<!-- /table -->, exactly so written. An existing document must hold both. A missing document is made."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Compare the meters, read by your proxy map, with people's reports, beside raw inputs and open formulas."""
    from bridge import config
    from bridge.meters import proxy
    from lab.validation import report, validate

    proxies = proxy.overridden(config.load().folder / proxy.OVERRIDES)
    if proxies != proxy.shipped():
        typer.echo(f"Read by your own proxy map {proxies.version}; drop it: bridge meters map --reset", err=True)
    if diary is not None:
        _diary(diary, proxies, json=json)
        if data is table is calendars is None:
            return
    with show.Progress() as progress:
        results = validate(data, table, progress.steps, proxies, calendars)
    if before is not None:
        report.compare(results, before)
    if json:
        show.document([row for result in results for row in result.rows])
    for result in results:
        for note in report.notes(result):
            typer.echo(f"{result.name}: {note}", err=True)
        if not json:
            _tell(result)
    if write is not None:
        put(write, report.markdown(results, _command(data, table, calendars, before)), heading="# Validation\n\n")


def _diary(path: Path, proxies: ProxyMap, *, json: bool) -> None:
    from lab.validation import diary, diary_ranks

    told = diary.read(path)
    with show.Progress() as progress:
        rows = diary_ranks.compared(told, proxies, progress.steps(f"{told.name}: meters"))
    for reason, count in sorted(told.aside.items()):
        typer.echo(f"{told.name}: set aside: {reason} ({count})", err=True)
    if json:
        show.document(rows)
        return
    known = [row for row in rows if row["persons"]]
    show.table(
        [_shown(row) for row in known],
        DIARY,
        title=f"{told.name}: within a person, beside the hour alone and the last report",
    )
    if len(known) < len(rows):
        typer.echo("Not listed: meters that did not change for anybody with six prompts.")


DIARY = ("report", "meter", "mean", "95 % CI", "persons", "hour", "last")


def _shown(row: Mapping[str, Any]) -> dict[str, str]:
    low, high = row["interval"]
    others = (row["hour_alone"]["mean"], row["last_own_report"]["mean"])
    hour, last = ("" if mean is None else f"{mean:+.3f}" for mean in others)
    interval = "" if low is None else f"[{low:+.2f}, {high:+.2f}]"
    cells = (row["report"], row["meter"].title(), f"{row['mean']:+.3f}", interval, f"{row['persons']}", hour, last)
    return dict(zip(DIARY, cells, strict=True))


def _command(data: Path | None, table: Path | None, calendars: Path | None, before: Path | None) -> str:
    """Return the command that was run, with the names of data files but not their folders."""
    given = (("--data", data), ("--table", table), ("--calendars", calendars), ("--before", before))
    return " ".join(["bridge validate-meters", *(f"{o} {p.resolve().name}" for o, p in given if p), "--write FILE"])


def _tell(result: Result) -> None:
    from lab.validation.report import IN_A_TERMINAL, by_target, headings, shown

    for target, rows in by_target(result.rows).items():
        show.table([shown(row) for row in rows], headings(rows, IN_A_TERMINAL), title=f"{result.name}: {target}")
    if not result.rows:
        typer.echo(f"{result.name}: nobody has 20 days with a report and a measurement")
