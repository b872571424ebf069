"""Reduce samples to one figure per day, source and metric, which is a mean, a sum or the highest value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters.overlaps import whole_nights


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric's figure for a day and source, with the lowest and highest of its ``count`` measurements.

    The figure is the highest value, or for intraday metrics the sum or the mean weighted by duration.
    """

    value: float
    count: int
    low: float
    high: float


Days = dict[tuple[date, str], dict[Metric, Figure]]


def figures(samples: Iterable[tuple[str, Sample]], episodes: Iterable[tuple[str, Episode]]) -> Days:
    """Return (local day, source) -> metric -> figure, newest day first.

    Of two devices of a source, the higher counts.
    """
    found: dict[tuple[date, str], dict[Metric, list[Sample]]] = {}
    for source, sample in samples:
        found.setdefault((sample.day, source), {}).setdefault(sample.metric, []).append(sample)
    days: Days = {key: {m: _figure(m, some) for m, some in metrics.items()} for key, metrics in found.items()}
    nights: dict[tuple[date, str], Mapping[Metric, float]] = {}
    for source, episode in whole_nights(episodes):
        if episode.kind is EpisodeKind.SLEEP:
            key, asleep = (episode.day, source), episode.values.get(Metric.ASLEEP, 0)
            if key not in nights or asleep > nights[key].get(Metric.ASLEEP, 0):
                nights[key] = episode.values
    for key, values in nights.items():
        day = days.setdefault(key, {})
        for metric, value in values.items():
            if metric not in day or (metric is Metric.ASLEEP and value > day[metric].value):
                day[metric] = Figure(value=value, count=1, low=value, high=value)
    return dict(sorted(days.items(), key=lambda item: (-item[0][0].toordinal(), item[0][1])))


def _figure(metric: Metric, samples: list[Sample]) -> Figure:
    if METRICS[metric].shape is not Shape.INTRADAY:
        value = max(sample.value for sample in samples)
        return Figure(value=value, count=len(samples), low=min(s.value for s in samples), high=value)
    if METRICS[metric].unit == "min":
        lengths = [sample.value for sample in samples]
        return Figure(value=sum(lengths), count=len(lengths), low=min(lengths), high=max(lengths))
    counts = [sample.count or 1 for sample in samples]
    return Figure(
        value=sum(s.value * n for s, n in zip(samples, counts, strict=True)) / sum(counts),
        count=sum(counts),
        low=min(s.value if s.low is None else s.low for s in samples),
        high=max(s.value if s.high is None else s.high for s in samples),
    )
