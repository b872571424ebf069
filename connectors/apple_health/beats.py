"""RMSSD of the single heart beats that stand beside a reading of SDNN.

The list is trusted where its own SDNN is the reading's: in real exports the two agree within some percent. Beats per
minute are whole numbers, so that an interval is known to some 17 ms at a rate of 60.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt

CLOCK = re.compile(r"\d\d?[:.](\d\d)[:.](\d\d)(?:[.,](\d\d))?")
GAP = 1.6  # times the interval, of beats between which others are missing
LEAST = 10  # intervals; of fewer there is no variability to speak of
NEAR_MS, NEAR_SHARE = 10.0, 0.25  # by how much the list's SDNN may differ from the reading's
HOUR_MS = 3_600_000

Beats = Sequence[tuple[str, str]]  # (beats per minute, wall clock)


def rmssd(beats: Beats, sdnn: float) -> float | None:
    """Milliseconds; None for too few beats, or when they are not those that the reading was computed from."""
    lengths, times = _lengths(beats), _times(beats)
    if len(lengths) <= LEAST or len(lengths) != len(times):
        return None
    mean = sum(lengths) / len(lengths)
    own = sqrt(sum((length - mean) ** 2 for length in lengths) / len(lengths))
    if abs(own - sdnn) > max(NEAR_MS, NEAR_SHARE * sdnn):
        return None
    squares = [
        (after - before) ** 2
        for before, after, early, late in zip(lengths, lengths[1:], times, times[1:], strict=False)
        if (late - early) % HOUR_MS <= GAP * after
    ]
    return sqrt(sum(squares) / len(squares)) if len(squares) >= LEAST else None


def _lengths(beats: Beats) -> list[float]:
    """Milliseconds from beat to beat; none at all when one is unreadable."""
    try:
        return [60_000 / float(bpm) for bpm, _ in beats]
    except (ValueError, ZeroDivisionError):
        return []


def _times(beats: Beats) -> list[int]:
    """Milliseconds after the full hour, in whatever way the hour is written."""
    found = CLOCK.findall("\n".join([clock for _, clock in beats]))
    return [int(minute) * 60_000 + int(second) * 1000 + int(part or 0) * 10 for minute, second, part in found]
