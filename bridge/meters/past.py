"""What is known of a person, indexed once, so that meters can be read as of many moments.

Every value carries the instant from which it was known: a night from waking, a day's total from midnight.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from statistics import median

from bridge.agenda import midnight
from bridge.meters.baseline import CONSTANTS, OWN_SLEEP, WINDOW, Baseline, baseline, plausible
from bridge.meters.fuse import EXPIRY
from bridge.meters.hours import Calendar, Intraday
from bridge.meters.sleep import Night, night_of, score
from bridge.ports import Known
from bridge.types import METRICS, Episode, EpisodeKind, Metric, Sample, Shape
from rhythm_env.interface import ZoneHistory, zone_at

KEPT = timedelta(days=WINDOW + 20)  # 60 days before any moment of the last two weeks
WAKING = time(6)  # a night without times is known from here on
LEAST_SPOTS = 3  # daytime HRV readings that make a day's median
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A nightly or daily value and the instant from which it was known."""

    value: float
    known: datetime


Track = dict[date, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """The newest fresh value of a metric, its source, how old it is, and the person's normal before it."""

    day: date
    source: str
    value: float
    age_hours: float
    normal: Baseline


class Past:
    """An index over what is known. Reading it at an earlier moment than ``known.at`` sees only what was known then."""

    def __init__(self, known: Known) -> None:
        self.zones: ZoneHistory = known.zones
        self._oldest = (known.at - KEPT).date()
        self.nights = self._nights(known)
        self._tracks: dict[str, dict[str, Track]] = {}
        self._normals: dict[tuple[str, str, date], Baseline] = {}
        self._add_samples(known)
        self._add_nights(known)
        self.stress = self._stress(known)
        self.calendar = Calendar(known.agenda, known.at)
        self.tasks = known.tasks

    def latest(self, metric: str, at: datetime) -> Latest | None:
        """The newest value not older than 30 hours; of several sources that day, the one with the longest history."""
        day = at.astimezone(zone_at(at, self.zones)).date() + DAY
        for d in (day, day - DAY, day - 2 * DAY, day - 3 * DAY):
            found = [
                self._dated(metric, source, d, at)
                for source, track in self._tracks.get(metric, {}).items()
                if d in track and timedelta(0) <= at - track[d].known <= timedelta(hours=EXPIRY)
            ]
            if found:
                return max(found, key=lambda one: (one.normal.n, one.source))
        return None

    def of_night(self, metric: str, night: Latest, at: datetime) -> Latest | None:
        """Another metric of the same night from the same source."""
        value = self._tracks.get(metric, {}).get(night.source, {}).get(night.day)
        return self._dated(metric, night.source, night.day, at) if value is not None and value.known <= at else None

    def recent(self, metric: str, source: str, day: date, at: datetime) -> list[float]:
        """The values of the seven days up to ``day``."""
        track = self._tracks.get(metric, {}).get(source, {})
        days = (day - k * DAY for k in range(7))
        return [track[d].value for d in days if d in track and track[d].known <= at]

    def _dated(self, metric: str, source: str, day: date, at: datetime) -> Latest:
        value = self._tracks[metric][source][day]
        return Latest(
            day=day,
            source=source,
            value=value.value,
            age_hours=(at - value.known) / timedelta(hours=1),
            normal=self._normal(metric, source, day),
        )

    def _normal(self, metric: str, source: str, day: date) -> Baseline:
        """The baseline before ``day``; it depends on nothing later, so one calculation serves every moment."""
        found = self._normals.get((metric, source, day))
        if found is None:
            track = self._tracks[metric][source]
            known = track[day].known
            days = (day - k * DAY for k in range(1, WINDOW + 1))
            before = [track[d].value for d in days if d in track and track[d].known <= known]
            found = self._normals[metric, source, day] = baseline(before, CONSTANTS[metric])
        return found

    def _nights(self, known: Known) -> dict[str, dict[date, Night]]:
        """source -> day -> night; of several sleeps on a day the longest is the night."""
        nights: dict[str, dict[date, Night]] = {}
        for source, episode in known.episodes:
            if episode.kind is not EpisodeKind.SLEEP or not self._counts(episode, known):
                continue
            night = night_of(episode, self._offset(episode))
            of_source = nights.setdefault(source, {})
            if night is not None and (episode.day not in of_source or night.asleep > of_source[episode.day].asleep):
                of_source[episode.day] = night
        return nights

    def _counts(self, item: Sample | Episode, known: Known) -> bool:
        return item.day >= self._oldest and (item.end or item.start) <= known.at

    def _offset(self, episode: Episode) -> timedelta:
        if episode.offset is not None:
            return timedelta(minutes=episode.offset)
        return episode.end.astimezone(zone_at(episode.end, self.zones)).utcoffset() or timedelta(0)

    def _add_samples(self, known: Known) -> None:
        spots: dict[tuple[str, date], list[float]] = {}
        for source, sample in known.samples:
            if not self._counts(sample, known) or not _possible(sample):
                continue
            if sample.metric is Metric.HRV_SDNN:
                spots.setdefault((source, sample.day), []).append(sample.value)
            elif METRICS[sample.metric].shape is not Shape.INTRADAY:
                self._put(sample.metric, source, sample.day, sample.value, self._known_from(sample, source), known.at)
        for (source, day), values in spots.items():
            if len(values) >= LEAST_SPOTS:
                self._put(Metric.HRV_SDNN, source, day, median(values), midnight(day + DAY, self.zones), known.at)

    def _add_nights(self, known: Known) -> None:
        for source, nights in self.nights.items():
            for day, night in nights.items():
                self._put(OWN_SLEEP, source, day, score(day, nights), night.end, known.at)
        for source, episode in known.episodes:
            if self._is_night(episode, source):
                for metric in (Metric.DEEP_SLEEP, Metric.SLEEP_SCORE):
                    if metric in episode.values:
                        self._put(metric, source, episode.day, episode.values[metric], episode.end, known.at)

    def _is_night(self, episode: Episode, source: str) -> bool:
        night = self.nights.get(source, {}).get(episode.day)
        return episode.kind is EpisodeKind.SLEEP and night is not None and night.end == episode.end

    def _known_from(self, sample: Sample, source: str) -> datetime:
        """A night's value counts after waking, a day's once the day is over."""
        if METRICS[sample.metric].shape is Shape.DAILY:
            return max(sample.end or sample.start, midnight(sample.day + DAY, self.zones))
        night = self.nights.get(source, {}).get(sample.day)
        if night is not None:
            return max(sample.end or sample.start, night.end)
        if sample.end is not None:
            return sample.end
        zone = zone_at(sample.start, self.zones)
        return max(sample.start, datetime.combine(sample.day, WAKING, tzinfo=zone))

    def _put(self, metric: str, source: str, day: date, value: float, known: datetime, at: datetime) -> None:
        """Keep a possible value; of two for one day the one known first stays, so that no earlier reading changes."""
        if metric not in CONSTANTS or not plausible(value, CONSTANTS[metric]) or known > at:
            return
        track = self._tracks.setdefault(metric, {}).setdefault(source, {})
        if day not in track or known < track[day].known:
            track[day] = Value(value=value, known=known)

    def _stress(self, known: Known) -> dict[str, Intraday]:
        found: dict[str, list[Sample]] = {}
        for source, sample in known.samples:
            if sample.metric is Metric.STRESS and self._counts(sample, known) and _possible(sample):
                found.setdefault(source, []).append(sample)
        workouts = [e for _, e in known.episodes if e.kind is EpisodeKind.WORKOUT and self._counts(e, known)]
        return {source: Intraday(samples, workouts) for source, samples in found.items()}


def _possible(sample: Sample) -> bool:
    """Within the metric's range: Garmin's -1 and -2 say why there is no stress value, they are none."""
    spec = METRICS[sample.metric]
    return spec.low <= sample.value <= spec.high
