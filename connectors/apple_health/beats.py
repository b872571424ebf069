"""RMSSD of the single heart beats that stand beside a reading of SDNN.

The list is trusted where its own SDNN is the reading's: in real exports the two agree within some percent. Beats per
minute are whole numbers, so that an interval is known to some 17 ms at a rate of 60.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt

FIRST = re.compile(rb'<InstantaneousBeatsPerMinute bpm="[^"<]*" time="([^"<]*)"')
BEAT = re.compile(
    rb'<InstantaneousBeatsPerMinute bpm="(\d+(?:\.\d+)?)" time="\d\d?[:.](\d\d)[:.](\d\d)(?:[.,](\d\d))?[^"<]*"'
)
GAP = 1.6  # times the interval, of beats between which others are missing
LEAST = 10  # intervals; of fewer there is no variability to speak of
NEAR_MS, NEAR_SHARE = 10.0, 0.25  # by how much the list's SDNN may differ from the reading's
HOUR_MS = 3_600_000


def listed(beats: Iterable[tuple[str, str]]) -> bytes:
    """(Beats per minute, wall clock) in the way an export lists them."""
    rows = (f'<InstantaneousBeatsPerMinute bpm="{bpm}" time="{clock}"/>' for bpm, clock in beats)
    return "".join(rows).encode("utf-8", "replace")


def first_clock(text: bytes) -> str | None:
    """The wall clock of the first beat of a list."""
    found = FIRST.search(text)
    return None if found is None else found[1].decode("utf-8", "replace")


def rmssd(text: bytes, sdnn: float) -> float | None:
    """Milliseconds; None for too few beats, or when they are not those that the reading was computed from."""
    beats = BEAT.findall(text)
    if len(beats) <= LEAST or len(beats) != text.count(b"<InstantaneousBeatsPerMinute "):
        return None
    lengths = [60_000 / max(float(bpm), 1.0) for bpm, _, _, _ in beats]
    mean = sum(lengths) / len(lengths)
    own = sqrt(sum([(length - mean) ** 2 for length in lengths]) / len(lengths))
    if abs(own - sdnn) > max(NEAR_MS, NEAR_SHARE * sdnn):
        return None
    times = [int(minute) * 60_000 + int(second) * 1000 + int(part or 0) * 10 for _, minute, second, part in beats]
    squares = [
        (after - before) ** 2
        for before, after, early, late in zip(lengths, lengths[1:], times, times[1:], strict=False)
        if (late - early) % HOUR_MS <= GAP * after
    ]
    return sqrt(sum(squares) / len(squares)) if len(squares) >= LEAST else None
