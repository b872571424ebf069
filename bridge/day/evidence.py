"""Entries of the calendar that the watch contradicts: slept over, or sport of which it shows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from statistics import median

from bridge.calendar.busy import Stretch, clipped, length, merged
from bridge.day.typical import DAY, clock
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.types import EpisodeKind, Occurrence
from bridge.meters.whole_nights import ended_whole
from rhythm_env.interface import ActionType

SLEPT_OVER = 0.5  # share of an entry; these figures are our choice
AROUND, COMES_IN = timedelta(hours=1), timedelta(hours=3)  # of an entry of sport: its workout; until that is known
SHOWN_LEAST, SHOWN_SHARE = 2, 0.5  # of the entries of sport, from which a watch would have shown another
UP_BEFORE = timedelta(minutes=20)  # sport, at the least
SURE = 0.5  # confidence of a label from which an entry is sport


def missed(known: Snapshot) -> frozenset[str]:
    """Return the keys of the timed entries until now that cannot have been attended, by the watch."""
    return known.once("missed entries", lambda: frozenset(_missed(known)))


def _missed(known: Snapshot) -> Iterator[str]:
    recorded = [one for _, one in ended_whole(known)]
    asleep = merged((one.start, one.end) for one in recorded if one.kind is EpisodeKind.SLEEP)
    sport: list[Occurrence] = []
    for one, label in known.agenda if asleep else ():
        if one.event.all_day or label.action is ActionType.SLEEP or not one.start < min(one.end, known.at):
            continue
        if length(clipped(asleep, one.start, one.end)) > SLEPT_OVER * (one.end - one.start):
            yield one.key
        elif label.action is ActionType.EXERCISE and label.confidence >= SURE and one.end + COMES_IN <= known.at:
            sport.append(one)
    active = merged((one.start - AROUND, one.end + AROUND) for one in recorded if one.kind is EpisodeKind.WORKOUT)
    unseen = [one for one in sport if not clipped(active, one.start, one.end)]
    shown, walked = len(sport) - len(unseen), _walked(known) if unseen else frozenset[date]()
    tells = shown >= max(SHOWN_LEAST, SHOWN_SHARE * len(sport))
    for one in unseen:
        late = bool(active) and bool(clipped(asleep, one.start - UP_BEFORE, one.start))
        if (late or (tells and _is_worn(one, asleep))) and clock(one.start, known.zones)[0] not in walked:
            yield one.key


def _is_worn(one: Occurrence, asleep: list[Stretch]) -> bool:
    """Return True if a night is recorded within the day before an entry, so that the watch was on."""
    return bool(clipped(asleep, one.start - DAY, one.start))


def _walked(known: Snapshot) -> frozenset[date]:
    """Return the dates of more steps than usual, whose sport may have been without a workout."""
    steps = [(one.day, one.value) for _, one in known.samples if one.metric is Metric.STEPS]
    usual = median([count for _, count in steps]) if steps else 0.0
    return frozenset(day for day, count in steps if count > usual)
