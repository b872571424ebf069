"""Compute RMSSD from the single heart beats listed with a reading of SDNN (both measure heart-rate variability)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt

FIRST = re.compile(rb'<InstantaneousBeatsPerMinute bpm="[^"<]*" time="([^"<]*)"')
BEAT = re.compile(
    rb'<InstantaneousBeatsPerMinute bpm="(\d+(?:\.\d+)?)" time="\d\d?[:.](\d\d)[:.](\d\d)(?:[.,](\d\d))?[^"<]*"'
)
GAP = 1.6  # factor on the interval, beyond which beats are missing in between
RMSSD_MIN_INTERVALS = 10  # intervals that an RMSSD needs
NEAR_MS, NEAR_SHARE = 10.0, 0.25  # largest difference between the list's SDNN and the reading's
HOUR_MS = 3_600_000
TWO_DIGITS = {f"{number:02}".encode(): number for number in range(100)} | {b"": 0}  # quicker than int()
WHOLE_RATES = {str(rate).encode(): 60_000 / rate for rate in range(1, 250)}  # beats per minute -> milliseconds


def listed(beats: Iterable[tuple[str, str]]) -> bytes:
    """Return heart beats, given as (beats per minute, wall clock), as XML text in the layout of Apple's export."""
    rows = (f'<InstantaneousBeatsPerMinute bpm="{bpm}" time="{clock}"/>' for bpm, clock in beats)
    return "".join(rows).encode("utf-8", "replace")


def first_clock(text: bytes) -> str | None:
    """Return the wall clock of the first beat in a list of heart beats (XML). Return None for an empty list."""
    found = FIRST.search(text)
    return None if found is None else found[1].decode("utf-8", "replace")


def rmssd(text: bytes, sdnn: float) -> float | None:
    """Return the RMSSD in milliseconds of a list of heart beats (XML), whose SDNN must be near ``sdnn``.

    Returns None for too few intervals without gaps, an unreadable beat, or another SDNN.
    """
    beats = BEAT.findall(text)
    if len(beats) <= RMSSD_MIN_INTERVALS or len(beats) != text.count(b"<InstantaneousBeatsPerMinute "):
        return None
    lengths = [WHOLE_RATES.get(bpm) or 60_000 / max(float(bpm), 1.0) for bpm, _, _, _ in beats]
    mean = sum(lengths) / len(lengths)
    own = sqrt(sum([(length - mean) ** 2 for length in lengths]) / len(lengths))
    if abs(own - sdnn) > max(NEAR_MS, NEAR_SHARE * sdnn):
        return None
    of = TWO_DIGITS
    times = [of[minute] * 60_000 + of[second] * 1000 + of[part] * 10 for _, minute, second, part in beats]
    squares = [
        (after - before) ** 2
        for before, after, early, late in zip(lengths, lengths[1:], times, times[1:], strict=False)
        if (late - early) % HOUR_MS <= GAP * after
    ]
    return sqrt(sum(squares) / len(squares)) if len(squares) >= RMSSD_MIN_INTERVALS else None
