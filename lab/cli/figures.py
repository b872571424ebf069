"""Format tables and figures for Markdown documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return rows as the lines of a Markdown table, with the first row's keys as columns."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return [*lines, *("| " + " | ".join(str(row[name]) for name in columns) + " |" for row in rows)]


def give_or_take(figure: dict[str, Any], digits: int = 3) -> str:
    """Return a figure's mean with ``digits`` decimals, and "± w" if it has a 95 % interval, where 2 w is its width."""
    from lab.evaluation.intervals import half

    within = half(figure)
    return f"{figure['mean']:.{digits}f}" + ("" if isnan(within) else f" ± {within:.{digits}f}")


def ends(interval: Sequence[float | None], form: str) -> str:
    """Return an interval in brackets, each end in a format such as ``+.3f``, or nothing for one without ends.

    >>> ends([-0.5, 1], "+.2f"), ends([None, None], "")
    ('[-0.50, +1.00]', '')
    """
    low, high = interval
    return "" if low is None or high is None else f"[{low:{form}}, {high:{form}}]"


def ranged(figure: Mapping[str, Any], form: str) -> str:
    """Return a figure's mean, and its 95 % interval if it has one."""
    return f"{figure['mean']:{form}} {ends(figure['ci95'], form)}".rstrip()
