"""The data set Welltory (CC0), single readings of heart-rate variability with answers to "how do you feel?".

It has no nights and no steps, so no meter can be computed. The two inputs that a reading gives are tested by
themselves, as deviations from the person's readings of the 60 days before. A row is a reading, not a day.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from statistics import median, stdev

from lab.validation.columns import Columns, column

FILE = "hrv_measurements.csv"
NAME, TARGET, PREVIOUS = "Welltory", "how_feel", "previous answer"
WINDOW = timedelta(days=60)
LEAST = 3  # earlier readings
MOST = 3.0  # spreads
FLOORS = {"rmssd": 0.10, "bpm": 2.0}  # the least spread: of ln ms and of beats per minute
LIMITS = {"rmssd": (5, 400), "bpm": (25, 240), TARGET: (-2, 2)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    at: datetime
    rmssd: float  # ln ms
    bpm: float
    feel: float


def read(folder: Path) -> tuple[list[Columns], Mapping[str, int]]:
    """Return each person's columns, and the number of unused readings by reason."""
    aside: Counter[str] = Counter()
    people: dict[str, list[Spot]] = {}
    with (folder / FILE).open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            spot = _spot(line)
            if spot is None:
                aside["a reading without time, variability, heart rate or answer"] += 1
            else:
                people.setdefault(line["user_code"], []).append(spot)
    return [_columns(name, sorted(spots, key=lambda s: s.at)) for name, spots in sorted(people.items())], aside


def _spot(line: Mapping[str, str | None]) -> Spot | None:
    try:
        at = datetime.fromisoformat(line.get("measurement_datetime") or "").replace(tzinfo=UTC)
        values = {name: float(line.get(name) or "") for name in LIMITS}
    except ValueError:
        return None
    if not line.get("user_code") or any(not low <= values[name] <= high for name, (low, high) in LIMITS.items()):
        return None
    return Spot(at=at, rmssd=log(values["rmssd"]), bpm=values["bpm"], feel=values[TARGET])


def _columns(name: str, spots: Sequence[Spot]) -> Columns:
    hrv, heart = (_distances(spots, figure) for figure in ("rmssd", "bpm"))
    both = zip(hrv, heart, strict=True)
    return Columns(
        person=name,
        rows=column(1.0 for _ in spots),
        targets={TARGET: column(spot.feel for spot in spots)},
        predictors={
            "HRV z": column(hrv),
            "HR z": column(None if z is None else -z for z in heart),
            "HRV z + HR z": column(None if a is None or b is None else a - b for a, b in both),
            "raw lnRMSSD": column(spot.rmssd for spot in spots),
            "raw -bpm": column(-spot.bpm for spot in spots),
        },
        own={TARGET: {PREVIOUS: column([None, *(spot.feel for spot in spots[:-1])])}},
    )


def _distances(spots: Sequence[Spot], figure: str) -> list[float | None]:
    """Return each reading's deviation from the median of the WINDOW before, in standard deviations, within +-MOST.

    It is None with fewer than LEAST readings before.
    """
    found: list[float | None] = []
    for k, spot in enumerate(spots):
        before = [getattr(s, figure) for s in spots[:k] if spot.at - s.at <= WINDOW]
        found.append(_z(getattr(spot, figure), before, FLOORS[figure]) if len(before) >= LEAST else None)
    return found


def _z(value: float, before: Iterable[float], floor: float) -> float:
    past = list(before)
    z: float = (value - median(past)) / max(stdev(past), floor)
    return min(max(z, -MOST), MOST)
