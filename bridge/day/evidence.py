"""Find calendar entries that the watch contradicts: slept through, or sport without any movement."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from statistics import median

from bridge.calendar.busy import clipped, length, merged
from bridge.calendar.flights import is_journey
from bridge.calendar.kinds import SURE
from bridge.day.typical import DAY, clock
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.types import EpisodeKind, Occurrence
from bridge.meters.whole_nights import ended_whole
from rhythm_env.interface import ActionType

SLEPT_OVER = 0.5  # share of an entry; these figures are our choice
AROUND, COMES_IN = timedelta(hours=1), timedelta(hours=3)  # of an entry of sport: its workout; until that is known
SHOWN_LEAST, SHOWN_SHARE = 2, 0.5  # of the entries of sport, from which a watch would have shown another
UP_BEFORE, LATE = timedelta(minutes=20), timedelta(minutes=10)  # sport, at the least; after a begin that is slept over
LATE_FOR = timedelta(hours=4)  # the longest entry that one does not come late to


def missed(known: Snapshot) -> Mapping[str, datetime | None]:
    """Return key -> waking time (None: not slept through) of the past entries that the watch shows as missed."""
    return known.once("missed entries", lambda: dict(_missed(known)))


def _missed(known: Snapshot) -> Iterator[tuple[str, datetime | None]]:
    recorded = [one for _, one in ended_whole(known)]
    asleep = merged((one.start, one.end) for one in recorded if one.kind is EpisodeKind.SLEEP)
    ends = [end for _, end in asleep]
    active = merged((one.start - AROUND, one.end + AROUND) for one in recorded if one.kind is EpisodeKind.WORKOUT)
    sport: list[Occurrence] = []
    for one, label in known.agenda if asleep else ():
        if not one.start < min(one.end, known.at) or label.action is ActionType.SLEEP or one.event.all_day:
            continue
        is_sport = label.action is ActionType.EXERCISE and label.confidence >= SURE
        low, high = one.start - (UP_BEFORE if is_sport else timedelta(0)), one.start + LATE
        at = bisect_right(ends, low)
        woke = ends[at] if at < len(ends) and asleep[at][0] < one.start else None
        late = woke is not None and (is_sport or (woke >= high and one.end - one.start <= LATE_FOR))
        inside = clipped(asleep, one.start, one.end)
        over = inside and length(inside) > SLEPT_OVER * (one.end - one.start)
        trained = late and is_sport and clipped(active, one.start, one.end)
        if over or (late and not trained and not is_journey(one)):
            yield one.key, woke
        elif is_sport and one.end + COMES_IN <= known.at:
            sport.append(one)
    unseen = [one for one in sport if not clipped(active, one.start, one.end)]
    shown, walked = len(sport) - len(unseen), _walked(known) if unseen else frozenset[date]()
    tells = shown >= max(SHOWN_LEAST, SHOWN_SHARE * len(sport))
    for one in unseen:  # a night within the day before it says that the watch was worn
        if tells and clipped(asleep, one.start - DAY, one.start) and clock(one.start, known.zones)[0] not in walked:
            yield one.key, None


def _walked(known: Snapshot) -> frozenset[date]:
    """Return the dates with more steps than usual. Sport on them may have been done without a recorded workout."""
    steps = [(one.day, one.value) for _, one in known.samples if one.metric is Metric.STEPS]
    usual = median([count for _, count in steps]) if steps else 0.0
    return frozenset(day for day, count in steps if count > usual)
