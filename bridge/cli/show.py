"""How results look: one JSON document, or tables and bars for people."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from bridge.sync import OnPage
    from bridge.types import Reading

JOINERS = "\u200c\u200d"  # emoji and several scripts are written with them


def document(body: Any) -> None:
    """Exactly one JSON document on standard output."""
    plain = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    typer.echo(writable(jsonlib.dumps(body, indent=2, ensure_ascii=plain, default=str)))


def writable(text: object) -> str:
    """A text that can be sent: half a character, as some calendars cut titles, becomes a question mark."""
    return str(text).encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """A title as a terminal may show it: who sends an invitation must not move the cursor or turn the line round."""
    return "".join(c if c.isprintable() or c in JOINERS else "\ufffd" for c in text)


def result(body: Any, text: str, *, json: bool) -> None:
    if json:
        document(body)
    else:
        typer.echo(text)


def table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, json: bool = False, title: str | None = None
) -> None:
    """Rows as a table with these columns, or all of their keys as JSON."""
    if json:
        document(list(rows))
        return
    from rich.console import Console
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        numeric = bool(rows) and all(isinstance(row.get(column), int | float) for row in rows)
        heading = column.replace("_", " ")
        if numeric:  # not folded: half a number is another number
            drawn.add_column(heading, justify="right")
        else:
            drawn.add_column(heading, overflow="fold")
    for row in rows:
        drawn.add_row(*(_cell(row.get(column)) for column in columns))
    Console(width=None if sys.stdout.isatty() else 110, markup=False, highlight=False).print(drawn)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else printable(str(value))


def bar(level: float, width: int = 20) -> str:
    """A level 0..1 as a bar of blocks."""
    full = round(level * width)
    return "█" * full + "░" * (width - full)


def level(reading: Reading, width: int) -> str:
    """A bar with its figures; neither where nothing is known."""
    return f"{bar(reading.level, width)} {reading.level:.2f} ± {reading.sd:.2f}" if reading.coverage else "not known"


def unwatched(stream: str, records: int) -> None:
    """Nobody is watching."""


def unseen(done: int, total: int) -> None:
    """Nobody is watching."""


class Progress:
    """A progress display on standard error; silent where that is no terminal. ``sizes``: what is counted is bytes."""

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
        """Count the records of every page that lands under ``name``."""
        rich = self._rich
        if rich is None:
            return unwatched
        task = rich.add_task(name, total=None)

        def landed(stream: str, records: int) -> None:
            rich.update(task, description=f"{name} · {stream}", advance=records)

        return landed

    def steps(self, name: str) -> Callable[[int, int], None]:
        """Show (done, total)."""
        rich = self._rich
        if rich is None:
            return unseen
        task = rich.add_task(name, total=None)

        def step(done: int, total: int) -> None:
            rich.update(task, completed=done, total=total)

        return step
