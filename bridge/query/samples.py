"""Load the values of metrics by local day: sums or means of a day, or its highest or lowest single reading."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import TYPE_CHECKING

from bridge.advice.preference import load_preference
from bridge.domain.errors import SetupError
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.preference import Preference
from bridge.query.model import Aggregate, Query
from bridge.store.daily import DayValue

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

PACKED_DAYS_MAX = 1_100  # a day of heart rates is a thousand readings
Values = dict[str, dict[date, float]]


def samples_by_day(
    bridge: Bridge, user: User, query: Query, metrics: Collection[Metric], span: tuple[date, date]
) -> Values:
    """Return metric -> local day -> value of the source that the user prefers.

    Raises SetupError if a metric of frequent readings is asked for too many days.
    """
    packed = [metric for metric in metrics if METRICS[metric].packed]
    first = bridge.store.daily.first_day(user.id) if packed else None
    extent = bridge.store.reading.extent(user.id) if packed else None
    if first and extent and (min(span[1], extent.newest) - max(span[0], first)).days > PACKED_DAYS_MAX:
        raise SetupError(
            f"{packed[0]} is read for at most {PACKED_DAYS_MAX} days at once; give a --since closer to --until"
        )
    ends = {metric for metric in metrics if metric == query.subject.name and query.of_readings}
    rows = bridge.store.daily.values(user.id, frozenset(metrics) - ends, since=span[0], until=span[1])
    for metric in ends:
        rows += bridge.store.daily.ends(user.id, metric, span, highest=query.of is Aggregate.MAX)
    return _preferred(rows, load_preference(bridge.store, user))


def _preferred(rows: Sequence[DayValue], preference: Preference) -> Values:
    sources = {source for _, _, source, _ in rows}
    found: Values = {metric: {} for metric in {metric for _, metric, _, _ in rows}}
    for best in sorted(sources, key=lambda one: (preference.rank(one), one), reverse=True):
        for day, metric, source, value in rows:
            if source == best:  # the last that is written counts
                found[metric][day] = value
    return found
