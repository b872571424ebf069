"""Index a snapshot of a user's data once, so that meters can be read at many times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import wraps
from statistics import median
from typing import Any, TypeVar

from bridge.calendar.busy import Stretch, merged
from bridge.calendar.expansion import midnight
from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.domain.preference import Key
from bridge.domain.records import Snapshot
from bridge.domain.slots import DAY, HOUR, Moment, ZoneHistory, local_time, moment_at, slot_start
from bridge.domain.types import EpisodeKind, Sample
from bridge.meters import proxy
from bridge.meters.baseline import (
    CONSTANTS,
    OWN_SLEEP,
    SPOTS,
    WINDOW,
    Baseline,
    Constants,
    asleep,
    normal_of,
    plausible,
    scale,
)
from bridge.meters.check_in import CHECK_IN_METRICS, Answers
from bridge.meters.fuse import EXPIRY
from bridge.meters.hours import Calendar, Intraday, Tasks
from bridge.meters.nights import LOOSER, Nights, ended_nights
from bridge.meters.overlaps import series_of
from bridge.meters.sleep import NEED_DAYS, need, score

UNTOLD = fact("several", parts=())  # of readings without reasons; nobody is shown it
SLACK = timedelta(days=20)  # for journeys, and for instants up to two weeks before the last
LEAST_SPOTS = 3  # HRV readings that a median needs
# Metrics that a journey unsettles for some days.
UNSETTLED = frozenset({Metric.HRV_RMSSD, Metric.RESTING_HR, *SPOTS, *map(asleep, SPOTS)})
AFTER_WAKING = timedelta(hours=2)  # by which a body battery is fullest
OF_DAYS = frozenset(metric for metric, spec in METRICS.items() if spec.shape is Shape.DAILY)
FRESH = timedelta(hours=EXPIRY)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of a night or day, and the time ``known`` from which it was known.

    ``scaled`` is the same value in its metric's scale, which is the natural logarithm for some metrics.
    """

    value: float
    scaled: float
    known: datetime


Track = dict[date, Value]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Latest:
    """A metric's value of a day, with its series (device), its ``normal``, and the time ``known`` from which it counts.

    There is one object per metric, series and day, so that it can be a key of ``Past.kept``.
    """

    day: date
    series: str
    value: float
    known: datetime
    normal: Baseline

    @property
    def source(self) -> str:
        return self.series.partition("/")[0]

    def far(self, constants: Constants) -> float:
        return self.normal.far(self.value, constants)

    def age_hours(self, at: datetime) -> float:
        return (at - self.known) / HOUR


def past_of(known: Snapshot) -> Past:
    """Return the index of a snapshot, computed once, for readings of the last two weeks."""
    return known.once("past", lambda: Past(known))


class Past:
    """An index of a snapshot. A reading at an earlier time uses only values known by then.

    ``since`` is the earliest time of a reading, by default that of the snapshot.
    """

    def __init__(self, known: Snapshot, *, since: datetime | None = None, reasons: bool = True) -> None:
        self.reasons = reasons
        self.zones: ZoneHistory = known.zones
        self.proxies = known.proxies or proxy.shipped()
        self.rmssd_errors = known.rmssd_errors
        self.preference = known.preference
        self._at = known.at
        self._days: tuple[datetime | None, tuple[date, ...]] = None, ()
        self._newest: tuple[datetime | None, dict[str, Latest | None]] = None, {}
        self._dates: dict[tuple[str, str, date], Latest] = {}
        self._weeks: dict[Latest, tuple[datetime, tuple[float, ...]]] = {}
        self._begins: dict[Moment, datetime] = {}
        self._moment = known.at, moment_at(known.at, known.zones)
        self._kept: dict[Hashable, Any] = {}
        self.instant: tuple[datetime | None, dict[Hashable, Any]] = None, {}  # see ``shared``
        oldest = ((known.at if since is None else since) - SLACK).date() - WINDOW * DAY
        self._samples = _by_metric(known, oldest)
        ended = [(s, x) for s, x in known.episodes if x.end <= known.at]
        episodes = [(s, x) for s, x in ended if x.day >= oldest]
        every = len(episodes) == len(ended)
        self.nights = ended_nights(known) if every else Nights(episodes, known.zones, known.preference)
        self._tracks: dict[str, dict[str, Track]] = {}
        self._histories: dict[tuple[str, str], tuple[list[date], list[Value]]] = {}
        self._batteries = self._charged()
        self.needs: dict[str, dict[date, float]] = {}  # series -> day -> hours of sleep needed
        self._naps: dict[date, list[Stretch]] = {}
        for nap in (episode for _, episode in episodes if episode.kind is EpisodeKind.NAP):
            self._naps.setdefault(nap.day, []).append((nap.start, nap.end))
        self._add_samples()
        self._add_nights()
        workouts = [episode for _, episode in episodes if episode.kind is EpisodeKind.WORKOUT]
        self.stress = {s: Intraday(of, workouts) for s, of in self._intraday(Metric.STRESS).items()}
        self.answers = Answers(sample for metric in CHECK_IN_METRICS for _, sample in self._samples.get(metric, ()))
        recorded = merged((x.start, x.end) for _, x in self._samples.get(Metric.FOCUS, ()) if x.end is not None)
        self.calendar = Calendar(known.agenda, midnight(oldest, known.zones), known.at, recorded)
        self.tasks = Tasks(known.tasks, known.zones)

    def latest(self, metric: str, at: datetime) -> Latest | None:
        """Return a metric's value of the newest local day, known within the 30 hours before ``at``, or None.

        Of several series of that day, the one of the main sleep or else the preferred one counts.
        """
        tracks = self._tracks.get(metric)
        if tracks is None:
            return None
        instant, newest = self._newest
        if instant != at:
            self._newest = at, (newest := {})
        if metric not in newest:
            newest[metric] = self._latest(metric, tracks, at)
        return newest[metric]

    def _latest(self, metric: str, tracks: Mapping[str, Track], at: datetime) -> Latest | None:
        oldest = at - FRESH
        for day in self._recent_days(at):
            found = [
                self._dated(metric, series, day)
                for series, track in tracks.items()
                if day in track and oldest <= track[day].known <= at
            ]
            if found:
                return found[0] if len(found) == 1 else max(found, key=lambda one: self._standing(metric, one))
        return None

    def _standing(self, metric: str, one: Latest) -> tuple[bool, Key]:
        told_night = metric not in OF_DAYS and self.nights.told.get(one.day) == one.series
        return told_night, self.preference.key(one.series, one.normal.n)

    def _recent_days(self, at: datetime) -> tuple[date, ...]:
        """Return the local days from tomorrow, which may have begun further east, back to two days ago."""
        if self._days[0] != at:
            today = local_time(at, self.zones).date()
            self._days = at, tuple(today + k * DAY for k in (1, 0, -1, -2))
        return self._days[1]

    def of_night(self, metric: str, night: Latest, at: datetime) -> Latest | None:
        """Return a metric's value for the day and series of ``night``, or None if not known at ``at``."""
        value = self._tracks.get(metric, {}).get(night.series, {}).get(night.day)
        return self._dated(metric, night.series, night.day) if value is not None and value.known <= at else None

    def recent(self, metric: str, night: Latest, at: datetime) -> tuple[float, ...]:
        """Return a metric's values of the series of ``night`` on its day and the six days before, newest first.

        Values not known at ``at`` are left out.
        """
        since, whole = self._weeks.get(night) or (None, ())
        if since is not None and since <= at:
            return whole
        track = self._tracks[metric][night.series]
        found = [track[day] for day in (night.day - k * DAY for k in range(7)) if day in track]
        self._weeks[night] = max(one.known for one in found), tuple(one.value for one in found)
        return tuple(one.value for one in found if one.known <= at)

    def told(self, make: Callable[[], Fact]) -> Fact:
        """Return ``make()``, or an empty fact if this index leaves reasons out."""
        return make() if self.reasons else UNTOLD

    def kept(self, make: Callable[..., T], *of: Hashable) -> T:
        """Return ``make(self, *of)``, computed once per ``make`` and ``of``. It must depend on nothing else."""
        key = make, *of
        if key not in self._kept:
            self._kept[key] = make(self, *of)
        found: T = self._kept[key]
        return found

    def moment(self, at: datetime) -> Moment:
        if self._moment[0] != at:
            self._moment = at, moment_at(at, self.zones)
        return self._moment[1]

    def begin(self, moment: Moment) -> datetime:
        if moment not in self._begins:
            self._begins[moment] = slot_start(moment, self.zones)
        return self._begins[moment]

    def woke(self, at: datetime) -> datetime | None:
        """Return the end of the last main sleep, if it was known within the 30 hours before ``at``, else None."""
        night = self.latest(OWN_SLEEP, at)
        return None if night is None else self.nights.of[night.series][night.day].end

    def _dated(self, metric: str, series: str, day: date) -> Latest:
        found = self._dates.get((metric, series, day))
        if found is None:
            value, normal = self._tracks[metric][series][day], self._normal(metric, series, day)
            found = Latest(day=day, series=series, value=value.value, known=value.known, normal=normal)
            self._dates[metric, series, day] = found
        return found

    def normal_before(self, metric: str, one: Latest, days: int) -> Baseline:
        """Return the normal of a value, computed without the ``days`` days just before the value's day."""
        return self._normal(metric, one.series, one.day, skipped=days)

    def _normal(self, metric: str, series: str, day: date, skipped: int = 0) -> Baseline:
        days, values = self._histories.get((metric, series)) or self._history(metric, series)
        known = self._tracks[metric][series][day].known
        first, last = bisect_left(days, day - WINDOW * DAY), bisect_left(days, day - skipped * DAY)
        normal = normal_of([value.scaled for value in values[first:last] if value.known <= known], CONSTANTS[metric])
        loose = metric in UNSETTLED and self.nights.journeys.loose(day)
        return replace(normal, spread=LOOSER * normal.spread) if loose else normal

    def _history(self, metric: str, series: str) -> tuple[list[date], list[Value]]:
        track, loose = self._tracks[metric][series], self.nights.journeys.loose
        days = sorted(day for day in track if metric not in UNSETTLED or not loose(day))
        self._histories[metric, series] = days, [track[day] for day in days]
        return self._histories[metric, series]

    def _add_samples(self) -> None:
        for metric, samples in self._samples.items():
            if METRICS[metric].shape is not Shape.INTRADAY:
                for source, sample in samples:
                    series = series_of(source, sample.device)
                    if METRICS[metric].shape is Shape.NIGHTLY and self._of_nap(sample, series):
                        continue
                    self._put(metric, series, sample.day, sample.value, self._known_from(sample, series))
        self._add_spots()

    def _of_nap(self, sample: Sample, series: str) -> bool:
        """Return True for a value measured in a nap of a day whose night is known."""
        end = sample.end
        naps = (
            self._naps.get(sample.day, ()) if end is not None and sample.day in self.nights.of.get(series, {}) else ()
        )
        return any(low <= sample.start and end is not None and end <= high for low, high in naps)

    def _add_spots(self) -> None:
        spots: dict[tuple[str, str, date, datetime | None], list[float]] = {}
        for metric in SPOTS:
            for source, sample in self._samples.get(metric, ()):
                series, day = series_of(source, sample.device), sample.day
                spots.setdefault((metric, series, day, None), []).append(sample.value)
                night = self.nights.during(sample)
                if night is not None:
                    spots.setdefault((asleep(metric), series, *night), []).append(sample.value)
        for (track, series, day, woke), values in spots.items():
            if len(values) >= LEAST_SPOTS:
                self._put(track, series, day, median(values), woke or midnight(day + DAY, self.zones))

    def _add_nights(self) -> None:
        for series, nights in self.nights.of.items():
            needs = self.needs[series] = {day: need(day, nights) for day in nights}
            for day, night in nights.items():
                own = score(day, nights, needs, settled=not self.nights.journeys.frozen(day))
                self._put(OWN_SLEEP, series, day, own, night.end)
                for metric, value in night.vendor.items():
                    self._put(metric, series, day, value, night.end)
                self._put_battery(series, day, night.end)

    def told_need(self, series: str, day: date) -> float:
        """Return the usual need of sleep in hours, as of a night: a vendor's figure for one night includes its debt."""
        needs = self.needs[series]
        return median(needs[before] for n in range(NEED_DAYS) if (before := day - n * DAY) in needs)

    def _charged(self) -> dict[str, list[tuple[datetime, float]]]:
        found: dict[str, list[tuple[datetime, float]]] = {}
        for source, sample in self._samples.get(Metric.BODY_BATTERY, ()):
            found.setdefault(source, []).append((sample.end or sample.start, sample.high or sample.value))
        return {source: sorted(levels) for source, levels in found.items()}

    def _put_battery(self, series: str, day: date, woke: datetime) -> None:
        levels = self._batteries.get(series.partition("/")[0], [])
        first, last = (bisect_left(levels, (woke + off, 0.0)) for off in (-AFTER_WAKING, AFTER_WAKING))
        if first < last:
            fullest = max(level for _, level in levels[first:last])
            self._put(Metric.BODY_BATTERY, series, day, fullest, woke + AFTER_WAKING)

    def _known_from(self, sample: Sample, series: str) -> datetime:
        if METRICS[sample.metric].shape is Shape.DAILY:
            return max(sample.end or sample.start, midnight(sample.day + DAY, self.zones))
        return self.nights.known_from(sample, series)

    def _put(self, metric: str, series: str, day: date, value: float, known: datetime) -> None:
        """Store a plausible value. Of two for a day the one known earlier stays, so that old readings never change."""
        if metric not in CONSTANTS or not plausible(value, CONSTANTS[metric]) or known > self._at:
            return
        track = self._tracks.setdefault(metric, {}).setdefault(series, {})
        if day not in track or known < track[day].known:
            track[day] = Value(value=value, scaled=scale(value, CONSTANTS[metric]), known=known)

    def _intraday(self, metric: Metric) -> dict[str, list[Sample]]:
        found: dict[str, list[Sample]] = {}
        for source, sample in self._samples.get(metric, ()):
            found.setdefault(series_of(source, sample.device), []).append(sample)
        return found


def shared(read: Callable[[Past, datetime], T]) -> Callable[[Past, datetime], T]:
    """Decorate a function of (past, at) to keep its result for the last ``at``, because several meters call it."""

    @wraps(read)
    def found(past: Past, at: datetime) -> T:
        instant, known = past.instant
        if instant != at:
            past.instant = at, (known := {})
        if read not in known:
            known[read] = read(past, at)
        result: T = known[read]
        return result

    return found


def _by_metric(known: Snapshot, oldest: date) -> dict[Metric, list[tuple[str, Sample]]]:
    found: dict[Metric, list[tuple[str, Sample]]] = {}
    for pair in known.samples:
        sample = pair[1]
        spec = METRICS[sample.metric]
        over = (
            sample.end or sample.start
        ) <= known.at or spec.shape is Shape.NIGHTLY  # nightly values count from waking
        recent = sample.day >= oldest or sample.metric in CHECK_IN_METRICS
        if over and recent and spec.low <= sample.value <= spec.high:
            found.setdefault(sample.metric, []).append(pair)
    return found
