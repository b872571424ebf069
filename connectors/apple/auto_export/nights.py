"""Build sleeps and naps from sleep stages that Health Auto Export sent. Each sleep's stages are of a single source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bridge.domain.samples import is_nap
from connectors.apple.stretches import LONGEST_IN_BED, Stretch, best_source, with_loose
from connectors.apple.stretches import minutes as minutes_of
from connectors.stretches import merged

IN_BED = "in_bed"
STAGED = ("light", "deep", "rem")
ASLEEP_FIELDS = (*STAGED, "unspecified")


@dataclass(frozen=True, slots=True)
class SleepStage(Stretch):
    """A sleep stage of Health Auto Export. ``offset`` is minutes east of UTC."""

    offset: int
    source: str


@dataclass(frozen=True, slots=True)
class Sleep:
    """A sleep or nap from falling asleep to waking, in Unix seconds. ``offset`` is minutes east of UTC at waking.

    ``minutes`` maps in_bed, asleep, awake, light, deep and rem to their minutes. Unknown stages are missing.
    """

    start: float
    end: float
    offset: int
    minutes: dict[str, float]

    @property
    def is_nap(self) -> bool:
        hour = (self.start + self.offset * 60) % 86_400 // 3600
        return is_nap(int(hour), (self.end - self.start) / 60)

    @property
    def quality(self) -> tuple[bool, float]:
        return any(stage in self.minutes for stage in STAGED), self.minutes.get("asleep", 0.0)


def order(source: str) -> int:
    """Return a source's rank by its name, 0 for a watch, 1 for a phone, 2 for others. Lower ranks are preferred."""
    name = source.casefold()
    return 0 if "watch" in name else 1 if "phone" in name else 2


def chosen(sleeps: Iterable[Sleep]) -> list[Sleep]:
    """Return the sleeps by start. Of sleeps that overlap, only the one of highest ``quality`` is kept."""
    found: list[Sleep] = []
    for sleep in sorted(sleeps, key=lambda one: one.quality, reverse=True):
        if all(sleep.end <= other.start or sleep.start >= other.end for other in found):
            found.append(sleep)
    return sorted(found, key=lambda one: one.start)


def of_stretches(stretches: Iterable[SleepStage]) -> list[Sleep]:
    """Return the sleeps that the stages form. A long pause begins a new sleep, and each uses only its best source.

    Stages without sleep or time in bed give no sleep.
    """
    ordered = sorted(stretches, key=lambda one: (one.start, one.end, one.stage))
    loose = [one for one in ordered if _is_loose(one, ordered)]
    blocks = with_loose((one for one in ordered if one not in loose), loose)
    return [_sleep(best_source(block, _rank)) for block in blocks if any(one.stage != "awake" for one in block)]


def _is_loose(one: SleepStage, ordered: Sequence[SleepStage]) -> bool:
    if one.stage != IN_BED:
        return False
    mine = (other for other in ordered if other.source == one.source and other.stage in ASLEEP_FIELDS)
    slept = any(other.start < one.end and other.end > one.start for other in mine)
    return not slept or one.end - one.start > LONGEST_IN_BED


def _rank(some: Sequence[SleepStage]) -> tuple[int, int, float]:
    stages = {one.stage for one in some}
    depth = 0 if stages & set(STAGED) else 1 if "unspecified" in stages else 2 if "in_bed" in stages else 3
    return depth, order(some[0].source), -sum(one.end - one.start for one in some)


def _sleep(mine: Sequence[SleepStage]) -> Sleep:
    asleep = _minutes(mine, ASLEEP_FIELDS)
    whole = [one for one in mine if one.stage in ASLEEP_FIELDS] or list(mine)
    last = max(whole, key=lambda one: one.end)
    night = Sleep(min(one.start for one in whole), last.end, last.offset, {})
    in_bed = _minutes(mine, ["in_bed"]) or (max(one.end for one in mine) - min(one.start for one in mine)) / 60
    minutes: dict[str, float] = {"in_bed": in_bed}
    if asleep:
        minutes["asleep"] = asleep
    if any(one.stage in STAGED for one in mine):
        minutes |= {stage: _minutes(mine, [stage]) for stage in STAGED}
    if any(one.stage == "awake" for one in mine):
        minutes["awake"] = _minutes(mine, ["awake"])
    return replace(night, minutes=minutes)


def _minutes(stretches: Iterable[SleepStage], stages: Sequence[str]) -> float:
    return minutes_of(merged((stretch.start, stretch.end) for stretch in stretches if stretch.stage in stages))
