"""Tables that a command writes into a document, between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.errors import SetupError


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} -->", f"<!-- /{name} -->"


def put(path: Path, table: str, name: str) -> None:
    """Replace what stands between the marks of a document. Raises SetupError for one without them."""
    first, last = marks(name)
    text = path.read_text(encoding="utf-8") if path.exists() else f"{first}\n{last}\n"
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SetupError(f"{path} has no {first} ... {last} to write between")
    path.write_text(f"{before}{first}\n{table}\n{last}{after}", encoding="utf-8")


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Rows as lines of Markdown."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return [*lines, *("| " + " | ".join(str(row[name]) for name in columns) + " |" for row in rows)]


def give_or_take(figure: dict[str, Any], digits: int = 3) -> str:
    """A figure with half of its 95 % interval."""
    low, high = figure["ci95"]
    return f"{figure['mean']:.{digits}f} ± {(high - low) / 2:.{digits}f}"
