"""Print results as a JSON document, or as tables and bars for people."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer

from bridge.documents.text import printable, writable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from bridge.domain.types import Reading
    from bridge.ingest.sync import OnPage
    from rhythm_env.interface import Meter

PIPED_WIDTH = 110  # columns where the output is no terminal


def document(body: Any) -> None:
    """Print ``body`` as a JSON document on standard output."""
    ascii_only = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    typer.echo(writable(jsonlib.dumps(body, indent=2, ensure_ascii=ascii_only, default=str)))


def result(body: Any, text: str, *, json: bool) -> None:
    """Print a result: ``body`` as a JSON document with ``json``, otherwise ``text``."""
    if json:
        document(body)
    else:
        typer.echo(text)


def table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, json: bool = False, title: str | None = None
) -> None:
    """Print rows as a table with the keys ``columns``. With ``json``, print all keys of all rows as a JSON list.

    Cells break between words. If the longest words do not fit side by side, the lines between columns are left out.
    Words are broken only if that is not enough.
    """
    if json:
        document(list(rows))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, markup=False, highlight=False)
    cells = [[column.replace("_", " "), *(_cell(row.get(column)) for row in rows)] for column in columns]
    widths = _widths(cells, console.width - 3 * len(columns) - 1)
    lines: box.Box | None = box.HEAVY_HEAD
    if widths is None:
        widths = _widths(cells, console.width - len(columns))
        lines = box.HEAVY_HEAD if widths is None else None
    edges: dict[str, Any] = {} if lines else {"pad_edge": False, "padding": (0, 1, 0, 0)}
    drawn = Table(title=title, title_justify="left", header_style="bold", box=lines, **edges)
    for k, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        numeric = bool(rows) and all(isinstance(row.get(column), int | float) for row in rows)
        width = None if widths is None else widths[k]
        if numeric:  # not folded, because half a number would be another number
            drawn.add_column(cell[0], justify="right", width=width)
        else:
            drawn.add_column(cell[0], overflow="fold", width=width)
    for k in range(len(rows)):
        drawn.add_row(*(cell[k + 1] for cell in cells))
    console.print(drawn)


def _widths(cells: Sequence[Sequence[str]], space: int) -> list[int] | None:
    """Return a width for each column in which no word breaks, or None if they need more than ``space`` together.

    ``cells`` holds the texts of each column. Spare space is shared among columns that need it.
    """
    from rich.cells import cell_len

    least = [max(cell_len(word) for cell in column for word in cell.split() or [""]) for column in cells]
    wanted = [max(cell_len(cell) for cell in column) for column in cells]
    spare = space - sum(least)
    if spare < 0:
        return None
    widths = list(least)
    order = sorted(range(len(cells)), key=lambda k: wanted[k] - least[k])
    for left, k in zip(range(len(order), 0, -1), order, strict=True):
        more = min(wanted[k] - least[k], spare // left)
        widths[k] += more
        spare -= more
    return widths


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else printable(str(value))


def meters(
    readings: Mapping[Meter, Reading], *, width: int = 20, more: Mapping[str, Mapping[Meter, str]] | None = None
) -> None:
    """Print a table of meters: bars of ``width`` characters with uncertainty, freshness and reasons.

    ``more`` holds further columns (heading -> meter -> text). A star marks meters that were not validated.
    """
    columns = more or {}
    rows = [
        {
            "meter": str(meter).capitalize() + ("" if reading.validated else " *"),
            "level": level(reading, width),
            **{name: cells[meter] for name, cells in columns.items()},
            "fresh": f"{reading.coverage:.0%}",
            "because": "; ".join(b.text for b in reading.strongest) or reading.note or "",
        }
        for meter, reading in readings.items()
    ]
    table(rows, ("meter", "level", *columns, "fresh", "because"))


def bar(level: float, width: int = 20) -> str:
    """Return a level from 0 to 1 as a bar of ``width`` block characters."""
    full = round(level * width)
    return "█" * full + "░" * (width - full)


def level(reading: Reading, width: int) -> str:
    """Return a reading as a bar with its level and standard deviation, or ``not known`` without fresh data."""
    return f"{bar(reading.level, width)} {reading.level:.2f} ± {reading.sd:.2f}" if reading.coverage else "not known"


def unwatched(stream: str, records: int) -> None:
    """Do nothing after a stored page of records, because there is no terminal on which to show progress."""


def unseen(done: int, total: int) -> None:
    """Do nothing after a step's progress, because there is no terminal on which to show it."""


class Progress:
    """A progress display on standard error, which shows nothing without a terminal. ``sizes`` shows bytes and speed."""

    def __init__(self, *, sizes: bool = False) -> None:
        self._sizes = sizes
        self._rich: RichProgress | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich import progress as rich
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            counts = (rich.MofNCompleteColumn(),)
            sizes = (rich.DownloadColumn(), rich.TransferSpeedColumn(), rich.TimeRemainingColumn())
            shown = sizes if self._sizes else counts
            columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), *shown)
            self._rich = RichProgress(*columns, console=Console(stderr=True), transient=True)
            self._rich.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._rich is not None:
            self._rich.stop()

    def watch(self, name: str) -> OnPage:
        """Return a function of (stream, records), which adds to the number of stored records shown under ``name``."""
        rich = self._rich
        if rich is None:
            return unwatched
        task = rich.add_task(name, total=None)

        def landed(stream: str, records: int) -> None:
            rich.update(task, description=f"{name} · {stream}", advance=records)

        return landed

    def steps(self, name: str) -> Callable[[int, int], None]:
        """Return a function of (done, total) that shows the progress of the step called ``name``."""
        rich = self._rich
        if rich is None:
            return unseen
        task = rich.add_task(name, total=None)

        def step(done: int, total: int) -> None:
            rich.update(task, completed=done, total=total)

        return step
