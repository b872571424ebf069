"""Build sleeps from the stages that several apps and devices write to Apple Health. For each sleep a single source is
chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bridge.domain.naps import is_nap
from connectors.apple.export.heads import Source
from connectors.apple.export.places import Places
from connectors.apple.export.units import day_at, offset_at

if TYPE_CHECKING:
    import numpy as np

APART = 1800.0  # seconds between a stage and the next, from which they were not computed together
GAP = 2.5 * 3600  # seconds between two stretches, above which they belong to different sleeps
LONGEST_IN_BED = 16 * 3600  # a longer stretch was not stopped in the morning
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
class Stretch:
    """A sleep stage recorded by a source, from start to end in Unix seconds.

    ``stage`` is a value of ``SLEEP_VALUES``. ``zone`` is the phone's time zone, or None if the record states none.
    """

    start: float
    end: float
    stage: str
    source: Source
    zone: str | None


def nights(stretches: Iterable[Stretch], places: Places) -> list[dict[str, Any]]:
    """Return every sleep and nap as a payload, in order of time. ``places`` tells where the user was, for offsets."""
    ordered = sorted(stretches, key=lambda s: (s.start, s.end))
    loose = _loose(ordered)
    blocks = _joined(_blocks(s for s in ordered if s not in loose), [s for s in ordered if s in loose])
    return [_night(block, places) for block in blocks if any(s.stage != AWAKE for s in block)]


def _loose(ordered: Iterable[Stretch]) -> set[Stretch]:
    """Return the stretches in bed of more than 16 hours, or during which the same source records no sleep."""
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


def _joined(blocks: list[list[Stretch]], loose: Iterable[Stretch]) -> list[list[Stretch]]:
    """Return the blocks of sleep stages by start, with loose time in bed added to them."""
    edges = [(block[0].start - GAP, max(s.end for s in block) + GAP) for block in blocks]
    alone = []
    for stretch in loose:
        near = [at for at, (low, high) in enumerate(edges) if stretch.start <= high and stretch.end >= low]
        for at in near:
            low, high = edges[at]
            blocks[at].append(replace(stretch, start=max(stretch.start, low), end=min(stretch.end, high)))
        alone += [] if near else [stretch]
    return sorted([*blocks, *_blocks(alone)], key=lambda block: block[0].start)


def _blocks(ordered: Iterable[Stretch]) -> list[list[Stretch]]:
    blocks: list[list[Stretch]] = []
    end = float("-inf")
    for stretch in ordered:
        if stretch.start - end > GAP:
            blocks.append([])
        blocks[-1].append(stretch)
        end = max(end, stretch.end)
    return blocks


def _night(block: Sequence[Stretch], places: Places) -> dict[str, Any]:
    chosen = _chosen(block)
    mine = _current(chosen)
    stages = {stage: union((s.start, s.end) for s in mine if s.stage == stage) for stage in {s.stage for s in mine}}
    asleep = union(span for stage, spans in stages.items() if stage not in (IN_BED, AWAKE) for span in spans)
    hull = [(min(s.start for s in mine), max(s.end for s in mine))]
    sleeping = asleep or hull
    start, end = sleeping[0][0], sleeping[-1][1]
    place = next((s.zone for s in reversed(mine) if s.zone), None) or places.place(end)
    offset = offset_at(end, place)
    payload: dict[str, Any] = {"start": start, "end": end, "offset": offset, "day": day_at(end, offset)}
    payload["stale"] = len(chosen) - len(mine)
    payload["kind"] = "nap" if _is_nap(start, end, offset_at(start, place)) else "sleep"
    payload["in_bed"] = _minutes(stages.get(IN_BED) or hull)
    if asleep:
        payload["asleep"] = _minutes(asleep)
    if STAGED & stages.keys():
        payload |= {stage: _minutes(stages.get(stage, [])) for stage in sorted(STAGED)}
    if AWAKE in stages:
        payload["awake"] = _minutes(stages[AWAKE])
    return payload


def union(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return spans (start, end) in ascending order, with those joined that overlap or touch."""
    joined: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _chosen(block: Sequence[Stretch]) -> list[Stretch]:
    by_source: dict[Source, list[Stretch]] = {}
    for stretch in block:
        by_source.setdefault(stretch.source, []).append(stretch)
    return min(by_source.values(), key=_quality)


def _current(mine: list[Stretch]) -> list[Stretch]:
    """Return the stretches without stages apart from the source's own time in bed, which it computed earlier."""
    # All stay if there would be no sleep otherwise, or no time in bed is told.
    beds = [s for s in mine if s.stage == IN_BED]
    apart: set[Stretch] = set()
    for start, end in union((s.start, s.end + APART) for s in mine) if beds else ():
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


def _minutes(spans: Iterable[tuple[float, float]]) -> float:
    return round(sum(end - start for start, end in spans) / 60, 3)


def overnight(start: float, end: float, by_source: Mapping[Source, Spots]) -> float | None:
    """Return the median of the values from ``start`` to ``end`` (Unix seconds) of the most trusted source with any.

    Return None if no source has a value in that time.
    """
    import numpy as np

    for _, (times, values) in sorted(by_source.items(), key=lambda item: item[0]):
        first, after = np.searchsorted(times, start), np.searchsorted(times, end, side="right")
        if first < after:
            return float(np.median(values[first:after]))
    return None
