"""Find the main sleep of each day and series (source and device), and journeys across time zones.

After a flight, bedtimes are not judged for some days (Oura and NUS, 1.5 million nights).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from bridge.domain.preference import Preference
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneHistory, local_time, zone_at
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters.overlaps import NO_PREFERENCE, ended_whole, once, series_of, whole_nights
from bridge.meters.sleep import Night, night_of

JOURNEY_MIN_MINUTES = 180  # of offset; less is a change to summer time or a neighbouring zone
LOOSE_DAYS = 3
LOOSER = 1.5  # factor on the spread on those days
MAX_FROZEN_DAYS = 10


class Journeys:
    """Journeys across time zones, which are days whose UTC offset at waking differs much from the day known before."""

    def __init__(self, offsets: Mapping[date, int]) -> None:
        """Take the UTC offset at waking, in minutes east, by day."""
        days = sorted(offsets)
        crossed = {day: abs(offsets[day] - offsets[before]) for before, day in pairwise(days)}
        self._hours = {day: minutes / 60 for day, minutes in crossed.items() if minutes >= JOURNEY_MIN_MINUTES}
        self._days = sorted(self._hours)

    def loose(self, day: date) -> bool:
        """Return True if heart rate and variability are disturbed by a journey on this day or a few days before."""
        last = self._last(day)
        return last is not None and (day - last).days < LOOSE_DAYS

    def frozen(self, day: date) -> bool:
        """Return True if a journey still disturbs bedtimes, which lasts a day per hour of offset, at most ten days."""
        last = self._last(day)
        return last is not None and (day - last).days < min(self._hours[last], MAX_FROZEN_DAYS)

    def _last(self, day: date) -> date | None:
        found = bisect_right(self._days, day)
        return self._days[found - 1] if found else None


MIDNIGHT, DAY = time(0), timedelta(days=1)
WAKING = time(6)  # local time from which a night without times counts
EARLIEST_WAKING, LATEST_WAKING = time(3), time(15)  # a main sleep ends between them
MAIN_SLEEP_MIN_HOURS = 3.0


class Nights:
    """A user's main sleeps. ``of`` maps a series (source and device) to local day of waking -> main sleep.

    ``told`` maps the day of waking to the series whose main sleep counts for that day.
    """

    def __init__(
        self,
        episodes: Sequence[tuple[str, Episode]],
        zones: ZoneHistory,
        preference: Preference = NO_PREFERENCE,
        single: Sequence[tuple[str, Episode]] | None = None,
    ) -> None:
        """Find the main sleeps in ``episodes``. ``single``, if known, are these without copies by other devices."""
        self._zones = zones
        self.of = self._main_sleeps(whole_nights(episodes))
        self._single = self._main_sleeps(whole_nights(once(episodes, preference)) if single is None else single)
        nights = [(day, _rank(night), series) for series, of in self._single.items() for day, night in of.items()]
        self.told = {day: series for day, _, series in sorted(nights)}
        self.journeys = Journeys(self._offsets())
        self._ends = sorted(night.end for nights in self.of.values() for night in nights.values())

    def counted(self) -> dict[date, Night]:
        """Return local day of waking -> the main sleep that counts for this day."""
        own, single = self.of, self._single  # pieces may join to another day's night once other series are left out
        return {day: own[series].get(day) or single[series][day] for day, series in self.told.items()}

    def ended(self, after: datetime, until: datetime) -> bool:
        """Return True if a main sleep ended in (after, until]."""
        return bisect_right(self._ends, until) > bisect_right(self._ends, after)

    def known_from(self, sample: Sample, series: str) -> datetime:
        """Return the time from which a night's value counts, which is the end of that night by the same device.

        Some sources date such a value at local midnight. A value never counts before its own start.
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
        """Return (day of waking, latest end) of the main sleep in which a sample began, or None."""
        for day in (sample.day, sample.day + DAY):
            nights = [of_series[day] for of_series in self.of.values() if day in of_series]
            if any(night.start <= sample.start <= night.end for night in nights):
                return day, max(night.end for night in nights)
        return None

    def _civil(self, sample: Sample) -> bool:
        if sample.offset is None:
            local = local_time(sample.start, self._zones)
        else:
            local = sample.start.astimezone(UTC) + timedelta(minutes=sample.offset)
        return local.time() == MIDNIGHT and local.date() == sample.day

    def _main(self, day: date) -> Night | None:
        found = [nights[day] for nights in self.of.values() if day in nights]
        return max(found, key=_rank, default=None)

    def _main_sleeps(self, whole: Sequence[tuple[str, Episode]]) -> dict[str, dict[date, Night]]:
        found: dict[str, dict[date, Night]] = {}
        for source, episode in whole:
            night = night_of(episode, self._offset(episode)) if episode.kind is EpisodeKind.SLEEP else None
            if night is not None:
                of_series, day = found.setdefault(series_of(source, episode.device), {}), episode.day
                if day not in of_series or _rank(night) > _rank(of_series[day]):
                    of_series[day] = night
        return found

    def _offset(self, episode: Episode) -> timedelta:
        if episode.offset is not None:
            return timedelta(minutes=episode.offset)
        return local_time(episode.end, self._zones).utcoffset() or timedelta(0)

    def _offsets(self) -> dict[date, int]:
        found: dict[date, int] = {}
        for _, nights in sorted(self.of.items(), key=lambda pair: (len(pair[1]), pair[0])):
            found |= {day: round(night.offset / timedelta(minutes=1)) for day, night in nights.items()}
        return found


def ended_nights(known: Snapshot) -> Nights:
    """Return the main sleeps that ended by ``known.at``, computed once per snapshot."""
    ended = [told for told in known.episodes if told[1].end <= known.at]
    return known.once("nights", lambda: Nights(ended, known.zones, known.preference, ended_whole(known)))


def _rank(night: Night) -> tuple[bool, float]:
    return is_main(night.asleep, night.end + night.offset), night.asleep


def is_main(hours: float, woke: datetime) -> bool:
    """Return True if a sleep of ``hours``, ended at the local time ``woke``, is long and late enough as main sleep."""
    return hours >= MAIN_SLEEP_MIN_HOURS and EARLIEST_WAKING <= woke.time() <= LATEST_WAKING
