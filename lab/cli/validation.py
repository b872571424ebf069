"""Run ``bridge validate-meters``, which compares the meters with people's own reports in data sets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
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
            help="Folder in which every .ics file is a person's calendar. Also print how much the meters change over "
            "time with these calendars."
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
    """Compare the meters with what people report, and do so with raw figures and published formulas too."""
    from bridge import config
    from bridge.meters import proxy
    from lab.validation import validate

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
        compare(results, before)
    if json:
        show.document([row for result in results for row in result.rows])
    for result in results:
        for note in notes(result):
            typer.echo(f"{result.name}: {note}", err=True)
        if not json:
            _tell(result)
    if write is not None:
        put(write, markdown(results, _command(data, table, calendars, before)), heading="# Validation\n\n")


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
    for target, rows in by_target(result.rows).items():
        show.table([shown(row) for row in rows], headings(rows, IN_A_TERMINAL), title=f"{result.name}: {target}")
    if not result.rows:
        typer.echo(f"{result.name}: nobody has 20 days with a report and a measurement")


MEAN_BEFORE = "mean before"
HEADINGS = ("predictor", "median", "IQR", "mean", "95 % CI", "persons", "days", "null 95 %", "p")
IN_A_TERMINAL = tuple(heading for heading in HEADINGS if heading != "null 95 %")


def markdown(results: Sequence[Result], command: str) -> str:
    """Return the report as Markdown, with the method and for each cohort a table per target."""
    written = f"{', '.join(result.name for result in results)}: written by `{command}`."
    return "\n".join([written, *(line for result in results for line in _cohort(result))])


def shown(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row as column -> text, in the order of ``HEADINGS``."""
    cells = (
        row["predictor"] + (" (!)" if "warning" in row else ""),
        _signed(row["median"]),
        _range(row["iqr"]),
        _signed(row["mean"]),
        _range(row["ci95"]),
        f"{row['persons']}",
        f"{row['days']:,}",
        _range(row.get("null95")),
        f"{row['p']:.3f}" if "p" in row else "",
    )
    told = dict(zip(HEADINGS, cells, strict=True))
    if "before" in row:
        earlier = row["before"]
        told[MEAN_BEFORE] = "" if earlier is None else f"{_signed(earlier['mean'])} {_range(earlier['ci95'])}".strip()
    return told


def headings(rows: Sequence[Mapping[str, Any]], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the headings ``chosen``, with that of the earlier mean added if the rows have one."""
    return (*chosen, MEAN_BEFORE) if any("before" in row for row in rows) else tuple(chosen)


def _identity(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["cohort"], row["target"], row["predictor"]


def compare(results: Sequence[Result], before: Path) -> None:
    """Add the means and intervals of an earlier run, read from its JSON file, to the rows as ``before``.

    Raises SetupError for a file that is not such JSON.
    """
    try:
        earlier = {_identity(row): row for row in json.loads(before.read_text(encoding="utf-8"))}
        told = {key: {"mean": row["mean"], "ci95": row["ci95"]} for key, row in earlier.items()}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SetupError(
            f"{before} is not what a run printed ({type(error).__name__}); print one: bridge validate-meters --json"
        ) from None
    for row in (row for result in results for row in result.rows):
        row["before"] = told.get(_identity(row))


def by_target(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["target"], []).append(row)
    return found


def notes(result: Result) -> Iterator[str]:
    """Yield sentences on the assumptions, on unused rows, and on correlations that are too high to be plausible."""
    yield from (f"Assumed: {text}." for text in result.assumed)
    yield from (f"Set aside: {reason} ({count})." for reason, count in sorted(result.aside.items()))
    for row in result.rows:
        if "warning" in row:
            yield f"(!) {row['predictor']} against {row['target']}: {row['warning']}."


def _cohort(result: Result) -> Iterator[str]:
    yield from ("", f"## {result.name}" + (f" ({result.licence})" if result.licence else ""), "")
    yield from (f"- {note}" for note in notes(result))
    for target, rows in by_target(result.rows).items():
        named = headings(rows, HEADINGS)
        yield from ("", f"### {result.name}: {target}", "", "| " + " | ".join(named) + " |", _ruler(len(named)))
        yield from ("| " + " | ".join(shown(row).values()) + " |" for row in rows)


def _ruler(columns: int) -> str:
    return "|---" + "|---:" * (columns - 1) + "|"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _range(ends: Sequence[float | None] | None) -> str:
    if ends is None or None in ends:
        return ""
    return "[" + ", ".join(f"{end:.2f}".replace("0.", ".", 1) for end in ends) + "]"
