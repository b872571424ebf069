"""Main sleeps by series and day, when they end, and the journeys they tell of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from bridge.meters.sleep import Night, night_of
from bridge.meters.travel import Journeys
from bridge.types import Episode, EpisodeKind, Sample
from rhythm_env.interface import ZoneHistory, zone_at

MIDNIGHT, DAY = time(0), timedelta(days=1)
WAKING = time(6)  # a night without times is known from here on
EARLIEST, LATEST = time(3), time(15)  # a main sleep ends between them
MAIN = 3.0  # hours it lasts at least


class Nights:
    """``of``: series -> day -> that day's main sleep."""

    def __init__(self, episodes: Sequence[tuple[str, Episode]], zones: ZoneHistory) -> None:
        self._zones = zones
        self.of: dict[str, dict[date, Night]] = {}
        for source, episode in episodes:
            night = night_of(episode, self._offset(episode)) if episode.kind is EpisodeKind.SLEEP else None
            if night is not None:
                self._add(series_of(source, episode.device), episode.day, night)
        self.journeys = Journeys(self._offsets())
        self._ends = sorted(night.end for nights in self.of.values() for night in nights.values())

    def ended(self, after: datetime, until: datetime) -> bool:
        """Whether a main sleep ended in (after, until]."""
        return bisect_right(self._ends, until) > bisect_right(self._ends, after)

    def known_from(self, sample: Sample, series: str) -> datetime:
        """When a value measured during a night counts: after waking, where anything tells when that was.

        One that its source keeps with the civil day, from midnight on, says nothing of waking: any series may tell.
        """
        civil = self._civil(sample)
        night = self.of.get(series, {}).get(sample.day) or (self._main(sample.day) if civil else None)
        if night is not None:
            return night.end if civil else max(sample.end or sample.start, night.end)
        if sample.end is not None and not civil:
            return sample.end
        zone = zone_at(sample.start, self._zones)
        return max(sample.start, datetime.combine(sample.day, WAKING, tzinfo=zone))

    def during(self, sample: Sample) -> tuple[date, datetime] | None:
        """(day, end) of the main sleep in which a reading was taken; of several series' the last end."""
        for day in (sample.day, sample.day + DAY):
            nights = [of_series[day] for of_series in self.of.values() if day in of_series]
            if any(night.start <= sample.start <= night.end for night in nights):
                return day, max(night.end for night in nights)
        return None

    def _civil(self, sample: Sample) -> bool:
        """Whether a value begins with its day on the person's clock."""
        if sample.offset is None:
            local = sample.start.astimezone(zone_at(sample.start, self._zones))
        else:
            local = sample.start.astimezone(UTC) + timedelta(minutes=sample.offset)
        return local.time() == MIDNIGHT and local.date() == sample.day

    def _main(self, day: date) -> Night | None:
        found = [nights[day] for nights in self.of.values() if day in nights]
        return max(found, key=_rank, default=None)

    def _add(self, series: str, day: date, night: Night) -> None:
        """Of several sleeps on a day the main one stays: of those that end in the morning the longest, else of all."""
        of_series = self.of.setdefault(series, {})
        if day not in of_series or _rank(night) > _rank(of_series[day]):
            of_series[day] = night

    def _offset(self, episode: Episode) -> timedelta:
        if episode.offset is not None:
            return timedelta(minutes=episode.offset)
        return episode.end.astimezone(zone_at(episode.end, self._zones)).utcoffset() or timedelta(0)

    def _offsets(self) -> dict[date, int]:
        """Minutes east of UTC on waking; of several series, the one with the most nights is believed."""
        found: dict[date, int] = {}
        for _, nights in sorted(self.of.items(), key=lambda pair: (len(pair[1]), pair[0])):
            found |= {day: round(night.offset / timedelta(minutes=1)) for day, night in nights.items()}
        return found


def series_of(source: str, device: str | None) -> str:
    """What one normal is made of: another device, or another firmware if its name tells, is another series."""
    return source if device is None else f"{source}/{device}"


def _rank(night: Night) -> tuple[bool, float]:
    woke = (night.end + night.offset).time()
    return night.asleep >= MAIN and EARLIEST <= woke <= LATEST, night.asleep
