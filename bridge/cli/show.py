"""Print results as a JSON document, or as tables and bars for people."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import typer

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from bridge.domain.types import Reading
    from bridge.ingest.sync import OnPage
    from rhythm_env.interface import Meter

SPARKS = "▁▂▃▄▅▆▇█"
PIPED_WIDTH = 110  # columns where the output is no terminal
LEAST_WIDTH = 40
COMMAND = re.compile(r"(?:^|(?<=: )|(?<=or ))(?:bridge|pip) [^.,;()\n]+", re.MULTILINE)  # in a sentence
COMMANDS = ("next",)  # columns of commands, which are copied whole


def document(body: Any) -> None:
    """Print ``body`` as an indented JSON document. Values that JSON does not have become texts."""
    import json

    from bridge.documents.text import writable

    ascii_only = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    typer.echo(writable(json.dumps(body, indent=2, ensure_ascii=ascii_only, default=str)))


def result(body: Any, text: str, *, json: bool) -> None:
    """Print ``body`` as a JSON document with ``json``, otherwise ``text``."""
    if json:
        document(body)
    else:
        say(text)


def table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, json: bool = False, title: str | None = None
) -> None:
    """Print rows as a table with the keys ``columns``, or with ``json`` all keys of all rows as a JSON list."""
    if json:
        document(list(rows))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(width=width(), markup=False, highlight=False)
    cells = [[column.replace("_", " "), *(_cell(row.get(column)) for row in rows)] for column in columns]
    whole = [column in COMMANDS for column in columns]
    widths = _widths(cells, console.width - 3 * len(columns) - 1, whole)
    lines: box.Box | None = box.HEAVY_HEAD
    if widths is None:
        widths, lines = _widths(cells, console.width - len(columns), whole), None
    if widths is None:
        _print_lines(cells, whole, title, console.width)
        return
    edges: dict[str, Any] = {} if lines else {"pad_edge": False, "padding": (0, 1, 0, 0)}
    drawn = Table(title=title, title_justify="left", header_style="bold", box=lines, **edges)
    for k, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        numeric = bool(rows) and all(isinstance(row.get(column), int | float) for row in rows)
        if numeric:  # not folded, because half a number would be another number
            drawn.add_column(cell[0], justify="right", width=widths[k])
        else:
            drawn.add_column(cell[0], overflow="fold", width=widths[k])
    for k in range(len(rows)):
        drawn.add_row(*(cell[k + 1] for cell in cells))
    console.print(drawn)


def width() -> int:
    """Return the width of the output in columns, from ``COLUMNS`` or the terminal, or a default for a file."""
    from shutil import get_terminal_size

    return max(LEAST_WIDTH, get_terminal_size((PIPED_WIDTH, 24)).columns) if _is_narrow() else PIPED_WIDTH


def _is_narrow() -> bool:
    return sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()


def say(text: str, *, err: bool = False) -> None:
    """Print sentences, on standard error if ``err``, wrapped between words without breaking commands."""
    if _is_narrow():
        kept = COMMAND.sub(lambda found: found[0].replace(" ", "\0"), text)
        lines = [line for part in kept.split("\n") for line in _wrapped(part, width()) or [""]]
        text = "\n".join(lines).replace("\0", " ")
    typer.echo(text, err=err)


def _print_lines(cells: Sequence[Sequence[str]], whole: Sequence[bool], title: str | None, width: int) -> None:
    before = max(len(column[0]) for column in cells) + 2
    if title:
        typer.echo(title)
    for k in range(1, len(cells[0])):
        if k > 1:
            typer.echo("")
        for column, uncut in zip(cells, whole, strict=True):
            if column[k]:
                lines = [column[k]] if uncut else _wrapped(column[k], width - before)
                typer.echo(f"{column[0]:{before}}" + f"\n{'':{before}}".join(lines))


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(1, width), break_long_words=False, break_on_hyphens=False)


def _widths(cells: Sequence[Sequence[str]], space: int, whole: Sequence[bool]) -> list[int] | None:
    """Return column widths at which no word breaks, and no cell of a column marked in ``whole``. None if too wide."""
    from rich.cells import cell_len

    words = [
        [cell if uncut else word for cell in column for word in cell.split() or [""]]
        for column, uncut in zip(cells, whole, strict=True)
    ]
    least = [max(map(cell_len, column)) for column in words]
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
    from bridge.documents.text import printable

    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else printable(str(value))


def meters(
    readings: Mapping[Meter, Reading], *, width: int = 20, more: Mapping[str, Mapping[Meter, str]] | None = None
) -> None:
    """Print a table of meters. ``more`` holds further columns, as heading -> meter -> text."""
    from bridge.domain.rendering import for_person

    columns = more or {}
    rows = [
        {
            "meter": str(meter).capitalize() + ("" if reading.validated else " *"),
            "level": level(reading, width),
            **{name: cells[meter] for name, cells in columns.items()},
            "fresh": f"{reading.coverage:.0%}",
            "because": "; ".join(for_person(b.fact for b in reading.strongest)) or reading.note or "",
        }
        for meter, reading in readings.items()
    ]
    table(rows, ("meter", "level", *columns, "fresh", "because"))


def bar(level: float, width: int = 20) -> str:
    """Return a level from 0 to 1 as a bar of ``width`` block characters."""
    full = round(level * width)
    return "█" * full + "░" * (width - full)


def spark(values: Sequence[float | None], reach: tuple[float, float], width: int = 28) -> str:
    """Return values as a line of at most ``width`` block characters, from the lowest to the highest of ``reach``.

    With more values than ``width``, a block is the mean of several. Unknown values are blank.
    """
    from statistics import fmean

    each, (low, high) = -(-len(values) // width), reach
    cells = [[value for value in values[k : k + each] if value is not None] for k in range(0, len(values), each or 1)]
    shares = [(fmean(some) - low) / ((high - low) or 1) if some else None for some in cells]
    return "".join(" " if s is None else SPARKS[min(max(int(s * len(SPARKS)), 0), len(SPARKS) - 1)] for s in shares)


def level(reading: Reading, width: int) -> str:
    """Return a reading as a bar of ``width`` characters with level and standard deviation, or ``not known``."""
    return f"{bar(reading.level, width)} {reading.level:.2f} ± {reading.sd:.2f}" if reading.coverage else "not known"


def unwatched(stream: str, records: int) -> None:
    """Do nothing, as progress of stored pages is shown only at a terminal."""


def unseen(done: int, total: int) -> None:
    """Do nothing, as progress of a step is shown only at a terminal."""


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

    def __exit__(self, *_: object) -> None:
        if self._rich is not None:
            self._rich.stop()

    def watch(self, name: str) -> OnPage:
        """Return a function of (stream, number of records), which adds to the count shown under ``name``."""
        rich = self._rich
        if rich is None:
            return unwatched
        task = rich.add_task(name, total=None)

        def landed(stream: str, records: int) -> None:
            rich.update(task, description=f"{name} · {stream}", advance=records)

        return landed

    def steps(self, name: str) -> Callable[[int, int], None]:
        """Return a function of (done, total), which shows the progress of the step ``name``."""
        rich = self._rich
        if rich is None:
            return unseen
        task = rich.add_task(name, total=None)

        def step(done: int, total: int) -> None:
            rich.update(task, completed=done, total=total)

        return step
