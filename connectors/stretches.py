"""Define a span of time with the samples and episodes that a source measured in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.samples import is_nap, only_measured, quarter_hours
from bridge.domain.types import Episode, EpisodeKind, Sample
from connectors.instants import (
    MINUTE,
    local_date,
    offset_in,
)

Span = tuple[float, float]  # begin and end in Unix seconds


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans ascending, with those joined that touch or overlap."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def joined(parts: Sequence[Sequence[float]]) -> tuple[float, float, float, float] | None:
    """Return the mean of several means as (count, mean, lowest, highest), weighted by count. None for a count below 1.

    Each of ``parts`` begins with these four numbers.
    """
    count = sum(part[0] for part in parts)
    low, high = min(part[2] for part in parts), max(part[3] for part in parts)
    return None if count < 1 else (count, sum(part[0] * part[1] for part in parts) / count, low, high)


def quarter_hours_in(zone: ZoneInfo, metric: Metric, readings: Iterable[tuple[datetime, float]]) -> Iterator[Sample]:
    """Yield the mean of ``readings`` (instant, value) for each quarter of an hour, with the offset in ``zone``."""
    by_offset: dict[int, list[tuple[float, float]]] = {}
    for at, value in readings:
        by_offset.setdefault(offset_in(zone, at), []).append((at.timestamp(), value))
    for offset, found in by_offset.items():
        yield from quarter_hours(metric, found, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The time that a record is about, as UTC instants, minutes east of UTC, and the user's local date.

    ``end`` is None if the source states only the start, and ``offset`` if the source does not state it.
    """

    start: datetime
    end: datetime | None
    offset: int | None
    day: date

    @classmethod
    def of_seconds(cls, start: float, end: float | None, offset: int, *, by_end: bool = False) -> Stretch:
        """Return the time between two Unix seconds, on the local date of its start, or with ``by_end`` of its end."""
        begun = datetime.fromtimestamp(start, UTC)
        over = None if end is None else datetime.fromtimestamp(end, UTC)
        return cls(start=begun, end=over, offset=offset, day=local_date((by_end and over) or begun, offset))

    @classmethod
    def civil(cls, day: date, zone: tzinfo, lasts: timedelta | None = None) -> Stretch:
        """Return a day from midnight in ``zone``, with the length ``lasts``, or without an end if that is None."""
        start = datetime.combine(day, time(), zone).astimezone(UTC)
        return cls(start=start, end=None if lasts is None else start + lasts, offset=offset_in(zone, start), day=day)

    @property
    def minutes(self) -> float:
        """The length in minutes, or 0 without an end."""
        return ((self.end or self.start) - self.start) / MINUTE

    @property
    def is_nap(self) -> bool:
        """True if a sleep counts as a nap by ``bridge.domain.samples.is_nap``, for sources that do not say."""
        begun = self.start + timedelta(minutes=self.offset or 0)
        return is_nap(begun.hour, self.minutes)

    def episode(
        self, kind: EpisodeKind, key: str, values: Mapping[Metric, float | None], label: str | None = None
    ) -> Episode:
        """Return an episode of this time with those of ``values`` that were measured.

        ``label`` is the vendor's word for the sport. Without an end it ends when it starts. None and vendors' codes for
        "not measured", such as -1, are left out.
        """
        return Episode(
            key=key,
            kind=kind,
            start=self.start,
            end=self.end or self.start,
            offset=self.offset,
            day=self.day,
            label=label,
            values=only_measured(values),
        )

    def on_start(self) -> Stretch:
        """Return the same time with the local date of its start."""
        return replace(self, day=local_date(self.start, self.offset))

    def samples(self, key: str, values: Mapping[Metric, float | None]) -> Iterator[Sample]:
        """Yield a sample of this time, with the key ``key/METRIC``, for each of ``values`` that was measured."""
        for metric, value in only_measured(values).items():
            yield Sample(
                key=f"{key}/{metric}",
                metric=metric,
                start=self.start,
                end=self.end,
                offset=self.offset,
                day=self.day,
                value=value,
            )

    def mean(self, metric: Metric, told: Sequence[float], *, suffix: str = "") -> Sample:
        """Return the sample of a mean over this time, from (count, mean, lowest, highest).

        Its key is the metric, the start and ``suffix``. A mean outside lowest and highest is moved to the nearer.
        """
        count, value, low, high = told
        return Sample(
            key=f"{metric}/{self.start:%Y-%m-%dT%H:%MZ}{suffix}",
            metric=metric,
            start=self.start,
            end=self.end,
            offset=self.offset,
            day=self.day,
            value=min(max(value, low), high),
            count=int(count),
            low=low,
            high=high,
        )
