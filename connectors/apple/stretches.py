"""Group the sleep stages that several sources wrote to Apple Health into blocks, one for each sleep."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from connectors.stretches import Span

GAP = 9000  # seconds between two stretches, above which they belong to different sleeps
LONGEST_IN_BED = 16 * 3600  # a longer stretch was not stopped in the morning


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sleep stage recorded by a source, from start to end in Unix seconds."""

    start: float
    end: float
    stage: str
    source: Hashable


S = TypeVar("S", bound=Stretch)


def with_loose(stages: Iterable[S], loose: Iterable[S]) -> list[list[S]]:
    """Return the sleeps by start, each as a list of its stages. A long pause begins a new sleep.

    A time in bed of ``loose`` is added to every sleep near it, cut to that sleep, or else forms a sleep of its own.
    """
    blocks = _blocks(stages)
    edges = [(block[0].start - GAP, max(one.end for one in block) + GAP) for block in blocks]
    alone = []
    for one in loose:
        near = [at for at, (low, high) in enumerate(edges) if one.start <= high and one.end >= low]
        for at in near:
            low, high = edges[at]
            blocks[at].append(replace(one, start=max(one.start, low), end=min(one.end, high)))
        alone += [] if near else [one]
    return sorted([*blocks, *_blocks(alone)], key=lambda block: block[0].start)


def _blocks(ordered: Iterable[S]) -> list[list[S]]:
    blocks: list[list[S]] = []
    end = float("-inf")
    for stretch in ordered:
        if stretch.start - end > GAP:
            blocks.append([])
        blocks[-1].append(stretch)
        end = max(end, stretch.end)
    return blocks


def best_source(block: Iterable[S], rank: Callable[[Sequence[S]], Any]) -> list[S]:
    """Return the stages of one source of a block, the source whose ``rank``, a function of its stages, is lowest."""
    by_source: dict[Hashable, list[S]] = {}
    for stretch in block:
        by_source.setdefault(stretch.source, []).append(stretch)
    return min(by_source.values(), key=rank)


def minutes(spans: Iterable[Span]) -> float:
    return round(sum(end - start for start, end in spans) / 60, 3)
