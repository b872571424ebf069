"""95 % intervals of means of small samples, by Student's t distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.advice.intervals import student


def interval(mean: float, error: float, n: int) -> list[float | None]:
    """Return both ends of the 95 % interval of a mean with standard error ``error``, None for a single value."""
    if n < 2:
        return [None, None]
    half = student(n - 1) * error
    return [mean - half, mean + half]


def half(figure: Mapping[str, Any]) -> float:
    """Return half the width of ``figure["ci95"]``, or NaN if its ends are None."""
    low, high = figure["ci95"]
    return float("nan") if low is None else float(high - low) / 2
