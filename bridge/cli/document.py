"""Tables and figures as documents show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Rows as lines of Markdown."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return [*lines, *("| " + " | ".join(str(row[name]) for name in columns) + " |" for row in rows)]


def give_or_take(figure: dict[str, Any], digits: int = 3) -> str:
    """A figure with half of its 95 % interval."""
    low, high = figure["ci95"]
    return f"{figure['mean']:.{digits}f} ± {(high - low) / 2:.{digits}f}"
