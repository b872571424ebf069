"""Build sleeps from the stages that apps and devices write to Apple Health. Each sleep's stages are of one source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from bridge.domain.samples import is_nap
from connectors.apple.export.heads import Source
from connectors.apple.export.places import Places
from connectors.apple.export.units import day_at, offset_at
from connectors.apple.stretches import LONGEST_IN_BED, best_source, minutes, with_loose
from connectors.apple.stretches import Stretch as AnyStretch
from connectors.stretches import merged

APART = 1800.0  # seconds between a stage and the next, from which they were not computed together
IN_BED, AWAKE = "InBed", "Awake"
ASLEEP = {
    "AsleepCore": "light",
    "AsleepDeep": "deep",
    "AsleepREM": "rem",
    "AsleepUnspecified": "unspecified",
    "Asleep": "unspecified",  # its name before iOS 16
}
STAGED = {"light", "deep", "rem"}
SLEEP_VALUES = {**ASLEEP, IN_BED: IN_BED, AWAKE: AWAKE}

Spots = tuple["np.ndarray", "np.ndarray"]  # times in Unix seconds, ascending, and values


@dataclass(frozen=True, slots=True)
class Stretch(AnyStretch):
    """A sleep stage of an Apple Health export. ``stage`` is a value of ``SLEEP_VALUES``. ``zone`` may be unknown."""

    source: Source
    zone: str | None


def nights(stretches: Iterable[Stretch], places: Places) -> list[dict[str, Any]]:
    """Return a payload for every sleep and nap, in order of time. ``places`` tells the time zone at each instant."""
    ordered = sorted(stretches, key=lambda s: (s.start, s.end))
    loose = _loose(ordered)
    blocks = with_loose((s for s in ordered if s not in loose), [s for s in ordered if s in loose])
    return [_night(block, places) for block in blocks if any(s.stage != AWAKE for s in block)]


def _loose(ordered: Iterable[Stretch]) -> set[Stretch]:
    """Return the times in bed that hold no sleep of the same source, or that last over 16 hours."""
    slept: dict[Source, list[Stretch]] = defaultdict(list)
    in_bed = []
    for stretch in ordered:
        if stretch.stage == IN_BED:
            in_bed.append(stretch)
        elif stretch.stage != AWAKE:
            slept[stretch.source].append(stretch)
    return {
        stretch
        for stretch in in_bed
        if stretch.end - stretch.start > LONGEST_IN_BED
        or not any(s.start < stretch.end and s.end > stretch.start for s in slept[stretch.source])
    }


def _night(block: Sequence[Stretch], places: Places) -> dict[str, Any]:
    chosen = best_source(block, _quality)
    mine = _current(chosen)
    stages = {stage: merged((s.start, s.end) for s in mine if s.stage == stage) for stage in {s.stage for s in mine}}
    asleep = merged(span for stage, spans in stages.items() if stage not in (IN_BED, AWAKE) for span in spans)
    hull = [(min(s.start for s in mine), max(s.end for s in mine))]
    sleeping = asleep or hull
    start, end = sleeping[0][0], sleeping[-1][1]
    place = next((s.zone for s in reversed(mine) if s.zone), None) or places.place(end)
    offset = offset_at(end, place)
    payload: dict[str, Any] = {"start": start, "end": end, "offset": offset, "day": day_at(end, offset)}
    payload["stale"] = len(chosen) - len(mine)
    payload["kind"] = "nap" if _is_nap(start, end, offset_at(start, place)) else "sleep"
    payload["in_bed"] = minutes(stages.get(IN_BED) or hull)
    if asleep:
        payload["asleep"] = minutes(asleep)
    if STAGED & stages.keys():
        payload |= {stage: minutes(stages.get(stage, [])) for stage in sorted(STAGED)}
    if AWAKE in stages:
        payload["awake"] = minutes(stages[AWAKE])
    return payload


def _current(mine: list[Stretch]) -> list[Stretch]:
    """Return a source's stages without those far from every time in bed, or all if no sleep would be left."""
    # All stay if there would be no sleep otherwise, or no time in bed is told.
    beds = [s for s in mine if s.stage == IN_BED]
    apart: set[Stretch] = set()
    for start, end in merged((s.start, s.end + APART) for s in mine) if beds else ():
        if not any(s.start < end and s.end > start for s in beds):
            apart |= {s for s in mine if start <= s.start <= end}
    kept = [s for s in mine if s not in apart]
    return kept if any(s.stage not in (IN_BED, AWAKE) for s in kept) else mine


def _quality(stretches: Sequence[Stretch]) -> tuple[int, int, float, str]:
    stages = {s.stage for s in stretches}
    depth = next(d for d, some in enumerate((STAGED, {"unspecified"}, {IN_BED}, {AWAKE})) if some & stages)
    order, name = stretches[0].source
    return depth, order, -sum(s.end - s.start for s in stretches), name


def _is_nap(start: float, end: float, offset: int) -> bool:
    hour = (start + offset * 60) % 86400 // 3600
    return is_nap(int(hour), (end - start) / 60)


def overnight(start: float, end: float, by_source: Mapping[Source, Spots]) -> float | None:
    """Return the median of values from ``start`` to ``end`` (Unix seconds), or None without any.

    Only the values of the most trusted source that has any in that time count.
    """
    for _, (times, values) in sorted(by_source.items(), key=lambda item: item[0]):
        first, after = np.searchsorted(times, start), np.searchsorted(times, end, side="right")
        if first < after:
            return float(median(values[first:after].tolist()))
    return None
