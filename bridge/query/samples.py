"""Load the values of metrics by local day: sums or means of a day, or its highest or lowest single reading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice.preference import load_preference
from bridge.domain.errors import SetupError
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.preference import Preference
from bridge.domain.slots import ZoneHistory, local_time
from bridge.domain.types import Sample
from bridge.query.model import IN_NIGHTS, TIMED, Aggregate, Query, metric_in
from bridge.query.tables import Row
from bridge.store.daily import DayValue

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

PACKED_DAYS_MAX = 1_100  # a day of heart rates is a thousand readings
LONGEST = timedelta(hours=1)  # our choice: a longer mean is of no part of the day
DAY = timedelta(days=1)
Values = dict[str, dict[date, float]]


def samples_by_day(
    bridge: Bridge, user: User, query: Query, metrics: Collection[Metric], span: tuple[date, date]
) -> Values:
    """Return metric -> local day -> value of the source that the user prefers.

    Raises SetupError if a metric of frequent readings is asked for too many days.
    """
    packed = [metric for metric in metrics if METRICS[metric].packed]
    if packed:
        _check_days(bridge, user, packed[0], span)
    ends = {metric for metric in metrics if metric == query.subject.name and query.of_readings}
    rows = bridge.store.daily.values(user.id, frozenset(metrics) - ends, since=span[0], until=span[1])
    for metric in ends:
        rows += bridge.store.daily.ends(user.id, metric, span, highest=query.of is Aggregate.MAX)
    return _preferred(rows, load_preference(bridge.store, user))


def _check_days(bridge: Bridge, user: User, metric: str, span: tuple[date, date]) -> None:
    first, extent = bridge.store.daily.first_day(user.id), bridge.store.reading.extent(user.id)
    if first and extent and (min(span[1], extent.newest) - max(span[0], first)).days > PACKED_DAYS_MAX:
        raise SetupError(
            f"{metric} is read for at most {PACKED_DAYS_MAX} days at once; give a --since closer to --until"
        )


def of_part(bridge: Bridge, user: User, query: Query, name: str, nights: Mapping[date, Row]) -> dict[date, float]:
    """Return local day -> figure of the readings of a part of the day or of the nights, as "heart_rate from 18:00".

    The figure is the mean, or the highest or lowest reading if that is asked for. Raises SetupError for too many days.
    """
    metric, day_of = metric_in(name), _of_nights(nights) if name.endswith(IN_NIGHTS) else _by_clock(name, user.zones)
    since, until = query.since or date.min + DAY, query.until or date.max - DAY
    _check_days(bridge, user, metric, (since, until))
    found: dict[tuple[date, str], list[Sample]] = {}
    for source, one in bridge.store.reading.samples(
        user.id, metrics={Metric(metric)}, since=since - DAY, until=until + DAY
    ):
        long = one.end is not None and one.end - one.start > LONGEST
        if not long and (day := day_of(one)) is not None:
            found.setdefault((day, source), []).append(one)
    reduced = _mean if not query.of_readings else _highest if query.of is Aggregate.MAX else _lowest
    rows = [(day, metric, source, reduced(some)) for (day, source), some in found.items()]
    return _preferred(rows, load_preference(bridge.store, user)).get(metric, {})


def _mean(some: Sequence[Sample]) -> float:
    weights = [one.count or 1 for one in some]
    return sum(one.value * weight for one, weight in zip(some, weights, strict=True)) / sum(weights)


def _highest(some: Sequence[Sample]) -> float:
    return max(one.value if one.high is None else one.high for one in some)


def _lowest(some: Sequence[Sample]) -> float:
    return min(one.value if one.low is None else one.low for one in some)


def _by_clock(name: str, zones: ZoneHistory) -> Callable[[Sample], date | None]:
    """Return a function that tells the local day of a reading within clock times. Past midnight it is the next day."""
    told = TIMED.fullmatch(name)
    begin, end = ((told and told[one]) or other for one, other in (("begin", "00:00"), ("end", "24:00")))

    def day_of(one: Sample) -> date | None:
        at = local_time(one.start, zones) if one.offset is None else one.start + timedelta(minutes=one.offset)
        clock = f"{at:%H:%M}"
        if begin < end:
            return at.date() if begin <= clock < end else None
        return at.date() + DAY if clock >= begin else at.date() if clock < end else None

    return day_of


def _of_nights(nights: Mapping[date, Row]) -> Callable[[Sample], date | None]:
    """Return a function that tells the day of waking of the recorded night of a reading, or None by day."""
    spans = sorted(
        (*(datetime.fromisoformat(row.fields[at]) for at in ("start", "end")), day) for day, row in nights.items()
    )
    starts = [start for start, _, _ in spans]

    def day_of(one: Sample) -> date | None:
        at = bisect_right(starts, one.start) - 1
        return spans[at][2] if at >= 0 and one.start < spans[at][1] else None

    return day_of


def _preferred(rows: Sequence[DayValue], preference: Preference) -> Values:
    sources = {source for _, _, source, _ in rows}
    found: Values = {metric: {} for metric in {metric for _, metric, _, _ in rows}}
    for best in sorted(sources, key=lambda one: (preference.rank(one), one), reverse=True):
        for day, metric, source, value in rows:
            if source == best:  # the last that is written counts
                found[metric][day] = value
    return found
